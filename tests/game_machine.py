"""Random games as a state machine of Hypothesis: each rule is a move at the table."""

import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from table import BOOK, NOON, START, Table

from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import Rulebook

#: By which a move chooses players, squares, proposals and the like; see `table.Table`.
number = st.integers(0, 99)


def open_table(folder: Path, name: str = "game.db", book: Rulebook = BOOK) -> Table:
    """Return the table of a new game under *book*, in a ledger of its own, after its first turn."""
    ledger = Ledger.open(folder / name, create=True)
    table = Table(open_game(ledger, "game", book, at=NOON, secret=b"s" * 32))
    table.desk.clock = lambda: table.at
    for move in START:
        table.play(*move)
    return table


class GameMachine(RuleBasedStateMachine):
    """A game of mail-opening. Subclasses add invariants, and rules that check something.

    Attributes:
        folder: where ledgers can be made; it goes when the game is over.
    """

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self.table = open_table(self.folder)

    @property
    def game(self) -> Game:
        """The game at the table."""
        return self.table.desk

    @property
    def events(self) -> list[e.Event]:
        """All events of the game."""
        return [entry.body for entry in self.game.ledger.read("game")]

    def teardown(self) -> None:
        """Close the ledger, and remove it."""
        self.game.ledger.close()
        self._folder.cleanup()

    @rule(first=number, second=number)
    def join(self, first: int, second: int) -> None:
        """Somebody asks to join, perhaps not for the first time."""
        self.table.play("join", first, second)

    @rule(first=number, second=number)
    def propose(self, first: int, second: int) -> None:
        """A player proposes a change of the rules, or nothing."""
        self.table.play("propose", first, second)

    @rule(first=number)
    def judge(self, first: int) -> None:
        """The last proposal, or the one before, is accepted or rejected."""
        self.table.play("judge", first, 0)

    @rule(first=number, second=number)
    def enact(self, first: int, second: int) -> None:
        """A proposal is made and accepted, which gives its player a turn."""
        self.table.play("propose", first, second)
        self.table.play("judge", 0, 0)

    @precondition(lambda self: self.game.world.kinds.get("offer"))
    @rule(first=number, second=number)
    def trade(self, first: int, second: int) -> None:
        """An offer of a square is taken or declined."""
        self.table.play("trade", first, second)

    @rule(first=number, second=number)
    def name_square(self, first: int, second: int) -> None:
        """A player asks for a name of a square, which may be another's."""
        self.table.play("name", first, second)

    @rule(first=number, second=number)
    def deal(self, first: int, second: int) -> None:
        """One of two players asks for a sale of a square."""
        self.table.play("deal", first, second)

    @precondition(lambda self: self.game.world.waiting)
    @rule(first=number)
    def answer(self, first: int) -> None:
        """The open question is answered."""
        self.table.play("answer", first, 0)

    @rule(first=number, second=number)
    def rule_on_rules(self, first: int, second: int) -> None:
        """The admin changes the rules, perhaps urgently."""
        self.table.play("rule", first, second)

    @rule(first=number)
    def wait(self, first: int) -> None:
        """Up to eight days pass."""
        self.table.play("wait", first, 0)

    @rule()
    def close_period(self) -> None:
        """The period is closed."""
        self.table.play("close", 0, 0)
