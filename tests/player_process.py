"""Plays a fixed game in a process of its own, to be killed: `player_process.py LEDGER PLAYER`.

Each command has its own id and time, so that a later run goes on where an earlier one was killed
and comes to the same end. After each a line with its id is printed: it is acknowledged.
"""

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from nomoledger.events.rules import Enact, Rule
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.game.writer import Outcome
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.sandbox.limits import Limits

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLOSE = """
def define_close_period():
    for n in range(30):
        schedule("dues", n)

def define_dues(n):
    for player in all("player"):
        pay(player, "admin", roll(1, 6, "dues")[0])
        pay("admin", player, 1)
"""
ENDLESS = "def before_turn(player):\n    for i in range(1000000000):\n        pass\n"

Command = Callable[..., Outcome]


def opened(ledger: Ledger) -> Game:
    """The game that is played, opened in *ledger*."""
    return open_game(ledger, "game", load("mail-opening"), at=NOON, secret=b"s" * 32)


def rule(number: str, code: str) -> Enact:
    """A change that brings in some rule."""
    return Enact(Rule(number=number, title="New", prose="New.", code=code))


def commands(desk: Game, player: str) -> Iterator[tuple[str, Command, tuple[Any, ...]]]:
    """What *player* does: a name, what is called, and its arguments."""
    yield "join", desk.join, (player, {"email": f"{player}@example.org"})
    yield "rule", desk.propose, (player, "A close.", (rule(f"X.{player}", CLOSE),))
    for turn in range(3):
        yield f"judge-{turn}", desk.judge, (turn + 1, "accepted")
        yield f"propose-{turn}", desk.propose, (player, f"Nothing {turn}.", ())
    yield "close", desk.close, ()
    yield "close-again", desk.close, ()


def play(file: str, player: str) -> None:
    """Give all commands, and print the id of each when it is done."""
    with Ledger.open(file) as ledger:
        desk = Game(ledger)
        for minute, (name, command, arguments) in enumerate(commands(desk, player), 1):
            at = NOON + timedelta(minutes=minute)
            desk.clock = lambda at=at: at  # type: ignore[misc]
            command(*arguments, id=f"{player}-{name}", at=at)
            print(f"{player}-{name}", flush=True)
        desk.resume()


def race(file: str, player: str) -> None:
    """Join and propose as fast as can be, at whatever time it is by then."""
    with Ledger.open(file) as ledger:
        desk = Game(ledger)
        desk.join(player, {"email": f"{player}@example.org"}, id=f"{player}-join")
        print(f"{player}-join", flush=True)
        for n in range(8):
            desk.propose(player, f"Number {n}.", (), id=f"{player}-{n}")
            print(f"{player}-{n}", flush=True)


def hang(file: str, player: str) -> None:
    """Judge a proposal whose rule never ends."""
    with Ledger.open(file) as ledger:
        desk = Game(ledger, limits=Limits(cpu_seconds=60, wall_seconds=60))
        desk.join(player, {"email": f"{player}@example.org"})
        desk.propose(player, "Never ends.", (rule("X.1", ENDLESS),))
        print("ready", flush=True)
        desk.judge(1, "accepted")


def fill(file: str, player: str) -> None:
    """Propose until the disk is full."""
    import resource

    from nomoledger.errors import StoreError

    with Ledger.open(file) as ledger:
        desk = Game(ledger)
        desk.join(player, {"email": f"{player}@example.org"})
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        try:
            for n in range(1000):
                desk.propose(player, "x" * 20_000, (), id=f"{player}-{n}")
                print(f"{player}-{n}", flush=True)
        except StoreError as error:
            print(error, flush=True)


if __name__ == "__main__":
    {"play": play, "race": race, "hang": hang, "fill": fill}[sys.argv[1]](*sys.argv[2:])
