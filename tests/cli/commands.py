"""Runs commands in this process, and checks how they end."""

import json
import sys
from typing import Any

from click.testing import CliRunner, Result

from nomoledger.cli import program

NOON = "2026-01-05T12:00:00"
COMMAND = [sys.executable, "-c", "from nomoledger.cli import main; main()"]


def run(*words: str) -> Result:
    return CliRunner().invoke(program, list(words))


def ok(*words: str) -> str:
    result = run(*words)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def data(*words: str) -> Any:
    return json.loads(ok(*words, "--json"))


def refusal(*words: str) -> str:
    result = run(*words)
    assert (result.exit_code, result.stderr) == (1, ""), result.output
    return result.stdout


def wrong(*words: str) -> str:
    """Run a command that fails as a usage error; return its line on standard error."""
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.startswith("nomoledger: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    assert "unexpected" not in result.stderr
    return result.stderr
