"""Signing in by mail: what a browser asked for, and the link and code that were sent for it.

Whoever asks gets a cookie, and the reader of the mail gets a link and a code. The cookie together
with one of them proves that the browser belongs to a reader of the mail. Neither is worth anything
alone: a mail that somebody else reads, or a program opens, signs nobody in.

Kept are hashes only. That of the code is made with the cookie's token, which is not kept: whoever
reads the database cannot try all codes. Addresses are hashed, too: people type those of others.
"""

import secrets
import time
from collections.abc import Callable, Iterable
from hmac import compare_digest

import msgspec

from nomoledger.errors import UsageError
from nomoledger.people.database import Connection, PeopleDatabase
from nomoledger.people.sign_in import Session, SignIn, hash_of
from nomoledger.people.visit import Visit

#: How long link and code work, and how long somebody may choose whom to enter as, in seconds.
ASK_SECONDS = 15 * 60
#: How many codes may be tried.
TRIES_MAX = 5
#: How many mails one address gets in the time of one ask, and in a day.
MAILS_AT_ONCE, MAILS_A_DAY = 3, 12
DAY = 24 * 3600
#: The signs of a code: letters and digits that look like no other, and make no words.
CODE_SIGNS = "23456789BCDFGHJKMNPQRSTVWXYZ"
CODE_LENGTH = 8
#: How long the id of the form is at least: the cookie follows from it.
FORM_ID_MIN = 32
_NO_TRIES = "too many codes were tried: open the link of the mail here, or ask for another mail"
_USED = "this mail was used before. If this browser is not signed in, ask for another mail"
_TOO_LATE = "this took too long, or was asked for in another browser: ask for another mail"


class Person(msgspec.Struct, frozen=True, array_like=True):
    """A *reader* of a *game*: a player, or "admin"."""

    game: str
    reader: str


People = tuple[Person, ...]


class AskedMail(msgspec.Struct, frozen=True):
    """A mail to be sent.

    Attributes:
        id: by which it is known. to: the address.
        people: whom it signs in: one of them.
        link, code: what proves that somebody reads the mail.
        until: until when they work, in seconds since 1970.
    """

    id: str
    to: str
    people: People
    link: str
    code: str
    until: int


class MailAsk(msgspec.Struct, frozen=True):
    """What a browser asked for, as its page shows it.

    Attributes:
        people: whom the browser may enter as; nobody before link or code have proved it.
        tries: how many codes may still be tried.
    """

    people: People
    tries: int


class MailLink(msgspec.Struct, frozen=True):
    """A link in a mail: whether it *is_here*, in the browser that asked, and whom it signs in."""

    is_here: bool
    people: People


class MailAsks:
    """What browsers asked for, kept in *database*; proofs begin sessions of *sign_in*.

    *clock* gives the time in seconds since 1970. A *token* is that of the cookie, "" for none.
    """

    def __init__(
        self,
        database: PeopleDatabase,
        sign_in: SignIn,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Keep what is asked for in *database*."""
        self._database = database
        self._sign_in = sign_in
        self._clock = clock

    # --- ask

    def ask(self, token: str, address: str, game: str) -> AskedMail | None:
        """Note that the browser with *token* asks for a mail to *address*, and return the mail.

        The mail signs in to *game*, or to any if that is "". None is returned if no mail is to be
        sent: nobody has the address, too many mails went to it, or the token has asked before.
        What is done here does not depend on that.
        """
        now, code = self._now(), "".join(secrets.choice(CODE_SIGNS) for _ in range(CODE_LENGTH))
        link, whose = secrets.token_urlsafe(32), hash_of(address.lower())
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM mail_asks WHERE asked < ?", (now - DAY,))
            rows = connection.execute(
                "SELECT game, reader, email FROM people WHERE lower(email) = ?"
                " AND (? = '' OR game = ?) ORDER BY game, reader",
                (address.lower(), game, game),
            ).fetchall()
            at_once, a_day = connection.execute(
                "SELECT COALESCE(SUM(CASE WHEN asked > ? THEN mailed ELSE 0 END), 0),"
                " COALESCE(SUM(mailed), 0) FROM mail_asks WHERE address = ?",
                (now - ASK_SECONDS, whose),
            ).fetchone()
            is_mailed = bool(rows) and at_once < MAILS_AT_ONCE and a_day < MAILS_A_DAY
            # A code that is not sent must not be worth anything: there is no limit to such codes.
            people = tuple(Person(row[0], row[1]) for row in rows if is_mailed)
            is_new = connection.execute(
                "INSERT INTO mail_asks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')"
                " ON CONFLICT (cookie) DO NOTHING RETURNING cookie",
                (
                    hash_of(token), hash_of(link), _hash_of_code(token, code), whose,
                    msgspec.json.encode(people).decode(), now, now + ASK_SECONDS, int(is_mailed),
                    TRIES_MAX,
                ),
            ).fetchone()  # fmt: skip
        if is_new is None or not is_mailed:
            return None
        return AskedMail(hash_of(token), rows[0][2], people, link, code, now + ASK_SECONDS)

    def note(self, people: Iterable[Person], what: str, way: str, visit: Visit) -> None:
        """Note in the record of sign-ins of *people* that *what* happened; see `SignInEntry`."""
        with self._database.transaction() as connection:
            for person in people:
                self._sign_in.record.note(connection, person.game, person.reader, what, way, visit)

    # --- look

    def ask_of(self, token: str) -> MailAsk | None:
        """Return what the browser with *token* asked for; None if that is over, or nothing."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT people, address, tries, state FROM mail_asks"
                " WHERE cookie = ? AND expires >= ? AND state <> 'used'",
                (hash_of(token), self._now()),
            ).fetchone()
            if row is None:
                return None
            people = self._still(connection, row[0], row[1]) if row[3] == "proved" else ()
        return MailAsk(people, row[2])

    def link_of(self, token: str, link: str) -> MailLink | None:
        """Return what *link* is to the browser with *token*; None if the link is worth nothing."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT cookie, people, address FROM mail_asks"
                " WHERE link = ? AND expires >= ? AND state <> 'used'",
                (hash_of(link), self._now()),
            ).fetchone()
            if row is None:
                return None
            if not compare_digest(row[0], hash_of(token)):
                return MailLink(False, ())
            return MailLink(True, self._still(connection, row[1], row[2]))

    # --- prove

    def prove_by_link(self, token: str, link: str) -> People:
        """Use up *link* in the browser with *token*; return whom the browser may enter as.

        Raises:
            UsageError: the link is worth nothing in this browser.
        """
        with self._database.transaction() as connection:
            return self._proved(connection, token, "link = ?", hash_of(link))

    def prove_by_code(self, token: str, code: str) -> People:
        """Use up *code* in the browser with *token*; return whom the browser may enter as.

        Nobody is returned if the code does not fit. Case, white space and signs between the letters
        do not matter.

        Raises:
            UsageError: no code is worth anything in this browser.
        """
        sent = _hash_of_code(token, "".join(filter(str.isalnum, code.upper())))
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE mail_asks SET tries = tries - 1 WHERE cookie = ? AND expires >= ?"
                " AND state <> 'used' AND tries > 0 RETURNING code",
                (hash_of(token), self._now()),
            ).fetchone()
            if row is not None:
                if not compare_digest(row[0], sent):
                    return ()
                return self._proved(connection, token, "code = ?", sent)
            raise self._refusal(connection, token, _NO_TRIES)

    def asked_with(self, secret: str) -> People:
        """Return for whom somebody asked who got the cookie or link *secret*: for the record."""
        hashed = hash_of(secret)
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT people FROM mail_asks WHERE cookie = ? OR link = ?", (hashed, hashed)
            ).fetchone()
        return () if row is None else msgspec.json.decode(row[0], type=People)

    def enter(
        self, token: str, person: Person, visit: Visit, before: Callable[[str], Session | None]
    ) -> str:
        """Begin a session of *person* in the browser with *token*, and return its token.

        *before* returns the session that the browser has in a game: it ends.

        Raises:
            UsageError: the browser has not proved that it may, or has entered already.
        """
        old = before(person.game)
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE mail_asks SET state = 'used' WHERE cookie = ? AND expires >= ?"
                " AND state = 'proved' RETURNING people, address",
                (hash_of(token), self._now()),
            ).fetchone()
            if row is None or person not in self._still(connection, *row):
                raise self._refusal(connection, token, _TOO_LATE)
            return self._sign_in.begin(connection, person.game, person.reader, "mail", visit, old)

    # --- inside

    def _proved(self, connection: Connection, token: str, condition: str, value: str) -> People:
        """Note that the browser with *token* belongs to a reader of the mail."""
        now = self._now()
        row = connection.execute(
            "UPDATE mail_asks SET state = 'proved', expires = ? WHERE cookie = ? AND expires >= ?"
            f" AND state <> 'used' AND {condition} RETURNING people, address",
            (now + ASK_SECONDS, hash_of(token), now, value),
        ).fetchone()
        people = () if row is None else self._still(connection, *row)
        if not people:
            raise self._refusal(connection, token, _TOO_LATE)
        return people

    def _refusal(self, connection: Connection, token: str, otherwise: str) -> UsageError:
        """Return why the browser with *token* proves nothing: *otherwise*, if it is in time."""
        row = connection.execute(
            "SELECT state, expires FROM mail_asks WHERE cookie = ?", (hash_of(token),)
        ).fetchone()
        if row is not None and row[0] == "used":
            return UsageError(_USED)
        return UsageError(_TOO_LATE if row is None or row[1] < self._now() else otherwise)

    def _still(self, connection: Connection, people: str, address: str) -> People:
        """Return who of *people* still has the address with the hash *address*."""
        found = []
        for person in msgspec.json.decode(people, type=People):
            row = connection.execute(
                "SELECT email FROM people WHERE game = ? AND reader = ?",
                (person.game, person.reader),
            ).fetchone()
            if row is not None and hash_of(row[0].lower()) == address:
                found.append(person)
        return tuple(found)

    def _now(self) -> int:
        return int(self._clock())


def token_from(form_id: str, address: str) -> str:
    """Return the token of the cookie of whoever sends the form *form_id* with *address*.

    The same form, sent twice, asks for one mail; with another address, for another one. The page
    with the form has an id that nobody can guess.

    Raises:
        UsageError: *form_id* is not of our page.
    """
    if len(form_id) < FORM_ID_MIN:
        raise UsageError("the form lacks its id: go back, and send it again")
    return hash_of(f"{form_id} {address.lower()}")


def _hash_of_code(token: str, code: str) -> str:
    return hash_of(f"{token} {code}")
