"""How long a what-if and a settlement take: `python benchmarks/what_if.py [WEEKS [PLAYERS]]`.

A long game of mail-opening is made (everybody proposes, takes a turn and buys, every week); a die
of week 2 is then tried as another one, and ruled so. Then the five recorded weeks of a season.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nomoledger import events as e
from nomoledger.engine.oracles import SeededOracle
from nomoledger.game import recorded_games as replays
from nomoledger.game.counterfactual import WhatIf, WhatIfChanges, what_if
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.records import import_record
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.state.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32
WEEK = timedelta(days=7)


class Played:
    """Plays without a sandbox, straight into the ledger."""

    def __init__(self, desk: Game) -> None:
        self.desk = desk
        self.world: World = desk.world
        self.engine = new_engine(self.world, SeededOracle(SECRET), SECRET)
        self.at, self.count = NOON, 0

    def take(self, kind: type[e.Input], **fields: Any) -> None:
        """An input, a second after the last."""
        self.count += 1
        self.at += timedelta(seconds=1)
        when: dict[str, Any] = {
            "received_at": self.at,
            "recorded_at": self.at,
            "period": self.world.period,
        }
        head = self.world.head
        for batch in self.engine.process(kind(id=f"i{self.count}", **when, **fields)):
            head = self.desk.ledger.append(self.desk.name, batch, expected=head).number

    def week(self, players: list[str]) -> None:
        """Everybody proposes, takes a turn and buys."""
        for player in players:
            number = len(self.world.proposals) + 1
            self.take(e.ProposalMade, by=player, number=number, text="Text.")
            self.take(e.ProposalJudged, proposal=number, verdict="accepted")
            for square in self._offers(player):
                arguments = {"square": square}
                self.take(e.SubmissionReceived, by=player, action="buy", arguments=arguments)
        self.take(e.CloseAsked)
        self.at = NOON + WEEK * self.world.period

    def _offers(self, player: str) -> Iterator[int]:
        for offer in self.world.kinds.get("offer", ()):
            if self.world.get(offer, "player") == player:
                yield self.world.label(self.world.get(offer, "square"))
                return


def long_game(folder: str, weeks: int, players: int) -> Game:
    """A game of that many weeks and players."""
    ledger = Ledger.open(Path(folder) / "long.db", create=True)
    settings = {"IV.1.starting_money": 100_000, "VI.1.squares": 200}
    desk = open_game(
        ledger, "long", load("mail-opening"), settings=settings, at=NOON, secret=SECRET
    )
    names = [f"Player {each}" for each in range(players)]
    played = Played(desk)
    for name in names:
        played.take(e.JoinRequested, name=name, details={"email": name})
    for _ in range(weeks):
        played.week(names)
    return Game(ledger)


def roll_of(desk: Game, week: int) -> int:
    """The number of the first roll of *week*."""
    rolls = (
        entry.number
        for entry in desk.ledger.read(desk.name)
        if isinstance(entry.body, e.DrawRecorded) and entry.body.period == week
    )
    return next(rolls)


def timed(what: str, do: Callable[[], Any]) -> Any:
    """What *do* gives, with a line on how long it took."""
    begin = time.perf_counter()
    found = do()
    print(f"{what:<64}{time.perf_counter() - begin:8.2f} s")
    return found


def the_long_one(weeks: int, players: int) -> None:
    """A die of week 2 of a long game."""
    with tempfile.TemporaryDirectory() as folder:
        made = f"a game of {weeks} weeks with {players} players is made"
        desk = timed(made, lambda: long_game(folder, weeks, players))
        edit = e.Replaced(roll_of(desk, 2), [1, 2])
        inputs: list[int] = []
        changed = WhatIfChanges(edits=(edit,), questions="skip")
        found: WhatIf = timed(
            f"what-if of a die of week 2, to the end ({desk.world.head:,} events)",
            lambda: what_if(desk.ledger, desk.name, changed, done=inputs.append),
        )
        print(f"{'':4}{len(inputs):,} inputs; {len(found.otherwise)} things differ", end="; ")
        print(f"{len(found.collisions)} collisions")
        desk.clock = lambda: NOON + WEEK * (weeks + 2)
        settle = {"edits": (edit,), "settle": "all", "questions": "skip"}
        made_of = timed("settling it", lambda: desk.rule_on("replace", "A 1 and a 2.", **settle))
        print(f"{'':4}{len(made_of.events)} events, refused: {bool(made_of.refusals)}")
        desk.ledger.close()


def the_season() -> None:
    """The slip of week 1 of the recorded season."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.open(Path(folder) / "season.db", create=True)
        desk = import_record(ledger, replays.find("weekly-vote-season"))
        slip = next(
            entry.number
            for entry in ledger.read(desk.name)
            if isinstance(entry.body, e.FactRecorded)
            and entry.body.kind == "land"
            and entry.body.fields.get("player") == "Jamie"
        )
        changed = WhatIfChanges(edits=(e.Replaced(slip, {"square": 1}),))
        timed("what-if over five weeks of the season", lambda: what_if(ledger, desk.name, changed))
        ledger.close()


if __name__ == "__main__":
    the_long_one(*map(int, sys.argv[1:] or (52, 20)))
    the_season()
