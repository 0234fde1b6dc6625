"""Webhooks: addresses that are called when something happens that their owners may see.

A webhook belongs to one reader of one game. One call of it is under way at a time, so events arrive
in order. How far it has got is the number of an event, as its owner knows the event: no clock and
no restart changes it.
"""

import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from nomoledger.errors import UnknownError, UsageError
from nomoledger.people.database import Connection, PeopleDatabase
from nomoledger.people.outbox import PATIENCE_SECONDS
from nomoledger.people.webhook_sender import ADDRESS_MAX, SECRET_PREFIX
from nomoledger.views.past.index import KINDS

#: How many webhooks somebody may have in a game, and how many calls of each are remembered.
WEBHOOKS_MAX, CALLS_MAX = 5, 10
#: A webhook is switched off after so many calls that failed one after the other, over four days.
FAILURES_MAX = 20
#: A test is sent once in so many seconds, and not later than so many.
TEST_SECONDS = 60
_TEST = "a test"
_COLUMNS = "id, game, reader, address, kinds, made, told, upto, version, is_on, why, failures"


class WebhookCall(msgspec.Struct, frozen=True):
    """A call of a webhook, repeated calls with the same id counted as one.

    Attributes:
        id: the id, which the receiver gets in the header `webhook-id`.
        what: what it sends, in words.
        at: when it was last tried, or posted if it was not tried yet, in seconds since 1970.
        tries: how often it was tried.
        answer: what came of the last try; "" if it was not tried yet.
    """

    id: str
    what: str
    at: int
    tries: int
    answer: str


class Webhook(msgspec.Struct, frozen=True):
    """A webhook, without its secret.

    Attributes:
        id: by which its owner names it.
        game, reader: the game, and the player or "admin" whose webhook it is.
        address: what is called: an address that begins with https://.
        kinds: which events are sent: "request", "consequence", "bookkeeping".
        made: when it was made, in seconds since 1970.
        told: the number of the last event that it was told of, or that it does not want.
        upto: up to which event the call under way tells; null if no call is under way.
        version: how often it went on, was called, and was switched.
        is_on: whether it is called.
        why: why it is switched off; "" if it is on.
        failures: how many calls have failed since one arrived.
    """

    id: str
    game: str
    reader: str
    address: str
    kinds: tuple[str, ...]
    made: int
    told: int
    upto: int | None
    version: int
    is_on: bool
    why: str
    failures: int

    @property
    def named(self) -> str:
        """The id and the host; the rest of the address may be a secret of the owner."""
        return f"{self.id} to {urlsplit(self.address).hostname}"

    @property
    def call_id(self) -> str:
        """The id of the call that is under way; a webhook that is added again gets others."""
        return f"webhook-{self.id}-{self.made}-{self.version}"


class Webhooks:
    """The webhooks of the readers of all games, kept in *database*.

    *clock* gives the time in seconds since 1970. Several servers may use one database: of two that
    go on from the same version of a webhook, one succeeds.
    """

    def __init__(self, database: PeopleDatabase, clock: Callable[[], float] = time.time) -> None:
        """Keep webhooks in *database*."""
        self._database = database
        self._clock = clock

    def add(
        self, game: str, reader: str, key: str, address: str, kinds: Collection[str], told: int
    ) -> tuple[Webhook, str]:
        """Add a webhook of *reader* in *game*, and return it with its secret.

        It is called for events after number *told*. The same *key* of the same reader adds one
        webhook, and returns it again. Check the *address* first.

        Raises:
            UsageError: no kind is chosen, or there are too many webhooks.
        """
        chosen = [kind for kind in KINDS if kind in kinds]
        if not chosen or len(chosen) != len(set(kinds)):
            raise UsageError(f"choose what is sent: one or more of {', '.join(KINDS)}")
        if len(address) > ADDRESS_MAX:
            raise UsageError(f"the address of a webhook has at most {ADDRESS_MAX} characters")
        named = "\n".join((str(len(game)), game, str(len(reader)), reader, key))
        id = hashlib.sha256(named.encode()).hexdigest()[:16]
        secret = SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
        values = (id, game, reader, address, secret, " ".join(chosen), int(self._clock()), told)
        with self._database.transaction() as connection:
            others = connection.execute(
                "SELECT COUNT(*) FROM webhooks WHERE game = ? AND reader = ? AND id <> ?",
                (game, reader, id),
            ).fetchone()[0]
            if others >= WEBHOOKS_MAX:
                raise UsageError(f"you have {others} webhooks already: remove one")
            connection.execute(
                "INSERT INTO webhooks (id, game, reader, address, secret, kinds, made, told)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                values,
            )
        webhook = self.own(game, reader, id)
        return webhook, self.secret_of(webhook)

    def own(self, game: str, reader: str, id: str) -> Webhook:
        """Return the webhook of *reader* in *game* with that *id*.

        Raises:
            UnknownError: *reader* has no such webhook.
        """
        for webhook in self.all_of(game, reader):
            if webhook.id == id:
                return webhook
        raise UnknownError("there is no such webhook of yours")

    def all_of(self, game: str, reader: str) -> list[Webhook]:
        """Return the webhooks of *reader* in *game*, the oldest first."""
        return self._found("game = ? AND reader = ? ORDER BY made, id", game, reader)

    def all_on(self) -> list[Webhook]:
        """Return all webhooks that are switched on."""
        return self._found("is_on = 1 ORDER BY id")

    def find(self, id: str) -> Webhook | None:
        """Return the webhook *id*, whosever it is; None if it was removed."""
        return next(iter(self._found("id = ?", id)), None)

    def secret_of(self, webhook: Webhook) -> str:
        """Return the secret by which calls of *webhook* are signed."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT secret FROM webhooks WHERE id = ?", (webhook.id,)
            ).fetchone()
        return "" if row is None else str(row[0])

    def calls_of(self, webhook: Webhook) -> list[WebhookCall]:
        """Return the last calls of *webhook*, the newest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, what, at, tries, CASE WHEN tries = 0 AND what = ? AND at < ?"
                " THEN 'it was not sent in time' ELSE answer END FROM webhook_calls"
                " WHERE webhook = ? ORDER BY at DESC, id DESC LIMIT ?",
                (_TEST, int(self._clock()) - 2 * TEST_SECONDS, webhook.id, CALLS_MAX),
            ).fetchall()
        return [WebhookCall(*row) for row in rows]

    def remove(self, webhook: Webhook) -> None:
        """Remove *webhook*, its secret and its calls."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM webhooks WHERE id = ?", (webhook.id,))
            connection.execute("DELETE FROM webhook_calls WHERE webhook = ?", (webhook.id,))

    def switch(self, webhook: Webhook, is_on: bool) -> None:
        """Let *webhook* go on after the last event that has arrived, or call it no more."""
        if is_on:
            self._switch(webhook, True, "")
        else:
            self.switch_off(webhook, "you switched it off")

    def switch_off(self, webhook: Webhook, why: str) -> None:
        """Call *webhook* no more, and note *why*. What is under way is not tried again."""
        self._switch(webhook, False, why)

    # --- calls

    def go_on(
        self, webhook: Webhook, told: int, upto: int | None = None,
        post: Callable[[Connection, Webhook], object] | None = None,
    ) -> bool:  # fmt: skip
        """Note that *webhook* was told of events up to *told*, and *post* a call up to *upto*.

        The result is whether it is on, and no other server was faster.
        """
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE webhooks SET version = version + 1, told = ?, upto = ?"
                f" WHERE id = ? AND version = ? AND is_on = 1 RETURNING {_COLUMNS}",
                (told, upto, webhook.id, webhook.version),
            ).fetchone()
            if row is not None and post is not None:
                post(connection, _webhook(row))
        return row is not None

    def arrived(self, webhook: Webhook) -> None:
        """Note that the call of *webhook* that was under way has arrived."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE webhooks SET version = version + 1, told = upto, upto = NULL, failures = 0,"
                " failing_since = 0"
                " WHERE id = ? AND version = ? AND upto IS NOT NULL",
                (webhook.id, webhook.version),
            )

    def failed(self, webhook: Webhook, why: str) -> bool:
        """Note that a call of *webhook* failed; return whether that switched the webhook off."""
        now = int(self._clock())
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE webhooks SET failures = failures + 1, failing_since ="
                " CASE WHEN failures = 0 THEN ? ELSE failing_since END"
                " WHERE id = ? AND version = ? AND is_on = 1 RETURNING failures, failing_since",
                (now, webhook.id, webhook.version),
            ).fetchone()
        if row is None or row[0] < FAILURES_MAX or now - row[1] < PATIENCE_SECONDS:
            return False
        self.switch_off(webhook, f"no call has arrived for four days; the last time, {why}")
        return True

    def note_test(self, webhook: Webhook, id: str) -> None:
        """Note that the test *id* of *webhook* is posted."""
        with self._database.transaction() as connection:
            self.note_call(connection, webhook, id, _TEST)

    def note_call(self, connection: Connection, webhook: Webhook, id: str, what: str) -> None:
        """Note in the transaction of *connection* that the call *id* of *webhook* was posted."""
        connection.execute(
            "INSERT INTO webhook_calls VALUES (?, ?, ?, ?, 0, '') ON CONFLICT DO NOTHING",
            (webhook.id, id, what, int(self._clock())),
        )
        connection.execute(
            "DELETE FROM webhook_calls WHERE webhook = ? AND id NOT IN (SELECT id FROM"
            " webhook_calls WHERE webhook = ? ORDER BY at DESC, id DESC LIMIT ?)",
            (webhook.id, webhook.id, CALLS_MAX),
        )

    def note_answer(self, webhook: Webhook, id: str, answer: str) -> None:
        """Note what came of a try of the call *id* of *webhook*."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE webhook_calls SET tries = tries + 1, at = ?, answer = ?"
                " WHERE webhook = ? AND id = ?",
                (int(self._clock()), answer[:500], webhook.id, id),
            )

    # --- inside

    def _switch(self, webhook: Webhook, is_on: bool, why: str) -> None:
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE webhooks SET is_on = ?, why = ?, version = version + 1, upto = NULL,"
                " failures = 0, failing_since = 0 WHERE id = ? AND is_on <> ?",
                (int(is_on), why[:500], webhook.id, int(is_on)),
            )

    def _found(self, condition: str, *values: str) -> list[Webhook]:
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM webhooks WHERE {condition}", values
            ).fetchall()
        return [_webhook(row) for row in rows]


def _webhook(row: Sequence[Any]) -> Webhook:
    id, game, reader, address, kinds, made, told, upto, version, is_on, why, failures = row
    chosen = tuple(kinds.split())
    return Webhook(
        id, game, reader, address, chosen, made, told, upto, version, bool(is_on), why, failures
    )
