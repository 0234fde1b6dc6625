"""Rulings that something is void: orders, timers, questions, requests, proposals and disputes."""

import shlex
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from poisons import enact_unchecked, rule

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import UnknownError, UsageError
from nomoledger.events.rules import Enact
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

NOON = datetime(2002, 3, 1, 12, tzinfo=UTC)
LATER = rule(
    "def after_propose(proposal):\n    schedule('ring', due = now() + minutes(1))\n"
    "def define_ring():\n    award('Ann', 1)\n"
)


def record_waiting_turn(ledger: Ledger) -> None:
    """A game with real dice, an order of Bob and a timer, in which Ann's turn waits for dice."""
    players: dict[str, Any] = {"players": {"Ann": {}, "Bob": {}}}
    game = open_game(ledger, "g", load("mail-opening"), given=players, dice_from="entered", at=NOON)
    game.rule("A bell.", changes=(Enact(LATER),), at=NOON)
    game.order("Bob", "period() == 9", (e.Act("buy", {"square": 2}),), at=NOON, id="bobs")
    game.propose("Ann", "nothing", (), at=NOON)
    game.judge(1, "rejected", at=NOON, id="turn")


@pytest.fixture
def game(copy_of: Callable[[Callable[[Ledger], object]], Path]) -> Iterator[Game]:
    with Ledger.open(copy_of(record_waiting_turn)) as ledger:
        yield Game(ledger, "g")


def test_an_order_of_any_player_can_be_void(game: Game) -> None:
    outcome = game.void("It can never be carried out", ("order bobs",), at=NOON)
    ruling, lapsed, _ = outcome.events
    assert isinstance(lapsed, e.OrderLapsed)
    assert lapsed.rules == ("ruling:2",)
    assert lapsed.why == "void: It can never be carried out"
    assert ruling.audience == lapsed.audience == ("Bob",)
    assert game.world.orders == {}
    assert replay(game.ledger, "g", 1).exact


def test_a_timer_can_be_void(game: Game) -> None:
    (timer,) = game.world.timers
    outcome = game.void("No bell", (f"timer {timer}",), at=NOON)
    assert isinstance(outcome.events[1], e.Unscheduled)
    assert outcome.events[1].rules == ("ruling:2",)
    assert game.world.timers == {}
    assert replay(game.ledger, "g", 1).exact


def test_a_question_can_be_void_and_play_goes_on(game: Game) -> None:
    question = game.world.waiting
    assert question is not None
    game.propose("Bob", "behind the question", (), at=NOON)
    game.void("The dice are lost", (f"question {question.question}",), at=NOON)
    assert game.world.waiting is None
    assert game.world.agenda == ()
    assert game.world.kinds["proposal"] == ("proposal:1", "proposal:2")
    assert replay(game.ledger, "g", 1).exact


def test_a_request_that_waits_can_be_void(game: Game) -> None:
    game.propose("Bob", "behind the question", (), at=NOON, id="second")
    game.void("Not now", ("request second",), at=NOON)
    game.enter_dice([1, 2], at=NOON)
    assert game.world.kinds["proposal"] == ("proposal:1",)
    assert replay(game.ledger, "g", 1).exact


def test_a_close_that_waits_can_be_void(game: Game) -> None:
    game.close(at=NOON, id="close")
    game.void("Not yet", ("request close",), at=NOON)
    game.enter_dice([1, 2], at=NOON)
    assert game.world.period == 1
    assert replay(game.ledger, "g", 1).exact


def test_whoever_adopts_a_void_proposal_adopts_nothing(game: Game) -> None:
    game.enter_dice([1, 2], at=NOON)
    changes = (Enact(rule("", number="Z.1")),)
    game.propose("Bob", "a rule", changes, at=NOON)
    game.void("It names nobody", ("proposal 2",), at=NOON)
    game.judge(2, "accepted", at=NOON)
    assert game.world.rule("Z.1") is None
    with pytest.raises(UnknownError, match="no proposal '2'"):
        game.void("Again", ("proposal 2",), at=NOON)


def test_a_dispute_can_be_void(game: Game) -> None:
    game.dispute("Bob", "All of it", period=1, at=NOON)
    game.void("Withdrawn", dispute=1, at=NOON)
    assert "closed" in game.world.disputes[1]


def test_only_what_is_open_can_be_void(game: Game) -> None:
    with pytest.raises(UnknownError, match="no order 'anns' to be void; there is: bobs"):
        game.void("No", ("order anns",), at=NOON)
    with pytest.raises(UsageError, match="say what is void"):
        game.void("No", at=NOON)


def test_things_can_be_void_though_no_rule_can_be_run(
    copy_of: Callable[[Callable[[Ledger], object]], Path],
) -> None:
    file = copy_of(record_waiting_turn)
    with Ledger.open(file) as ledger:
        Game(ledger).enter_dice([1, 2], at=NOON)
    enact_unchecked(file, rule("def before_join(:\n", number="Y.1"))
    with Ledger.open(file) as ledger:
        game = Game(ledger, "g")
        (timer, *_) = game.world.timers
        game.void(
            "It stands in the way",
            (
                "order bobs",
                f"timer {timer}",
            ),
            at=NOON,
        )
        assert game.world.orders == {}
        assert timer not in game.world.timers


@pytest.mark.slow
def test_status_shows_the_admin_by_which_ids_things_can_be_void(
    copy_of: Callable[[Callable[[Ledger], object]], Path],
) -> None:
    file = str(copy_of(record_waiting_turn))
    shown = CliRunner().invoke(program, ["status", file, "--admin"]).stdout.splitlines()
    items = [line for line in shown if line.startswith(("  request ", "  timer ", "  question "))]
    kinds = {item.split()[0] for item in items}
    assert kinds == {"request", "timer", "question"}
    for item in sorted(items, key=lambda item: "request" in item):  # its question goes with it
        kind, name = shlex.split(item)
        said = CliRunner().invoke(program, ["void", file, kind, name, "Not in this game"])
        assert said.exit_code == 0 or "there is no request" in said.stderr, said.output
    after = CliRunner().invoke(program, ["status", file, "--admin"]).stdout
    assert not any(item in after for item in items)
    assert CliRunner().invoke(program, ["status", file]).stdout.count("timer") == 0
