"""The path from `mail-opening` to `mail`: every week is replayed under the rules of that week."""

import json
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from path_plan import PLAN, PLAYERS, WEEKS
from tiers import sample

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.game import recorded_games
from nomoledger.game.exchange import import_ledger
from nomoledger.game.replay import replay
from nomoledger.ledger.as_of import as_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.change_check import check_changes
from nomoledger.rulebook.changes import parse_changes
from nomoledger.rulebook.loading import load
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

GAME = "mail-path"
FOLDER = recorded_games.folder() / GAME
PAGE = Path(__file__).parents[1] / "docs" / "mail-path.md"
LAST_CHANGE = 18
#: How many rules are in force at the end of a week.
IN_FORCE = {1: 28, 2: 30, 5: 41, 8: 70, 11: 103, 15: 163, 18: 182, WEEKS: 182}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger with the recorded game; nothing may write to it."""
    file = tmp_path_factory.mktemp("path") / "path.db"
    with Ledger.open(file, create=True) as ledger:
        with recorded_games.find(GAME).open("rb") as exported:
            import_ledger(ledger, exported)
        yield ledger


def rules_of(ledger: Ledger, week: int) -> dict[str, Rule]:
    return {rule.number: rule for rule in as_of(ledger, GAME, week).rules}


@cache
def proposals_of(ledger: Ledger) -> dict[str, e.ProposalMade]:
    """The proposals of the game, by what they say."""
    bodies = (entry.body for entry in ledger.read(GAME))
    return {body.text: body for body in bodies if isinstance(body, e.ProposalMade)}


# --- the record ---------------------------------------------------------------------------------


def test_the_record_is_as_it_was_written(path: Ledger) -> None:
    with recorded_games.find(GAME).open() as file:
        header = json.loads(next(file))
    verdict = path.verify(GAME)
    assert verdict.ok, verdict.detail
    assert (str(path.head(GAME)), verdict.records) == (header["head"], header["records"])


@pytest.mark.slow
@pytest.mark.parametrize("week", sample(range(1, WEEKS + 1), 3))
def test_each_week_is_replayed_exactly_under_its_own_rules(path: Ledger, week: int) -> None:
    report = replay(path, GAME, week)
    assert (report.mode, report.exact, report.divergences) == ("exact", True, ())
    assert report.compared == report.consequences > 0


def test_the_game_opened_under_mail_opening_and_no_ruling_changed_its_rules(path: Ledger) -> None:
    bodies = [entry.body for entry in path.read(GAME)]
    opened = bodies[0]
    assert isinstance(opened, e.GameOpened)
    assert opened.rulebook == "mail-opening"
    assert [body for body in bodies if isinstance(body, e.RulingMade)] == []
    sources = {
        body.source.partition(" ")[0]
        for body in bodies
        if isinstance(body, e.RuleEnacted | e.RuleAmended | e.RuleRepealed | e.RuleRenumbered)
    }
    assert sources == {"rulebook", "proposal"}


def test_five_or_more_play_in_every_week_and_one_comes_and_goes(path: Ledger) -> None:
    players = {week: set(as_of(path, GAME, week).kinds["player"]) for week in range(1, WEEKS + 1)}
    assert all(players[week] >= set(PLAYERS) for week in players)
    assert [week for week in players if "Finn" in players[week]] == list(range(7, 20))


# --- the rules of each week ---------------------------------------------------------------------


def test_the_number_of_rules_in_force_grows_week_by_week(path: Ledger) -> None:
    assert {week: len(rules_of(path, week)) for week in IN_FORCE} == IN_FORCE


def test_in_week_2_organizations_own_squares_and_a_verdict_still_takes_effect_at_once(
    path: Ledger,
) -> None:
    rules = rules_of(path, 2)
    assert rules["VIII.2"].title == "Owners"
    assert rules["VIII.2"].declares["square"]["owner"] == "Player | Organization"
    assert rules["VIII.4"].title == "Options to buy"  # VIII.3 of the opening, under a new number
    assert rules["VIII.20"].title == "Deals between players"
    assert rules["VII.1"].code == opening()["VII.1"].code
    assert rules["XL.1"].parameters == {"from_square": 5, "to_square": 9, "fare": 7}
    assert not {"XXXV.2", "XIII.1", "VIII.1"} & set(rules)


def test_in_week_11_there_is_an_update_with_auctions_and_coatings_but_no_chains(
    path: Ledger,
) -> None:
    rules = rules_of(path, 11)
    assert rules["VII.1"].code != opening()["VII.1"].code
    assert rules["IX.5"].title == "A turn for a proposal"
    assert {"XXXV.2", "X.5", "XIII.13", "XIV.1", "XI.2"} <= set(rules)
    assert "is_store" not in rules["V.4"].code  # Stores come in week 15, and with them these words.
    assert not {"XL.1", "VIII.20", "XXXI.1", "XXVI.1"} & set(rules)


def test_in_the_last_week_some_rules_are_amended_and_candyland_is_gone_again(path: Ledger) -> None:
    rules = rules_of(path, WEEKS)
    assert "XVII.1" in rules_of(path, 17)
    assert not {"XVII.1", "XVII.2"} & set(rules)
    prices = [rules_of(path, week)["X.4"].parameters["price"] for week in (13, 14, 18)]
    assert prices == [100, 150, 100]
    assert rules["VII.4"].parameters["fine_at_first"] == 60
    assert rules["III.2"].parameters["conditions_needed"] == 5
    assert "is_store" in rules["V.4"].code
    assert rules_of(path, LAST_CHANGE) == rules


def test_at_the_end_more_than_sixty_rules_of_mail_are_in_force_with_their_numbers_and_code(
    path: Ledger,
) -> None:
    mail = {rule.number: rule for rule in load("mail").rules if not rule.common}
    rules = rules_of(path, WEEKS)
    alike = [
        number
        for number, rule in mail.items()
        if number in rules and rule.code and rules[number].code == rule.code
    ]
    assert len(alike) >= 60
    assert [rule.title for number, rule in rules.items() if number not in mail] == [
        *("The board", "Who belongs where", "Who is concerned", "Coatings"),
        *("Pollutants and Factories", "Who bears what", "Shares", "Products"),
        "Ways over the board",
    ]


def test_more_than_sixty_rules_that_were_adopted_have_acted_and_most_of_them_at_last(
    path: Ledger,
) -> None:
    opened = {rule.name for rule in load("mail-opening").rules}
    cited = {
        period: {
            rule
            for entry in path.read(GAME)
            if entry.body.period in period
            for rule in entry.body.rules
        }
        - opened
        for period in (range(1, WEEKS + 1), range(LAST_CHANGE + 1, WEEKS + 1))
    }
    whole, last = cited.values()
    assert len(whole) >= 60
    assert len(last) >= 50
    assert {"VIII.11@1", "X.5@1", "XXI.4@1", "XXXIII.2@1", "XIX.1@1", "VII.1@2"} <= last


@cache
def opening() -> dict[str, Rule]:
    return {rule.number: rule for rule in load("mail-opening").rules}


# --- the proposals ------------------------------------------------------------------------------


def test_the_folder_holds_the_changes_of_the_proposals_of_each_week(path: Ledger) -> None:
    made = proposals_of(path)
    assert sorted(file.name for file in FOLDER.glob("*")) == sorted(each.file for each in PLAN)
    for planned in PLAN:
        text = (FOLDER / planned.file).read_text("utf-8")
        assert made[planned.text].period == planned.week
        assert made[planned.text].changes == parse_changes(text, planned.file), planned.file


def test_the_admin_accepts_what_was_planned_and_rejects_all_else(path: Ledger) -> None:
    accepted = {planned.text for planned in PLAN if not planned.is_rejected}
    made = {body.number: text for text, body in proposals_of(path).items()}
    carried_out = {
        int(body.source.partition(" ")[2])
        for body in (entry.body for entry in path.read(GAME))
        if isinstance(body, e.RuleEnacted | e.RuleAmended | e.RuleRepealed)
        and body.source.startswith("proposal ")
    }
    assert {made[number] for number in carried_out} == accepted


@pytest.mark.slow
def test_every_proposal_fitted_the_rules_when_it_was_made(path: Ledger) -> None:
    planned = {each.text for each in PLAN}
    world, found = World(), {}
    for entry in path.read(GAME):
        if isinstance(entry.body, e.ProposalMade) and entry.body.text in planned:
            checked = check_changes(world, entry.body.changes, "proposal")
            found[entry.body.text] = (*checked.errors, *map(str, checked.left_undefined))
        apply(world, entry.body)
    assert found == dict.fromkeys(planned, ())


@pytest.mark.slow
def test_every_commodity_sums_to_zero_after_every_posting(path: Ledger) -> None:
    world, posted = World(), 0
    for entry in path.read(GAME):
        apply(world, entry.body)
        if isinstance(entry.body, e.Posted):
            posted += 1
            for commodity in {posting.commodity for posting in entry.body.postings}:
                assert sum(a.get(commodity, 0) for a in world.balances.values()) == 0
    assert posted > 500


# --- the page -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_command_of_the_page_prints_what_it_says(
    play_page: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    shutil.copy(recorded_games.find(GAME), tmp_path / "mail-path.jsonl")
    assert len(play_page(PAGE)) == 7


def test_the_page_names_every_week_and_is_linked(path: Ledger) -> None:
    text = PAGE.read_text("utf-8")
    for week in range(1, LAST_CHANGE + 1):
        assert f"| {week} | {len(rules_of(path, week))} |" in text
    assert "(mail-path.md)" in (PAGE.parent / "simulated.md").read_text("utf-8")
    assert "`mail-path`" in (FOLDER.parent / "SOURCE.md").read_text("utf-8")
