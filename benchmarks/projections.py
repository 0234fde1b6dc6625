"""How fast tables are rebuilt and asked: `python benchmarks/projections.py [PAYMENTS] [EVENTS]`.

A made-up year of PAYMENTS payments between 50 players, closed week by week, becomes tables: by us,
a page of events a transaction, and by the library's runner as it comes, an event a transaction, for
the first EVENTS of them. Both put the same rows into the same tables with the same fold; the
library's side keeps its own recorder with its own settings. Then the standings of all weeks are
asked of the table, and (where it is installed) of ledger, from the journal that we export.
PostgreSQL is started for it, as for the tests.
"""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, cast

import psycopg
from eventsourcing.projection import BaseProjectionRunner
from eventsourcing.sqlite import SQLiteDatastore
from psycopg.rows import dict_row

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from made import GAME, PERIODS, PLAYERS, fill
from postgres_server import PostgresServer

from nomoledger.events import Entry
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.postgres_link import PostgresConnections, address_of
from nomoledger.views.journals import export_journal
from nomoledger.views.sql import runner
from nomoledger.views.sql.databases import open_views
from nomoledger.views.sql.postgres_tables import PostgresViews
from nomoledger.views.sql.sql_views import Views, create_tables, reset_tables
from nomoledger.views.sql.sqlite_tables import SqliteViews
from nomoledger.views.sql.sync import sync_tables
from nomoledger.views.sql.table import SqlTable, find_tables

ROUNDS = 3
ALL_WEEKS = "SELECT period, player, rank, money FROM {}standings WHERE until IS NULL"

Tables = Sequence[type[SqlTable]]


# --- the library, as it comes -------------------------------------------------------------------


class StockSqlite(SqliteViews):
    """The library's recorder on the library's datastore: every commit is waited for."""

    def __init__(self, location: str) -> None:
        super().__init__(location, False)
        self.datastore.close()
        self.datastore = SQLiteDatastore(location)


class StockPostgres(PostgresViews):
    """The library's recorder with the server's own settings."""

    def __init__(self, location: str) -> None:
        super().__init__(location, False)
        self._datastore.close()
        self._datastore = PostgresConnections(address_of(location), lock_timeout=30)  # type: ignore[assignment]
        self._datastore.pool.kwargs = address_of(location) | {"row_factory": dict_row}
        self._datastore.schema = self._schema
        self.datastore = self._datastore


# --- measuring ----------------------------------------------------------------------------------


def seconds(act: Callable[[], object]) -> float:
    """How long *act* takes."""
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def rebuilt(ledger: Ledger, views: Views, tables: Tables) -> float:
    """How long an event takes when *tables* are made from nothing, in seconds."""
    reset_tables(views, tables, None)
    took = seconds(lambda: list(sync_tables(ledger, views, tables, [GAME], lambda count: None)))
    return took / (ledger.head(GAME).number + 1)


class Ready:
    """Events that are read already, one by one: the library's side waits for no ledger."""

    is_endless = False

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries

    def subscribe(
        self, gt: int | None = None, topics: Sequence[str] = ()
    ) -> runner.PageSubscription:
        return runner.PageSubscription(cast(Any, self), 0)

    def page(self, after: int) -> runner.Page | None:
        if after + 1 == len(self.entries):
            return None
        entry = self.entries[after + 1]
        return runner.Page(after + 2, [entry], Head(entry.number, ""), False)


def one_by_one(ledger: Ledger, views: Views, tables: Tables, events: int) -> float:
    """The same by the library's runner, an event a transaction, in seconds an event."""
    reset_tables(views, tables, None)
    create_tables(views, tables)
    source = Ready(list(islice(ledger.read(GAME), events)))

    def follow() -> None:
        with BaseProjectionRunner(
            projection=runner.TablesProjection(views, GAME, tables, lambda count: None),
            application_class=runner._application(cast(Any, source), GAME),
            tracking_recorder=cast(Any, views),
            topics=(),
        ) as running:
            running.run_forever()

    return seconds(follow) / events


def compared(ledger: Ledger, ours: Views, stock: Views, events: int) -> None:
    """Print how long we take, and the library, for one table, for those of figures, for all."""
    for names in (["postings"], ["postings", "balances", "standings"], []):
        tables = find_tables(names)
        each = min(rebuilt(ledger, ours, tables) for _ in range(ROUNDS))
        theirs = one_by_one(ledger, stock, tables, events)
        what = ", ".join(names) or f"all {len(tables)} tables"
        print(
            f"  rebuild {what:<32} {each * 1e6:7.1f} µs an event ({1 / each:9,.0f} a second)"
            f"   the library {theirs * 1e6:7.1f} µs   {theirs / each:6.1f} x"
        )


def asked(file: str, schema: str, connect: Callable[[], Any]) -> float:
    """How long it takes to connect and have the standings of all weeks, in seconds."""

    def ask() -> None:
        with closing(connect()) as connection:
            found = connection.execute(ALL_WEEKS.format(schema)).fetchall()
        assert len(found) >= PERIODS * len(PLAYERS), len(found)

    took = min(seconds(ask) for _ in range(ROUNDS))
    print(f"  standings of all {PERIODS} weeks from the table: {took * 1e3:.1f} ms, {file}")
    return took


def from_text(ledger: Ledger, folder: Path) -> float | None:
    """How long ledger takes for the same figures from the journal; None where it is not there."""
    if shutil.which("ledger") is None:
        return None
    journal = folder / "year.ledger"
    with journal.open("wb") as file:
        export_journal(ledger, file, GAME, "ledger")
    command = ["ledger", "--args-only", "-f", str(journal), "reg", "--weekly"]
    return seconds(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))


@contextmanager
def filled(location: str, payments: int) -> Iterator[Ledger]:
    """A ledger of such a year at *location*."""
    with Ledger.open(location, create=True) as ledger:
        fill(ledger, payments)
        yield ledger


def main(payments: int = 100_000, events: int = 2000) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        places = [str(folder / f"{each}.db") for each in ("year", "ours", "stock")]
        with filled(places[0], payments) as ledger:
            print(f"SQLite {sqlite3.sqlite_version}, {ledger.head(GAME).number + 1} events")
            with closing(open_views(places[1], False)) as ours:
                open_views(places[2], False).close()
                with closing(StockSqlite(places[2])) as stock:
                    compared(ledger, ours, stock, events)
            took = asked("a file", "", lambda: sqlite3.connect(places[1]))
            tool = from_text(ledger, folder)
            told = "not installed" if tool is None else f"{tool:.2f} s, {tool / took:,.0f} x"
            print(f"  the same by ledger from the journal: {told}")
        server = PostgresServer(durable=True)
        try:
            url, other = server.new_database(), server.new_database()
            with filled(url, payments) as ledger:
                version = server.execute("SHOW server_version")[0][0]
                print(f"PostgreSQL {version}, {ledger.head(GAME).number + 1} events")
                open_views(other, False).close()
                with (
                    closing(open_views(url, False)) as ours,
                    closing(StockPostgres(other)) as stock,
                ):
                    compared(ledger, ours, stock, events)
                asked("a server", "nomoledger_views.", lambda: psycopg.connect(url))
        finally:
            server.remove()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
