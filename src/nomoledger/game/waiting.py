"""What a game waits for, for whom, and since when."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from nomoledger.events import EntityCreated, ProposalJudged, may_see
from nomoledger.events.codec import EVENTS
from nomoledger.game.open_things import timer_in_words, undecided_in
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.names import Names
from nomoledger.state import player_seeds
from nomoledger.state.clock import from_seconds
from nomoledger.state.disputes import open_disputes
from nomoledger.state.world import Timer, World

ADMIN = "admin"
#: Whoever keeps the clock of a game: `nomoledger run`.
CLOCK = "clock"
#: The events that tell which proposals are undecided: the database skips all others.
_KINDS = EntityCreated | ProposalJudged
_TAGS = [tag for tag, kind in EVENTS.items() if issubclass(kind, _KINDS)]
_decode = msgspec.msgpack.Decoder(_KINDS).decode


class WaitingFact(msgspec.Struct, frozen=True):
    """Something that a game waits for.

    Attributes:
        what: what waits, in words.
        who: the players who are waited for, "admin" or "clock"; nobody for all players.
        since: since when, in UTC; None if that is not known.
    """

    what: str
    who: tuple[str, ...]
    since: datetime | None


def waits_of(
    ledger: Ledger, game: str, world: World, now: datetime, reader: str | None
) -> list[WaitingFact]:
    """Return what *game* waits for at the time *now*, the longest first, as *reader* may see it.

    *world* is the state of the game. Timers that are not due yet are left out.
    """
    if world.head < 0 or world.game["ended"] is not None:
        return []
    found = [
        *_question(world, reader),
        *_timers(world, now, reader),
        *_proposals(ledger, game, world, reader),
        *_disputes(world, reader),
        *_seeds(world),
    ]
    return sorted(found, key=lambda waiting: (waiting.since is None, waiting.since or now))


def next_timer(world: World, reader: str | None) -> datetime | None:
    """Return when the next timer of *world* is due, as *reader* may see it; None if none is set."""
    moments = [timer.attempt.at for timer in _seen_timers(world, reader)]
    return from_seconds(min(moments)) if moments else None


def _question(world: World, reader: str | None) -> Iterator[WaitingFact]:
    question = world.waiting
    if question is None:
        if world.agenda:
            yield WaitingFact("a command was interrupted: the next one finishes it", (ADMIN,), None)
    elif may_see(reader, question.audience):
        text = Names(world).without_identifiers(question.text)
        yield WaitingFact(text, (str(world.label(question.to)),), question.received_at)


def _seen_timers(world: World, reader: str | None) -> list[Timer]:
    return [timer for timer in world.timers.values() if may_see(reader, timer.attempt.audience)]


def _timers(world: World, now: datetime, reader: str | None) -> Iterator[WaitingFact]:
    """Yield the first timer that is overdue: the clock of the game stands still."""
    due = [timer for timer in _seen_timers(world, reader) if from_seconds(timer.attempt.at) < now]
    if due and world.waiting is None:
        first = min(due, key=lambda timer: timer.order)
        text = timer_in_words(Names(world), first)
        more = f" and {len(due) - 1} more" if len(due) > 1 else ""
        yield WaitingFact(f"due: {text}{more}", (CLOCK,), from_seconds(first.attempt.at))


def _proposals(
    ledger: Ledger, game: str, world: World, reader: str | None
) -> Iterator[WaitingFact]:
    if not world.proposals:
        return
    states = ledger.store.states(game, _TAGS, world.head)
    for number in undecided_in(world, map(_decode, states)):
        proposal = world.proposals[number]
        if may_see(reader, proposal.audience):
            yield WaitingFact(f"proposal {number} is undecided", (), proposal.received_at)


def _disputes(world: World, reader: str | None) -> Iterator[WaitingFact]:
    for dispute in open_disputes(world, reader):
        since = from_seconds(dispute["opened"])
        yield WaitingFact(f"dispute {dispute['number']} is open", (ADMIN,), since)


def _seeds(world: World) -> Iterator[WaitingFact]:
    for act, period, players in player_seeds.due(world):
        who = tuple(str(world.label(player)) for player in players)
        yield WaitingFact(f"a seed to {act} for the dice of period {period}", who, None)
