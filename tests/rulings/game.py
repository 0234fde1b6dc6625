"""A game kept in memory, to be ruled on; the same game played right; and how to compare them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.oracles import seeded_oracle
from nomoledger.engine.settlement.differences import changed_paths
from nomoledger.engine.settlement.input_log import overlooked
from nomoledger.errors import ConflictError
from nomoledger.events.codec import decode, encode, tag_of
from nomoledger.events.rules import Rule
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.rebuild import rebuild
from nomoledger.language.host import Oracle, ask_people
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.reducer import apply
from nomoledger.state.world import Attempt, World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32


class Memory:
    """What a desk needs of a ledger, kept in a list; there are no snapshots of it."""

    def __init__(self) -> None:
        self.entries: list[e.Entry] = []
        self.store = self

    def snapshots(self, *_: object, **__: object) -> list[tuple[int, int]]:
        return []

    def read(self, game: str, after: int = -1, upto: int | None = None) -> Iterator[e.Entry]:
        return iter(self.entries[after + 1 : None if upto is None else upto + 1])

    def append(self, game: str, bodies: Sequence[e.Event], *, expected: int) -> None:
        if expected != len(self.entries) - 1:
            raise ConflictError("somebody else appended")
        for body in bodies:
            stored = decode(tag_of(body), encode(body))
            self.entries.append(e.Entry(game, len(self.entries), stored))

    def secret(self, game: str) -> bytes:
        return SECRET

    def find_input(self, game: str, id: str) -> int | None:
        found = (x.number for x in self.entries if isinstance(x.body, e.Input) and x.body.id == id)
        return next(found, None)


class QuickDesk(Game):
    """A desk that has the rules run in this process."""

    def _carry_out(
        self,
        follow: Callable[[Engine], Iterator[Batch]],
        stored: list[e.Event],
        tape: list[e.Entry],
    ) -> None:
        made: list[Batch] = []
        mark = self.world.mark()
        try:
            made.extend(follow(new_engine(self.world, oracle_of(self.world), SECRET, tape=tape)))
        finally:
            self.world.rollback(mark)
            for batch in made:
                self.ledger.append(self.name, batch, expected=self.world.head)
                self.catch_up()
                stored.extend(batch)


def oracle_of(world: World) -> Oracle:
    return seeded_oracle(SECRET) if world.game["dice"] == "seeded" else ask_people


class RuledGame:
    """One game under *rules*; each request comes a minute after the one before."""

    def __init__(self, rules: Sequence[Rule], dice: str = "seeded") -> None:
        self.memory = Memory()
        self.at = NOON
        self.count = 0
        self._open(rules, dice)
        self.desk = QuickDesk(cast(Ledger, self.memory), "g", clock=lambda: self.at)

    def _open(self, rules: Sequence[Rule], dice: str) -> None:
        common: dict[str, Any] = {"period": 1, "received_at": self.at, "recorded_at": self.at}
        opened = e.GameOpened(id="opening", game="g", rulebook="inline", dice=dice, **common)
        common |= {"source": "rulebook", "cause": 0, "rules": ("engine",)}
        begun = [opened, *(e.RuleEnacted(rule=rule, **common) for rule in rules)]
        world = World()
        for event in begun:
            apply(world, event)
        followed = [event for batch in new_engine(world, oracle_of(world)).run() for event in batch]
        self.memory.append("g", [*begun, *followed], expected=-1)

    @property
    def world(self) -> World:
        return self.desk.world

    @property
    def entries(self) -> list[e.Entry]:
        return self.memory.entries

    def ask(self, request: str, *given: Any, **fields: Any) -> tuple[e.Event, ...]:
        """What comes of a request at the desk."""
        self.at += timedelta(minutes=1)
        self.count += 1
        when = {"at": self.at, "id": f"i{self.count}"}
        made: tuple[e.Event, ...] = getattr(self.desk, request)(*given, **(when | fields)).events
        return made

    def go(self, player: str, action: str, **arguments: Any) -> int:
        """*player* asks for *action*; gives the number of the request."""
        number = len(self.entries)
        self.ask("submit", player, action, arguments)
        return number

    def rule_on(self, kind: str, *edits: e.Edit, **fields: Any) -> tuple[e.Event, ...]:
        return self.ask("rule_on", kind, "I rule.", edits=edits, **fields)

    def last(self, kind: type[e.Event]) -> int:
        """The number of the last event of that kind."""
        return next(x.number for x in reversed(self.entries) if isinstance(x.body, kind))

    def money(self, account: str, commodity: str = "$") -> int:
        return self.world.balance(account, commodity)


@contextmanager
def stored(game: RuledGame) -> Iterator[Ledger]:
    """A ledger with all that happened in *game*, called g, and a snapshot of every close."""
    with TemporaryDirectory() as made, Ledger.open(Path(made) / "g.db", create=True) as ledger:
        ledger.add_game("g", bytes(32))
        ledger.append("g", [each.body for each in game.entries], expected=-1)
        rebuild(ledger, "g")
        yield ledger


def refused(made: Sequence[e.Event]) -> str:
    """Why something was refused; empty where nothing was."""
    found = (each.reasons for each in made if isinstance(each, e.AttemptRefused))
    return "; ".join(reason.text for reasons in found for reason in reasons)


# --- the same game, played right ------------------------------------------------------------------


def played_right(entries: Sequence[e.Entry], edits: Sequence[e.Edit]) -> World:
    """The world had all been as *edits* say from the start, and no ruling reached back."""
    draws = {
        x.address: list(edit.value)
        for edit in edits
        if isinstance(edit, e.Replaced)
        and isinstance(x := entries[edit.event].body, e.DrawRecorded)
    }
    world = World()
    opening = [entry.body for entry in entries if not isinstance(entry.body, e.Input)]
    rules = [x for x in opening if isinstance(x, e.RuleEnacted) and x.source == "rulebook"]
    for event in (entries[0].body, *rules):
        apply(world, event)
    rolls = oracle_of(world)
    engine = new_engine(
        world, lambda question: draws.get(question.question) or rolls(question), SECRET
    )
    for _ in engine.run():
        pass
    for edit in edits:
        left_out = entries[edit.event].body if isinstance(edit, e.LeftOut) else None
        if isinstance(left_out, e.ProposalMade):  # whose number is not given again
            world.put(world.proposals, left_out.number, left_out)
            world.put(world.game, "void", (*world.game.get("void", ()), left_out.number))
    for body in right_inputs(entries, edits):
        for _ in engine.take(body):
            pass
    return world


def right_inputs(entries: Sequence[e.Entry], edits: Sequence[e.Edit]) -> Iterator[e.Input]:
    left_out = {edit.event for edit in edits if isinstance(edit, e.LeftOut)}
    replaced = {edit.event: edit.value for edit in edits if isinstance(edit, e.Replaced)}
    missed = overlooked(list(edits))
    for entry in entries[1:]:
        body = entry.body
        if isinstance(body, e.RulingMade) and body.effective is not None:
            at: dict[str, Any] = {"received_at": body.received_at, "recorded_at": body.recorded_at}
            yield e.ClockAdvanced(id=body.id, period=body.period, **at)
        elif isinstance(body, e.Input) and entry.number not in left_out:
            yield right(body, replaced[entry.number]) if entry.number in replaced else body
        for id, edit in missed.items():
            if edit.after == entry.number:
                yield taken_in(id, edit, body)


def right(body: e.Input, value: Any) -> e.Input:
    if isinstance(body, e.DrawEntered):
        return msgspec.structs.replace(body, values=tuple(value))
    if isinstance(body, e.ProposalJudged):
        return msgspec.structs.replace(body, verdict=value)
    if isinstance(body, e.SubmissionReceived):
        return msgspec.structs.replace(body, arguments=body.arguments | value)
    assert isinstance(body, e.ChoiceAnswered | e.RulingMade)
    return msgspec.structs.replace(body, value=value)


def taken_in(id: str, edit: e.TakenIn, beside: e.Event) -> e.Input:
    return e.SubmissionReceived(
        id=id,
        by=edit.by,
        action=edit.action,
        arguments=edit.arguments,
        period=beside.period,
        received_at=beside.received_at,
        recorded_at=beside.recorded_at,
    )


# --- comparing ------------------------------------------------------------------------------------

#: What tells of the engine's steps, of time and of rulings, and is no part of how things stand.
_BESIDE = {
    "rulings", "now", "recorded_at", "followed", "last_attempt", "posted", "posting", "diverged",
    "agenda", "proposed",
}  # fmt: skip


def essence(world: World) -> dict[str, Any]:
    """How things stand, without numbers of events and without the rulings behind it."""
    found: dict[str, Any] = {
        name: getattr(world, name)
        for name in ("entities", "kinds", "attributes", "counts", "answers", "edges")
    }
    found["edges"] = list(world.edges)
    found["precedents"] = {key: held["value"] for key, held in world.precedents.items()}
    found["balances"] = balances(world.balances)
    found["game"] = {key: value for key, value in world.game.items() if key not in _BESIDE}
    found["agenda"] = [_attempt(each) for each in world.agenda]
    found["orders"] = {key: order for key, (order, _) in world.orders.items()}
    found["questions"] = {key: _asked(each) for key, each in world.questions.items()}
    found["game"]["refused"] = [
        number
        for number in world.game.get("refused", ())
        if world.rulings[number][0].effective is None
    ]
    found["game"]["void"] = sorted(world.game.get("void", ()))
    found["proposals"] = {key: (each.by, each.changes) for key, each in world.proposals.items()}
    found["durations"] = {
        entity: {name: ending[:2] for name, ending in table.items()}
        for entity, table in world.durations.items()
    }
    found["timers"] = [
        (*_attempt(each.attempt), each.rule in {rule.name for rule in world.rules} and each.rule)
        for each in sorted(world.timers.values(), key=lambda each: each.order)
        if not _is_stale(world, each.attempt)
    ]
    found["past"] = {
        period: {key: past[key] for key in past if key != "ruled"}
        | {"balances": balances(past["balances"])}
        for period, past in world.past.items()
    }
    bare: dict[str, Any] = _bare(found)
    return bare


def unlike(one: World, other: World) -> list[Any]:
    """Where two worlds stand otherwise."""
    return list(changed_paths(essence(one), essence(other)))


def balances(table: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    return {
        account: {name: units for name, units in held.items() if units}
        for account, held in table.items()
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


def _asked(question: e.QuestionRaised) -> tuple[Any, ...]:
    return question.asks, question.to, question.text, question.options, question.default


def _bare(value: Any) -> Any:
    """*value* without tables that are empty, and with lists for tuples."""
    if isinstance(value, dict):
        kept = {key: _bare(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each not in ({}, [], None)}
    if isinstance(value, tuple | list):
        return [_bare(each) for each in value]
    return value


def folded(entries: Sequence[e.Entry]) -> World:
    world = World()
    for entry in entries:
        apply(world, entry.body)
    return world
