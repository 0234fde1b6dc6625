"""Weeks 6 to 8 of the real season: nothing differs, and what that confirms."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tiers import sample_rows

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.game import recorded_games as replays
from nomoledger.game.inferred_facts import count_confirmed, places_inferred_from
from nomoledger.game.records import import_record, read_record
from nomoledger.game.replay import Report, replay
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger

SEASON = "weekly-vote-season"
COMPARED = {6: 39, 7: 47, 8: 49}
FIRST, SECOND = replays.files(SEASON)
AMBIGUOUS = ("grease", "Draven owns 20 and 21 under the name Draven Corp.")


def continued(season_file: Path, folder: Path, old: str = "", new: str = "") -> Ledger:
    """The season in a new ledger, with weeks 6 to 8, in which *old* is replaced by *new*."""
    rules = folder / SEASON
    shutil.copytree(replays.folder() / SEASON, rules)
    text = SECOND.read_text("utf-8")
    assert text.count(old) == 1 or not old
    (rules / SECOND.name).write_text(text.replace(old, new) if old else text, "utf-8")
    ledger = Ledger.open(shutil.copy(season_file, folder / "season.db"))
    import_record(ledger, rules / SECOND.name)
    return ledger


@pytest.fixture(scope="module")
def season(season_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger with eight weeks in it; nothing may write to it."""
    with continued(season_file, tmp_path_factory.mktemp("season")) as ledger:
        yield ledger


def differing(report: Report) -> list[tuple[str, str]]:
    return [(each.subject, each.what) for each in report.divergences]


def line_with(text: str) -> str:
    (line,) = [line for line in SECOND.read_text("utf-8").splitlines() if text in line]
    return line + "\n"


@pytest.mark.parametrize("week", COMPARED)
def test_nothing_differs_in_any_of_these_weeks(season: Ledger, week: int) -> None:
    report = replay(season, SEASON, week)
    assert (report.compared, report.divergences) == (COMPARED[week], ())
    assert (report.omitted, report.repeated) == ((), ())
    unexplained = [(each.kind, each.why) for each in report.unexplained]
    assert unexplained == ([AMBIGUOUS] if week == 8 else [])


def test_the_facts_are_those_that_were_published(season: Ledger) -> None:
    lines = [line.fields for line in read_record(SECOND)[1] if "kind" in line.fields]
    kinds = Counter(line["kind"] for line in lines)
    assert len(lines) == 208
    assert (kinds["roll"], kinds["rent"], kinds["board-growth"], kinds["buy"]) == (54, 31, 9, 3)
    recorded = [each.body for each in season.read(SEASON) if each.body.period > 5]
    stored = [x for x in recorded if isinstance(x, e.FactRecorded) and x.kind != "period-ends"]
    assert [x.kind for x in stored] == [line["kind"] for line in lines]


def test_the_rules_pay_no_rent_that_is_not_recorded(season: Ledger) -> None:
    bodies = [each.body for each in season.read(SEASON) if each.body.period > 5]
    paid = [x.why for x in bodies if isinstance(x, e.Posted) and x.why.startswith("rent on")]
    rents = [x for x in bodies if isinstance(x, e.FactRecorded) and x.kind == "rent"]
    assert paid == [f"rent on {x.fields['square']}" for x in rents]


def test_how_things_stand_after_eight_weeks(season: Ledger) -> None:
    world = world_of(season, SEASON)
    assert (world.period, len(world.kinds["square"])) == (9, 52)
    owners = {world.label(x): world.get(x, "owner") for x in world.kinds["square"]}
    assert (owners[16], owners[26], owners[43]) == ("Woll", "The Founder", "Cypher")
    assert world.label("Penelope") == "Wonder"
    assert world.get("ChocolateChip", "transport") == "Car"


# --- what is confirmed ------------------------------------------------------------------------


def test_113_of_135_facts_are_confirmed_by_what_does_not_rest_on_them(season: Ledger) -> None:
    assert count_confirmed(season, SEASON, (FIRST, SECOND), since=6) == (135, 22)


def test_every_inferred_line_says_what_it_rests_on() -> None:
    first, second = (read_record(file)[1] for file in (FIRST, SECOND))
    lines = [line.fields for line in (*first, *second)]
    places = {(x["week"], x["text_order"], x["sub"]) for x in lines if "kind" in x}
    inferred = [line.fields for line in second if "rules" in line.fields]
    assert len(inferred) == 18
    for line in inferred:
        assert line["basis"] == "inferred"
        assert len(line["text"]) > 20
        assert line["rests_on"]
        assert {tuple(place) for place in line["rests_on"]} <= places


def test_facts_before_a_line_confirm_although_the_line_rests_on_them() -> None:
    behind = places_inferred_from(read_record(SECOND)[1])
    assert (8, 4, 2) in behind  # the block of 4 was inferred from this rest
    assert (7, 11, 2) not in behind  # an option that was recorded before anybody inferred from it


#: An inferred line, and the fact that it was inferred from: without the line, the fact differs.
NEEDED = [
    ("got 16: Draven pays Woll", 6, ("Woll", "rent")),
    ("the record ends in the painting of 11", 7, ("ChocolateChip", "rent")),
    ("a block of 4 of Woll in week 8", 8, ("Woll", "health")),
    ("a block of 3 of The Founder", 8, ("The Founder", "rent")),
    ("a block of 3 of ChocolateChip in week 8; its color", 8, ("ChocolateChip", "rent")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "week", "found"), sample_rows(NEEDED, 1))
def test_a_fact_that_rests_on_itself_differs_without_the_line(
    season_file: Path, tmp_path: Path, text: str, week: int, found: tuple[str, str]
) -> None:
    with continued(season_file, tmp_path, line_with(text)) as ledger:
        assert found in differing(replay(ledger, SEASON, week))


#: Facts that count as confirmed: altered, each is found.
CHANGED = [
    ('"sub": 2, "kind": "rent", "player": "The Founder", "square": 14, "amount": 294',
     '"sub": 2, "kind": "rent", "player": "The Founder", "square": 14, "amount": 168',
     8, ("Woll", "rent")),
    ('"squares": [51, 52], "board_size": 52', '"squares": [51], "board_size": 51',
     8, ("game", "board-growth")),
    ('"player": "Jamie", "square": 36, "square_label": "#36"',
     '"player": "Jamie", "square": 35, "square_label": "#36"', 7, ("Jamie", "square")),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new", "week", "found"), sample_rows(CHANGED, 1))
def test_a_confirmed_fact_is_found_when_it_is_altered(
    season_file: Path, tmp_path: Path, old: str, new: str, week: int, found: Any
) -> None:
    with continued(season_file, tmp_path, old, new) as ledger:
        assert found in differing(replay(ledger, SEASON, week))


# --- what fits in two ways --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("square", [20, 21])
def test_both_readings_of_the_ambiguous_fact_fit(
    season_file: Path, tmp_path: Path, square: int
) -> None:
    old, new = '["Draven", "Draven Corp."]}', f'["Draven", "#{square}"]}}'
    with continued(season_file, tmp_path, old, new) as ledger:
        report = replay(ledger, SEASON, 8)
        assert (report.compared, report.divergences, report.unexplained) == (50, (), ())
        world = world_of(ledger, SEASON)
        greased = [x for x in world.kinds["square"] if world.get(x, "greased")]
        assert sorted(map(world.label, greased)) == [19, square]


@pytest.mark.slow
def test_the_demo_counts_what_is_confirmed_and_tries_both_readings(tmp_path: Path) -> None:
    result = CliRunner().invoke(program, ["demo", "--ledger", str(tmp_path / "season.db")])
    assert result.exit_code == 0
    assert "135 facts compared; 22 of them confirm nothing" in result.output
    assert "113 are confirmed" in result.output
    for square in (20, 21):
        found = f"read as {square}: what differs is Draven Grease, square {square} greased\n"
        assert found in result.output


@pytest.mark.slow
def test_the_demo_can_stop_after_five_weeks(season_file: Path, tmp_path: Path) -> None:
    location = tmp_path / "season.db"
    words = ["demo", "--weeks", "5", "--ledger", str(location)]
    result = CliRunner().invoke(program, words)
    assert result.exit_code == 0
    assert "period 5: " in result.output
    assert "period 6: " not in result.output
    with Ledger.open(location) as ledger, Ledger.open(season_file) as whole:
        assert ledger.head(SEASON).number == whole.head(SEASON).number


def test_no_fact_of_the_record_is_lost_or_written_twice() -> None:
    places = [
        (line["week"], line["text_order"], line["sub"])
        for line in map(json.loads, SECOND.read_text("utf-8").splitlines()[1:])
        if "kind" in line
    ]
    assert len(set(places)) == len(places) == 208
    assert places == sorted(places)
