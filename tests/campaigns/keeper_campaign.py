"""Campaign: threads make requests of many games, while processes are killed at random.

python tests/campaigns/keeper_campaign.py --requests 10000 --kill
python tests/campaigns/keeper_campaign.py --requests 100000
python tests/campaigns/keeper_campaign.py --requests 6000 --rate 100

Every request that was acknowledged must be recorded once, in games that verify. A request that
fails because a process was killed is repeated under its id, as a player would.
"""

import argparse
import ctypes
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from nomoledger.errors import LostError, RuleFault, SandboxError
from nomoledger.events import Input
from nomoledger.game.game import Game
from nomoledger.game.keepers import Keepers
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAYERS = ("Ann", "Bob", "Cid", "Dot")
#: After so many tries, a request counts as hung.
TRIES_MAX = 50
PR_SET_CHILD_SUBREAPER = 36
#: Memory is measured between the parts of a run.
PARTS = 4


def children() -> dict[int, list[int]]:
    """Return the processes on this machine by the process that started each."""
    found: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            found.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    return found


def descendants() -> list[int]:
    """Return all processes that this one started, in whatever way."""
    table, found, level = children(), [], [os.getpid()]
    while level:
        level = [child for pid in level for child in table.get(pid, [])]
        found += level
    return found


def memory_bytes() -> int:
    """Return the memory that this process and its descendants use, shared pages counted once."""
    total = 0
    for pid in (os.getpid(), *descendants()):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total * 1024


class Campaign:
    """The games, their players, and what is counted."""

    def __init__(self, folder: str, options: argparse.Namespace) -> None:
        self.options = options
        self.location = options.store or f"{folder}/games.db"
        self.chance = Random(options.seed)
        self.seen: Counter[str] = Counter()
        self.took: list[float] = []
        self.memory: list[int] = []
        self.acknowledged: list[tuple[str, str]] = []
        self.stop = threading.Event()
        self.games = [f"game-{number}" for number in range(options.games)]

    def run(self) -> None:
        rulebook = load(self.options.rulebook)
        with Ledger.open(self.location, create=True) as ledger:
            for name in self.games:
                open_game(ledger, name, rulebook, at=NOON).engine.close()
        with Keepers(self.location, most=len(self.games)) as keepers:
            for name in self.games:
                for player in PLAYERS:
                    keepers.request(name, Game.join, player, {"email": player}, at=NOON)
            killer = threading.Thread(target=self.kill)
            killer.start()
            seconds = 0.0
            for part in range(PARTS):
                self.memory.append(memory_bytes())
                first, after = (self.options.requests * n // PARTS for n in (part, part + 1))
                seconds += self.make_requests(keepers, range(first, after))
            self.memory.append(memory_bytes())
            self.stop.set()
            killer.join()
        self.report(seconds)
        self.check()

    def make_requests(self, keepers: Keepers, numbers: range) -> float:
        """Make the requests *numbers*, and return how many seconds that took."""
        begin = time.monotonic()
        with ThreadPoolExecutor(self.options.threads) as threads:
            for one in [
                threads.submit(self.request, keepers, n, n - numbers[0], begin) for n in numbers
            ]:
                one.result()
        return time.monotonic() - begin

    def request(self, keepers: Keepers, number: int, place: int, begin: float) -> None:
        """Make a request until it is acknowledged."""
        if self.options.rate:
            due = begin + place / self.options.rate
            time.sleep(max(0.0, due - time.monotonic()))
        else:
            due = time.monotonic()
        game, id = self.games[number % len(self.games)], f"r{number}"
        for _ in range(TRIES_MAX):
            try:
                self.make(keepers, game, number, id)
                break
            except (RuleFault, LostError, SandboxError) as error:
                self.seen[type(error).__name__] += 1
        else:
            raise AssertionError(f"{game}: request {id} failed {TRIES_MAX} times")
        self.took.append(time.monotonic() - due)
        self.acknowledged.append((game, id))

    def make(self, keepers: Keepers, game: str, number: int, id: str) -> None:
        player = PLAYERS[number // len(self.games) % len(PLAYERS)]
        fields: dict[str, Any] = {"id": id, "at": NOON}
        square = {"square": number % 12 + 1}  # The rules refuse this: the state does not grow.
        keepers.request(game, Game.submit, player, "decline", square, **fields)

    def kill(self) -> None:
        """Kill a process at random, now and then."""
        while self.options.kill and not self.stop.wait(self.chance.expovariate(self.options.kill)):
            victims = descendants()
            if victims:
                try:
                    os.kill(self.chance.choice(victims), signal.SIGKILL)
                    self.seen["killed"] += 1
                except ProcessLookupError:
                    pass

    def report(self, seconds: float) -> None:
        took = sorted(self.took)
        counts = ", ".join(f"{what} {count}" for what, count in sorted(self.seen.items()))
        print(
            f"{len(took)} requests of {len(self.games)} games in {seconds:.0f} s: {counts or 'ok'}"
        )
        for share in (50, 99, 99.9):
            print(f"  {share} of 100 within {took[int(len(took) * share / 100)] * 1e3:.1f} ms")
        print(f"  the slowest {took[-1] * 1e3:.0f} ms")
        print(f"  memory, MB: {', '.join(str(size >> 20) for size in self.memory)}")

    def check(self) -> None:
        """Check that every acknowledged request is recorded once, and that the games are sound."""
        with Ledger.open(self.location) as ledger:
            for name in self.games:
                inputs = (entry.body for entry in ledger.read(name))
                ids = Counter(body.id for body in inputs if isinstance(body, Input))
                assert set(ids.values()) == {1}, f"{name}: recorded twice"
                missing = [id for game, id in self.acknowledged if game == name and id not in ids]
                assert not missing, f"{name}: lost {missing}"
                assert ledger.verify(name).ok, name
                assert replay(ledger, name).exact, name
        print("  all acknowledged requests are recorded once; all games verify and replay exactly")


def adopt_orphans() -> None:
    """Be the parent of what a killed fork server leaves behind: it is to be killed, too."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def main() -> None:
    """Run the campaign that the arguments ask for."""
    adopt_orphans()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--rulebook", default="mail-opening")
    parser.add_argument("--rate", type=float, default=0, help="requests a second; 0: no pause")
    parser.add_argument("--kill", type=float, default=0, help="kills a second, on average")
    parser.add_argument("--store", help="where the ledger is made; by default a new file")
    parser.add_argument("--seed", type=int, default=1)
    with tempfile.TemporaryDirectory() as folder:
        Campaign(folder, parser.parse_args()).run()


if __name__ == "__main__":
    main()
