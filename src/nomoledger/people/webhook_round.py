"""The rounds in which a server looks for what webhooks are to be told, and the calls themselves.

What waits in the outbox names events by their numbers. The events are read when the call is made,
as the owner of the webhook may see them, so the outbox holds no secrets.
"""

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol, TypeVar

import msgspec

from nomoledger.errors import NomoledgerError, UnknownError, UsageError
from nomoledger.parallel.rounds import Rounds
from nomoledger.people.database import Connection
from nomoledger.people.outbox import Letter, Outbox
from nomoledger.people.postman import DeliveryError, UndeliverableError
from nomoledger.people.webhook_sender import WebhookSender
from nomoledger.people.webhooks import TEST_SECONDS, Webhook, Webhooks
from nomoledger.views.past.index import NewEvents, PastEvent, new_events

T = TypeVar("T")
#: What calls of webhooks are in the outbox.
KIND = "webhook"
#: How often new events are looked for, and how long the end waits for a round, in seconds.
ROUND_SECONDS, STOP_SECONDS = 2.0, 3.0
#: For how long a call waits in the outbox, in seconds; its webhook is switched off long before.
_KEPT_SECONDS = 30 * 24 * 3600
_log = logging.getLogger(__name__)


class GamesForWebhooks(Protocol):
    """The games about which webhooks are called."""

    def games(self) -> list[str]:
        """Return the names of the games."""

    def head(self, game: str) -> int:
        """Return the number of the last event of *game*."""

    def study(self, game: str, reading: Callable[..., T], *arguments: object, kind: type[T]) -> T:
        """Return what *reading* makes of *game*, while pages do not wait."""


class CalledData(msgspec.Struct, frozen=True):
    """What a call tells.

    Attributes:
        game: the game.
        reader: as whom it is read: the player or "admin" whose webhook it is.
        events: the events in order, by the numbers that the reader knows.
    """

    game: str
    reader: str
    events: tuple[PastEvent, ...] = ()


class CallBody(msgspec.Struct, frozen=True):
    """The body of a call, as Standard Webhooks 1.0 recommends.

    Attributes:
        type: "game.events" or "test".
        timestamp: when the last of the events was received, or the test asked for (ISO 8601).
        data: what the call tells.
    """

    type: str
    timestamp: str
    data: CalledData


class _EventsCall(msgspec.Struct, frozen=True, tag="events/1"):
    """A call of *webhook* in its *version* about the events after *after*, up to *upto*."""

    webhook: str
    version: int
    after: int
    upto: int


class _TestCall(msgspec.Struct, frozen=True, tag="test/1"):
    """A test of *webhook* that somebody asked for at a time *at*, in seconds since 1970."""

    webhook: str
    at: int


class WebhookRound:
    """Looks for events of *games* that *webhooks* are to be told of, and calls those by *sender*.

    Calls wait in *outbox*. Several servers, which share webhooks and outbox, send each call once.
    """

    def __init__(
        self, games: GamesForWebhooks, webhooks: Webhooks, outbox: Outbox, sender: WebhookSender,
        clock: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        """Prepare to look; nothing runs yet."""
        self._games, self._webhooks, self._outbox = games, webhooks, outbox
        self._sender, self._clock = sender, clock
        #: For each webhook, up to where nothing is to be told: what it had got to, and the head.
        self._idle: dict[str, tuple[Webhook, int]] = {}
        self._problems: dict[str, str] = {}
        self._rounds = Rounds("webhooks", self.look, ROUND_SECONDS, "webhooks cannot be looked at")

    def start(self) -> None:
        """Look in a thread, until `stop`."""
        self._rounds.start()

    def stop(self) -> None:
        """End the thread."""
        self._rounds.stop(STOP_SECONDS)

    def look(self) -> None:
        """Look once for events of which webhooks are to be told."""
        webhooks = self._webhooks.all_on()
        games = set(self._games.games()) if webhooks else set[str]()
        heads: dict[str, int] = {}
        for webhook in webhooks:
            if webhook.game not in games or self._rounds.is_over:
                continue
            try:
                if webhook.game not in heads:
                    heads[webhook.game] = self._games.head(webhook.game)
                self._attend(webhook, heads[webhook.game])
                self._problems.pop(webhook.id, None)
            except NomoledgerError as error:
                if self._problems.get(webhook.id) != str(error):  # It is said once.
                    _log.warning("webhook %s of %s: %s", webhook.id, webhook.game, error)
                self._problems[webhook.id] = str(error)
        known = {webhook.id for webhook in webhooks}
        self._idle = {id: its for id, its in self._idle.items() if id in known}
        self._problems = {id: its for id, its in self._problems.items() if id in known}

    def post_test(self, webhook: Webhook) -> bool:
        """Post a test of *webhook*, and return whether none was posted in this minute."""
        now = int(self._clock())
        id = f"webhook-{webhook.id}-test-{now // TEST_SECONDS}"
        content = msgspec.msgpack.encode(_TestCall(webhook.id, now))
        self._webhooks.note_test(webhook, id)
        until = now + TEST_SECONDS
        return self._outbox.post(
            id, KIND, webhook.game, webhook.id, content, about="a test", until=until
        )

    def deliver(self, letter: Letter) -> None:
        """Make the call of *letter*, unless its webhook was removed or has gone on.

        Raises:
            UndeliverableError: the webhook wants no more calls, and is switched off.
            DeliveryError: the call can be tried again.
        """
        call = msgspec.msgpack.decode(letter.content, type=_EventsCall | _TestCall)
        webhook = self._webhooks.find(call.webhook)
        if webhook is None:
            return
        if isinstance(call, _TestCall):
            self._test(webhook, letter.id, call)
        elif webhook.is_on and webhook.version == call.version:
            self._tell(webhook, letter.id, call)

    # --- inside

    def _attend(self, webhook: Webhook, head: int) -> None:
        """Post a call of *webhook* if there is something to tell, and no call is under way.

        *head* is the number of the last event of its game.
        """
        if self._idle.get(webhook.id) == (webhook, head):
            return
        if webhook.upto is not None and self._outbox.is_waiting(webhook.call_id):
            return
        found = self._read(webhook, webhook.told)
        if found.last < webhook.told:  # An older copy of the ledger was put in place.
            self._webhooks.go_on(webhook, found.last)
        elif found.events:
            self._post(webhook, found)
        elif found.upto > webhook.told:
            self._webhooks.go_on(webhook, found.upto)
        else:
            self._idle[webhook.id] = webhook, head

    def _post(self, webhook: Webhook, found: NewEvents) -> None:
        numbers = [event.number for event in found.events]
        what = f"event {numbers[0]}"
        if len(numbers) > 1:
            what = f"{len(numbers)} events, {numbers[0]} to {numbers[-1]}"
        until = self._clock() + _KEPT_SECONDS

        def post(connection: Connection, its: Webhook) -> None:
            call = _EventsCall(its.id, its.version, webhook.told, found.upto)
            content = msgspec.msgpack.encode(call)
            self._outbox.post_in(
                connection, its.call_id, KIND, its.game, its.id, content, about=what, until=until
            )
            self._webhooks.note_call(connection, its, its.call_id, what)

        if self._webhooks.go_on(webhook, webhook.told, found.upto, post):
            self._outbox.tell()

    def _tell(self, webhook: Webhook, id: str, call: _EventsCall) -> None:
        try:
            found = self._read(webhook, call.after, call.upto)
        except UndeliverableError:
            raise
        except NomoledgerError as error:  # That counts for nothing: the webhook was not called.
            raise DeliveryError(f"the game could not be read: {error}") from None
        if not found.events:  # An older copy of the ledger was put in place.
            self._webhooks.arrived(webhook)
            return
        data = CalledData(webhook.game, webhook.reader, found.events)
        try:
            self._send(webhook, id, CallBody("game.events", _iso(found.events[-1].at), data))
        except UndeliverableError as error:
            self._webhooks.switch_off(webhook, str(error))
            raise
        except DeliveryError as error:
            if self._webhooks.failed(webhook, str(error)):
                raise UndeliverableError(str(error)) from None
            raise
        self._webhooks.arrived(webhook)
        self._rounds.wake()

    def _test(self, webhook: Webhook, id: str, call: _TestCall) -> None:
        """Send a test. It is tried once, and its failure switches nothing off, but for a 410."""
        body = CallBody("test", _iso(call.at), CalledData(webhook.game, webhook.reader))
        try:
            self._send(webhook, id, body)
        except UndeliverableError as error:
            self._webhooks.switch_off(webhook, str(error))
        except DeliveryError:
            return

    def _send(self, webhook: Webhook, id: str, body: CallBody) -> None:
        """Call *webhook*, and note the answer."""
        secret = self._webhooks.secret_of(webhook)
        try:
            self._sender.send(webhook.address, secret, id, msgspec.json.encode(body))
        except (UndeliverableError, DeliveryError, UsageError) as error:
            self._webhooks.note_answer(webhook, id, str(error))
            if isinstance(error, UsageError):  # The address can never be called.
                raise UndeliverableError(str(error)) from None
            raise
        self._webhooks.note_answer(webhook, id, "it has arrived")

    def _read(self, webhook: Webhook, after: int, upto: int | None = None) -> NewEvents:
        """Return the events after number *after*, up to number *upto*.

        Raises:
            UndeliverableError: the owner plays no more; the webhook is switched off.
        """
        given = webhook.reader, after, webhook.kinds, upto
        try:
            return self._games.study(webhook.game, new_events, *given, kind=NewEvents)
        except UnknownError as error:
            if webhook.game not in self._games.games():
                raise
            self._webhooks.switch_off(webhook, str(error))
            raise UndeliverableError(str(error)) from None


def _iso(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
