"""Runs a period again under its own rules, and compares all that follows with what is recorded."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.replaying import replay_input
from nomoledger.events.display import without_display_text
from nomoledger.game.period_start import period_start
from nomoledger.ledger.history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.descriptions import describe_event
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import stream_from_worker
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


class Divergence(msgspec.Struct, frozen=True):
    """One difference between what is recorded and what the rules give.

    *event* is the number of the fact, or of the first consequence, that differs; *subject* and
    *what* say of whom and which attribute; *rule* is the rule behind the value by the rules.
    *follows* are further differences of the same attempt, which this one explains.
    """

    event: int
    subject: str
    what: str
    recorded: Any
    by_rules: Any
    rule: str
    follows: tuple["Divergence", ...] = ()


class Unexplained(msgspec.Struct, frozen=True):
    """A recorded fact that no rule in force speaks of."""

    event: int
    kind: str
    why: str


class Report(msgspec.Struct, frozen=True):
    """What a replay found.

    *mode* is "audit" where the period holds facts of a hand-kept record (then *compared* counts
    those held against the rules), else "exact" (then it counts consequences). *digest* is the hash
    of the whole state afterwards.
    """

    game: str
    period: int
    mode: str
    exact: bool
    compared: int
    consequences: int
    unexplained: tuple[Unexplained, ...]
    divergences: tuple[Divergence, ...]
    digest: str


def replay(
    ledger: Ledger,
    game: str,
    period: int | None = None,
    *,
    limits: Limits | None = None,
    from_start: bool = False,
    history: History | None = None,
) -> Report:
    """Replay *period* of *game* (the open one where None) under its own rules.

    Reading starts from the snapshot of the close before, if its digest equals the recorded one;
    *from_start* reads and folds everything. *history* is what a caller has read already.

    Raises:
        UnknownError: that period has not begun.
        RuleFault: rule code failed.
    """
    history = history or History(ledger, game)
    start = period_start(history, period, from_start=from_start)
    engine = start.engine(history)

    def pieces() -> Iterator[bytes]:
        run = _PeriodRun(engine, start.first, start.bodies)
        for _ in run.run():
            yield b""  # the limits are those of one input, not of a whole period
        yield msgspec.msgpack.encode(run.report(game, start.period))

    *_, piece = stream_from_worker(pieces, limits)
    return msgspec.msgpack.decode(piece, type=Report)


class _PeriodRun:
    """One run over the recorded events of a period, input by input."""

    def __init__(self, engine: Engine, first: int, bodies: Sequence[e.Event]) -> None:
        self.engine = engine
        self.first = first
        self.bodies = bodies
        self.differences: list[Divergence] = []
        self.consequences = 0

    def run(self) -> Iterator[None]:
        """Go over all of it, input by input."""
        starts = [i for i, body in enumerate(self.bodies) if isinstance(body, e.Input)]
        if self.bodies and starts[:1] != [0]:
            starts.insert(0, 0)  # the rest of what was asked for in the period before
        for start, end in zip(starts, [*starts[1:], len(self.bodies)], strict=False):
            yield
            self._compare(start, end, self._follow(start))

    def report(self, game: str, period: int) -> Report:
        """What was found."""
        facts = self._facts()
        divergences = (*self._divergences(), *self.differences)
        is_audit = any(isinstance(body, e.FactRecorded) for body in self.bodies)
        return Report(
            game=game,
            period=period,
            mode="audit" if is_audit else "exact",
            exact=not divergences,
            compared=facts if is_audit else self.consequences,
            consequences=self.consequences,
            unexplained=tuple(self._unexplained()),
            divergences=divergences,
            digest=self.engine.world.digest(),
        )

    def _follow(self, start: int) -> Iterator[list[e.Event]]:
        event = self.bodies[start]
        if not isinstance(event, e.Input):
            return self.engine.run()
        return replay_input(self.engine, self.bodies, start)

    def _compare(self, start: int, end: int, follow: Iterator[list[e.Event]]) -> None:
        world, recorded_bodies = self.engine.world, self.bodies[start:end]
        mark = world.mark()
        made: list[e.Event] = []
        for batch in follow:
            made += batch
            if len(made) >= len(recorded_bodies) and self._stops_short(end):
                break
        made = [*map(_as_then, made, recorded_bodies), *made[len(recorded_bodies) :]]
        self.consequences += len(recorded_bodies) - isinstance(recorded_bodies[0], e.Input)
        if made == recorded_bodies:
            world.release(mark)
            return
        if _comparable(made) != _comparable(recorded_bodies):
            self._differ(start, recorded_bodies, made, world)
        world.rollback(mark)
        for body in recorded_bodies:
            apply(world, body)

    def _stops_short(self, end: int) -> bool:
        """Whether more may follow than is recorded before *end*: play was still under way, or an
        urgent ruling came in between."""
        if end == len(self.bodies):
            return not isinstance(self.bodies[-1], e.PeriodClosed)
        following = self.bodies[end]
        return isinstance(following, e.RulingMade) and following.urgent

    def _differ(
        self, start: int, was: Sequence[e.Event], made: Sequence[e.Event], world: World
    ) -> None:
        pairs = zip(_comparable(was), _comparable(made), strict=False)
        length = min(len(was), len(made))
        place = next((i for i, (one, other) in enumerate(pairs) if one != other), length)
        old = was[place] if place < len(was) else None
        new = made[place] if place < len(made) else None
        told = new or old
        assert told is not None
        self.differences.append(
            Divergence(
                event=self.first + start + place,
                subject=str(world.label(getattr(told, "entity", getattr(told, "piece", "game")))),
                what=str(getattr(told, "attribute", type(told).__name__)),
                recorded=None
                if old is None
                else describe_event(old, world.label, world.commodities()),
                by_rules=None
                if new is None
                else describe_event(new, world.label, world.commodities()),
                rule=(*told.rules, "engine")[0],
            )
        )

    # --- what a hand-kept record says against the rules

    def _facts(self) -> int:
        kinds = (e.FactConfirmed, e.RecordPrevailed)
        return sum(isinstance(body, kinds) for body in self.bodies)

    def _unexplained(self) -> Iterator[Unexplained]:
        for body in self.bodies:
            if isinstance(body, e.FactUnexplained):
                fact = self.bodies[body.fact - self.first]
                kind = fact.kind if isinstance(fact, e.FactRecorded) else ""
                yield Unexplained(body.fact, kind, body.why)

    def _divergences(self) -> Iterator[Divergence]:
        found = [
            (self.first + place, body)
            for place, body in enumerate(self.bodies)
            if isinstance(body, e.RecordPrevailed)
        ]
        for number, body in found:
            if body.follows is None:
                yield _divergence(body, [each for _, each in found if each.follows == number])


def _as_then(made: e.Event, was: e.Event) -> e.Event:
    """*made* as it would have been recorded when *was* was: draws did not always say from what."""
    if not (isinstance(was, e.DrawRecorded) and isinstance(made, e.DrawRecorded)):
        return made
    if was.sides or was.options:
        return made
    return msgspec.structs.replace(made, sides=(), options=())


def _divergence(body: e.RecordPrevailed, follows: list[e.RecordPrevailed]) -> Divergence:
    return Divergence(
        event=body.fact,
        subject=body.subject,
        what=body.what,
        recorded=body.recorded,
        by_rules=body.by_rules,
        rule=(*body.rules, "engine")[0],
        follows=tuple(_divergence(each, []) for each in follows),
    )


def _comparable(events: Sequence[e.Event]) -> list[e.Event]:
    """Return *events* without the text that the engine composed for people."""
    return [without_display_text(event) for event in events]
