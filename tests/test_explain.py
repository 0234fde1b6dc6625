"""Explanations: back to the die, submission or ruling, and why something did not happen."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger import events as e
from nomoledger import replays
from nomoledger.cli import program
from nomoledger.desk import Desk
from nomoledger.errors import UnknownError
from nomoledger.explain import explain, last_of
from nomoledger.ledger import Ledger
from nomoledger.records import import_record
from nomoledger.rules.rulebook import load
from nomoledger.start import open_game
from nomoledger.whynot import why_not

NOON = datetime(2002, 3, 1, 12, tzinfo=UTC)
PROOF = Path(__file__).parent / "rulebooks" / "proof.md"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


@pytest.fixture
def desk(ledger: Ledger) -> Desk:
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
    return open_game(ledger, "g", load(str(PROOF)), given=given, dice_from="entered", at=NOON)


def turn(desk: Desk, player: str, *throws: list[int]) -> None:
    desk.submit(player, "take_turn", at=NOON)
    for throw in throws:
        desk.enter_dice(throw, at=NOON)


def trail(desk: Desk, subject: str, what: str) -> str:
    number = last_of(desk.ledger, "g", subject, what)
    return "\n".join(explain(desk.ledger, "g", number).trail)


def test_a_payment_is_explained_down_to_the_dice(desk: Desk) -> None:
    turn(desk, "Ann", [1, 4], [3, 4, 1, 6])
    number = last_of(desk.ledger, "g", "Ann", "money")
    found = explain(desk.ledger, "g", number)
    assert found.told == "Ann -35 $, Bob +35 $ (rent)"
    assert found.rules == ("VIII.5@1", "XXVIII.3@1")
    assert found.causes[-1].told == "Ann asks to take_turn"
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


def test_the_steps_of_a_value_are_told(desk: Desk) -> None:
    turn(desk, "Cal", [1, 2])
    desk.answer("yes", at=NOON)
    assert "V.2@1: times 11 (next to a public square)" not in trail(desk, "32", "owner")
    turn(desk, "Cal", [3, 4])
    desk.answer("yes", at=NOON)
    told = trail(desk, "39", "owner")
    assert "market_value(square 39)  [V.1@1]: 429" in told
    assert "V.2@1: times 11 (next to a public square)" in told


def test_every_consequence_leads_back_to_an_input(desk: Desk) -> None:
    turn(desk, "Ann", [1, 4], [3, 4, 1, 6])
    entries = list(desk.ledger.read("g"))
    for entry in entries:
        causes = explain(desk.ledger, "g", entry.number).causes if entry.number > 60 else ()
        if causes:
            assert isinstance(entries[causes[-1].event].body, e.Input)


def test_a_difference_leads_back_to_the_recorded_fact(ledger: Ledger) -> None:
    game = import_record(ledger, replays.find("weekly-vote-season"), until=1).game
    found = explain(ledger, game, last_of(ledger, game, "Jamie", "square"))
    assert found.rules == ("record",)
    assert "recorded: land (player Jamie, square 3" in found.causes[-1].told


# --- why not ------------------------------------------------------------------------------------


def absent(desk: Desk, operation: str, about: str) -> str:
    return "\n".join(why_not(desk.ledger, "g", operation, about, 1).lines)


def test_a_hook_stepped_in(desk: Desk) -> None:
    turn(desk, "Ann", [1, 4], [1, 1, 1, 1])
    assert "XXVIII.3@1 steps in" in absent(desk, "pay_rent", "Ann")


def test_a_value_came_to_nothing(desk: Desk) -> None:
    turn(desk, "Dan", [2, 3])
    assert "rent(square 16, Dan)  [IV.4@1]: 0" in absent(desk, "pay_rent", "16")
    assert "it comes to 0" in absent(desk, "rent", "16")


def test_the_rule_was_asked_and_saw_what_kept_it(desk: Desk) -> None:
    turn(desk, "Cal", [1, 3])
    told = absent(desk, "pay_rent", "33")
    assert "VIII.5@1 was asked, and went no further" in told
    assert "owner of square 33 is nothing" in told


def test_nothing_was_about_it(desk: Desk) -> None:
    assert absent(desk, "pay_rent", "7") == (
        "nothing in period 1 that might have led to pay_rent was about 7"
    )


def test_what_nobody_speaks_of(desk: Desk) -> None:
    with pytest.raises(UnknownError, match="no rule of that period speaks of 'sneezing'"):
        why_not(desk.ledger, "g", "sneezing", "Ann", 1)
    with pytest.raises(UnknownError, match="there is no event #9999"):
        explain(desk.ledger, "g", 9999)
    with pytest.raises(UnknownError, match="nothing ever changed 'team'"):
        last_of(desk.ledger, "g", "Bob", "team")


def test_on_the_command_line(desk: Desk) -> None:
    turn(desk, "Ann", [1, 4], [3, 4, 1, 6])
    where = str(desk.ledger.store.location)
    result = CliRunner().invoke(program, ["explain", where, "Ann", "money"])
    assert result.exit_code == 0
    assert "because of" in result.output
    assert "<- this" in result.output
    result = CliRunner().invoke(program, ["why-not", where, "pay_rent", "7"])
    assert result.output.startswith("nothing in period 1")
    assert CliRunner().invoke(program, ["explain", where, "Ann"]).exit_code == 2
