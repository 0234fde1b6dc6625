"""Whatever fails and when: nothing acknowledged is lost, nothing is half done, nothing twice."""

from collections import Counter
from pathlib import Path

import pytest
from tiers import sample

from faults.simulation import simulated
from faults.store import Shaky


@pytest.mark.parametrize("seed", sample(range(4), 1))
@pytest.mark.slow_with("postgres")
def test_a_game_survives_a_store_that_fails(location: str, seed: int) -> None:
    assert simulated(seed, location, moves=12).acknowledged


@pytest.mark.slow
def test_a_game_survives_each_kind_of_fault(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for seed in range(100, 108):
        seen += simulated(seed, str(tmp_path / f"{seed}.db"), moves=12).seen
    assert set(Shaky.FAULTS) <= seen.keys()
