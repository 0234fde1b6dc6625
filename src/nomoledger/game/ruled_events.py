"""What a ruling on the past changed, event by event: what was recorded, what it would have been.

Both lines of play are played again from the events that some readers may see, with and without the
ruling. What is told therefore depends on nothing that is sealed.
"""

from collections.abc import Iterator, Sequence

import msgspec

from nomoledger import events as e
from nomoledger.engine.oracles import ReplayOracle, recorded_draws
from nomoledger.engine.settlement.event_changes import EventChange, event_changes
from nomoledger.engine.settlement.ruling_validity import (
    edits_of,
    first_edited_event,
    rulings_in_force,
)
from nomoledger.engine.settlement.timeline import Timeline
from nomoledger.errors import RuleFault
from nomoledger.proof.public_stream import apply_public
from nomoledger.prose.payment_words import CONDITIONAL, PAST, tell_no_payment, tell_payment
from nomoledger.prose.teller import Teller
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.world import World

#: The events that are told. The others are requests, and bookkeeping of the engine.
_TOLD = (
    *(e.Posted, e.Moved, e.AttributeSet, e.EntityCreated, e.EntityDestroyed, e.DrawRecorded),
    *(e.AttemptRefused, e.GameEnded, e.RuleEnacted, e.RuleAmended, e.RuleRepealed),
    e.RuleRenumbered,
)
#: What is told of an event that there is in one line of play only, in the other.
NOTHING = "nothing"


class RuledEvent(msgspec.Struct, frozen=True):
    """An event that would have been another one, or would not have been, under a ruling.

    Attributes:
        event: the number of the event, or of the request that leads to it; None if the request is
            not recorded.
        period: the period of the event.
        recorded: what happened, in words.
        otherwise: what would have happened, in words.
    """

    event: int | None
    period: int
    recorded: str
    otherwise: str

    def __str__(self) -> str:
        """Return one line, as in "#14 Bob paid Ann $12 → Bob would have paid nobody"."""
        number = "" if self.event is None else f"#{self.event} "
        return f"{number}{self.recorded} → {self.otherwise}"


def ruled_events(
    entries: Sequence[e.Entry], ruling: int, limits: Limits | None = None
) -> tuple[RuledEvent, ...] | None:
    """Return what ruling number *ruling* changed in what its readers know as *entries*.

    Event number n is at place n of *entries*. A ruling that was not carried out changed nothing.
    The result is None if the play cannot be followed from *entries* alone.
    """
    entries = _up_to_settlement(entries, ruling)
    if not entries:
        return ()
    try:
        *_, last = stream_from_sandbox(_compared, entries, ruling, limits=limits or AGAIN)
    except RuleFault:  # The rules took too much time or memory.
        return None
    return msgspec.msgpack.decode(last, type=tuple[RuledEvent, ...] | None)


def _up_to_settlement(entries: Sequence[e.Entry], ruling: int) -> Sequence[e.Entry]:
    """Return *entries* up to the settlement of *ruling*; none if nothing was played again for it.

    Its dice are recorded before it is settled.
    """
    changes = False
    end = 0
    for place, entry in enumerate(entries, 1):
        body = entry.body
        if isinstance(body, e.RulingMade) and body.number == ruling:
            changes = bool(body.edits or body.overrules)
        elif isinstance(body, e.Settled) and body.ruling == ruling:
            end = place
    return entries[:end] if changes else ()


def _compared(entries: Sequence[e.Entry], number: int) -> Iterator[bytes]:
    """Yield a piece for each input that is played again, and last the encoded result."""
    result = None
    try:
        lines = []
        for line in _lines_of_play(entries, number):
            for _ in line.run():
                yield b""
            lines.append(line)
        if not any(line.rerun.stopped for line in lines):
            result = tuple(_told(entries, *lines))
    except Exception:  # Rules may fail in any way in a world that lacks the sealed events.
        result = None
    yield msgspec.msgpack.encode(result)


def _lines_of_play(entries: Sequence[e.Entry], number: int) -> Iterator[Timeline]:
    """Yield the play up to ruling *number*: without the ruling, and with it."""
    world, at = World(), 0
    for entry in entries:
        apply_public(world, entry.body)
        if isinstance(entry.body, e.RulingMade) and entry.body.number == number:
            at = entry.number
            break
    oracle = ReplayOracle(recorded_draws(entries))
    ruling, _ = world.rulings[number]
    for rulings in (rulings_in_force(world, before=number), rulings_in_force(world)):
        yield Timeline(
            entries[:at],
            edits_of(rulings),
            since=first_edited_event(world),
            oracle=oracle,
            questions=ruling.questions,
        )


def _told(entries: Sequence[e.Entry], without: Timeline, ruled: Timeline) -> Iterator[RuledEvent]:
    lines = tuple(_ToldLine(entries[: line.input_log.first]) for line in (without, ruled))
    for changes in event_changes(without, ruled):
        for change in changes:
            event = _told_change(change, *lines)
            if event is not None:
                yield event


def _told_change(change: EventChange, before: "_ToldLine", after: "_ToldLine") -> RuledEvent | None:
    """Return *change* in words, after both lines took their event; None if it shows nothing."""
    is_told = change.differs
    old = before.take(change.before, is_told=is_told)
    new = after.take(change.after, is_told=is_told)
    event = old or new
    if event is None:
        return None
    recorded, otherwise = _in_words(old, new, before.teller, after.teller)
    if recorded == otherwise:
        return None
    return RuledEvent(change.number, event.period, recorded, otherwise)


def _in_words(
    old: e.Event | None, new: e.Event | None, before: Teller, after: Teller
) -> tuple[str, str]:
    """Return what happened, and what would have happened; one of the events may be None."""
    if isinstance(old, e.Posted):
        recorded = tell_payment(old, before, PAST)
    elif old is not None:
        recorded = before.tell(old)
    elif isinstance(new, e.Posted):
        recorded = tell_no_payment(new, after, PAST)
    else:
        recorded = NOTHING
    if isinstance(new, e.Posted):
        return recorded, tell_payment(new, after, CONDITIONAL)
    if new is not None:
        return recorded, after.tell(new)
    if isinstance(old, e.Posted):
        return recorded, tell_no_payment(old, before, CONDITIONAL)
    return recorded, NOTHING


class _ToldLine:
    """A line of play that is followed event by event, for the names of things.

    Attributes:
        teller: tells the event that was taken last.
    """

    def __init__(self, entries: Sequence[e.Entry]) -> None:
        """Begin after *entries*."""
        self._world = World()
        self.teller = Teller(self._world)
        for entry in entries:
            self.take(entry.body, is_told=False)

    def take(self, event: e.Event | None, *, is_told: bool) -> e.Event | None:
        """Take the next event of the line, if there is one; return it if it is to be told."""
        if event is None:
            return None
        is_told = is_told and isinstance(event, _TOLD) and self.teller.mentions(event)
        self.teller.follow(event)
        apply_public(self._world, event)
        return event if is_told else None
