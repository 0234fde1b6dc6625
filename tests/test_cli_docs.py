"""docs/cli.md: its examples are run one after the other, and print what it says they print."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger.cli import program

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
FENCE = re.compile(r"```(?P<kind>\w+) ?(?P<file>\S*)\n(?P<body>.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ (?P<words>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)


def run(words: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the command prints, and its exit code where that is not 0."""
    name, *given = shlex.split(words)
    if name == "export":
        monkeypatch.setenv(*given[0].split("=", 1))
        return ""
    if name == "unset":
        monkeypatch.delenv(given[0])
        return ""
    assert name == "nomoledger"
    result = CliRunner().invoke(program, given)
    code = f"[exit code {result.exit_code}]\n" if result.exit_code else ""
    return result.output + code


def fits(expected: str, output: str) -> bool:
    """Whether *output* is as *expected*, in which `…` stands for anything."""
    parts = (re.escape(part) for part in expected.split("…"))
    return re.fullmatch(".*?".join(parts), output, re.DOTALL) is not None


def test_every_example_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for fence in FENCE.finditer(PAGE.read_text("utf-8")):
        if fence["kind"] == "yaml":
            Path(fence["file"]).write_text(fence["body"], "utf-8")
            continue
        for command in COMMAND.finditer(fence["body"]):
            output = run(command["words"], monkeypatch)
            assert fits(command["output"].rstrip("\n"), output.rstrip("\n")), (
                f"$ {command['words']}\n{output}"
            )


def test_every_command_is_on_the_page() -> None:
    text = PAGE.read_text("utf-8")
    for name in program.commands:
        assert f"`{name}" in text or f"$ nomoledger {name} " in text, name
