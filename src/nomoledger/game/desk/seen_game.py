"""What a reader may see of a game, which goes on with the game: nothing is read twice.

A process that reads for pages owns a game for long. After each request, only what is new is read.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.events import may_see
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView
from nomoledger.ledger.as_of import Reading
from nomoledger.proof.addresses import Addresses
from nomoledger.proof.public_stream import PublicStream, apply_public
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.question_sandbox import QuestionSandbox
from nomoledger.state.world import World

#: For how many readers with secrets a process keeps what they see, for one game.
READERS_MAX = 12


class Fold(Protocol):
    """Something that is made of the events that a reader sees, in their order."""

    def take(self, entry: e.Entry) -> None:
        """Go on with the next event."""


F = TypeVar("F", bound=Fold)


class SeenGame:
    """What *reader* may see of a game: a player, "admin", or None for everybody.

    Attributes:
        entries: the events, by the numbers that the reader knows.
        world: what the events make. Nobody but this object changes it.
        sees_all: whether nothing is hidden from the reader.
        confidants: all who may see something that not everybody may see.
    """

    def __init__(self, reader: str | None) -> None:
        """Begin before the first event."""
        self.entries: list[e.Entry] = []
        self.world = World()
        self.sees_all = True
        self.confidants: set[str] = set()
        self._reader = reader
        self._own = PublicStream(() if reader is None else (reader,))
        self._public = PublicStream()
        self._addresses = Addresses()
        self._recorded = -1
        self._folds: dict[Hashable, tuple[Any, int]] = {}
        self._sandboxes: dict[Limits, QuestionSandbox] = {}

    def catch_up(self, game: Game) -> None:
        """Take what *game* has gone on by."""
        last = game.world.head
        if self._recorded >= last:
            return
        for entry in game.ledger.read(game.name, after=self._recorded, upto=last):
            audience = entry.body.audience
            self.sees_all = self.sees_all and may_see(self._reader, audience)
            self.confidants.update(audience or ())
            for seen in self._seen(entry):
                self.entries.append(seen)
                apply_public(self.world, seen.body)
            self._recorded = entry.number

    def _seen(self, entry: e.Entry) -> Iterator[e.Entry]:
        """Yield what the reader sees with the next event of the ledger."""
        if self._reader == "admin":
            yield entry
            return
        if self._reader is not None:
            self._public.take(entry.number, entry.body)
        first = self._own.head + 1
        for number, body in enumerate(self._own.take(entry.number, entry.body), first):
            self._addresses.learn(body)
            yield e.Entry(entry.game, number, self._addresses.withheld(body))

    def fold(self, key: Hashable, make: Callable[[], F]) -> F:
        """Return what *make* began, after it took all events; *key* is the same for the same."""
        fold, taken = self._folds.get(key) or (make(), 0)
        for place in range(taken, len(self.entries)):
            fold.take(self.entries[place])
        self._folds[key] = fold, len(self.entries)
        made: F = fold
        return made

    def drop(self, key: Hashable) -> None:
        """Forget the fold *key*, which is to begin anew."""
        self._folds.pop(key, None)

    def sandbox(self, limits: Limits) -> QuestionSandbox:
        """Return the sandbox with *limits* that the rules run in for this reader, and for no other.

        A sandbox that was asked before knows the rules. What it knew of the state was no more than
        this reader may see.
        """
        return self._sandboxes.setdefault(limits, QuestionSandbox(limits))

    def public_number(self, number: int) -> int | None:
        """Return the number on the published site of the event that the reader knows as *number*.

        None if not everybody may know of it.
        """
        if self._reader is None:
            return number
        if self._reader == "admin":
            shown = self._public.terms.events.of(number)
            return shown if 0 <= shown <= self._public.head else None
        for recorded in range(self._recorded, -1, -1):
            if self._own.terms.events.of(recorded) == number:
                shown = self._public.terms.events.of(recorded)
                return shown if 0 <= shown <= self._public.head else None
        return None


#: What was read of the games of this process: for each reader who knows secrets, and for everybody.
_KNOWN: WeakKeyDictionary[Game, OrderedDict[str | None, SeenGame]] = WeakKeyDictionary()


def seen_game(game: Game, reader: str | None) -> SeenGame:
    """Return what *reader* may see of *game* as it is now.

    Readers who know no more than everybody share one object.
    """
    known = _KNOWN.setdefault(game, OrderedDict())
    everybody = known.setdefault(None, SeenGame(None))
    everybody.catch_up(game)
    if reader is None or (reader != "admin" and reader not in everybody.confidants):
        return everybody
    seen = known.pop(reader, None) or SeenGame(reader)
    known[reader] = seen
    while len(known) > READERS_MAX + 1:
        del known[next(name for name in known if name is not None)]
    seen.catch_up(game)
    return seen


def knows_secrets(game: Game, reader: str) -> bool:
    """Return whether *reader*, a player, may see more of *game* than everybody."""
    return reader in seen_game(game, None).confidants


class SeenView(LedgerView):
    """A view of a game as it is now, as *reader* may see it. Nothing is read twice.

    Raises:
        UnknownError: there is no such player.
    """

    def __init__(self, game: Game, reader: str | None) -> None:
        """View *game*, which must have caught up."""
        self.ledger, self.game, self.reader, self.known = game.ledger, game.name, reader, None
        self.seen = seen_game(game, reader)
        self.world = game.world
        self.period = self.world.period
        self.reading = Reading(self.period, False, self.world, self.world)
        if reader not in (None, "admin") and self.world.find("player", reader) is None:
            raise UnknownError(f"{game.name}: there is no player {reader!r:.60}")

    @property
    def sees_all(self) -> bool:
        """Whether the reader may see every event of the game."""
        return self.seen.sees_all

    def entries(self) -> Iterator[e.Entry]:
        """Return the events that the reader may see."""
        return iter(self.seen.entries)

    def visible_world(self) -> World:
        """Return the state that the reader may know. It must not be changed.

        Even where the reader may see every event, it has stand-ins for the addresses of players.
        """
        return self.world if self.reader == "admin" else self.seen.world


def seen_world(game: Game, player: str) -> tuple[SeenView, World, str]:
    """Return what *player* may see of *game*: a view, the state now, and the id of the player.

    Raises:
        UnknownError: there is no such player.
    """
    view = SeenView(game, player)
    world = view.visible_world()
    id = world.find("player", player)
    if id is None:
        raise UnknownError(f"{game.name}: there is no player {player!r:.60}")
    return view, world, id
