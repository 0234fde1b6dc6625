"""The games that a server shows: their keepers, their pages, and what changes meanwhile.

The process of the server never forks and runs no rule code: keepers do.
"""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from nomoledger.errors import UnknownError, UsageError
from nomoledger.game.desk.game_files import publish_site
from nomoledger.game.desk.live_time import fall_due
from nomoledger.game.desk.public_head import ReaderHead, public_head
from nomoledger.game.keepers import Keepers
from nomoledger.game.writer import Outcome
from nomoledger.ledger.ledger import Ledger
from nomoledger.mail.mail import Mail, MailSettings
from nomoledger.mail.news_round import NewsRound
from nomoledger.people.api_tokens import ApiTokens
from nomoledger.people.comments import Comments
from nomoledger.people.copies import StoredCopies
from nomoledger.people.database import open_people
from nomoledger.people.deeds import Deeds
from nomoledger.people.mail_asks import MailAsks
from nomoledger.people.mail_choices import MailChoices
from nomoledger.people.outbox import Outbox
from nomoledger.people.passkeys import Passkeys
from nomoledger.people.request_keys import RequestKeys
from nomoledger.people.shared_counts import SharedCounts
from nomoledger.people.sign_in import Session, SignIn
from nomoledger.people.suggestions import Suggestions
from nomoledger.people.webhook_round import WebhookRound
from nomoledger.people.webhook_sender import WebhookSender
from nomoledger.people.webhooks import Webhooks
from nomoledger.web.pace import PATIENT, Pace
from nomoledger.web.played_copies import Copies
from nomoledger.web.served_sites import ServedSites
from nomoledger.web.slow_readings import SlowReadings
from nomoledger.web.watcher import Watcher

T = TypeVar("T")
#: How long a page waits for a reading that takes long, in seconds.
STUDY_SECONDS = 60.0
#: How many values are kept for pages that are asked for again.
KEPT_MAX = 2000
#: How many games have a process at a time, for each of five kinds of work: requests, what pages
#: show, acts, the past, and what takes longest (checks, forecasts, publishing).
KEEPERS_MAX = 8


class GameHost:
    """The games of the ledger at *location*, as a server shows them.

    Attributes:
        location: where the ledger is.
        sign_in: links and sessions. passkeys: of people. deeds: who did what.
        mail_asks: what browsers asked for, to sign in by mail.
        watcher: tells when a game has gone on.
        acts: readings of what players may do. checks, forecasts: of proposals.
        comments: what people say of proposals. suggestions: versions of them that others suggest.
        tokens, request_keys: what programs sign in with, and the keys of their requests.
        counts: what all servers of the ledger count together, if they can.
        studies: readings that play again, or take long.
        public_url: what public addresses of pages begin with; "" if that is not known.
        publish_to: the folder into which the admin may publish games, if there is one.
        keeps_clocks: whether this server fires the timers of live games. calls_webhooks: whether
            it calls webhooks.
        acts_seconds: how long a page waits for what a player may do, in seconds.
        copies: copies of games in which people try things.
        outbox: letters to the outside. mail: mails to people; None if this server sends none.
        mail_choices: what readers want to be told by mail.
        webhooks: addresses that are called when something happens. webhook_sender: calls them.
        webhook_round: looks for what they are to be told.
        on_close: what is called first when the host is closed.
    """

    def __init__(
        self, location: str, *, publish_to: str | None = None, keeps_clocks: bool = False,
        mail: MailSettings | None = None, public_url: str = "", pace: Pace = PATIENT,
        calls_webhooks: bool = True, webhook_sender: WebhookSender | None = None,
    ) -> None:  # fmt: skip
        """Open the ledger, the database of people beside it, and the keepers.

        *pace* says how long pages wait for what takes long. *webhook_sender* calls webhooks.

        Raises:
            UnknownError, StoreError: the ledger or the database of people cannot be opened.
        """
        self.location = location
        self.public_url = public_url
        self.publish_to = publish_to
        self.keeps_clocks = keeps_clocks
        self.calls_webhooks = calls_webhooks
        self.on_close: list[Callable[[], None]] = []
        self._ledger = Ledger.open(location)
        self._database = open_people(location)
        self.sign_in = SignIn(self._database)
        self.passkeys = Passkeys(self._database, self.sign_in)
        self.mail_asks = MailAsks(self._database, self.sign_in)
        self.deeds = Deeds(self._database)
        self.comments = Comments(self._database)
        self.suggestions = Suggestions(self._database)
        self.outbox = Outbox(self._database)
        self.mail = None if mail is None else Mail(self.outbox, mail)
        self.mail_choices = MailChoices(self._database)
        self.webhooks = Webhooks(self._database)
        self.webhook_sender = webhook_sender or WebhookSender()
        self.webhook_round = WebhookRound(self, self.webhooks, self.outbox, self.webhook_sender)
        self.tokens = ApiTokens(self._database)
        self.request_keys = RequestKeys(self._database)
        self.counts = SharedCounts(self._database) if self._database.is_shared else None
        self._writers, self._readers, self._acting, self._slow, self._slowest = (
            Keepers(location, most=KEEPERS_MAX) for _ in range(5)
        )
        self.acts = SlowReadings(self._acting, self.head)
        self.studies = SlowReadings(self._slow, self.head)
        self.checks = SlowReadings(self._slowest, self.head)
        self.forecasts = SlowReadings(self._slowest, self.head)
        self._kept: dict[tuple[Any, ...], tuple[int, Any]] = {}
        self._kept_lock = threading.Lock()
        self._recalled: dict[tuple[Any, ...], Any] = {}
        self._making: dict[tuple[int, tuple[Any, ...]], Future[Any]] = {}
        self.acts_seconds = pace.acts_seconds
        self.watcher = Watcher(self.head, self.public_head, self._ledger.news)
        self._folder = tempfile.TemporaryDirectory(prefix="nomoledger-site-")
        self._sites = ServedSites(self._folder.name, self.head, self.publish, pace)
        self.copies = Copies(
            Path(self._folder.name) / "copies", StoredCopies(self._database), self.study
        )

    def close(self) -> None:
        """End the keepers, and close everything."""
        for stop in self.on_close:
            stop()
        self.watcher.close()
        self._sites.close()
        self.copies.close()
        for readings in (self.acts, self.checks, self.forecasts, self.studies):
            readings.close()
        for keepers in (
            self._writers, self._readers, self._acting, self._slow, self._slowest,
        ):  # fmt: skip
            keepers.close()
        self._database.close()
        self._ledger.close()
        self._folder.cleanup()

    # --- games

    def games(self) -> list[str]:
        """Return the names of the games."""
        return self._ledger.games()

    def head(self, game: str) -> int:
        """Return the number of the last event of *game*.

        Raises:
            UnknownError: there is no such game.
        """
        with suppress(UnknownError):  # Its words tell where the ledger is.
            head = self._ledger.head(game)
            if head is not None and head.number >= 0:
                return head.number
        raise UnknownError(f"there is no game {game!r:.80} here")

    def public_head(self, game: str) -> int:
        """Return the number of the last event of *game* that everybody may know of."""
        return self.read(game, public_head, kind=ReaderHead).number

    def read(self, game: str, reading: Callable[..., T], *arguments: Any, kind: type[T]) -> T:
        """Return what *reading* makes of *game* as it is now. See `Keepers.read`.

        The same reading is made once until something is recorded.
        """
        head = self.head(game)
        key = (game, reading, *map(repr, arguments))
        known = self._kept.get(key)
        if known is not None and known[0] == head:
            found: T = known[1]
            return found
        with self._kept_lock:
            making = self._making.get((head, key))
            is_first = making is None
            if making is None:
                making = self._making[head, key] = Future()
        if not is_first:  # Many ask at once when a game has gone on: it is read once for all.
            value: T = making.result()
            return value
        try:
            value = self._readers.read(game, reading, *arguments, kind=kind)
        except BaseException as error:
            making.set_exception(error)
            raise
        else:
            making.set_result(value)
            with self._kept_lock:
                if len(self._kept) >= KEPT_MAX:
                    self._kept.clear()
                self._kept[key] = head, value
            return value
        finally:
            with self._kept_lock:
                del self._making[head, key]

    def study(self, game: str, reading: Callable[..., T], *arguments: Any, kind: type[T]) -> T:
        """Return what `read` would, for a reading that takes seconds: other pages do not wait.

        Raises:
            UsageError: it takes longer than a minute.
        """
        return self._await(self.studies, game, reading, *arguments, kind=kind)

    def consult(self, game: str, reading: Callable[..., T], *arguments: Any, kind: type[T]) -> T:
        """Return what `read` would, for a reading that asks the rules: other pages do not wait.

        Raises:
            UsageError: it takes longer than a minute.
        """
        return self._await(self.acts, game, reading, *arguments, kind=kind)

    def _await(
        self, readings: SlowReadings, game: str, reading: Callable[..., T], *arguments: Any,
        kind: type[T],
    ) -> T:  # fmt: skip
        found = readings.get(game, reading, *arguments, kind=kind, patience=STUDY_SECONDS)
        if found is None:
            raise UsageError("this takes more than a minute: show the page anew in a while")
        return found

    def recall(self, game: str, reading: Callable[..., T], *arguments: Any, kind: type[T]) -> T:
        """Return what `study` would, for a reading that nothing recorded later changes."""
        key = (game, reading, *map(repr, arguments))
        with self._kept_lock:
            known = self._recalled.get(key)
        if known is None:
            known = self.study(game, reading, *arguments, kind=kind)
            with self._kept_lock:
                if len(self._recalled) >= KEPT_MAX:
                    self._recalled.clear()
                self._recalled[key] = known
        found: T = known
        return found

    def request(
        self, session: Session, what: str, request: Callable[..., Outcome], *arguments: Any,
        acting_for: str = "", **fields: Any,
    ) -> Outcome:  # fmt: skip
        """Make *request*, a method of `Game`, in the game of *session*, and note the deed."""
        outcome = self._writers.request(session.game, request, *arguments, **fields)
        self.deeds.note(session, what, str(fields.get("id", "")), acting_for)
        return outcome

    def let_fall_due(self, game: str, until: int) -> Outcome:
        """Fire the timers of *game* that are due by the time *until*, in seconds since 1970."""
        return self._writers.request(game, fall_due, until)

    def news_round(self, clock: Callable[[], float] = time.time) -> NewsRound:
        """Return what looks for news in the games, and posts mails; this server must send mails."""
        assert self.mail is not None
        return NewsRound(self, self._database, self.mail, clock)

    @contextmanager
    def scratch_file(self) -> Iterator[Path]:
        """Yield the path of an empty file, which is removed at the end of the block."""
        with tempfile.NamedTemporaryFile(dir=self._folder.name) as file:
            yield Path(file.name)

    # --- the published site

    def site(self, game: str) -> Path:
        """Return the folder of the published site of *game*; see `ServedSites.folder`."""
        return self._sites.folder(game)

    def publish(self, game: str, folder: str) -> int:
        """Publish *game* into *folder*, and return the number of pages; other pages do not wait."""
        return self._slowest.read(game, publish_site, folder, kind=int)


def reasons_of(outcome: Outcome, request: str) -> list[str]:
    """Return why the rules refused the *request* with that id; nothing if they did not."""
    return [
        f"{reason.text} ({reason.rule.partition('@')[0]})"
        for refusal in outcome.refusals
        if refusal.attempt == request
        for reason in refusal.reasons
    ]
