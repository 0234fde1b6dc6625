"""E-mail addresses, as forms take them."""

import re

from nomoledger.errors import UsageError

#: A valid e-mail address (HTML Living Standard, section 4.10.5.1.5). It has no name, no comment, no
#: white space and no comma, so nothing can be added to a header with it.
_VALID = re.compile(
    r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+"
    r"@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
    r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*"
)
#: The longest address that mail servers take (RFC 5321, section 4.5.3.1.3).
_LENGTH_MAX = 254


def is_mail_address(text: str) -> bool:
    """Return whether *text* is one e-mail address, and nothing else.

    >>> is_mail_address("ann@example.org"), is_mail_address("Ann <ann@example.org>")
    (True, False)
    """
    return len(text) <= _LENGTH_MAX and _VALID.fullmatch(text) is not None


def checked_address(text: str) -> str:
    """Return the e-mail address *text* without white space around it.

    Raises:
        UsageError: it is no e-mail address.
    """
    if not is_mail_address(text.strip()):
        raise UsageError(f"{text.strip()!r:.80} is no e-mail address: write it as ann@example.org")
    return text.strip()
