"""What a hand-kept record does not know: unknown from here on, and known again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from language.inline import Play
from test_omissions import OPENING, WEEK, audit, land, option, rent, roll, written

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.game.game import Game
from nomoledger.game.records import import_record
from nomoledger.game.replay import Report, replay
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.unknowns import EXISTENCE, make_unknown


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def unknown(**fields: Any) -> dict[str, Any]:
    return {"kind": "unknown"} | fields


def known(**fields: Any) -> dict[str, Any]:
    return {"kind": "known-again"} | fields


def told(report: Report) -> list[tuple[tuple[str, ...], int]]:
    return [(each.what, each.not_compared) for each in report.unknown]


def found(report: Report) -> list[tuple[str, str, Any, Any]]:
    return [(d.subject, d.what, d.recorded, d.by_rules) for d in report.divergences]


def balances(ledger: Ledger) -> list[Any]:
    world = Game(ledger, "r").world
    return [world.balance(name, "$") for name in ("Ann", "Bob", "Cy")]


def test_a_landing_after_an_unknown_square_sets_it_and_its_rent_is_compared(
    ledger: Ledger, tmp_path: Path
) -> None:
    lost = unknown(player="Ann", attribute="square")
    facts = [lost, roll("Ann", 1, 3), land("Ann", 4), rent("Ann", 4, 13, "Bob")]
    report = audit(ledger, tmp_path, *facts)
    assert found(report) == [("Bob", "rent", 13, 12)]
    assert told(report) == [(("square of Ann",), 1)]
    first = len(OPENING) + 1
    assert (report.unknown[0].line, report.unknown[0].known_again) == (first, (first + 2,))
    assert not report.exact


@pytest.mark.slow
def test_play_goes_on_from_the_landing(ledger: Ledger, tmp_path: Path) -> None:
    lost = unknown(player="Ann", attribute="square")
    facts = [lost, roll("Ann", 1, 2), land("Ann", 15), roll("Ann", 1, 1), land("Ann", 18)]
    assert found(audit(ledger, tmp_path, *facts)) == [("Ann", "square", 18, 17)]


def test_without_a_landing_nothing_that_follows_from_the_square_is_compared(
    ledger: Ledger, tmp_path: Path
) -> None:
    facts = [
        unknown(player="Ann", attribute="square"),
        *(roll("Ann", 1, 2), rent("Ann", 5, 15, "Cy")),
        *(roll("Bob", 1, 3), land("Bob", 12), option("Bob", 12)),
        known(player="Ann", square=5),
        *(roll("Ann", 1, 1), land("Ann", 8)),
    ]
    report = audit(ledger, tmp_path, *facts)
    assert found(report) == [("Ann", "square", 8, 7)]
    assert report.omitted == ()
    assert told(report) == [(("square of Ann",), 1)]
    assert balances(ledger)[2] == 10015


def test_an_unknown_owner_leaves_the_rent_alone(ledger: Ledger, tmp_path: Path) -> None:
    facts = [
        unknown(square=4, attribute="owner"),
        *(roll("Ann", 1, 2), land("Ann", 4), rent("Ann", 4, 12, "Cy")),
        known(square=4, owner="Cy"),
        *(roll("Bob", 6, 5), land("Bob", 19), roll("Bob", 2, 3), land("Bob", 4)),
        rent("Bob", 4, 13, "Cy"),
    ]
    report = audit(ledger, tmp_path, *facts)
    assert found(report) == [("Cy", "rent", 13, 12)]
    assert told(report) == [(("owner of 4",), 1)]


@pytest.mark.slow
def test_a_square_nobody_asks_for_hides_nothing(ledger: Ledger, tmp_path: Path) -> None:
    facts = [unknown(square=9, attribute="owner"), roll("Ann", 1, 2), land("Ann", 5)]
    report = audit(ledger, tmp_path, *facts)
    assert found(report) == [("Ann", "square", 5, 4)]
    assert told(report) == [(("owner of 9",), 0)]


@pytest.mark.slow
def test_everything_of_a_player_can_be_unknown(ledger: Ledger, tmp_path: Path) -> None:
    facts = [unknown(player="Ann"), roll("Ann", 1, 2), known(player="Ann", square=7, money=500)]
    report = audit(ledger, tmp_path, *facts, roll("Ann", 1, 1), land("Ann", 9))
    assert report.divergences == ()
    [part] = report.unknown
    assert {"square of Ann", "$ of Ann"} <= {*part.what}
    assert balances(ledger)[0] == 500


@pytest.mark.slow
def test_money_can_be_known_again(ledger: Ledger, tmp_path: Path) -> None:
    facts = [unknown(player="Ann", attribute="money"), known(player="Ann", amount=70)]
    report = audit(ledger, tmp_path, *facts)
    assert (told(report), balances(ledger)[0]) == ([(("$ of Ann",), 0)], 70)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fact", "why"),
    [
        (unknown(player="Zed"), "there is no 'Zed'"),
        (unknown(attribute="square"), "nobody is named"),
        (unknown(player="Ann", attribute="mood"), "nothing is called 'mood' there"),
        (known(player="Ann"), "it does not say what is known again"),
        (known(player="Ann", square=99), "there is no square 99"),
        (known(player="Ann", money="much"), "'much' is no amount"),
    ],
)
def test_what_makes_no_sense_is_unexplained(
    ledger: Ledger, tmp_path: Path, fact: dict[str, Any], why: str
) -> None:
    assert [each.why for each in audit(ledger, tmp_path, fact).unexplained] == [why]


def test_the_first_landing_sets_the_start(ledger: Ledger, tmp_path: Path) -> None:
    path = written(tmp_path, roll("Ann", 1, 2), land("Ann", 4), rent("Ann", 4, 12, "Bob"))
    header, *lines = path.read_text().splitlines()
    opened = json.loads(header)
    del opened["opening"]["players"]["Ann"]["square"]
    path.write_text("\n".join([json.dumps(opened), *lines]) + "\n")
    report = replay(ledger, import_record(ledger, path).name, WEEK)
    assert (report.divergences, report.omitted, report.unexplained) == ((), (), ())
    assert told(report) == [(("square of Ann",), 1)]
    assert report.unknown[0].line is None
    assert balances(ledger)[:2] == [9988, 10012]


def test_a_later_period_says_that_something_is_still_unknown(
    ledger: Ledger, tmp_path: Path
) -> None:
    lost = unknown(player="Ann", attribute="square")
    path = written(tmp_path, lost, roll("Bob", 1, 3), land("Bob", 12))
    later = [roll("Bob", 1, 3), land("Bob", 16), known(player="Ann", square=2)]
    text = "".join(json.dumps({"week": WEEK + 1} | fact) + "\n" for fact in later)
    path.write_text(path.read_text() + text)
    game = import_record(ledger, path)
    report = replay(ledger, game.name, WEEK + 1)
    line = len(OPENING) + 1
    [part] = report.unknown
    assert (part.line, part.period, part.known_again) == (line, WEEK, (line + 5,))
    assert not report.exact
    again = replay(ledger, game.name, WEEK + 1, from_start=True)
    assert report == again


@pytest.mark.slow
def test_replay_says_so_plainly(tmp_path: Path) -> None:
    where, runner = str(tmp_path / "g.db"), CliRunner()
    facts = [unknown(player="Ann", attribute="square"), roll("Ann", 1, 3), land("Ann", 5)]
    path = written(tmp_path, *facts)
    assert runner.invoke(program, ["import", where, str(path)]).exit_code == 0
    result = runner.invoke(program, ["replay", where, "--period", str(WEEK)])
    words = " ".join(result.output.split())
    line = len(OPENING) + 1
    said = f"square of Ann is unknown since line {line} (period {WEEK}), not compared: 1 fact"
    assert said in words
    assert f"known again [line {line + 2}]" in words
    assert "nothing differs" not in words
    assert result.exit_code == 1


@pytest.mark.slow
def test_nothing_of_it_touches_a_record_without_such_facts(ledger: Ledger, tmp_path: Path) -> None:
    audit(ledger, tmp_path, roll("Ann", 1, 2), land("Ann", 5), rent("Ann", 5, 15, "Cy"))
    kinds = (e.MadeUnknown, e.MadeKnown, e.FactNotCompared)
    assert not [x for x in ledger.read("r") if isinstance(x.body, kinds)]


LISTING = ("all('player')", "count_all('player')", "where('player', mark = None)")
IN_DOUBT = [(3, (("Ann", "mark"),))]


@pytest.mark.parametrize(
    ("reading", "doubts"), [(listing, IN_DOUBT) for listing in LISTING] + [("label(player)", [])]
)
def test_who_lists_things_that_may_not_exist_is_in_doubt(
    reading: str, doubts: list[tuple[int, Any]]
) -> None:
    play = Play({"1": f"def after_go_on(player):\n    {reading}\n    set(player, 'mark', 'x')\n"})
    make_unknown(play.world, [("Bob", EXISTENCE)], since=3, is_stated=True)
    play.go()
    made = [event for event in play.last if isinstance(event, e.MadeUnknown)]
    assert [(event.since, event.keys) for event in made] == doubts
