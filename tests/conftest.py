"""What tests share: the stores there are, and the examples of a page, run one after the other."""

import re
import shlex
import shutil
import signal
import socket
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import lengthy
import pytest
import tiers
from click.testing import CliRunner
from hypothesis import settings
from postgres_server import PostgresServer

from nomoledger.cli import outcome, program
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox.fork_server import ForkServer

FENCE = re.compile(
    r"^```(?P<kind>\w*) ?(?P<file>\S*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE
)
COMMAND = re.compile(r"^\$ (?P<words>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)

Play = Callable[[Path], list[str]]
#: What asks about the times of requests.
ASKS = outcome.confirm_time

# What runs in the background of a script ignores Ctrl-C, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same random games each time, so that a change is what makes a test fail; for others:
# pytest --hypothesis-profile=explore
settings.register_profile("explore", derandomize=False, deadline=None)
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


#: A run of a part of the slow tests tries one of so many of the examples of a slow run.
PART_OF_EXAMPLES = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `lengthy`, and the one by which CI runs a part of the slow tests."""
    parser.addoption("--slow-part", type=int, metavar="N", help="Run every Nth of the slow tests.")
    parser.addoption("--note-lengthy", action="store_true", help="List the tests that take long.")


def pytest_configure(config: pytest.Config) -> None:
    """Note whether slow tests run, before test modules are imported."""
    tiers.Run.is_slow = "not slow" not in config.option.markexpr
    tiers.Run.divisor = 1 if config.option.slow_part is None else PART_OF_EXAMPLES
    if config.option.note_lengthy:
        config.pluginmanager.register(lengthy.Stopwatch())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as slow what `slow_with` names, and as lengthy what the list names.

    `slow_with` names parameters: the runs of a test with one of those are slow.
    With `--slow-part N`, keep only every Nth of the slow tests, chosen by their names.
    """
    lengthy_tests = lengthy.listed()
    for item in items:
        if item.nodeid in lengthy_tests:
            item.add_marker(pytest.mark.lengthy)
        parameters = f"-{item.callspec.id}-" if hasattr(item, "callspec") else ""
        for marker in item.iter_markers("slow_with"):
            if any(f"-{name}-" in parameters for name in marker.args):
                item.add_marker(pytest.mark.slow)
    if (part := config.option.slow_part) is not None:
        slow = [item for item in items if item.get_closest_marker("slow")]
        left_out = [item for item in slow if _hash(item) % part]
        items[:] = set_aside(items, left_out)
        config.hook.pytest_deselected(items=left_out)


def set_aside(items: list[pytest.Item], left_out: list[pytest.Item]) -> list[pytest.Item]:
    """Return *items* without those that are *left_out*."""
    gone = set(left_out)
    return [item for item in items if item not in gone]


def _hash(item: pytest.Item) -> int:
    """A number for a test that is the same in each run."""
    return zlib.crc32(item.nodeid.encode())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A real PostgreSQL server for all tests; one that stops it starts it again."""
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """An empty database."""
    return postgres_server.empty_database()


@pytest.fixture(params=["postgres", "sqlite"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger can be made, on each kind of store in turn."""
    if request.param == "sqlite":
        return str(tmp_path / "games.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture(scope="session")
def season_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five weeks of a real season, for all tests: copy it, or only read it."""
    path = tmp_path_factory.mktemp("season") / "season.db"
    with Ledger.open(path, create=True) as ledger:
        import_record(ledger, find("weekly-vote-season"))
    return path


@pytest.fixture(scope="module")
def strict_server() -> Iterator[ForkServer]:
    """A fork server whose sandboxes have smaller limits."""
    server = ForkServer.start()
    own, other = socket.socketpair()
    with own, other:
        server.drop(server.fork("hostile_limits:nothing", [other.fileno()]))
    yield server
    server.close()


@pytest.fixture(scope="session")
def recorded_ledgers() -> dict[Callable[[Ledger], object], Path]:
    """The ledger that each function recorded, for `copy_of`."""
    return {}


@pytest.fixture
def copy_of(
    recorded_ledgers: dict[Callable[[Ledger], object], Path],
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
) -> Callable[[Callable[[Ledger], object]], Path]:
    """Copies a ledger that a function records; each function records its ledger only once."""

    def copy(record: Callable[[Ledger], object]) -> Path:
        if record not in recorded_ledgers:
            path = tmp_path_factory.mktemp("recorded") / "games.db"
            with Ledger.open(path, create=True) as ledger:
                record(ledger)
            recorded_ledgers[record] = path
        return Path(shutil.copy(recorded_ledgers[record], tmp_path / "g.db"))

    return copy


@pytest.fixture(scope="session", autouse=True)
def meant_times() -> Iterator[None]:
    """No command asks about its time: most tests play games of some day in the past."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(outcome, "confirm_time", lambda game, event: None)
        yield


@pytest.fixture
def asked_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands ask about times that may be slips, as they do for users."""
    monkeypatch.setattr(outcome, "confirm_time", ASKS)


@pytest.fixture
def play_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked_times: None) -> Play:
    """Plays a page in an empty folder, and gives back the commands on it.

    A fence with the name of a file becomes that file; every other must be a `console`, whose
    commands print what stands under them, a `…` standing for anything but a failure.
    """
    monkeypatch.chdir(tmp_path)

    def play(page: Path) -> list[str]:
        played = []
        for fence in FENCE.finditer(page.read_text("utf-8")):
            if fence["file"]:
                Path(fence["file"]).parent.mkdir(parents=True, exist_ok=True)
                Path(fence["file"]).write_text(fence["body"], "utf-8")
                continue
            assert fence["kind"] == "console", f"nothing runs this:\n{fence[0]}"
            for command in COMMAND.finditer(fence["body"]):
                output = _run(command["words"], monkeypatch)
                assert _fits(command["output"].rstrip("\n"), output.rstrip("\n")), (
                    f"$ {command['words']}\n{output}"
                )
                played.append(command["words"])
        return played

    return play


def _run(words: str, monkeypatch: pytest.MonkeyPatch) -> str:
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


def _fits(expected: str, output: str) -> bool:
    """Whether *output* is as *expected*, in which `…` stands for anything but a failure."""
    if ("[exit code" in output) != ("[exit code" in expected):
        return False
    parts = (re.escape(part) for part in expected.split("…"))
    return re.fullmatch(".*?".join(parts), output, re.DOTALL) is not None
