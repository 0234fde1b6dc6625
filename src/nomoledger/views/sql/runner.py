"""One game followed by eventsourcing's projection runner, page by page.

The library's runner takes an application, subscribes to what is recorded in it, and hands each
thing that comes, with its tracking, to a projection. Ours is a game, and what comes are pages of as
many events as there are by then: catching up takes a transaction a page, not one an event. Games
are followed by their own numbers, which have no gaps, and not by an order over all games, in which
transactions need not become visible.
"""

from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, NamedTuple, cast

from eventsourcing.application import Application
from eventsourcing.persistence import Tracking, TrackingRecorder
from eventsourcing.projection import BaseProjectionRunner, Projection

from nomoledger.errors import UsageError
from nomoledger.events import Entry
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Ledger
from nomoledger.views.sql.folding import Folding
from nomoledger.views.sql.public_numbers import PublicEvents, reached
from nomoledger.views.sql.sql_views import Views, record, stand
from nomoledger.views.sql.table import SqlTable

#: How many events a transaction tells at most.
PAGE = 1000
#: How often it is looked for what is new.
EVERY_SECONDS = 0.1


class Page(NamedTuple):
    """*entries* that follow one another up to *head*; *id* counts events, and *is_last* for now."""

    id: int
    entries: list[Entry]
    head: Head
    is_last: bool


class EventSource:
    """The events of *game* as the library takes them: for its part an application's recorder.

    Pages never go across one of the *cuts*, so that what a table tells ends with a page.
    """

    def __init__(self, ledger: Ledger, game: str, cuts: Sequence[int], *, is_endless: bool) -> None:
        self._ledger = ledger
        self._game = game
        self._cuts = sorted(cuts)
        self._is_endless = is_endless

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "Pages":
        """The pages after the event that is counted *gt*; an endless source waits for more."""
        return Pages(self, gt or 0)

    def page(self, after: int) -> Page | None:
        """The next page, after that number; None where there is nothing."""
        head = self._ledger.head(self._game)
        if head.number <= after:
            _check_not_behind(self._ledger, self._game, head.number, after)
            return None
        cut = next((each for each in self._cuts if each > after), head.number)
        upto = min(after + PAGE, cut, head.number)
        entries = list(self._ledger.read(self._game, after, upto))
        if upto < head.number:
            return Page(upto + 1, entries, self._ledger.head_at(self._game, upto), False)
        return Page(upto + 1, entries, head, True)

    @property
    def is_endless(self) -> bool:
        """Whether more is waited for when all is read."""
        return self._is_endless


class Pages:
    """A subscription: pages in order, until it is stopped, or all is read."""

    def __init__(self, source: EventSource, count: int) -> None:
        self._source = source
        self._count = count
        self._stopped = Event()

    def __enter__(self) -> "Pages":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """There are no more pages."""
        self._stopped.set()

    def __next__(self) -> Page:
        while not self._stopped.is_set():
            page = self._source.page(self._count - 1)
            if page is not None:
                self._count = page.id
                return page
            if not self._source.is_endless:
                break
            self._stopped.wait(EVERY_SECONDS)
        raise StopIteration


class _AsItIs:
    """Maps nothing: a page is read already."""

    def to_domain_event(self, page: Page) -> Page:
        return page


def _application(source: EventSource, game: str) -> type[Application[str]]:
    """A class of applications whose recorder is *source*: the library wants to make its own."""

    class Followed(Application[str]):
        name = f":{game}"  # tables are tracked, each under a name of its own; never this

        def __init__(self, env: Any = None) -> None:
            self.recorder: Any = source
            self.mapper: Any = _AsItIs()

        def close(self) -> None:
            """The ledger is somebody else's to close."""

    return Followed


class KeptTables(Projection[Any]):
    """The *tables* of a game: what each page changes in them is written with its tracking."""

    def __init__(
        self, views: Views, game: str, tables: Sequence[type[SqlTable]], done: Callable[[int], None]
    ) -> None:
        super().__init__(views)
        self._game = game
        self._tables = {each.name: each for each in tables}
        self._folding = Folding(game, tables, views.is_public)
        self._public = PublicEvents(game) if views.is_public else None
        self._done = done
        self._number = -1

    def process_event(self, domain_event: Page, tracking: Tracking) -> None:
        """Fold the next page, and write what it changes."""
        page = domain_event
        if self._public is None:
            self._folding.take(page.entries)
            self._record(page.head, page.is_last)
        else:
            self._folding.take(self._public.take(page.entries))
            # As it stands is written now: what comes after may all be secret, and writes nothing.
            self._record(self._public.head, is_last=True)
        self._done(len(page.entries))

    def _record(self, head: Head, is_last: bool) -> None:
        if head.number == self._number:
            return
        if is_last:
            self._folding.stand()
        changes = self._folding.changes()
        of = {table: changes[name] for name, table in self._tables.items()}
        record(self.view, self._game, of, self._number, head)
        self._number = head.number


def runner(
    views: Views,
    ledger: Ledger,
    game: str,
    tables: Sequence[type[SqlTable]],
    *,
    is_endless: bool,
    done: Callable[[int], None],
) -> BaseProjectionRunner[Application[str]]:
    """The library's runner, which keeps *tables* of *game*; it begins at once, in a thread.

    It reads the game from its first event on, for what the tables have to remember, and writes
    what they do not tell yet. *done* is told how many events have been dealt with.

    Raises:
        UsageError: the tables are of another game of that name, or it was recorded anew.
    """
    cuts = stand_in(views, tables, ledger, game).cuts
    source = EventSource(ledger, game, cuts, is_endless=is_endless)
    return BaseProjectionRunner(
        projection=KeptTables(views, game, tables, done),
        application_class=_application(source, game),
        tracking_recorder=cast(TrackingRecorder, views),
        topics=(),
    )


class Stand(NamedTuple):
    """How far each table has come, by its *heads*, of the events up to number *last*.

    Where tables are public, both are in public numbers. *cuts* are the events of the ledger with
    which tables end.
    """

    heads: dict[type[SqlTable], Head]
    last: int
    cuts: list[int]

    def behind(self, tables: Sequence[type[SqlTable]]) -> int:
        """How many events at least one of *tables* does not tell yet."""
        told = [self.heads[each].number if each in self.heads else -1 for each in tables]
        return max(self.last - min(told, default=-1), 0)


def stand_in(views: Views, tables: Sequence[type[SqlTable]], ledger: Ledger, game: str) -> Stand:
    """As `nomoledger.views.sql.sql_views.stand`, of tables that were made from this very *ledger*.

    Raises:
        UsageError: they are of another game of that name, or it was recorded anew.
    """
    heads = stand(views, tables, game)
    numbers = {head.number for head in heads.values()}
    if views.is_public:
        found, now = reached(ledger, game, numbers)
        last, cuts = now.number, [each.number for each in found.values()]
        there = {number: each.head for number, each in found.items()}
    else:
        last, cuts = ledger.head(game).number, list(numbers)
        there = {number: ledger.head_at(game, number) for number in numbers if number <= last}
    for head in heads.values():
        _check_not_behind(ledger, game, last, head.number, "public " if views.is_public else "")
        if there.get(head.number) != head:
            raise UsageError(
                f"the tables of game {game!r} in {views.location} were not made from"
                f" {ledger.store.location} as it is now: give another --into, or --rebuild"
            )
    return Stand(heads, last, cuts)


def _check_not_behind(ledger: Ledger, game: str, last: int, told: int, which: str = "") -> None:
    if last < told:
        raise UsageError(
            f"game {game!r} in {ledger.store.location} ends at {which}#{last}, its tables at"
            f" #{told}: this is another ledger or an older copy; give another --into, or --rebuild"
        )
