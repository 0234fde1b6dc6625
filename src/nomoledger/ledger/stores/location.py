"""The location of a ledger, and how to show it without the passwords in it."""

import re

POSTGRES = ("postgresql", "postgres")

_USER = re.compile(r"(\w+://[^\s:/?#@]*):[^\s/?#]*@")
_OPTION = re.compile(r"((?:password|passwd|sslpassword)\s*=\s*)[^\s&]+", re.IGNORECASE)


def is_postgres(location: str) -> bool:
    """Return whether *location* is the address of a PostgreSQL database.

    >>> is_postgres("postgresql://db.example.org/games"), is_postgres("games.db")
    (True, False)
    """
    scheme, separator, _ = location.partition("://")
    return bool(separator) and scheme in POSTGRES


def redacted(text: str) -> str:
    """Return *text*, a location or a message, with the passwords in its addresses hidden.

    >>> redacted("postgresql://ann:secret@db/games?sslmode=require")
    'postgresql://ann:***@db/games?sslmode=require'
    >>> redacted("postgresql://db/games?user=ann&password=secret")
    'postgresql://db/games?user=ann&password=***'
    """
    return _OPTION.sub(r"\1***", _USER.sub(r"\1:***@", text))
