"""Ledgers of older schema versions, as they were made at the time: refused, then upgraded."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from contract.databases import on_databases
from nomoledger.cli import program
from nomoledger.errors import StoreError
from nomoledger.events import ClockAdvanced
from nomoledger.ledger.as_of import as_known, world_of
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup_queries import posted_balances
from nomoledger.ledger.stores.location import is_postgres

pytestmark = on_databases  # memory has no tables

HERE = Path(__file__).parent
HEAD = "149:671923fd5b0d20d581445fb552c67387dd45bff1b7d6b44591fb81c3a9b758cf"
BALANCES = {
    "mint": {"$": -43, "paint": -600},
    "Ann": {"$": 0},
    "Bob": {"$": 43, "paint": 600},
}


@pytest.fixture(autouse=True, params=[1, 2])
def version(request: pytest.FixtureRequest, location: str) -> int:
    """A small game of three periods with rulings that reach back, in the tables of a version."""
    newest: int = request.param
    kind = "postgres" if is_postgres(location) else "sqlite"
    for version in range(1, newest + 1):
        dump = (HERE / f"version-{version}-{kind}.sql").read_text("utf-8")
        if kind == "sqlite":
            with closing(sqlite3.connect(location)) as connection:
                connection.executescript(dump)
        else:
            with psycopg.connect(location, autocommit=True) as there:
                there.execute(dump.encode())
    return newest


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(program, words)
    return result.exit_code, result.output


def test_an_old_version_is_refused_with_advice_to_upgrade(location: str, version: int) -> None:
    for create in (True, False):
        with pytest.raises(StoreError) as refused:
            Ledger.open(location, create=create)
        assert str(refused.value).endswith(
            f"was written by an older nomoledger (schema {version}, this one needs 3):"
            " run nomoledger upgrade on it"
        )
    code, said = run("balances", location, "--game", "little")
    assert (code, said.count("\n")) == (2, 1)


def test_an_upgrade_builds_the_roll_up(location: str, version: int) -> None:
    code, said = run("upgrade", location)
    assert (code, said.endswith(f"is upgraded from schema {version} to 3\n")) == (0, True)
    assert run("verify", location)[0] == 0
    with Ledger.open(location) as ledger:
        assert ledger.games() == ["empty", "little"]
        assert str(ledger.head("little")) == HEAD
        assert posted_balances(ledger, "little") == BALANCES
        assert world_of(ledger, "little").balances == BALANCES
        for known in (1, 2, 3, None):
            for period in range(1, (known or 3) + 1):
                world = as_known(ledger, "little", period, known).known
                found = posted_balances(ledger, "little", period, known)
                assert held(found) == held(world.balances), (period, known)


def held(balances: dict[str, dict[str, int]]) -> dict[tuple[str, str], int]:
    return {(who, what): n for who, table in balances.items() for what, n in table.items() if n}


def test_play_goes_on_after_an_upgrade(location: str) -> None:
    run("upgrade", location)
    with Ledger.open(location) as ledger:
        at = world_of(ledger, "little").game["recorded_at"]
        events = [
            ClockAdvanced(period=4, received_at=at, recorded_at=at, id=f"later {number}")
            for number in range(100)
        ]
        ledger.append("little", events, expected=149)
        assert ledger.verify("little").records == 250
        assert ledger.head_at("little", 149) == Head.parse(HEAD)
    assert run("rebuild", location, "--game", "little") == (
        0,
        "little: cells of the roll-up: 17, snapshots: 3, from 250 events\n",
    )
    assert run("verify", location)[0] == 0
