"""A sample of the campaign of mutated files: none is accepted unless it verifies, none breaks."""

import pytest
from mutation_campaign import Originals, made, readers, try_one
from tiers import sample

KINDS = ("cases", "changes", "database", "disclosure", "key", "ledger", "public", "record",
         "rulebook", "seal", "what-if")  # fmt: skip


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Originals:
    return made(tmp_path_factory.mktemp("originals"))


def test_every_kind_of_file_is_tried(originals: Originals) -> None:
    assert originals.files.keys() == readers(originals).keys() == {*KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_original_is_accepted(originals: Originals, kind: str) -> None:
    for number, data in enumerate(originals.files[kind]):
        path = originals.folder / f"original-{kind}-{number}"
        path.write_bytes(data)
        assert readers(originals)[kind](path)


@pytest.mark.parametrize("part", sample(range(25), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_a_mutated_file_is_refused_or_sound(originals: Originals, kind: str, part: int) -> None:
    for seed in range(part * 8, part * 8 + 8):
        assert try_one(originals, kind, 10_000 + seed) in ("accepted", "refused", "unchanged")
