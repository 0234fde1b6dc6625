"""`bisect` finds the event after which a statement became true."""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.engine.statements import Statement
from nomoledger.errors import UsageError
from nomoledger.events.rules import Amend, Do, Enact, Repeal, Rule, Set
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


@pytest.fixture(scope="module")
def fined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of a game that the tests share."""
    path = tmp_path_factory.mktemp("fined") / "g.db"
    with Ledger.open(path, create=True) as ledger:
        game = open_game(ledger, "g", load("mail-opening"), at=NOON)
        game.join("Ann", {"email": "a@x.org"}, at=NOON)
        for week in range(1, 9):
            fine(game, 10)
            if week == 5:
                for color in ("red", "blue"):
                    game.rule(color, changes=(Set("square", 3, "color", color),), at=NOON)
            game.close(at=NOON)
    return path


@pytest.fixture
def game(fined: Path, tmp_path: Path) -> Iterator[Game]:
    """Ann pays a fine of 10 in each of eight weeks; in week 5, square 3 is red for a moment."""
    copy = shutil.copy(fined, tmp_path / "g.db")
    with Ledger.open(copy) as ledger:
        yield Game(ledger, "g")


def fine(game: Game, amount: int) -> None:
    named = {"player": "Ann", "amount": amount, "why": "late"}
    game.rule("late", changes=(Do("fine", named),), at=NOON)


def turn(game: Game, text: str, *, every: bool = False) -> tuple[int | None, str]:
    """Return the period and the description of the event that `bisect` finds."""
    point = bisect(game.ledger, game.name, text, every=every)
    return point.period, point.told


def test_the_posting_that_took_a_balance_below_a_sum_is_found(game: Game) -> None:
    assert turn(game, "money(Ann) < 970") == (4, "Ann -10 $, admin +10 $ (late)")


def test_closes_are_checked_first_and_then_few_attempts(season: Game) -> None:
    point = bisect(season.ledger, season.name, "owner(18) == Cypher")
    assert (point.period, point.told) == (3, "Cypher now owns square 18")
    assert point.because_told.startswith("recorded: buy (player Cypher, square 18")
    assert point.rules == ("X.1@1",)
    assert point.holds_now
    assert point.looks < 25 < point.events


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
def test_a_linear_search_finds_the_same_event(season: Game, text: str) -> None:
    """The statement is false after the attempt before the event, and true after its attempt."""
    point = bisect(season.ledger, season.name, text)
    assert point.event is not None
    world, held = World(), []
    statement = Statement(text)
    for entry in season.ledger.read(season.name):
        apply(world, entry.body)
        if isinstance(entry.body, e.AttemptDone | e.AttemptRefused | e.PeriodClosed):
            held.append((entry.number, statement.holds(world, link(world.ruleset))))
    before = [holds for number, holds in held if number < point.event]
    after = [holds for number, holds in held if number >= point.event]
    assert (before[-1], after[0]) == (False, True)


def test_all_finds_what_was_true_only_between_two_closes(game: Game) -> None:
    text = "color(3) == red"
    assert bisect(game.ledger, "g", text).event is None
    assert turn(game, text, every=True) == (5, "square 3 is now red")
    assert not bisect(game.ledger, "g", text, every=True).holds_now


def test_states_within_an_attempt_are_not_checked(game: Game) -> None:
    """Ann has no money for a moment while she joins, but no reader ever sees that state."""
    assert bisect(game.ledger, "g", "money(Ann) == 0", every=True).event is None


def test_a_thing_that_is_gone_can_be_named(game: Game) -> None:
    """A rule that was since repealed made a tree, and destroyed it."""
    code = "def on_enact():\n    set(create('tree', {'name': 'Oak'}, 'Oak'), 'name', 'Elm')\n"
    code += "def on_repeal():\n    destroy('Oak')\n"
    tree = Rule(number="X.1", title="T", prose="T.", code=code, declares={"tree": {"name": "Text"}})
    for change in (Enact(tree), Repeal("X.1")):
        assert not game.rule("A tree.", changes=(change,), at=NOON).refusals
        game.close(at=NOON)
    assert bisect(game.ledger, "g", "name(Oak) == 'Elm'").event is not None


def test_a_statement_can_be_true_from_the_start(game: Game) -> None:
    point = bisect(game.ledger, "g", "owner(3) == none")
    assert (point.from_start, point.holds_now, point.looks) == (True, True, 2)


def test_a_change_of_the_rules_can_be_the_event(game: Game) -> None:
    value = bisect(game.ledger, "g", "market_value(3) > 0")
    assert value.from_start
    amended = next(rule for rule in game.world.rules if "def value_market_value" in rule.code)
    code = amended.code.replace("def value_market_value", "def value_market_price")
    code += "\n\ndef value_market_value(square: Square):\n    return 7\n"
    game.rule("dearer", changes=(Amend(amended.number, code=code),), at=NOON)
    game.close(at=NOON)
    point = bisect(game.ledger, "g", "market_value(3) == 7")
    assert point.told.startswith(f"rule {amended.number} ")
    assert point.period == 9


def test_the_request_to_close_a_period_can_be_the_event(game: Game) -> None:
    assert turn(game, "closing()", every=True) == (1, "the admin closes the period")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("money(Ann", "is not a statement"),
        ("open('x')", "nothing in the game is called 'open'"),
        ("collor(3) == red", "nothing in the game is called 'collor'; did you mean 'color'"),
        ("zzz", "'zzz' is an unknown word"),
        ("money(Anne) > 3", "there is no player or account 'Anne'; did you mean 'Ann'"),
        ("money(Ann)", "money(Ann) is a number, not true or false"),
        ("color(300) == red", "there is no square 300"),
    ],
)
def test_an_unknown_word_or_malformed_statement_is_refused(
    game: Game, text: str, said: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        bisect(game.ledger, "g", text)


def test_nothing_is_recorded(game: Game) -> None:
    head = game.ledger.head("g")
    bisect(game.ledger, "g", "money(Ann) < 970")
    assert game.ledger.head("g") == head


# --- the command line -----------------------------------------------------------------------------


@pytest.fixture
def file(game: Game, tmp_path: Path) -> str:
    return str(tmp_path / "g.db")


def run(*words: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(program, ["bisect", *words])
    return result.exit_code, result.output.splitlines()


def test_the_command_prints_the_event_and_the_command_that_explains_it(file: str) -> None:
    code, lines = run(file, "money(Ann) < 970")
    number = lines[1].partition(" ")[0]
    assert (code, lines[0]) == (0, "money(Ann) < 970: became true with")
    assert "Ann -10 $, admin +10 $ (late)" in lines[1]
    assert lines[-1] == f"why: nomoledger explain {file} '{number}'"
    explained = CliRunner().invoke(program, ["explain", file, number])
    assert explained.exit_code == 0


def test_the_command_exits_with_1_if_the_statement_was_never_true(file: str) -> None:
    code, lines = run(file, "money(Ann) < 5")
    assert code == 1
    assert "true at no close of a period" in lines[0]
    assert "--all" in lines[0]
    code, lines = run(file, "money(Ann) < 5", "--all")
    assert (code, "true after no attempt" in lines[0]) == (1, True)


def test_the_command_reports_a_statement_that_was_true_from_the_start(file: str) -> None:
    code, lines = run(file, "owner(3) == none")
    assert (code, lines[0]) == (0, "owner(3) == none: true from the start")


def test_the_command_prints_json(file: str) -> None:
    code, lines = run(file, "money(Ann) < 970", "--json")
    data = msgspec.json.decode(lines[0])
    assert (code, data["period"], data["holds_now"]) == (0, 4, True)
