"""Run the benchmarks and write docs/figures.md: `python benchmarks/run.py [SIZE] [NAME ...]`.

SIZE is small (the default: some minutes in all), middle, or large (a million events: hours, if all
tools are installed). With NAMEs only those run, and the other sections of the page stay.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "figures.md"
SIZES = ("small", "middle", "large")
SECONDS_MAX = 4 * 3600
HEAD = """# Figures

This page has the output of the last run of each benchmark in `benchmarks/`. A benchmark measures
nomoledger and an alternative by turns in one run. The ratios therefore mean more than the times:
they stay much the same from one machine to another. `python benchmarks/run.py` runs all benchmarks
and writes this page. Each benchmark can also be run by itself, with its sizes as arguments.

The *floor* is the bare database driver and msgspec on the same rows, with the same durability.
"""


class Claim(NamedTuple):
    """One benchmark: its section of the page, its script, and its arguments by size."""

    title: str
    script: str
    about: str
    small: str
    middle: str
    large: str


CLAIMS = (
    Claim(
        "Appending",
        "appending",
        "Compared with the floor, and with the unmodified eventsourcing library.",
        "7000", "35000", "140000",
    ),
    Claim(
        "Chain and roll-up",
        "rollup",
        "What they add to appending, and the time of a query about the past as a ledger grows.",
        "20000", "100000", "1000000",
    ),
    Claim(
        "Reading, folding, verifying",
        "reading",
        "Summing every account, folding the whole state, and verifying every record.",
        "10000", "100000", "1000000",
    ),
    Claim(
        "Standings and balances of the past",
        "standings",
        "All 52 weeks and one week, compared with hledger, ledger and beancount on the exported"
        " journal; and the same queries as the ledger grows.",
        "10000", "10000 100000", "10000 100000 1000000",
    ),
    Claim(
        "SQL tables",
        "projections",
        "Rebuilding SQL tables, compared with the library's runner at one event per transaction.",
        "10000 500", "100000 2000", "1000000 2000",
    ),
    Claim(
        "Memory",
        "memory",
        "Memory of a process that works on a whole ledger. It does not grow with the events.",
        "5000 50000", "10000 100000", "100000 1000000",
    ),
    Claim(
        "A turn",
        "turn",
        "A turn by the rules, compared with the same turn written by hand in plain Python.",
        "1000", "2000", "5000",
    ),
    Claim(
        "A request",
        "submitting",
        "A request through the whole stack, in a warm sandbox and without one.",
        "12 3", "12 5", "24 5",
    ),
    Claim(
        "Starting",
        "starting",
        "Commands, compared with the start of an empty interpreter.",
        "20", "20", "40",
    ),
    Claim(
        "A simulated season",
        "simulating",
        "Bots that play the longest rulebook.",
        "40", "40", "40",
    ),
    Claim(
        "Forecasts",
        "forecasting",
        "Futures of one week of a real season: in one process, on a pool of two, and on a Dask"
        " cluster of two workers, by turns; and the memory of all processes as futures grow.",
        "160 2", "1000 3", "4000 3",
    ),
    Claim(
        "The largest week",
        "largest_week",
        "The largest week of a season of the rulebook with the most rules, computed again.",
        "20 12", "20 30", "20 30",
    ),
    Claim("Finding an event", "finding", "`bisect`, compared with a look after every event.",
          "20", "100", "400"),
    Claim("What-if and settling", "what_if", "Changing a die of week 2 of a long game.",
          "10 5", "20 10", "52 20"),
    Claim(
        "Size",
        "size",
        "What each command takes as players, squares, proposals or events grow: processor time of"
        " all its processes, and the largest of them.",
        "0.05", "0.25", "1",
    ),
    Claim("Journals", "journals", "Exporting payments, by format.", "10000", "100000", "1000000"),
    Claim(
        "Serving",
        "serving",
        "How late answers are, with open event streams and a change every four seconds, compared"
        " with a bare page of the same framework.",
        "10 20 10", "20 200 50", "60 200 50",
    ),
)  # fmt: skip


def section(claim: Claim, size: str) -> str:
    """Run the benchmark of *claim* and return its section of the page."""
    arguments = str(getattr(claim, size)).split()
    script = f"benchmarks/{claim.script}.py"
    command = " ".join(["python", script, *arguments])
    print(command, file=sys.stderr, flush=True)
    date, start = datetime.now(UTC), time.perf_counter()
    process = subprocess.run(
        [sys.executable, script, *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"{command} failed:\n{process.stderr}")
    return (
        f"## {claim.title}\n\n{claim.about}\n\n"
        f"`{command}`: {seconds:.0f} s on {date:%Y-%m-%d}, {machine()}\n\n"
        f"```text\n{process.stdout.rstrip()}\n```\n"
    )


def machine() -> str:
    """Describe this machine, and how busy it is with other work."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        match = re.search(r"model name\s*: (.*)", file.read())
    name = match[1] if match else platform.processor() or platform.machine()
    load = os.getloadavg()[1]
    other_work = "otherwise idle" if load < 1.5 else f"busy with other work (load {load:.1f})"
    return f"{os.cpu_count()} cores of {name}, Python {platform.python_version()}, {other_work}"


def sections(page: str) -> dict[str, str]:
    """Return the sections of *page* by title."""
    parts = re.split(r"(?m)^## ", page)[1:]
    return {part.split("\n", 1)[0]: f"## {part.rstrip()}\n" for part in parts}


def main(words: list[str]) -> None:
    """Run the benchmarks that *words* name, and write the page after each."""
    size = next((word for word in words if word in SIZES), "small")
    names = [word for word in words if word not in SIZES]
    if unknown := set(names) - {claim.script for claim in CLAIMS}:
        raise SystemExit(f"no benchmark called {', '.join(sorted(unknown))}")
    written = sections(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    for claim in CLAIMS:
        if not names or claim.script in names:
            written[claim.title] = section(claim, size)
        ordered = [written[claim.title] for claim in CLAIMS if claim.title in written]
        PAGE.write_text("\n".join([HEAD, *ordered]), encoding="utf-8")


if __name__ == "__main__":
    if shutil.which("ledger") is None:
        print("ledger and hledger come with Debian, beancount with pip", file=sys.stderr)
    main(sys.argv[1:])
