"""The location of a ledger, and how to show it without the passwords in it."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from nomoledger.errors import UsageError
from nomoledger.parallel.pool import SCHEDULER_ADDRESS

POSTGRES = ("postgresql", "postgres")
#: What is shown instead of a password, and of everything that may contain one.
HIDDEN = "***"

#: Options of an address that hold no secret, so that their values can be shown.
_SHOWN = frozenset({
    "application_name", "channel_binding", "connect_timeout", "dbname", "gssencmode", "host",
    "hostaddr", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval",
    "load_balance_hosts", "port", "service", "sslmode", "target_session_attrs", "user",
})  # fmt: skip
#: An address as we show it. Other characters are legal in a password only, or must be written %XX.
_ADDRESS = re.compile(
    r"(?P<scheme>postgres(?:ql)?://)(?:(?P<user>[\w.~%+-]*)(?P<password>:[^@/]*)?@)?"
    r"(?P<place>[\w.,:%\[\]-]*(?:/[\w.~%+-]*)?)(?:\?(?P<options>[^@]*))?"
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,20})://")
#: What looks like an address or connection string, but is not one that we can read.
_LIKE_ADDRESS = re.compile(
    r"://|^\s*postgres(ql)?\s*:|^[^/]*:.*@|pass\w*\s*=", re.IGNORECASE | re.DOTALL
)
_IN_MESSAGE = re.compile(r"[A-Za-z][\w+.-]{0,40}://\S*|\bpostgres(?:ql)?:\S*", re.IGNORECASE)
#: The end of a password with a space, which the parts of an address follow.
_GOES_ON = re.compile(r"@(\S|$)")
_OPTION = re.compile(r"(pass\w*\s*=\s*)(?!\*\*\*)\S", re.IGNORECASE)
#: What may follow an address in a message, and belongs to the message.
_PUNCTUATION = "'\":;,.)]"


def is_postgres(location: str) -> bool:
    """Return whether *location* is the address of a PostgreSQL database.

    >>> is_postgres("postgresql://db.example.org/games"), is_postgres("games.db")
    (True, False)
    """
    scheme, separator, _ = location.partition("://")
    return bool(separator) and scheme in POSTGRES


def safe_location(location: str) -> str:
    """Return *location* as it can be shown: without any password, whatever characters it holds.

    The parser of PostgreSQL's own library decides where a password is. Nothing is shown of an
    address that this parser refuses, or in which a password may extend beyond its place.

    >>> safe_location("postgresql://ann:secret@db/games?sslmode=require")
    'postgresql://ann:***@db/games?sslmode=require'
    >>> safe_location("postgresql://db/games?user=ann&pass%77ord=secret")
    'postgresql://db/games?user=ann&password=***'
    >>> safe_location("postgresql://ann:se/cret@db/games"), safe_location("games.db")
    ('postgresql://***', 'games.db')
    """
    if is_postgres(location):
        return _safe_address(location) or f"{location.partition('://')[0]}://{HIDDEN}"
    if location.startswith("sqlite:///") or not _LIKE_ADDRESS.search(location):
        return location
    if SCHEDULER_ADDRESS.fullmatch(location):  # It has no place for a password.
        return location
    scheme = _SCHEME.match(location)
    return f"{scheme[0] if scheme else ''}{HIDDEN}"


def is_readable(location: str) -> bool:
    """Return whether *location* is a path, or an address that can be parsed and shown."""
    if is_postgres(location):
        return _safe_address(location) is not None
    return safe_location(location) == location


def path_of(location: str) -> str:
    """Return the path of the file that *location* names: a path, or `sqlite:///path`.

    Raises:
        UsageError: *location* names no file, or looks like the address of a database.
    """
    path = location.removeprefix("sqlite:///")
    if not is_readable(path):
        raise UsageError(
            f"unknown kind of store {safe_location(path)!r}: give a path, sqlite:///path or"
            " postgresql://user@host/database"
        )
    if path in ("", ":memory:"):
        raise UsageError(f"{path!r} is not the path of a file: a ledger is stored in a file")
    return path


def place_of(location: str) -> str:
    """Return *location* as other programs can use it: the whole path, or the address.

    A password, and any option that may hold one, is left out.

    >>> place_of("postgresql://ann:secret@db/games?sslmode=require&sslpassword=x")
    'postgresql://ann@db/games?sslmode=require'
    """
    if not is_postgres(location):
        return str(Path(path_of(location)).resolve())
    match = None if _safe_address(location) is None else _ADDRESS.fullmatch(location)
    if match is None:
        raise UsageError(f"cannot read {safe_location(location)}: check the address")
    user = f"{match['user']}@" if match["user"] else ""
    options = (match["options"] or "").split("&")
    shown = "&".join(option for option in options if unquote(option.partition("=")[0]) in _SHOWN)
    return f"{match['scheme']}{user}{match['place']}{'?' if shown else ''}{shown}"


def _safe_address(location: str) -> str | None:
    """Return the address *location* without its secrets; None if it cannot be parsed for sure."""
    match = _ADDRESS.fullmatch(location)
    options = None if match is None else _options(location)
    if match is None or options is None or not location.isprintable():
        return None
    if not re.fullmatch("[0-9,]*", str(options.get("port", ""))):
        return None
    # A password with "/" would make its beginning a port, and its end a database.
    if match["user"] and options.get("user") != unquote(match["user"]):
        return None
    user = "" if match["user"] is None else match["user"]
    password = "" if match["password"] is None else f":{HIDDEN}"
    at = "" if match["user"] is None else "@"
    query = _safe_options(match["options"])
    return f"{match['scheme']}{user}{password}{at}{match['place']}{query}"


def _options(location: str) -> dict[str, Any] | None:
    # Imported late: psycopg takes 0.1 s to import, and ledgers in files do not need it.
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        return conninfo_to_dict(location)
    except (psycopg.Error, ValueError):
        return None


def _safe_options(options: str | None) -> str:
    """Return the *options* of an address up to the first secret, the value of which is hidden.

    A secret with a bare `&` goes on in what look like further options, so these are not shown.
    """
    if options is None:
        return ""
    shown = []
    for option in options.split("&"):
        name, _, value = option.partition("=")
        name = unquote(name)
        if name in _SHOWN:
            shown.append(f"{name}={value}")
        else:
            shown.append(f"{name}={HIDDEN}")
            break
    return f"?{'&'.join(shown)}"


def safe_message(message: str, words: Iterable[str] = ()) -> str:
    """Return *message* as it can be shown: every address in it without its password.

    *words* are what the user gave to the program. Where the message repeats one of them, its end is
    known. The end of any other address in the message is a guess, so more is hidden in doubt.

    >>> safe_message("cannot read postgresql://ann:se cret@db/games", ())
    'cannot read postgresql://***'
    >>> safe_message("no game 'g' in postgresql://ann@db/games: list the games", ())
    "no game 'g' in postgresql://ann@db/games: list the games"
    """
    for word in sorted(set(words), key=len, reverse=True):
        if (safe := safe_location(word)) != word:
            message = message.replace(word, safe).replace(repr(word)[1:-1], safe)
    message = _with_safe_addresses(message)
    option = _OPTION.search(message)
    return message if option is None else f"{message[: option.end(1)]}{HIDDEN}"


def _with_safe_addresses(message: str) -> str:
    """Return *message* up to the first address in it that may not be whole."""
    shown, end = "", 0
    for match in _IN_MESSAGE.finditer(message):
        word = match[0].rstrip(_PUNCTUATION)
        safe = safe_location(word)
        shown += message[end : match.start()]
        end = match.start() + len(word)
        is_whole = safe == word or is_readable(word)
        if not is_whole or _GOES_ON.search(message[end:].partition("://")[0]):
            return f"{shown}{word.partition(':')[0]}://{HIDDEN}"
        shown += safe
        if safe != word and safe.endswith(HIDDEN):
            return shown
    return shown + message[end:]
