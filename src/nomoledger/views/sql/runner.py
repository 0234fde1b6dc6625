"""Runs eventsourcing's projection runner over one game, page by page.

The library's runner takes an application, subscribes to its events, and passes each of them with
its tracking to a projection. Here the application is a game, and each event is a page of all events
that are available, up to a maximum. So catching up takes one transaction a page, not one an event.
A game is followed by its own numbers, which have no gaps. An order over all games would not do:
in PostgreSQL transactions may become visible in another order.
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
from nomoledger.views.sql.public_numbers import PublicEvents, find_public_heads
from nomoledger.views.sql.sql_views import Views, table_heads, write_page
from nomoledger.views.sql.table import SqlTable

#: The largest number of events in a transaction.
PAGE = 1000
#: The time between two checks for new events.
EVERY_SECONDS = 0.1


class Page(NamedTuple):
    """Consecutive *entries* up to *head*. *id* is the number of events up to its end.

    *is_last* says that there were no more events when the page was read.
    """

    id: int
    entries: list[Entry]
    head: Head
    is_last: bool


class EventSource:
    """The events of *game*, in the place of the recorder of an eventsourcing application.

    A page ends at each of the event numbers *cuts*, so that it never holds events of which a table
    has only some.
    """

    def __init__(self, ledger: Ledger, game: str, cuts: Sequence[int], *, is_endless: bool) -> None:
        self._ledger = ledger
        self._game = game
        self._cuts = sorted(cuts)
        self._is_endless = is_endless

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "PageSubscription":
        """Return a subscription to the pages after the first *gt* events."""
        return PageSubscription(self, gt or 0)

    def page(self, after: int) -> Page | None:
        """Return the page after event number *after*, or None if there are no new events."""
        head = self._ledger.head(self._game)
        if head.number <= after:
            _check_not_behind(self._ledger, self._game, head.number, after)
            return None
        cut = next((number for number in self._cuts if number > after), head.number)
        upto = min(after + PAGE, cut, head.number)
        entries = list(self._ledger.read(self._game, after, upto))
        if upto < head.number:
            return Page(upto + 1, entries, self._ledger.head_at(self._game, upto), False)
        return Page(upto + 1, entries, head, True)

    @property
    def is_endless(self) -> bool:
        """Whether a subscription waits for more events after the last one."""
        return self._is_endless


class PageSubscription:
    """A subscription to the pages of a game, in order."""

    def __init__(self, source: EventSource, count: int) -> None:
        self._source = source
        self._count = count
        self._stopped = Event()

    def __enter__(self) -> "PageSubscription":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the subscription."""
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


class _IdentityMapper:
    """Returns pages as they are: their events are decoded already."""

    def to_domain_event(self, page: Page) -> Page:
        return page


def _application(source: EventSource, game: str) -> type[Application[str]]:
    """Return an application class whose recorder is *source*: the library makes the instance."""

    class Followed(Application[str]):
        name = f":{game}"  # No tracking record has this name: each table has its own.

        def __init__(self, env: Any = None) -> None:
            self.recorder: Any = source
            self.mapper: Any = _IdentityMapper()

        def close(self) -> None:
            """Do nothing: the caller closes the ledger."""

    return Followed


class TablesProjection(Projection[Any]):
    """A projection of one game into *tables*. Writes each page together with its tracking."""

    def __init__(
        self,
        views: Views,
        game: str,
        tables: Sequence[type[SqlTable]],
        done: Callable[[int], None],
        last: int = -1,
    ) -> None:
        """Project *game* into *tables*.

        *done* is called with the number of events of each page. *last* is the number of an event
        that is known to come: in public tables, the present is not written before that event.
        """
        super().__init__(views)
        self._last = last
        self._game = game
        self._tables = {table.name: table for table in tables}
        self._folding = Folding(game, tables, views.is_public)
        self._public = PublicEvents(game) if views.is_public else None
        self._done = done
        self._number = -1

    def process_event(self, domain_event: Page, tracking: Tracking) -> None:
        """Fold the next page and write its changes."""
        page = domain_event
        if self._public is None:
            self._folding.fold(page.entries)
            self._write(page.head, page.is_last)
        else:
            self._folding.fold(self._public.convert(page.entries))
            # The present is written with the last public event that is known, and with every page
            # after that event. Later pages may hold secret events only, and those write nothing.
            head = self._public.head
            self._write(head, is_last=head.number >= self._last)
        self._done(len(page.entries))

    def _write(self, head: Head, is_last: bool) -> None:
        if head.number == self._number:
            return
        if is_last:
            self._folding.read_present()
        changes = self._folding.pop_changes()
        by_table = {table: changes[name] for name, table in self._tables.items()}
        write_page(self.view, self._game, by_table, self._number, head)
        self._number = head.number


def start_runner(
    views: Views,
    ledger: Ledger,
    game: str,
    tables: Sequence[type[SqlTable]],
    *,
    is_endless: bool,
    done: Callable[[int], None],
) -> BaseProjectionRunner[Application[str]]:
    """Start the library's runner for *tables* of *game* in a thread.

    The runner reads the game from its first event, since tables remember earlier events. It writes
    only what the tables do not hold yet. It calls *done* with the number of events of each page.

    Raises:
        UsageError: The tables were made from another ledger.
    """
    progress = read_progress(views, tables, ledger, game)
    source = EventSource(ledger, game, progress.cuts, is_endless=is_endless)
    return BaseProjectionRunner(
        projection=TablesProjection(views, game, tables, done, progress.last),
        application_class=_application(source, game),
        tracking_recorder=cast(TrackingRecorder, views),
        topics=(),
    )


class TableProgress(NamedTuple):
    """How far each table has come.

    Attributes:
        heads: The head that each table has reached.
        last: The number of the game's last event.
        cuts: The numbers, in the ledger, of the last event in each table.

    In public tables, *heads* and *last* have public numbers.
    """

    heads: dict[type[SqlTable], Head]
    last: int
    cuts: list[int]

    def behind(self, tables: Sequence[type[SqlTable]]) -> int:
        """Return the number of events that at least one of *tables* does not hold yet."""
        numbers = [self.heads[table].number if table in self.heads else -1 for table in tables]
        return max(self.last - min(numbers, default=-1), 0)


def read_progress(
    views: Views, tables: Sequence[type[SqlTable]], ledger: Ledger, game: str
) -> TableProgress:
    """Return how far *tables* have come, after checking that they were made from *ledger*.

    Raises:
        UsageError: The tables were made from another ledger.
    """
    heads = table_heads(views, tables, game)
    numbers = {head.number for head in heads.values()}
    if views.is_public:
        public_heads, current = find_public_heads(ledger, game, numbers)
        last, cuts = current.number, [found.number for found in public_heads.values()]
        heads_in_ledger = {number: found.head for number, found in public_heads.items()}
    else:
        last, cuts = ledger.head(game).number, list(numbers)
        heads_in_ledger = {
            number: ledger.head_at(game, number) for number in numbers if number <= last
        }
    for head in heads.values():
        _check_not_behind(ledger, game, last, head.number, "public " if views.is_public else "")
        if heads_in_ledger.get(head.number) != head:
            raise UsageError(
                f"the tables of game {game!r} in {views.location} were not made from"
                f" {ledger.store.location} as it is now: give another --into, or --rebuild"
            )
    return TableProgress(heads, last, cuts)


def _check_not_behind(
    ledger: Ledger, game: str, last: int, table_number: int, which: str = ""
) -> None:
    if last < table_number:
        raise UsageError(
            f"game {game!r} in {ledger.store.location} ends at {which}#{last}, its tables at"
            f" #{table_number}: this is another ledger or an older copy; give another --into, or"
            " --rebuild"
        )
