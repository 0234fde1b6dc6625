"""`nomoledger serve --demo` serves a real season, and leaves nothing behind."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from nomoledger.cli import program


def test_a_demo_has_a_ledger_of_its_own() -> None:
    result = CliRunner().invoke(program, ["serve", "game.db", "--demo"])
    assert result.exit_code == 2
    assert "leave game.db out" in result.stderr


def test_without_a_ledger_the_command_says_what_to_name() -> None:
    result = CliRunner().invoke(program, ["serve"])
    assert result.exit_code == 2
    assert "name the ledger to serve, or use --demo" in result.stderr


def test_a_port_in_use_is_noticed_before_anything_else_is_said_or_done() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(program, ["serve", "--demo", "--port", port])
    assert result.exit_code == 2
    assert f"cannot listen at 127.0.0.1, port {port}" in result.stderr
    assert result.stdout == ""


def test_a_ledger_that_is_not_there_is_all_that_is_said(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none.db")
    result = CliRunner().invoke(program, ["serve", nowhere, "--port", "0"])
    assert result.exit_code != 0
    assert "none.db" in result.stderr
    assert result.stdout == ""


@pytest.mark.slow
def test_the_demo_signs_the_admin_and_players_in_and_leaves_nothing(tmp_path: Path) -> None:
    words = [str(Path(sys.executable).with_name("nomoledger")), "serve", "--demo", "--port", "0"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        links: list[str] = []
        while len(links) < 4 and (line := server.stdout.readline()):
            links += [line] if "/enter/" in line else []
        for line, reader in zip(
            links, ("the admin", "ChocolateChip", "Cypher", "Draven"), strict=True
        ):
            assert f"sign in as {reader} with " in line
            page = urlopen(line.split()[-1]).read().decode()
            assert reader in page or "admin" in page
        server.send_signal(signal.SIGINT)
    assert list(tmp_path.iterdir()) == []
