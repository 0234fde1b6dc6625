"""Times that are far ahead are refused, no date overflows, and a clock may go back."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nomoledger import Game
from nomoledger.cli import program
from nomoledger.errors import RecordError, RulebookError, UsageError
from nomoledger.events.rules import Enact, Rule
from nomoledger.game.records import import_record
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.rulebook.cases.times import read_time
from nomoledger.rulebook.loading import load
from nomoledger.state.clock import from_seconds, to_seconds

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
END = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


def opened(location: Path | None = None) -> Game:
    ledger = Ledger(MemoryStore()) if location is None else Ledger.open(location, create=True)
    game = open_game(ledger, "g", load("mail-opening"), at=NOON, recorded_at=NOON)
    game.clock = lambda: NOON
    game.join("Ann", {"email": "a@x.org"}, at=NOON)
    return game


def run(*words: str) -> Result:
    return CliRunner().invoke(program, words)


@pytest.mark.parametrize("at", [END, NOON + 367 * DAY])
def test_a_time_far_ahead_is_refused_and_play_goes_on(at: datetime) -> None:
    game = opened()
    head = game.ledger.head("g")
    for request in (game.close, game.advance):
        with pytest.raises(UsageError, match="is more than a year ahead: check the date"):
            request(at=at)
    assert game.ledger.head("g") == head
    game.join("Bob", {"email": "b@x.org"})


def test_a_game_whose_time_is_ahead_advances_a_year_at_a_time() -> None:
    game = opened()
    for year in range(1, 4):
        game.advance(at=NOON + year * 366 * DAY)
    assert game.world.game["now"] == to_seconds(NOON + 3 * 366 * DAY)


@pytest.mark.parametrize(
    "words",
    [
        "init NEW --rulebook mail-opening --at",
        "close OLD --at",
        "advance OLD --to",
        "join OLD Zoe email=z@x.org --at",
    ],
)
def test_the_command_refuses_a_time_far_ahead(tmp_path: Path, words: str) -> None:
    opened(tmp_path / "old.db").ledger.close()
    places = {"NEW": str(tmp_path / "new.db"), "OLD": str(tmp_path / "old.db")}
    result = run(*(places.get(word, word) for word in words.split()), "9999-12-31T23:59:59")
    assert result.exit_code == 2
    assert "more than a year ahead" in result.stderr
    assert not (tmp_path / "new.db").exists()
    assert run("join", places["OLD"], "Bob", "email=b@x.org").exit_code == 0


def test_a_record_of_the_far_future_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text('{"rulebook": "mail-opening", "start": "9998-01-01"}\n{"week": 1, "kind": "x"}')
    with pytest.raises((RecordError, UsageError), match="more than a year ahead"):
        import_record(Ledger(MemoryStore()), file)
    file.write_text('{"rulebook": "mail-opening"}\n{"week": 99999999999, "kind": "x"}')
    with pytest.raises(RecordError, match="is too far away"):
        import_record(Ledger(MemoryStore()), file)


@pytest.mark.slow
def test_a_timer_near_the_end_of_time_is_shown_and_does_not_fire(tmp_path: Path) -> None:
    file = tmp_path / "g.db"
    game = opened(file)
    code = """
def define_late(player):
    award(player, 1)
def on_enact():
    player = all("player")[0]
    schedule("late", player, due = now() + seconds(251000000000))
    set(player, "slow", 1, until = now() + seconds(251000000000))
"""
    rule = Rule(
        number="X.1",
        title="Late",
        prose="Late.",
        code=code,
        declares={"player": {"slow": "Number"}},
    )
    game.propose("Ann", "Late", (Enact(rule),), at=NOON)
    game.judge(1, "accepted", at=NOON)
    assert [timer.attempt.at > 10**11 for timer in game.world.timers.values()].count(True) == 2
    game.advance(at=NOON + 300 * DAY)
    game.ledger.close()
    for words in ("status", "state", "log --admin", "history", "verify", "provisional standings"):
        name, *rest = words.split()
        result = run(name, str(file), *rest)
        assert result.exit_code == 0, result.output
    site = run("publish", str(file), str(tmp_path / "site"))
    assert site.exit_code == 0, site.output


def test_no_date_overflows() -> None:
    assert from_seconds(10**18) == END
    assert from_seconds(-(10**18)).year == 1
    assert from_seconds(to_seconds(NOON)) == NOON
    for text in ("+99999999999999d", "-9999999d", "9999999-01-01"):
        with pytest.raises(RulebookError):
            read_time(text)


def test_a_clock_that_goes_back_stops_nothing(tmp_path: Path) -> None:
    game = opened(tmp_path / "g.db")
    game.clock = lambda: NOON + DAY
    game.join("Bob", {"email": "b@x.org"})
    game.clock = lambda: NOON - 900 * DAY
    game.join("Cid", {"email": "c@x.org"})
    game.close()
    assert game.world.period == 2
    assert game.world.game["now"] == to_seconds(NOON + DAY)
    assert replay(game.ledger, "g", 1).divergences == ()
    assert game.ledger.verify("g").ok
    game.ledger.close()
    assert run("verify", str(tmp_path / "g.db")).exit_code == 0


@pytest.mark.slow
def test_a_ledger_whose_clock_went_back_is_shown_moved_and_played(tmp_path: Path) -> None:
    file = str(tmp_path / "g.db")
    game = opened(Path(file))
    for number, clock in enumerate((NOON + DAY, NOON - 900 * DAY, NOON + DAY / 2)):
        game.clock = lambda clock=clock: clock  # type: ignore[misc]
        game.join(f"Player {number}", {"email": f"p{number}@x.org"})
        game.close()
    game.ledger.close()
    with Ledger.open(file) as ledger:
        recorded = [entry.body.recorded_at for entry in ledger.read("g")]
    assert recorded != sorted(recorded)
    site, export, public = (str(tmp_path / name) for name in ("site", "g.jsonl", "public.jsonl"))
    for words in (
        f"export {file} {export}", f"import {tmp_path / 'new.db'} {export}",
        f"export {file} {public} --public", f"verify {public}", f"publish {file} {site}",
        f"copy {file} {tmp_path / 'copy.db'}", f"replay {file}", f"status {file}",
        f"log {file} --admin", f"provisional {file} standings", f"rebuild {file}", f"verify {file}",
        f"join {tmp_path / 'new.db'} Zoe email=z@x.org", f"verify {tmp_path / 'new.db'}",
    ):  # fmt: skip
        result = run(*words.split())
        assert result.exit_code == 0, (words, result.output, result.stderr)
