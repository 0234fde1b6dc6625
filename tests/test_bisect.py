"""The event after which a statement became true."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.engine.statements import Statement
from nomoledger.errors import UsageError
from nomoledger.events.rules import Amend, Do, Set
from nomoledger.game.bisection.bisection import bisect
from nomoledger.game.game import Game
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.game.start import open_game
from nomoledger.language.program import link
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    """Five weeks of a real season."""
    with Ledger.open(tmp_path_factory.mktemp("season") / "s.db", create=True) as ledger:
        yield import_record(ledger, find("weekly-vote-season"))


def record_fines(ledger: Ledger) -> None:
    """Ann is fined 10 a week for eight weeks; in the fifth square 3 is red for a moment."""
    desk = open_game(ledger, "g", load("mail-opening"), at=NOON)
    desk.join("Ann", {"email": "a@x.org"}, at=NOON)
    for week in range(1, 9):
        fined(desk, 10)
        if week == 5:
            for color in ("red", "blue"):
                desk.rule(color, changes=(Set("square", 3, "color", color),), at=NOON)
        desk.close(at=NOON)


@pytest.fixture
def desk(copy_of: Callable[[Callable[[Ledger], object]], Path]) -> Iterator[Game]:
    with Ledger.open(copy_of(record_fines)) as ledger:
        yield Game(ledger, "g")


def fined(desk: Game, amount: int) -> None:
    named = {"player": "Ann", "amount": amount, "why": "late"}
    desk.rule("late", changes=(Do("fine", named),), at=NOON)


def told(desk: Game, text: str, *, every: bool = False) -> tuple[int | None, str]:
    found = bisect(desk.ledger, desk.name, text, every=every)
    return found.period, found.told


def test_it_finds_the_posting_that_took_somebody_below_a_sum(desk: Game) -> None:
    assert told(desk, "money(Ann) < 970") == (4, "Ann -10 $, admin +10 $ (late)")


def test_it_looks_at_closes_and_then_at_few_attempts(season: Game) -> None:
    found = bisect(season.ledger, season.name, "owner(18) == Cypher")
    assert (found.period, found.told) == (3, "owner of 18 becomes Cypher")
    assert found.because_told.startswith("recorded: buy (player Cypher, square 18")
    assert found.rules == ("X.1@1",)
    assert found.holds_now
    assert found.looks < 25 < found.events


@pytest.mark.parametrize(
    "text",
    [
        "owner(18) == Cypher",
        "money(Jamie) < 9900",
        "square(Draven) == 10",
        "rent(18, Jamie) > 0",
        "period() == 4",
        "health(Jamie) < 3",
        "money(Jamie) < money(Cypher) and period() > 2",
    ],
)
def test_it_is_the_event_at_which_a_walk_finds_it_turn(season: Game, text: str) -> None:
    """Not so after the attempt before, and so after the attempt of the event."""
    found = bisect(season.ledger, season.name, text)
    assert found.event is not None
    world, held = World(), []
    statement = Statement(text)
    for entry in season.ledger.read(season.name):
        apply(world, entry.body)
        if isinstance(entry.body, e.AttemptDone | e.AttemptRefused | e.PeriodClosed):
            held.append((entry.number, statement.holds(world, link(world.rules))))
    before = [holds for number, holds in held if number < found.event]
    after = [holds for number, holds in held if number >= found.event]
    assert (before[-1], after[0]) == (False, True)


def test_what_held_only_between_two_closes_is_found_after_every_attempt(desk: Game) -> None:
    text = "color(3) == red"
    assert bisect(desk.ledger, "g", text).event is None
    assert told(desk, text, every=True) == (5, "color of 3 becomes red")
    assert not bisect(desk.ledger, "g", text, every=True).holds_now


def test_nothing_is_said_of_an_attempt_that_is_half_done(desk: Game) -> None:
    """Ann has nothing in the midst of joining, which was never so for anybody to see."""
    assert bisect(desk.ledger, "g", "money(Ann) == 0", every=True).event is None
    assert bisect(desk.ledger, "g", "money(Nobody) == 0", every=True).event is None


def test_it_says_what_held_from_the_start(desk: Game) -> None:
    found = bisect(desk.ledger, "g", "owner(3) == none")
    assert (found.from_start, found.holds_now, found.looks) == (True, True, 2)


def test_a_change_of_the_rules_can_be_what_did_it(desk: Game) -> None:
    value = bisect(desk.ledger, "g", "market_value(3) > 0")
    assert value.from_start
    amended = next(rule for rule in desk.world.rules if "def value_market_value" in rule.code)
    code = amended.code.replace("def value_market_value", "def value_market_price")
    code += "\n\ndef value_market_value(square: Square):\n    return 7\n"
    desk.rule("dearer", changes=(Amend(amended.number, code=code),), at=NOON)
    desk.close(at=NOON)
    found = bisect(desk.ledger, "g", "market_value(3) == 7")
    assert found.told.startswith(f"rule {amended.number} ")
    assert found.period == 9


def test_the_call_for_a_close_can_be_found(desk: Game) -> None:
    assert told(desk, "closing()", every=True) == (1, "the admin closes the period")


@pytest.mark.parametrize("text", ["helth(Ann) == 3", "money(Ann", "open('x')"])
def test_what_cannot_be_meant_is_refused(desk: Game, text: str) -> None:
    with pytest.raises(UsageError):
        bisect(desk.ledger, "g", text)


def test_nothing_is_recorded(desk: Game) -> None:
    head = desk.ledger.head("g")
    bisect(desk.ledger, "g", "money(Ann) < 970")
    assert desk.ledger.head("g") == head


# --- the command line -----------------------------------------------------------------------------


@pytest.fixture
def file(desk: Game, tmp_path: Path) -> str:
    return str(tmp_path / "g.db")


def run(*words: str) -> tuple[int, list[str]]:
    found = CliRunner().invoke(program, ["bisect", *words])
    return found.exit_code, found.output.splitlines()


def test_the_command_tells_the_event_and_how_to_have_it_explained(file: str) -> None:
    code, lines = run(file, "money(Ann) < 970")
    number = lines[1].partition(" ")[0]
    assert (code, lines[0]) == (0, "money(Ann) < 970: became true with")
    assert "Ann -10 $, admin +10 $ (late)" in lines[1]
    assert lines[-1] == f"why: nomoledger explain {file} '{number}'"
    explained = CliRunner().invoke(program, ["explain", file, number])
    assert explained.exit_code == 0


def test_the_command_exits_with_1_where_it_never_was_so(file: str) -> None:
    code, lines = run(file, "money(Ann) < 5")
    assert code == 1
    assert "true at no close of a period" in lines[0]
    assert "--all" in lines[0]
    code, lines = run(file, "money(Ann) < 5", "--all")
    assert (code, "true after no attempt" in lines[0]) == (1, True)


def test_the_command_says_that_it_was_so_from_the_start(file: str) -> None:
    code, lines = run(file, "owner(3) == none")
    assert (code, lines[0]) == (0, "owner(3) == none: true from the start")


def test_the_command_prints_json(file: str) -> None:
    code, lines = run(file, "money(Ann) < 970", "--json")
    found = msgspec.json.decode(lines[0])
    assert (code, found["period"], found["holds_now"]) == (0, 4, True)
