"""One write path: whatever closes a period has a snapshot and a seal, and nothing is read twice."""

import io
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import StoreError
from nomoledger.events.codec import decode, encode, tag_of
from nomoledger.events.levels import NEWEST
from nomoledger.game.exchange import copy_ledger, export_ledger, import_ledger
from nomoledger.game.game import Game
from nomoledger.game.period_start import period_start
from nomoledger.game.replay import replay
from nomoledger.game.simulation import Plan, simulate
from nomoledger.game.start import open_game
from nomoledger.ledger import ledger as ledger_module
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.snapshots import fold_version
from nomoledger.rulebook.loading import load

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32


def closes(ledger: Ledger, game: str) -> list[int]:
    entries = ledger.read(game)
    return [x.body.period for x in entries if isinstance(x.body, e.PeriodClosed)]


def snapshots(ledger: Ledger, game: str) -> list[int]:
    return [period for _, period in ledger.store.snapshots(game, fold_version())]


def seals(ledger: Ledger, game: str) -> list[int]:
    return [period for period, _, _ in ledger.store.seals(game)]


def played(path: Path) -> Ledger:
    """A game of two closed periods, played through the library."""
    ledger = Ledger.open(path, create=True)
    game = open_game(ledger, "game", load("mail-opening"), at=NOON, secret=SECRET)
    game.join("Ann", {"email": "ann@example.org"}, at=NOON)
    game.close(at=NOON)
    game.close(at=NOON)
    return ledger


def imported(path: Path, season_file: Path) -> Ledger:
    path.write_bytes(season_file.read_bytes())
    return Ledger.open(path)


def simulated(path: Path) -> Ledger:
    ledger = Ledger.open(path, create=True)
    simulate(ledger, "mail-opening", Plan(players=2, periods=2, requests=1), game="game")
    return ledger


def copied(path: Path) -> Ledger:
    ledger = Ledger.open(path, create=True)
    with played(path.with_name("source.db")) as source:
        copy_ledger(source, ledger)
    return ledger


def restored(path: Path) -> Ledger:
    """An export, imported again."""
    ledger, file = Ledger.open(path, create=True), io.BytesIO()
    with played(path.with_name("source.db")) as source:
        export_ledger(source, file)
    file.seek(0)
    import_ledger(ledger, file)
    return ledger


@pytest.mark.parametrize("make", [played, simulated, copied, restored])
def test_every_close_has_a_snapshot_and_a_seal(
    make: Callable[[Path], Ledger], tmp_path: Path
) -> None:
    with make(tmp_path / "game.db") as ledger:
        (game,) = ledger.games()
        assert closes(ledger, game) == snapshots(ledger, game) == seals(ledger, game) == [1, 2]


def test_an_imported_season_has_as_many_snapshots_and_seals_as_closes(
    season_file: Path, tmp_path: Path
) -> None:
    with imported(tmp_path / "season.db", season_file) as ledger:
        (game,) = ledger.games()
        assert closes(ledger, game) == snapshots(ledger, game) == seals(ledger, game)
        assert closes(ledger, game) == [1, 2, 3, 4, 5]


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counter[bytes]:
    """How often each record is decoded, by its content."""
    counted: Counter[bytes] = Counter()

    def count(tag: str, state: bytes) -> Any:
        counted[state] += 1
        return decode(tag, state)

    monkeypatch.setattr(ledger_module, "decode", count)
    return counted


@pytest.mark.slow
def test_a_ruling_that_reaches_back_decodes_each_event_once(
    season_file: Path, tmp_path: Path, decoded: Counter[bytes]
) -> None:
    with imported(tmp_path / "season.db", season_file) as ledger:
        edits = (e.Replaced(116, {"square": 1}),)
        Game(ledger).rule_on("replace", "Jamie landed on 1", edits=edits, settle="money")
    assert max(decoded.values()) == 1


@pytest.mark.slow
def test_the_command_of_such_a_ruling_decodes_each_event_once_too(
    season_file: Path, tmp_path: Path, decoded: Counter[bytes]
) -> None:
    file = tmp_path / "season.db"
    file.write_bytes(season_file.read_bytes())
    words = ["--replace", "116=square:1", "--settle", "money", "--yes"]
    result = CliRunner().invoke(program, ["ruling", str(file), "Jamie landed on 1", *words])
    assert result.exit_code == 0, result.output
    assert max(decoded.values()) == 1


@pytest.mark.slow
def test_a_replay_reads_from_the_snapshot_before_its_period(
    season_file: Path, tmp_path: Path, decoded: Counter[bytes]
) -> None:
    with imported(tmp_path / "season.db", season_file) as ledger:
        (game,) = ledger.games()
        report = replay(ledger, game, 5)
        read = sum(decoded.values())
        decoded.clear()
        assert replay(ledger, game, 5, from_start=True) == report
    assert read < sum(decoded.values()) / 2


@pytest.mark.slow
def test_a_snapshot_whose_digest_is_another_is_not_used(season_file: Path, tmp_path: Path) -> None:
    with imported(tmp_path / "season.db", season_file) as ledger:
        (game,) = ledger.games()
        expected = replay(ledger, game, 4)
        number, _ = ledger.store.snapshots(game, fold_version(), period=3)[-1]
        earlier, _ = ledger.store.snapshots(game, fold_version(), period=2)[-1]
        with ledger.store.writing() as writer:
            root = ledger.store.snapshot(game, fold_version(), earlier)
            assert root is not None
            writer.drop_snapshots(game)
            writer.add_snapshot(game, fold_version(), (number, 3), root, {})
        assert replay(ledger, game, 4) == expected
        history = History(ledger, game)
        assert period_start(history, 4).first == number + 1


def test_a_level_that_is_not_known_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "game.db"
    with Ledger.open(file, create=True) as ledger:
        opened = e.GameOpened(
            id="opening",
            game="g",
            rulebook="r",
            period=1,
            received_at=NOON,
            recorded_at=NOON,
            level=9,
        )
        ledger.add_game("g", SECRET)
        ledger.append("g", [opened], expected=-1)
        with pytest.raises(
            StoreError, match="is of level 9, but this nomoledger knows levels 0 to"
        ):
            list(ledger.read("g"))
    result = CliRunner().invoke(program, ["standings", str(file)])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)


def test_a_new_game_records_its_level_and_versions(tmp_path: Path) -> None:
    with played(tmp_path / "game.db") as ledger:
        opened = next(ledger.read("game")).body
        assert isinstance(opened, e.GameOpened)
        assert opened.level == Game(ledger).world.level == NEWEST
        assert set(opened.versions) == {"nomoledger", "starlark-pyo3"}


def test_an_opening_of_level_0_keeps_its_bytes() -> None:
    """More than 15 names would give every opening another header."""
    opened = e.GameOpened(
        id="opening", game="g", rulebook="r", period=1, received_at=NOON, recorded_at=NOON
    )
    state = encode(opened)
    assert state[0] == 0x80 + 7
    assert decode(tag_of(opened), state) == opened
