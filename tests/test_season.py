"""The real season, weeks 1 to 5: what the audit confirms, and the six mistakes of the record."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tiers import sample, sample_rows

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import RecordError
from nomoledger.game import recorded_games as replays
from nomoledger.game.records import import_record
from nomoledger.game.replay import Divergence, Report, replay
from nomoledger.ledger.as_of import as_of, world_of
from nomoledger.ledger.ledger import Ledger

SEASON = "weekly-vote-season"
WEEKS = (1, 2, 3, 4, 5)

#: Per week: of whom, what, as recorded, by the rules, by which rule.
MISTAKES: dict[int, list[tuple[str, str, Any, Any, str]]] = {
    1: [("Jamie", "square", 3, 1, "VI.1@1")],
    2: [],
    3: [("The Founder", "square", 1, 20, "VI.1@1")],
    4: [
        ("Woll", "square", 21, 22, "VI.1@1"),
        ("Cypher", "rent", 48, 54, "X.3@1"),
        ("Cypher", "rent", 48, 54, "X.3@1"),
        ("Cypher", "rent", 48, 54, "X.3@1"),
    ],
    5: [],
}
COMPARED = {1: 11, 2: 25, 3: 38, 4: 40, 5: 41}


@pytest.fixture(scope="module")
def season(season_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger with the season in it; nothing may write to it."""
    folder = tmp_path_factory.mktemp("season")
    with Ledger.open(shutil.copy(season_file, folder / "season.db")) as ledger:
        yield ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


@pytest.fixture
def imported(season_file: Path, tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with the season in it, to be written to."""
    with Ledger.open(shutil.copy(season_file, tmp_path / "season.db")) as opened:
        yield opened


def told(divergence: Divergence) -> tuple[str, str, Any, Any, str]:
    d = divergence
    return d.subject, d.what, d.recorded, d.by_rules, d.rule


def outcomes(ledger: Ledger, game: str = SEASON) -> Counter[tuple[str, str]]:
    """How many facts of each kind are confirmed, differ, or are unexplained."""
    kinds: dict[int, str] = {}
    found: Counter[tuple[str, str]] = Counter()
    for entry in ledger.read(game):
        body = entry.body
        if isinstance(body, e.FactRecorded):
            kinds[entry.number] = body.kind
        elif isinstance(body, e.FactConfirmed | e.RecordPrevailed | e.FactUnexplained):
            found[kinds[body.fact], type(body).__name__] += 1
    return found


def facts_of(path: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if "kind" in line]


def in_folder(folder: Path, *weeks: int, header: bool = True) -> Path:
    """The lines of those weeks, in a file of its own beside the rules."""
    if not (folder / SEASON).exists():
        shutil.copytree(replays.folder() / SEASON, folder / SEASON)
    first, *lines = replays.find(SEASON).read_text().splitlines()
    kept = [line for line in lines if json.loads(line)["week"] in weeks]
    path = folder / f"weeks-{weeks[0]}-{weeks[-1]}.jsonl"
    path.write_text("\n".join([first, *kept] if header else kept) + "\n")
    return path


# --- what the audit finds -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("week", WEEKS)
def test_each_week_has_exactly_its_known_mistakes(season: Ledger, week: int) -> None:
    report = replay(season, SEASON, week)
    assert report.mode == "audit"
    assert [told(each) for each in report.divergences] == MISTAKES[week]
    assert report.compared == COMPARED[week]
    assert report.exact == (not MISTAKES[week])


@pytest.mark.slow
def test_a_mistake_leaves_no_consequences_of_the_wrong_square(season: Ledger) -> None:
    follows = [
        told(later)
        for week in WEEKS
        for each in replay(season, SEASON, week).divergences
        for later in each.follows
    ]
    assert follows == []
    offers = [
        entry.body for entry in season.read(SEASON) if isinstance(entry.body, e.EntityCreated)
    ]
    woll = [
        x.attributes["square"]
        for x in offers
        if (x.kind, x.attributes.get("player")) == ("offer", "Woll")
    ]
    numbers = [world_of(season, SEASON).label(square) for square in woll]
    assert 21 in numbers
    assert 22 not in numbers


@pytest.mark.slow
def test_one_trade_is_the_only_unexplained_fact(season: Ledger) -> None:
    unexplained = [each for week in WEEKS for each in replay(season, SEASON, week).unexplained]
    assert [(each.kind, each.why) for each in unexplained] == [
        ("trade", "Draven owns 16 and 20 under the name Draven Corp.")
    ]


def test_every_other_fact_is_confirmed(season: Ledger) -> None:
    assert outcomes(season) == {
        ("land", "FactConfirmed"): 64,
        ("land", "RecordPrevailed"): 3,
        ("option", "FactConfirmed"): 26,
        ("rent", "FactConfirmed"): 17,
        ("rent", "RecordPrevailed"): 3,
        ("buy", "FactConfirmed"): 19,
        ("name", "FactConfirmed"): 12,
        ("board-growth", "FactConfirmed"): 7,
        ("hot-potato", "FactConfirmed"): 2,
        ("health", "FactConfirmed"): 1,
        ("trade", "FactConfirmed"): 1,
        ("trade", "FactUnexplained"): 1,
    }


def test_the_rules_pay_no_rent_that_is_not_recorded(season: Ledger) -> None:
    bodies = [entry.body for entry in season.read(SEASON)]
    paid = [x for x in bodies if isinstance(x, e.Posted) and x.why.startswith("rent on")]
    recorded = [x for x in bodies if isinstance(x, e.FactRecorded) and x.kind == "rent"]
    assert [x.why for x in paid] == [f"rent on {x.fields['square']}" for x in recorded]
    assert len(paid) == 20


def test_recorded_facts_equal_the_published_ones(season: Ledger) -> None:
    stored = [x.body for x in season.read(SEASON) if isinstance(x.body, e.FactRecorded)]
    published = facts_of(replays.find(SEASON))
    kept = [(x.period, x.kind, x.fields) for x in stored if x.kind != "period-ends"]
    assert kept == [
        (
            fact["week"],
            fact["kind"],
            {k: v for k, v in fact.items() if k not in ("week", "text_order", "sub", "kind")},
        )
        for fact in published
    ]
    assert Counter(fact["kind"] for fact in published)["roll"] == 67


# --- how things stand afterwards ----------------------------------------------------------------


def test_the_board_after_three_weeks_equals_the_published_one(season: Ledger) -> None:
    world = as_of(season, SEASON, 3)
    names = {world.label(x): world.get(x, "name") for x in world.kinds["square"]}
    assert (names[4], names[16], names[17]) == ("Square #18", "Draven Corp.", "Planet Express")
    assert world.balance("Draven", "lucky donut") == 1


def test_the_state_after_five_weeks_equals_the_published_one(season: Ledger) -> None:
    world = world_of(season, SEASON)
    assert len(world.kinds["square"]) == 34
    owners = {world.label(x): world.get(x, "owner") for x in world.kinds["square"]}
    assert (owners[12], owners[17]) == ("ChocolateChip", "Cypher")
    assert (owners[16], owners[20], owners[21]) == ("Draven", "Draven", "Draven")
    assert (owners[26], owners[33], owners[29]) == ("Woll", "Woll", "The Founder")
    assert world.balance("Woll", "health") == -1
    assert world.balance("The Founder", "health") == -5
    assert world.balance("The Founder", "sprinkles donut") == 1
    assert (world.get("Cypher", "color"), world.balance("Cypher", "yellow paint")) == ("blue", 1)
    assert world.balance("Cypher", "blue paint") == 0
    assert world.balance("Jamie", "First Aid Kit") == 1
    assert (world.get("ChocolateChip", "fare"), world.get("The Founder", "fare")) == (50, 100)


def test_rents_are_posted_as_recorded(season: Ledger) -> None:
    """Cypher is paid 48 and not 54, and whoever paid has the rest back."""
    corrections = [
        {posting.account: posting.amount for posting in x.body.postings}
        for x in season.read(SEASON)
        if isinstance(x.body, e.Posted) and x.body.why == "as recorded"
    ]
    assert corrections == [
        {"Jamie": 6, "Cypher": -6},
        {"Draven": 6, "Cypher": -6},
        {"Penelope": 6, "Cypher": -6},
    ]


# --- a season that is changed is told to be -----------------------------------------------------


CHANGED = [
    (4, '"amount": 60', '"amount": 61', ("Draven", "rent", 61, 60, "X.3@1")),
    (5, '"board_size": 34', '"board_size": 35', ("game", "board-growth", 35, 34, "V.8@1")),
    (5, '"health": -1', '"health": -2', ("Woll", "hot-potato", -2, -1, "XIX.2@1")),
    (5, '"amount": -5', '"amount": -4', ("The Founder", "health", -4, -5, "XIX.3@1")),
    (
        4,
        '"queue": ["ChocolateChip", "Cypher"]',
        '"queue": ["Cypher", "ChocolateChip"]',
        ("ChocolateChip", "buy", ["Cypher", "ChocolateChip"], ["ChocolateChip", "Cypher"], "X.1@1"),
    ),
    (
        5,
        '"items": {"First Aid Kit": 1, "purple paint": 1}',
        '"items": {"Jetpack": 1}',
        ("Jamie", "shop", "done", "refused: the store does not sell that", "XVII.3@2"),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("week", "old", "new", "found"), sample_rows(CHANGED, 1))
def test_a_changed_fact_is_found(
    ledger: Ledger, tmp_path: Path, week: int, old: str, new: str, found: Any
) -> None:
    path = in_folder(tmp_path, *WEEKS)
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    game = import_record(ledger, path).name
    reports = {each: replay(ledger, game, each) for each in WEEKS}
    differ = {each: [told(d) for d in report.divergences] for each, report in reports.items()}
    assert found in differ[week]
    differ[week].remove(found)
    assert differ == MISTAKES


# --- the record comes in several files ----------------------------------------------------------


def reports(ledger: Ledger, game: str) -> list[Report]:
    return [replay(ledger, game, week) for week in WEEKS]


def told_of(report: Report) -> tuple[Any, ...]:
    found = [told(each) for each in report.divergences]
    return found, report.compared, [each.why for each in report.unexplained]


@pytest.mark.slow
@pytest.mark.parametrize("has_header", sample([False, True], 1))
def test_a_record_continues_in_a_second_file(
    season: Ledger, ledger: Ledger, tmp_path: Path, has_header: bool
) -> None:
    import_record(ledger, in_folder(tmp_path, 1, 2, 3))
    second = in_folder(tmp_path, 4, 5, header=False)
    if has_header:
        second.write_text('{"record": 1, "source": "a notebook"}\n' + second.read_text())
    desk = import_record(ledger, second)
    assert (desk.name, desk.world.period) == (SEASON, 6)
    whole = [told_of(report) for report in reports(season, SEASON)]
    assert [told_of(report) for report in reports(ledger, SEASON)] == whole
    assert outcomes(ledger) == outcomes(season)
    first, last = world_of(season, SEASON), world_of(ledger, SEASON)
    assert first.balances == last.balances
    assert first.game["now"] == last.game["now"]


def test_a_second_file_of_facts_uses_the_rules_in_force(imported: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "week-6.jsonl"
    lines: list[dict[str, Any]] = [
        {"kind": "roll", "player": "Jamie", "dice": [1, 2]},
        {"kind": "land", "player": "Jamie", "square": 18},
        {"kind": "rent", "player": "Jamie", "square": 18, "amount": 54, "payee": "Cypher"},
        {"kind": "lottery", "player": "Woll", "tickets": 3},
        {"kind": "roll", "player": "Woll", "dice": [1, 1]},
        {"kind": "land", "player": "Woll", "square": 2},
        {"kind": "roll", "player": "Woll", "dice": [3, 4]},
        {"kind": "land", "player": "Woll", "square": 9},
        {"kind": "option", "player": "Woll", "square": 9},
        {"kind": "excerpt-ends"},
    ]
    path.write_text("".join(json.dumps({"week": 6} | line) + "\n" for line in lines))
    game = import_record(imported, path)
    report = replay(imported, game.name, 6)
    assert [told(each) for each in report.divergences] == [("Woll", "square", 2, 1, "VI.1@1")]
    assert [each.why for each in report.unexplained] == ["no rule in force speaks of 'lottery'"]
    assert report.compared == 5
    assert len(game.world.kinds["square"]) == 36


def test_a_second_file_may_enact_rules_and_name_its_open_period(
    ledger: Ledger, tmp_path: Path
) -> None:
    import_record(ledger, in_folder(tmp_path, 1, 2))
    path = tmp_path / "more.jsonl"
    amendment = {"amend": "VIII.1", "parameters": {"turns_a_week": 2}}
    path.write_text(
        json.dumps({"open": True, "start": "2001-03-05"})
        + "\n"
        + json.dumps({"week": 3, "rules": [amendment], "basis": "inferred"})
    )
    world = import_record(ledger, path).world
    rule = world.rule("VIII.1")
    assert rule is not None
    assert rule.parameters == {"turns_a_week": 2}
    assert world.period == 3


def test_a_rules_line_may_change_the_fact_mapping(imported: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "more.jsonl"
    amendment = {"amend": "X.3", "facts": {"tax": {"note": True}}}
    lines: list[dict[str, Any]] = [{"rules": [amendment]}, {"kind": "tax"}, {"kind": "rent"}]
    path.write_text("".join(json.dumps({"week": 6} | line) + "\n" for line in lines))
    import_record(imported, path)
    report = replay(imported, SEASON, 6)
    assert [each.kind for each in report.unexplained] == ["rent"]


def test_a_week_that_waits_for_two_things_closes_once(imported: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "more.jsonl"
    path.write_text(
        '{"week": 6, "kind": "roll", "player": "ChocolateChip", "dice": [2, 2]}\n'
        '{"week": 6, "kind": "land", "player": "ChocolateChip", "square": 20}\n'
        '{"week": 7, "kind": "excerpt-ends"}\n'
    )
    assert import_record(imported, path).world.period == 8
    (found,) = replay(imported, SEASON, 6).divergences
    assert [each.what for each in (found, *found.follows)] == ["take_donut", "take_move"]


@pytest.mark.slow
def test_the_import_command_continues_with_a_second_file(tmp_path: Path) -> None:
    files = in_folder(tmp_path, 1, 2, 3), in_folder(tmp_path, 4, 5, header=False)
    where, runner = str(tmp_path / "season.db"), CliRunner()
    refused = runner.invoke(program, ["import", where, str(files[1])])
    assert refused.exit_code == 2
    assert "names no rulebook, and there is no game to continue" in refused.output
    for file in files:
        assert runner.invoke(program, ["import", where, str(file)]).exit_code == 0
    told = runner.invoke(program, ["replay", where, "--period", "4"])
    assert told.exit_code == 1
    assert "rent of Cypher: recorded 48, by the rules 54 (X.3@1)" in told.output
    assert runner.invoke(program, ["replay", where, "--period", "2"]).exit_code == 0
    assert runner.invoke(program, ["replay", where, "--period", "5"]).exit_code == 1


@pytest.mark.parametrize(
    ("line", "text"),
    sample_rows(
        [
            ('{"week": 5, "kind": "roll"', "more.jsonl:2: not a line of JSON"),
            ('["week", 6]', "more.jsonl:2: not a line of JSON"),
            ('{"kind": "roll", "player": "Woll"}', "more.jsonl:2: the line has no week"),
            ('{"week": "six", "kind": "roll"}', "more.jsonl:2: the line has no week"),
            ('{"week": 6, "player": "Woll"}', "more.jsonl:2: the line needs a kind"),
            ('{"week": 6, "kind": null}', "more.jsonl:2: the kind of a fact is a word"),
            ('{"week": 5, "kind": "roll"}', "more.jsonl:2: week 5 after week 6 began"),
            (
                '{"week": 6000000, "kind": "roll"}',
                "more.jsonl:2: week 6000000 is more than 100 weeks",
            ),
            ('{"week": 6, "rules": "none.md"}', "more.jsonl:2: the rules none.md: No such file"),
            ('{"week": 6, "rules": [{"repeal": "XX.9"}]}', "more.jsonl:2: there is no rule XX.9"),
            (
                '{"week": 6, "rules": [{"amend": "X.1"}]}',
                "more.jsonl:2: amend X.1: says nothing new",
            ),
            ('{"week": 6, "proposal": 7}', "more.jsonl:2: proposal 7 has been made already"),
            ('{"week": 6, "proposal": 70, "by": "Zoe"}', "more.jsonl:2: there is no player 'Zoe'"),
            (
                '{"week": 6, "proposal": 70, "by": "Woll", "verdict": "tied"}',
                "more.jsonl:2: a verdict is accepted or rejected, not 'tied'",
            ),
        ],
        3,
    ),
)
def test_a_bad_line_of_a_second_file_is_one_line_and_changes_nothing(
    imported: Ledger, tmp_path: Path, line: str, text: str
) -> None:
    head = imported.head(SEASON)
    path = tmp_path / "more.jsonl"
    path.write_text('{"week": 6, "kind": "excerpt-ends"}\n' + line + "\n")
    with pytest.raises(RecordError) as error:
        import_record(imported, path)
    assert str(error.value).startswith(text)
    assert "\n" not in str(error.value)
    assert imported.head(SEASON) == head


def test_a_fact_with_a_rule_fault_is_listed_and_play_goes_on(
    imported: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "odd.jsonl"
    lines: list[dict[str, Any]] = [
        {"kind": "purchase", "player": "Woll", "items": 5},
        {"kind": "roll", "player": "Jamie", "dice": [1, 2]},
        {"kind": "land", "player": "Jamie", "square": 18},
    ]
    path.write_text("".join(json.dumps({"week": 6} | line) + "\n" for line in lines))
    import_record(imported, path)
    report = replay(imported, SEASON, 6)
    assert report.divergences == ()
    (noted,) = report.unexplained
    assert noted.why.startswith("a rule fails on it: rule XVII.2: week-4.md:")
    assert "\n" not in noted.why


def test_somebody_new_joins_by_a_rules_line(imported: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "week-6.jsonl"
    join = {"do": "join", "with": {"name": "Zed"}}
    lines: list[dict[str, Any]] = [
        {"rules": [join], "text": "Zed plays from week 6 on", "basis": "stated"},
        {"kind": "roll", "player": "Zed", "dice": [1, 2]},
        {"kind": "land", "player": "Zed", "square": 4},
    ]
    path.write_text("".join(json.dumps({"week": 6} | line) + "\n" for line in lines))
    import_record(imported, path)
    report = replay(imported, SEASON, 6)
    assert (report.divergences, report.unexplained) == ((), ())


@pytest.mark.parametrize(
    "fact",
    sample(
        [
            {"kind": "roll", "player": "Woll", "dice": 7},
            {"kind": "roll", "player": "Woll", "dice": [7, "x"]},
            {"kind": "roll", "player": {"name": "Woll"}, "dice": [1, 2]},
            {"kind": "roll"},
            {"kind": "land", "player": ["Woll"], "square": {}},
            {"kind": "option", "player": None, "square": [3]},
            {"kind": "rent", "player": "Woll", "payee": "Cypher", "square": 3, "amount": "much"},
            {"kind": "rent", "player": "Woll", "payee": [], "square": 3, "amount": 9},
            {"kind": "board-growth", "board_size": "large"},
            {"kind": "buy", "player": "Woll", "square": 99, "queue": ["Nobody"]},
            {"kind": "service", "player": "Woll", "detail": []},
            {"kind": "paint-self", "player": "Woll", "detail": "blue"},
            {"kind": "donut", "player": "Woll", "item": "glazed"},
            {"kind": "trade", "player": "Woll", "payee": "Woll", "gives": 3, "gets": None},
            {"kind": "health", "player": "Woll", "amount": None},
            {"kind": "hot-potato", "player": "Woll", "payee": "Zoe", "health": []},
        ],
        3,
    ),
)
def test_an_impossible_fact_is_listed(
    imported: Ledger, tmp_path: Path, fact: dict[str, Any]
) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(json.dumps({"week": 6} | fact) + "\n")
    import_record(imported, path)
    report = replay(imported, SEASON, 6)
    assert len(report.divergences) + len(report.unexplained) >= 1
