"""docs/sandbox.md: its example is run, and the figures it names are those of the code."""

import doctest
from pathlib import Path

import pytest

import nomoledger
from nomoledger.engine import allowances, standing_orders
from nomoledger.language import host
from nomoledger.sandbox.limits import Limits
from nomoledger.state import shares

PAGE = Path(__file__).parents[1] / "docs" / "sandbox.md"


def test_the_example_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with nomoledger.open("game.db", create=True) as ledger:
        ledger.create_game("mail", "mail-opening").join("Ann", {"email": "ann@example.org"})
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted
    assert not result.failed


def shares_of_page() -> tuple[shares.Use, ...]:
    return shares.REQUEST_MAX, shares.PLAYER_MAX, shares.RESERVE_MAX


def test_the_page_names_the_limits_of_the_code() -> None:
    text, limits = " ".join(PAGE.read_text("utf-8").split()), Limits()
    for figure in (
        f"{limits.memory_bytes >> 20} MB of memory",
        f"{limits.cpu_seconds:.0f} s of processor time",
        f"{limits.wall_seconds:.0f} s by the clock",
        f"{host.OPERATIONS_MAX:,} operations",
        f"at most {host.DEPTH_MAX} of them",
        f"at most {host.CHANGES_MAX:,} changes",
        *(f"| {' | '.join(f'{most:,}' for most in use)} |" for use in shares_of_page()),
        f"At most {allowances.RULES_MAX:,} rules",
        f"{allowances.CODE_LETTERS_MAX:,} letters of code",
        f"at most {standing_orders.ORDERS_MAX} standing orders",
    ):
        assert figure in text
    assert "(docs/sandbox.md)" in (PAGE.parents[1] / "README.md").read_text("utf-8")
