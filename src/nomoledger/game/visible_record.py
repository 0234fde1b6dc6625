"""The record as its readers see it, and a replay of that record alone.

What is attached to a dispute is computed from the events that everybody who sees the dispute may
see. It therefore depends on nothing sealed, not even on whether there is anything sealed. So does
the replay of a public export.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.oracles import ReplayOracle, recorded_draws
from nomoledger.engine.replaying import next_failed_step, replay_input
from nomoledger.game.engines import new_engine
from nomoledger.game.replay import (
    ReplayResult,
    comparable,
    divergence,
    in_old_format,
    recorded_divergences,
    unexplained_facts,
)
from nomoledger.ledger.event_history import History
from nomoledger.proof.public_numbering import SEALED
from nomoledger.proof.public_stream import PublicStream, apply_public, ends_something_secret
from nomoledger.proof.translation import Terms, without_totals
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.world import World


class VisibleRecord:
    """The events of a game that every one of some readers may see.

    Attributes:
        game: the name of the game.
        entries: the events, with the numbers that the readers see.
        terms: those numbers, by the numbers of the ledger.
    """

    def __init__(self, history: History, readers: Collection[str] | None) -> None:
        """Take what *readers* see: None is everybody, and nobody is the admin alone."""
        self.game = history.game
        self.entries: list[e.Entry] = []
        self._recorded_numbers: dict[int, int] = {}
        entries = history.entries()
        self._last = entries[-1].number
        if readers is not None and not readers:
            self.terms = Terms()
            self.entries = entries
            return
        stream = PublicStream(readers or ())
        for entry in entries:
            first = stream.head + 1
            for number, body in enumerate(stream.take(entry.number, entry.body), first):
                self.entries.append(e.Entry(entry.game, number, body))
        self.terms = stream.terms
        for entry in entries:
            self._recorded_numbers[self.terms.events.of(entry.number)] = entry.number

    def recorded_number(self, number: int) -> int:
        """Return the number in the ledger of the event that the readers know as *number*.

        For the number of an event to come, that is the number of the last event.
        """
        number = min(number, len(self.entries) - 1)
        return self._recorded_numbers.get(number, number)

    def visible_number(self, number: int) -> int | None:
        """Return the number by which the readers know event *number*; None if they do not."""
        if not 0 <= number <= self._last:
            return None
        visible = self.terms.events.of(number)
        return visible if 0 <= visible < len(self.entries) else None

    def world(self) -> World | None:
        """Return the state that the events make; None if they end what began out of sight."""
        world = World()
        for entry in self.entries:
            if ends_something_secret(world, entry.body):
                return None
            apply_public(world, entry.body)
        return world

    def before(self, period: int) -> list[e.Entry]:
        """Return the events before *period*."""
        count = 0
        for place, entry in enumerate(self.entries, 1):
            if isinstance(entry.body, e.PeriodClosed) and entry.body.period < period:
                count = place
        return self.entries[:count]

    def of_period(self, period: int) -> list[e.Entry]:
        """Return the events of *period*, in which it may still be open."""
        found: list[e.Entry] = []
        for entry in islice(self.entries, len(self.before(period)), None):
            found.append(entry)
            if isinstance(entry.body, e.PeriodClosed):
                break
        return found


class Beyond(msgspec.Struct, frozen=True):
    """Events that do not follow from the visible record alone.

    Attributes:
        first: the number of the first of them.
        events: how many there are.
    """

    first: int
    events: int


class VisibleReplay(ReplayResult, frozen=True, omit_defaults=True):
    """The result of a replay of the visible record of a period.

    *compared* counts only the consequences that the replay gives, too, and *consequences* only
    those that are visible.

    Attributes:
        beyond: the visible events that do not follow from the visible record; None if there are
            none.
    """

    beyond: Beyond | None = None


def replay_visible(
    record: VisibleRecord, secret: bytes, period: int, limits: Limits | None = None
) -> VisibleReplay:
    """Replay *period* of *record* under its own rules.

    *secret* is that of the game. What follows from a cause that is not visible is not compared.

    Raises:
        RuleFault: rule code took too long.
    """
    before, entries = record.before(period), record.of_period(period)
    arguments = record.game, before, entries, record.entries, secret, period
    *_, piece = stream_from_sandbox(_replay, *arguments, limits=limits or AGAIN)
    return msgspec.msgpack.decode(piece, type=VisibleReplay)


def replay_public(
    game: str,
    entries: Sequence[e.Entry],
    limits: Limits | None = None,
    done: Callable[[int], Any] = lambda count: None,
) -> VisibleReplay:
    """Replay all *entries*, the public events of *game* from the first, without its secret.

    The seeds and commitments of closes are not compared: the audit of the dice checks them. *done*
    is called with the number of requests that were replayed since.

    Raises:
        RuleFault: rule code took too long.
    """
    given = (e.GameOpened, e.RuleEnacted, e.CasesCopied)  # what the opening brings along
    first = next((n for n, x in enumerate(entries) if not isinstance(x.body, given)), len(entries))
    arguments = game, entries[:first], entries[first:], entries, None, entries[0].body.period
    last = b""
    for piece in stream_from_sandbox(_replay, *arguments, limits=limits or AGAIN):
        last = piece
        done(1)
    return msgspec.msgpack.decode(last, type=VisibleReplay)


def _replay(
    game: str,
    before: Sequence[e.Entry],
    entries: Sequence[e.Entry],
    log: Sequence[e.Entry],
    secret: bytes | None,
    period: int,
) -> Iterator[bytes]:
    world = World()
    for entry in before:
        apply_public(world, entry.body)
    engine = new_engine(world, ReplayOracle(recorded_draws(log)), secret, recorded=log)
    run = _VisibleRun(engine)
    segments = list(_segments(entries))
    for segment, following in zip_longest(segments, segments[1:]):
        run.compare(segment, following)
        yield b""  # The limits apply to one input, not to a whole period.
    bodies = [entry.body for entry in entries]
    first = entries[0].number if entries else 0
    divergences = tuple(recorded_divergences(bodies, first, divergence))
    consequences = sum(not isinstance(body, e.Input) for body in bodies)
    is_audit = any(isinstance(body, e.FactRecorded) for body in bodies)
    facts = sum(isinstance(body, e.FactConfirmed | e.RecordPrevailed) for body in bodies)
    report = VisibleReplay(
        game=game,
        period=period,
        mode="audit" if is_audit else "exact",
        exact=not divergences and run.beyond is None,
        compared=facts if is_audit else run.followed,
        consequences=consequences,
        unexplained=tuple(unexplained_facts(bodies, first)),
        divergences=divergences,
        beyond=run.beyond,
    )
    yield msgspec.msgpack.encode(report)


def _segments(entries: Sequence[e.Entry]) -> Iterator[list[e.Entry]]:
    """Split *entries* before each input, and where causes begin or cease to be visible."""
    segment: list[e.Entry] = []
    for entry in entries:
        is_new = isinstance(entry.body, e.Input)
        if segment and (is_new or _is_apart(entry) != _is_apart(segment[-1])):
            yield segment
            segment = []
        segment.append(entry)
    if segment:
        yield segment


def _is_apart(entry: e.Entry) -> bool:
    """Return whether the cause of the event is not visible."""
    return entry.body.cause == SEALED


class _VisibleRun:
    """A replay under way, segment by segment.

    Attributes:
        followed: how many consequences follow from the visible record.
        beyond: the consequences that do not.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.followed = 0
        self.beyond: Beyond | None = None
        self._is_first = True

    def compare(self, segment: Sequence[e.Entry], following: Sequence[e.Entry] | None) -> None:
        """Run the first event of *segment* again, if it is an input, and compare what follows.

        *following* is the next segment; None if nothing is recorded after this one.
        """
        bodies = [entry.body for entry in segment]
        world, inputs = self.engine.world, int(isinstance(bodies[0], e.Input))
        count, is_apart = 0, _is_apart(segment[0])
        if inputs or (self._is_first and not is_apart):
            mark = world.mark()
            next_bodies = [entry.body for entry in following or ()]
            count = self._reproduced(bodies, next_bodies, _is_interrupted(following))
            world.rollback(mark)
        self.followed += max(0, count - inputs)
        missing = len(bodies) - max(count, inputs)
        if missing > 0 and not is_apart:
            self._note(segment[len(bodies) - missing].number, missing)
        elif missing < 0:
            self._note(segment[-1].number, 1)
        for body in bodies:
            apply_public(world, body)
        self._is_first = False

    def _reproduced(
        self, bodies: Sequence[e.Event], following: Sequence[e.Event], is_interrupted: bool
    ) -> int:
        """Return how many of the first of *bodies* the rules give again.

        The number is greater than that of *bodies* if the rules give more, unless
        *is_interrupted*: then more may have been under way.
        """
        count = 0
        try:
            for batch in self._batches([*bodies, *following]):
                end = count + len(batch)
                if count == len(bodies) and batch:
                    return end
                if end > len(bodies) or not self._agree(batch, bodies[count:end]):
                    return count
                count = end
                if count == len(bodies) and is_interrupted:
                    return count
        except Exception:  # Rules may fail in any way in a world that lacks the sealed events.
            pass
        return count

    def _agree(self, produced: Sequence[e.Event], recorded: Sequence[e.Event]) -> bool:
        """Return whether two series of events are the same, as far as they can be compared."""
        produced = list(map(in_old_format, produced, recorded))
        told, known = ([self._comparable(each) for each in side] for side in (produced, recorded))
        return comparable(told) == comparable(known)

    def _comparable(self, body: e.Event) -> e.Event:
        """Return *body* without what depends on secrets that this replay does not have."""
        body = without_totals(body)
        if self.engine.secret is None and isinstance(body, e.PeriodClosed):
            return msgspec.structs.replace(body, seed="", commitment="")
        return body

    def _batches(self, bodies: Sequence[e.Event]) -> Iterator[list[e.Event]]:
        if not isinstance(bodies[0], e.Input):
            self.engine.failing = next_failed_step(bodies, 0)
            return self.engine.run()
        return replay_input(self.engine, bodies)

    def _note(self, first: int, events: int) -> None:
        known = self.beyond
        if known is not None:
            first, events = known.first, known.events + events
        self.beyond = Beyond(first, events)


def _is_interrupted(following: Sequence[e.Entry] | None) -> bool:
    """Return whether more may follow from an input than what stands before *following*."""
    if following is None:
        return True
    body = following[0].body
    is_urgent = isinstance(body, e.RulingMade) and body.urgent
    return not isinstance(body, e.Input) or isinstance(body, e.StepFailed) or is_urgent
