"""The recorded events of one game, as one command reads them."""

from collections.abc import Sequence

from nomoledger.events import Entry, Event
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.snapshots import load_nearest
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


class History:
    """The events of *game* in *ledger*: each is decoded at most once.

    Events are read when they are first asked for. What was read stays in memory until `forget`.
    """

    def __init__(self, ledger: Ledger, game: str) -> None:
        self.ledger = ledger
        self.game = game
        self._entries: list[Entry] = []
        self._is_whole = False

    def entries(self) -> list[Entry]:
        """Return all entries, including those that others have appended meanwhile.

        Raises:
            CorruptError: a record is missing or unreadable.
        """
        self._is_whole = True
        return self.after(-1)

    def after(self, number: int) -> list[Entry]:
        """Return the entries after *number*, including those that others have appended meanwhile.

        Raises:
            CorruptError: a record is missing or unreadable.
        """
        known = self._entries
        if known and number + 1 < known[0].number:
            known[:0] = self.ledger.read(self.game, after=number, upto=known[0].number - 1)
        known += self.ledger.read(self.game, after=known[-1].number if known else number)
        return known[number + 1 - known[0].number :] if known else []

    def add(self, bodies: Sequence[Event]) -> None:
        """Add events that this process has just appended: nothing needs to be decoded."""
        if self._entries:
            first = self._entries[-1].number + 1
            self._entries += (Entry(self.game, first + i, body) for i, body in enumerate(bodies))

    def forget(self) -> None:
        """Free the memory of the entries, unless a caller has asked for all of them."""
        if not self._is_whole:
            self._entries.clear()

    def world(self) -> World:
        """Return the state after the last event, from the latest snapshot and what follows."""
        world = load_nearest(self.ledger, self.game)
        for entry in self.after(world.head):
            apply(world, entry.body)
        return world
