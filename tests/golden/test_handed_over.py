"""A game that version 0.7 handed over still verifies, and games of every level can be handed over.

`handed-over/` holds the level 3 ledger `plots` after a handover and a close, as `nomoledger export`
wrote it, its public export, and the new key. These files are never written again.
"""

import json
import lzma
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from nomoledger.cli import program

HERE = Path(__file__).parent
HANDED_OVER = HERE / "handed-over"


def run(*words: object) -> str:
    result = CliRunner().invoke(program, [*map(str, words)])
    assert result.exit_code == 0, result.output
    return result.output


def unpacked(name: str, folder: Path) -> Path:
    file = folder / name
    file.write_bytes(lzma.decompress((HANDED_OVER / f"{name}.xz").read_bytes()))
    return file


def keys_of(location: Path) -> list[dict[str, Any]]:
    report = json.loads(run("verify", location, "--json"))
    assert report["ok"]
    keys: list[dict[str, Any]] = report["keys"]["plots"]
    return keys


def test_a_recorded_handover_verifies_and_exports_the_same_bytes(tmp_path: Path) -> None:
    ledger = unpacked("ledger.jsonl", tmp_path)
    run("import", tmp_path / "game.db", ledger)
    (passed,) = keys_of(tmp_path / "game.db")
    assert (passed["period"], passed["is_confirmed"]) == (4, True)
    run("export", tmp_path / "game.db", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == ledger.read_bytes()


def test_the_public_export_of_a_recorded_handover_stays_the_same(tmp_path: Path) -> None:
    run("import", tmp_path / "game.db", unpacked("ledger.jsonl", tmp_path))
    public = unpacked("public.jsonl", tmp_path)
    assert "confirmed by the old key" in run("verify", public)
    key = shutil.copy(HANDED_OVER / "new.key", tmp_path)
    run("export", tmp_path / "game.db", tmp_path / "again.jsonl", "--public", "--key", key)
    assert (tmp_path / "again.jsonl").read_bytes() == public.read_bytes()


@pytest.mark.parametrize("level", range(4))
def test_a_game_of_an_earlier_level_can_be_handed_over(level: int, tmp_path: Path) -> None:
    game, key, request = (tmp_path / name for name in ("game.db", "bob.key", "bob.request"))
    golden = HERE / f"level-{level}" / "plots.sqlite.xz"
    game.write_bytes(lzma.decompress(golden.read_bytes()))
    run("upgrade", game)
    run("handover", "key", key)
    run("handover", "request", "plots", "--key", key, "-o", request)
    at = json.loads(run("status", game, "--json"))["now"][:19].replace(" ", "T")
    run("handover", "give", game, request, "--at", at)
    run("close", game, "--at", at)
    run("export", game, tmp_path / "public.jsonl", "--public", "--key", key)
    assert "confirmed by the old key" in run("verify", tmp_path / "public.jsonl")
    assert [passed["period"] for passed in keys_of(game)] == [4]
