"""The journal of a state: what undoes the changes since a mark."""

from collections.abc import Callable
from typing import Any

#: Stands for the value of a key that is not in its table.
MISSING = object()
#: Marks an entry that calls a function, instead of restoring a value.
_CALL = object()
#: A longer tuple is noted once between two marks, however often the same key changes.
_LONG = 16
#: A table by its identity, and a key in it.
_Place = tuple[int, Any]


class ChangeJournal:
    """The changes since the first mark that is set, in order.

    A long tuple to which values are added one by one is another tuple each time. Of those tuples,
    only the first since the latest mark is kept, because the rollback restores that one. The memory
    is therefore linear in the number of values, not quadratic.

    Attributes:
        marks: How many marks are set. Nothing needs to be noted while it is 0.
    """

    def __init__(self) -> None:
        """Begin without a mark."""
        self.marks = 0
        self._changes: list[tuple[Any, Any, Any]] = []
        # For each mark, the number of changes before it, and where long tuples changed since. The
        # changes keep these tables alive, so that no other table gets the same identity.
        self._levels: list[tuple[int, set[_Place]]] = []

    def note(self, table: dict[Any, Any], key: Any, old: Any) -> None:
        """Note that *key* of *table* is about to change; *old* is its value, or MISSING."""
        if type(old) is tuple and len(old) > _LONG and self._levels:
            place, places = (id(table), key), self._levels[-1][1]
            if place in places:
                return
            places.add(place)
        self._changes.append((table, key, old))

    def note_call(self, undo: Callable[..., Any], *arguments: Any) -> None:
        """Note a change that *undo*, called with *arguments*, undoes."""
        self._changes.append((_CALL, undo, arguments))

    def mark(self) -> int:
        """Set a mark, and return its place. Marks nest; each must be ended."""
        self.marks += 1
        self._levels.append((len(self._changes), set()))
        return len(self._changes)

    def rollback(self, mark: int) -> None:
        """Undo all changes since *mark*, and end the mark."""
        changes = self._changes
        while len(changes) > mark:
            table, key, old = changes.pop()
            if table is _CALL:
                key(*old)
            elif old is MISSING:
                table.pop(key, None)
            else:
                table[key] = old
        while self._levels and self._levels[-1][0] > mark:  # marks that nobody has ended yet
            self._levels.pop()
        if self._levels and self._levels[-1][0] == mark:
            self._levels.pop()
        self._end()

    def release(self, mark: int) -> None:
        """Keep the changes since *mark*, and end the mark."""
        if len(self._levels) > 1 and self._levels[-1][0] == mark:
            start, places = self._levels.pop()
            outer = self._levels[-1][1]
            if not outer.isdisjoint(places):
                self._changes[start:] = [
                    change for change in self._changes[start:] if not _is_in(change, outer)
                ]
            outer |= places
        self._end()

    def _end(self) -> None:
        self.marks -= 1
        if not self.marks:
            self._changes.clear()
            self._levels.clear()


def _is_in(change: tuple[Any, Any, Any], places: set[_Place]) -> bool:
    """Return whether *change* replaced a long tuple at one of *places*."""
    table, key, old = change
    return type(old) is tuple and len(old) > _LONG and (id(table), key) in places
