"""A warm sandbox: its state is that of a fresh one, and nothing of an attempt stays behind."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.errors import ConflictError, RuleFault, UsageError
from nomoledger.events.rules import Enact, Repeal, Rule
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.simulation.season import Plan, simulate
from nomoledger.game.simulation.watched import WatchedProgram
from nomoledger.game.start import open_game
from nomoledger.language.host import Host, ask_people
from nomoledger.language.program import Program, link_as
from nomoledger.language.tracing import TracedProgram
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.rulebook.cases import cases_beside
from nomoledger.rulebook.cases.case_run import result_of
from nomoledger.rulebook.loading import load, parse
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32
HOSTILE = parse(
    """---
rulebook: hostile
---

### I.1 Players

Anybody may join.

```yaml
declares: {player: {name: Text key, count: Number}}
commodities: {"$": {places: 0}}
```

```python
def define_join(name: Text):
    create("player", {"name": name, "count": 0}, name)

def action_count_on(player: Player):
    set(player, "count", get(player, "count") + 1)

def action_half(player: Player):
    set(player, "count", 1000)
    mint(player, 5)
    refuse("halfway")

def action_trip(player: Player):
    set(player, "count", 1000)
    mint(player, 5)
    fail("over a stone")

def action_hoard(player: Player):
    set(player, "count", 1000)
    found = ["x" * 1000000]
    for i in range(100):
        found = found + found
```
""",
    "hostile.md",
)


def state_in_sandbox(game: Game) -> str:
    found: str = game.engine.ask(World.digest, kind=str)
    return found


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    with Ledger.open(tmp_path / "game.db", create=True) as ledger:
        game = open_game(ledger, "g", HOSTILE, at=NOON, secret=SECRET)
        game.join("Ann", at=NOON)
        yield game
        game.engine.close()


# --- the same state -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "rulebook", ["mail-opening", pytest.param("weekly-vote", marks=pytest.mark.slow)]
)
def test_after_every_request_a_warm_sandbox_has_the_state_of_a_fresh_one(rulebook: str) -> None:
    recorded = Ledger(MemoryStore())
    simulate(recorded, rulebook, Plan(periods=3, seed=5), game="season")
    bodies = [entry.body for entry in recorded.read("season")]
    inputs = [body for body in bodies if isinstance(body, e.Input)][1:]
    ledger = Ledger(MemoryStore())
    first = inputs[0]
    options: dict[str, Any] = {"at": first.received_at, "recorded_at": first.recorded_at}
    game = open_game(ledger, "g", load(rulebook), secret=SECRET, **options)
    for number, event in enumerate(inputs):
        fields = {name: getattr(event, name) for name in event.__struct_fields__}
        for name in ("id", "period", "received_at", "recorded_at", "cause", "rules"):
            fields.pop(name, None)
        game.receive(type(event), at=event.received_at, id=event.id, **fields)
        if number % 10 == 0 or number == len(inputs) - 1:
            fresh = Game(ledger, "g")
            assert state_in_sandbox(game) == state_in_sandbox(fresh) == fresh.world.digest()
            fresh.engine.close()
    assert game.engine._sandbox.is_warm
    game.engine.close()


def test_a_warm_sandbox_learns_what_others_recorded(game: Game) -> None:
    game.submit("Ann", "count_on", at=NOON)
    other = Game(game.ledger, "g")
    for _ in range(3):
        other.submit("Ann", "count_on", at=NOON)
    other.engine.close()
    before = game.engine._sandbox._process
    game.submit("Ann", "count_on", at=NOON)
    assert game.world.get("Ann", "count") == 5
    assert state_in_sandbox(game) == game.world.digest()
    assert game.engine._sandbox._process is before


def test_a_changed_rule_changes_what_the_warm_sandbox_does(game: Game) -> None:
    game.submit("Ann", "count_on", at=NOON)
    rule = Rule(number="I.2", code='def after_count_on(player):\n    set(player, "count", 50)')
    game.rule("ten more", changes=(Enact(rule),), at=NOON)
    game.submit("Ann", "count_on", at=NOON)
    assert game.world.get("Ann", "count") == 50
    game.rule("as before", changes=(Repeal("I.2"),), at=NOON)
    game.submit("Ann", "count_on", at=NOON)
    assert game.world.get("Ann", "count") == 51


# --- nothing stays behind -------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["half", "trip", "hoard", "no such action"])
def test_an_attempt_that_fails_leaves_nothing_behind(game: Game, action: str) -> None:
    game.submit("Ann", "count_on", at=NOON)
    before = {name: table for name, table in game.world.tables().items() if name != "game"}
    before = {name: dict(table) for name, table in before.items()}
    with suppress(RuleFault, UsageError):
        assert game.submit("Ann", action, at=NOON).refusals
    assert {name: game.world.tables()[name] for name in before} == before
    assert state_in_sandbox(game) == game.world.digest() == Game(game.ledger, "g").world.digest()
    game.submit("Ann", "count_on", at=NOON)
    assert game.world.get("Ann", "count") == 2
    assert game.world.balance("Ann", "$") == 0


def test_after_a_conflict_the_sandbox_is_thrown_away(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    game.submit("Ann", "count_on", at=NOON)
    process = game.engine._sandbox._process
    append = game._commit.append
    failed: list[list[e.Event]] = []

    def conflict_once(batch: list[e.Event]) -> None:
        if not failed:
            failed.append(batch)
            raise ConflictError("somebody was faster")
        append(batch)

    monkeypatch.setattr(game._commit, "append", conflict_once)
    game.submit("Ann", "count_on", at=NOON)
    assert failed
    assert game.world.get("Ann", "count") == 2
    assert game.engine._sandbox._process is not process
    assert state_in_sandbox(game) == game.world.digest()


def test_a_request_is_carried_out_in_a_fresh_sandbox_if_its_own_is_killed(game: Game) -> None:
    game.submit("Ann", "count_on", at=NOON)
    process = game.engine._sandbox._process
    assert process is not None
    os.kill(process._pid, signal.SIGKILL)
    game.submit("Ann", "count_on", at=NOON)
    assert game.world.get("Ann", "count") == 2
    (refusal,) = game.submit("Ann", "trip", at=NOON).refusals
    assert refusal.reasons[0].rule == "I.1@1"
    assert "the code of this rule failed" in refusal.reasons[0].text


def test_sandboxes_that_are_killed_all_the_time_lose_nothing_that_was_recorded(game: Game) -> None:
    stop = threading.Event()

    def kill() -> None:
        while not stop.wait(0.02):
            process = game.engine._sandbox._process
            if process is not None:
                os.kill(process._pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        for number in range(60):
            for _ in range(50):
                try:
                    game.submit("Ann", "count_on", at=NOON, id=f"r{number}")
                    break
                except RuleFault:
                    continue
    finally:
        stop.set()
        killer.join()
    assert Game(game.ledger, "g").world.get("Ann", "count") == 60
    assert game.ledger.verify("g").ok


# --- threads --------------------------------------------------------------------------------------


def test_threads_play_games_of_their_own_with_one_ledger(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "games.db", create=True) as ledger:

        def play(name: str) -> int:
            game = open_game(ledger, name, HOSTILE, at=NOON, secret=SECRET)
            game.join("Ann", at=NOON)
            for minute in range(15):
                game.submit("Ann", "count_on", at=NOON + timedelta(minutes=minute))
            game.engine.close()
            count = game.world.get("Ann", "count")
            assert isinstance(count, int)
            return count

        with ThreadPoolExecutor(6) as threads:
            assert set(threads.map(play, [f"g{number}" for number in range(6)])) == {15}


# --- counts ---------------------------------------------------------------------------------------


def counts_of(kind: type[Program], rulebook: str, names: list[str]) -> list[list[tuple[str, int]]]:
    """Return the count of operations of every attempt of some cases, run by programs of *kind*."""
    book, counts = load(rulebook), []
    finish = Engine.carry_out
    for case in cases_beside(rulebook):
        if case.name not in names:
            continue
        counted: list[tuple[str, int]] = []

        def note(engine: Engine, attempt: Any, *more: Any, counted: Any = counted) -> Any:
            host: Host = engine.link(engine.world.ruleset).host
            batch = finish(engine, attempt, *more)
            counted.append((attempt.operation, host.operations))
            return batch

        with pytest.MonkeyPatch.context() as patch, link_as(kind):
            patch.setattr(Engine, "carry_out", note)
            assert result_of(case, book).ok
        counts.append(counted)
    return counts


@pytest.mark.parametrize(
    ("rulebook", "step"),
    [
        ("mail-opening", 40),
        *(
            pytest.param(name, step, marks=pytest.mark.slow)
            for name, step in {
                "weekly-vote": 24,
                "origon": 24,
                "nomopoly-iii": 24,
                "mail": 90,
            }.items()
        ),
    ],
)
def test_an_attempt_has_one_count_of_operations_however_it_is_run(rulebook: str, step: int) -> None:
    names = [case.name for case in cases_beside(rulebook)][::step]
    played = counts_of(Program, rulebook, names)
    assert sum(count for attempts in played for _, count in attempts) > 20
    for kind in (TracedProgram, WatchedProgram):
        assert counts_of(kind, rulebook, names) == played


def test_the_depth_of_operations_is_the_same_however_they_are_run() -> None:
    code = (
        "def value_deeper(n):\n    return plain(n) if n == 0 else deeper(n - 1)\n"
        "def value_plain(n):\n    return plainer(n)\n"
        "def value_plainer(n):\n    return n\n"
        "def action_dive(player: Player, depth: Number):\n    deeper(depth)\n"
    )
    rule = Rule(number="I.2", code=code)
    outcomes = []
    for kind in (Program, TracedProgram, WatchedProgram):
        with link_as(kind):
            outcomes.append([partial(dive, rule, depth)() for depth in (100, 117, 118, 119, 130)])
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert set(outcomes[0]) == {True, False}


def dive(rule: Rule, depth: int) -> bool:
    """Return whether the rules let a player dive to *depth*, in this process."""
    world, common = World(), {"period": 1, "received_at": NOON, "recorded_at": NOON}
    fields: dict[str, Any] = {"id": "opening", "game": "g", "rulebook": "r", "dice": "entered"}
    apply(world, e.GameOpened(**fields, **common))  # type: ignore[arg-type]
    for each in (*HOSTILE.rules, rule):
        apply(world, e.RuleEnacted(rule=each, source="rulebook", **common))  # type: ignore[arg-type]
    engine = new_engine(world, ask_people)
    list(engine.run())
    list(engine.process(e.JoinRequested(id="j", name="Ann", **common)))  # type: ignore[arg-type]
    asked: dict[str, Any] = {"by": "Ann", "action": "dive", "arguments": {"depth": depth}}
    batches = engine.process(e.SubmissionReceived(id="d", **asked, **common))  # type: ignore[arg-type]
    events = [event for batch in batches for event in batch]
    return not any(isinstance(event, e.AttemptRefused) for event in events)
