"""Times that may be slips are confirmed before anything is recorded."""

from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from cli.commands import NOON, ok, run, wrong
from nomoledger.cli import outcome, program
from nomoledger.game.game import Game
from nomoledger.game.time_jump import rhythm
from nomoledger.ledger.ledger import Ledger

pytestmark = pytest.mark.usefixtures("asked_times")


def at(day: int, hour: int = 12) -> str:
    return f"2026-01-{day:02}T{hour:02}:00:00"


def head(ledger: str) -> str:
    with Ledger.open(ledger) as opened:
        return str(opened.head(opened.games()[0]))


def test_a_forgotten_time_records_nothing_and_says_how_far_it_would_move_the_game(
    game: str,
) -> None:
    before = head(game)
    error = wrong("propose", game, "Ann", "Nothing")
    today = datetime.now(UTC)
    assert "would move the game from 2026-01-05 12:00 to " in error
    assert f"{today:%Y-%m-%d}" in error
    assert "give another time with --at, or --yes" in error
    assert head(game) == before
    ok("propose", game, "Ann", "Nothing", "--yes")
    assert head(game) != before


def test_a_time_by_which_something_falls_due_is_confirmed_and_says_what(landed: str) -> None:
    error = wrong("propose", landed, "Bob", "Nothing", "--at", at(12, 13))
    assert "1 timer falls due: the option of Ann on square 8 has ended: give another" in error
    assert "Bob makes proposal" in ok(
        "propose", landed, "Bob", "Nothing", "--at", at(12, 13), "--yes"
    )


def test_ordinary_play_is_not_asked_about(landed: str) -> None:
    ok("submit", landed, "Ann", "buy", "square=8", "--at", at(5, 18))
    ok("propose", landed, "Bob", "Nothing", "--at", at(7))
    ok("propose", landed, "Ann", "Nothing", "--at", at(13))  # within eight days of the last request
    ok("close", landed, "--at", at(19))


def test_letting_time_pass_is_asked_about_only_if_it_is_long(landed: str) -> None:
    ok("advance", landed, "--to", at(12, 12))
    assert "14 days" in wrong("advance", landed, "--to", at(26, 13))
    ok("advance", landed, "--to", at(26, 13), "--yes")


def test_a_repeated_request_is_not_asked_about(game: str) -> None:
    first = ok("propose", game, "Ann", "Nothing", "--id", "one", "--yes")
    assert ok("propose", game, "Ann", "Nothing", "--id", "one") == first


def test_a_dry_run_says_what_would_be_asked(game: str) -> None:
    result = run("propose", game, "Ann", "Nothing", "--dry-run")
    assert result.exit_code == 0
    assert result.stderr.startswith(
        "the real run asks first, unless --yes: this moves the game from 2026-01-05 12:00 to "
    )


def test_an_undo_asks_nothing_as_the_clock_goes_back(game: str) -> None:
    ok("propose", game, "Ann", "Nothing", "--at", NOON)
    ok("judge", game, "1", "rejected", "--at", NOON)
    ok("submit", game, "Ann", "buy", "square=8", "--yes")
    ok("undo", game)
    ok("submit", game, "Ann", "buy", "square=8", "--at", NOON)


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_terminal_is_asked(answer: str, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "is_terminal", lambda: True)
    before = head(game)
    words = ["propose", game, "Ann", "Nothing"]
    result = CliRunner().invoke(program, words, input=f"{answer}\n")
    assert "This moves the game from 2026-01-05 12:00 to " in result.stderr
    assert "Go on?" in result.stderr
    assert (head(game) != before) == (answer == "y")


def test_the_longest_period_is_the_measure(game: str) -> None:
    with Ledger.open(game) as ledger:
        assert rhythm(Game(ledger)) == timedelta(days=8)
    ok("close", game, "--at", at(6))
    with Ledger.open(game) as ledger:
        assert rhythm(Game(ledger)) == timedelta(days=2)
    assert "3 days" in wrong("propose", game, "Ann", "Nothing", "--at", at(9))
    ok("propose", game, "Ann", "Nothing", "--at", at(16), "--yes")
    ok("close", game, "--at", at(16))
    ok("propose", game, "Ann", "Nothing", "--at", at(26))
