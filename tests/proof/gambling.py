"""A small game in which almost every request draws, for the tests of dice."""

from typing import Any

from rulings.game import RuledGame
from rulings.rules import RULES

from nomoledger import events as e
from nomoledger.events.rules import Rule

CODE = """
def action_gamble(player: Player, stake: Number = 0, note: Text = ""):
    won = roll(1, 1000, "luck")[0]
    if stake > 500:
        refuse("the stake is too high")
    mint(player, won, "luck")
    schedule("pay_out", player)

def define_pay_out(player: Player):
    mint(player, roll(1, 1000, "luck")[0], "more luck")
    set("game", "color", draw(["red", "green", "blue"], "color"))
"""


class GamblingGame(RuledGame):
    """A game of Ann and Bob, or of players of other names."""

    def __init__(self, *names: str, secret: tuple[str, ...] = (), dice: str = "seeded") -> None:
        rule = Rule(number="9", code=CODE, declares={"game": {"color": "Text"}}, secret=secret)
        super().__init__([*RULES, rule], dice)
        for name in names or ("Ann", "Bob"):
            self.ask("join", name)

    def gamble(self, player: str, id: str | None = None, **arguments: Any) -> list[e.DrawRecorded]:
        """Return the draws that follow when *player* gambles."""
        named = {} if id is None else {"id": id}
        events = self.ask("submit", player, "gamble", arguments, **named)
        return [event for event in events if isinstance(event, e.DrawRecorded)]

    def draws(self) -> list[e.DrawRecorded]:
        """Return all draws so far."""
        return [x.body for x in self.entries if isinstance(x.body, e.DrawRecorded)]


def values(draws: list[e.DrawRecorded]) -> list[tuple[Any, ...]]:
    """Return what was drawn."""
    return [draw.values for draw in draws]


def addresses(draws: list[e.DrawRecorded]) -> list[str]:
    """Return where it was drawn."""
    return [draw.address for draw in draws]
