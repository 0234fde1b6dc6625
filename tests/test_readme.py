"""What the README shows is what happens: the library session, and the game by hand."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger.cli import program

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_the_library_example_runs() -> None:
    session = doctest.DocTestParser().get_doctest(README, {}, "README.md", "README.md", 0)
    assert doctest.DocTestRunner().run(session).failed == 0
    assert session.examples


def test_the_commands_of_the_readme_print_what_it_says() -> None:
    block = next(b for b in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if "init" in b)
    commands = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    assert len(commands) > 10
    for command in commands:
        result = CliRunner().invoke(program, command)
        bought_elsewhere = command[0] == "submit" and result.exit_code == 1
        assert result.exit_code == 0 or bought_elsewhere, (command, result.output)


@pytest.mark.slow
def test_the_demo_finds_what_the_first_screen_shows() -> None:
    result = CliRunner().invoke(program, ["demo"])
    assert result.exit_code == 0
    shown = re.search(r"\$ nomoledger demo\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    lines = [
        line for line in shown[1].splitlines() if line not in ("", "…") and "/tmp/" not in line
    ]
    assert len(lines) > 8
    for line in lines:
        assert line in result.output
