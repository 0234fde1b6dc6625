"""A ruling is settled whole or not at all: retries, crashes, other writers, a ledger on disk."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from nomoledger import events as e
from nomoledger.engine.settlement.ruling_validity import rulings_in_force
from nomoledger.errors import ConflictError, UsageError
from nomoledger.game.counterfactual import WhatIfChanges, what_if
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.as_of import as_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

from .game import NOON, SECRET, QuickDesk, essence, folded
from .mail import Mail


def test_a_repeated_ruling_is_harmless() -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    first = game.rule_on("replace", e.Replaced(roll, [1, 2]), id="once")
    before = len(game.entries)
    assert game.rule_on("replace", e.Replaced(roll, [1, 2]), id="once") == first
    assert len(game.entries) == before


def test_the_ruling_and_all_that_follows_from_it_are_one_transaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    stored: list[Sequence[e.Event]] = []
    append = game.memory.append

    def keep(game: str, bodies: Sequence[e.Event], **at: Any) -> None:
        stored.append(bodies)
        append(game, bodies, **at)

    monkeypatch.setattr(game.memory, "append", keep)
    game.rule_on("replace", e.Replaced(roll, [1, 2]))
    (batch,) = stored
    assert isinstance(batch[0], e.RulingMade)
    assert isinstance(batch[-1], e.AttemptDone)


def test_a_ruling_that_is_not_settled_yet_is_settled_when_play_resumes() -> None:
    game, other = Mail(), Mail()
    for each in (game, other):
        roll = each.turn("Ann", 3, 4)
        each.rule_on("replace", e.Replaced(roll, [1, 2]))
    number = game.last(e.RulingMade)
    del game.memory.entries[number + 1 :]
    desk = QuickDesk(cast(Ledger, game.memory), "g")
    desk.resume()
    assert essence(desk.world) == essence(other.world)
    assert game.entries == other.entries


def test_a_ruling_of_another_writer_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    late = QuickDesk(cast(Ledger, game.memory), "g", clock=lambda: game.at)
    append = game.memory.append

    def interrupted(name: str, bodies: Sequence[e.Event], **at: Any) -> None:
        monkeypatch.setattr(game.memory, "append", append)
        game.rule_on("replace", e.Replaced(roll, [1, 2]))
        raise ConflictError("somebody else appended")

    monkeypatch.setattr(game.memory, "append", interrupted)
    with pytest.raises(UsageError, match=rf"ruling 1 \(replace\) is about #{roll}"):
        late.rule_on("replace", "So.", edits=(e.Replaced(roll, [2, 3]),))
    assert [each.number for each in rulings_in_force(folded(game.entries))] == [1]


def test_two_writers_can_rule_on_different_events() -> None:
    game = Mail()
    first, second = game.turn("Ann", 3, 4), game.turn("Bob", 3, 4)
    late = QuickDesk(cast(Ledger, game.memory), "g", clock=lambda: game.at)
    game.rule_on("replace", e.Replaced(first, [1, 2]))
    late.rule_on("replace", "So.", edits=(e.Replaced(second, [1, 3]),), at=game.at)
    assert late.world.get("Ann", "square") == "square:4"
    assert late.world.get("Bob", "square") == "square:5"


# --- on disk, with a worker ---------------------------------------------------------------------


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Game]:
    """Two periods in which Ann and Bob took a turn each, and Ann bought what she came to."""
    with Ledger.open(tmp_path / "game.db", create=True) as ledger:
        book = load("mail-opening")
        desk = open_game(ledger, "g", book, dice_from="entered", at=NOON, secret=SECRET)
        desk.clock = lambda: NOON
        for name, dice in (("Ann", [3, 4]), ("Bob", [1, 2])):
            desk.join(name, {"email": name})
            desk.propose(name, "Text.", ())
            desk.judge(len(desk.world.proposals), "accepted")
            desk.enter_dice(dice)
            if name == "Ann":
                desk.submit("Ann", "buy", {"square": 8})
            desk.close()
        yield desk


def first_roll(desk: Game) -> int:
    return next(x.number for x in desk.ledger.read("g") if isinstance(x.body, e.DrawEntered))


def test_every_period_is_replayed_and_proved_after_rulings(desk: Game) -> None:
    published = [essence(as_of(desk.ledger, "g", period)) for period in (1, 2)]
    edit = e.Replaced(first_roll(desk), [1, 2])
    desk.rule_on("replace", "A 1 and a 2.", edits=(edit,), settle="all")
    desk.close()
    desk.rule_on("replace", "After all not.", overrules=(1,), settle="all")
    assert [replay(desk.ledger, "g", period).divergences for period in (1, 2, 3, 4)] == [()] * 4
    assert desk.ledger.verify("g").ok
    assert [essence(as_of(desk.ledger, "g", period)) for period in (1, 2)] == published
    assert Game(desk.ledger).world.digest() == desk.world.digest()


def test_a_what_if_previews_a_settlement_and_writes_nothing(desk: Game) -> None:
    edit, head = e.Replaced(first_roll(desk), [1, 2]), desk.ledger.head("g")
    found = what_if(desk.ledger, "g", WhatIfChanges(edits=(edit,)))
    assert desk.ledger.head("g") == head
    told = {(x.subject, x.what): (x.recorded, x.rerun) for x in found.otherwise}
    assert told["Ann", "square"] == (8, 4)
    assert told["Ann", "$"] == (920, 1000)
    assert told["square 8", "owner"] == ("Ann", None)
    assert not any(subject == "Bob" for subject, _ in told)
    desk.rule_on("replace", "A 1 and a 2.", edits=(edit,), settle="all")
    again = what_if(desk.ledger, "g", WhatIfChanges(since=1))
    assert (again.otherwise, again.stopped) == ((), None)
