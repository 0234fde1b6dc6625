"""The events of a game from a close to the next."""

from collections.abc import Iterator

from nomoledger.events import Entry, PeriodClosed
from nomoledger.ledger.ledger import Ledger


class PeriodReader:
    """Reads the events of *game* up to event *upto*, a stretch at a time."""

    def __init__(self, ledger: Ledger, game: str, upto: int) -> None:
        self._ledger = ledger
        self._game = game
        self._upto = upto
        self._reading: Iterator[Entry] = iter(())
        self._at = -2

    def after(self, number: int) -> Iterator[Entry]:
        """The events after event *number*, up to and with the next close.

        Where *number* is that of the last event given, it reads on: nothing is read twice.

        Raises (while reading):
            CorruptError: a record is missing or unreadable.
        """
        if number != self._at:
            self._reading = self._ledger.read(self._game, number, self._upto)
        for entry in self._reading:
            self._at = entry.number
            yield entry
            if isinstance(entry.body, PeriodClosed):
                return
