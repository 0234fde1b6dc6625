"""The commands of docs/proof.md, and the checking program of docs/ledger-file.md."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger.cli import program

from .plots import numbers, played

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_the_commands_of_the_page_work_as_shown(play_page: Callable[[Path], list[str]]) -> None:
    commands = {command.split()[1] for command in play_page(DOCS / "proof.md")}
    assert commands >= {"seal", "verify", "export", "open"}


def test_a_public_export_is_checked_without_nomoledger(tmp_path: Path) -> None:
    """The program on the page needs only hashlib (and cryptography for the signature)."""
    fences = re.findall(
        r"^```python\n(.*?)^```", (DOCS / "ledger-file.md").read_text(), re.M | re.S
    )
    (code,) = [each for each in fences if "nomoledger-public/1" in each]
    game, public, seal = (tmp_path / name for name in ("game.db", "public.jsonl", "2.seal"))
    number = numbers(played(game), secret=True)[0]
    for words in (
        ["export", game, public, "--public"],
        ["open", game, number, "-o", tmp_path / "opening.json"],
        ["seal", game, "--period", "1", "-o", seal],
    ):
        assert CliRunner().invoke(program, [*map(str, words)]).exit_code == 0
    arguments = [public, tmp_path / "opening.json"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    told = CliRunner().invoke(program, ["verify", str(public)]).output
    head = re.search(r"public head (\S+);", told)
    assert head is not None
    assert done.stdout.splitlines() == [head[1], "3 seals", "disclosed from the envelope of Bob"]
