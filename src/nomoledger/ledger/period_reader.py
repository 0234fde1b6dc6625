"""Reading the events of a game one period at a time."""

from collections.abc import Iterator

from nomoledger.events import Entry, PeriodClosed
from nomoledger.ledger.ledger import Ledger


class PeriodReader:
    """Reads the events of *game* up to event *upto*, one period at a time."""

    def __init__(self, ledger: Ledger, game: str, upto: int) -> None:
        """Read *game* of *ledger* up to event *upto*."""
        self._ledger = ledger
        self._game = game
        self._upto = upto
        self._reading: Iterator[Entry] = iter(())
        self._number = -2

    def after(self, number: int) -> Iterator[Entry]:
        """Yield the events after event *number*, up to and including the next close.

        If *number* is the last event that was yielded, reading continues: no event is read twice.

        Raises:
            CorruptError: while reading, a record is missing or unreadable.
        """
        if number != self._number:
            self._reading = self._ledger.read(self._game, number, self._upto)
        for entry in self._reading:
            self._number = entry.number
            yield entry
            if isinstance(entry.body, PeriodClosed):
                return
