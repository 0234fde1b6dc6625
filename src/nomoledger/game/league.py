"""A league: the games of several ledgers, each with what waits, its size and its health.

Nothing is replayed: the state of a game comes from its last snapshot and the events after it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path

import msgspec

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.league_audit import AuditedGame, audit_games
from nomoledger.game.move import MovedGame, move_game
from nomoledger.game.programs import CLOCK, KEEPER, program_name
from nomoledger.game.waiting import WaitingFact, next_timer, waits_of
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.last_audit import LastAudit
from nomoledger.ledger.stores.location import is_postgres, place_of, safe_location
from nomoledger.ledger.stores.sqlite_file import ledgers_in
from nomoledger.parallel import Pool, open_pool
from nomoledger.state.clock import from_seconds

#: How many games of a ledger are read at the same time: a server far away takes its time.
READERS = 6


class LeagueGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game of a league, or a ledger of which nothing can be read.

    Attributes:
        ledger: the location of the ledger, without a password.
        game: the name of the game; None if the ledger cannot be read.
        period: the open period.
        now: the time of the last event.
        ended: how the game ended; None while it is played.
        waits: what the game waits for, the longest first.
        next_timer: when the next timer is due; None if none is set.
        events: the number of events.
        bytes: the bytes of their records.
        kept_by: which programs serve the game now: "keeper", "clock"; None if nothing tells.
        audit: the last audit of the game at this place; None if there was none.
        place: where the game is, if it is elsewhere; then nothing else is known here.
        is_arriving: whether the game is on its way from that place to this one.
        also_in: other ledgers of the league where the same game is open.
        error: why the game, or the ledger, cannot be read; None if it can.
    """

    ledger: str
    game: str | None = None
    period: int | None = None
    now: datetime | None = None
    ended: str | None = None
    waits: tuple[WaitingFact, ...] = ()
    next_timer: datetime | None = None
    events: int = 0
    bytes: int = 0
    kept_by: tuple[str, ...] | None = None
    audit: LastAudit | None = None
    place: str | None = None
    is_arriving: bool = False
    also_in: tuple[str, ...] = ()
    error: str | None = None

    @property
    def is_sound(self) -> bool:
        """Whether the game can be read."""
        return self.error is None


class League:
    """The games of the ledgers at some *locations*: files, folders of files, databases."""

    def __init__(self, *locations: str | PathLike[str]) -> None:
        """Use these locations; a folder stands for the ledger files in it.

        Raises:
            UsageError: a folder has no ledger in it.
        """
        self.locations = list(dict.fromkeys(_expanded([fspath(x) for x in locations])))

    @property
    def shown(self) -> list[str]:
        """The locations without passwords."""
        return [safe_location(location) for location in self.locations]

    def games(
        self, *, reader: str | None = None, now: datetime | None = None
    ) -> Iterator[LeagueGame]:
        """Yield all games, ledger by ledger, with what waits for somebody at the time *now*.

        What *reader* may not see is left out ("admin" sees all, None what is public). A game or
        ledger that cannot be read is one with an error.
        """
        moment = now or datetime.now(UTC)
        found = [pair for x in self.locations for pair in _games_at(x, reader, moment)]
        ledgers: dict[bytes | None, list[str]] = defaultdict(list)
        for game, identity in found:
            ledgers[identity].append(game.ledger)
        for game, identity in found:
            same = () if identity is None else ledgers[identity]
            others = tuple(ledger for ledger in same if ledger != game.ledger)
            yield msgspec.structs.replace(game, also_in=others) if others else game

    def audit(self, pool: Pool | None = None, *, dry_run: bool = False) -> Iterator[AuditedGame]:
        """Verify and replay every game on the workers of *pool*; yield each when it is done.

        The result is kept with the game, where `games` finds it, unless *dry_run*. By default the
        pool has one process per core.
        """
        with open_pool() if pool is None else nullcontext(pool) as workers:
            yield from audit_games(self.locations, workers, dry_run=dry_run)

    def move(self, game: str, old: str | PathLike[str], new: str | PathLike[str]) -> MovedGame:
        """Move *game* from the ledger at *old* to the one at *new*, which is created if needed.

        Raises:
            UsageError, UnknownError: see `nomoledger.game.move.move_game`.
            StoreError: the game is elsewhere, or a database failed: then repeat the move.
        """
        places = place_of(fspath(old)), place_of(fspath(new))
        with Ledger.open(old) as source, Ledger.open(new, create=True) as target:
            return move_game(source, target, game, *places)


def _expanded(locations: Iterable[str]) -> Iterator[str]:
    for location in locations:
        if is_postgres(location) or not Path(location).is_dir():
            yield location
            continue
        files = ledgers_in(Path(location))
        if not files:
            raise UsageError(f"there is no ledger in the folder {location}")
        yield from map(str, files)


def _games_at(
    location: str, reader: str | None, now: datetime
) -> Iterator[tuple[LeagueGame, bytes | None]]:
    """Yield the games at *location*, each with what tells it from others; None if it is not here.

    A ledger that cannot be read is one game with an error.
    """
    shown = safe_location(location)
    try:
        with Ledger.open(location) as ledger:
            yield from _Place(ledger, shown, reader, now).games()
    except (NomoledgerError, OSError) as error:
        yield LeagueGame(ledger=shown, error=str(error)), None


class _Place:
    """One ledger of a league: what is known of all its games at once, and then of each."""

    def __init__(self, ledger: Ledger, shown: str, reader: str | None, now: datetime) -> None:
        self._ledger, self._shown = ledger, shown
        self._reader, self._now = reader, now
        self._sizes = ledger.store.sizes()
        self._audits = {audit.game: audit for audit in ledger.store.audits()}
        self._programs = ledger.store.programs()

    def games(self) -> Iterator[tuple[LeagueGame, bytes | None]]:
        """Yield the games here, and those that are elsewhere."""
        with ThreadPoolExecutor(READERS) as readers:
            yield from readers.map(self._game_or_error, self._ledger.games())
        for game in self._ledger.unlisted():
            why = "there are records of this game, but it is not listed: verify the ledger"
            yield LeagueGame(ledger=self._shown, game=game, error=why), None
        for pointer in self._ledger.pointers():
            yield (
                LeagueGame(
                    ledger=self._shown,
                    game=pointer.game,
                    place=pointer.place,
                    is_arriving=pointer.is_arriving,
                ),
                None,
            )

    def _game_or_error(self, game: str) -> tuple[LeagueGame, bytes | None]:
        try:
            return self._game(game), _identity(self._ledger, game)
        except Exception as error:  # the records may hold anything
            why = str(error) if isinstance(error, NomoledgerError) else f"damaged ({error!r})"
            return LeagueGame(ledger=self._shown, game=game, error=why), None

    def _game(self, game: str) -> LeagueGame:
        world = world_of(self._ledger, game)
        return LeagueGame(
            ledger=self._shown,
            game=game,
            period=world.period,
            now=from_seconds(world.game["now"]),
            ended=world.game["ended"],
            waits=tuple(waits_of(self._ledger, game, world, self._now, self._reader)),
            next_timer=next_timer(world, self._reader),
            events=world.head + 1,
            bytes=self._sizes.get(game, 0),
            kept_by=self._kept_by(game),
            audit=self._audits.get(game),
        )

    def _kept_by(self, game: str) -> tuple[str, ...] | None:
        if self._programs is None:
            return None
        return tuple(kind for kind in (KEEPER, CLOCK) if program_name(kind, game) in self._programs)


def _identity(ledger: Ledger, game: str) -> bytes:
    """Return what copies of *game* have in common, and other games of that name have not."""
    return sha256(ledger.secret(game) + game.encode()).digest()
