"""What each command takes as a game grows: `size.py [OPTION ...] [SHARE [KIND ...]]`.

Games with many players (up to 5,000), squares (10,000), proposals (2,000) and events (100,000),
made by real requests, at a quarter, at half and at the whole of that size. SHARE makes all of them
smaller: 0.1 for a tenth. Every command runs in a process of its own, on a copy of the ledger. The
games are made once and stay in the folder that `--keep` names, if it is given. `--whole` leaves out
the quarter and the half.

For each size the table has the seconds of processor time, with those of all sandboxes, and the
megabytes of the largest process. *x linear* is how much more the second half of the growth added
than the first quarter did, per player, square, proposal or event: 1 is linear, 2 quadratic. It is
left out where growth adds less than half a second.
"""

import argparse
import ctypes
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from sized_games import KINDS

SIZES = {"crowd": 5000, "board": 10_000, "talk": 2000, "long": 100_000}
SECONDS_MAX = 600.0
#: Growth that adds less than this is not compared with linear growth, in seconds.
NOTICED = 0.5
#: The words after LEDGER for each command. OUT is an empty folder, DUMP an export of the ledger.
WORDS = {
    "advance": None,
    "balances": "",
    "bisect": "money(P1)>9000",
    "board": "",
    "close": "",
    "copy": "OUT/copy.db",
    "dispute list": "",
    "dispute open": "P1 why --event 40",
    "explain": "P1 money",
    "export": "OUT/export.jsonl",
    "finality": "--after 7",
    "history": "",
    "import": None,
    "join": "Zoe",
    "log": "",
    "log --period": "1",
    "order": "P1 --when money(P1)>5000",
    "project": "",
    "project --public": "",
    "propose": "P1 something",
    "proposal show": "1",
    "provisional": "standings",
    "publish": "OUT/site",
    "rebuild": "",
    "replay": "",
    "roll": "3 4",
    "rules log": "",
    "rules of": "",
    "ruling": "so-be-it",
    "rulings": "",
    "run": "--once",
    "seal": "",
    "standings": "",
    "state": "",
    "status": "",
    "submit": None,
    "undo": "",
    "upgrade": "",
    "verify": "",
    "what-if": None,
    "why-not": None,
}
_MAIL = {
    "advance": "--to 2026-06-01",
    "join": "Zoe email=zoe@example.org",
    "order": 'P1 --when money(P1)>5000 --do "buy square=1"',
    "submit": "P1 buy square=1",
    "why-not": "join P1 --period 1",
}
_PAYING = {
    "order": 'P1 --when money(P1)>5000 --do "hand other=P2 amount=1"',
    "submit": "P1 hand other=P2 amount=1",
    "what-if": "--without 58",
    "why-not": "hand P1 --period 1",
}


class Cost(NamedTuple):
    """Seconds of processor time of a command, and the megabytes of its largest process."""

    seconds: float
    megabytes: int


def measure(words: list[str]) -> Cost | str:
    """Run a command to its end, with all processes that it starts; a text if it fails."""
    before, begin = os.times(), time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT)
        megabytes, status = 0, None
        while True:
            try:
                ended, code = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if ended == process.pid:
                status = process.returncode = os.waitstatus_to_exitcode(code)
            elif ended == 0:
                below = _below(os.getpid())
                megabytes = max(megabytes, *map(_megabytes, below), 0)
                if time.perf_counter() - begin > SECONDS_MAX:
                    for other in below:
                        os.kill(other, 9)
                time.sleep(0.01)
        output.seek(0)
        if status not in (0, 1):
            lines = output.read().decode(errors="replace").strip().splitlines() or [""]
            return lines[-1] if status and status > 0 else "too long"
    after = os.times()
    seconds = after.children_user + after.children_system
    return Cost(seconds - before.children_user - before.children_system, megabytes)


def _below(top: int) -> list[int]:
    """Return the processes that *top* has started, and those that these have started."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            children.setdefault(int(parent), []).append(int(entry.name))
    below, waiting = [], [top]
    while waiting:
        found = children.get(waiting.pop(), [])
        below += found
        waiting += found
    return below


def _megabytes(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), 0)


def play(*words: str) -> None:
    """Make or go on with a game in a process of its own, whose sandboxes end with it."""
    code = "import sys; import sized_games; sized_games.main(*sys.argv[1:])"
    folder = Path(__file__).parent  # A sandbox finds functions by the name of their module.
    subprocess.run([sys.executable, "-c", code, *words], check=True, cwd=folder)


class Measured:
    """What the commands take on one ledger."""

    def __init__(self, ledger: Path, words: dict[str, str | None]) -> None:
        """Measure each of *words* on a copy of *ledger*."""
        self.ledger = ledger
        self.costs: dict[str, Cost | str] = {}
        for name, more in words.items():
            if more is not None:
                self.costs[name] = self._command(name, more)
        self._import()
        if "long" in ledger.name:
            self._publish_again()

    def _command(self, name: str, more: str) -> Cost | str:
        with tempfile.TemporaryDirectory(dir=self.ledger.parent) as folder:
            file = str(shutil.copy(self.ledger, folder))
            command, *options = name.split(" --")
            options = [f"--{option}" for option in options]
            after = shlex.split(more.replace("OUT", folder))
            return measure(["nomoledger", *command.split(), file, *options, *after])

    def _import(self) -> None:
        with tempfile.TemporaryDirectory(dir=self.ledger.parent) as folder:
            dump = f"{folder}/dump.jsonl"
            subprocess.run(["nomoledger", "export", str(self.ledger), dump], check=True,
                           stdout=subprocess.DEVNULL)  # fmt: skip
            self.costs["import"] = measure(["nomoledger", "import", f"{folder}/new.db", dump])

    def _publish_again(self) -> None:
        """Publish, play one more period, and publish again."""
        with tempfile.TemporaryDirectory(dir=self.ledger.parent) as folder:
            file = str(shutil.copy(self.ledger, folder))
            words = ["nomoledger", "publish", file, f"{folder}/site"]
            measure(words)
            play(file)
            self.costs["publish, one period later"] = measure(words)


def table(kind: str, sizes: list[int], found: list[Measured]) -> None:
    """Print the table of one kind of game."""
    unit = KINDS[kind][1]
    print(f"{sizes[-1]:,} {unit}")
    print(f"  {'':<26}" + "".join(f"{size:>10,}       " for size in sizes) + "  x linear")
    for name in found[0].costs:
        costs = [measured.costs[name] for measured in found]
        cells = "".join(map(_cell, costs))
        print(f"  {name:<26}{cells}{_ratio(costs)}")
    known = [cost for cost in found[-1].costs.values() if isinstance(cost, Cost)]
    slow = sum(cost.seconds > 5 for cost in known)
    largest = max(cost.megabytes for cost in known)
    print(f"  over 5 s: {slow} of {len(known)}; largest process {largest} MB", flush=True)


def _cell(cost: Cost | str) -> str:
    if isinstance(cost, str):
        return f"{'not so' if cost != 'too long' else cost:>13}    "
    return f"{cost.seconds:7.2f} s {cost.megabytes:4} MB"


def _ratio(costs: list[Cost | str]) -> str:
    known = [cost.seconds for cost in costs if isinstance(cost, Cost)]
    if len(known) < 3 or known[2] - known[0] < NOTICED:
        return ""
    return f"{(known[2] - known[1]) / max(known[1] - known[0], 0.01) / 2:10.1f}"


def main(share: float, kinds: list[str], keep: str | None, *, only_whole: bool) -> None:
    """Make the games, or take them from the folder *keep*, and print a table for each kind."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: wait for sandboxes, too.
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            parts = (1,) if only_whole else (0.25, 0.5, 1)
            sizes = [int(SIZES[kind] * share * part) for part in parts]
            words = WORDS | (_PAYING if kind == "long" else _MAIL)
            found = []
            for size in sizes:
                file = Path(folder if keep is None else keep).resolve() / f"{kind}{size}.db"
                if not file.exists():
                    made = file.with_suffix(".made")
                    play(str(made), kind, str(size))
                    made.rename(file)
                found.append(Measured(file, words))
                if keep is None:
                    file.unlink()
            table(kind, sizes, found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", metavar="FOLDER", help="keep the games in FOLDER")
    parser.add_argument("--whole", action="store_true", help="measure the whole size only")
    parser.add_argument("share", nargs="?", type=float, default=1.0)
    parser.add_argument("kinds", metavar="KIND", nargs="*", default=list(KINDS))
    chosen = parser.parse_args()
    main(chosen.share, chosen.kinds, chosen.keep, only_whole=chosen.whole)
