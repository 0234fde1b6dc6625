"""Public numbers and heads of a game, as its public tables use them.

A public head depends on public events only, so it reveals nothing about secret events.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from nomoledger.events import Entry
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_stream import PublicStream
from nomoledger.proof.sealer import PublicChain, public_line


class PublicEvents:
    """Converts all events of *game*, from the first, into its public events."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._stream = PublicStream()
        self._chain = PublicChain(game)

    def convert(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Yield the events that become public with the next *entries*, with public numbers.

        Raises:
            CorruptError: An event cannot be written as JSON.
        """
        chain = self._chain
        for entry in entries:
            for body in self._stream.take(entry.number, entry.body):
                chain.hash, chain.number = chain.hash_with(public_line(body)), chain.number + 1
                yield Entry(self._game, chain.number, body)

    @property
    def head(self) -> Head:
        """The head of the public chain so far. Its number is -1 before the first public event."""
        return Head(self._chain.number, self._chain.hash.hex())


class PublicHead(NamedTuple):
    """A public *head*, and the *number* of the ledger's event that completed it."""

    head: Head
    number: int


def find_public_heads(
    ledger: Ledger, game: str, numbers: Collection[int]
) -> tuple[dict[int, PublicHead], Head]:
    """Return the public heads of *game* with these public *numbers*, and its current one.

    Public numbers are not stored, so the whole game is read.
    """
    events, heads = PublicEvents(game), dict[int, PublicHead]()
    for entry in ledger.read(game):
        for _ in events.convert((entry,)):
            pass
        head = events.head
        if head.number in numbers and head.number not in heads:
            heads[head.number] = PublicHead(head, entry.number)
    return heads, events.head
