"""Following the rules instead of the record."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger.cli import program
from nomoledger.errors import UnknownError
from nomoledger.game import recorded_games as replays
from nomoledger.game.records import import_record
from nomoledger.game.rules_only_replay import RulesDifference, replay_by_rules
from nomoledger.ledger.ledger import Ledger

SEASON = "weekly-vote-season"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def test_a_week_is_replayed_by_the_rules_alone(ledger: Ledger) -> None:
    import_record(ledger, replays.find(SEASON), until=1)
    followed = replay_by_rules(ledger, SEASON, 1)
    assert followed.otherwise == (RulesDifference("Jamie", "square", 3, 1),)
    assert followed.noted == 1


def test_three_weeks_are_replayed_by_the_rules_alone(ledger: Ledger) -> None:
    import_record(ledger, replays.find(SEASON), until=3)
    otherwise = {
        (x.subject, x.what): (x.recorded, x.by_rules)
        for x in replay_by_rules(ledger, SEASON, 1).otherwise
    }
    assert otherwise[("Jamie", "square")] == (4, 2)
    assert otherwise[("square 10", "owner")] == ("Jamie", None)
    assert ("Woll", "square") not in otherwise


def test_a_correct_record_equals_the_replay_by_the_rules_alone(ledger: Ledger) -> None:
    game = import_record(ledger, replays.find("origon-week1")).game
    assert replay_by_rules(ledger, game, 1).otherwise == ()


def test_a_period_that_was_not_played_is_refused(ledger: Ledger) -> None:
    import_record(ledger, replays.find(SEASON), until=1)
    with pytest.raises(UnknownError):
        replay_by_rules(ledger, SEASON, 9)


def test_the_replay_command_prints_both_outcomes(ledger: Ledger) -> None:
    import_record(ledger, replays.find(SEASON), until=1)
    where = str(ledger.store.location)
    result = CliRunner().invoke(program, ["replay", where, "--period", "1", "--follow"])
    assert result.exit_code == 1
    assert "square of Jamie: 3, by the rules 1" in result.output
