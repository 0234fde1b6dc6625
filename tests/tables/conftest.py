"""Fixtures for tests of SQL tables."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from nomoledger.game.exchange import copy_ledger
from nomoledger.ledger.ledger import Ledger

Copied = Callable[[Ledger, str], Ledger]


@pytest.fixture
def copied() -> Iterator[Copied]:
    """Return a function that copies a ledger to a location and opens the copy."""
    with ExitStack() as stack:

        def copy(source: Ledger, location: str) -> Ledger:
            target = stack.enter_context(Ledger.open(location, create=True))
            copy_ledger(source, target, source.games())
            return target

        yield copy
