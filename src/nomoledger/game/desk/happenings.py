"""What happened to a player, with causes: the request behind each event, and the rule."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.event_filter import EventChoice, EventFilter, NamesOfEvents
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView, events_with_worlds
from nomoledger.proof.public_stream import PublicStream
from nomoledger.prose.descriptions import BOOKKEEPING, UNTOLD
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World

#: How many events are told at most, the latest.
HAPPENINGS_MAX = 30


class Happening(msgspec.Struct, frozen=True):
    """An event as its reader knows it.

    Attributes:
        event: its number for the reader.
        public: its number on the published site; None if not everybody may know of it.
        period: its period. at: when its request was received, in seconds since 1970.
        told: the event in words.
        rule: the number of the rule behind it; "" if there is none.
        because: the request behind it in words; "" if it is the request itself, or is not known.
    """

    event: int
    public: int | None
    period: int
    at: int
    told: str
    rule: str = ""
    because: str = ""


class Happenings(msgspec.Struct, frozen=True):
    """The *latest* events of some, the newest last, and the *count* of all of them."""

    latest: tuple[Happening, ...] = ()
    count: int = 0


class SeenView(LedgerView):
    """What a player may see, read once for all that a page of the player shows."""

    _seen: list[e.Entry] | None = None

    def entries(self) -> Iterator[e.Entry]:
        """Return the events that the reader may see."""
        if self._seen is None:
            self._seen = list(super().entries())
        return iter(self._seen)


def seen_world(game: Game, player: str) -> tuple[SeenView, World, str]:
    """Return what *player* may see of *game*: a view, the state now, and the id of the player.

    Raises:
        UnknownError: there is no such player.
    """
    view = SeenView(game.ledger, game.name, reader=player)
    world = view.visible_world()
    id = world.find("player", player)
    if id is None:
        raise UnknownError(f"{game.name}: there is no player {player!r:.60}")
    return view, world, id


#: Tells of an event, in the state after it, whether it is wanted.
_Wants = Callable[[e.Entry, World], bool]


def happenings_of(
    view: LedgerView, player: str, since: int, period: int
) -> tuple[Happenings, Happenings]:
    """Return what concerns *player*, the reader, and what only the player and the admin know of.

    The first are the events after the event *since*, the second the requests of *period*.
    """
    known = NamesOfEvents(view.game, view.world, view.entries())
    chosen = EventFilter(EventChoice(players=(player,)), known)
    withdrawn = {
        entry.body.withdrawn for entry in view.entries() if isinstance(entry.body, e.InputWithdrawn)
    }

    def concerns(entry: e.Entry, world: World) -> bool:
        return chosen.wants(entry.body, world) and entry.number > since

    def is_sealed(entry: e.Entry, world: World) -> bool:
        body = entry.body
        is_own = isinstance(body, e.Input) and getattr(body, "by", None) == player
        is_standing = isinstance(body, e.OrderGiven | e.InputWithdrawn)
        is_kept = is_own and not is_standing and getattr(body, "id", "") not in withdrawn
        return is_kept and body.audience is not None and body.period == period

    about, sealed = _latest(view, concerns, is_sealed)
    return about, sealed


def meanwhile(game: Game, player: str, since: int, request: str = "") -> Happenings:
    """Return what *player* may know of *game* after the event *since*, and before *request*.

    *request* is the id of a request of the player; if there is none, the result goes on to now.
    """
    view = SeenView(game.ledger, game.name, reader=player)
    ends = (x.number for x in view.entries() if request and getattr(x.body, "id", "") == request)
    end = next(ends, view.world.head + 1)
    return _latest(view, lambda entry, world: since < entry.number < end)[0]


def _latest(view: LedgerView, *wanted: _Wants) -> list[Happenings]:
    """Return the latest events that each of *wanted* wants."""
    publicly: dict[int, int] | None = None
    found: list[list[Happening]] = [[] for _ in wanted]
    counts = [0 for _ in wanted]
    for entry, teller, request in _told(view):
        takers = [place for place, wants in enumerate(wanted) if wants(entry, teller.world)]
        if not takers or not _is_told(entry.body, teller):
            teller.follow(entry.body)
            continue
        publicly = _public_numbers(view) if publicly is None else publicly
        happening = _happening(entry, teller, request, publicly.get(entry.number))
        for place in takers:
            counts[place] += 1
            found[place].append(happening)
            del found[place][:-HAPPENINGS_MAX]
    return [Happenings(tuple(x), count) for x, count in zip(found, counts, strict=True)]


def _is_told(body: e.Event, teller: Teller) -> bool:
    return not isinstance(body, (*UNTOLD, *BOOKKEEPING)) and teller.mentions(body)


def _told(view: LedgerView) -> Iterator[tuple[e.Entry, Teller, e.Input | None]]:
    """Yield each event that the reader may see, a teller, and the request behind it if known."""
    teller: Any = None
    roots: dict[int, int] = {}
    requests: dict[int, e.Input] = {}
    for entry, world in events_with_worlds(view):
        teller = teller or Teller(world)
        number, body = entry.number, entry.body
        if isinstance(body, e.Input):
            requests[number] = body
            roots[number] = number
        elif body.cause in roots:
            roots[number] = roots[body.cause]
        request = requests.get(roots.get(number, -1))
        is_told = request is not body and not isinstance(request, e.ClockAdvanced | e.GameOpened)
        yield entry, teller, request if is_told else None


def _happening(
    entry: e.Entry, teller: Teller, request: e.Input | None, public: int | None
) -> Happening:
    body = entry.body
    rules = [name for name in body.rules if name != "engine" and not name.startswith("ruling:")]
    return Happening(
        event=entry.number,
        public=public,
        period=body.period,
        at=int(body.received_at.timestamp()),
        told=teller.tell(body),
        rule=rules[0].partition("@")[0] if rules else "",
        because="" if request is None else teller.tell(request),
    )


def _public_numbers(view: LedgerView) -> dict[int, int]:
    """Return the numbers on the published site of the events that the reader sees."""
    readers = () if view.reader in (None, "admin") else (str(view.reader),)
    own, public, numbers = PublicStream(readers), PublicStream(), []
    for entry in view.ledger.read(view.game, upto=view.world.head):
        own.take(entry.number, entry.body)
        public.take(entry.number, entry.body)
        numbers.append(entry.number)
    pairs = ((own.terms.events.of(n), public.terms.events.of(n)) for n in numbers)
    return {mine: shown for mine, shown in pairs if mine >= 0 and 0 <= shown <= public.head}
