"""Random games on a store that fails at random, checked after every move.

A seed gives the same moves and the same faults each time. `campaigns/fault_campaign.py` plays many
seeds.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from random import Random
from typing import cast

import holds
from table import BOOK, NOON, START, WEIGHTED, Table

from faults.store import Killed, Shaky, shaky
from nomoledger.errors import StoreError
from nomoledger.events import Input
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger

TRIES = 12
LIKELY = 0.25


class Simulation:
    """One game in the store at *location*, of one *seed*.

    Attributes:
        acknowledged: ids of the requests that were answered. seen: how often each fault came up.
    """

    def __init__(self, location: str, seed: int, moves: int = 24) -> None:
        self.location = location
        self.chance = Random(seed)
        self.game = f"seed-{seed}"
        self.moves = moves
        self.acknowledged: list[str] = []
        self.seen: Counter[str] = Counter()
        self.at = NOON
        self.meddled = 0

    def play(self) -> None:
        """Open the game, and make every move until it is acknowledged or makes no sense."""
        with Ledger.open(self.location, create=True) as ledger:
            open_game(ledger, self.game, BOOK, at=NOON, secret=b"s" * 32)
        random = [
            (self.chance.choice(WEIGHTED), self.chance.randint(0, 99), self.chance.randint(0, 99))
            for _ in range(self.moves)
        ]
        for number, move in enumerate([*START, *random], 1):
            self._insist(f"move-{number}", *move)
            self._check_acknowledged()
        self._check_whole()

    def _insist(self, id: str, move: str, first: int, second: int) -> None:
        for _ in range(TRIES):
            try:
                with self._shaky(LIKELY) as table:
                    if table.ask(id, move, first, second) is not None:
                        self.acknowledged.append(id)
                    return
            except (StoreError, Killed):
                continue
        with self._shaky(0) as table:
            if table.ask(id, move, first, second) is not None:
                self.acknowledged.append(id)

    @contextmanager
    def _shaky(self, likely: float) -> Iterator[Table]:
        """A desk of its own, as in a process that has just begun."""
        with shaky(self.location, self.chance, self._meddle) as ledger:
            store = cast(Shaky, ledger.store)
            try:
                store.likely = likely
                self.at += timedelta(minutes=1)
                table = Table(Game(ledger, self.game, clock=lambda: self.at))
                table.at = self.at
                yield table
                self.at = table.at
            finally:
                self.seen += store.seen

    def _meddle(self) -> None:
        """Somebody else is faster, in a process of their own."""
        self.meddled += 1
        with Ledger.open(self.location) as ledger:
            table = Table(Game(ledger, self.game, clock=lambda: self.at))
            table.at, id = self.at, f"meddling-{self.meddled}"
            move = self.chance.choice(("join", "propose", "name"))
            if table.ask(id, move, self.chance.randint(0, 99), 0) is not None:
                self.acknowledged.append(id)

    def _check_acknowledged(self) -> None:
        with Ledger.open(self.location) as ledger:
            found = holds.bodies(ledger, self.game)
        ids = Counter(body.id for body in found if isinstance(body, Input))
        assert all(ids[id] == 1 for id in self.acknowledged), ids
        assert not [id for id, count in ids.items() if count > 1], ids

    def _check_whole(self) -> None:
        with Ledger.open(self.location) as ledger:
            Game(ledger, self.game).resume()
            holds.check_whole(ledger, self.game)
            holds.check_causes(holds.bodies(ledger, self.game), opening=1 + len(BOOK.rules))


def simulated(seed: int, location: str, moves: int = 24) -> Simulation:
    """The simulation of *seed*, played.

    Raises:
        AssertionError: something does not hold; the message says which seed.
    """
    simulation = Simulation(location, seed, moves)
    try:
        simulation.play()
    except Exception as error:
        raise AssertionError(
            f"seed {seed} fails; again with: python tests/campaigns/fault_campaign.py {seed}"
        ) from error
    return simulation
