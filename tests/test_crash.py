"""Killed at any moment, out of room, locked out, interrupted: the ledger holds whole attempts."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest
from tiers import sample

from nomoledger import events as e
from nomoledger.errors import StoreError
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.ledger.stores.sqlite import SqliteStore
from nomoledger.rulebook.loading import load

PLAYER = Path(__file__).parent / "player_process.py"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KILLS = {"sqlite": 10, "postgres": 4}
#: What ends a transaction.
ENDS = (e.AttemptDone, e.AttemptRefused, e.QuestionRaised, e.PeriodClosed)
Where = TypeVar("Where", str, Path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The ledger of a game that has just been opened."""
    return opened(tmp_path / "game.db")


@pytest.fixture
def anywhere(location: str) -> str:
    """The same, on each kind of store in turn."""
    return opened(location)


def opened(path: Where) -> Where:
    with Ledger.open(path, create=True) as ledger:
        open_game(ledger, "game", load("mail-opening"), at=NOON, secret=b"s" * 32)
    return path


@contextmanager
def process(what: str, file: Path | str, player: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(PLAYER), what, str(file), player]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            yield running
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)


def run(what: str, file: Path | str, player: str) -> list[str]:
    with process(what, file, player) as running:
        out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    return out.splitlines()


def digest(file: Path | str) -> str:
    with Ledger.open(file) as ledger:
        return world_of(ledger, "game").digest()


def check_whole(file: Path | str, acknowledged: list[str]) -> None:
    """Everything acknowledged is there, nothing is half done, nothing is altered."""
    with Ledger.open(file) as ledger:
        assert ledger.verify("game").ok
        for name in acknowledged:
            assert ledger.find_input("game", name) is not None, name
        last = list(ledger.read("game"))[-1].body
        assert isinstance(last, ENDS)
        assert replay(ledger, "game").divergences == ()


# --- killed ---------------------------------------------------------------------------------------


def killed_after(file: Path | str, seconds: float) -> list[str]:
    """What was acknowledged by a process that was killed so long after its first word."""
    with process("play", file, "Ann") as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        time.sleep(seconds)
        os.kill(running.pid, signal.SIGKILL)
        out, _ = running.communicate(timeout=60)
    return [first.strip(), *out.splitlines()]


@pytest.mark.slow
def test_a_process_killed_at_random_moments_loses_nothing_acknowledged(
    anywhere: str, tmp_path: Path
) -> None:
    undisturbed = opened(tmp_path / "undisturbed.db")
    run("play", undisturbed, "Ann")
    moments = random.Random(7)
    for _ in range(KILLS["postgres" if is_postgres(anywhere) else "sqlite"]):
        check_whole(anywhere, [x for x in killed_after(anywhere, moments.uniform(0, 0.12)) if x])
    run("play", anywhere, "Ann")
    check_whole(anywhere, ["Ann-join", "Ann-close-again"])
    assert digest(anywhere) == digest(undisturbed)


def cut_off(file: Path, cut_file: Path, attempts: int) -> None:
    """Play a game in *file*; copy what there is so many *attempts* after its first close begins."""
    run("play", file, "Ann")
    with Ledger.open(file) as ledger, Ledger.open(cut_file, create=True) as cut:
        found = [entry.body for entry in ledger.read("game")]
        ends = [i for i, body in enumerate(found) if isinstance(body, e.AttemptDone)]
        close = next(i for i, body in enumerate(found) if isinstance(body, e.CloseAsked))
        last = [i for i in ends if i > close][attempts]
        cut.add_game("game", ledger.secret("game"))
        cut.append("game", found[: last + 1], expected=-1)


@pytest.mark.slow
@pytest.mark.parametrize("attempts", sample([5, 1, 17], 1))
def test_an_interrupted_close_resumes(file: Path, tmp_path: Path, attempts: int) -> None:
    """Cut off after some attempts of the close, the game comes to the same end."""
    cut_off(file, tmp_path / "cut.db", attempts)
    run("play", tmp_path / "cut.db", "Ann")
    assert digest(tmp_path / "cut.db") == digest(file)


@pytest.mark.slow
def test_the_same_request_again_finishes_what_was_interrupted(file: Path, tmp_path: Path) -> None:
    cut_off(file, tmp_path / "cut.db", 5)
    with Ledger.open(tmp_path / "cut.db") as ledger:
        game = Game(ledger)
        assert game.is_pending()
        assert game.world.period == 1
        outcome = game.close(id="Ann-close")
        assert isinstance(outcome.events[0], e.CloseAsked)
        assert isinstance(outcome.events[-1], e.PeriodClosed)
        assert game.world.period == 2
        assert game.close(id="Ann-close").events == outcome.events
    check_whole(tmp_path / "cut.db", ["Ann-close"])


# --- two at once ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.slow_with("postgres")
def test_two_processes_can_play_at_once(anywhere: str) -> None:
    with process("race", anywhere, "Ann") as ann, process("race", anywhere, "Bob") as bob:
        outputs = [each.communicate(timeout=60) for each in (ann, bob)]
    assert [ann.returncode, bob.returncode] == [0, 0], outputs
    names = [line for out, _ in outputs for line in out.splitlines()]
    assert len(names) == 18
    check_whole(anywhere, names)


# --- the database fails ---------------------------------------------------------------------------


def test_a_full_disk_leaves_whole_attempts(file: Path) -> None:
    *acknowledged, error = run("fill", file, "Ann")
    assert acknowledged
    assert str(file) in error
    check_whole(file, acknowledged)


@pytest.mark.slow
def test_a_ledger_locked_by_another_program_is_an_error(file: Path) -> None:
    before = digest(file)
    with Ledger(SqliteStore(str(file), lock_timeout=1)) as ledger:
        desk = Game(ledger)
        with closing(sqlite3.connect(file)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StoreError, match="locked by another program") as raised:
                desk.join("Ann", {"email": "ann@example.org"})
            other.rollback()
        assert "\n" not in str(raised.value)
        assert digest(file) == before
        assert not desk.join("Ann", {"email": "ann@example.org"}).refusals


# --- interrupted ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_interrupt_during_an_endless_rule_records_nothing(file: Path) -> None:
    with process("hang", file, "Ann") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        time.sleep(0.5)
        os.killpg(running.pid, signal.SIGINT)
        _, err = running.communicate(timeout=20)
    assert "KeyboardInterrupt" in err
    check_whole(file, [])
    with Ledger.open(file) as ledger:
        moves = [x.body.mode for x in ledger.read("game") if isinstance(x.body, e.Moved)]
        assert moves == ["place"]
