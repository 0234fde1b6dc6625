"""Generated hostile structures come in by every request; then every command is run."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import NomoledgerError
from nomoledger.events.rules import Amend, Do, Enact, Post, Repeal, Rule, Set
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.game.writer import Outcome
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["Ann", "\x1b[2J", "\u202e", "=1+1", "1e9999999", "\u00b2", "--5", "a|b>c"])
    | st.sampled_from([2**63, -(2**70), 10**400, "x" * 120_000, b"\0", float("nan"), "\ud800"])
)
KEYS = st.text(max_size=8) | st.integers() | st.none() | st.sampled_from(["square", "a\nb", "None"])


def _nested(depth: int) -> Any:
    value: Any = "deep"
    for level in range(depth):
        value = [value] if level % 2 else {"in": value}
    return value


VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
) | st.sampled_from([_nested(20), _nested(600), _nested(5_000), [0] * 30_000])

TEXTS = st.text(max_size=30) | st.sampled_from(["\x1b[2J", "", "x" * 200_000, "state(1) == 2"])

#: Each request, given a hostile value and a hostile text.
REQUESTS: dict[str, Callable[[Game, Any, str], Outcome]] = {
    "join": lambda game, value, text: game.join(text, {"email": value}),
    "join with more": lambda game, value, text: game.join("Cid", value),
    "leave": lambda game, value, text: game.leave(text),
    "submit": lambda game, value, text: game.submit("Ann", "buy", {"square": value}),
    "submit anything": lambda game, value, text: game.submit("Ann", text, value),
    "order": lambda game, value, text: game.order("Ann", text, (e.Act("buy", {"square": value}),)),
    "order an answer": lambda game, value, text: game.order("Ann", "period() > 1", answer=value),
    "propose": lambda game, value, text: game.propose("Ann", text, words_only=True),
    "amend": lambda game, value, text: game.propose(
        "Ann", "more", (Amend("VIII.3", parameters={"days_open": value}),)
    ),
    "amend all": lambda game, value, text: game.propose(
        "Ann", "x", (Amend(text, parameters=value),)
    ),
    "enact": lambda game, value, text: game.propose(
        "Ann", "more", (Enact(Rule(number="H.1", prose=text, parameters={"h": value}, code=text)),)
    ),
    "declare": lambda game, value, text: game.propose(
        "Ann", "more", (Enact(Rule(number="H.2", declares={text: value}, code="pass\n")),)
    ),
    "vote": lambda game, value, text: game.vote("Ann", 1, text),
    "judge": lambda game, value, text: game.judge(1, text),
    "roll": lambda game, value, text: game.enter_dice([value]),
    "answer": lambda game, value, text: game.answer(value),
    "rule": lambda game, value, text: game.rule(
        text, changes=(Set("player", "Ann", "email", value),)
    ),
    "rule an answer": lambda game, value, text: game.rule(text, value=value),
    "post": lambda game, value, text: game.rule("x", changes=(Post({"Ann": value, "mint": 1}),)),
    "do": lambda game, value, text: game.rule("x", changes=(Do(text, {"player": value}),)),
    "repeal": lambda game, value, text: game.rule("x", changes=(Repeal(text),)),
    "rule on": lambda game, value, text: game.rule_on("reject", text, edits=(e.LeftOut(value),)),
    "dispute": lambda game, value, text: game.dispute("Ann", text, period=1),
    "argue": lambda game, value, text: game.argue(1, "Ann", text or "why", value),
    "advance": lambda game, value, text: game.advance(id=text),
}
#: Every kind of command that reads a ledger, and how it must end.
COMMANDS = {
    "status": 0, "verify": 0, "log": 0, "log --json": 0, "replay": 0, "standings": 0, "state": 0,
    "history": 0, "board": 0, "rules of": 0, "rules log": 0, "dispute list": 0, "balances": 0,
    "close": 0, "replay --period 1": 0, "export - --format jsonl": 0, "export - --public": 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("entry") / "game.db"
    with Ledger.open(file, create=True) as ledger:
        game = open_game(ledger, "desk", load("mail-opening"), at=NOON, secret=b"s" * 32)
        game.join("Ann", {"email": "ann@example.org"}, at=NOON)
        game.join("Bob", {"email": "bob@example.org"}, at=NOON)
        game.propose("Ann", "first", words_only=True, at=NOON)
        game.dispute("Bob", "first", period=1, at=NOON)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES, text=TEXTS)
def test_a_hostile_request_is_recorded_or_refused(
    file: Path, name: str, value: Any, text: str
) -> None:
    """An error is one of ours, has one line, and records nothing."""
    with Ledger.open(file) as ledger:
        game = Game(ledger, clock=lambda: NOON)
        head, message = ledger.head("desk"), None
        try:
            REQUESTS[name](game, value, text)
        except NomoledgerError as error:
            message = str(error)
        if message is not None:
            assert ledger.head("desk") == head, message
            assert len(message) < 2_000
            assert "\n" not in message


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_works_on_what_was_recorded(file: Path, words: str) -> None:
    name, *rest = words.split()
    if name in ("rules", "dispute"):
        name, rest = f"{name} {rest[0]}", rest[1:]
    result = CliRunner().invoke(program, [*name.split(), str(file), *rest])
    assert isinstance(result.exception, SystemExit | None), result.exception
    assert result.exit_code == COMMANDS[words], result.output[-2_000:]
