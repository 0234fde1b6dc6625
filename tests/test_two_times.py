"""A period as it was published, and as it is known at any time since."""

import csv
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner
from tiers import sample

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.engine.oracles import SeededOracle, recorded_draws
from nomoledger.engine.settlement.input_log import edited_event
from nomoledger.engine.settlement.ruling_validity import (
    edits_of,
    first_edited_event,
    rulings_in_force,
)
from nomoledger.engine.settlement.timeline import Timeline
from nomoledger.errors import UnknownError, UsageError
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView, projection
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.game.start import open_game
from nomoledger.language.host import Oracle
from nomoledger.ledger.as_of import as_of, world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.state.world import World
from nomoledger.views.site import render_site
from nomoledger.views.site.outline import outline_of
from nomoledger.views.site.public_view import public_entries
from nomoledger_projections.balances import balances
from nomoledger_projections.board import board
from nomoledger_projections.rules_in_force import rules
from nomoledger_projections.standings import standings
from nomoledger_projections.standings_by_period import standings_by_period
from nomoledger_projections.standings_history import standings_history
from nomoledger_projections.state import state

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
MODELS = (standings, balances, board, rules, state)
NAMES = ("Ann", "Bob", "Cid")
TABLES = ("attributes", "balances", "entities", "kinds", "rules")


def ruled(desk: Game, number: int, value: Any) -> None:
    """Event *number* should have been *value*, all that comes of it."""
    desk.rule_on("replace", "misread", edits=(e.Replaced(event=number, value=value),), settle="all")


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    """Five weeks of a real season; then a landing of week 3 is put right, in week 6."""
    with Ledger.open(tmp_path_factory.mktemp("season") / "s.db", create=True) as ledger:
        desk = import_record(ledger, find("weekly-vote-season"))
        ruled(desk, 496, {"square": 20})
        yield desk


@pytest.fixture
def mail(tmp_path: Path) -> Iterator[Game]:
    """A game of three players with dice of its own."""
    with Ledger.open(tmp_path / "g.db", create=True) as ledger:
        desk = open_game(ledger, "g", load("mail-opening"), at=NOON, secret=b"s" * 32)
        for name in NAMES:
            desk.join(name, {"email": name}, at=NOON)
        yield desk


def money(desk: Game, period: int, known: int | None = None) -> dict[str, Any]:
    """What each player had, and their rank."""
    found = standings(LedgerView(desk.ledger, desk.name, period, known=known))
    return {each.player: (each.money, each.rank) for each in found.standings}


# --- which reading -------------------------------------------------------------------------------


def test_a_period_is_as_it_is_known_now_unless_somebody_asks_otherwise(season: Game) -> None:
    assert money(season, 3)["The Founder"] == (9850, 3)
    assert money(season, 3, 6)["The Founder"] == (9850, 3)
    for known in (3, 4, 5):
        assert money(season, 3, known)["The Founder"] == (9770, 4)


def test_a_period_that_no_ruling_touches_is_one_thing(season: Game) -> None:
    assert money(season, 2) == money(season, 2, 2)
    now, then = (LedgerView(season.ledger, season.name, 2, known=k) for k in (None, 2))
    assert (
        now.world.digest() == then.world.digest() == as_of(season.ledger, season.name, 2).digest()
    )


def test_all_read_models_follow(season: Game) -> None:
    now, then = (LedgerView(season.ledger, season.name, 3, known=k) for k in (None, 3))
    owners = [{x.square: x.owner for x in board(each).squares} for each in (now, then)]
    assert (owners[0][8], owners[1][8]) == (None, "The Founder")
    accounts = [balances(each).accounts["The Founder"]["$"] for each in (now, then)]
    assert accounts == [9850, 9770]
    assert [state(each).squares["8"]["owner"] for each in (now, then)] == [None, "The Founder"]


def test_the_rules_of_a_period_are_as_a_ruling_made_them(mail: Game) -> None:
    mail.propose("Ann", "Start with less", changes=(_less(),), at=NOON)
    verdict = mail.judge(1, "rejected", at=NOON).events[0]
    number = next(x.number for x in mail.ledger.read("g") if x.body == verdict)
    mail.close(at=NOON)
    ruled(mail, number, "accepted")
    now, then = (LedgerView(mail.ledger, "g", 1, known=known) for known in (None, 1))
    given = [_rule(rules(each), "IV.1") for each in (now, then)]
    assert [each.parameters for each in given] == [
        {"starting_money": 900},
        {"starting_money": 1000},
    ]
    assert [each.history[-1].source for each in given] == ["ruling 1", "rulebook"]
    assert mail.world.rulings[1][1] == given[0].history[-1].event


def _less() -> Any:
    from nomoledger.events.rules import Amend

    return Amend("IV.1", parameters={"starting_money": 900})


def _rule(found: Any, number: str) -> Any:
    return next(each for each in found.rules if each.number == number)


@pytest.mark.parametrize(
    ("period", "known", "error", "said"),
    [
        (3, 2, UsageError, "period 3 was not over at the close of period 2"),
        (3, 7, UnknownError, "there is no period 7; it is in period 6"),
        (9, None, UnknownError, "there is no period 9"),
        (0, 3, UnknownError, "there is no period 0"),
        (6, 6, UsageError, "period 6 is not closed"),
        (None, 3, UsageError, "was not over"),
    ],
)
def test_nonsense_is_refused(
    season: Game, period: int | None, known: int | None, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        LedgerView(season.ledger, season.name, period, known=known)


# --- both readings at once -----------------------------------------------------------------------


def test_the_history_shows_both_readings_where_they_differ(season: Game) -> None:
    found = standings_history(LedgerView(season.ledger, season.name))
    table = next(iter(found.show()))
    rows = {row[0]: row[1:] for row in table.rows}  # type: ignore[union-attr]
    assert rows["The Founder"][2:] == (
        "9770 (4) → 9850 (3), ruling 7",
        "9755 (4) → 9853 (3), ruling 7",
        "9531 (5) → 9898 (1), ruling 7",
        "9898 (1)",
    )
    assert rows["Penelope"][3:] == ("9906 (1)", "9846 (1) → 9846 (2), ruling 7", "9846 (2)")


def test_each_reading_of_the_history_is_what_its_own_standings_say(season: Game) -> None:
    history = standings_history(LedgerView(season.ledger, season.name))
    for period in history.periods[:-1]:
        weeks = {
            x.player: week for x in history.players for week in x.weeks if week.period == period
        }
        known = {name: (w.known.money, w.known.rank) for name, w in weeks.items() if w.known}
        was = {
            name: (w.published.money, w.published.rank) for name, w in weeks.items() if w.published
        }
        assert (known, was) == (money(season, period), money(season, period, period))


def test_standings_over_the_periods_can_be_had_both_ways(season: Game) -> None:
    view = LedgerView(season.ledger, season.name)
    for published in (False, True):
        found = standings_by_period(view, published=published)
        for period in (1, 3, 5):
            places = {
                course.player: (place.money, place.rank)
                for course in found.players
                for place in course.places
                if place.period == period
            }
            assert places == money(season, period, period if published else None)


def test_the_sheet_has_a_row_a_player_and_period(season: Game) -> None:
    sheet = standings_history(LedgerView(season.ledger, season.name)).sheet()
    assert ("The Founder", "3", "no", "no", "4", "9770", "3", "9850", "7") in sheet.rows
    assert ("The Founder", "2", "no", "no", "6", "9850", "6", "9850", "") in sheet.rows


def test_a_dispute_marks_its_week_and_all_later_ones(mail: Game) -> None:
    for _ in range(3):
        mail.close(at=NOON)
    mail.receive(e.DisputeOpened, at=NOON, by="Ann", number=1, disputed=2, text="I rolled a 5")
    history = standings_history(LedgerView(mail.ledger, "g"))
    assert history.disputed == (2, 3, 4)
    assert next(iter(history.show())).columns == (  # type: ignore[union-attr]
        "player", "1", "2 (disputed)", "3 (disputed)", "4 (open, disputed)"
    )  # fmt: skip
    assert "shaded: disputed" in _texts(history.drawn("svg"))
    mail.rule_on("uphold", "it was a 4", about=5, closes=1, at=NOON)
    assert standings_history(LedgerView(mail.ledger, "g")).disputed == ()


def test_the_chart_rings_what_was_published_otherwise(season: Game) -> None:
    history = standings_history(LedgerView(season.ledger, season.name))
    svg = history.drawn("svg")
    assert svg == history.drawn("svg")
    assert "rings: as published" in _texts(svg)
    assert history.drawn("png").startswith(b"\x89PNG")


def _texts(svg: bytes) -> str:
    return " ".join(x.text or "" for x in ElementTree.fromstring(svg).iter())


# --- what holds whatever is played ----------------------------------------------------------------


def weeks_of(desk: Game, seed: int, published: dict[int, list[bytes]]) -> None:
    """Four weeks, with rulings on dice and verdicts of any week in between."""
    chance = random.Random(seed)
    for week in range(1, 5):
        for name in chance.sample(NAMES, 2):
            id = f"{week}-{name}-of-{seed}"  # the dice hang on ids: another seed, other dice
            made = desk.propose(name, "Nothing", (), at=NOON, id=id).events[0]
            assert isinstance(made, e.ProposalMade)
            verdict = chance.choice(["accepted", "rejected"])
            desk.judge(made.number, verdict, at=NOON, id=f"verdict-{id}")
            for offer in desk.world.kinds.get("offer", ()):
                of = desk.world.attributes[offer]
                if chance.random() < 0.7:
                    square = desk.world.label(of["square"])
                    desk.submit(desk.world.label(of["player"]), "buy", {"square": square}, at=NOON)
        desk.close(at=NOON)
        published[week] = told(desk, week, None)
        for _ in range(chance.randint(0, 2)):
            rule_somehow(desk, chance)


def rule_somehow(desk: Game, chance: random.Random) -> None:
    """Another die, somewhere; or a ruling is overruled, unless two would then be about one die."""
    holding = [each.number for each in rulings_in_force(desk.world)]
    if holding and chance.random() < 0.3:
        one = chance.choice(holding)
        with suppress(UsageError):
            desk.rule_on("replace", "not so", overrules=(one,), settle="all", at=NOON)
        return
    dice = [x.number for x in desk.ledger.read("g") if isinstance(x.body, e.DrawRecorded)]
    taken = {edited_event(edit) for edit in edits_of(rulings_in_force(desk.world))}
    if free := [each for each in dice if each not in taken]:
        value = [chance.randint(1, 6), chance.randint(1, 6)]
        edits = (e.Replaced(event=chance.choice(free), value=value),)
        desk.rule_on("replace", "misread", edits=edits, settle="all", at=NOON)


def told(desk: Game, period: int, known: int | None) -> list[bytes]:
    """Every read model of *period*."""
    view = LedgerView(desk.ledger, "g", period, known=known)
    return [msgspec.json.encode(model(view), enc_hook=str) for model in MODELS]


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(3), 1))
def test_what_was_published_never_changes(mail: Game, seed: int) -> None:
    published: dict[int, list[bytes]] = {}
    weeks_of(mail, seed, published)
    assert [told(mail, period, period) for period in published] == list(published.values())


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(3), 1))
def test_what_is_known_is_what_play_would_have_come_to(mail: Game, seed: int) -> None:
    weeks_of(mail, seed, {})
    for known in (3, None):
        for period in range(1, (known or 4) + 1):
            found = LedgerView(mail.ledger, "g", period, known=known).world
            rulings = rulings_in_force(
                world_of(mail.ledger, "g") if known is None else _at(mail, known)
            )
            assert _tables(found) == _tables(_followed(mail, period, rulings)), (period, known)


def _at(desk: Game, period: int) -> World:
    return as_of(desk.ledger, "g", period)


def _followed(desk: Game, period: int, rulings: list[e.RulingMade]) -> World:
    """Play up to the close of *period*, had *rulings* held from the start."""
    upto = as_of(desk.ledger, "g", period).head
    entries = list(desk.ledger.read("g", upto=upto))
    edits = [each for each in edits_of(rulings) if (edited_event(each) or 0) <= upto]
    first = first_edited_event(desk.world)
    course = Timeline(
        entries,
        edits,
        since=None if first is None else min(first, upto),
        oracle=_thrown(desk, rulings),
        secret=desk.ledger.secret("g"),
    )
    for _ in course.run():
        pass
    return course.world


def _thrown(desk: Game, rulings: list[e.RulingMade]) -> Oracle:
    """The dice, with those that were first thrown for a ruling as *rulings* on them have it."""
    bodies = {entry.number: entry.body for entry in desk.ledger.read("g")}
    edited = recorded_draws(desk.ledger.read("g"))
    for edit in edits_of(rulings):
        if isinstance(edit, e.Replaced) and isinstance(die := bodies[edit.event], e.DrawRecorded):
            edited[die.answers] = edit.value
    dice = SeededOracle(desk.ledger.secret("g"))
    return lambda question: edited.get(question.question) or dice(question)


def _tables(world: World) -> list[Any]:
    return [_plain(getattr(world, name)) for name in TABLES]


def _plain(value: Any) -> Any:
    """*value* without what is nothing: empty tables, and amounts of 0."""
    if not isinstance(value, dict):
        return value
    found = {key: _plain(each) for key, each in value.items()}
    return {key: each for key, each in found.items() if each not in ({}, (), 0)}


@pytest.mark.slow
def test_the_site_shows_what_a_week_was_corrected_to(season: Game) -> None:
    public = list(public_entries(season.ledger, season.name))
    periods = outline_of(season.name, public).periods
    found = {period.number: period.corrected for period in periods if period.corrected}
    assert list(found) == [3, 4, 5]
    assert found[3].rulings == (7,)
    pages = render_site(season.ledger, season.name)
    for period in (2, 3, 4, 5):
        page = pages[f"period-{period}/standings.html"]
        assert ("as it is known now: corrected by" in page) == (period > 2)
        rows = re.findall(r'<td class="number rank">(\d+).*?<bdi>(.*?)</bdi>.*?>([\d.]+)</a>', page)
        shown = {name: (amount, rank) for rank, name, amount in rows}
        known = money(season, period).items()
        assert shown == {name: (str(amount), str(rank)) for name, (amount, rank) in known}


# --- the command line --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(season: Game, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The season in a file that nobody has open."""
    from nomoledger.game.exchange import export_ledger, import_ledger

    folder = tmp_path_factory.mktemp("cli")
    with (folder / "s.jsonl").open("wb") as target:
        export_ledger(season.ledger, target, [season.name])
    with Ledger.open(folder / "s.db", create=True) as ledger, (folder / "s.jsonl").open("rb") as f:
        import_ledger(ledger, f)
    return str(folder / "s.db")


def run(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(program, words)
    return found.exit_code, found.output


@pytest.mark.parametrize("command", ["standings", "board", "balances", "state", "rules"])
def test_commands_say_that_a_period_was_corrected(file: str, command: str) -> None:
    code, now = run(command, file, "--period", "3")
    assert code == 0
    assert now.endswith("period 3 as corrected by ruling 7; as it was published: --as-published\n")
    then = run(command, file, "--period", "3", "--as-published")
    assert "corrected" not in then[1]
    assert then == run(command, file, "--period", "3", "--as-known", "4")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--as-published"], "name it with --period"),
        (["--as-known", "3"], "name it with --period"),
        (["--period", "3", "--as-known", "4", "--as-published"], "give one"),
        (["--period", "6", "--as-published"], "period 6 is not closed"),
        (["--history", "--all"], "--history excludes --all"),
        (["--history", "--as-published"], "--history excludes --all"),
    ],
)
def test_the_command_line_refuses_nonsense_in_one_line(
    file: str, words: list[str], said: str
) -> None:
    code, output = run("standings", file, *words)
    assert (code, output.count("\n")) == (2, 1)
    assert said in output


def test_the_history_is_a_table_json_csv_and_a_picture(file: str, tmp_path: Path) -> None:
    picture = tmp_path / "s.svg"
    code, table = run("standings", file, "--history", "--chart", str(picture))
    assert code == 0
    assert {"9531", "9898", "ruling", "→"} <= set(table.split())
    assert max(map(len, table.splitlines())) <= 80
    assert "rings: as published" in _texts(picture.read_bytes())
    found = msgspec.json.decode(run("standings", file, "--history", "--json")[1])
    founder = next(each for each in found["players"] if each["player"] == "The Founder")
    assert founder["weeks"][4] == {
        "period": 5,
        "published": {"rank": 5, "money": 9531, "squares": 3},
        "known": {"rank": 1, "money": 9898, "squares": 1},
        "rulings": [7],
    }
    rows = list(csv.DictReader(run("standings", file, "--history", "--csv")[1].splitlines()))
    assert {row["$ published"] for row in rows if row["player"] == "Jamie"} >= {"9789", "9816"}


def test_the_history_as_known_earlier_knows_nothing_of_later_rulings(file: str) -> None:
    _, then = run("standings", file, "--history", "--as-known", "5")
    assert "ruling" not in then
    assert "(open)" not in then
    _, all_ = run("standings", file, "--all", "--as-published")
    assert "9531 (5)" in all_


def test_every_installed_projection_is_found() -> None:
    assert projection("standings_history") is standings_history
