"""How fast bisect is: `python benchmarks/finding.py [TURNS_PER_WEEK]`.

A made-up season of 52 weeks of mail-opening, in which every turn is fined a dollar, is asked when
somebody came under a sum: by bisect, and by holding the statement against the world after every
event. Reading the ledger, which both have to do, is measured by itself.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.oracles import SeededOracle
from nomoledger.engine.statements import Statement
from nomoledger.events.rules import Do
from nomoledger.game.bisection.bisection import bisect
from nomoledger.game.start import open_game
from nomoledger.language.program import link
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32
PLAYERS = ("Ann", "Bob", "Cid", "Dot")
WEEKS = 52
START = 100_000
GAME = "season"


def season(ledger: Ledger, turns: int) -> None:
    """WEEKS weeks of so many *turns* each."""
    settings = {"starting_money": START}
    desk = open_game(ledger, GAME, load("mail-opening"), settings=settings, at=NOON, secret=SECRET)
    for name in PLAYERS:
        desk.join(name, {"email": name}, at=NOON)
    world = world_of(ledger, GAME)
    engine = Engine(world, SeededOracle(SECRET), SECRET)
    for week in range(1, WEEKS + 1):
        made = [e.CloseAsked(id=f"c{week}", period=week, received_at=NOON, recorded_at=NOON)]
        for body in (*(asked(week, turn) for turn in range(turns)), *made):
            expected = world.head
            batches = [event for batch in engine.process(body) for event in batch]
            ledger.append(GAME, batches, expected=expected)


def asked(week: int, turn: int) -> e.RulingMade:
    """A ruling that one player takes a turn and is fined."""
    player = PLAYERS[turn % len(PLAYERS)]
    fine = Do("fine", {"player": player, "amount": 1, "why": "a turn"})
    return e.RulingMade(
        id=f"w{week}t{turn}", number=week * 100_000 + turn, kind="correct", text="",
        changes=(Do("turn", {"player": player}), fine),
        period=week, received_at=NOON, recorded_at=NOON,
    )  # fmt: skip


def walked(ledger: Ledger, text: str) -> int | None:
    """The first event after which it is so, held against the world after every single one."""
    world, statement = World(), Statement(text)
    for entry in ledger.read(GAME):
        apply(world, entry.body)
        if entry.number >= 68 and statement.holds(world, link(world.ruleset)):
            return entry.number
    return None


def timed(make: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    made = make()
    return time.perf_counter() - start, made


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(Path(folder) / "season.db", create=True) as ledger,
    ):
        season(ledger, turns)
        read, entries = timed(lambda: list(ledger.read(GAME)))
        print(f"{len(entries)} events in {WEEKS} weeks; read in {read:.2f} s")
        sum_ = START - turns * WEEKS * 5 // 8 // len(PLAYERS)
        for text in (f"money(Ann) < {sum_}", f"market_value(9) > 0 and money(Ann) < {sum_}"):
            took, found = timed(partial(bisect, ledger, GAME, text))
            walk, number = timed(partial(walked, ledger, text))
            assert number == found.event, (number, found)
            print(f"{text}: #{number} in period {found.period}")
            print(f"  bisect      {took:7.2f} s, {found.looks} looks")
            print(f"  every event {walk:7.2f} s, {number} looks ({walk / took:.1f} times as long)")


if __name__ == "__main__":
    main()
