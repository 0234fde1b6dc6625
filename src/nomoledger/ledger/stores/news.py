"""News of a store: which games other programs, or this one, have just appended to."""

from hashlib import sha256
from typing import Protocol


class News(Protocol):
    """What hears of a store at once. One thread may use it; it is made by `Store.news`."""

    def wait(self, seconds: float) -> set[str]:
        """Wait *seconds* at most for news, and return the marks that were heard.

        They are marks of games (see `mark_of`), and those that `echo` returned.

        Raises:
            StoreError: nothing is heard any more.
        """

    def echo(self) -> str:
        """Send a mark by another way than that on which `wait` listens, and return it.

        A mark that `wait` does not return shows that nothing is heard, though no error says so.

        Raises:
            StoreError: nothing can be sent.
        """

    def close(self) -> None:
        """Hear nothing any more."""


def mark_of(game: str) -> str:
    """Return what stands for *game* in news: 32 hexadecimal digits, however long its name is.

    >>> mark_of("chess")
    'ac739dccd121f71261d87461256e9ca7'
    """
    return sha256(game.encode()).hexdigest()[:32]
