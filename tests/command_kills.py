"""Kills and hinders commands, and looks at what they leave behind.

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
from typing import Any, NamedTuple
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
FORKER = Path(__file__).parent / "forker_process.py"


class Forker:
    """Runs commands in processes of their own, each forked from one that is ready."""

    def __init__(self, folder: Path) -> None:
        """Start; what commands print goes to a file in *folder*."""
        self._log = folder / "output.txt"
        self._log.touch()  # a command may be killed before it opens the file
        self._process = subprocess.Popen(
            [sys.executable, str(FORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._line() == "ready"

    def run(
        self,
        *words: str,
        seconds: float | None = None,
        watch: str = "",
        bytes_max: int | None = None,
        rights: bool = False,
    ) -> tuple[int, float, str]:
        """Run a command, and kill it after some *seconds*.

        With *watch*, the seconds begin when the first byte is written in that folder. No file can
        grow beyond *bytes_max* bytes. If *rights*, permissions of files hold even for root.

        Returns:
            The exit code (-9 if it was killed), its seconds, and what it printed.
        """
        assert self._process.stdin is not None
        task: dict[str, Any] = {"words": words, "seconds": seconds, "log": str(self._log)}
        task |= {"watch": watch, "bytes": bytes_max, "rights": rights}
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


CLOSE = ("close", "--id", "killed", "--game", PLAYED, "--yes", "--at", "2027-01-01T00:00:00")


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
        words: its words, with {ledger}, {file}, {export} and {record}.
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


def _look_move(place: Place, templates: Templates) -> str:
    here, there = heads_at(place.ledger), heads_at(place.file)
    expect(here.items() | there.items() <= templates.heads.items(), f"another head: {there}")
    expect(RECORDED in here, "the other game is gone")
    expect(not (here.keys() & there.keys()), "the game is at both places")
    return "new" if PLAYED in there else "old" if PLAYED in here else "begun"


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
    "import-record": Command("", "import {ledger} {record}", _look_init, "there is a game"),
    "init": Command("", "init {ledger} --rulebook mail-opening", _look_init, "there is a game"),
    "move": Command("ledger", f"league move {{ledger}} {{file}} --game {PLAYED}", _look_move),
    "rebuild": Command("ledger", "rebuild {ledger}", _look_rebuild),
    "upgrade": Command("older", "upgrade {ledger}", _look_upgrade),
}
#: The commands that are also killed on PostgreSQL.
ON_POSTGRES = ("copy", "move", "rebuild", "upgrade")


class Hindrance:
    """Something that hinders a command; nothing, unless a subclass says otherwise.

    Attributes:
        bounds: what the process of the command may do, as options of `Forker.run`.
    """

    def __init__(self, **bounds: Any) -> None:
        """Set the *bounds*."""
        self.bounds = bounds

    def begin(self, place: Place) -> None:
        """Hinder what happens at *place*."""

    def end(self, place: Place) -> None:
        """Take the hindrance away."""


class ReadOnly(Hindrance):
    """The ledger, the other file and their folder cannot be written, or only some of them."""

    def __init__(self, *which: str) -> None:
        """Protect *which*: "folder", "ledger", "file"."""
        super().__init__(rights=True)
        self._which = which

    def begin(self, place: Place) -> None:
        """Take away the permission to write."""
        self._change(place, 0o555, 0o444)

    def end(self, place: Place) -> None:
        """Give back the permission to write."""
        self._change(place, 0o755, 0o644)

    def _change(self, place: Place, folder: int, file: int) -> None:
        for which in self._which:
            path = Path(getattr(place, which))
            if path.exists():
                path.chmod(folder if path.is_dir() else file)


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
            if on_postgres or chance.random() < 0.3:
                code, *_ = self._run(command, place, chance.uniform(0, seconds))
            else:
                late = seconds * chance.choice((0.01, 0.1, 1))
                moment = chance.uniform(0, late)
                code, *_ = self._run(command, place, moment, watch=str(place.folder))
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

    def hinder(self, name: str, hindrance: "Hindrance") -> str:
        """Run the command *name* where something hinders it, and again without the hindrance.

        Returns:
            What the command printed, one line; "" if it succeeded.

        Raises:
            Unsound: it left something else than the old state or the new one, or did not say in one
                line what is wrong, or cannot be repeated.
        """
        command, place = COMMANDS[name], self._prepare(name, on_postgres=False)
        hindrance.begin(place)
        code, _, output = self._run(command, place, **hindrance.bounds)
        hindrance.end(place)
        left = command.look(place, self.templates)
        if code:
            expect(code == 2 and output.count("\n") == 1, f"{code} {output}")
            expect("fault of nomoledger" not in output, output)
        else:
            expect(left == "new", f"it has succeeded, and left {left}: {output}")
        again, _, said = self._run(command, place)
        expect(not again or (left == "new" and command.once in said != ""), f"again: {said}")
        expect(command.look(place, self.templates) == "new", "the same command again did not do it")
        self._clear(place)
        return output if code else ""

    def _run(
        self, command: Command, place: Place, seconds: float | None = None, **bounds: Any
    ) -> tuple[int, float, str]:
        values = {"export": self.templates.export, "record": find(RECORDED), **place._asdict()}
        words = [word.format(**values) for word in command.words.split()]
        return self._forker.run(*words, seconds=seconds, **bounds)

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
        made, template = (
            urlsplit(url).path[1:],
            urlsplit(self.templates.on_postgres[begins]).path[1:],
        )
        self._server.drop_connections()
        self._server.execute(f"DROP DATABASE {made}")
        self._server.execute(f"CREATE DATABASE {made} TEMPLATE {template}")
        return Place(folder, url, str(folder / "file") if name == "move" else "")

    def _clear(self, place: Place) -> None:
        shutil.rmtree(place.folder)
        for location in place[1:]:
            if is_postgres(location):
                assert self._server is not None
                self._server.drop_connections()
                self._server.execute(f"DROP DATABASE {urlsplit(location).path[1:]}")
