"""A game of mail-opening for tests of rulings; its dice are entered by hand."""

from nomoledger import events as e
from nomoledger.events.rules import Change
from nomoledger.rulebook.loading import load

from .game import RuledGame

RULES = load("mail-opening").rules
WEEK = 7 * 24 * 60


class Mail(RuledGame):
    """Ann and Bob have joined. Each is on square 1 with $1000."""

    def __init__(self) -> None:
        super().__init__(RULES, "entered")
        for name in ("Ann", "Bob"):
            self.ask("join", name, {"email": f"{name}@example.org"})

    def turn(self, player: str, *dice: int, changes: tuple[Change, ...] = ()) -> int:
        """Give *player* a turn by an accepted proposal, and return the number of its roll."""
        self.ask("propose", player, "Text.", changes)
        self.ask("judge", len(self.world.proposals), "accepted")
        return self.roll(*dice)

    def roll(self, *dice: int) -> int:
        self.ask("enter_dice", list(dice))
        return self.last(e.DrawEntered)

    def at_square(self, player: str) -> int:
        return int(self.world.label(self.world.get(player, "square")))

    def offers(self, player: str) -> list[int]:
        return [
            self.world.label(self.world.get(offer, "square"))
            for offer in self.world.kinds.get("offer", ())
            if self.world.get(offer, "player") == player
        ]

    def owner(self, square: int) -> str | None:
        owner: str | None = self.world.get(f"square:{square}", "owner")
        return owner
