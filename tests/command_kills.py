"""Kills commands at random moments, and looks at what they leave behind.

A process that has imported nomoledger forks for each command, so that the moments fall into the
work of the command and not into its imports.
"""

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import psycopg
from click.testing import CliRunner
from postgres_server import PostgresServer

from nomoledger.cli import program
from nomoledger.errors import NomoledgerError
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.game.simulation import Plan, simulate
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.snapshots import fold_version
from nomoledger.ledger.stores.location import is_postgres

RECORDED, PLAYED = "weekly-vote-season", "simulated"
OLDER = (
    "ALTER TABLE chain RENAME COLUMN commitments TO commitment",
    "DELETE FROM snapshots",
)  # what schema 3 changed, undone
FORKER = r"""
import importlib, json, os, pkgutil, signal, sys, time
import nomoledger
from nomoledger.cli import program
for module in pkgutil.walk_packages(nomoledger.__path__, "nomoledger."):
    if not module.name.startswith("nomoledger.sandbox.child"):
        importlib.import_module(module.name)

def run(words, log):
    sys.stdin = open(os.devnull)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    try:
        program(words, prog_name="nomoledger")
    except SystemExit as end:
        return end.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()

print("ready", flush=True)
for line in sys.stdin:
    task = json.loads(line)
    begun = time.monotonic()
    child = os.fork()
    if not child:
        code = 70
        try:
            code = run(task["words"], task["log"])
        finally:
            os._exit(code)
    if task["seconds"] is not None:
        while time.monotonic() - begun < task["seconds"]:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
            time.sleep(0.0005)
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([code, time.monotonic() - begun]), flush=True)
"""


class Forker:
    """Runs commands in processes of their own, each forked from one that is ready."""

    def __init__(self, folder: Path) -> None:
        """Start; what commands print goes to a file in *folder*."""
        self._log = folder / "output.txt"
        self._process = subprocess.Popen(
            [sys.executable, "-c", FORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._line() == "ready"

    def run(self, *words: str, seconds: float | None = None) -> tuple[int, float, str]:
        """Run a command, and kill it after some *seconds*.

        Returns:
            The exit code (-9 if it was killed), its seconds, and what it printed.
        """
        assert self._process.stdin is not None
        task = {"words": words, "seconds": seconds, "log": str(self._log)}
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        code, took = json.loads(self._line())
        return code, took, self._log.read_text("utf-8")

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


class Templates:
    """Ledgers, and exports of them, that trials begin with."""

    def __init__(self, folder: Path) -> None:
        """Make them in *folder*."""
        self.ledger, self.older, self.export = (
            folder / name for name in ("games.db", "older.db", "games.jsonl")
        )
        with Ledger.open(self.ledger, create=True) as ledger:
            import_record(ledger, find(RECORDED))
            simulate(ledger, "mail-opening", Plan(players=4, periods=2, requests=4))
            self.heads = {game: str(ledger.head(game)) for game in ledger.games()}
            self.snapshots = _snapshots(ledger)
            self.periods = world_of(ledger, PLAYED).period
        assert shell("export", str(self.ledger), str(self.export)) == 0
        shutil.copy(self.ledger, self.older)
        with closing(sqlite3.connect(self.older, isolation_level=None)) as connection:
            for statement in (*OLDER, "PRAGMA user_version=2"):
                connection.execute(statement)
        self.on_postgres: dict[str, str] = {}

    def add_postgres(self, server: PostgresServer) -> None:
        """Copy the ledgers to databases of *server*."""
        for name in ("ledger", "older"):
            url = self.on_postgres[name] = server.new_database()
            assert shell("copy", str(self.ledger), url) == 0
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in OLDER:
                where = statement.replace("TABLE ", "TABLE nomoledger.")
                connection.execute(where.replace("FROM ", "FROM nomoledger.").encode())
            connection.execute("UPDATE nomoledger.schema_version SET version = 2")


CLOSE = ("close", "--id", "killed", "--game", PLAYED, "--at", "2027-01-01T00:00:00")


def shell(*words: str) -> int:
    """Run a command in this process, and return its exit code."""
    return CliRunner().invoke(program, words).exit_code


class Place(NamedTuple):
    """Where a trial takes place: a *folder*, the *ledger*, and another ledger or *file*."""

    folder: Path
    ledger: str
    file: str


class Command(NamedTuple):
    """A command that is killed.

    Attributes:
        begins: what the ledger is at first: "" (missing), "ledger" or "older".
        words: its words, with {ledger}, {file} and {export}.
        look: returns whether it is "old" or "new" what is there; fails if it is neither.
        once: how the line begins that refuses the command if it was carried out.
    """

    begins: str
    words: str
    look: Callable[[Place, Templates], str]
    once: str = ""


class Unsound(AssertionError):
    """A kill left what it must not leave."""


def expect(is_so: bool, problem: str) -> None:
    """Raise an error with the *problem* unless it *is_so*."""
    if not is_so:
        raise Unsound(problem)


def verify(location: str) -> None:
    """Check that `verify` finds nothing wrong."""
    result = CliRunner().invoke(program, ["verify", location])
    expect(result.exit_code == 0, f"verify: {result.output} {result.stderr}")


def heads_at(location: str) -> dict[str, str]:
    """Return the head of each game at *location*; none if there is no ledger."""
    try:
        with Ledger.open(location) as ledger:
            heads = {game: str(ledger.head(game)) for game in ledger.games()}
    except NomoledgerError as error:  # no ledger yet: the file is missing, or has no tables
        expect("no ledger at" in str(error) or "is not a ledger" in str(error), str(error))
        return {}
    if heads:
        verify(location)
    return heads


def _snapshots(ledger: Ledger) -> dict[str, int]:
    version = fold_version()
    return {game: len(ledger.store.snapshots(game, version)) for game in ledger.games()}


def _look_init(place: Place, _: Templates) -> str:
    return "new" if heads_at(place.ledger) else "old"


def _look_import(place: Place, templates: Templates) -> str:
    heads = heads_at(place.ledger)
    expect(heads in ({}, templates.heads), f"imported in part: {heads}")
    return "new" if heads else "old"


def _look_export(place: Place, templates: Templates) -> str:
    content = Path(place.file).read_bytes()
    expect(content in (b"old", templates.export.read_bytes()), "the export is neither old nor new")
    expect(heads_at(place.ledger) == templates.heads, "the ledger has changed")
    return "old" if content == b"old" else "new"


def _look_copy(place: Place, templates: Templates) -> str:
    copied = heads_at(place.file)
    expect(copied.items() <= templates.heads.items(), f"another head: {copied}")
    expect(heads_at(place.ledger) == templates.heads, "the source has changed")
    return "new" if copied == templates.heads else "old"


def _look_upgrade(place: Place, templates: Templates) -> str:
    try:
        with Ledger.open(place.ledger):
            pass
    except NomoledgerError as error:
        expect("run nomoledger upgrade" in str(error), str(error))
        return "old"
    expect(heads_at(place.ledger) == templates.heads, "a head has changed")
    return "new"


def _look_rebuild(place: Place, templates: Templates) -> str:
    expect(heads_at(place.ledger) == templates.heads, "a head has changed")
    with Ledger.open(place.ledger) as ledger:
        return "new" if _snapshots(ledger) == templates.snapshots else "old"


def _look_close(place: Place, templates: Templates) -> str:
    verify(place.ledger)
    with Ledger.open(place.ledger) as ledger:
        expect(ledger.head(RECORDED) is not None, "a game is gone")
        if str(ledger.head(PLAYED)) == templates.heads[PLAYED]:
            return "old"
        world = world_of(ledger, PLAYED)
        is_done = world.period == templates.periods + 1 and not world.agenda
        return "new" if is_done else "begun"


COMMANDS = {
    "close": Command("ledger", " ".join((*CLOSE, "{ledger}")), _look_close),
    "copy": Command("ledger", "copy {ledger} {file}", _look_copy),
    "export": Command("ledger", "export {ledger} {file} --force", _look_export),
    "import": Command("", "import {ledger} {export}", _look_import, "there is a game"),
    "init": Command("", "init {ledger} --rulebook mail-opening", _look_init, "there is a game"),
    "rebuild": Command("ledger", "rebuild {ledger}", _look_rebuild),
    "upgrade": Command("older", "upgrade {ledger}", _look_upgrade),
}
#: The commands that are also killed on PostgreSQL.
ON_POSTGRES = ("copy", "rebuild", "upgrade")


class Trials:
    """Trials of killed commands."""

    def __init__(self, folder: Path, server: PostgresServer | None = None) -> None:
        """Work in *folder*, and on *server* where a trial asks for PostgreSQL."""
        self.templates = Templates(folder)
        if server is not None:
            self.templates.add_postgres(server)
        self._server = server
        self._folder = folder
        self._forker = Forker(folder)
        self._seconds: dict[tuple[str, bool], float] = {}
        self._count = 0

    def close(self) -> None:
        """End the processes."""
        self._forker.close()

    def kill(self, name: str, chance: random.Random, *, on_postgres: bool = False) -> str:
        """Kill the command *name* by *chance*, twice or thrice, then let it end.

        Returns:
            What the first kill left: "old", "new" or "begun".

        Raises:
            Unsound: a kill left something else, or the command cannot be repeated.
        """
        command, place = COMMANDS[name], self._prepare(name, on_postgres)
        seconds = self._time(name, on_postgres)
        first = ""
        for _ in range(chance.choice((1, 1, 2))):
            code, *_ = self._run(command, place, chance.uniform(0, seconds))
            left = command.look(place, self.templates)
            expect(code != 0 or left == "new", f"it has succeeded, and left {left}")
            first = first or left
        code, _, output = self._run(command, place)
        if code and command.once:
            expect(left == "new" and command.once in output, output)
            expect(output.count("\n") == 1, output)
        else:
            expect(code == 0, f"the same command again: {code} {output}")
        expect(command.look(place, self.templates) == "new", "the same command again did not do it")
        self._clear(place)
        return first

    def _run(
        self, command: Command, place: Place, seconds: float | None = None
    ) -> tuple[int, float, str]:
        values = {"export": str(self.templates.export), **place._asdict()}
        words = [word.format(**values) for word in command.words.split()]
        return self._forker.run(*words, seconds=seconds)

    def _time(self, name: str, on_postgres: bool) -> float:
        """Return how long the command takes."""
        if (name, on_postgres) not in self._seconds:
            place = self._prepare(name, on_postgres)
            code, seconds, output = self._run(COMMANDS[name], place)
            expect(code == 0, output)
            expect(COMMANDS[name].look(place, self.templates) == "new", "it does nothing")
            self._seconds[name, on_postgres] = seconds
            self._clear(place)
        return self._seconds[name, on_postgres]

    def _prepare(self, name: str, on_postgres: bool) -> Place:
        self._count += 1
        folder = self._folder / f"trial-{self._count}"
        folder.mkdir()
        begins, file = COMMANDS[name].begins, str(folder / "file")
        if name == "export":
            Path(file).write_bytes(b"old")
        if on_postgres:
            return self._prepare_database(folder, name, begins)
        ledger = folder / "games.db"
        if begins:
            shutil.copy(getattr(self.templates, begins), ledger)
        return Place(folder, str(ledger), file)

    def _prepare_database(self, folder: Path, name: str, begins: str) -> Place:
        assert self._server is not None
        if name == "copy":  # into an empty database
            return Place(folder, str(self.templates.ledger), self._server.new_database())
        url = self._server.new_database()
        made, template = urlsplit(url).path[1:], urlsplit(self.templates.on_postgres[begins]).path[1:]
        self._server.drop_connections()
        self._server.execute(f"DROP DATABASE {made}")
        self._server.execute(f"CREATE DATABASE {made} TEMPLATE {template}")
        return Place(folder, url, "")

    def _clear(self, place: Place) -> None:
        shutil.rmtree(place.folder)
        for location in place[1:]:
            if is_postgres(location):
                assert self._server is not None
                self._server.drop_connections()
                self._server.execute(f"DROP DATABASE {urlsplit(location).path[1:]}")
