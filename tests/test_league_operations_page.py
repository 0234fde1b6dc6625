"""docs/league-operations.md: all its commands are run, on real servers of two major versions."""

import logging
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from conftest import COMMAND, FENCE, _fits, _run
from postgres_pair import free_port
from postgres_server import HOST, ServerFolder

from nomoledger.cli import program

PAGE = Path(__file__).parents[1] / "docs" / "league-operations.md"
PORTS = ("5433", "5434", "5435")
VERSIONS = ("/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/18/bin")
#: The tables as version 2 of the schema has them.
OLD_TABLES = (
    "ALTER TABLE nomoledger.chain RENAME COLUMN commitments TO commitment",
    "UPDATE nomoledger.schema_version SET version = 2",
)


class Rehearsal:
    """The commands of the page, in a folder of the user who runs the servers."""

    def __init__(self, folder: ServerFolder) -> None:
        self.folder = folder
        self.variables: dict[str, str] = {}
        ports = dict(zip(PORTS, map(str, (free_port(), free_port(), free_port())), strict=True))
        binaries = dict(zip(VERSIONS, map(str, folder.binaries), strict=True))
        self.here = {**ports, **binaries}
        self.variables["PATH"] = f"{folder.binaries[0]}:{os.environ['PATH']}"

    def port(self, of_page: str) -> str:
        return self.here[of_page]

    def run(self, command: str) -> str:
        """Run *command* of the page with the ports and programs of this machine."""
        for of_page, here in self.here.items():
            command = command.replace(of_page, here)
        if command.startswith(("nomoledger ", "export ")):
            output = self._run_here(command)
        else:
            output = self._run_as_postgres(command)
        for of_page, here in self.here.items():
            output = output.replace(here, of_page)
        return output

    def _run_here(self, command: str) -> str:
        command, _, file = command.partition(" > ")
        with pytest.MonkeyPatch.context() as patched:
            for name, value in self.variables.items():
                patched.setenv(name, value)
            patched.chdir(self.folder.path)
            if file:
                result = CliRunner().invoke(program, shlex.split(command)[1:])
                assert not result.exit_code, f"$ {command}\n{result.output}"
                (self.folder.path / file).write_text(result.stdout)
                return ""
            output = _run(command, patched)
            if command.startswith("export "):
                name = command.split()[1].partition("=")[0]
                self.variables[name] = os.environ[name]
        return output

    def _run_as_postgres(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder.path,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=100,
            **self.folder.as_whom,
        )
        assert not done.returncode, f"$ {command}\n{done.stdout}{self.logs()}"
        return str(done.stdout)

    def logs(self) -> str:
        return "".join(log.read_text() for log in self.folder.path.glob("*.log"))

    def stop(self) -> None:
        """Stop all servers that still run."""
        for data in self.folder.path.glob("*/postmaster.pid"):
            self._run_as_postgres(f"pg_ctl stop -m immediate -D {data.parent}")


@pytest.fixture
def rehearsal() -> Iterator[Rehearsal]:
    folder = ServerFolder()
    rehearsal = Rehearsal(folder)
    yield rehearsal
    rehearsal.stop()
    folder.remove()


@pytest.fixture
def printed_warnings() -> Iterator[None]:
    """Warnings go to standard error, as they do without pytest, which collects them."""
    log, handler = logging.getLogger("nomoledger"), logging.lastResort
    assert handler is not None
    log.addHandler(handler)
    yield
    log.removeHandler(handler)


@pytest.mark.slow
def test_every_command_does_what_the_page_says(
    rehearsal: Rehearsal, printed_warnings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    commands = 0
    text = PAGE.read_text("utf-8")
    for fence in FENCE.finditer(text):
        if fence["file"]:
            (rehearsal.folder.path / fence["file"]).write_text(fence["body"])
            continue
        assert fence["kind"] == "console", fence[0]
        for command in COMMAND.finditer(fence["body"]):
            if command["words"] == "nomoledger upgrade --dry-run":
                make_older(rehearsal.port("5434"))
            output = rehearsal.run(command["words"])
            expected = command["output"].rstrip("\n")
            is_ours = command["words"].startswith("nomoledger ")
            if is_ours or expected:
                assert _fits(expected, output.rstrip("\n")), f"$ {command['words']}\n{output}"
            commands += 1
    assert commands > 70


def make_older(port: str) -> None:
    """Make the tables those of an earlier version, for the upgrade."""
    with psycopg.connect(f"postgresql://postgres@{HOST}:{port}/games") as connection:
        for statement in OLD_TABLES:
            connection.execute(statement.encode())


def test_the_page_is_linked() -> None:
    folder = PAGE.parent
    for page in ("postgresql.md", "league.md"):
        assert "(league-operations.md)" in (folder / page).read_text("utf-8")
    for link in re.findall(r"\]\(([^)#]+)", PAGE.read_text("utf-8")):
        assert (folder / link).is_file(), link
