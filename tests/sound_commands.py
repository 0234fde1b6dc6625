"""Runs commands that may fail, but never with a bug."""

from click.testing import CliRunner, Result

from nomoledger.cli import program


def run(*words: str) -> Result:
    """Run a command that may fail, but not with a bug."""
    result = CliRunner().invoke(program, words)
    assert "this is a bug" not in result.output, (words, result.output)
    assert "Traceback" not in result.output, (words, result.output)
    return result


def ok(*words: str) -> str:
    """Run a command that has to succeed, and return all that it prints."""
    result = run(*words)
    assert result.exit_code == 0, (words, result.output)
    return result.output
