"""What memory work on a whole ledger takes: `python benchmarks/memory.py [PAYMENTS ...]`.

Each kind of work runs in a process of its own, on a ledger of a made-up year of payments and on one
ten times as large. The largest size of the process is told, and how much it is above one that only
imports and opens: that must not grow with the number of events.
"""

import tempfile
from pathlib import Path

from made import GAME, Run, fill, python, run, sizes

from nomoledger.ledger.ledger import Ledger

SECONDS_MAX = 590.0
CODE = f"""
import sys
from nomoledger.game.exchange import export_ledger
from nomoledger.views.journals import export_journal
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.raw_sums import summed_balances
game = {GAME!r}
with Ledger.open(sys.argv[1]) as ledger, open("/dev/null", "wb") as file:
    {{}}
"""
WORK = {
    "open": "pass",
    "read": "sum(1 for _ in ledger.read(game))",
    "sum up": "summed_balances(ledger, game, 52)",
    "fold into the world": "world_of(ledger, game)",
    "verify": "assert ledger.verify(game).ok",
    "export as a ledger": "export_ledger(ledger, file, [game])",
    "export for hledger": 'export_journal(ledger, file, game, "hledger")',
    "export as csv": 'export_journal(ledger, file, game, "csv")',
}


def main(counts: list[int]) -> None:
    """Print a line for each kind of work, with a column for each size."""
    found: dict[str, list[Run | None]] = {what: [] for what in WORK}
    with tempfile.TemporaryDirectory() as folder:
        for payments in counts:
            place = str(Path(folder) / f"{payments}.db")
            with Ledger.open(place, create=True) as ledger:
                fill(ledger, payments)
            for what, code in WORK.items():
                found[what].append(run(python(CODE.format(code), place), SECONDS_MAX))
    print(" " * 24 + "".join(f"{payments:>26,} payments" for payments in counts))
    for what, runs in found.items():
        print(f"  {what:<22}{''.join(map(told, runs, found['open']))}")


def told(made: Run | None, opened: Run | None) -> str:
    """A size, and how much it is above that of opening."""
    if made is None or opened is None:
        return f"{'too long':>35}"
    more = made.megabytes - opened.megabytes
    return f"{made.seconds:9.2f} s {made.megabytes:6} MB ({more:+5} MB)    "


if __name__ == "__main__":
    main(sizes([5_000, 50_000]))
