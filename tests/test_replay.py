"""Replay of ordinary ledgers: exact where nothing is wrong, and a clear word where something is."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.errors import UnknownError
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

NOON = datetime(2002, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Game]:
    with Ledger.open(tmp_path / "game.db", create=True) as ledger:
        desk = open_game(ledger, "g", load("mail-opening"), at=NOON)
        desk.join("Ann", {"email": "ann@example.org"}, at=NOON)
        yield desk


def forge(desk: Game, what: e.Input, *consequences: e.Event) -> None:
    """Append consequences that the rules do not give."""
    desk.ledger.append(desk.name, [what, *consequences], expected=desk.world.head)


def common(desk: Game, **more: Any) -> dict[str, Any]:
    return {"period": desk.world.period, "received_at": NOON, "recorded_at": NOON, **more}


def test_every_period_replays_exactly(desk: Game) -> None:
    for round_ in range(3):
        desk.propose("Ann", f"proposal {round_}", (), at=NOON)
        desk.judge(round_ + 1, "rejected", at=NOON)
        desk.close(at=NOON)
    for period in (1, 2, 3, 4):
        report = replay(desk.ledger, "g", period)
        assert (report.exact, report.mode) == (True, "exact")
    assert replay(desk.ledger, "g", 1).compared > 10


def test_the_digest_of_a_period_is_the_recorded_one(desk: Game) -> None:
    desk.close(at=NOON)
    closed = next(x.body for x in desk.ledger.read("g") if isinstance(x.body, e.PeriodClosed))
    assert replay(desk.ledger, "g", 1).exact
    assert len(closed.digest) == 64


def test_dice_are_committed_to_and_revealed(desk: Game) -> None:
    opened = next(x.body for x in desk.ledger.read("g") if isinstance(x.body, e.GameOpened))
    desk.propose("Ann", "nothing", (), at=NOON)
    rolled = [
        event
        for event in desk.judge(1, "rejected", at=NOON).events
        if isinstance(event, e.DrawRecorded)
    ]
    closed = next(x for x in desk.close(at=NOON).events if isinstance(x, e.PeriodClosed))
    seed = bytes.fromhex(closed.seed)
    assert dice.commitment(seed) == opened.commitment
    for draw in rolled:
        assert dice.roll(seed, draw.address, (6, 6)) == list(draw.values)


def test_a_consequence_that_the_rules_do_not_give_is_named(desk: Game) -> None:
    number = desk.world.head + 2
    forge(
        desk,
        e.SubmissionReceived(**common(desk, id="x", by="Ann", action="decline")),
        e.AttributeSet(
            **common(desk, cause=number - 1, rules=("VIII.3@1",)),
            entity="Ann",
            attribute="speeding",
            value=True,
        ),
        e.AttemptDone(**common(desk, cause=number - 1, rules=("engine",)), attempt="x"),
    )
    report = replay(desk.ledger, "g", 1)
    assert not report.exact
    (difference,) = report.divergences
    assert (difference.event, difference.recorded) == (number, "Ann speeds")
    assert "decline needs to be told 'square'" in str(difference.by_rules)


def test_a_missing_consequence_is_named(desk: Game) -> None:
    made = e.ProposalMade(**common(desk, id="p", by="Ann", number=1, text="nothing"))
    done = e.AttemptDone(**common(desk, cause=desk.world.head + 1, rules=("engine",)), attempt="p")
    forge(desk, made, done)
    desk.catch_up()
    (difference,) = replay(desk.ledger, "g", 1).divergences
    assert difference.recorded == "done"
    assert "there is a new proposal" in str(difference.by_rules)


def test_a_period_that_was_not_played_is_refused(desk: Game) -> None:
    with pytest.raises(UnknownError, match="there is no period 5"):
        replay(desk.ledger, "g", 5)


def test_a_report_is_plain_data(desk: Game) -> None:
    report = msgspec.to_builtins(replay(desk.ledger, "g"))
    assert {"period", "mode", "exact", "compared", "unexplained", "divergences"} <= set(report)
