"""A sample of the campaign of mutated files: none is accepted unless it verifies, none breaks."""

from pathlib import Path

import pytest
from mutation_campaign import KEY, Originals, made, readers, try_one
from tiers import sample

from nomoledger.errors import NomoledgerError, RecordError, RulebookError, UsageError
from nomoledger.game.records import import_record
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.proof.seal import decode_seal
from nomoledger.proof.signing import read_signer
from nomoledger.rulebook.loading import parse

KINDS = ("cases", "changes", "database", "disclosure", "key", "ledger", "public", "record",
         "rulebook", "seal", "what-if")  # fmt: skip


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Originals:
    return made(tmp_path_factory.mktemp("originals"))


def test_every_kind_of_file_is_tried(originals: Originals) -> None:
    assert originals.files.keys() == readers(originals).keys() == {*KINDS}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_original_is_accepted(originals: Originals, kind: str) -> None:
    for number, data in enumerate(originals.files[kind]):
        path = originals.folder / f"original-{kind}-{number}"
        path.write_bytes(data)
        assert readers(originals)[kind](path)


@pytest.mark.slow
@pytest.mark.parametrize("part", sample(range(25), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_a_mutated_file_is_refused_or_sound(originals: Originals, kind: str, part: int) -> None:
    for seed in range(part * 8, part * 8 + 8):
        assert try_one(originals, kind, 10_000 + seed) in ("accepted", "refused", "unchanged")


def test_a_message_is_one_line_whatever_it_quotes(tmp_path: Path) -> None:
    with pytest.raises(RecordError) as refused:
        decode_seal(b'{"nomoledger":"seal/1","a\\nb\\u2028c":1}', "x")
    assert len(str(refused.value).splitlines()) == 1
    record = tmp_path / "r.jsonl"
    named = '{"rulebook": "%s"}', '{"rulebook": "mail-opening"}\n{"week": 1, "rules": "%s"}'
    for name in ("a\\u0000b", "\\ud83d\\ude00" * 200):
        for line in named:
            record.write_text(line % name)
            with pytest.raises((NomoledgerError, OSError)):
                import_record(Ledger(MemoryStore()), record)


def test_a_key_of_another_kind_and_the_wrong_length_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    file.write_bytes(KEY.replace(b"VwBC", b"VvBC"))  # X448, which has longer keys
    with pytest.raises(UsageError, match="not an Ed25519 private key"):
        read_signer(file)


@pytest.mark.parametrize("data", ["parameters\t: {loss: 500}\nlabels: 3", "uses: 3\nx\t: 1"])
def test_a_fault_is_placed_in_data_that_one_parser_of_yaml_takes(data: str) -> None:
    with pytest.raises(RulebookError, match=r"^f\.md:\d+: rule 1: ") as refused:
        parse(f"### 1 Rule\n```yaml\n{data}\n```\n", "f.md")
    assert "\n" not in str(refused.value)
