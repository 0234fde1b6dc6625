"""Import of a table of facts, as a new game or as the continuation of one."""

from pathlib import Path

import msgspec

from nomoledger import events as e
from nomoledger.errors import RecordError
from nomoledger.game.csv_record import RecordTable, read_table
from nomoledger.game.game import Game
from nomoledger.game.records import begin_recorded_game, continue_recorded_game, is_record
from nomoledger.ledger.as_of import only_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import Rulebook, load

#: How the names of tables end.
TABLE_ENDINGS = (".csv", ".tsv")


def is_table(path: str | Path) -> bool:
    """Return whether the file at *path* is a table by its name, and does not begin as a record."""
    return Path(path).suffix.casefold() in TABLE_ENDINGS and not is_record(path)


class UnexplainedRow(msgspec.Struct, frozen=True):
    """A fact of a table that no rule in force explains: where it stands, its kind, and why."""

    place: str
    kind: str
    why: str


class TableImport:
    """The import of one table into a ledger: read first, then played."""

    def __init__(
        self, ledger: Ledger, path: str | Path, rulebook: str | None, game: str | None
    ) -> None:
        """Read the table at *path*, to begin a game under *rulebook*, or to continue *game*.

        Raises:
            RecordError: there is no game to continue, or the file cannot be read.
            RulebookError, UnknownError: there is no such rulebook or game.
        """
        self._ledger = ledger
        self._path = Path(path)
        self._first = 0
        self._book: Rulebook | None = None if rulebook is None else load(rulebook)
        if self._book is not None:
            self.game = game or self._book.name
            self.rulebook = self._book.name
            self.table: RecordTable = read_table(path, self._book.rules)
            return
        if not ledger.games():
            raise RecordError(
                f"{path}: there is no game to continue: begin one with --rulebook NAME"
            )
        self.game = game or only_game(ledger)
        under_way = Game(ledger, self.game)
        world, opened = under_way.world, under_way.history.entries()[0].body
        self.rulebook = opened.rulebook if isinstance(opened, e.GameOpened) else ""
        self._first = world.head + 1
        players = [str(world.label(player)) for player in world.kinds["player"]]
        self.table = read_table(path, world.rules, players)

    def play(self) -> Game:
        """Play the facts of the table, all or none, and return the game.

        Raises:
            RecordError: rows are bad, or cannot be played. Nothing is stored.
        """
        table = self.table
        if table.problems:
            raise RecordError("; ".join(table.problems))
        if self._book is None:
            return continue_recorded_game(
                self._ledger, self.game, table.header, table.lines, self._path
            )
        return begin_recorded_game(
            self._ledger, self.game, self._book, table.header, table.lines, self._path
        )

    def unexplained_rows(self, game: Game) -> list[UnexplainedRow]:
        """Return the facts of the table that no rule of *game* explains, once it was played."""
        places = {line.place.rpartition(":")[2]: line.place for line in self.table.lines}
        facts: dict[int, e.FactRecorded] = {}
        found = []
        for entry in game.history.entries():
            body = entry.body
            if entry.number < self._first:
                continue
            if isinstance(body, e.FactRecorded):
                facts[entry.number] = body
            elif isinstance(body, e.FactUnexplained) and body.fact in facts:
                fact = facts[body.fact]
                place = places.get(fact.id.rpartition("line-")[2])
                if place is not None:
                    found.append(UnexplainedRow(place, fact.kind, body.why))
        return found
