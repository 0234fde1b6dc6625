"""How fast a turn is: `python benchmarks/turn.py [TURNS]`.

Compares a turn of mail-opening carried out by the rules with the same turn written by hand in plain
Python (the same dice, the same walk, the same offers, the same records), and then measures
turns and events per second through the whole stack to disk: sandbox, hash chain, SQLite.

Where the time of a turn by the rules goes: a third is calls between rule code and its host (74 of
them: 0.8 µs each where names cross as objects, 3 µs more for a text or number that does not); four
tenths is what the host does then (dice, addresses, events, the state and the way back from it); the
rest is the engine around it, and the rules themselves. By hand, most of the time is in making the
records, which both have to do.
"""

import hashlib
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.engine.agenda import Engine
from nomoledger.engine.oracles import SeededOracle
from nomoledger.events.rules import Do
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.state.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32
PLAYERS = ("Ann", "Bob", "Cid", "Dot")
SQUARES = 20
AIM = 10
ROUNDS = 25
JOINED = 68


# --- by the rules -------------------------------------------------------------------------------


def opened(folder: str) -> Game:
    """A game that four players have joined."""
    ledger = Ledger.open(Path(folder) / "turns.db", create=True)
    desk = open_game(ledger, "turns", load("mail-opening"), at=NOON, secret=SECRET)
    for name in PLAYERS:
        desk.join(name, {"email": name}, at=NOON)
    return desk


def asked(turn: int) -> e.RulingMade:
    """A ruling that one player takes a turn, and nothing else."""
    change = Do("turn", {"player": PLAYERS[turn % len(PLAYERS)]})
    return e.RulingMade(
        id=f"t{turn}", number=turn + 1, kind="correct", text="", changes=(change,),
        period=1, received_at=NOON, recorded_at=NOON,
    )  # fmt: skip


def by_the_rules(world: World, turns: int) -> list[e.Event]:
    """Carry out *turns* in this process; gives the records."""
    engine, records = Engine(world, SeededOracle(SECRET), SECRET), []
    for turn in range(turns):
        for batch in engine.process(asked(turn)):
            records += batch
    return records


# --- by hand --------------------------------------------------------------------------------------


class Game:
    """The same game, as somebody in a hurry would write it, with the very same records."""

    def __init__(self, number: int = -1) -> None:
        self.number = number
        self.cause: int | None = None
        self.money = dict.fromkeys(PLAYERS, 1000)
        self.at = dict.fromkeys(PLAYERS, 1)
        self.offered: dict[int, str] = {}
        self.offers: dict[int, tuple[str, str]] = {}
        self.records: list[e.Event] = []
        self.seed = dice.period_seed(SECRET, 1)
        self.drawn: Counter[str] = Counter()
        self.now = int(NOON.timestamp())

    def turn(self, turn: int) -> None:
        """Roll, walk, land; once more after doubles."""
        player, attempt, path = PLAYERS[turn % len(PLAYERS)], f"t{turn}", ""
        self._record(asked(turn))
        self.cause = self.number
        while True:
            if path:
                self._speed(player, None, True)
            thrown = self._walk(player, attempt, f"{path}turn({player})", again=bool(path))
            scheduled = self.number + 1
            if thrown[0] == thrown[1]:
                following = f"{attempt}>{path}turn({player})/finish_turn({player})"
                self._say(
                    e.Scheduled, "VII.2@1", attempt=f"{following}/extra_turn({player})",
                    operation="extra_turn", arguments=(player,), by="admin",
                )  # fmt: skip
            if path:
                self._speed(player, True, None)
            self._say(e.AttemptDone, "engine", attempt=attempt)
            if thrown[0] != thrown[1]:
                return
            attempt, path = f"{following}/extra_turn({player})", f"extra_turn({player})/"
            self.cause = scheduled

    def _record(self, event: e.Event) -> None:
        self.number += 1
        self.records.append(event)

    def _say(self, event: type[e.Event], rule: str, **fields: Any) -> None:
        self._record(
            event(
                period=1, received_at=NOON, recorded_at=NOON, cause=self.cause, rules=(rule,),
                **fields,
            )
        )  # fmt: skip

    def _speed(self, player: str, was: Any, value: Any) -> None:
        self._say(
            e.AttributeSet, "VII.2@1", entity=player, attribute="speeding", value=value, was=was
        )

    def _walk(self, player: str, attempt: str, path: str, *, again: bool) -> list[int]:
        number = PLAYERS.index(player) + 1
        place = f"1/admin/{f'extra_turn(player {number})' if again else '@ruling()'}/turn"
        address = f"{place}#{self.drawn[place]}"
        self.drawn[place] += 1
        thrown = dice.roll(self.seed, address, (6, 6))
        asked = f"{attempt}|{path}/throw_dice(turn)/turn#0"
        drawn = {"values": tuple(thrown), "sides": (6, 6), "asked": asked}
        self._say(e.DrawRecorded, "I.3@1", address=address, **drawn)
        left = square = self.at[player]
        passed = []
        for _ in range(sum(thrown)):
            square = square + 1 if square < SQUARES else 1
            passed.append(f"square:{square}")
        self.at[player] = square
        self._say(
            e.Moved, "VII.1@1", piece=player, mode="step", left=f"square:{left}",
            to=passed.pop(), passed=tuple(passed),
        )  # fmt: skip
        if self.money[player] >= 10 * square and self.offered.setdefault(square, player) == player:
            land = f"{path}/walk({player},{sum(thrown)})/land({player},square:{square})"
            self._open_offer(player, square, attempt, land)
        return thrown

    def _open_offer(self, player: str, square: int, attempt: str, land: str) -> None:
        path = f"{land}/open_offer({player},square:{square})"
        if square in self.offers:
            offer, lapse = self.offers[square]
            self._say(e.Unscheduled, "VIII.3@1", attempt=lapse)
        else:
            place = f"{attempt}|{path}/offer#1"
            offer = f"offer:{hashlib.sha256(place.encode()).hexdigest()[:10]}"
            attributes = {"player": player, "square": f"square:{square}", "opened": self.now}
            fields = {"entity": offer, "kind": "offer", "attributes": attributes}
            self._say(e.EntityCreated, "VIII.3@1", **fields)
        time = 7 * 24 * 60 * 60 + 1
        ending = f"{path}/end_offer_after({offer},{time},days_open)"
        lapse = f"{attempt}>{ending}/lapse({offer})"
        self._say(
            e.Scheduled, "VIII.3@1", attempt=lapse, operation="lapse", arguments=(offer,),
            due=self.now + time, by="admin", follows=("VIII.3", "days_open"),
        )  # fmt: skip
        self.offers[square] = offer, lapse


def by_hand(turns: int) -> list[e.Event]:
    """Carry out *turns* in plain Python; gives the records."""
    game = Game(JOINED)
    for turn in range(turns):
        game.turn(turn)
    return game.records


def without_use(records: list[e.Event]) -> list[e.Event]:
    """Return *records* without what each attempt used of its limits: by hand there are none."""
    return [
        msgspec.structs.replace(x, used=None) if isinstance(x, e.AttemptDone) else x
        for x in records
    ]


# --- measuring ------------------------------------------------------------------------------------


def told(what: str, seconds: float, turns: int, records: int) -> str:
    """One line about it."""
    rates = f"{turns / seconds:7.0f} turns/s {records / seconds:8.0f} events/s"
    return f"{what:<36}{seconds / turns * 1e6:8.1f} µs a turn {rates}"


def in_memory(desk: Game, turns: int) -> None:
    """By the rules against by hand, in rounds by turns: the fastest of each; the same records.

    Before that the rules are in use for a while, and so compiled with the names of things.
    """
    took: dict[str, list[float]] = {"by the rules": [], "the same by hand in plain Python": []}
    by_the_rules(world_of(desk.ledger, desk.name), 20 * len(desk.world.rules))
    for _ in range(ROUNDS):
        world = world_of(desk.ledger, desk.name)
        begin = time.process_time()
        by_rules = by_the_rules(world, turns)
        took["by the rules"].append(time.process_time() - begin)
        for _ in range(3):  # which is short, and at its best when it was just done
            begin = time.process_time()
            hand_made = by_hand(turns)
            took["the same by hand in plain Python"].append(time.process_time() - begin)
        assert without_use(by_rules) == hand_made, "the two games differ"
    for what, seconds in took.items():
        print(told(what, min(seconds), turns, len(by_rules)))
    ruled, hand = (min(seconds) for seconds in took.values())
    print(f"ratio {ruled / hand:.1f} (aim: at most {AIM})")


def in_a_sandbox(desk: Game, turns: int) -> None:
    """Each turn a request of its own: sandbox, hash chain, transaction."""
    begin, head = time.perf_counter(), desk.world.head
    for turn in range(turns):
        desk.receive(
            e.RulingMade, kind="correct", text="a turn", changes=asked(turn).changes, at=NOON
        )
    seconds = time.perf_counter() - begin
    print(told("through the whole stack to disk", seconds, turns, desk.world.head - head))


def without_a_sandbox(desk: Game, turns: int) -> None:
    """The same without a sandbox."""
    world = world_of(desk.ledger, desk.name)
    engine, head = Engine(world, SeededOracle(SECRET), SECRET), world.head
    begin, expected = time.perf_counter(), world.head
    for turn in range(turns):
        for batch in engine.process(asked(turn)):
            expected = desk.ledger.append(desk.name, batch, expected=expected).number
    seconds = time.perf_counter() - begin
    print(told("to disk, without a sandbox", seconds, turns, world.head - head))


def main(turns: int = 2000) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        desk = opened(folder)
        in_memory(desk, turns // 10)
        in_a_sandbox(desk, turns // 10)
        without_a_sandbox(desk, turns // 10)
        desk.engine.close()
        desk.ledger.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
