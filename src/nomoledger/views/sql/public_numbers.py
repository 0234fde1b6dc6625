"""A game as public tables tell it: by public numbers, and heads that show nothing of secrets."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from nomoledger.events import Entry
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_stream import PublicStream
from nomoledger.proof.sealer import PublicChain, public_line


class PublicEvents:
    """Takes all events of *game* from the first on, and hands on what is public of them."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._stream = PublicStream()
        self._chain = PublicChain(game)

    def take(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """What becomes public with the next *entries*, in public terms.

        Raises:
            CorruptError: an event cannot be written as JSON.
        """
        chain = self._chain
        for entry in entries:
            for body in self._stream.take(entry.number, entry.body):
                chain.hash, chain.number = chain.hash_with(public_line(body)), chain.number + 1
                yield Entry(self._game, chain.number, body)

    @property
    def head(self) -> Head:
        """The head of the public chain so far; its number is -1 while there is nothing."""
        return Head(self._chain.number, self._chain.hash.hex())


class Reached(NamedTuple):
    """A public *head*, and the event of the ledger, by its *number*, with which it was reached."""

    head: Head
    number: int


def reached(ledger: Ledger, game: str, wanted: Collection[int]) -> tuple[dict[int, Reached], Head]:
    """Which public heads *game* had of those numbered so, and which it has now.

    The whole game is read for that: public numbers are not stored.
    """
    events, found = PublicEvents(game), dict[int, Reached]()
    for entry in ledger.read(game):
        for _ in events.take((entry,)):
            pass
        now = events.head
        if now.number in wanted and now.number not in found:
            found[now.number] = Reached(now, entry.number)
    return found, events.head
