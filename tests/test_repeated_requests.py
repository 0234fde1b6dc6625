"""A request repeated under its id: the same gets its first outcome, another is refused."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from nomoledger import Game
from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import UsageError
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.rulebook.loading import load

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOOK = load("mail-opening")


@pytest.fixture
def game() -> Game:
    game = open_game(Ledger(MemoryStore()), "g", BOOK, at=NOON, dice_from="entered")
    game.join("Ann", {"email": "ann@example.org"}, at=NOON)
    game.join("Bob", {"email": "bob@example.org"}, at=NOON)
    game.propose("Ann", "Nothing", at=NOON)
    return game


#: Requests with their arguments, and the same request with other arguments.
REQUESTS: dict[str, tuple[tuple[Any, ...], dict[str, Any], tuple[Any, ...], dict[str, Any]]] = {
    "advance": ((), {"at": NOON}, (), {"at": NOON + timedelta(days=1)}),
    "close": ((), {"at": NOON}, (), {"at": NOON + timedelta(days=1)}),
    "join": (("Cid", {"email": "c@x.org"}), {}, ("Cid", {"email": "d@x.org"}), {}),
    "leave": (("Ann",), {}, ("Bob",), {}),
    "order": (
        ("Ann", "money(Ann) > 1", (e.Act("buy", {"square": 1}),)), {},
        ("Ann", "money(Ann) > 1", (e.Act("buy", {"square": 2}),)), {},
    ),
    "propose": (("Ann", "Text"), {}, ("Ann", "Other text"), {}),
    "judge": ((1, "rejected"), {}, (1, "accepted"), {}),
    "rule": (("So be it",), {}, ("So be it", ), {"scope": "period"}),
    "rule_on": (("uphold", "Yes"), {"about": 40}, ("uphold", "Yes"), {"about": 41}),
    "set_finality": ((7,), {}, (8,), {}),
    "submit": (("Ann", "buy", {"square": 4}), {}, ("Ann", "buy", {"square": 5}), {}),
    "dispute": (("Ann", "No"), {"period": 1}, ("Ann", "Never"), {"period": 1}),
    "vote": (("Ann", 1, "yes"), {}, ("Ann", 1, "no"), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", REQUESTS)
def test_the_same_again_returns_the_first_outcome_and_another_is_refused(
    game: Game, name: str
) -> None:
    words, fields, others, other_fields = REQUESTS[name]
    request = getattr(game, name)
    first = request(*words, **fields, id="one")
    head = game.ledger.head("g")
    assert request(*words, **fields, id="one").events == first.events
    with pytest.raises(UsageError, match="the id 'one' is that of another request"):
        request(*others, **other_fields, id="one")
    with pytest.raises(UsageError, match="another kind of request"):
        game.undo(id="one")
    assert game.ledger.head("g") == head


def test_a_request_can_be_repeated_when_its_arguments_make_no_sense_any_more(game: Game) -> None:
    game.judge(1, "rejected", at=NOON)
    roll = game.enter_dice([3, 4], at=NOON, id="roll")
    assert game.world.waiting is None
    assert game.enter_dice([3, 4], at=NOON, id="roll").events == roll.events
    with pytest.raises(UsageError, match="another values"):
        game.enter_dice([3, 5], at=NOON, id="roll")


def test_a_repeated_request_may_leave_out_its_time_or_come_later(game: Game) -> None:
    first = game.submit("Ann", "buy", {"square": 4}, at=NOON, id="one")
    later = NOON + timedelta(days=1)
    assert game.submit("Ann", "buy", {"square": 4}, at=later, id="one").events == first.events
    assert game.submit("Ann", "buy", {"square": 4}, id="one").events == first.events


def test_the_command_says_that_an_id_was_used_before(tmp_path: Path) -> None:
    file = str(tmp_path / "g.db")
    runner = CliRunner()
    runner.invoke(program, ["init", file, "--rulebook", "mail-opening"])
    join = ["join", file, "Ann", "email=a@x.org", "--id", "one"]
    assert runner.invoke(program, join).exit_code == 0
    assert runner.invoke(program, join).exit_code == 0
    other = runner.invoke(program, ["join", file, "Bob", "email=b@x.org", "--id", "one"])
    assert other.exit_code == 2
    assert "another name: give another id" in other.stderr
    assert "Bob" not in runner.invoke(program, ["standings", file]).stdout
