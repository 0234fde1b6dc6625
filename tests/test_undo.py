"""Taking back the last request."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.engine.undone import kept_places
from nomoledger.errors import CarriedOutError, UsageError
from nomoledger.events.rules import Amend
from nomoledger.game.counterfactual import WhatIf, WhatIfChanges
from nomoledger.game.exchange import export_ledger, import_ledger
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.rules_only_replay import replay_by_rules
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

NOON = datetime(2002, 3, 1, 12, tzinfo=UTC)
#: What an undone request leaves in the state.
COUNTED = ("recorded_at", "request", "shares", "followed")


def record_waiting_turn(ledger: Ledger) -> None:
    """A game with real dice, in which Ann's turn waits for them."""
    players: dict[str, Any] = {"players": {"Ann": {}, "Bob": {}}}
    book = load("mail-opening")
    desk = open_game(ledger, "g", book, given=players, dice_from="entered", at=NOON)
    desk.propose("Ann", "nothing", (), at=NOON)
    desk.judge(1, "rejected", at=NOON)


@pytest.fixture
def desk(copy_of: Callable[[Callable[[Ledger], object]], Path]) -> Iterator[Game]:
    with Ledger.open(copy_of(record_waiting_turn)) as ledger:
        yield Game(ledger, "g")


def test_a_request_waiting_behind_a_question_can_be_undone(desk: Game) -> None:
    desk.propose("Bob", "a mistake", (), at=NOON)
    assert 2 in desk.world.proposals
    desk.undo(at=NOON)
    assert 2 not in desk.world.proposals
    desk.enter_dice([1, 2], at=NOON)
    assert desk.world.kinds["proposal"] == ("proposal:1",)
    assert desk.world.label(desk.world.get("Ann", "square")) == 4
    assert replay(desk.ledger, "g", 1).exact


def test_a_request_that_was_carried_out_cannot_be_undone(desk: Game) -> None:
    desk.enter_dice([1, 2], at=NOON)
    with pytest.raises(UsageError, match="nothing to take back"):
        desk.undo(at=NOON)


def test_a_request_that_is_carried_out_in_part_is_not_undone_and_the_ruling_is_named(
    desk: Game,
) -> None:
    judged = desk.world.head - 1
    while not isinstance(desk.history.entries()[judged].body, e.ProposalJudged):
        judged -= 1
    command = f"nomoledger ruling 'It was a mistake' --reject {judged}"
    with pytest.raises(CarriedOutError, match="the last request is carried out") as refused:
        desk.undo(at=NOON)
    assert command in str(refused.value)
    assert (refused.value.verb, refused.value.words) == ("ruling", command[18:])
    ruled = desk.rule_on("reject", "It was a mistake", about=judged, at=NOON)
    assert ruled.refusals == []
    assert desk.world.waiting is None
    assert desk.world.agenda == ()
    assert desk.world.get("proposal:1", "state") == "undecided"


def test_an_accepted_proposal_is_not_undone_by_half(desk: Game) -> None:
    """The rule was amended and the proposal accepted, and only the turn still waited."""
    desk.enter_dice([1, 2], at=NOON)
    rules = desk.world.rules
    desk.propose("Bob", "ten days", (Amend("VIII.3", parameters={"days_open": 10}),), at=NOON)
    desk.judge(2, "accepted", at=NOON, id="judged")
    assert desk.world.rules != rules
    with pytest.raises(CarriedOutError, match="--reject"):
        desk.undo(at=NOON)
    judged = desk.ledger.find_input("g", "judged")
    desk.rule_on("reject", "It was a mistake", about=judged, at=NOON)
    assert desk.world.rules == rules
    assert desk.world.get("proposal:2", "state") == "undecided"


def test_the_clock_goes_back_with_the_request(desk: Game) -> None:
    before = essence(desk)
    desk.propose("Bob", "a mistake", (), at=NOON + timedelta(days=300))
    undone = desk.undo().events[0]
    assert undone.received_at == NOON
    assert essence(desk) == before
    desk.enter_dice([1, 2], at=NOON + timedelta(minutes=1))


def test_an_advance_with_which_nothing_fell_due_is_undone(desk: Game) -> None:
    before = essence(desk)
    desk.advance(at=NOON + timedelta(days=300))
    desk.undo()
    assert essence(desk) == before


def test_requests_are_undone_one_after_another(desk: Game) -> None:
    before = essence(desk)
    desk.propose("Bob", "a mistake", (), at=NOON)
    desk.order("Ann", "money(Ann) > 5000", (e.Act("buy", {"square": 4}),), at=NOON)
    desk.vote("Bob", 1, "yes", at=NOON)
    for _ in range(3):
        desk.undo()
    assert essence(desk) == before
    with pytest.raises(CarriedOutError, match="carried out"):
        desk.undo()


def test_a_dispute_is_not_undone_and_the_way_to_end_it_is_named(desk: Game) -> None:
    desk.dispute("Bob", "This cannot be right", period=1, at=NOON)
    with pytest.raises(CarriedOutError, match="nomoledger void dispute 1 'It was a mistake'"):
        desk.undo()


def test_a_ruling_is_not_undone(desk: Game) -> None:
    desk.rule("Nothing to see", changes=(Amend("VIII.3", parameters={"days_open": 9}),), at=NOON)
    with pytest.raises(CarriedOutError, match="--reject"):
        desk.undo()
    assert desk.world.rulings


def test_what_was_undone_plays_in_no_what_if_and_no_settlement(desk: Game) -> None:
    """Bob's turn, played again, would wait for dice that nobody rolled."""
    proposal = next(x for x in desk.history.entries() if isinstance(x.body, e.ProposalMade))
    desk.propose("Bob", "a mistake", (), at=NOON + timedelta(days=300), id="mistaken")
    desk.judge(2, "rejected", at=NOON + timedelta(days=300))
    desk.undo()
    desk.undo()
    desk.enter_dice([1, 2], at=NOON)
    assert same(desk.what_if(WhatIfChanges()))
    assert same(desk.what_if(WhatIfChanges(since=1)))
    rolled = desk.world.head
    while not isinstance(desk.history.entries()[rolled].body, e.DrawEntered):
        rolled -= 1
    other = desk.what_if(WhatIfChanges(edits=(e.Replaced(rolled, [2, 3]),)))
    assert other.stopped is None
    assert other.orphans == ()
    assert other.collisions == ()
    ruled = desk.rule_on("replace", "Five pips", edits=(e.Replaced(rolled, [2, 3]),), at=NOON)
    assert ruled.refusals == []
    assert desk.world.label(desk.world.get("Ann", "square")) == 6
    assert list(desk.world.proposals) == [1]
    with pytest.raises(UsageError, match="was taken back"):
        desk.what_if(
            WhatIfChanges(edits=(e.LeftOut(desk.ledger.find_input("g", "mistaken") or 0),))
        )
    assert proposal.body in desk.world.proposals.values()
    assert replay(desk.ledger, "g", 1).exact


def test_a_bisection_and_a_replay_by_the_rules_pass_over_what_was_undone(desk: Game) -> None:
    before = desk.world.head
    desk.propose("Bob", "a mistake", (), at=NOON + timedelta(days=300))
    desk.judge(2, "rejected", at=NOON + timedelta(days=300))
    desk.undo()
    desk.undo()
    desk.enter_dice([1, 2], at=NOON)
    bodies = [entry.body for entry in desk.history.entries()]
    left_out = sorted(set(range(len(bodies))) - set(kept_places(bodies)))
    assert left_out == list(range(before + 1, before + 5))
    found = desk.bisect("square(Ann) == 4", every=True)
    assert found.event is not None
    assert found.event > before + 4
    assert replay_by_rules(desk.ledger, "g", 1).otherwise == ()


def test_an_export_with_an_undone_request_is_imported(desk: Game, tmp_path: Path) -> None:
    desk.propose("Bob", "a mistake", (), at=NOON + timedelta(days=300))
    desk.undo()
    desk.enter_dice([1, 2], at=NOON + timedelta(hours=1))
    with (tmp_path / "g.jsonl").open("wb") as file:
        export_ledger(desk.ledger, file)
    with Ledger.open(tmp_path / "copy.db", create=True) as copy:
        with (tmp_path / "g.jsonl").open("rb") as file:
            import_ledger(copy, file)
        assert Game(copy, "g").world.digest() == desk.world.digest()
        assert replay(copy, "g", 1).exact


def test_the_clock_of_an_undo_tells_nothing_of_secret_requests(desk: Game) -> None:
    """Bob's secret order came in between; what everybody sees goes back to before it."""
    later = NOON + timedelta(hours=1)
    desk.order("Bob", "money(Bob) > 5000", (e.Act("buy", {"square": 4}),), at=later)
    desk.propose("Ann", "a mistake", (), at=later + timedelta(hours=1))
    assert desk.undo().events[0].received_at == NOON


def test_a_game_of_level_3_keeps_its_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nomoledger.game.start.NEWEST", 3)
    with Ledger.open(tmp_path / "g.db", create=True) as ledger:
        record_waiting_turn(ledger)
        desk = Game(ledger, "g")
        later = NOON + timedelta(days=3)
        desk.propose("Bob", "a mistake", (), at=later)
        with pytest.raises(UsageError, match="is already carried out"):
            desk.undo(at=NOON)
        undone = desk.undo(at=later).events[0]
        assert isinstance(undone, e.InputWithdrawn)
        assert not undone.undoes
        assert 2 not in desk.world.proposals


def essence(game: Game) -> Any:
    """The state but for what is only counted: when it was recorded, and the limits used."""
    kept = {k: v for k, v in game.world.game.items() if k not in COUNTED}
    return kept, {k: v for k, v in game.world.tables().items() if k != "game"}


def same(result: WhatIf) -> bool:
    return result.difference is None and result.stopped is None and not result.orphans


def test_a_request_cannot_be_undone_after_a_die_was_seen(desk: Game) -> None:
    book = load(str(Path(__file__).parent / "rulebooks" / "proof.md"))
    given: dict[str, Any] = {"players": {"Ann": {}}}
    other = open_game(desk.ledger, "h", book, given=given, secret=b"s" * 32, at=NOON)
    other.submit("Ann", "take_turn", at=NOON, id="turn")
    assert other.waiting("choice").text.startswith("buy")
    with pytest.raises(UsageError, match="a die or an answer was seen"):
        other.undo(at=NOON)
