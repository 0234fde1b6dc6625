"""The file of the embedded store: connections, tables, and messages for errors."""

import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore, Lock
from types import TracebackType

from eventsourcing.persistence import (
    ConnectionPoolClosedError,
    ConnectionUnavailableError,
    PersistenceError,
)
from eventsourcing.sqlite import (
    SQLiteConnection,
    SQLiteCursor,
    SQLiteDatastore,
    SQLiteTransaction,
)

from nomoledger.errors import CorruptError, StoreError, UnknownError
from nomoledger.ledger.stores.schema_versions import Upgrade, check_not_newer, check_version
from nomoledger.ledger.stores.sqlite_pointers import read_pointers
from nomoledger.ledger.stores.sqlite_schema import CREATE, check_objects
from nomoledger.ledger.stores.sqlite_side_tables import CREATE as CREATE_SIDE_TABLES
from nomoledger.ledger.stores.sqlite_side_tables import register_exact_sum, roll_up_all

APPLICATION_ID = 0x6E6F6D6F  # "nomo"
#: The header of an SQLite file, and where it says which application the file belongs to.
_HEADER_BYTES, _ID_PLACE = 100, slice(68, 72)
SCHEMA_VERSION = 3
#: Threads that may read at the same time; more wait for one of them.
READERS_MAX = 15
#: A writer that finds the file locked tries again after a time between these, in seconds.
_TRY_AGAIN_SECONDS = 0.0005, 0.002

#: A step of a migration: a statement, or a function that computes what SQL cannot.
Step = str | Callable[[sqlite3.Connection], object]
MIGRATIONS: dict[int, tuple[Step, ...]] = {
    2: (*CREATE_SIDE_TABLES, roll_up_all),
    3: ("ALTER TABLE chain RENAME COLUMN commitment TO commitments",),
}

#: Messages by a part of the text of an SQLite error; the first that matches counts.
EXPLANATIONS = {
    "locked": "{} is locked by another program: close it there or try again",
    "busy": "{} is busy: try again",
    "Timed out waiting": "{} is busy in another thread: try again",
    "disk is full": "no room left on the disk of {}: what is recorded stays recorded; make room,"
    " try again",
    "disk I/O error": "{}: its disk failed, or has no room left for a file beside it: what is"
    " recorded stays recorded; check the disk, try again",
    "readonly": "cannot write {}: check the permissions of the file and of its folder",
    "unable to open": "cannot open {}: check that its folder exists and may be written to",
    "not a database": "{} is not a ledger (not an SQLite file): check the path",
}


class SqliteConnections(SQLiteDatastore):
    """The library's datastore, with connections of our own: one writes, the others only read.

    The library's deferred BEGIN fails at once, without waiting, if another process wrote between
    our reading the head and our first insert; ours takes the lock first. The library's connections
    keep one prepared statement each (to `sqlite3` its `cached_statements=True` is the number 1);
    ours keep all of them. One connection stays reserved for writing, because borrowing one from a
    pool takes a good part of the time of a small transaction.
    """

    def __init__(self, uri: str, lock_timeout: int) -> None:
        """Connect to the file at *uri* when needed; wait *lock_timeout* seconds for its lock."""
        self._connect = partial(_new_connection, uri)
        self._lock_timeout = lock_timeout
        self._turn = Lock()
        self._writer: SQLiteConnection | None = None
        self._readers = BoundedSemaphore(READERS_MAX)
        self._idle: list[SQLiteConnection] = []
        self._schema = -1
        super().__init__(uri, lock_timeout=lock_timeout, originator_id_type="text")

    def close(self) -> None:
        """Close the connections; those that are in use are closed when they come back."""
        super().close()
        while self._idle:
            self._idle.pop().close()
        if self._writer is not None:
            self._writer.close()

    @contextmanager
    def get_connection(self, *, commit: bool) -> Iterator[SQLiteConnection]:
        """Yield the connection that writes if *commit*, otherwise one that reads."""
        connection = self.take_turn() if commit else self._borrow()
        try:
            yield connection
        finally:
            if commit:
                self.end_turn()
            else:
                self._give_back(connection)

    def take_turn(self) -> SQLiteConnection:
        """Wait for other writers and return the connection that writes; `end_turn` must follow."""
        if not self._turn.acquire(timeout=self.pool.pool_timeout):
            raise ConnectionUnavailableError("Timed out waiting for another writer")
        try:
            self._writer = self._writer or self._connect(0)
            return self._writer
        except BaseException:
            self.end_turn()
            raise

    def end_turn(self) -> None:
        """Let the next thread write."""
        self._turn.release()

    def check_schema(self, cursor: sqlite3.Cursor, location: str) -> None:
        """Check, inside a transaction, that no other program has added a trigger meanwhile.

        Raises:
            StoreError: see `check_objects`.
        """
        (schema,) = cursor.execute("PRAGMA schema_version").fetchone()
        if schema != self._schema:
            check_objects(cursor, location)
            self._schema = schema

    def _borrow(self) -> SQLiteConnection:
        if self.pool.closed:
            raise ConnectionPoolClosedError
        if not self._readers.acquire(timeout=self.pool.pool_timeout):
            raise ConnectionUnavailableError("Timed out waiting for a connection")
        try:
            return self._idle.pop()
        except IndexError:
            pass
        try:
            return self._connect(self._lock_timeout)
        except BaseException:
            self._readers.release()
            raise

    def _give_back(self, connection: SQLiteConnection) -> None:
        if self.pool.closed:
            connection.close()
        else:
            self._idle.append(connection)
        self._readers.release()

    @contextmanager
    def transaction(self, *, commit: bool) -> Iterator[SQLiteCursor]:
        """Yield a cursor; everything is committed at the end of the block if *commit*."""
        with (
            self.get_connection(commit=commit) as connection,
            self._begin(connection, commit) as cursor,
            cursor,
        ):
            yield cursor

    def _begin(self, connection: SQLiteConnection, commit: bool) -> SQLiteTransaction:
        if commit:
            return self.write_transaction(connection)
        return SQLiteTransaction(connection, commit=False)

    def write_transaction(self, connection: SQLiteConnection) -> "WriteTransaction":
        """Return a transaction on *connection*, the one that writes."""
        return WriteTransaction(connection, self._lock_timeout)


def _new_connection(uri: str, lock_timeout: int) -> SQLiteConnection:
    connection = sqlite3.connect(
        uri, uri=True, check_same_thread=False, isolation_level=None, timeout=lock_timeout
    )
    connection.execute("PRAGMA journal_mode=WAL")
    connection.row_factory = sqlite3.Row
    register_exact_sum(connection)
    return SQLiteConnection(connection, max_age=None)


class WriteTransaction(SQLiteTransaction):
    """The library's transaction, except that it takes the lock first and leaves nothing open.

    SQLite itself waits for the lock of another process by trying again after up to 0.1 s: whoever
    has waited long waits still longer, and many writers starve some of them.
    """

    def __init__(self, connection: SQLiteConnection, lock_timeout: int) -> None:
        """Use *connection*; wait for at most *lock_timeout* seconds."""
        super().__init__(connection, commit=True)
        self._lock_timeout = lock_timeout

    def __enter__(self) -> SQLiteCursor:
        """Wait for the lock and begin.

        Raises:
            sqlite3.OperationalError: another process held the lock all the time.
        """
        cursor = self.connection.cursor()
        deadline = time.monotonic() + self._lock_timeout
        while True:
            try:
                cursor.execute("BEGIN IMMEDIATE")
                return cursor
            except sqlite3.OperationalError as error:
                is_locked = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not is_locked or time.monotonic() > deadline:
                    raise
            time.sleep(random.uniform(*_TRY_AGAIN_SECONDS))

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        """Commit, or roll back after an error."""
        try:
            super().__exit__(exc_type, exc_val, exc_tb)
        finally:
            self.connection.rollback()  # a commit that failed leaves its transaction open


def open_file(location: str, *, create: bool, lock_timeout: int) -> SqliteConnections:
    """Open and check the ledger file at *location*; create it first if missing and *create*.

    Raises:
        UnknownError: the file does not exist, and *create* is False.
        StoreError: the file is not a ledger, or is one that we cannot use.
    """
    with _connected(location, create=create, lock_timeout=lock_timeout) as connection:
        _prepare(connection, location, create)
    return SqliteConnections(_uri(location, create), lock_timeout)


@contextmanager
def _connected(location: str, *, create: bool, lock_timeout: int) -> Iterator[sqlite3.Connection]:
    path = Path(location)
    if path.is_dir():
        raise StoreError(f"{location} is a folder: give the path of a file")
    if path.exists() and not path.is_file():
        raise StoreError(f"{location} is no regular file: give the path of a file")
    if not create and not path.exists():
        raise UnknownError(f"no ledger at {location}: check the path, or create it first")
    uri = _uri(location, create)
    with plain_errors(location):
        connection = sqlite3.connect(uri, uri=True, timeout=lock_timeout, isolation_level=None)
        with closing(connection):
            yield connection


def _uri(location: str, create: bool) -> str:
    return f"{Path(location).absolute().as_uri()}?mode={'rwc' if create else 'rw'}"


def _prepare(connection: sqlite3.Connection, location: str, create: bool) -> None:
    """Check that the file is a ledger we can read; if *create*, turn an empty file into one."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        if not create:
            raise StoreError(f"{location} is not a ledger: check the path")
        connection.execute("BEGIN IMMEDIATE")
        if _pragma(connection, "application_id") != APPLICATION_ID:  # no other program was faster
            _create_tables(connection, location)
        connection.execute("COMMIT")
    check_version(location, _pragma(connection, "user_version"), SCHEMA_VERSION)
    check_objects(connection, location)


def upgrade_file(location: str, lock_timeout: int = 5, *, dry_run: bool = False) -> Upgrade:
    """Upgrade the file at *location*; see `nomoledger.ledger.stores.open_store`."""
    with _connected(location, create=False, lock_timeout=lock_timeout) as connection:
        connection.execute("BEGIN IMMEDIATE")  # an error before COMMIT undoes everything
        if _pragma(connection, "application_id") != APPLICATION_ID:
            raise StoreError(f"{location} is not a ledger: check the path")
        current = _pragma(connection, "user_version")
        check_not_newer(location, current, SCHEMA_VERSION)
        for version in range(current + 1, SCHEMA_VERSION + 1):
            for step in MIGRATIONS[version]:
                if isinstance(step, str):
                    connection.execute(step)
                else:
                    step(connection)
        check_objects(connection, location)
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        connection.execute("ROLLBACK" if dry_run else "COMMIT")
    return Upgrade(current, SCHEMA_VERSION)


def ledgers_in(folder: Path) -> list[Path]:
    """Return the ledger files in *folder*, sorted, without those in folders within it."""
    return sorted(path for path in folder.iterdir() if path.is_file() and _is_ledger(path))


def _is_ledger(path: Path) -> bool:
    """Return whether the header of the SQLite file at *path* says that it is a ledger.

    The header of a file in use may still be in the log beside it: then the file itself is asked.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not header.startswith(b"SQLite format 3\0"):
        return False
    if int.from_bytes(header[_ID_PLACE], "big") == APPLICATION_ID:
        return True
    try:
        with closing(sqlite3.connect(_uri(str(path), False), uri=True)) as connection:
            return _pragma(connection, "application_id") == APPLICATION_ID
    except sqlite3.Error:
        return False


def remove_if_unused(path: Path, lock_timeout: int = 5) -> None:
    """Delete the ledger file at *path* if it holds no game and no other program is writing it."""
    if not path.is_file():
        return
    with suppress(sqlite3.Error, OSError), closing(_plain_connection(path, lock_timeout)) as ledger:
        if ledger.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            ledger.execute("BEGIN IMMEDIATE")  # others wait here, and then find the games
            if ledger.execute("SELECT count(*) FROM games").fetchone()[0]:
                return
            if read_pointers(ledger.cursor()):  # the records of a move that is under way
                return
        for suffix in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def _plain_connection(path: Path, lock_timeout: int) -> sqlite3.Connection:
    return sqlite3.connect(
        _uri(str(path), False), uri=True, timeout=lock_timeout, isolation_level=None
    )


def _create_tables(connection: sqlite3.Connection, location: str) -> None:
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise StoreError(f"{location} is the database of another program: give another path")
    for statement in CREATE:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


class plain_errors:
    """A `with` block that turns the errors of SQLite and the library into a one-line StoreError."""

    def __init__(self, location: str) -> None:
        """Name *location* in the messages."""
        self._location = location

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        """Raise the error of the block as a StoreError.

        Raises:
            StoreError: SQLite or the library raised an error.
        """
        if isinstance(error, UnicodeDecodeError):  # SQLite's message quotes a damaged name
            raise CorruptError(f"{self._location} is damaged ({error}): restore a copy") from error
        if isinstance(error, sqlite3.Error | PersistenceError):
            raise _explanation(str(error), self._location) from error


def _explanation(text: str, location: str) -> StoreError:
    """Return the error to raise for an SQLite error with that *text*."""
    for sign, explanation in EXPLANATIONS.items():
        if sign in text:
            return StoreError(explanation.format(location))
    if "malformed" in text or "decode to UTF-8" in text:
        return CorruptError(f"{location} is damaged ({text}): restore a copy")
    return StoreError(f"{location}: {text}")
