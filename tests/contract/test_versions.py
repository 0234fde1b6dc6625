"""Schema versions on every database: refused, upgraded, or left unchanged."""

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime

import psycopg
import pytest
from tiers import sample

from contract.databases import on_databases
from nomoledger.errors import StoreError, UnknownError
from nomoledger.events import ClockAdvanced
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores import postgres_schema, sqlite_file
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.ledger.stores.open_store import open_store, upgrade_store
from nomoledger.ledger.stores.schema_versions import Upgrade

pytestmark = on_databases  # memory has no tables

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TABLES = 150
#: Upgrades a ledger in a process of its own, to a version that brings many tables.
UPGRADER = f"""
import sys
from nomoledger.ledger.stores import postgres_schema, sqlite_file
from nomoledger.ledger.stores.open_store import upgrade_store
location, prefix = sys.argv[1:]
for module in (sqlite_file, postgres_schema):
    module.SCHEMA_VERSION = 4
    module.MIGRATIONS[4] = tuple(
        f"CREATE TABLE {{prefix}}extra{{n}} (x integer)" for n in range({TABLES})
    )
print("ready", flush=True)
print(upgrade_store(location), flush=True)
"""


@pytest.fixture(autouse=True)
def ledger(location: str) -> None:
    """A ledger of the current version with one game."""
    event = ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id="1")
    with Ledger.open(location, create=True) as ledger:
        ledger.add_game("chess", b"secret of 16 bytes")
        ledger.append("chess", [event], expected=-1)


def run(location: str, statement: str) -> list[tuple[int]]:
    """Run *statement*, bypassing the store, and return its rows."""
    if is_postgres(location):
        with psycopg.connect(location, autocommit=True) as there:
            cursor = there.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []
    with closing(sqlite3.connect(location)) as connection:
        rows = connection.execute(statement).fetchall()
        connection.commit()
        return rows


def set_version(location: str, version: int) -> None:
    if is_postgres(location):
        run(location, f"UPDATE nomoledger.schema_version SET version = {version}")
    else:
        run(location, f"PRAGMA user_version={version}")


def extra_tables(location: str) -> int:
    if is_postgres(location):
        where = "pg_tables WHERE schemaname = 'nomoledger' AND tablename LIKE 'extra%'"
    else:
        where = "sqlite_master WHERE name LIKE 'extra%'"
    return run(location, f"SELECT count(*) FROM {where}")[0][0]


def prefix(location: str) -> str:
    return "nomoledger." if is_postgres(location) else ""


def next_version(monkeypatch: pytest.MonkeyPatch, location: str, *statements: str) -> None:
    """Add a newer version to this program, with *statements* as its migration."""
    for module in (sqlite_file, postgres_schema):
        monkeypatch.setattr(module, "SCHEMA_VERSION", 4)
        monkeypatch.setitem(module.MIGRATIONS, 4, statements)


@pytest.mark.parametrize("create", [True, False])
def test_a_newer_version_is_refused(location: str, create: bool) -> None:
    set_version(location, 4)
    said = r"written by a newer nomoledger \(schema 4, this one knows 3\): upgrade nomoledger$"
    with pytest.raises(StoreError, match=said):
        open_store(location, create=create)
    with pytest.raises(StoreError, match=said):
        upgrade_store(location)


def test_upgrading_a_current_ledger_changes_nothing(location: str) -> None:
    assert upgrade_store(location) == Upgrade(3, 3)


def test_upgrading_a_missing_ledger_is_refused(location: str) -> None:
    nowhere = location.replace("/tests?", "/postgres?").replace("games.db", "none.db")
    with pytest.raises(UnknownError, match="no ledger at"):
        upgrade_store(nowhere)


def test_an_older_version_is_upgraded(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.open(location) as ledger:
        head = ledger.head("chess")
    next_version(monkeypatch, location, f"CREATE TABLE {prefix(location)}extra (x integer)")
    for create in (True, False):
        with pytest.raises(StoreError, match=r"older nomoledger .*: run nomoledger upgrade on it"):
            open_store(location, create=create)
    for _ in range(2):  # The first dry run has changed nothing.
        assert upgrade_store(location, dry_run=True) == Upgrade(3, 4)
        assert extra_tables(location) == 0
    assert upgrade_store(location) == Upgrade(3, 4)
    assert upgrade_store(location, dry_run=True) == upgrade_store(location) == Upgrade(4, 4)
    assert extra_tables(location) == 1
    with Ledger.open(location) as ledger:
        assert ledger.verify("chess", head).ok


def test_a_failing_upgrade_changes_nothing(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    creating = f"CREATE TABLE {prefix(location)}extra (x integer)"
    next_version(monkeypatch, location, creating, "SELECT frobnicate()")
    for dry_run in (True, False):
        with pytest.raises(StoreError, match="frobnicate"):
            upgrade_store(location, dry_run=dry_run)
    monkeypatch.undo()
    assert extra_tables(location) == 0
    assert upgrade_store(location) == Upgrade(3, 3)


@pytest.mark.parametrize("moment", sample([0.005, 0.0, 0.02], 1))
@pytest.mark.slow_with("postgres")
def test_a_killed_upgrade_is_all_or_nothing(location: str, moment: float) -> None:
    command = [sys.executable, "-c", UPGRADER, location, prefix(location)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert again.stdout.splitlines()[1] in (
        "Upgrade(before=3, after=4)",
        "Upgrade(before=4, after=4)",
    )
    assert extra_tables(location) == TABLES
    set_version(location, 3)
    with Ledger.open(location) as ledger:
        assert ledger.verify("chess").records == 1
