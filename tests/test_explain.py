"""Explanations: back to the die, submission or ruling, and why something did not happen."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import UnknownError
from nomoledger.game import recorded_games as replays
from nomoledger.game.explanation.account_statement import explain_account
from nomoledger.game.explanation.causes import explain, explain_value
from nomoledger.game.explanation.recorded_past import RecordedPast
from nomoledger.game.explanation.rule_values import explain_computed
from nomoledger.game.explanation.why_not import why_not
from nomoledger.game.game import Game
from nomoledger.game.records import import_record
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.loading import load, parse
from nomoledger.sandbox.limits import Limits

NOON = datetime(2002, 3, 1, 12, tzinfo=UTC)
#: One toil takes about a tenth of a second, five of them more than the limit set below.
TOIL = """### I.1 Work
Words.
```yaml
declares:
  player: {name: Text key}
```
```python
def define_join(name: Text):
    create("player", {"name": name})

def action_toil(player: Player):
    for i in range(40000000):
        pass
```
"""
PROOF = Path(__file__).parent / "rulebooks" / "proof.md"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def record_street(ledger: Ledger) -> None:
    """Ann stands on 29, and Bob owns 34; both ends of a turn of 5 with entered dice."""
    given = {
        "players": {
            "Ann": {"square": 29, "dues": 1},
            "Bob": {},
            "Cal": {"square": 29},
            "Dan": {"square": 11},
        },
        "squares": {"34": {"owner": "Bob", "color": "Teal"}, "16": {"owner": "Bob"}},
    }
    open_game(ledger, "g", load(str(PROOF)), given=given, dice_from="entered", at=NOON)


@pytest.fixture
def desk(copy_of: Callable[[Callable[[Ledger], object]], Path]) -> Iterator[Game]:
    with Ledger.open(copy_of(record_street)) as ledger:
        yield Game(ledger, "g")


def turn(desk: Game, player: str, *throws: list[int]) -> None:
    desk.submit(player, "take_turn", at=NOON)
    for throw in throws:
        desk.enter_dice(throw, at=NOON)


def trail(desk: Game, subject: str, what: str) -> str:
    return "\n".join(explain_value(RecordedPast(desk.ledger, "g"), subject, what).why.trail)


@pytest.mark.slow
def test_a_payment_is_explained_down_to_the_dice(desk: Game) -> None:
    turn(desk, "Ann", [1, 4], [3, 4, 1, 6])
    found = explain_account(RecordedPast(desk.ledger, "g"), "Ann", "$").why
    assert found is not None
    assert found.told == "Ann -35 $, Bob +35 $ (rent)"
    assert found.rules == ("VIII.5@1", "XXVIII.3@1")
    assert found.causes[-1].told == "Ann asks to take turn"
    told = "\n".join(found.trail)
    for line in (
        "take_turn(Ann)  [B.2@1]",
        "land(Ann, square 34)  [B.2@1]",
        "rent(square 34, Ann)  [IV.4@1]: 34",
        "XXVIII.3@1 steps in",
        "XXVIII.3@1 goes on with [Ann, Bob, 35]",
        "Ann -35 $, Bob +35 $ (rent)  <- this",
    ):
        assert line in told


@pytest.mark.slow
def test_the_steps_of_a_value_are_listed(desk: Game) -> None:
    turn(desk, "Cal", [1, 2])
    desk.answer("yes", at=NOON)
    assert "V.2@1: times 11 (next to a public square)" not in trail(desk, "32", "owner")
    turn(desk, "Cal", [3, 4])
    desk.answer("yes", at=NOON)
    told = trail(desk, "39", "owner")
    assert "market_value(square 39)  [V.1@1]: 429" in told
    assert "V.2@1: times 11 (next to a public square)" in told


@pytest.mark.slow
def test_every_consequence_leads_back_to_an_input(desk: Game) -> None:
    turn(desk, "Ann", [1, 4], [3, 4, 1, 6])
    entries = list(desk.ledger.read("g"))
    for entry in entries:
        causes = explain(desk.ledger, "g", entry.number).causes if entry.number > 60 else ()
        if causes:
            assert isinstance(entries[causes[-1].event].body, e.Input)


def test_a_difference_leads_back_to_the_recorded_fact(ledger: Ledger) -> None:
    game = import_record(ledger, replays.find("weekly-vote-season"), until=1).name
    found = explain_value(RecordedPast(ledger, game), "Jamie", "square").why
    assert found.rules == ("record",)
    assert "recorded: land (player Jamie, square 3" in found.causes[-1].told


@pytest.mark.slow
def test_an_explanation_lists_dice_that_were_entered(desk: Game) -> None:
    turn(desk, "Ann", [1, 4], [3, 4, 1, 6])
    account = explain_account(RecordedPast(desk.ledger, "g"), "Ann", "$")
    assert account.why is not None
    assert "rolled by hand: 3, 4, 1, 6" in "\n".join(account.why.trail)


def test_a_change_of_the_rules_is_explained(desk: Game) -> None:
    code = "def value_market_value(square: Square):\n    return dollars * get(square, 'number')\n"
    amended = {"amend": "V.1", "code": code, "parameters": {"dollars": 12}}
    desk.rule("Dearer", changes=read_changes(amended), at=NOON)
    found = explain_value(RecordedPast(desk.ledger, "g"), "V.1", "dollars")
    assert (found.subject, found.value) == ("rule V.1", 12)
    assert found.why.causes[-1].told == "ruling 1 (correct): Dearer"
    assert found.why.trail[-1] == "rule V.1 is amended (ruling 1)  <- this"


def test_a_refusal_names_the_guard(desk: Game) -> None:
    desk.submit("Ann", "gift", {"other": "Bob", "amount": 99_999}, at=NOON)
    number = desk.ledger.head("g").number
    found = explain(desk.ledger, "g", number)
    assert found.told.startswith("refused: gift")
    assert any("XXII.5@1 says no" in line for line in found.trail)
    assert found.trail[-1].strip().startswith("refused: gift")
    assert found.causes[-1].told == "Ann asks to gift: other Bob, amount 99999"


def test_a_computed_value_is_explained_step_by_step(desk: Game) -> None:
    found = explain_computed(RecordedPast(desk.ledger, "g"), "square 39", "market_value")
    assert (found.subject, found.value) == ("square 39", 429)
    assert "  V.2@1: times 11 (next to a public square)" in found.trail
    assert found.trail[-1] == "  it comes to 429"


def test_a_value_is_explained_as_of_the_close_of_a_period(desk: Game) -> None:
    desk.close(at=NOON)
    desk.rule("a gift", changes=read_changes({"set": {"square": 34, "owner": "Cal"}}), at=NOON)
    then, now = (
        explain_value(RecordedPast(desk.ledger, "g", p), "square 34", "owner") for p in (1, None)
    )
    assert (then.value, then.period) == ("Bob", 1)
    assert (now.value, now.period) == ("Cal", 2)
    assert now.why.causes[-1].told == "ruling 1 (correct): a gift"


@pytest.mark.slow
def test_a_removed_entity_keeps_its_name(desk: Game) -> None:
    turn(desk, "Cal", [3, 4])
    desk.answer("yes", at=NOON)
    for entry in list(desk.ledger.read("g"))[-20:]:
        assert "act|" not in explain(desk.ledger, "g", entry.number).told


# --- why not ------------------------------------------------------------------------------------


def absent(desk: Game, operation: str, about: str) -> str:
    return "\n".join(why_not(desk.ledger, "g", operation, about, 1).lines)


@pytest.mark.slow
def test_why_not_names_the_hook_that_prevented_an_event(desk: Game) -> None:
    turn(desk, "Ann", [1, 4], [1, 1, 1, 1])
    assert "XXVIII.3@1 steps in" in absent(desk, "pay_rent", "Ann")


def test_why_not_names_the_value_that_was_zero(desk: Game) -> None:
    turn(desk, "Dan", [2, 3])
    assert "rent(square 16, Dan)  [IV.4@1]: 0" in absent(desk, "pay_rent", "16")
    assert "it comes to 0" in absent(desk, "rent", "16")


def test_why_not_names_what_the_rule_read(desk: Game) -> None:
    turn(desk, "Cal", [1, 3])
    told = absent(desk, "pay_rent", "33")
    assert "VIII.5@1 was asked, and went no further" in told
    assert "owner of square 33 is nothing" in told


def test_why_not_says_that_nothing_concerned_the_subject(desk: Game) -> None:
    assert absent(desk, "pay_rent", "7") == (
        "nothing in period 1 that could lead to pay_rent involved 7"
    )


@pytest.mark.slow
def test_limits_apply_to_one_step_and_not_to_a_period(ledger: Ledger) -> None:
    desk = open_game(ledger, "g", parse(TOIL, "toil.md"), at=NOON)
    desk.join("Ann", at=NOON)
    for _ in range(5):
        desk.submit("Ann", "toil", at=NOON)
    found = why_not(ledger, "g", "toil", "Bob", 1, limits=Limits(cpu_seconds=0.4))
    assert found.lines[0].startswith("nothing in period 1")


def test_what_nobody_speaks_of(desk: Game) -> None:
    with pytest.raises(UnknownError, match="no rule of that period refers to 'sneezing'"):
        why_not(desk.ledger, "g", "sneezing", "Ann", 1)
    with pytest.raises(UnknownError, match="there is no event #9999"):
        explain(desk.ledger, "g", 9999)
    with pytest.raises(UnknownError, match="nothing ever changed 'team'"):
        explain_value(RecordedPast(desk.ledger, "g"), "Bob", "team")


@pytest.mark.slow
def test_the_explain_and_why_not_commands_print_explanations(desk: Game) -> None:
    turn(desk, "Ann", [1, 4], [3, 4, 1, 6])
    where = str(desk.ledger.store.location)
    result = CliRunner().invoke(program, ["explain", where, "Ann", "money"])
    assert result.exit_code == 0
    assert "because of" in result.output
    assert "<- this" in result.output
    result = CliRunner().invoke(program, ["why-not", where, "pay_rent", "7"])
    assert result.output.startswith("nothing in period 1")
    assert CliRunner().invoke(program, ["explain", where, "Ann"]).exit_code == 2
