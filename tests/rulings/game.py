"""A game in memory for tests of rulings, the same game played correctly, and their comparison."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.dice import SEEDED, commitments_ahead
from nomoledger.engine.oracles import SeededOracle, recorded_draws
from nomoledger.engine.settlement.differences import changed_paths
from nomoledger.engine.settlement.input_log import overlooked
from nomoledger.errors import RuleFault
from nomoledger.events.levels import NEWEST
from nomoledger.events.rules import Rule
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.rebuild import rebuild
from nomoledger.language.host import Oracle, ask_people
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.state.reducer import apply
from nomoledger.state.world import Attempt, World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32


def oracle_of(world: World) -> Oracle:
    return SeededOracle(SECRET, world) if world.game["dice"] in SEEDED else ask_people


class EngineHere:
    """Stands in for the engine in a sandbox: these tests are about what the rules do."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def ask(self, question: Callable[..., Any], *arguments: Any, kind: Any) -> Any:
        return question(self.game.world, *arguments)

    def process(self, event: e.Input, recorded: Sequence[e.Entry] = ()) -> Iterator[Batch]:
        return self._stream(lambda engine: engine.process(event), recorded)

    def run(self, recorded: Sequence[e.Entry] = ()) -> Iterator[Batch]:
        return self._stream(Engine.run, recorded)

    def _stream(
        self, follow: Callable[[Engine], Iterator[Batch]], recorded: Sequence[e.Entry]
    ) -> Iterator[Batch]:
        """Yield the batches, with the world as it was: the game applies them itself."""
        world = self.game.world
        engine = new_engine(world, oracle_of(world), SECRET, recorded=recorded)
        batches: list[Batch] = []
        fault: RuleFault | None = None
        mark = world.mark()
        try:
            batches.extend(follow(engine))
        except RuleFault as error:
            fault = error
        finally:
            world.rollback(mark)
        yield from batches
        if fault is not None:
            raise fault

    def follow(self, event: e.Event) -> None: ...

    def close(self) -> None: ...


def opened_here(ledger: Ledger, **options: Any) -> Game:
    """Return the game "g", whose rules run in this process."""
    game = Game(ledger, "g", **options)
    game.engine = EngineHere(game)  # type: ignore[assignment]
    return game


class RuledGame:
    """One game under *rules*; each request comes a minute after the previous one."""

    def __init__(self, rules: Sequence[Rule], dice: str = "seeded") -> None:
        self.ledger = Ledger(MemoryStore())
        self.ledger.add_game("g", SECRET)
        self.history = History(self.ledger, "g")
        self.at = NOON
        self.count = 0
        self._open(rules, dice)
        self.game = opened_here(self.ledger, clock=lambda: self.at)

    def _open(self, rules: Sequence[Rule], dice: str) -> None:
        common: dict[str, Any] = {"period": 1, "received_at": self.at, "recorded_at": self.at}
        opened = e.GameOpened(
            id="opening", game="g", rulebook="inline", dice=dice, level=NEWEST,
            commitment=commitments_ahead(SECRET, 1, dice), **common,
        )  # fmt: skip
        common |= {"source": "rulebook", "cause": 0, "rules": ("engine",)}
        opening = [opened, *(e.RuleEnacted(rule=rule, **common) for rule in rules)]
        world = World()
        for event in opening:
            apply(world, event)
        batches = new_engine(world, oracle_of(world)).run()
        consequences = [event for batch in batches for event in batch]
        self.ledger.append("g", [*opening, *consequences], expected=-1)

    @property
    def world(self) -> World:
        return self.game.world

    @property
    def entries(self) -> list[e.Entry]:
        return self.history.entries()

    def ask(self, request: str, *arguments: Any, **fields: Any) -> tuple[e.Event, ...]:
        """Call the method *request* of the game, and return the events that follow."""
        self.at += timedelta(minutes=1)
        self.count += 1
        when = {"at": self.at, "id": f"i{self.count}"}
        outcome = getattr(self.game, request)(*arguments, **(when | fields))
        events: tuple[e.Event, ...] = outcome.events
        return events

    def go(self, player: str, action: str, **arguments: Any) -> int:
        """Submit *action* for *player*, and return the number of the submission."""
        number = len(self.entries)
        self.ask("submit", player, action, arguments)
        return number

    def rule_on(self, kind: str, *edits: e.Edit, **fields: Any) -> tuple[e.Event, ...]:
        return self.ask("rule_on", kind, "I rule.", edits=edits, **fields)

    def last(self, kind: type[e.Event]) -> int:
        """Return the number of the last event of *kind*."""
        return next(x.number for x in reversed(self.entries) if isinstance(x.body, kind))

    def money(self, account: str, commodity: str = "$") -> int:
        return self.world.balance(account, commodity)


@contextmanager
def stored(game: RuledGame) -> Iterator[Ledger]:
    """Store the events of *game* as game g of a ledger, with a snapshot of every close."""
    with TemporaryDirectory() as folder, Ledger.open(Path(folder) / "g.db", create=True) as ledger:
        ledger.add_game("g", bytes(32))
        ledger.append("g", [entry.body for entry in game.entries], expected=-1)
        rebuild(ledger, "g")
        yield ledger


def refused(events: Sequence[e.Event]) -> str:
    """Return the reasons of the refusals among *events*; empty if there are none."""
    refusals = (event for event in events if isinstance(event, e.AttemptRefused))
    return "; ".join(reason.text for refusal in refusals for reason in refusal.reasons)


# --- the same game, played correctly --------------------------------------------------------------


def played_right(entries: Sequence[e.Entry], edits: Sequence[e.Edit]) -> World:
    """Return the world of a game played with *edits* from the start and no retroactive ruling.

    Every die that was rolled falls as it did, whatever was left out or added before it.
    """
    draws = recorded_draws(entries)
    draws |= {
        x.answers: list(edit.value)
        for edit in edits
        if isinstance(edit, e.Replaced)
        and isinstance(x := entries[edit.event].body, e.DrawRecorded)
    }
    world = World()
    bodies = [entry.body for entry in entries]
    rules = [x for x in bodies if isinstance(x, e.RuleEnacted) and x.source == "rulebook"]
    for event in (entries[0].body, *rules):
        apply(world, event)
    dice = oracle_of(world)
    engine = new_engine(
        world, lambda question: draws.get(question.question) or dice(question), SECRET
    )
    for _ in engine.run():
        pass
    for edit in edits:
        left_out = entries[edit.event].body if isinstance(edit, e.LeftOut) else None
        if isinstance(left_out, e.ProposalMade):  # its number is not used again
            world.put(world.proposals, left_out.number, left_out)
            world.put(world.game, "void", (*world.game.get("void", ()), left_out.number))
    for body in correct_inputs(entries, edits):
        for _ in engine.process(body):
            pass
    return world


def correct_inputs(entries: Sequence[e.Entry], edits: Sequence[e.Edit]) -> Iterator[e.Input]:
    left_out = {edit.event for edit in edits if isinstance(edit, e.LeftOut)}
    replaced = {edit.event: edit.value for edit in edits if isinstance(edit, e.Replaced)}
    added = overlooked(list(edits))
    for entry in entries[1:]:
        body = entry.body
        if isinstance(body, e.RulingMade) and body.effective is not None:
            at: dict[str, Any] = {"received_at": body.received_at, "recorded_at": body.recorded_at}
            yield e.ClockAdvanced(id=body.id, period=body.period, **at)
        elif isinstance(body, e.Input) and entry.number not in left_out:
            yield replace_value(body, replaced[entry.number]) if entry.number in replaced else body
        for id, edit in added.items():
            if edit.after == entry.number:
                yield overlooked_submission(id, edit, body)


def replace_value(body: e.Input, value: Any) -> e.Input:
    if isinstance(body, e.DrawEntered):
        return msgspec.structs.replace(body, values=tuple(value))
    if isinstance(body, e.ProposalJudged):
        return msgspec.structs.replace(body, verdict=value)
    if isinstance(body, e.SubmissionReceived):
        return msgspec.structs.replace(body, arguments=body.arguments | value)
    assert isinstance(body, e.ChoiceAnswered | e.RulingMade)
    return msgspec.structs.replace(body, value=value)


def overlooked_submission(id: str, edit: e.TakenIn, after: e.Event) -> e.Input:
    return e.SubmissionReceived(
        id=id,
        by=edit.by,
        action=edit.action,
        arguments=edit.arguments,
        period=after.period,
        received_at=after.received_at,
        recorded_at=after.recorded_at,
    )


# --- comparison -----------------------------------------------------------------------------------

#: Values about the engine's steps, time and rulings, which are not compared.
_NOT_COMPARED = {
    "rulings", "now", "recorded_at", "followed", "last_attempt", "posted", "posting", "diverged",
    "agenda", "proposed", "shares", "request",
}  # fmt: skip


def essence(world: World) -> dict[str, Any]:
    """Return the state of *world* without event numbers and without the rulings behind it."""
    state: dict[str, Any] = {
        name: getattr(world, name)
        for name in ("entities", "kinds", "attributes", "counts", "answers", "edges")
    }
    state["edges"] = list(world.edges)
    state["precedents"] = {key: precedent["value"] for key, precedent in world.precedents.items()}
    state["balances"] = balances(world.balances)
    state["game"] = {key: value for key, value in world.game.items() if key not in _NOT_COMPARED}
    state["agenda"] = [_attempt(attempt) for attempt in world.agenda]
    state["orders"] = {key: order for key, (order, _) in world.orders.items()}
    state["questions"] = {key: _question(question) for key, question in world.questions.items()}
    state["game"]["refused"] = [
        number
        for number in world.game.get("refused", ())
        if world.rulings[number][0].effective is None
    ]
    state["game"]["void"] = sorted(world.game.get("void", ()))
    state["proposals"] = {number: (x.by, x.changes) for number, x in world.proposals.items()}
    state["durations"] = {
        entity: {name: ending[:2] for name, ending in table.items()}
        for entity, table in world.durations.items()
    }
    rules = {rule.name for rule in world.rules}
    state["timers"] = [
        (*_attempt(timer.attempt), timer.rule in rules and timer.rule)
        for timer in sorted(world.timers.values(), key=lambda timer: timer.order)
        if not _is_stale(world, timer.attempt)
    ]
    state["past"] = {
        period: {key: past[key] for key in past if key != "ruled"}
        | {"balances": balances(past["balances"])}
        for period, past in world.past.items()
    }
    essence: dict[str, Any] = _without_empty(state)
    return essence


def unlike(left: World, right: World) -> list[Any]:
    """Return the differences between two worlds."""
    return list(changed_paths(essence(left), essence(right)))


def balances(table: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    return {
        account: {name: units for name, units in holdings.items() if units}
        for account, holdings in table.items()
    }


def _attempt(attempt: Attempt) -> tuple[Any, ...]:
    arguments: Sequence[Any] = attempt.arguments
    arguments = arguments[:2] if attempt.operation == "@expire" else arguments
    return (
        attempt.id, attempt.operation, list(arguments), attempt.named, attempt.by, attempt.at,
        attempt.audience,
    )  # fmt: skip


def _is_stale(world: World, attempt: Attempt) -> bool:
    if attempt.operation != "@expire":
        return False
    entity, attribute, number = attempt.arguments
    ending = world.durations.get(entity, {}).get(attribute)
    return ending is None or ending[2] != number


def _question(question: e.QuestionRaised) -> tuple[Any, ...]:
    return question.asks, question.to, question.text, question.options, question.default


def _without_empty(value: Any) -> Any:
    """Return *value* without empty tables, and with lists in place of tuples."""
    if isinstance(value, dict):
        table = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in table.items() if item not in ({}, [], None)}
    if isinstance(value, tuple | list):
        return [_without_empty(item) for item in value]
    return value


def folded(entries: Sequence[e.Entry]) -> World:
    world = World()
    for entry in entries:
        apply(world, entry.body)
    return world
