"""The rounds in which a server looks for news in its games, and posts mails about them."""

import logging
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec

from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.reader_news import ReaderNews, admin_news, player_news
from nomoledger.mail.mail import KIND, Mail, PlannedMail
from nomoledger.mail.mail_address import is_mail_address
from nomoledger.mail.message import MailLook
from nomoledger.mail.news_mail import news_mail
from nomoledger.mail.planning import OwnDeeds, first_progress, heard_from_others, plan
from nomoledger.parallel.rounds import Rounds
from nomoledger.people.database import PeopleDatabase
from nomoledger.people.deeds import Deeds
from nomoledger.people.mail_choices import NEVER, MailChoices
from nomoledger.people.mail_progress import MailProgress, ProgressBook
from nomoledger.people.outbox import Letter
from nomoledger.people.sign_in import ADMIN, SignIn

T = TypeVar("T")
#: How often news are looked for, and how long the end waits for a round, in seconds.
ROUND_SECONDS, STOP_SECONDS = 10.0, 10.0
_log = logging.getLogger(__name__)


class GamesForMail(Protocol):
    """The games about which mails are sent."""

    def games(self) -> list[str]:
        """Return the names of the games."""

    def head(self, game: str) -> int:
        """Return the number of the last event of *game*."""

    def study(self, game: str, reading: Callable[..., T], *arguments: object, kind: type[T]) -> T:
        """Return what *reading* makes of *game*, while pages do not wait."""


class NewsRound:
    """Looks for news in *games*, and posts mails about them, by the time that *clock* returns.

    What was told is kept in the database, so a server that was away for a week writes one mail to
    each reader, and several servers write each mail once. Nobody is told of what happened before
    the first look at a game.
    """

    def __init__(
        self, games: GamesForMail, database: PeopleDatabase, mail: Mail,
        clock: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        """Prepare to look; nothing runs yet. Planned mails of *mail* are written here."""
        self._games, self._mail, self._clock = games, mail, clock
        self._sign_in, self._deeds = SignIn(database), Deeds(database)
        self._choices, self._book = MailChoices(database), ProgressBook(database)
        self._rounds = Rounds("news", self.look, ROUND_SECONDS, "news cannot be looked for")
        mail.write = self.write

    def start(self) -> None:
        """Look in a thread, until `stop`."""
        self._rounds.start()

    def stop(self) -> None:
        """End the thread."""
        self._rounds.stop(STOP_SECONDS)

    def look(self) -> None:
        """Look for news in all games once."""
        for game in self._games.games():
            progress = self._book.of(game)
            for reader, address in self._sign_in.people(game).items():
                if is_mail_address(address) and not self._rounds.is_over:
                    try:
                        self._attend(game, reader, address, progress.get(reader))
                    except NomoledgerError as error:
                        _log.warning("%s: no mail to %s: %s", game, reader, error)

    def write(self, letter: Letter, planned: PlannedMail) -> MailLook | None:
        """Return *planned* as a mail, by what is known now; None if nothing is left to tell."""
        choice = self._choices.of(letter.game, planned.reader)
        if choice.pace == NEVER:
            return None
        news = self._news(letter.game, planned.reader, planned.since, planned.pending)
        deeds = self._own_deeds(letter.game, planned.reader)
        happened = heard_from_others(news, deeds)
        return news_mail(self._mail, letter, planned, news, happened, choice.stop)

    def _attend(
        self, game: str, reader: str, address: str, known: tuple[int, MailProgress] | None
    ) -> None:
        """Post a mail to *reader* if it is time."""
        choice, now = self._choices.of(game, reader), self._clock()
        if known is None:
            news = self._news(game, reader, self._games.head(game), ())
            self._book.begin(game, reader, first_progress(news, choice, now))
            return
        version, before = known
        news = self._news(game, reader, before.told, before.pending)
        next_ = plan(reader, news, choice, self._own_deeds(game, reader), before, now)
        if next_.progress == before and next_.mail is None:
            return
        mail = next_.mail
        if mail is None:
            self._book.go_on(game, reader, version, next_.progress)
            return
        content, id = msgspec.msgpack.encode(mail), f"news:{game}:{reader}:{version}"
        about = "reminder" if mail.reminds else "news"
        if self._book.go_on(
            game, reader, version, next_.progress,
            lambda connection: self._mail.outbox.post_in(
                connection, id, KIND, game, address, content, about=about
            ),
        ):  # fmt: skip
            self._mail.outbox.tell()

    def _news(self, game: str, reader: str, since: int, pending: tuple[str, ...]) -> ReaderNews:
        if reader == ADMIN:
            return self._games.study(game, admin_news, since, kind=ReaderNews)
        return self._games.study(game, player_news, reader, since, pending, kind=ReaderNews)

    def _own_deeds(self, game: str, reader: str) -> OwnDeeds:
        deeds = self._deeds.done_by(game, reader)
        own = [each for each in deeds if not each.acting_for]
        last = max((each.at for each in deeds), default=0)
        return OwnDeeds(frozenset(each.request for each in own if each.request), last)
