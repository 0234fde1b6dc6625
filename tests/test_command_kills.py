"""A killed or hindered command leaves the old state or the new one, and can be repeated."""

import random
from collections.abc import Iterator
from itertools import product

import pytest
from command_kills import COMMANDS, ON_POSTGRES, Hindrance, ReadOnly, Trials
from postgres_server import PostgresServer
from tiers import sample_rows


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    made = Trials(tmp_path_factory.mktemp("trials"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def trials_on_postgres(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Iterator[Trials]:
    made = Trials(tmp_path_factory.mktemp("trials"), postgres_server)
    yield made
    made.close()


ROWS = [(name, seed) for seed in range(8) for name in COMMANDS]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), sample_rows(ROWS, 3))
def test_a_killed_command_leaves_the_old_or_the_new_and_can_be_repeated(
    trials: Trials, name: str, seed: int
) -> None:
    assert trials.kill(name, random.Random(seed)) in ("old", "begun", "new")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ON_POSTGRES)
def test_so_it_does_on_postgres(trials_on_postgres: Trials, name: str, seed: int) -> None:
    left = trials_on_postgres.kill(name, random.Random(seed), on_postgres=True)
    assert left in ("old", "new")


PROTECTED = [("ledger",), ("folder",), ("ledger", "folder")]
LIMITS = [1_000, 20_000, 100_000, 400_000]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "which"), sample_rows(product(COMMANDS, PROTECTED), 3))
def test_what_is_read_only_is_named_in_one_line_and_nothing_is_lost(
    trials: Trials, name: str, which: tuple[str, ...]
) -> None:
    said = trials.hinder(name, ReadOnly(*which))
    assert not said or "check" in said


@pytest.mark.parametrize(("name", "most"), sample_rows(product(COMMANDS, LIMITS), 3))
def test_a_file_that_cannot_grow_is_named_in_one_line_and_nothing_is_lost(
    trials: Trials, name: str, most: int
) -> None:
    said = trials.hinder(name, Hindrance(bytes_max=most))
    assert not said or "games.db: " in said or "/file: " in said
