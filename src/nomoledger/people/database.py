"""The database of people: a file beside the ledger, or a schema in the same PostgreSQL.

What is known of people is no part of a game. A ledger that is copied, exported or published takes
none of it along. Only hashes of tokens that sign somebody in are stored. Mails that wait to be sent
hold such tokens, too. They are erased when they are sent or given up: a mail is given up once what
it holds is worth nothing any more. A server also erases such mails when it starts. The
addresses of webhooks, and the secrets by which their calls are signed, are stored as they are,
because each call needs them. They sign nobody in.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from nomoledger.errors import StoreError
from nomoledger.ledger.stores.location import is_postgres, path_of

#: What is added to the name of a ledger's file.
SUFFIX = "-people"
#: The tables, for SQLite and PostgreSQL.
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS people (
        game TEXT NOT NULL, reader TEXT NOT NULL, email TEXT NOT NULL, invited BIGINT NOT NULL,
        PRIMARY KEY (game, reader))""",
    """CREATE TABLE IF NOT EXISTS links (
        token TEXT PRIMARY KEY, game TEXT NOT NULL, reader TEXT NOT NULL,
        expires BIGINT NOT NULL, made TEXT NOT NULL, used BIGINT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS sessions (
        token TEXT PRIMARY KEY, game TEXT NOT NULL, reader TEXT NOT NULL, way TEXT NOT NULL,
        browser TEXT NOT NULL, began BIGINT NOT NULL, used BIGINT NOT NULL,
        expires BIGINT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS sessions_of ON sessions (game, reader)",
    """CREATE TABLE IF NOT EXISTS seen (
        game TEXT NOT NULL, reader TEXT NOT NULL, number BIGINT NOT NULL,
        PRIMARY KEY (game, reader))""",
    """CREATE TABLE IF NOT EXISTS sign_ins (
        at BIGINT NOT NULL, game TEXT NOT NULL, reader TEXT NOT NULL, what TEXT NOT NULL,
        way TEXT NOT NULL, browser TEXT NOT NULL, network TEXT NOT NULL, session TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS sign_ins_of ON sign_ins (game, reader, at)",
    "CREATE INDEX IF NOT EXISTS sign_ins_at ON sign_ins (at) WHERE network <> ''",
    """CREATE TABLE IF NOT EXISTS passkeys (
        id TEXT PRIMARY KEY, game TEXT NOT NULL, reader TEXT NOT NULL, handle TEXT NOT NULL,
        public_key TEXT NOT NULL, sign_count BIGINT NOT NULL, site TEXT NOT NULL,
        name TEXT NOT NULL, added BIGINT NOT NULL, used BIGINT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS passkeys_of ON passkeys (game, reader)",
    """CREATE TABLE IF NOT EXISTS challenges (
        challenge TEXT PRIMARY KEY, purpose TEXT NOT NULL, expires BIGINT NOT NULL)""",
    # What browsers asked for, to sign in by mail. All but the time are hashes, and who is meant.
    """CREATE TABLE IF NOT EXISTS mail_asks (
        cookie TEXT PRIMARY KEY, link TEXT NOT NULL UNIQUE, code TEXT NOT NULL,
        address TEXT NOT NULL, people TEXT NOT NULL, asked BIGINT NOT NULL,
        expires BIGINT NOT NULL, mailed BIGINT NOT NULL, tries BIGINT NOT NULL,
        state TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS mail_asks_to ON mail_asks (address, asked)",
    "CREATE INDEX IF NOT EXISTS mail_asks_at ON mail_asks (asked)",
    "CREATE INDEX IF NOT EXISTS people_email ON people (lower(email))",
    """CREATE TABLE IF NOT EXISTS deeds (
        at BIGINT NOT NULL, game TEXT NOT NULL, reader TEXT NOT NULL, session TEXT NOT NULL,
        what TEXT NOT NULL, request TEXT NOT NULL, acting_for TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS deeds_of ON deeds (request)",
    """CREATE TABLE IF NOT EXISTS comments (
        id TEXT PRIMARY KEY, at BIGINT NOT NULL, game TEXT NOT NULL, proposal BIGINT NOT NULL,
        speaker TEXT NOT NULL, entered_by TEXT NOT NULL, text TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS suggestions (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, changes TEXT NOT NULL,
        differences TEXT NOT NULL, version TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS mail_choices (
        game TEXT NOT NULL, reader TEXT NOT NULL, pace TEXT NOT NULL, hour BIGINT NOT NULL,
        reminders TEXT NOT NULL, stop TEXT NOT NULL UNIQUE, PRIMARY KEY (game, reader))""",
    """CREATE TABLE IF NOT EXISTS mail_progress (
        game TEXT NOT NULL, reader TEXT NOT NULL, version BIGINT NOT NULL, state TEXT NOT NULL,
        PRIMARY KEY (game, reader))""",
    # Letters to the outside. SQLite takes bytes into a column of any type.
    """CREATE TABLE IF NOT EXISTS outbox (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, game TEXT NOT NULL, recipient TEXT NOT NULL,
        content BYTEA NOT NULL, about TEXT NOT NULL, posted BIGINT NOT NULL, due BIGINT NOT NULL,
        expires BIGINT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting',
        tries BIGINT NOT NULL DEFAULT 0, why TEXT NOT NULL DEFAULT '',
        lease TEXT NOT NULL DEFAULT '', leased_until BIGINT NOT NULL DEFAULT 0,
        ended BIGINT NOT NULL DEFAULT 0)""",
    "CREATE INDEX IF NOT EXISTS outbox_due ON outbox (kind, state, due)",
    """CREATE TABLE IF NOT EXISTS api_tokens (
        token TEXT PRIMARY KEY, game TEXT NOT NULL, reader TEXT NOT NULL, name TEXT NOT NULL,
        scopes TEXT NOT NULL, made BIGINT NOT NULL, expires BIGINT NOT NULL, used BIGINT)""",
    # Copies of games, and what was played in them: batches of records, by their first event.
    """CREATE TABLE IF NOT EXISTS copies (
        id TEXT PRIMARY KEY, game TEXT NOT NULL, opened_by TEXT NOT NULL, since BIGINT NOT NULL,
        made BIGINT NOT NULL, base TEXT NOT NULL, secret BYTEA NOT NULL, used BIGINT NOT NULL,
        back BIGINT NOT NULL, last BIGINT NOT NULL, size BIGINT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS copies_of ON copies (game, opened_by)",
    """CREATE TABLE IF NOT EXISTS copied_records (
        copy TEXT NOT NULL, first BIGINT NOT NULL, records BYTEA NOT NULL,
        PRIMARY KEY (copy, first))""",
    """CREATE TABLE IF NOT EXISTS request_keys (
        id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, at BIGINT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS webhooks (
        id TEXT PRIMARY KEY, game TEXT NOT NULL, reader TEXT NOT NULL, address TEXT NOT NULL,
        secret TEXT NOT NULL, kinds TEXT NOT NULL, made BIGINT NOT NULL, told BIGINT NOT NULL,
        upto BIGINT, version BIGINT NOT NULL DEFAULT 0, is_on BIGINT NOT NULL DEFAULT 1,
        why TEXT NOT NULL DEFAULT '', failures BIGINT NOT NULL DEFAULT 0,
        failing_since BIGINT NOT NULL DEFAULT 0)""",
    "CREATE INDEX IF NOT EXISTS webhooks_of ON webhooks (game, reader)",
    """CREATE TABLE IF NOT EXISTS webhook_calls (
        webhook TEXT NOT NULL, id TEXT NOT NULL, what TEXT NOT NULL, at BIGINT NOT NULL,
        tries BIGINT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (webhook, id))""",
)


class Connection(Protocol):
    """A connection in a transaction."""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Execute *statement*, in which `?` stands for each of *values*."""


class PeopleDatabase(Protocol):
    """What is kept of people. Several threads, and several processes, may use it.

    Attributes:
        is_shared: whether the server processes of several computers may use it.
    """

    is_shared: bool

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield a connection; what the block does is kept as a whole, or not at all."""

    @contextmanager
    def unconfirmed(self) -> Iterator[Connection]:
        """Do what `transaction` does for something that may be lost with the database server."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection for a block that only reads: it waits for nobody who writes."""

    def close(self) -> None:
        """Close the connections."""


class SqlitePeople:
    """A database of people in a file, which only its owner can read."""

    is_shared = False

    def __init__(self, path: Path) -> None:
        """Open the file at *path*, which is made if it does not exist."""
        self._writing, self._reading = Lock(), Lock()
        try:
            path.touch(mode=0o600)
            self._writer = sqlite3.connect(path, timeout=10, check_same_thread=False)
            self._writer.execute("PRAGMA journal_mode = WAL")
            with self._writer as connection:
                for statement in SCHEMA:
                    connection.execute(statement)
            self._reader = sqlite3.connect(path, timeout=10, check_same_thread=False)
            self._reader.execute("PRAGMA query_only = ON")
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"cannot keep people in {path}: {error}") from None

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield a connection, in a transaction of its own, which waits until nobody else writes."""
        with self._writing, _block(self._writer, "BEGIN IMMEDIATE"):
            yield self._writer

    unconfirmed = transaction

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that shows what was stored when the block began to read."""
        with self._reading, _block(self._reader, "BEGIN"):
            yield self._reader

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
        self._writer.close()


@contextmanager
def _block(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """Let the block be a transaction of *connection*, which *begin* begins."""
    try:
        connection.execute(begin)
        yield
        connection.commit()
    except BaseException as error:
        connection.rollback()
        if isinstance(error, sqlite3.Error):
            raise StoreError(f"the file of people cannot be used: {error}") from None
        raise


def open_people(location: str) -> PeopleDatabase:
    """Open the database of people of the ledger at *location*.

    Raises:
        StoreError: they cannot be read or written.
    """
    if is_postgres(location):
        # Imported late: psycopg takes 0.1 s to import, and ledgers in files do not need it.
        from nomoledger.people.postgres_people import PostgresPeople

        return PostgresPeople(location, SCHEMA)
    return SqlitePeople(Path(path_of(location) + SUFFIX))
