"""Random play and rulings. A move is a method name and two numbers that select its arguments."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.ruling_validity import rulings_in_force
from nomoledger.errors import UnknownError, UsageError
from nomoledger.events.rules import Amend, Change, Do, Enact, Renumber, Repeal, Rule

from .game import RuledGame

Move = tuple[str, int, int]
NAMES = ("Ann", "Bob", "Cid", "Éva")
#: Inputs and draws that a ruling can edit.
EDITABLE = (
    e.DrawRecorded, e.DrawEntered, e.ChoiceAnswered, e.ProposalJudged, e.SubmissionReceived,
    e.JoinRequested, e.LeaveRequested, e.ProposalMade,
)  # fmt: skip


def enact(number: str, code: str) -> Enact:
    return Enact(Rule(number=number, code=code))


CHANGES: tuple[tuple[Change, ...], ...] = (
    (),
    (Amend("2", parameters={"fee": 9}),),
    (Amend("2", parameters={"prize": 11}),),
    (enact("5", "def after_land(player, square):\n    mint(player, 1, 'x')\n"),),
    (enact("6", "def value_none():\n    return None\n"), Renumber("6", "7")),
    (Repeal("5"),),
    (Do("bonus", {"player": "Ann"}),),
    (
        enact(
            "8",
            "def before_land(player, square):\n"
            "    if get(square, 'number') % 2:\n"
            "        if ask(player, 'Skip?', ['yes', 'no'], 'no') == 'yes':\n"
            "            refuse('skipped')\n",
        ),
    ),
)


class Admin:
    """Makes random rulings on recorded events."""

    changes = CHANGES

    def __init__(self, game: RuledGame, salt: str = "", settles: Sequence[str] = ("all",)) -> None:
        self.game = game
        self.salt = salt
        self.settles = settles

    def play(self, moves: Sequence[Move]) -> None:
        for move, first, second in moves:
            with suppress(UsageError, UnknownError):  # the move is not possible now
                getattr(self, move)(first, second)

    def name(self, first: int) -> str:
        players = self.game.world.kinds.get("player", ())
        return players[first % len(players)] if players else "Nobody"

    def answer(self, first: int, second: int) -> None:
        question = self.game.world.waiting
        if question is None:
            return
        options = question.options or (f"Z.{first}",)  # a rule whose number is taken
        value = options[first % len(options)]
        if question.asks == "dice":
            dice = [1 + (first + k * second) % sides for k, sides in enumerate(question.options)]
            self.game.ask("enter_dice", dice)
        elif question.asks == "draw":
            self.game.ask("enter_dice", [value])
        elif question.asks == "choice":
            self.game.ask("answer", value)
        else:
            self.game.ask("rule", "So be it.", value=value)

    def leave(self, first: int, second: int) -> None:
        self.game.ask("leave", self.name(first))

    def propose(self, first: int, second: int) -> None:
        changes = self.changes[second % len(self.changes)]
        self.game.ask("propose", self.name(first), "Text.", changes)
        number = max(self.game.world.proposals)
        self.game.ask("judge", number, "rejected" if first % 3 == 0 else "accepted")

    def correct(self, first: int, second: int) -> None:
        self.game.ask("rule", "So be it.", changes=self.changes[second % len(self.changes)])

    def wait(self, first: int, second: int) -> None:
        self.game.at += timedelta(minutes=first % 90)
        self.game.ask("advance")

    def close(self, first: int, second: int) -> None:
        self.game.ask("close")

    # --- rulings

    def ruling(self, first: int, second: int) -> None:
        entries = list(editable(self.game))
        entry = entries[first % len(entries)]
        self.rule_on(some_edit(entry, second))

    def overlooked(self, first: int, second: int) -> None:
        joined = self.game.last(e.JoinRequested)
        after = max(first % len(self.game.entries), joined)
        self.rule_on(e.TakenIn(after, NAMES[second % 3], ("go", "buy")[second % 2]))

    def overrule(self, first: int, second: int) -> None:
        rulings = rulings_in_force(self.game.world)
        numbers = [ruling.number for ruling in rulings if ruling.effective is not None]
        if numbers:
            self.rule_on(overrules=(numbers[first % len(numbers)],))

    def rule_on(self, *edits: e.Edit, **fields: Any) -> None:
        settle = self.settles[self.game.count % len(self.settles)]
        self.game.rule_on("replace", *edits, questions="default", settle=settle, **fields)


class Player(Admin):
    """Plays under the rules of `rules.py`."""

    def join(self, first: int, second: int) -> None:
        self.game.ask("join", NAMES[first % len(NAMES)])

    def go(self, first: int, second: int) -> None:
        self.game.go(self.name(first), "go")

    def buy(self, first: int, second: int) -> None:
        self.game.go(self.name(first), "buy")

    def steal(self, first: int, second: int) -> None:
        self.game.go(self.name(first), "steal", victim=self.name(second))

    def plot(self, first: int, second: int) -> None:
        self.game.go(self.name(first), "plot", plan=f"{self.salt}{self.game.count}")

    def finish(self, first: int, second: int) -> None:
        if first % 7 == 0:
            self.game.go(self.name(second), "finish")


class Mailer(Admin):
    """Plays under the rulebook mail-opening, where an accepted proposal leads to a turn."""

    changes = (
        (),
        (Amend("IV.1", parameters={"starting_money": 150}),),
        (Do("add_square"), Do("paint", {"square": 3, "color": "red"})),
        (Repeal("VII.2"),),
        (Renumber("IX.4", "IX.9"),),
        (enact("X.1", "def after_land(player, square):\n    award(player, 5)\n"),),
        (enact("X.3", "def after_turn(player):\n    award(player, roll(1, 100, 'luck')[0])\n"),),
        (enact("X.8", "def after_turn(player):\n    fine(player, 400)\n"),),
    )

    def join(self, first: int, second: int) -> None:
        self.game.ask("join", NAMES[first % len(NAMES)], {"email": f"{first % 4}@example.org"})

    def trade(self, first: int, second: int) -> None:
        world = self.game.world
        offers = world.kinds.get("offer", ())
        if offers:
            offer = world.attributes[offers[first % len(offers)]]
            action = "decline" if second % 4 == 0 else "buy"
            self.game.go(offer["player"], action, square=world.label(offer["square"]))

    def deal(self, first: int, second: int) -> None:
        buyer, seller = self.name(first), self.name(second)
        terms = {"buyer": buyer, "seller": seller, "square": 1 + first % 20, "price": 30}
        self.game.go((buyer, seller)[second % 2], "deal", **terms)


def editable(game: RuledGame) -> Iterator[e.Entry]:
    return (entry for entry in game.entries[1:] if isinstance(entry.body, EDITABLE))


def some_edit(entry: e.Entry, second: int) -> e.Edit:
    body = entry.body
    if isinstance(body, e.DrawRecorded):
        return e.Replaced(entry.number, [1 + second // 4**k % 3 for k in range(len(body.values))])
    if isinstance(body, e.DrawEntered):
        return e.Replaced(entry.number, [1 + (second + k) % 3 for k in range(len(body.values))])
    if isinstance(body, e.ChoiceAnswered):
        return e.Replaced(entry.number, "paint" if body.value == "money" else "money")
    if isinstance(body, e.ProposalJudged):
        verdict = "accepted" if body.verdict == "rejected" else "rejected"
        return e.Replaced(entry.number, verdict)
    return e.LeftOut(entry.number)
