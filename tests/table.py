"""A game played at random: moves that a person at the desk could make, by name and two numbers."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from nomoledger.errors import UsageError
from nomoledger.events.rules import Amend, Change, Do, Enact, Renumber, Repeal, Rule
from nomoledger.game.game import Game
from nomoledger.game.writer import Outcome
from nomoledger.rulebook.loading import load

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAMES = ("Ann", "Bob", "Cid", "O'Neill | > 50%", "Éva")
BOOK = load("mail-opening")


def rule(number: str, code: str) -> Enact:
    return Enact(Rule(number=number, title="New", prose="New.", code=code))


CHANGES: tuple[tuple[Change, ...], ...] = (
    (),
    (Amend("IV.1", parameters={"starting_money": 150}),),
    (Do("add_square"), Do("paint", {"square": 3, "color": "red"})),
    (Repeal("VII.2"),),
    (Renumber("IX.4", "IX.9"),),
    (rule("X.1", "def after_land(player, square):\n    award(player, 5)\n"),),
    (rule("X.2", "def adjust_market_value(square):\n    return times(3, 2)\n"),),
    (rule("X.3", "def after_turn(player):\n    award(player, roll(1, 100, 'luck')[0])\n"),),
    (rule("X.4", "def before_turn(player):\n    ask(player, 'ready?', ['yes', 'no'])\n"),),
    (rule("X.5", "def value_market_value(square):\n    return 7\n"),),
    (rule("X.6", "def after_turn(player):\n    set(player, 'tired', 1, until = 'period')\n"),),
    (rule("X.7", "def instead_land(proceed, player, square):\n    proceed(player, 'square:1')\n"),),
    (rule("X.8", "def after_turn(player):\n    fine(player, 400)\n"),),
    (rule("X.9", "def define_close_period():\n    schedule('turn', all('player')[0])\n"),),
)

Made = Outcome | None


class Table:
    """Plays a game: each move is made by its name, with two numbers to choose by."""

    def __init__(self, desk: Game) -> None:
        self.desk = desk
        self.at = NOON
        self.moves = 0

    def play(self, move: str, first: int, second: int) -> None:
        """Make the next move."""
        self.moves += 1
        self.at += timedelta(minutes=1)
        self.ask(f"move-{self.moves}", move, first, second)

    def ask(self, id: str, move: str, first: int, second: int) -> Made:
        """Ask for *move*, perhaps again; gives what came of it, if it was taken down."""
        asked: Callable[..., Made] = getattr(self, move)
        with suppress(UsageError):  # what makes no sense just now is not recorded
            return asked(first, second, id=id, at=self.at)
        return None

    def join(self, first: int, second: int, **when: Any) -> Made:
        return self.desk.join(NAMES[first % len(NAMES)], {"email": f"{first}@example.org"}, **when)

    def propose(self, first: int, second: int, **when: Any) -> Made:
        changes = CHANGES[second % len(CHANGES)]
        return self.desk.propose(self._player(first), "A proposal.", changes, **when)

    def judge(self, first: int, second: int, **when: Any) -> Made:
        verdict = "rejected" if first % 3 == 1 else "accepted"
        return self.desk.judge(len(self.desk.world.proposals) - first % 2, verdict, **when)

    def trade(self, first: int, second: int, **when: Any) -> Made:
        offers = self.desk.world.kinds.get("offer", ())
        if offers:
            offer = self.desk.world.attributes[offers[first % len(offers)]]
            arguments = {"square": self.desk.world.label(offer["square"])}
            action = "decline" if second % 4 == 0 else "buy"
            return self.desk.submit(offer["player"], action, arguments, **when)
        return None

    def name(self, first: int, second: int, **when: Any) -> Made:
        arguments = {"square": 1 + first % 20, "name": f"Place {second}"}
        return self.desk.submit(self._player(second), "name_square", arguments, **when)

    def deal(self, first: int, second: int, **when: Any) -> Made:
        buyer, seller = self._player(first), self._player(second)
        terms = {"buyer": buyer, "seller": seller, "square": 1 + first % 20, "price": 30}
        return self.desk.submit((buyer, seller)[second % 2], "deal", terms, **when)

    def answer(self, first: int, second: int, **when: Any) -> Made:
        question = self.desk.world.waiting
        if question is None:
            return None
        options = question.options or (f"Z.{first}",)  # a rule whose number is taken
        value = options[first % len(options)]
        if question.asks == "choice":
            return self.desk.answer(value, **when)
        return self.desk.rule("So be it.", value=value, **when)

    def rule(self, first: int, second: int, **when: Any) -> Made:
        changes = CHANGES[second % len(CHANGES)]
        urgent = first % 4 == 0 and not any(isinstance(each, Do) for each in changes)
        return self.desk.rule("I rule.", changes=changes, urgent=urgent, **when)

    def wait(self, first: int, second: int, **when: Any) -> Made:
        self.at += timedelta(days=first % 9)
        return self.desk.advance(**(when | {"at": self.at}))

    def close(self, first: int, second: int, **when: Any) -> Made:
        return self.desk.close(**when)

    def _player(self, chosen: int) -> str:
        players = self.desk.world.kinds.get("player", ())
        return players[chosen % len(players)] if players else "Nobody"


MOVES = ("join", "propose", "judge", "trade", "name", "deal", "answer", "rule", "wait", "close")
WEIGHTED = (*MOVES, "propose", "judge", "answer", "trade", "judge", "propose")
START = [("join", 0, 0), ("join", 1, 0), ("propose", 0, 5), ("judge", 0, 0)]
Moves = list[tuple[str, int, int]]
