"""Plays and rules at random: moves are made by their name, with two numbers to choose by."""

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
#: What can be edited, and so ruled on.
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
    """Rules at random on what is recorded."""

    changes = CHANGES

    def __init__(self, game: RuledGame, salt: str = "", settles: Sequence[str] = ("all",)) -> None:
        self.game = game
        self.salt = salt
        self.settles = settles

    def play(self, moves: Sequence[Move]) -> None:
        for move, one, other in moves:
            with suppress(UsageError, UnknownError):  # what makes no sense just now
                getattr(self, move)(one, other)

    def name(self, one: int) -> str:
        players = self.game.world.kinds.get("player", ())
        return players[one % len(players)] if players else "Nobody"

    def answer(self, one: int, other: int) -> None:
        question = self.game.world.waiting
        if question is None:
            return
        value = question.options[one % len(question.options)]
        if question.asks == "dice":
            dice = [1 + (one + k * other) % sides for k, sides in enumerate(question.options)]
            self.game.ask("enter_dice", dice)
        elif question.asks == "draw":
            self.game.ask("enter_dice", [value])
        elif question.asks == "choice":
            self.game.ask("answer", value)
        else:
            self.game.ask("rule", "So be it.", value=value)

    def leave(self, one: int, other: int) -> None:
        self.game.ask("leave", self.name(one))

    def propose(self, one: int, other: int) -> None:
        changes = self.changes[other % len(self.changes)]
        self.game.ask("propose", self.name(one), "Text.", changes)
        number = max(self.game.world.proposals)
        self.game.ask("judge", number, "rejected" if one % 3 == 0 else "accepted")

    def correct(self, one: int, other: int) -> None:
        self.game.ask("rule", "So be it.", changes=self.changes[other % len(self.changes)])

    def wait(self, one: int, other: int) -> None:
        self.game.at += timedelta(minutes=one % 90)
        self.game.ask("advance")

    def close(self, one: int, other: int) -> None:
        self.game.ask("close")

    # --- rulings

    def ruling(self, one: int, other: int) -> None:
        found = list(editable(self.game))
        entry = found[one % len(found)]
        self.rule_on(some_edit(entry, other))

    def overlooked(self, one: int, other: int) -> None:
        joined = self.game.last(e.JoinRequested)
        after = max(one % len(self.game.entries), joined)
        self.rule_on(e.TakenIn(after, NAMES[other % 3], ("go", "buy")[other % 2]))

    def overrule(self, one: int, other: int) -> None:
        holding = [x.number for x in rulings_in_force(self.game.world) if x.effective is not None]
        if holding:
            self.rule_on(overrules=(holding[one % len(holding)],))

    def rule_on(self, *edits: e.Edit, **fields: Any) -> None:
        settle = self.settles[self.game.count % len(self.settles)]
        self.game.rule_on("replace", *edits, questions="default", settle=settle, **fields)


class Player(Admin):
    """Plays under the rules of `rules.py`."""

    def join(self, one: int, other: int) -> None:
        self.game.ask("join", NAMES[one % len(NAMES)])

    def go(self, one: int, other: int) -> None:
        self.game.go(self.name(one), "go")

    def buy(self, one: int, other: int) -> None:
        self.game.go(self.name(one), "buy")

    def steal(self, one: int, other: int) -> None:
        self.game.go(self.name(one), "steal", victim=self.name(other))

    def plot(self, one: int, other: int) -> None:
        self.game.go(self.name(one), "plot", plan=f"{self.salt}{self.game.count}")

    def finish(self, one: int, other: int) -> None:
        if one % 7 == 0:
            self.game.go(self.name(other), "finish")


class Mailer(Admin):
    """Plays under the rulebook mail-opening, where proposals are the way to a turn."""

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

    def join(self, one: int, other: int) -> None:
        self.game.ask("join", NAMES[one % len(NAMES)], {"email": f"{one % 4}@example.org"})

    def trade(self, one: int, other: int) -> None:
        world = self.game.world
        options = world.kinds.get("option", ())
        if options:
            option = world.attributes[options[one % len(options)]]
            action = "decline" if other % 4 == 0 else "buy"
            self.game.go(option["player"], action, square=world.label(option["square"]))

    def deal(self, one: int, other: int) -> None:
        buyer, seller = self.name(one), self.name(other)
        terms = {"buyer": buyer, "seller": seller, "square": 1 + one % 20, "price": 30}
        self.game.go((buyer, seller)[other % 2], "deal", **terms)


def editable(game: RuledGame) -> Iterator[e.Entry]:
    return (entry for entry in game.entries[1:] if isinstance(entry.body, EDITABLE))


def some_edit(entry: e.Entry, other: int) -> e.Edit:
    body = entry.body
    if isinstance(body, e.DrawRecorded):
        return e.Replaced(entry.number, [1 + other // 4**k % 3 for k in range(len(body.values))])
    if isinstance(body, e.DrawEntered):
        return e.Replaced(entry.number, [1 + (other + k) % 3 for k in range(len(body.values))])
    if isinstance(body, e.ChoiceAnswered):
        return e.Replaced(entry.number, "paint" if body.value == "money" else "money")
    if isinstance(body, e.ProposalJudged):
        verdict = "accepted" if body.verdict == "rejected" else "rejected"
        return e.Replaced(entry.number, verdict)
    return e.LeftOut(entry.number)
