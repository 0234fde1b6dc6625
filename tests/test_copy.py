"""Games on the move between stores: the same heads, the same bytes, whole games or nothing."""

import io
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from tiers import sample

from nomoledger.cli import program
from nomoledger.errors import CorruptError, UnknownError, UsageError
from nomoledger.events import ClockAdvanced, Event
from nomoledger.game.exchange import copy_ledger, export_ledger
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
GAMES = ["chess", "empty", "mail"]
COPIER = """
import sys
from nomoledger.game.exchange import copy_ledger
from nomoledger.ledger.ledger import Ledger
with Ledger.open(sys.argv[1]) as source, Ledger.open(sys.argv[2], create=True) as target:
    print("ready", flush=True)
    copy_ledger(source, target)
"""


def clock(name: str) -> Event:
    return ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id=name)


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Ledger]:
    """A file with a long game, an empty one, and one that is played."""
    with Ledger.open(tmp_path / "source.db", create=True) as ledger:
        ledger.add_game("chess")
        ledger.append("chess", [clock(str(n)) for n in range(2500)], expected=-1)
        ledger.add_game("empty")
        desk = open_game(ledger, "mail", load("mail-opening"), at=NOON, secret=b"s" * 32)
        desk.join("Ann", {"email": "ann@example.org"}, at=NOON)
        yield ledger


def exported(ledger: Ledger) -> bytes:
    file = io.BytesIO()
    export_ledger(ledger, file)
    return file.getvalue()


def test_a_copy_is_the_same_to_the_byte(source: Ledger, location: str, tmp_path: Path) -> None:
    """To another store, and back."""
    with (
        Ledger.open(location, create=True) as target,
        Ledger.open(tmp_path / "back.db", create=True) as back,
    ):
        heads = copy_ledger(source, target)
        assert heads == {game: source.head(game) for game in GAMES}
        assert all(target.verify(game, heads[game]).ok for game in GAMES)
        assert exported(target) == exported(source)
        assert copy_ledger(target, back, ["mail"]) == {"mail": heads["mail"]}
        assert list(back.read("mail")) == list(source.read("mail"))
        assert copy_ledger(source, target) == heads


def test_unknown_conflicting_and_damaged_games_are_not_copied(
    source: Ledger, location: str, tmp_path: Path
) -> None:
    with Ledger.open(location, create=True) as target:
        with pytest.raises(UnknownError, match="no game 'go'"):
            copy_ledger(source, target, ["go"])
        with pytest.raises(UsageError, match="nothing to copy: there is no game in"):
            copy_ledger(target, source)
        target.add_game("empty")
        with pytest.raises(UsageError, match="has a game 'empty' already, with another history"):
            copy_ledger(source, target)
        assert target.games() == ["chess", "empty"]
        with source.store.writing() as writer:
            writer.create_game("go", b"a secret of the game")
            writer.insert("go", [(0, "posted/1", b"")], [(0, b"wrong", b"wrong")])
        with pytest.raises(CorruptError, match=r"game 'go' in .* is not what was written"):
            copy_ledger(source, target, ["go"])
        assert target.games() == ["chess", "empty"]


@pytest.mark.parametrize("moment", sample([0.03, 0.0, 0.1], 1))
@pytest.mark.slow_with("postgres")
def test_a_killed_copy_can_be_repeated(source: Ledger, location: str, moment: float) -> None:
    command = [sys.executable, "-c", COPIER, source.store.location, location]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
    with Ledger.open(location) as target:
        for game in target.games():
            assert target.verify(game, source.head(game)).records == source.head(game).number + 1
        copy_ledger(source, target)
        assert exported(target) == exported(source)


@pytest.mark.slow_with("postgres")
def test_the_copy_command_copies_and_reports(source: Ledger, location: str) -> None:
    def run(*words: str) -> str:
        result = CliRunner().invoke(program, words)
        assert result.exit_code == 0, result.output
        return result.output

    file = source.store.location
    head = source.head("chess")
    told = run("copy", file, location, "--game", "chess")
    assert told == f"chess: 2500 events in {location}, the same head {head}\n"
    assert '"game":"mail"' in run("copy", file, location, "--json")
    assert run("verify", location, "--json") == run("verify", file, "--json")
    assert run("export", location, "-") == run("export", file, "-")
    assert run("upgrade", location) == f"{location} is up to date (schema 3)\n"


@pytest.mark.slow
def test_commands_play_on_the_store_of_the_address(postgres_url: str) -> None:
    """The commands take an address, and never print the password in it."""
    url = postgres_url.replace("postgres@", "postgres:geheim@")
    shown = postgres_url.replace("postgres@", "postgres:***@")

    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(program, words)
        assert result.exit_code == code, result.output
        assert "geheim" not in result.output
        return result.output

    assert shown in run("init", url, "--rulebook", "mail-opening")
    assert "Ann" in run("join", url, "Ann", "email=ann@example.org")
    run("propose", url, "Ann", "A square costs twenty", "--amend", "V.1.dollars_per_number=20")
    run("judge", url, "1", "accepted")
    run("status", url)
    run("close", url)
    assert "nothing differs" in run("replay", url, "--period", "1")
    assert "are as written" in run("verify", url)
    assert "postgres:***@/none" in run("standings", url.replace("/tests?", "/none?"), code=2)
    assert run("standings", url, url, code=2)
    assert shown in run("upgrade", url)
