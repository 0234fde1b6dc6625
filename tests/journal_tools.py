"""What beancount, hledger and ledger make of a journal: do they take it, and what is in it?"""

import csv
import json
import re
import shutil
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from beancount import loader
from beancount.core import data

#: What is held, by account and commodity as the game calls them.
Held = dict[tuple[str, str], Decimal]
TOOLS = ("beancount", "hledger", "ledger")
#: Comes with its package, into the same folder as Python, which need not be on the PATH.
BEAN_CHECK = Path(sys.executable).with_name("bean-check")
_AMOUNT = re.compile(r"([$€£¥]?)(-?[\d.]+)(?: (.*))?")
_DECLARED = re.compile(r"^; (.*)\n(account|commodity) (.*)$", re.MULTILINE)


def is_here(tool: str) -> bool:
    return tool == "beancount" or shutil.which(tool) is not None


def complaints(tool: str, file: Path) -> str:
    """What the tool has to say against *file*; nothing where it takes it."""
    commands = {
        "beancount": (str(BEAN_CHECK), "--no-cache", str(file)),
        "hledger": ("hledger", "-f", str(file), "check", "--strict"),
        "ledger": ("ledger", "--args-only", "--pedantic", "-f", str(file), "bal"),
    }
    done = subprocess.run(commands[tool], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def held(tool: str, file: Path, period: int | None = None, before: date | None = None) -> Held:
    """What is held after *period*, or *before* a day; nothing is left out but what is zero."""
    read = {"beancount": _beancount, "hledger": _hledger, "ledger": _ledger}[tool]
    return {key: number for key, number in read(file, period, before).items() if number}


def _beancount(file: Path, period: int | None, before: date | None) -> Held:
    entries, errors, _ = loader.load_file(str(file))
    assert errors == []
    called = {each.account: each.meta["name"] for each in entries if isinstance(each, data.Open)}
    called |= {x.currency: x.meta["name"] for x in entries if isinstance(x, data.Commodity)}
    found: Held = {}
    for each in data.filter_txns(entries):
        if _is_in(each, period, before):
            for posting in each.postings:
                units: Any = posting.units
                key = called[posting.account], called[units.currency]
                found[key] = found.get(key, Decimal()) + units.number
    return found


def _is_in(entry: Any, period: int | None, before: date | None) -> bool:
    if period is not None:
        return bool(entry.meta["period"] <= period)
    return before is None or entry.date < before


def _hledger(file: Path, period: int | None, before: date | None) -> Held:
    words = [] if period is None else [f"tag:period=^({'|'.join(map(str, range(period + 1)))})$"]
    words += [] if before is None else ["-e", str(before)]
    text = _printed("hledger", file, "bal", "--flat", "-N", "-O", "csv", "--layout=bare", *words)
    called = _called(file)
    rows = list(csv.reader(text.splitlines()))[1:]
    return {(called[path], _known(called, name)): Decimal(n) for path, name, n in rows}


def _ledger(file: Path, period: int | None, before: date | None) -> Held:
    words = [] if period is None else ["-l", f"to_int(tag('period')) <= {period}"]
    words += [] if before is None else ["-e", str(before)]
    form = "%(account)\\t%(display_total)\\n"
    text = _printed("ledger", file, "bal", "--flat", "--no-total", "--format", form, *words)
    called, account = _called(file), ""
    found: Held = {}
    for line in text.splitlines():
        before_tab, tab, rest = line.partition("\t")
        account = before_tab if tab else account
        amount = _AMOUNT.fullmatch(rest if tab else line)
        assert amount is not None, line
        name = amount[1] or (amount[3] or "").strip('"')
        if name:
            found[called[account], _known(called, name)] = Decimal(amount[2])
    return found


def _printed(tool: str, file: Path, *words: str) -> str:
    alone = ("--args-only",) if tool == "ledger" else ()
    done = subprocess.run(
        [tool, *alone, "-f", str(file), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def _called(file: Path) -> dict[str, str]:
    """What the journal says that its names stand for."""
    return {each[3]: json.loads(each[1]) for each in _DECLARED.finditer(file.read_text("utf-8"))}


def _known(called: dict[str, str], name: str) -> str:
    return called[name if name in called else f'"{name}"']
