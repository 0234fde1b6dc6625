"""Ctrl-C stops `nomoledger serve` quietly, also while pages are open that follow the game."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from nomoledger.cli import program


@pytest.mark.slow
def test_a_stop_ends_the_streams_of_open_pages_and_says_nothing_of_them(tmp_path: Path) -> None:
    ledger = str(tmp_path / "game.db")
    made = CliRunner().invoke(program, ["init", ledger, "--rulebook", "mail-opening"])
    assert made.exit_code == 0, made.stderr
    words = [str(Path(sys.executable).with_name("nomoledger")), "serve", ledger, "--port", "0"]
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout is not None
        link = next(line for line in server.stdout if "/enter/" in line).split()[-1]
        address = link.partition("/enter/")[0]
        with urlopen(f"{address}/games/mail-opening/news", timeout=30) as stream:
            assert stream.readline()  # The stream is open.
            server.send_signal(signal.SIGINT)
            stream.read()  # It ends.
        _, complaints = server.communicate(timeout=30)
    assert complaints.splitlines() == ["nomoledger: interrupted; what was recorded stays recorded"]
