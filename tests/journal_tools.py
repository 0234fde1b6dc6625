"""Runs beancount, hledger and ledger on a journal: their complaints and their balances."""

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
    """Return the complaints of *tool* about *file*, or an empty text."""
    commands = {
        "beancount": (str(BEAN_CHECK), "--no-cache", str(file)),
        "hledger": ("hledger", "-f", str(file), "check", "--strict"),
        "ledger": ("ledger", "--args-only", "--pedantic", "-f", str(file), "bal"),
    }
    done = subprocess.run(commands[tool], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def held(tool: str, file: Path, period: int | None = None, before: date | None = None) -> Held:
    """Return all balances other than zero, after *period* or *before* a day."""
    read = {"beancount": _beancount, "hledger": _hledger, "ledger": _ledger}[tool]
    return {key: number for key, number in read(file, period, before).items() if number}


def _beancount(file: Path, period: int | None, before: date | None) -> Held:
    entries, errors, _ = loader.load_file(str(file))
    assert errors == []
    called = {
        entry.account: entry.meta["name"] for entry in entries if isinstance(entry, data.Open)
    }
    called |= {x.currency: x.meta["name"] for x in entries if isinstance(x, data.Commodity)}
    balances: Held = {}
    for transaction in data.filter_txns(entries):
        if _is_in(transaction, period, before):
            for posting in transaction.postings:
                units: Any = posting.units
                key = called[posting.account], called[units.currency]
                balances[key] = balances.get(key, Decimal()) + units.number
    return balances


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
    balances: Held = {}
    for line in text.splitlines():
        before_tab, tab, after_tab = line.partition("\t")
        account = before_tab if tab else account
        amount = _AMOUNT.fullmatch(after_tab if tab else line)
        assert amount is not None, line
        name = amount[1] or (amount[3] or "").strip('"')
        if name:
            balances[called[account], _known(called, name)] = Decimal(amount[2])
    return balances


def _printed(tool: str, file: Path, *words: str) -> str:
    alone = ("--args-only",) if tool == "ledger" else ()
    done = subprocess.run(
        [tool, *alone, "-f", str(file), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def _called(file: Path) -> dict[str, str]:
    """Return the original names that the journal declares."""
    declarations = _DECLARED.finditer(file.read_text("utf-8"))
    return {match[3]: json.loads(match[1]) for match in declarations}


def _known(called: dict[str, str], name: str) -> str:
    return called[name if name in called else f'"{name}"']
