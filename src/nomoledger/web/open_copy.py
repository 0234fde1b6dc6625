"""A copy of a game that is played on: its ledger, its process, and going back in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from nomoledger.game.desk.copied_line import go_back
from nomoledger.game.keepers import Keepers
from nomoledger.game.writer import Outcome
from nomoledger.ledger.ledger import Ledger

T = TypeVar("T")
#: How many readings of a copy are kept for pages that are asked for again.
READINGS_MAX = 200


class OpenCopy:
    """A copy that is played on. Its ledger has a game for each time that somebody went back.

    The last of them is where the copy stands: a ledger takes nothing back.
    """

    def __init__(self, path: Path, game: str) -> None:
        """Open the copy of *game* in the file at *path*."""
        self._game = game
        self._ledger = Ledger.open(path)
        self._keepers = Keepers(path, most=1)
        self._kept: dict[tuple[Any, ...], Any] = {}

    def close(self) -> None:
        """End the process of the copy."""
        self._keepers.close()
        self._ledger.close()

    def _name(self, back: int = 0) -> str:
        """Return the name of the game in which the copy stands, or *back* more times gone back."""
        count = len(self._ledger.games()) + back
        return self._game if count == 1 else f"{self._game} ({count})"

    def read(self, reading: Callable[..., T], *given: Any, kind: type[T]) -> T:
        """Return what *reading* makes of the copy and *given*."""
        name = self._name()
        key = (name, self._ledger.head(name).number, reading, *map(repr, given))
        found: T | None = self._kept.get(key)
        if found is None:
            found = self._keepers.read(name, reading, *given, kind=kind)
            if len(self._kept) >= READINGS_MAX:
                self._kept.clear()
            self._kept[key] = found
        return found

    def request(self, request: Callable[..., Outcome], *given: Any, id: str) -> Outcome:
        """Make *request* where the copy stands."""
        return self._keepers.request(self._name(), request, *given, id=id)

    def go_back(self, before: int, since: int, last: int) -> None:
        """Go on from before event *before*. See `copied_line.go_back`."""
        self._keepers.read(self._name(), go_back, self._name(1), before, since, last, kind=int)
