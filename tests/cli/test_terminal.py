"""The command line as a process: terminal, colours, pipes and interrupts."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from cli.commands import COMMAND, NOON, data, ok


def in_terminal(
    words: list[str],
    columns: int = 100,
    press: bytes = b"",
    after: float = 0,
    command: list[str] = COMMAND,
    no_color: str = "",
) -> tuple[int, str]:
    """Run a command on its own terminal and *press* keys; return its exit code and output."""
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns)}
    environment["NO_COLOR"] = no_color
    child = subprocess.Popen(
        [*command, *words],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment,
        preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)),  # type: ignore[func-returns-value]
    )
    os.close(follower)
    if press:
        time.sleep(after)
        os.write(leader, press)
    output = b""
    try:
        while piece := os.read(leader, 4096):
            output += piece
    except OSError:  # the child has gone, and the terminal with it
        pass
    os.close(leader)
    return child.wait(), output.decode()


def test_colour_on_a_terminal_and_none_in_a_pipe(landed: str) -> None:
    code, output = in_terminal(["standings", landed])
    assert code == 0
    assert "\x1b[1m" in output
    piped = subprocess.run([*COMMAND, "standings", landed], capture_output=True, check=True)
    assert b"\x1b" not in piped.stdout
    assert piped.stdout.splitlines()[0].split() == [b"rank", b"player", b"$", b"squares", b"owned"]


#: The command line, with a progress bar that appears at once.
AT_ONCE = [
    sys.executable,
    "-c",
    "from nomoledger.cli import main, progress\n"
    "progress.AFTER_SECONDS, progress.EVERY_SECONDS = 0, .001\n"
    "main()",
]


@pytest.mark.slow
def test_a_progress_bar_appears_and_disappears(landed: str) -> None:
    ok("export", landed, "whole.jsonl")
    expected = ok("verify", landed)
    for words, title in [
        (["verify", landed], "verifying"),
        (["export", landed, "again.jsonl"], "exporting"),
        (["import", "copy.db", "whole.jsonl"], "importing"),
        (["replay", landed], "replaying"),
    ]:
        code, output = in_terminal(words, command=AT_ONCE)
        assert code == 0, output
        assert title in output
        assert output.count("\x1b[?25l") == output.count("\x1b[?25h")  # the cursor is back
    assert Path("again.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert ok("verify", "copy.db") == expected


@pytest.mark.slow
def test_no_progress_bar_on_short_work_or_in_a_pipe(landed: str) -> None:
    _, output = in_terminal(["verify", landed])
    assert "verifying" not in output
    piped = subprocess.run([*AT_ONCE, "verify", landed], capture_output=True, check=True)
    assert piped.stderr == b""


def test_differences_are_coloured_on_a_terminal(game: str) -> None:
    _, output = in_terminal(["rules", "blame", game, "IV.1"])
    assert "\x1b[32m+starting_money = 1000" in output


def test_the_board_fits_the_terminal(landed: str) -> None:
    _, output = in_terminal(["board", landed], columns=40)
    assert "> Ann" in output
    assert max(map(len, output.splitlines())) <= 40


def test_long_lines_are_not_cut_in_a_pipe(game: str) -> None:
    text = "A" * 300
    ok("propose", game, "Ann", text, "--at", NOON)
    piped = subprocess.run([*COMMAND, "log", game], capture_output=True, check=True)
    assert text.encode() in piped.stdout


def test_characters_that_cannot_be_encoded_are_escaped(game: str) -> None:
    ok("join", game, "Zoč", "email=z@x.org", "--at", NOON)
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    piped = subprocess.run(
        [*COMMAND, "standings", game], capture_output=True, check=True, env=environment
    )
    assert b"Zo\\u010d" in piped.stdout


def test_a_closed_pipe_is_not_an_error(game: str) -> None:
    command = f"{' '.join(COMMAND[:1])} -c '{COMMAND[2]}' log {game} --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert (len(done.stdout), done.stderr) == (10, b"")


@pytest.fixture
def slow(game: str) -> list[str]:
    """A command that would run very long."""
    Path("slow.yaml").write_text(
        "- enact:\n    number: X.1\n    title: Slow\n    prose: Slow.\n"
        "    code: |\n"
        "      def action_dawdle(player: Player):\n"
        "          for x in range(100000):\n"
        "              for y in range(100000):\n"
        "                  z = x\n"
    )
    ok("propose", game, "Ann", "Slow", "--changes", "slow.yaml", "--at", NOON)
    ok("judge", game, "1", "accepted", "--at", NOON)
    ok("roll", game, "1", "2", "--at", NOON)
    return ["submit", game, "Ann", "dawdle", "--at", NOON]


@pytest.mark.slow
def test_an_interrupt_is_one_line_and_loses_nothing(game: str, slow: list[str]) -> None:
    before = data("verify", game)
    child = subprocess.Popen([*COMMAND, *slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(1.5)
    child.send_signal(signal.SIGINT)
    output, message = child.communicate(timeout=10)
    assert (child.returncode, output) == (130, b"")
    assert message == b"nomoledger: interrupted; what was recorded stays recorded\n"
    assert data("verify", game) == before


@pytest.mark.slow
def test_ctrl_c_on_a_terminal(game: str, slow: list[str]) -> None:
    before = data("verify", game)
    code, output = in_terminal(slow, press=b"\x03", after=1.5)
    assert code == 130
    assert click.unstyle(output).splitlines() == [
        "^C",
        "nomoledger: interrupted; what was recorded stays recorded",
    ]
    assert data("verify", game) == before
    assert "Cyd" in ok("join", game, "Cyd", "email=c@x.org", "--at", NOON)
