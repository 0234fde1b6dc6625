"""The public address of a server: what the links in mails begin with."""

from urllib.parse import urlsplit

from nomoledger.errors import UsageError


def checked_origin(url: str) -> str:
    """Return *url*, the public address of a server, without a slash at its end.

    Raises:
        UsageError: it is no address of a server.
    """
    problem = f"{url!r:.80} is no address of a server: write it as https://games.example.org"
    try:
        parts = urlsplit(url)
        is_wrong = parts.port == 0
    except ValueError:
        raise UsageError(problem) from None
    more = parts.path.removeprefix("/") or parts.query or parts.fragment or parts.username
    if is_wrong or more or parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(problem)
    return f"{parts.scheme}://{parts.netloc}"
