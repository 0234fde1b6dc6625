"""How long a command takes to start: `python benchmarks/starting.py [ROUNDS]`.

Compares commands with the start of an empty Python interpreter, by turns. The ledger is the season
of real play that comes with the project.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.ledger.ledger import Ledger

PROGRAM = Path(sys.executable).with_name("nomoledger")
EMPTY = "an empty interpreter"
#: At most so many times the start of an empty interpreter.
AIMS = {"nomoledger --help": 6, "nomoledger standings": 10}


def seconds(*words: str) -> float:
    """Return how long a command takes."""
    begin = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def main(rounds: int = 20) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "season.db")
        with Ledger.open(file, create=True) as ledger:
            import_record(ledger, find("weekly-vote-season"))
        commands = {
            EMPTY: (sys.executable, "-c", "pass"),
            "nomoledger --help": (str(PROGRAM), "--help"),
            "nomoledger standings": (str(PROGRAM), "standings", file),
        }
        took: dict[str, list[float]] = {name: [] for name in commands}
        for words in commands.values():
            seconds(*words)  # bytecode is written when a module is first imported
        for _ in range(rounds):
            for name, words in commands.items():
                took[name].append(seconds(*words))
    base = statistics.median(took[EMPTY])
    for name, found in took.items():
        middle = statistics.median(found)
        aim = f" (aim: at most {AIMS[name]})" if name in AIMS else ""
        print(f"{name:<22}{middle * 1e3:7.1f} ms {middle / base:6.1f} times{aim}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
