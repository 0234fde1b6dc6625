"""What a hand-kept record leaves out, and what it says twice."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from nomoledger.cli import program
from nomoledger.events import FactRecorded
from nomoledger.game import recorded_games as replays
from nomoledger.game.game import Game
from nomoledger.game.records import import_record
from nomoledger.game.replay import Report, replay
from nomoledger.ledger.ledger import Ledger

SEASON = "weekly-vote-season"
WEEK = 4
#: Options, rent, growth and donuts as in week 4 of the season; Bob owns 4, and Cy owns 5.
OPENING: tuple[dict[str, Any], ...] = (
    {
        "rulebook": "weekly-vote-opening",
        "game": "r",
        "period": WEEK,
        "opening": {
            "players": {"Ann": {"square": 1}, "Bob": {"square": 8}, "Cy": {"square": 9}},
        },
    },
    *(
        {"week": WEEK, "rules": f"{SEASON}/{name}.md", "basis": "inferred"}
        for name in ("week-1", "week-2", "proposal-7", "proposal-15", "week-4")
    ),
    {
        "week": WEEK,
        "rules": [
            {"set": {"square": 4, "owner": "Bob"}},
            {"set": {"square": 5, "owner": "Cy"}},
            {"set": {"square": 3, "owner": "Cy"}},
            {"amend": "VIII.1", "parameters": {"turns_a_week": 2}},
        ],
        "basis": "inferred",
    },
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def written(folder: Path, *facts: dict[str, Any]) -> Path:
    """A record of these facts in the week, beside the rules of the season."""
    shutil.copytree(replays.folder() / SEASON, folder / SEASON, dirs_exist_ok=True)
    lines = [*OPENING, *({"week": WEEK} | fact for fact in facts)]
    path = folder / "record.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def audit(ledger: Ledger, folder: Path, *facts: dict[str, Any]) -> Report:
    return replay(ledger, import_record(ledger, written(folder, *facts)).name, WEEK)


def roll(player: str, *dice: int) -> dict[str, Any]:
    return {"kind": "roll", "player": player, "dice": [*dice]}


def land(player: str, square: int) -> dict[str, Any]:
    return {"kind": "land", "player": player, "square": square}


def rent(player: str, square: int, amount: int, payee: str) -> dict[str, Any]:
    fields = {"player": player, "square": square, "amount": amount, "payee": payee}
    return {"kind": "rent"} | fields


def option(player: str, square: int) -> dict[str, Any]:
    return {"kind": "option", "player": player, "square": square}


def omitted(report: Report) -> list[tuple[str, str, Any, str]]:
    return [(each.kind, each.subject, each.by_rules, each.rule) for each in report.omitted]


def test_a_rent_is_omitted_even_if_the_record_mentions_no_rent(
    ledger: Ledger, tmp_path: Path
) -> None:
    report = audit(ledger, tmp_path, roll("Ann", 1, 2), land("Ann", 4))
    assert (report.exact, report.divergences) == (False, ())
    assert omitted(report) == [("rent", "Ann", 12, "X.3@1")]
    event = next(x for x in ledger.read("r") if x.number == report.omitted[0].event)
    assert getattr(event.body, "why", "") == "rent on 4"


def test_a_rent_is_omitted_beside_one_that_is_stated(ledger: Ledger, tmp_path: Path) -> None:
    report = audit(
        ledger,
        tmp_path,
        *(roll("Ann", 1, 2), land("Ann", 4), rent("Ann", 4, 12, "Bob")),
        *(roll("Bob", 6, 5), land("Bob", 19)),
        *(roll("Bob", 1, 3), land("Bob", 3)),
    )
    assert ("rent", "Bob", 9, "X.3@1") in omitted(report)
    assert [kind for kind, *_ in omitted(report)] == ["rent"]


def test_an_option_is_omitted_if_the_record_mentions_options(
    ledger: Ledger, tmp_path: Path
) -> None:
    facts = [roll("Ann", 5, 6), land("Ann", 12), roll("Bob", 1, 5), land("Bob", 14)]
    report = audit(ledger, tmp_path, *facts)
    assert omitted(report) == []
    assert report.exact


def test_an_option_of_a_record_with_options_says_which(ledger: Ledger, tmp_path: Path) -> None:
    facts = [roll("Ann", 5, 6), land("Ann", 12), roll("Bob", 1, 5), land("Bob", 14)]
    report = audit(ledger, tmp_path, *facts, option("Bob", 14))
    assert omitted(report) == [("option", "Ann", {"square": 12, "after": []}, "X.1@1")]


def test_growth_and_landings_are_omitted(ledger: Ledger, tmp_path: Path) -> None:
    report = audit(
        ledger,
        tmp_path,
        *(roll("Bob", 6, 5), land("Bob", 19), roll("Bob", 1, 2), land("Bob", 2)),
        {"kind": "board-growth", "board_size": 22},
        *(roll("Cy", 6, 4), roll("Cy", 2, 6), land("Cy", 5)),
    )
    assert omitted(report) == [
        ("land", "Cy", 19, "VI.1@1"),
        ("board-growth", "game", 24, "V.8@1"),
    ]


def test_a_fact_that_stands_twice_is_named_with_both_lines(ledger: Ledger, tmp_path: Path) -> None:
    rolled = [roll("Ann", 1, 2), land("Ann", 4), rent("Ann", 4, 12, "Bob")]
    report = audit(ledger, tmp_path, *rolled, rent("Ann", 4, 12, "Bob"))
    first = len(OPENING) + 3
    assert [(each.kind, each.line, each.of) for each in report.repeated] == [
        ("rent", first + 1, first)
    ]
    assert not report.exact


def test_a_difference_names_its_line_its_visitor_and_its_square(
    ledger: Ledger, tmp_path: Path
) -> None:
    facts = [roll("Ann", 1, 2), land("Ann", 4), rent("Ann", 4, 16, "Bob")]
    [found] = audit(ledger, tmp_path, *facts).divergences
    assert (found.subject, found.who, found.where) == ("Bob", "Ann", 4)
    assert found.line == len(OPENING) + 3


@pytest.mark.slow
@pytest.mark.parametrize("week", [1, 2, 3, 4, 5])
def test_the_season_omits_nothing_and_repeats_nothing(season_file: Path, week: int) -> None:
    with Ledger.open(season_file) as ledger:
        report = replay(ledger, SEASON, week)
    assert (report.omitted, report.repeated) == ((), ())


def test_a_period_without_a_record_is_not_called_exact(ledger: Ledger, tmp_path: Path) -> None:
    path = written(tmp_path, roll("Ann", 1, 1), land("Ann", 3))
    later = {"week": WEEK + 2, "kind": "excerpt-ends", "note": "the week between is lost"}
    path.write_text(path.read_text() + json.dumps(later) + "\n")
    report = replay(ledger, import_record(ledger, path).name, WEEK + 1)
    assert not report.has_record
    assert not report.exact


def test_the_exit_code_agrees_with_the_words(tmp_path: Path) -> None:
    where, runner = str(tmp_path / "g.db"), CliRunner()
    path = written(tmp_path, roll("Ann", 1, 2), land("Ann", 4))
    assert runner.invoke(program, ["import", where, str(path)]).exit_code == 0
    found = runner.invoke(program, ["replay", where, "--period", str(WEEK)])
    assert "rent of Ann is omitted: by the rules 12 (X.3@1)" in found.output
    assert "nothing differs" not in found.output
    assert found.exit_code == 1
    shown = runner.invoke(program, ["replay", where, "--period", str(WEEK), "--json"])
    [listed] = json.loads(shown.output)["omitted"]
    assert list(listed) == ["event", "kind", "subject", "by_rules", "rule"]


def test_an_unexplained_fact_is_not_success(tmp_path: Path) -> None:
    where, runner = str(tmp_path / "g.db"), CliRunner()
    path = written(tmp_path, {"kind": "sneeze", "player": "Ann"})
    assert runner.invoke(program, ["import", where, str(path)]).exit_code == 0
    found = runner.invoke(program, ["replay", where, "--period", str(WEEK)])
    assert "nothing differs" not in found.output
    assert found.exit_code == 1
    assert any(isinstance(x.body, FactRecorded) for x in Ledger.open(where).read("r"))


def test_a_line_that_equals_the_one_before_it_is_perhaps_said_twice(
    ledger: Ledger, tmp_path: Path
) -> None:
    report = audit(ledger, tmp_path, roll("Ann", 2, 3), roll("Ann", 2, 3), land("Ann", 11))
    first = len(OPENING) + 1
    assert [(x.kind, x.line, x.of, x.certain) for x in report.repeated] == [
        ("roll", first + 1, first, False)
    ]
    assert not report.exact


def test_equal_lines_with_places_of_their_own_are_two_facts(ledger: Ledger, tmp_path: Path) -> None:
    rolls = [roll("Ann", 2, 3) | {"text_order": order} for order in (1, 2)]
    assert audit(ledger, tmp_path, *rolls, land("Ann", 11)).repeated == ()


def test_a_rent_after_the_next_roll_says_where_it_belongs(ledger: Ledger, tmp_path: Path) -> None:
    facts = [roll("Ann", 1, 2), land("Ann", 4), roll("Bob", 1, 3)]
    facts += [rent("Ann", 4, 12, "Bob"), land("Bob", 12)]
    report = audit(ledger, tmp_path, *facts)
    [found] = report.divergences
    first = len(OPENING) + 1
    assert (found.line, found.belongs_after) == (first + 3, first)
    assert omitted(report) == []


def test_a_rent_that_names_another_payer_is_a_difference(ledger: Ledger, tmp_path: Path) -> None:
    facts = [roll("Ann", 1, 2), land("Ann", 4), rent("Cy", 4, 12, "Bob")]
    [found] = audit(ledger, tmp_path, *facts).divergences
    assert (found.what, found.recorded, found.by_rules) == ("other party to rent", "Cy", "Ann")
    world = Game(ledger, "r").world
    assert [world.balance(name, "$") for name in ("Ann", "Bob", "Cy")] == [10000, 10012, 9988]


def test_two_landings_after_one_roll_leave_the_first_as_it_is(
    ledger: Ledger, tmp_path: Path
) -> None:
    report = audit(ledger, tmp_path, roll("Ann", 1, 2), land("Ann", 4), land("Ann", 9))
    line = len(OPENING) + 3
    assert [(d.line, d.recorded, d.by_rules) for d in report.divergences] == [(line, 9, 4)]
