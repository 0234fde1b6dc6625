"""Following the rules instead of the record."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from nomoledger.cli import program
from nomoledger.errors import UnknownError
from nomoledger.events import EntityCreated
from nomoledger.events.rules import Rule
from nomoledger.game import recorded_games as replays
from nomoledger.game.records import import_record
from nomoledger.game.rules_only_replay import RulesDifference, differences, replay_by_rules
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

SEASON = "weekly-vote-season"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def test_one_week_by_the_rules_alone(ledger: Ledger) -> None:
    import_record(ledger, replays.find(SEASON), until=1)
    followed = replay_by_rules(ledger, SEASON, 1)
    assert followed.otherwise == (RulesDifference("Jamie", "square", 3, 1),)
    assert followed.noted == 1


def test_three_weeks_by_the_rules_alone(ledger: Ledger) -> None:
    import_record(ledger, replays.find(SEASON), until=3)
    otherwise = {
        (x.subject, x.what): (x.recorded, x.by_rules)
        for x in replay_by_rules(ledger, SEASON, 1).otherwise
    }
    assert otherwise[("Jamie", "square")] == (4, 2)
    assert otherwise[("square 10", "owner")] == ("Jamie", None)
    assert ("Woll", "square") not in otherwise


def test_where_the_record_is_right_nothing_would_have_come_out_otherwise(ledger: Ledger) -> None:
    game = import_record(ledger, replays.find("origon-week1")).name
    assert replay_by_rules(ledger, game, 1).otherwise == ()


def test_a_period_that_was_not_played(ledger: Ledger) -> None:
    import_record(ledger, replays.find(SEASON), until=1)
    with pytest.raises(UnknownError):
        replay_by_rules(ledger, SEASON, 9)


def test_on_the_command_line(ledger: Ledger) -> None:
    import_record(ledger, replays.find(SEASON), until=1)
    where = str(ledger.store.location)
    result = CliRunner().invoke(program, ["replay", where, "--period", "1", "--follow"])
    assert result.exit_code == 1
    assert "square of Jamie: 3, by the rules 1" in result.output


def test_things_of_every_kind_are_compared() -> None:
    worlds = []
    for depth in (1, 2):
        world = World()
        rule = Rule(number="1", declares={"trap": {"name": "Text key", "depth": "Number"}})
        world.put(world.game, "rules", (rule,))
        attributes = {"name": "Pit", "depth": depth}
        made: dict[str, Any] = {"period": 1, "received_at": NOON, "recorded_at": NOON}
        apply(world, EntityCreated(entity="trap:1", kind="trap", attributes=attributes, **made))
        worlds.append(world)
    assert list(differences(*worlds)) == [RulesDifference("trap Pit", "depth", 1, 2)]
