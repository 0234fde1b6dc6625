"""Mail: posting mails into the outbox, and sending them from there."""

from collections.abc import Callable, Sequence
from urllib.parse import quote

import msgspec

from nomoledger.mail.mail_address import checked_address, is_mail_address
from nomoledger.mail.message import MailLook, make_message
from nomoledger.mail.smtp_account import SmtpAccount
from nomoledger.people.mail_asks import Person
from nomoledger.people.outbox import Letter, Outbox
from nomoledger.people.postman import UndeliverableError
from nomoledger.prose.time_format import format_minute

#: What mails are in the outbox.
KIND = "mail"


class WrittenMail(msgspec.Struct, frozen=True, tag="written/1"):
    """A mail whose *subject* and *text* stand when it is posted; *reader* is who reads it."""

    reader: str
    subject: str
    text: str


class PlannedMail(msgspec.Struct, frozen=True, tag="planned/1"):
    """A mail that is written when it is sent, because what it tells may be done by then.

    Attributes:
        reader: who reads it.
        since, upto: it tells of the events after *since* and up to *upto*, numbered as the reader
            knows them.
        open: the keys of what waits for the reader.
        pending: the keys of proposals and disputes of the reader that may be decided by now.
        reminds: whether it is a reminder.
    """

    reader: str
    since: int
    upto: int
    open: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    reminds: bool = False


class MailSettings(msgspec.Struct, frozen=True):
    """How mails are sent.

    Attributes:
        account: the mail server.
        sender: the e-mail address from which mails come.
        public_url: what links begin with, such as https://games.example.org.
    """

    account: SmtpAccount
    sender: str
    public_url: str


class Mail:
    """Mails to the people of a ledger.

    Each mail is posted with an id. Posting an id again does nothing, and a mail that is sent again
    after a crash has the same Message-ID.

    Attributes:
        settings: how mails are sent.
        outbox: where mails wait.
        write: writes a planned mail when it is sent: None if there is nothing to tell any more.
    """

    def __init__(self, outbox: Outbox, settings: MailSettings) -> None:
        """Post mails into *outbox*, and send them by *settings*."""
        self.outbox = outbox
        self.settings = settings
        self.write: Callable[[Letter, PlannedMail], MailLook | None] | None = None

    def link(self, *path: str) -> str:
        """Return the public address of the page with the parts *path*."""
        return "/".join([self.settings.public_url, *(quote(part, safe="") for part in path)])

    def post_sign_in(
        self, people: Sequence[Person], to: str, *, link: str, code: str, until: int, id: str
    ) -> bool:
        """Post a mail with which one of *people* signs in, and return whether *id* is new.

        *to* is their e-mail address, *link* a public address that shows a button, and *code* what
        they can type instead. Both work until the time *until*, in seconds since 1970; the mail is
        not sent later than that.

        Raises:
            UsageError: *to* is no e-mail address.
        """
        game, reader = people[0].game, people[0].reader
        if len(people) == 1:
            what, subject = f"to {game} as {_whom(reader)}.", f"Sign in to {game}"
        else:  # The admin of a game sees the subject, and must not learn of other games.
            reader, subject = "", "Sign in"
            what = "as one of these:\n\n" + "\n".join(
                f"- {_whom(person.reader)} in {person.game}" for person in people
            )
        text = (
            f"Somebody, probably you, wants to sign in {what}\n\n"
            "Open this link in the browser in which you asked for this mail, and press the button"
            f" on its page:\n\n{link}\n\n"
            f"Or type this code into the page on which you asked:\n\n    {code}\n\n"
            f"Link and code work once, until {format_minute(until - 1)}.\n\n"
            "Tell the code to nobody, and type it nowhere else: it signs in the browser that asked."
            " If you did not ask for this mail, you need not do anything."
        )
        return self._post(id, game, WrittenMail(reader, subject, text), to, until)

    def post_invitation(
        self, game: str, reader: str, to: str, *, link: str, until: int, id: str
    ) -> bool:
        """Post a mail that invites *reader* with a *link*, and return whether *id* is new.

        The link works until the time *until*, in seconds since 1970.

        Raises:
            UsageError: *to* is no e-mail address.
        """
        whom = "its admin" if reader == "admin" else reader
        text = (
            f"You are invited to {game}, as {whom}.\n\n"
            f"Open this link, and press the button on its page:\n\n{link}\n\n"
            f"The link works once, until {format_minute(until - 1)}. Keep this mail to yourself:"
            " whoever has the link can sign in with it.\n\n"
            f"From now on you get mail when {game} waits for you. You can change that after you"
            f" signed in: {self.link('games', game, 'mail')}"
        )
        mail = WrittenMail(reader, f"You are invited to {game}", text)
        return self._post(id, game, mail, to, until)

    def _post(self, id: str, game: str, mail: WrittenMail, to: str, until: int) -> bool:
        content = msgspec.msgpack.encode(mail)
        return self.outbox.post(
            f"mail:{id}", KIND, game, checked_address(to), content, about=mail.subject, until=until
        )

    def deliver(self, letter: Letter) -> None:
        """Send *letter*, unless there is nothing to tell any more.

        Raises:
            UndeliverableError: it will never arrive. DeliveryError: it can be tried again.
        """
        if not is_mail_address(letter.to):
            raise UndeliverableError(f"{letter.to!r:.80} is no e-mail address")
        mail = msgspec.msgpack.decode(letter.content, type=WrittenMail | PlannedMail)
        look: MailLook | None
        if isinstance(mail, WrittenMail):
            text = f"{mail.text}\n\n{letter.game}: {self.link('games', letter.game)}"
            look = MailLook(letter.id, letter.game, mail.reader, letter.to, mail.subject, text)
        else:
            look = None if self.write is None else self.write(letter, mail)
        if look is not None:
            message = make_message(look, self.settings.sender)
            self.settings.account.send(message, self.settings.sender, letter.to)


def _whom(reader: str) -> str:
    return "the admin" if reader == "admin" else reader
