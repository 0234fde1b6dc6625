"""How fast a turn is: `python benchmarks/turn.py [TURNS]`.

Compares a turn of mail-opening carried out by the rules with the same turn written by hand in plain
Python (the same dice, the same walk, the same options to buy, the same records), and then measures
turns and events per second through the whole stack to disk: worker process, hash chain, SQLite.
"""

import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from nomoledger import dice
from nomoledger import events as e
from nomoledger.desk import Desk, open_game, world_of
from nomoledger.engine import Engine
from nomoledger.ledger import Ledger
from nomoledger.reducer import apply
from nomoledger.rules.rule import Do
from nomoledger.rules.rulebook import load
from nomoledger.tape import seeded
from nomoledger.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32
PLAYERS = ("Ann", "Bob", "Cid", "Dot")
SQUARES = 20
AIM = 25


# --- by the rules -------------------------------------------------------------------------------


def opened(folder: str) -> Desk:
    """A game that four players have joined."""
    ledger = Ledger.open(Path(folder) / "turns.db", create=True)
    desk = open_game(ledger, "turns", load("mail-opening"), at=NOON, secret=SECRET)
    for name in PLAYERS:
        desk.join(name, {"email": name}, at=NOON)
    return desk


def request(world: World, turn: int) -> e.Input:
    """A ruling that one player takes a turn, which is all that it leads to."""
    change = Do("turn", {"player": PLAYERS[turn % len(PLAYERS)]})
    common = {"period": world.period, "received_at": NOON, "recorded_at": NOON}
    return e.RulingMade(
        id=f"t{turn}", number=turn + 1, kind="correct", text="", changes=(change,), **common
    )


def by_the_rules(world: World, turns: int) -> int:
    """Carry out *turns* in this process; gives the number of events."""
    engine = Engine(world, seeded(SECRET), SECRET)
    return sum(
        len(batch) for turn in range(turns) for batch in engine.take(request(world, turn))
    )


# --- by hand --------------------------------------------------------------------------------------


class Option(NamedTuple):
    """Who may buy which square, and since when."""

    player: str
    square: int
    opened: int


class Game:
    """The same game, as somebody in a hurry would write it."""

    def __init__(self) -> None:
        self.money = dict.fromkeys(PLAYERS, 1000)
        self.at = dict.fromkeys(PLAYERS, 1)
        self.owner: dict[int, str] = {}
        self.options: list[Option] = []
        self.records: list[tuple[Any, ...]] = []
        self.seed = dice.period_seed(SECRET, 1)
        self.now = int(NOON.timestamp())

    def turn(self, player: str, number: int) -> None:
        """Roll, walk, land; once more after doubles."""
        self.records.append(("turn asked", player, number))
        thrown, extra = self._roll_and_walk(player, f"t{number}"), 0
        self.records.append(("done", number))
        while thrown[0] == thrown[1]:
            extra += 1
            self.records.append(("set", player, "speeding", True))
            thrown = self._roll_and_walk(player, f"t{number}>{extra}")
            self.records.append(("set", player, "speeding", None))
            self.records.append(("done", number, extra))

    def _roll_and_walk(self, player: str, address: str) -> list[int]:
        thrown = dice.roll(self.seed, address, (6, 6))
        self.records.append(("draw", address, tuple(thrown)))
        left, square, passed = self.at[player], self.at[player], []
        for _ in range(sum(thrown)):
            square = square + 1 if square < SQUARES else 1
            passed.append(square)
        self.at[player] = square
        self.records.append(("moved", player, left, tuple(passed[:-1]), square))
        self._land(player, square)
        return thrown

    def _land(self, player: str, square: int) -> None:
        others = [each for each in self.options if each.square == square]
        if square in self.owner or any(each.player != player for each in others):
            return
        if self.money[player] >= 10 * square:
            for each in others:
                self.options.remove(each)
                self.records.append(("unscheduled", each))
                self.records.append(("destroyed", each))
            option = Option(player, square, self.now)
            self.options.append(option)
            self.records.append(("created", option))
            self.records.append(("scheduled", option, self.now + 7 * 24 * 60 * 60 + 1))


def by_hand(turns: int) -> int:
    """Carry out *turns*; gives the number of records."""
    game = Game()
    for turn in range(turns):
        game.turn(PLAYERS[turn % len(PLAYERS)], turn)
    return len(game.records)


# --- measuring ------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """Seconds and records that so many turns took."""

    turns: int
    seconds: float
    records: int

    def told(self, what: str) -> str:
        """One line about it."""
        each, rate = self.seconds / self.turns, self.turns / self.seconds
        records = f"{self.records / self.turns:.1f} records a turn"
        return f"{what:<44}{each * 1e6:9.1f} µs a turn {rate:9.0f} turns/s, {records}"


def best(runs: int, turns: int, run: Any) -> Measured:
    """The fastest of several *runs*, as the others were disturbed."""
    found = []
    for _ in range(runs):
        prepared = run()
        begin = time.perf_counter()
        records = prepared(turns)
        found.append(Measured(turns, time.perf_counter() - begin, records))
    return min(found, key=lambda each: each.seconds)


def to_disk(desk: Desk, turns: int) -> Measured:
    """Each turn a request of its own: worker process, chain, transaction."""
    begin, head = time.perf_counter(), desk.world.head
    for turn in range(turns):
        change = Do("turn", {"player": PLAYERS[turn % len(PLAYERS)]})
        desk.rule("", changes=(change,), at=NOON)
    return Measured(turns, time.perf_counter() - begin, desk.world.head - head)


def to_disk_unfenced(desk: Desk, turns: int) -> Measured:
    """The same without a worker process: every batch a transaction."""
    world = world_of(desk.ledger, desk.game)
    engine, number = Engine(world, seeded(SECRET), SECRET), world.game.get("rulings", 0)
    begin, head = time.perf_counter(), world.head
    for turn in range(number, number + turns):
        expected = world.head
        for batch in engine.take(request(world, turn)):
            expected = desk.ledger.append(desk.game, batch, expected=expected).number
    return Measured(turns, time.perf_counter() - begin, world.head - head)


def main(turns: int = 2000) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        desk = opened(folder)

        def ruled() -> Any:
            world = world_of(desk.ledger, desk.game)
            by_the_rules(world, 1)  # links the rules
            return lambda count: by_the_rules(world, count)

        rules = best(3, turns, ruled)
        hand = best(3, turns, lambda: by_hand)
        print(rules.told("by the rules, in memory"))
        print(hand.told("the same by hand in plain Python"))
        print(f"ratio {rules.seconds / hand.seconds:.1f} (aim: under {AIM})")
        for told, run in (
            ("through the whole stack to disk", to_disk),
            ("to disk, without a worker process", to_disk_unfenced),
        ):
            found = run(desk, turns // 10)
            print(found.told(told), f"{found.records / found.seconds:9.0f} events/s", sep=", ")
        desk.ledger.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
