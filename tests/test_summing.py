"""Sums of raw records: equal to the roll-up, for any period as known in any other."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.errors import CorruptError, UnknownError, UsageError
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.raw_sums import sum_postings, summed_balances, summed_balances_by_period
from nomoledger.ledger.rollup_queries import posted_balances, posted_balances_by_period

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PERIODS = 6


def paid(period: int, amount: int, effective: int | None = None, **fields: Any) -> e.Posted:
    postings = e.Posting("Ann", "$", -amount), e.Posting("Bob", "$", amount)
    when: dict[str, Any] = {"period": period, "received_at": NOON, "recorded_at": NOON}
    return e.Posted(postings=postings, effective=effective, **when, **fields)


def played() -> Iterator[e.Event]:
    """Payments of six periods; every third payment corrects an earlier period."""
    for period in range(1, PERIODS + 1):
        for amount in range(1, 8):
            late = period - 2 if amount % 3 == 0 and period > 2 else None
            yield paid(period, amount * period, late, why="rent", rules=("1@1",))
        done: dict[str, Any] = {"period": period, "received_at": NOON, "recorded_at": NOON}
        yield e.AttemptDone(attempt=f"t{period}", cause=0, **done)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "ledger.db", create=True) as ledger:
        ledger.add_game("g")
        ledger.append("g", list(played()), expected=-1)
        yield ledger


def test_sums_agree_with_the_roll_up(ledger: Ledger) -> None:
    for known in (None, *range(1, PERIODS + 1)):
        by_pass = [(n, deepcopy(held)) for n, held in summed_balances_by_period(ledger, "g", known)]
        by_cells = [
            (n, deepcopy(held)) for n, held in posted_balances_by_period(ledger, "g", known)
        ]
        assert by_pass == by_cells
        for period in range(1, (known or PERIODS) + 1):
            assert summed_balances(ledger, "g", period, known) == posted_balances(
                ledger, "g", period, known
            )


def test_later_corrections_are_separate_cells(ledger: Ledger) -> None:
    found = sum_postings(ledger, "g")
    assert found[1, 1]["Bob"]["$"] == sum(range(1, 8))
    assert found[1, 3]["Bob"]["$"] == 3 * (3 + 6)
    assert summed_balances(ledger, "g", 1, known=2) != summed_balances(ledger, "g", 1)


def test_a_period_is_known_from_its_close_on(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="period 4 was not over at the close of period 3"):
        summed_balances(ledger, "g", 4, known=3)


def test_a_game_without_postings_has_no_balances(ledger: Ledger) -> None:
    ledger.add_game("empty")
    assert summed_balances(ledger, "empty", 3) == {}
    assert list(summed_balances_by_period(ledger, "empty")) == []
    with pytest.raises(UnknownError, match="no game 'other'"):
        sum_postings(ledger, "other")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("DELETE FROM stored_events WHERE originator_version = 5", "no record #5: verify it"),
        ("UPDATE stored_events SET state = x'c1' WHERE originator_version = 5", "#5: unreadable"),
    ],
)
def test_missing_or_unreadable_records_are_reported(
    tmp_path: Path, ledger: Ledger, change: str, complaint: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as connection, connection:
        connection.execute(change)
    with pytest.raises(CorruptError, match=complaint):
        sum_postings(ledger, "g")
