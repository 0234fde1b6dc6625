"""How fast standings are: `python benchmarks/standings.py [PAYMENTS ...] [TOOL ...]`.

A made-up year of payments between 50 players. Two questions: what everybody had at the close of
each of 52 weeks, and what they had after week 26. They are asked of us with nothing prepared (one
pass over all records), of the roll-up, and of a snapshot and what came after it; and of hledger,
ledger and beancount, from the journal that we export. First against the floor: the module sqlite3
and msgspec, which read and decode the same rows and do nothing with them.

To be fair: the tools read text each time and hold every posting, which is their trade; we read a
database. All are whole processes, start to end, without any cache of what they read; they are
compared by how long they are at work, which a busy machine changes less. What takes little is run
three times, and the fastest counts. A tool that is not installed is told so. With TOOLs (hledger,
ledger, beancount, or none) only those are asked.
"""

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
from made import GAME, PERIODS, START, Run, by_turns, fill, python, run

from nomoledger.events.codec import EVENTS
from nomoledger.game.rebuild import rebuild
from nomoledger.ledger.as_of import as_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.raw_sums import summed_balances, summed_balances_by_period
from nomoledger.ledger.rollup_queries import posted_balances, posted_balances_by_period
from nomoledger.views.journals import export_journal

WEEK = 26
SECONDS_MAX = 240.0
LITTLE = 5.0
COMMANDS = {"ledger": "ledger", "hledger": "hledger", "beancount": "bean-query"}
ROUNDS = 3
OURS = """
import sys
from nomoledger.{module} import {name}
from nomoledger.ledger.ledger import Ledger
with Ledger.open(sys.argv[1]) as ledger:
    {ask}
"""
EACH = "for period, balances in {}: print(period, balances)"


class Asked(NamedTuple):
    """Who is asked, and the commands for all weeks and for one (None: not asked that)."""

    who: str
    all_weeks: list[str] | None
    one_week: list[str] | None


def ours(place: str) -> Iterator[Asked]:
    """Our own ways."""

    def words(module: str, name: str, ask: str) -> list[str]:
        return python(OURS.format(module=module, name=name, ask=ask), place)

    for who, module, name in (
        ("nomoledger, nothing prepared", "ledger.raw_sums", "summed_balances"),
        ("nomoledger, roll-up", "ledger.rollup_queries", "posted_balances"),
    ):
        weeks = EACH.format(f"{name}_by_period(ledger, {GAME!r})")
        week = f"print({name}(ledger, {GAME!r}, {WEEK}))"
        yield Asked(who, words(module, f"{name}_by_period", weeks), words(module, name, week))
    week = f"print(as_of(ledger, {GAME!r}, {WEEK}).balances)"
    yield Asked("nomoledger, snapshot and tail", None, words("ledger.as_of", "as_of", week))


def tools(ledger: Ledger, folder: Path, wanted: list[str]) -> Iterator[Asked]:
    """Those of the tools that are installed, on the journals that we export."""
    for tool in wanted:
        command = COMMANDS[tool]
        if (where := shutil.which(command)) is None:
            print(f"  {command} is not installed: {tool} is not asked")
            continue
        journal = folder / f"year.{tool}"
        with journal.open("wb") as file:
            export_journal(ledger, file, GAME, tool)
        yield _asked(tool, where, str(journal))


def _asked(tool: str, command: str, journal: str) -> Asked:
    before = (START + timedelta(days=7 * WEEK)).date()
    if tool == "ledger":
        words = [command, "--args-only", "-f", journal]
        return Asked(tool, [*words, "reg", "--weekly"], [*words, "bal", "-e", str(before)])
    if tool == "hledger":
        words = [command, "-f", journal, "bal", "-N", "--flat", "-O", "csv"]
        return Asked(tool, [*words, "-W", "-H"], [*words, "-e", str(before)])
    words = [command, "-f", "csv", journal]
    weeks = "select date_trunc('week', date) as week, account, sum(position) group by week, account"
    week = f"select account, sum(position) where date < {before} group by account"
    return Asked(tool, [*words, weeks], [*words, week])


def to_the_floor(ledger: Ledger, place: str) -> None:
    """Print how long we take for a pass over all records, against the floor."""
    decoders = {tag: msgspec.msgpack.Decoder(kind).decode for tag, kind in EVENTS.items()}

    def floor() -> None:
        query = "SELECT topic, state FROM stored_events WHERE originator_id=?"
        with closing(sqlite3.connect(place)) as connection:
            for topic, state in connection.execute(f"{query} ORDER BY originator_version", (GAME,)):
                decoders[topic](state)

    def all_weeks() -> None:
        for _ in summed_balances_by_period(ledger, GAME):
            pass

    asked: dict[str, Callable[[], object]] = {
        "the floor": floor,
        f"standings of all {PERIODS} weeks": all_weeks,
        f"balances as of week {WEEK}": lambda: summed_balances(ledger, GAME, WEEK),
    }
    took = by_turns(asked, ROUNDS)
    for what, seconds in took.items():
        print(f"  {what:<40}{seconds:9.3f} s {seconds / took['the floor']:6.2f} x the floor")


def agree(ledger: Ledger) -> None:
    """One pass and the roll-up must say the same."""
    ways = summed_balances_by_period(ledger, GAME), posted_balances_by_period(ledger, GAME)
    weeks = [one[0] for one, other in zip(*ways, strict=True) if one == other]
    assert weeks == list(range(1, PERIODS + 1)), weeks
    assert summed_balances(ledger, GAME, WEEK) == posted_balances(ledger, GAME, WEEK)


def told(found: Run | None, fastest: dict[str, float]) -> str:
    """A time, a size, and how many times as long it is as each of ours."""
    if found is None:
        return f"more than {SECONDS_MAX:.0f} s"
    times = " ".join(f"{found.worked / each:7.1f} x" for each in fastest.values())
    return f"{found.seconds:8.2f} s {found.worked:8.2f} s at work {found.megabytes:5} MB {times}"


def as_it_grows(first: Path, ledger: Ledger) -> None:
    """Print how long questions about one week take, and by turns of the *first* ledger."""
    questions: dict[str, Callable[[Ledger], object]] = {
        f"week {WEEK} from the roll-up": lambda ledger: posted_balances(ledger, GAME, WEEK),
        f"week {WEEK} as known in {WEEK + 10}": lambda ledger: posted_balances(
            ledger, GAME, WEEK, WEEK + 10
        ),
        f"week {WEEK} from a snapshot": lambda ledger: as_of(ledger, GAME, WEEK),
        f"all {PERIODS} weeks from the roll-up": lambda ledger: list(
            posted_balances_by_period(ledger, GAME)
        ),
    }
    with Ledger.open(first) as other:
        for what, ask in questions.items():
            asked = {"first": partial(ask, other), "this": partial(ask, ledger)}
            took = by_turns(asked, 10 * ROUNDS)
            ratio = took["this"] / took["first"]
            print(f"  {what:<40}{took['this'] * 1e3:9.2f} ms{ratio:6.2f} x the first ledger")


def fastest_of(words: list[str]) -> Run | None:
    """The run that was the least at work, of three where they are short."""
    found = run(words, SECONDS_MAX)
    if found is None or found.worked > LITTLE:
        return found
    others = [each for _ in range(2) if (each := run(words, SECONDS_MAX)) is not None]
    return min([found, *others], key=lambda each: each.worked)


def measure(payments: int, folder: Path, first: Path, wanted: list[str]) -> None:
    """Print all about a year of so many *payments*; *first* is the first ledger."""
    place = str(folder / f"{payments}.db")
    with Ledger.open(place, create=True) as ledger:
        fill(ledger, payments)
        rebuild(ledger, GAME)  # snapshots, as play keeps them at every close
        print(f"{payments:,} payments, {ledger.head(GAME).number + 1:,} events")
        agree(ledger)
        to_the_floor(ledger, place)
        as_it_grows(first, ledger)
        asked = [*ours(place), *tools(ledger, folder, wanted)]
    for what, which in ((f"all {PERIODS} weeks", 1), (f"as of week {WEEK}", 2)):
        print(
            f"  {what}; behind it, how many times as long each of ours is at work, in their order"
        )
        fastest: dict[str, float] = {}
        for each in asked:
            if (words := each[which]) is not None:
                found = fastest_of(words)
                if each.who.startswith("nomoledger") and found is not None:
                    fastest[each.who] = found.worked
                print(f"    {each.who:<32}{told(found, fastest)}", flush=True)


def main(words: list[str]) -> None:
    """Print a section for each number of payments."""
    named = [word for word in words if not word.isdigit()]
    wanted = [tool for tool in COMMANDS if not named or tool in named]
    counts = [int(word) for word in words if word.isdigit()] or [10_000]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for payments in counts:
            measure(payments, folder, folder / f"{counts[0]}.db", wanted)


if __name__ == "__main__":
    main(sys.argv[1:])
