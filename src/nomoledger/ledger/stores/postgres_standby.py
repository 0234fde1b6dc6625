"""Commits that a synchronous standby confirms, so that nothing acknowledged is lost with a server.

PostgreSQL waits for the standby as long as it takes, without a word. Here a missing standby is an
error after some seconds: before anything is recorded, if the server knows that none is connected,
and otherwise when the confirmation of a commit does not come.
"""

import logging
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import dup
from time import monotonic, sleep
from typing import Any

import psycopg

from nomoledger.errors import StoreError, UnconfirmedError

Connection = psycopg.Connection[Any]

_log = logging.getLogger("nomoledger")

#: How long to wait for a standby that is not connected, and for the confirmation of a commit.
STANDBY_SECONDS = 5
#: How long to wait for the server to end a wait, before the connection is cut.
CANCEL_SECONDS = 2

#: The standbys that a commit waits for, and how many are there. Only users with the rights of
#: pg_read_all_stats see which of them are synchronous; for other users, each one counts.
SELECT_STANDBYS = """SELECT names, CASE WHEN names = '' THEN 0 ELSE (
        SELECT count(*) FROM pg_stat_replication
        WHERE coalesce(sync_state IN ('sync', 'quorum'), true)) END
    FROM (SELECT CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
        OR pg_is_in_recovery() THEN ''
        ELSE current_setting('synchronous_standby_names') END AS names) AS needed"""
#: Makes a commit wait for the standby even if the transaction has only read. Without it, what
#: another program recorded, and the standby did not confirm, might be taken for safe.
MARK = "SELECT pg_logical_emit_message(true, 'nomoledger', '')"
#: The warning of a commit whose wait for the standby was ended.
WARNING = "01000"
_COUNT = re.compile(r"\s*(?:FIRST|ANY)?\s*(\d+)\s*\(", re.IGNORECASE)


@contextmanager
def confirmed_transaction(connection: Connection, names: str | None = None) -> Iterator[None]:
    """Open a transaction, whose commit at the end of the block is confirmed by the standby.

    *names* is what `require_standby` has just returned for this connection, if it was called.

    Then the standby has everything that the block has read or written, whoever wrote it. If the
    server has no synchronous standby, the commit is an ordinary one.

    Raises:
        StoreError: the standby is missing; nothing is recorded.
        UnconfirmedError: everything is recorded, but the standby has not confirmed it in time.
    """
    if names is None:
        names = require_standby(connection)
    if not names:
        with connection.transaction():
            yield
        return
    watch, server = _CommitWatch(connection), _server(connection)
    try:
        with connection.transaction():
            yield
            connection.execute(MARK.encode(), prepare=True)
            watch.begin()
    finally:
        watch.end()
    if watch.is_unconfirmed:
        raise UnconfirmedError(
            f"recorded on the primary server {server}, not yet on the standby"
            f" (synchronous_standby_names = {names!r}), which did not confirm it within"
            f" {STANDBY_SECONDS} seconds: mend the standby, then repeat the request"
        )


def require_standby(connection: Connection) -> str:
    """Return the names of the standbys that a commit waits for; "" if it waits for none.

    Raises:
        StoreError: they are not connected, and do not come within some seconds.
    """
    give_up = monotonic() + STANDBY_SECONDS
    while True:
        names, connected = _standbys(connection)
        if not names or connected >= _needed(names):
            return names
        if monotonic() > give_up:
            raise StoreError(
                f"nothing more is recorded: the primary server {_server(connection)} has no"
                f" synchronous standby now (synchronous_standby_names = {names!r}): start the"
                " standby, or empty that setting to play on without one"
            )
        sleep(0.1)


def warn_if_alone(connection: Connection) -> None:
    """Warn, in the log of the program, if the primary server commits without a standby."""
    if not _standbys(connection)[0]:
        _log.warning(
            "warning: the primary server %s has no synchronous standby (synchronous_standby_names"
            " is empty): what is recorded now would be lost with that server",
            _server(connection),
        )


def _standbys(connection: Connection) -> tuple[str, int]:
    """Return the names of the standbys that a commit waits for, and how many are connected."""
    row = connection.execute(SELECT_STANDBYS.encode(), prepare=True).fetchone()
    assert row is not None
    names, connected = row
    return names, connected


def _needed(names: str) -> int:
    """Return how many standbys a commit waits for.

    >>> _needed("*"), _needed("FIRST 2 (a, b)"), _needed("any 1 (a, b)"), _needed("3 (a, b, c)")
    (1, 2, 1, 3)
    """
    count = _COUNT.match(names)
    return 1 if count is None else int(count[1])


def _server(connection: Connection) -> str:
    """Return which server *connection* leads to."""
    return f"{connection.info.host}:{connection.info.port}"


class _CommitWatch:
    """Ends the wait of a commit for the standby after some seconds, and notes whether it ended.

    Attributes:
        is_unconfirmed: whether the server said that the commit is recorded there only.
    """

    def __init__(self, connection: Connection) -> None:
        self.is_unconfirmed = False
        self._connection = connection
        self._is_over = threading.Event()
        self._was_cancelled = False
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Watch from now on: the commit comes next."""
        self._connection.add_notice_handler(self._note)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the watch; a connection on which the commit was cancelled is closed."""
        if self._thread is None:
            return
        self._is_over.set()
        self._thread.join()
        self._connection.remove_notice_handler(self._note)
        if self._was_cancelled:
            self._connection.close()

    def _note(self, notice: psycopg.errors.Diagnostic) -> None:
        self.is_unconfirmed |= notice.sqlstate == WARNING

    def _watch(self) -> None:
        if self._is_over.wait(STANDBY_SECONDS):
            return
        self._was_cancelled = True
        with suppress(psycopg.Error):
            self._connection.cancel_safe(timeout=CANCEL_SECONDS)
        if not self._is_over.wait(CANCEL_SECONDS):
            self._cut()

    def _cut(self) -> None:
        """Cut the connection to a server that does not answer; whoever waits for it goes on."""
        with (
            suppress(OSError, psycopg.OperationalError),
            socket.socket(fileno=dup(self._connection.fileno())) as connected,
        ):
            connected.shutdown(socket.SHUT_RDWR)
