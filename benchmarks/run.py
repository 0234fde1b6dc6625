"""Runs the benchmarks and writes docs/figures.md: `python benchmarks/run.py [SIZE] [NAME ...]`.

SIZE is small (the default: some minutes in all), middle or large (a million events, which takes
hours where all tools are installed). With NAMEs only those are run, and the rest of the page stays.
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

What the benchmarks in `benchmarks/` said when they were last run. Each measures us and the
alternative in one run, by turns, so the ratios mean more than the times: they stay much the same
from one machine to another. `python benchmarks/run.py` runs them all and writes this page;
each can be run by itself, and takes its sizes as arguments.

The *floor* is the bare driver and msgspec on the same rows, with the same durability.
"""


class Claim(NamedTuple):
    """One benchmark: what it shows, its script, and its arguments by size."""

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
        "Against the floor, and against the eventsourcing library as it comes.",
        "7000", "35000", "140000",
    ),
    Claim(
        "Chain and roll-up",
        "rollup",
        "What they add to appending, and how long a question of the past takes as a ledger grows.",
        "20000", "100000", "1000000",
    ),
    Claim(
        "Reading, folding, verifying",
        "reading",
        "Adding up every account, folding the whole state, and verifying every record.",
        "10000", "100000", "1000000",
    ),
    Claim(
        "Standings and balances of the past",
        "standings",
        "All 52 weeks and one week, against hledger, ledger and beancount on the exported journal;"
        " and the same questions as the ledger grows.",
        "10000", "10000 100000", "10000 100000 1000000",
    ),
    Claim(
        "Tables that follow",
        "projections",
        "Made anew, against the library's runner with an event a transaction.",
        "10000 500", "100000 2000", "1000000 2000",
    ),
    Claim(
        "Memory",
        "memory",
        "Of a process that works on a whole ledger: it does not grow with the events.",
        "5000 50000", "10000 100000", "100000 1000000",
    ),
    Claim(
        "A turn",
        "turn",
        "By the rules, against the same turn written by hand in plain Python.",
        "1000", "2000", "5000",
    ),
    Claim("Finding the event", "finding", "By bisect, against a look after every event.",
          "20", "100", "400"),
    Claim("What-if and settling", "what_if", "A die of week 2 of a long game.",
          "10 5", "20 10", "52 20"),
    Claim("Journals", "journals", "Exporting, by format.", "10000", "100000", "1000000"),
)  # fmt: skip


def section(claim: Claim, size: str) -> str:
    """Run one benchmark, and what the page says of it."""
    arguments = str(getattr(claim, size)).split()
    script = f"benchmarks/{claim.script}.py"
    command = " ".join(["python", script, *arguments])
    print(command, file=sys.stderr, flush=True)
    begin, began = datetime.now(UTC), time.perf_counter()
    done = subprocess.run(
        [sys.executable, script, *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
    )  # fmt: skip
    took = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stderr}")
    return (
        f"## {claim.title}\n\n{claim.about}\n\n"
        f"`{command}`: {took:.0f} s on {begin:%Y-%m-%d}, {machine()}\n\n"
        f"```text\n{done.stdout.rstrip()}\n```\n"
    )


def machine() -> str:
    """What it ran on, and how busy that was with other work."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
    name = found[1] if found else platform.processor() or platform.machine()
    busy = os.getloadavg()[1]
    how = "otherwise idle" if busy < 1.5 else f"busy with other work (load {busy:.1f})"
    return f"{os.cpu_count()} cores of {name}, Python {platform.python_version()}, {how}"


def sections(page: str) -> dict[str, str]:
    """The sections of *page* by title."""
    parts = re.split(r"(?m)^## ", page)[1:]
    return {part.split("\n", 1)[0]: f"## {part.rstrip()}\n" for part in parts}


def main(words: list[str]) -> None:
    """Run what is asked for, and write the page after each."""
    size = next((word for word in words if word in SIZES), "small")
    names = [word for word in words if word not in SIZES]
    if unknown := set(names) - {claim.script for claim in CLAIMS}:
        raise SystemExit(f"no benchmark called {', '.join(sorted(unknown))}")
    there = sections(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    for claim in CLAIMS:
        if not names or claim.script in names:
            there[claim.title] = section(claim, size)
        told = [there[each.title] for each in CLAIMS if each.title in there]
        PAGE.write_text("\n".join([HEAD, *told]), encoding="utf-8")


if __name__ == "__main__":
    if shutil.which("ledger") is None:
        print("ledger and hledger come with Debian, beancount with pip", file=sys.stderr)
    main(sys.argv[1:])
