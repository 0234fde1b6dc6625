"""Replay of a period under its own rules, and comparison with the recorded events."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.replaying import next_failed_step, replay_input
from nomoledger.events.display import without_display_text
from nomoledger.game.audit.findings import FactPlace, PeriodAudit, segments
from nomoledger.game.audit.omissions import Omission, Repetition
from nomoledger.game.audit.unknown_parts import (
    UnknownFact,
    UnknownPart,
    unknown_facts_behind,
    unknown_parts,
)
from nomoledger.game.period_start import period_start
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.teller import Teller, describe_event
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.reducer import apply
from nomoledger.state.unknowns import unknowns
from nomoledger.state.world import World


class Divergence(msgspec.Struct, frozen=True):
    """One difference between the record and the rules.

    Attributes:
        event: number of the fact, or of the first consequence, that differs.
        subject: the entity or account that differs.
        what: the attribute, commodity or outcome that differs.
        recorded: the recorded value.
        by_rules: the value by the rules.
        rule: the rule behind the value by the rules.
        follows: further differences of the same attempt, which this one explains.
    """

    event: int
    subject: str
    what: str
    recorded: Any
    by_rules: Any
    rule: str
    follows: tuple["Divergence", ...] = ()


D = TypeVar("D", bound=Divergence)
#: Returns a divergence, given the number of its event, the event, and what follows from it.
MakeDivergence = Callable[[int, e.RecordPrevailed, tuple[D, ...]], D]


class Unexplained(msgspec.Struct, frozen=True):
    """A recorded fact that no rule in force covers.

    Attributes:
        event: number of the fact.
        kind: its kind.
        why: the reason, for people.
    """

    event: int
    kind: str
    why: str


class ReplayResult(msgspec.Struct, frozen=True):
    """What a replay of all that is recorded, or of what some readers see, has found.

    Attributes:
        game: name of the game.
        period: the period replayed.
        mode: "audit" if the period holds facts of a hand-kept record, else "exact".
        exact: whether nothing differs.
        compared: in an audit, the number of facts compared with the rules; else of consequences.
        consequences: the number of consequences recorded.
        unexplained: facts that no rule covers.
        divergences: all differences.
    """

    game: str
    period: int
    mode: str
    exact: bool
    compared: int
    consequences: int
    unexplained: tuple[Unexplained, ...]
    divergences: tuple[Divergence, ...]


class LocatedDivergence(Divergence, frozen=True, kw_only=True):
    """One difference between the record and the rules, with what an admin needs to act on it.

    Attributes:
        follows: further differences of the same attempt, which this one explains.
        line: the line of the record; None for what no line states.
        who: the player whom it is about; of a payment, who paid.
        where: the square that it is about.
        explained_if: the single fact that would explain it, found by trying; None if none does.
        belongs_after: the line after which it would agree, if it stands in the wrong place.
    """

    follows: tuple["LocatedDivergence", ...] = ()
    line: int | None = None
    who: str | None = None
    where: Any = None
    explained_if: str | None = None
    belongs_after: int | None = None


class Report(ReplayResult, frozen=True, kw_only=True):
    """The result of a replay of all that is recorded.

    Attributes:
        divergences: all differences.
        digest: SHA-256 of the state after the period.
        omitted: what the rules did, and the record does not mention.
        repeated: the facts that only say again what an earlier fact said.
        has_record: whether the record of a hand-kept game says anything about the period; true of
            all other games.
        unknown: what the record does not know, so that facts are not compared.
    """

    divergences: tuple[LocatedDivergence, ...]
    digest: str
    omitted: tuple[Omission, ...] = ()
    repeated: tuple[Repetition, ...] = ()
    has_record: bool = True
    unknown: tuple[UnknownPart, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong, unexplained, left out or said twice, and there is a record."""
        return self.exact and not self.unexplained


def replay(
    ledger: Ledger,
    game: str,
    period: int | None = None,
    *,
    limits: Limits | None = None,
    from_start: bool = False,
    history: History | None = None,
) -> Report:
    """Replay *period* of *game* (the open one if None) under its own rules.

    Reading starts from the snapshot of the close before, if its digest equals the recorded one.
    With *from_start*, all events are read and folded. *history* is what the caller has read
    already.

    Raises:
        UnknownError: that period has not begun.
        RuleFault: rule code failed.
    """
    history = history or History(ledger, game)
    start = period_start(history, period, from_start=from_start)
    is_all_known = not unknowns(start.world)
    behind = () if is_all_known else unknown_facts_behind(start.world, history.entries())
    run = _PeriodRun(start.engine(history), start.first, start.bodies, behind)
    *_, piece = stream_from_sandbox(_replay, run, game, start.period, limits=limits or AGAIN)
    return msgspec.msgpack.decode(piece, type=Report)


def _replay(run: "_PeriodRun", game: str, period: int) -> Iterator[bytes]:
    for _ in run.run():
        yield b""  # The limits apply to one attempt, not to a whole period.
    digest = run.engine.world.digest()
    run.find_unknown()
    audit = run.audit()
    for _ in audit.run():
        yield b""
    yield msgspec.msgpack.encode(run.report(game, period, digest, audit))


class _PeriodRun:
    """One replay of the recorded events of a period, input by input."""

    def __init__(
        self,
        engine: Engine,
        first: int,
        bodies: Sequence[e.Event],
        behind: Sequence[UnknownFact] = (),
    ) -> None:
        """Replay *bodies* on *engine*; *first* is the number of the first of them.

        *behind* are the facts on account of which something is unknown before them.
        """
        self.behind = behind
        self.unknown: tuple[UnknownPart, ...] = ()
        self.engine = engine
        self.first = first
        self.bodies = bodies
        self.differences: list[LocatedDivergence] = []
        self.consequences = 0
        self._mark: tuple[int, int] | None = None

    def run(self) -> Iterator[None]:
        """Replay all inputs, and yield before each."""
        self._mark = self.engine.world.mark()
        for start, end in segments(self.bodies):
            yield
            self._compare(start, end, self._follow(start))

    def find_unknown(self) -> None:
        """Find what the record does not know, once the period has been run."""
        found = unknown_parts(self.engine.world, self.bodies, self.first, self.behind)
        self.unknown = tuple(found)

    def audit(self) -> PeriodAudit:
        """Return an audit of the period, from the state before it on."""
        assert self._mark is not None, "the period has been run"
        self.engine.world.rollback(self._mark)
        return PeriodAudit(self.engine, self.bodies, self.first)

    def report(self, game: str, period: int, digest: str, audit: PeriodAudit) -> Report:
        """Return the result of the replay and of *audit*; *digest* is that of the final state."""
        facts = self._facts()

        def locate(
            number: int, body: e.RecordPrevailed, follows: tuple[LocatedDivergence, ...]
        ) -> LocatedDivergence:
            why = audit.explanations.get(number)
            place = msgspec.structs.asdict(audit.places.get(number, FactPlace()))
            after = audit.displaced.get(body.fact)
            found = LocatedDivergence(**_fields_of(body), follows=follows, **place)
            return msgspec.structs.replace(found, explained_if=why, belongs_after=after)

        recorded = recorded_divergences(self.bodies, self.first, locate)
        divergences = (*recorded, *self.differences)
        is_audit = any(isinstance(body, e.FactRecorded) for body in self.bodies)
        has_record = audit.has_record or not is_audit
        omitted, repeated = (audit.omitted, audit.repeated) if has_record else ((), ())
        return Report(
            game=game,
            period=period,
            mode="audit" if is_audit else "exact",
            exact=has_record and not (divergences or omitted or repeated or self.unknown),
            compared=facts if is_audit else self.consequences,
            consequences=self.consequences,
            unexplained=tuple(unexplained_facts(self.bodies, self.first)),
            divergences=divergences,
            digest=digest,
            omitted=omitted,
            repeated=repeated,
            has_record=has_record,
            unknown=self.unknown,
        )

    def _follow(self, start: int) -> Iterator[list[e.Event]]:
        event = self.bodies[start]
        if not isinstance(event, e.Input):
            self.engine.failing = next_failed_step(self.bodies, start)
            return self.engine.run()
        return replay_input(self.engine, self.bodies, start)

    def _compare(self, start: int, end: int, follow: Iterator[list[e.Event]]) -> None:
        world, recorded_bodies = self.engine.world, self.bodies[start:end]
        mark = world.mark()
        replayed: list[e.Event] = []
        for batch in follow:
            replayed += batch
            if end == len(self.bodies) and isinstance(batch[-1], e.PeriodClosed):
                break  # What follows belongs to the next period.
            if len(replayed) >= len(recorded_bodies) and self._stops_short(end):
                break
        replayed = [
            *map(in_old_format, replayed, recorded_bodies),
            *replayed[len(recorded_bodies) :],
        ]
        self.consequences += len(recorded_bodies) - isinstance(recorded_bodies[0], e.Input)
        if replayed == recorded_bodies:
            world.release(mark)
            return
        if comparable(replayed) != comparable(recorded_bodies):
            self._differ(start, recorded_bodies, replayed, world)
        world.rollback(mark)
        for body in recorded_bodies:
            apply(world, body)

    def _stops_short(self, end: int) -> bool:
        """Return whether more may follow than is recorded before *end*.

        This is so if play was still under way, if what follows belongs to the next period, if an
        urgent ruling interrupted play, or if a step failed.
        """
        if end == len(self.bodies):
            return True
        following = self.bodies[end]
        if isinstance(following, e.RulingMade):
            return following.urgent
        return isinstance(following, e.StepFailed)

    def _differ(
        self, start: int, recorded: Sequence[e.Event], replayed: Sequence[e.Event], world: World
    ) -> None:
        pairs = zip(comparable(recorded), comparable(replayed), strict=False)
        length = min(len(recorded), len(replayed))
        place = next((i for i, (first, second) in enumerate(pairs) if first != second), length)
        recorded_event = recorded[place] if place < len(recorded) else None
        replayed_event = replayed[place] if place < len(replayed) else None
        event = replayed_event or recorded_event
        assert event is not None
        self.differences.append(
            LocatedDivergence(
                event=self.first + start + place,
                subject=_subject(event, world),
                what=str(getattr(event, "attribute", type(event).__name__)),
                recorded=_describe(recorded_event, world),
                by_rules=_describe(replayed_event, world),
                rule=(*event.rules, "engine")[0],
            )
        )

    def _facts(self) -> int:
        kinds = (e.FactConfirmed, e.RecordPrevailed)
        return sum(isinstance(body, kinds) for body in self.bodies)


# --- facts of a hand-kept record -----------------------------------------------------------------


def unexplained_facts(bodies: Sequence[e.Event], first: int) -> Iterator[Unexplained]:
    """Yield the facts among *bodies* that no rule covers; *first* is the number of the first."""
    for body in bodies:
        if isinstance(body, e.FactUnexplained):
            place = body.fact - first
            fact = bodies[place] if 0 <= place < len(bodies) else None
            yield Unexplained(
                body.fact, fact.kind if isinstance(fact, e.FactRecorded) else "", body.why
            )


def recorded_divergences(
    bodies: Sequence[e.Event], first: int, make: MakeDivergence[D]
) -> Iterator[D]:
    """Yield what the facts among *bodies* differ in; *first* is the number of the first.

    *make* returns a divergence, given the number of its event, the event, and what follows from it.
    """
    differences = [
        (first + place, body)
        for place, body in enumerate(bodies)
        if isinstance(body, e.RecordPrevailed)
    ]
    for number, body in differences:
        if body.follows is None:
            later = [(n, other) for n, other in differences if other.follows == number]
            yield make(number, body, tuple(make(n, other, ()) for n, other in later))


def divergence(number: int, body: e.RecordPrevailed, follows: tuple[Divergence, ...]) -> Divergence:
    """Return the difference that *body* recorded, and that *follows* follow from."""
    return Divergence(**_fields_of(body), follows=follows)


def _subject(event: e.Event, world: World) -> str:
    """Return what people call the thing that *event* is about."""
    return str(Teller(world).label(getattr(event, "entity", getattr(event, "piece", "game"))))


def _describe(event: e.Event | None, world: World) -> str | None:
    return None if event is None else describe_event(event, world)


def in_old_format(replayed: e.Event, recorded: e.Event) -> e.Event:
    """Return *replayed* without fields that draws did not have when *recorded* was recorded."""
    if not (isinstance(recorded, e.DrawRecorded) and isinstance(replayed, e.DrawRecorded)):
        return replayed
    if recorded.sides or recorded.options:
        return replayed
    return msgspec.structs.replace(replayed, sides=(), options=())


def _fields_of(body: e.RecordPrevailed) -> dict[str, Any]:
    return {
        "event": body.fact,
        "subject": body.subject,
        "what": body.what,
        "recorded": body.recorded,
        "by_rules": body.by_rules,
        "rule": (*body.rules, "engine")[0],
    }


def comparable(events: Iterable[e.Event]) -> list[e.Event]:
    """Return *events* without the text that the engine composed for people."""
    return [without_display_text(event) for event in events]
