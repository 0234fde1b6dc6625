"""What happened to a player, with causes: the request behind each event, and the rule."""

from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from nomoledger import events as e
from nomoledger.game.desk.seen_game import SeenGame, SeenView
from nomoledger.game.event_filter import EventChoice, EventFilter, NamesOfEvents
from nomoledger.game.game import Game
from nomoledger.proof.public_stream import apply_public
from nomoledger.prose.descriptions import BOOKKEEPING, UNTOLD
from nomoledger.prose.names import plain
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
        because: the request behind it in words, or the timer that ran out; "" if it is the request
            itself, or is not known.
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


def happenings_of(
    view: SeenView, player: str, since: int, period: int
) -> tuple[Happenings, Happenings]:
    """Return what concerns *player*, the reader, and what only the player and the admin know of.

    The first are the events after the event *since*, the second the requests of *period*.
    """
    fold = _concerning(view, player)
    about = fold.about[bisect_right(fold.about, since, key=lambda known: known.event) :]
    sealed = [
        known for id, known in fold.sealed if id not in fold.withdrawn and known.period == period
    ]
    return _shown(view.seen, about), _shown(view.seen, sealed)


def requests_behind(view: SeenView, player: str, happenings: Sequence[Happening]) -> dict[int, str]:
    """Return the ids of the requests behind *happenings*, which concern *player*, by event.

    What a timer did has no request behind it: nobody did it at that time.
    The ids of the requests of others are for the server only: no page and no mail shows them.
    """
    known = _concerning(view, player).requests
    return {each.event: known[each.event] for each in happenings if each.event in known}


def meanwhile(game: Game, player: str, since: int, request: str = "") -> Happenings:
    """Return what *player* may know of *game* after the event *since*, and before *request*.

    *request* is the id of a request of the player; if there is none, the result goes on to now.
    """
    view = SeenView(game, player)
    ends = (x.number for x in view.entries() if request and getattr(x.body, "id", "") == request)
    end = next(ends, view.world.head + 1)
    fold = view.seen.fold("told", _ToldFold)
    told = [known for known in fold.told if since < known.event < end]
    return _shown(view.seen, told)


def _concerning(view: SeenView, player: str) -> "_ConcerningFold":
    key = "concerning", player
    names = view.seen.fold("names", lambda: _NamesFold(view.game, view.seen.world)).known
    fold = view.seen.fold(key, lambda: _ConcerningFold(player, names))
    if fold.names != names.player(player):  # What was said under another name concerns them, too.
        view.seen.drop(key)
        fold = view.seen.fold(key, lambda: _ConcerningFold(player, names))
    return fold


def _shown(seen: SeenGame, happenings: Sequence[Happening]) -> Happenings:
    """Return the latest of *happenings*, with their numbers on the published site."""
    latest = happenings[-HAPPENINGS_MAX:]
    numbered = (msgspec.structs.replace(x, public=seen.public_number(x.event)) for x in latest)
    return Happenings(tuple(numbered), len(happenings))


class _NamesFold:
    """The names of a game, as far as it went on."""

    def __init__(self, game: str, world: World) -> None:
        self.known = NamesOfEvents(game, world, ())

    def take(self, entry: e.Entry) -> None:
        self.known.learn(entry.body)


class _ToldFold:
    """All events in words, each with the request behind it.

    Attributes:
        told: the events that the rules mention, as `wants` chose them.
        requests: the ids of the requests behind them, by the numbers of the events; without those
            that only set a timer.
    """

    def __init__(self) -> None:
        self.told: list[Happening] = []
        self.requests: dict[int, str] = {}
        self.world = World()
        self._teller: Teller | None = None
        self._roots: dict[int, int] = {}
        self._requests: dict[int, e.Input] = {}
        self._timers: dict[int, e.Scheduled] = {}

    def take(self, entry: e.Entry) -> None:
        """Go on with the next event; it is told before a thing ends, and after all else."""
        ends = isinstance(entry.body, e.EntityDestroyed)
        if not ends:
            apply_public(self.world, entry.body)
        self._teller = self._teller or Teller(self.world)
        self._note(entry, self._teller)
        if ends:
            apply_public(self.world, entry.body)

    def wants(self, entry: e.Entry) -> bool:
        """Return whether the event is to be told."""
        return True

    def keep(self, happening: Happening, body: e.Event) -> None:
        """Keep what is told of *body*."""
        self.told.append(happening)

    def _note(self, entry: e.Entry, teller: Teller) -> None:
        number, body = entry.number, entry.body
        if isinstance(body, e.Input):
            self._requests[number] = body
            self._roots[number] = number
        elif body.cause in self._roots:
            self._roots[number] = self._roots[body.cause]
        timer = self._timers.get(-1 if body.cause is None else body.cause)
        if isinstance(body, e.Scheduled) and body.due is not None:
            self._timers[number] = body
        elif timer is not None:
            self._timers[number] = timer
        request = self._requests.get(self._roots.get(number, -1))
        if not self.wants(entry) or not _is_told(body, teller):
            teller.follow(body)
        else:
            because = _because(teller, body, request, timer)
            self.keep(_happening(entry, teller, because), body)
            if request is not None and timer is None:
                self.requests[number] = request.id


class _ConcerningFold(_ToldFold):
    """What concerns a player, and what the player asked for in secret.

    Attributes:
        names: what the player is called. about: what concerns the player.
        sealed: the secret requests of the player, each with its id.
        withdrawn: the ids of the requests that were taken back.
    """

    def __init__(self, player: str, known: NamesOfEvents) -> None:
        super().__init__()
        self.names = known.player(player)
        self.about: list[Happening] = []
        self.sealed: list[tuple[str, Happening]] = []
        self.withdrawn: set[str] = set()
        self._player = player
        self._filter = EventFilter(EventChoice(players=(player,)), known)
        self._is_about = False

    def wants(self, entry: e.Entry) -> bool:
        """Return whether the event concerns the player, or is a secret request of the player."""
        body = entry.body
        if isinstance(body, e.InputWithdrawn):
            self.withdrawn.add(body.withdrawn)
        self._is_about = self._filter.wants(body, self.world)
        return self._is_about or self._is_sealed(body)

    def _is_sealed(self, body: e.Event) -> bool:
        is_own = isinstance(body, e.Input) and getattr(body, "by", None) == self._player
        is_standing = isinstance(body, e.OrderGiven | e.InputWithdrawn)
        return is_own and not is_standing and body.audience is not None

    def keep(self, happening: Happening, body: e.Event) -> None:
        """Keep what is told of *body*."""
        if self._is_about:
            self.about.append(happening)
        if isinstance(body, e.Input) and self._is_sealed(body):
            self.sealed.append((body.id, happening))


def _is_told(body: e.Event, teller: Teller) -> bool:
    return not isinstance(body, (*UNTOLD, *BOOKKEEPING)) and teller.mentions(body)


def _because(
    teller: Teller, body: e.Event, request: e.Input | None, timer: e.Scheduled | None
) -> str:
    """Return in words what led to *body*: the *timer* that ran out, or else the *request*."""
    is_told = request is not body and not isinstance(request, e.ClockAdvanced | e.GameOpened)
    told = teller.tell(request) if request is not None and is_told else ""
    if timer is None:
        return told
    ran_out = f"the timer “{teller.scheduled(timer.attempt)}” ran out"
    if isinstance(request, e.SubmissionReceived):
        return f"{ran_out}, which {request.by}'s request to {plain(request.action)} set"
    return f"{ran_out}, which was set when this happened: {told}" if told else ran_out


def _happening(entry: e.Entry, teller: Teller, because: str) -> Happening:
    body = entry.body
    rules = [name for name in body.rules if name != "engine" and not name.startswith("ruling:")]
    return Happening(
        event=entry.number,
        public=None,
        period=body.period,
        at=int(body.received_at.timestamp()),
        told=teller.tell(body),
        rule=rules[0].partition("@")[0] if rules else "",
        because=because,
    )
