"""The mail server that takes our mails, and the account with which we sign in to it (RFC 5321)."""

import smtplib
import ssl
from contextlib import suppress
from urllib.parse import parse_qsl, unquote, urlsplit

from nomoledger.errors import UsageError
from nomoledger.people.postman import DeliveryError, UndeliverableError

#: How long the mail server may take for each answer, in seconds.
ANSWER_SECONDS = 20.0
#: How much of an answer of the mail server is kept.
_ANSWER_MAX = 200
_PORTS = {"smtp": 25, "smtps": 465}
_THIS_COMPUTER = ("localhost", "127.0.0.1", "::1")
_FORM = "write it as smtps://USER@HOST:465 or smtp://USER@HOST:587"


class SmtpAccount:
    """A mail server, and the user who sends mails through it. Its password is never shown.

    `smtps://` is encrypted from the beginning. `smtp://` is encrypted by STARTTLS (RFC 3207), which
    the server must offer. Only a server on this computer, or one whose URL ends with `?tls=no`,
    gets mails without encryption. Certificates are checked.
    """

    def __init__(self, url: str, password: str | None = None) -> None:
        """Use the server at *url*; *password* is used if the URL has none.

        Raises:
            UsageError: the URL makes no sense.
        """
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise UsageError(f"the address of the mail server is wrong: {_FORM}") from None
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        is_here = parts.hostname in _THIS_COMPUTER
        tls = options.pop("tls", "no" if is_here else "yes")
        has_more = options or parts.fragment or parts.path not in ("", "/")
        if parts.scheme not in _PORTS or not parts.hostname or tls not in ("yes", "no") or has_more:
            raise UsageError(f"the address of the mail server is wrong: {_FORM}")
        self._host = parts.hostname
        self._port = port or _PORTS[parts.scheme]
        self._is_encrypted = parts.scheme == "smtps"
        self._starts_tls = tls == "yes" and parts.scheme == "smtp"
        self._user = unquote(parts.username or "")
        self._password = unquote(parts.password) if parts.password else password or ""
        if self._user and not self._password:
            raise UsageError(
                f"the password of {self._user} at {self._host} is missing: set"
                " NOMOLEDGER_SMTP_PASSWORD, or write smtps://USER:PASSWORD@HOST"
            )

    def __repr__(self) -> str:
        return f"SmtpAccount({self.where})"

    @property
    def where(self) -> str:
        """The server, without user and password."""
        return f"{self._host}:{self._port}"

    def send(self, message: bytes, sender: str, to: str) -> None:
        """Send *message* from the address *sender* to the address *to*.

        Raises:
            UndeliverableError: the server refuses the address or the message for good (5xx).
            DeliveryError: the server cannot be reached, refuses us, or asks for another try (4xx).
        """
        try:
            smtp = self._connect(sender.rpartition("@")[2])
            try:
                smtp.sendmail(sender, [to], message)
            finally:
                with suppress(OSError, smtplib.SMTPException):
                    smtp.quit()
        except smtplib.SMTPRecipientsRefused as error:
            raise _refusal(*error.recipients[to]) from None
        except smtplib.SMTPDataError as error:
            raise _refusal(error.smtp_code, error.smtp_error) from None
        except smtplib.SMTPResponseException as error:
            # The server refuses us, or our account: other mails would fare the same.
            said = _answer(error.smtp_code, error.smtp_error)
            raise DeliveryError(f"the mail server at {self.where} refuses us: {said}") from None
        except (OSError, smtplib.SMTPException) as error:
            said = str(error) or type(error).__name__
            raise DeliveryError(f"the mail server at {self.where} failed: {said}") from None

    def _connect(self, own_name: str) -> smtplib.SMTP:
        """Return a connection on which mails can be sent; we are called *own_name*."""
        smtp: smtplib.SMTP
        if self._is_encrypted:
            context = ssl.create_default_context()
            smtp = smtplib.SMTP_SSL(
                self._host, self._port, own_name, timeout=ANSWER_SECONDS, context=context
            )
        else:
            smtp = smtplib.SMTP(self._host, self._port, own_name, timeout=ANSWER_SECONDS)
        try:
            if self._starts_tls:
                smtp.starttls(context=ssl.create_default_context())
            if self._user:
                smtp.login(self._user, self._password)
        except BaseException:
            smtp.close()
            raise
        return smtp


def _refusal(code: int, text: bytes | str) -> Exception:
    """Return the error for the answer *code* and *text* about one mail (RFC 5321, 4.2.1)."""
    said = _answer(code, text)
    return UndeliverableError(said) if code >= 500 else DeliveryError(said)


def _answer(code: int, text: bytes | str) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return " ".join(f"{code} {words}".split())[:_ANSWER_MAX]
