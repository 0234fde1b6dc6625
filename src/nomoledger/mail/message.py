"""Mails as mail servers take them: headers that nobody can add to, and plain text."""

import hashlib
import re
import textwrap
import time
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate
from typing import Any
from unicodedata import category

import msgspec

#: How wide the lines of a mail are, and how much of a name is written into a header.
LINE_WIDTH, NAME_MAX = 72, 60
_LINK = re.compile(r"^https?://\S+$")


class MailLook(msgspec.Struct, frozen=True):
    """What one mail looks like.

    Attributes:
        id: by which the mail is known: the same id makes the same Message-ID.
        game: the game that it is about.
        reader: who reads it. to: the e-mail address of the reader.
        subject: what it is about.
        text: what it says: paragraphs with empty lines between them.
        thread: the name of the thread that it belongs to; "" for none.
        stop: the link by which such mails are stopped; "" if the reader asked for this mail.
    """

    id: str
    game: str
    reader: str
    to: str
    subject: str
    text: str
    thread: str = ""
    stop: str = ""


def make_message(look: MailLook, sender: str, now: float | None = None) -> bytes:
    """Return the mail that looks like *look*, from the address *sender*, as it is sent.

    Its headers: Message-ID, In-Reply-To and References (RFC 5322, 3.6.4), Auto-Submitted
    (RFC 3834, 5), List-Unsubscribe and List-Unsubscribe-Post (RFC 8058). *now* is the time of
    sending in seconds since 1970.
    """
    domain = sender.rpartition("@")[2]
    mail = EmailMessage(policy=SMTP)
    mail["From"] = Address(_in_header(look.game, NAME_MAX), addr_spec=sender)
    mail["To"] = Address(_in_header(look.reader, NAME_MAX), addr_spec=look.to)
    mail["Subject"] = _in_header(look.subject, 150)
    mail["Date"] = formatdate(time.time() if now is None else now)
    mail["Message-ID"] = message_id(look.id, domain)
    mail["Auto-Submitted"] = "auto-generated"
    if look.thread:
        root = message_id(look.thread, domain)
        mail["In-Reply-To"] = root
        mail["References"] = root
    if look.stop:
        mail["List-Unsubscribe"] = f"<{look.stop}>"
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    text = wrapped(look.text)
    encoding: Any = "7bit" if text.isascii() else "quoted-printable"
    mail.set_content(text, cte=encoding)
    return mail.as_bytes()


def message_id(id: str, domain: str) -> str:
    """Return the Message-ID of the mail *id*, sent by somebody at *domain*."""
    return f"<{hashlib.sha256(id.encode()).hexdigest()[:32]}@{domain}>"


def one_line(text: str, length_max: int = 300) -> str:
    r"""Return *text* as one line of at most *length_max* characters, without control characters.

    Signs that turn the direction of writing are control characters, too.

    >>> one_line("Ann\r\nBcc: eve@example.org")
    'Ann Bcc: eve@example.org'
    """
    kept = "".join(" " if category(sign)[0] in "CZ" else sign for sign in text)
    line = " ".join(kept.split())
    return line if len(line) <= length_max else f"{line[: length_max - 1].rstrip()}…"


def _in_header(text: str, length_max: int) -> str:
    """Return *text* as it can stand in a header.

    `=?` begins an encoded word (RFC 2047), which the library decodes. Lines in an encoded word
    would become headers: Python before 3.11.10 and 3.12.5 writes them out as they are.
    """
    return one_line(text, length_max).replace("=?", "= ?")


def wrapped(text: str) -> str:
    """Return *text* with its lines wrapped; what is indented stays so, and links stay whole."""
    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        if _LINK.match(line.strip()) or not line.strip():
            lines.append(line.rstrip())
            continue
        hanging = f"{indent}  " if line.lstrip().startswith("- ") else indent
        lines += textwrap.wrap(
            line, LINE_WIDTH, subsequent_indent=hanging,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    return "\n".join(lines).strip() + "\n"
