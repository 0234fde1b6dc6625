"""A game on disk in which players plot in secret, and functions to tamper with it."""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.chain import commit, link, origin
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import Rulebook, parse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32
RULES = """
### 1 Players
```yaml
declares:
  player: {name: Text key, plan: Text, score: Number}
commodities: {"$": {places: 0}, paint: {places: 2}}
secret: [plot]
```
```python
def define_join(name: Text):
    player = create("player", {"name": name}, name)
    mint(player, 100, "start")

def action_plot(player: Player, plan: Text):
    set(player, "plan", plan, until = now() + 3600)
    mint(player, len(plan) + roll(1, 6, "plot")[0], "secret fund", "paint")
    create("trap", {"by": player})
    schedule("strike", player, due = now() + 1200)

def action_go(player: Player):
    mint(player, roll(2, 6, "go")[0], "pay")
    set(player, "score", draw([1, 2, 3], "score"), until = now() + 1800)
    schedule("bonus", player, due = now() + 1800)

def action_confess(player: Player):
    fine(player)

def define_fine(player: Player):
    pay(player, "mint", 3, "confession")

def define_bonus(player: Player):
    mint(player, 1, "bonus")

def define_strike(player: Player):
    mint(player, 1, "strike", "paint")

def define_propose(player: Player, proposal: Number):
    pass

def define_close_period():
    for player in all("player"):
        mint(player, 1, "income")
```
"""
BOOK: Rulebook = parse(RULES, "plots.md")

#: A request at the desk: its name, what it is given, after how many minutes.
Move = tuple[str, Sequence[Any], int]
PLAIN: tuple[Move, ...] = (
    ("join", ["Ann"], 1),
    ("join", ["Bob"], 1),
    ("submit", ["Ann", "go"], 1),
    ("submit", ["Bob", "plot", {"plan": "a trap on 4"}], 40),
    ("submit", ["Bob", "go"], 1),
    ("close", [], 60),
    ("submit", ["Ann", "plot", {"plan": "poison"}], 5),
    ("submit", ["Ann", "go"], 5),
    ("submit", ["Bob", "plot", {"plan": "run"}], 70),
    ("close", [], 60),
    ("submit", ["Ann", "go"], 5),
    ("close", [], 60),
)


def is_secret(move: Move) -> bool:
    return "plot" in move[1]


def played(file: Path, moves: Sequence[Move] = PLAIN, *, with_secrets: bool = True) -> Path:
    """Record a game with *moves* in the ledger *file*, with or without the secret ones."""
    with Ledger.open(file, create=True) as ledger:
        make(open_plots(ledger), moves, with_secrets)
    return file


def open_plots(ledger: Ledger) -> Game:
    return open_game(ledger, "plots", BOOK, at=NOON, recorded_at=NOON, secret=SECRET)


def make(
    desk: Game, moves: Sequence[Move], with_secrets: bool = True, *, anew: bool = False
) -> None:
    """Make *moves* at the *desk*, or each at one that was opened *anew*."""
    at = NOON
    for count, move in enumerate(moves):
        desk = Game(desk.ledger) if anew else desk
        request, given, minutes = move
        at += timedelta(minutes=minutes)
        desk.clock = stopped_at(at)
        if with_secrets or not is_secret(move):
            getattr(desk, request)(*given, at=at, id=f"i{count}")


def stopped_at(at: datetime) -> Callable[[], datetime]:
    return lambda: at


def numbers(file: Path, *, secret: bool) -> list[int]:
    """Return the numbers of the events that only some may see, or of all others."""
    with Ledger.open(file) as ledger:
        entries = list(ledger.read("plots"))
    return [each.number for each in entries if (each.body.audience is not None) == secret]


def rewritten(file: Path, number: int, old: bytes, new: bytes) -> None:
    """Replace *old* by *new* in the content of a record, and recompute the chain."""
    with sqlite3.connect(file) as db:
        (state,) = db.execute(
            "SELECT state FROM stored_events WHERE originator_version=?", (number,)
        ).fetchone()
        assert len(old) == len(new)
        assert old in state
        changed = state.replace(old, new)
        db.execute("UPDATE stored_events SET state=? WHERE originator_version=?", (changed, number))
        recompute_chain(db)
    db.close()


def recompute_chain(db: sqlite3.Connection) -> None:
    last = origin("plots")
    query = "SELECT originator_version, topic, state FROM stored_events ORDER BY 1"
    db.execute("DELETE FROM chain")
    for number, topic, state in db.execute(query).fetchall():
        commitment = commit(SECRET, number, topic.encode(), state)
        last = link(last, number, commitment)
        db.execute("INSERT INTO chain VALUES ('plots',?,?,?)", (number, commitment, last))
