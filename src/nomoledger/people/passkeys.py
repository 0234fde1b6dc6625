"""Passkeys: keys of players that their browsers or devices keep, and prove to have.

Source: Web Authentication, level 3 (W3C). A challenge is kept here, is used once, and lasts for
minutes. A passkey belongs to one reader of one game. Only public keys are stored.
"""

import secrets
import time
from collections.abc import Callable
from typing import Any

import msgspec
import webauthn
from webauthn.helpers import (
    base64url_to_bytes,
    bytes_to_base64url,
    parse_authentication_credential_json,
    parse_client_data_json,
    parse_registration_credential_json,
)
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from nomoledger.errors import UsageError
from nomoledger.people.database import PeopleDatabase
from nomoledger.people.sign_in import Session, SignIn, hash_of
from nomoledger.people.visit import Visit

#: How long a challenge can be answered, in seconds.
CHALLENGE_SECONDS = 300
#: How many passkeys one reader may have, and how long the name of one may be.
PASSKEYS_MAX, NAME_MAX = 20, 60
_NOT_PROVED = "this passkey does not fit: sign in with a link, and add a passkey anew"


class PasskeySite(msgspec.Struct, frozen=True):
    """The site for which passkeys are made.

    Attributes:
        id: its host, such as "games.example.org" (the ID of the relying party).
        origin: its address, such as "https://games.example.org".
    """

    id: str
    origin: str


class Passkey(msgspec.Struct, frozen=True):
    """A passkey, as its owner sees it in a list.

    Attributes:
        id: its id. name: what its owner calls it.
        added, used: when it was added, and used last (0 if never), in seconds since 1970.
    """

    id: str
    name: str
    added: int
    used: int


class Passkeys:
    """The passkeys of people, kept in *database*; they begin sessions of *sign_in*.

    *clock* gives the time in seconds since 1970.
    """

    def __init__(
        self,
        database: PeopleDatabase,
        sign_in: SignIn,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Keep passkeys in *database*."""
        self._database = database
        self._sign_in = sign_in
        self._clock = clock

    # --- add and remove

    def of(self, game: str, reader: str) -> list[Passkey]:
        """Return the passkeys of *reader* in *game*, the oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, name, added, used FROM passkeys WHERE game = ? AND reader = ?"
                " ORDER BY added, id",
                (game, reader),
            ).fetchall()
        return [Passkey(*row) for row in rows]

    def options_to_add(self, session: Session, site: PasskeySite) -> str:
        """Return, as JSON, what the browser of *session* needs to make a passkey for *site*."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, handle FROM passkeys WHERE game = ? AND reader = ?",
                (session.game, session.reader),
            ).fetchall()
        handle = base64url_to_bytes(rows[0][1]) if rows else secrets.token_bytes(32)
        known = [PublicKeyCredentialDescriptor(id=base64url_to_bytes(row[0])) for row in rows]
        options = webauthn.generate_registration_options(
            rp_id=site.id,
            rp_name=site.id,
            user_name=f"{session.reader}, {session.game}",
            user_id=handle,
            challenge=self._challenge(f"{session.id} {bytes_to_base64url(handle)}"),
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.PREFERRED,
            ),
            exclude_credentials=known,
            timeout=CHALLENGE_SECONDS * 1000,
        )
        return webauthn.options_to_json(options)

    def add(
        self, session: Session, site: PasskeySite, answer: str, name: str, visit: Visit
    ) -> None:
        """Add the passkey that *answer* of a browser describes, and call it *name*.

        Raises:
            UsageError: *answer* is not an answer to a challenge, or there are too many passkeys.
        """
        challenge, purpose = self._used_challenge(answer, parse_registration_credential_json)
        holder, _, handle = purpose.partition(" ")
        if holder != session.id:
            raise UsageError("this took too long, or was for another session: try again")
        try:
            made = webauthn.verify_registration_response(
                credential=answer,
                expected_challenge=challenge,
                expected_rp_id=site.id,
                expected_origin=site.origin,
            )
        except Exception:  # The library raises many kinds of errors at what browsers send.
            raise UsageError("this passkey cannot be used here: try another one") from None
        now = self._now()
        with self._database.transaction() as connection:
            if len(self._ids(connection, session)) >= PASSKEYS_MAX:
                raise UsageError(f"you have {PASSKEYS_MAX} passkeys: remove one first")
            is_new = connection.execute(
                "INSERT INTO passkeys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"
                " ON CONFLICT (id) DO NOTHING RETURNING id",
                (
                    bytes_to_base64url(made.credential_id), session.game, session.reader, handle,
                    bytes_to_base64url(made.credential_public_key), made.sign_count, site.id,
                    " ".join(name.split())[:NAME_MAX] or visit.browser, now,
                ),
            ).fetchone()  # fmt: skip
            if is_new is None:
                raise UsageError("this passkey is known already: try another one")
            self._note(connection, session, "passkey added", visit)

    def remove(self, session: Session, id: str, visit: Visit) -> None:
        """Remove the passkey *id* of the reader of *session*; nobody can sign in with it."""
        with self._database.transaction() as connection:
            gone = connection.execute(
                "DELETE FROM passkeys WHERE id = ? AND game = ? AND reader = ? RETURNING id",
                (id, session.game, session.reader),
            ).fetchone()
            if gone is not None:
                self._note(connection, session, "passkey removed", visit)

    # --- sign in

    def options_to_sign_in(self, site: PasskeySite) -> str:
        """Return, as JSON, what a browser needs to sign in to *site* with a passkey."""
        options = webauthn.generate_authentication_options(
            rp_id=site.id,
            challenge=self._challenge("sign in"),
            user_verification=UserVerificationRequirement.PREFERRED,
            timeout=CHALLENGE_SECONDS * 1000,
        )
        return webauthn.options_to_json(options)

    def enter(
        self, site: PasskeySite, answer: str, visit: Visit, before: Callable[[str], Session | None]
    ) -> tuple[str, str, str]:
        """Begin a session, and return its game, its reader and its token.

        *before* returns the session that the browser has in a game: it ends.

        Raises:
            UsageError: *answer* does not prove that its sender has one of the passkeys.
        """
        challenge, purpose = self._used_challenge(answer, parse_authentication_credential_json)
        sent = parse_authentication_credential_json(answer)
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT game, reader, handle, public_key, sign_count FROM passkeys"
                " WHERE id = ? AND site = ?",
                (sent.id, site.id),
            ).fetchone()
        if row is None or purpose != "sign in":
            raise UsageError(_NOT_PROVED)
        game, reader, handle, public_key, count = row
        old = before(game)
        proved = self._proved(site, answer, challenge, public_key, count)
        if sent.response.user_handle not in (None, base64url_to_bytes(handle)):
            proved = None
        with self._database.transaction() as connection:
            known = None
            if proved is not None:  # Of two answers at once with the same count, one is refused.
                known = connection.execute(
                    "UPDATE passkeys SET sign_count = ?, used = ? WHERE id = ? AND sign_count = ?"
                    " RETURNING id",
                    (proved, self._now(), sent.id, count),
                ).fetchone()
            if known is not None:
                token = self._sign_in.begin(connection, game, reader, "passkey", visit, old)
                return game, reader, token
            self._sign_in.record.note(connection, game, reader, "refused", "passkey", visit)
        raise UsageError(_NOT_PROVED)

    # --- inside

    def _proved(
        self, site: PasskeySite, answer: str, challenge: bytes, public_key: str, count: int
    ) -> int | None:
        """Return the new count of signatures; None if *answer* proves nothing."""
        try:
            return webauthn.verify_authentication_response(
                credential=answer,
                expected_challenge=challenge,
                expected_rp_id=site.id,
                expected_origin=site.origin,
                credential_public_key=base64url_to_bytes(public_key),
                credential_current_sign_count=count,
            ).new_sign_count
        except Exception:  # The library raises many kinds of errors at what browsers send.
            return None

    def _challenge(self, purpose: str) -> bytes:
        """Return a new challenge for *purpose*, which is kept for a while."""
        challenge, now = secrets.token_bytes(32), self._now()
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM challenges WHERE expires < ?", (now,))
            connection.execute(
                "INSERT INTO challenges VALUES (?, ?, ?)",
                (hash_of(bytes_to_base64url(challenge)), purpose, now + CHALLENGE_SECONDS),
            )
        return challenge

    def _used_challenge(self, answer: str, parse: Callable[[str], Any]) -> tuple[bytes, str]:
        """Use up the challenge that *answer* names, and return it with its purpose.

        Raises:
            UsageError: *answer* cannot be read, or its challenge is unknown, used, or too old.
        """
        try:
            sent = parse(answer)
            challenge = parse_client_data_json(sent.response.client_data_json).challenge
        except Exception:  # The library raises many kinds of errors at what browsers send.
            raise UsageError("the answer of the browser cannot be read: try again") from None
        with self._database.transaction() as connection:
            row = connection.execute(
                "DELETE FROM challenges WHERE challenge = ? AND expires >= ? RETURNING purpose",
                (hash_of(bytes_to_base64url(challenge)), self._now()),
            ).fetchone()
        if row is None:
            raise UsageError("this took too long, or was sent twice: try again")
        return challenge, row[0]

    def _ids(self, connection: Any, session: Session) -> list[Any]:
        found: list[Any] = connection.execute(
            "SELECT id FROM passkeys WHERE game = ? AND reader = ?", (session.game, session.reader)
        ).fetchall()
        return found

    def _note(self, connection: Any, session: Session, what: str, visit: Visit) -> None:
        record = self._sign_in.record
        record.note(connection, session.game, session.reader, what, "passkey", visit, session.id)

    def _now(self) -> int:
        return int(self._clock())
