"""What exporting takes: `python benchmarks/journals.py [PAYMENTS ...]`, time and memory by format.

Every export runs in a process of its own. Its largest size is told, and what it was before the
export began, with all that the format needs imported: the rest must not grow with the payments.
"""

import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nomoledger import events as e
from nomoledger.ledger.ledger import Ledger
from nomoledger.views.journals import FORMATS

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
PLAYERS = 50
PERIODS = 52
BATCH = 1000
EXPORT = r"""
import re, sys, time
from pathlib import Path
from nomoledger.views.journals import export_journal
from nomoledger.ledger.ledger import Ledger
if sys.argv[2] == "parquet":
    import pyarrow.parquet
status = Path("/proc/self/status")
size = lambda: int(re.search(r"VmHWM:\s*(\d+)", status.read_text())[1]) // 1024
with Ledger.open(sys.argv[1]) as ledger, open(sys.argv[3], "wb") as file:
    before, begun = size(), time.perf_counter()
    export_journal(ledger, file, "g", sys.argv[2])
    print(f"{time.perf_counter() - begun:7.2f} s  {before:5} MB before  {size():5} MB at most")
"""


def bodies(count: int) -> list[e.Event]:
    """So many payments between players, and a close whenever a week of a year is over."""
    found: list[e.Event] = []
    for number in range(count):
        period = number * PERIODS // count + 1
        at = START + timedelta(days=7 * period)
        if found and found[-1].period < period:
            found.append(_event(e.PeriodClosed, period - 1, found[-1].received_at, digest=""))
        one, other = f"P{number % PLAYERS}", f"P{(7 * number + 1) % PLAYERS}"
        postings = (e.Posting(one, "$", -number), e.Posting(other, "$", number))
        fields = {"postings": postings, "why": "rent on 9", "rules": ("IV.4@1",), "cause": 0}
        found.append(_event(e.Posted, period, at, **fields))
    return found


def _event(kind: type[e.Event], period: int, at: datetime, **fields: object) -> e.Event:
    times = {"received_at": at, "recorded_at": at}
    return kind(period=period, **times, **fields)


def main(counts: list[int]) -> None:
    """Print a line for each format and number of payments."""
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            place = str(Path(folder) / f"{count}.db")
            fill(place, count)
            for format in FORMATS:
                file = str(Path(folder) / f"out.{format}")
                words = [sys.executable, "-c", EXPORT, place, format, file]
                told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
                size = Path(file).stat().st_size / 1e6
                print(f"{count:8} payments  {format:9} {told.strip()}  {size:6.1f} MB written")


def fill(place: str, count: int) -> None:
    """A ledger with so many payments."""
    found = bodies(count)
    with Ledger.open(place, create=True) as ledger:
        ledger.add_game("g")
        for start in range(0, len(found), BATCH):
            ledger.append("g", found[start : start + BATCH], expected=start - 1)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [10_000, 100_000])
