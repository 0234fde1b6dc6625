"""The stores that the contract is tested on."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.ledger.stores.open_store import open_store
from nomoledger.ledger.stores.scratch import ScratchStore
from nomoledger.ledger.stores.store import Store


@pytest.fixture(params=["memory", "postgres", "scratch", "sqlite"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store can be made, on each kind in turn; two of them are no databases."""
    if request.param in ("memory", "scratch"):
        return str(request.param)
    if request.param == "sqlite":
        return str(tmp_path / "games.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def connect(location: str) -> Callable[[], Store]:
    """Opens the store of this test, as often as it is called."""
    kept: dict[str, Store] = {"memory": MemoryStore(), "scratch": ScratchStore(None, "scratch")}
    return lambda: kept.get(location) or open_store(location, create=True)


@pytest.fixture
def store(connect: Callable[[], Store]) -> Iterator[Store]:
    """An open store of this test."""
    opened = connect()
    yield opened
    opened.close()
