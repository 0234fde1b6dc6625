"""A ruling is settled whole or not at all: retries, crashes, concurrent writers, stored ledgers."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.rulebook.loading import load

from .game import NOON, SECRET, essence, folded
from .mail import Mail


def test_a_repeated_ruling_is_harmless() -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    first = game.rule_on("replace", e.Replaced(roll, [1, 2]), id="once")
    before = len(game.entries)
    assert game.rule_on("replace", e.Replaced(roll, [1, 2]), id="once") == first
    assert len(game.entries) == before


def test_a_ruling_and_its_consequences_are_one_transaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    stored: list[Sequence[e.Event]] = []
    append = game.ledger.append

    def keep(game: str, bodies: Sequence[e.Event], **at: Any) -> None:
        stored.append(bodies)
        append(game, bodies, **at)

    monkeypatch.setattr(game.ledger, "append", keep)
    game.rule_on("replace", e.Replaced(roll, [1, 2]))
    (batch,) = stored
    assert isinstance(batch[0], e.RulingMade)
    assert isinstance(batch[-1], e.AttemptDone)


def test_an_unsettled_ruling_is_settled_when_play_resumes() -> None:
    game, complete = Mail(), Mail()
    for mail in (game, complete):
        roll = mail.turn("Ann", 3, 4)
        mail.rule_on("replace", e.Replaced(roll, [1, 2]))
    number = game.last(e.RulingMade)
    ledger = Ledger(MemoryStore())
    ledger.add_game("g", SECRET)
    ledger.append("g", [entry.body for entry in game.entries[: number + 1]], expected=-1)
    resumed = Game(ledger, "g")
    resumed.resume()
    assert essence(resumed.world) == essence(complete.world)
    assert list(ledger.read("g")) == complete.entries


def test_a_ruling_that_another_writer_contradicts_first_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    late = Game(game.ledger, "g", clock=lambda: game.at)
    append = game.ledger.append

    def interrupted(name: str, bodies: Sequence[e.Event], **at: Any) -> None:
        monkeypatch.setattr(game.ledger, "append", append)
        game.rule_on("replace", e.Replaced(roll, [1, 2]))
        raise ConflictError("somebody else appended")

    monkeypatch.setattr(game.ledger, "append", interrupted)
    with pytest.raises(UsageError, match=rf"ruling 1 \(replace\) is about #{roll}"):
        late.rule_on("replace", "So.", edits=(e.Replaced(roll, [2, 3]),))
    assert [ruling.number for ruling in rulings_in_force(folded(game.entries))] == [1]


def test_two_writers_can_rule_on_different_events() -> None:
    game = Mail()
    first, second = game.turn("Ann", 3, 4), game.turn("Bob", 3, 4)
    late = Game(game.ledger, "g", clock=lambda: game.at)
    game.rule_on("replace", e.Replaced(first, [1, 2]))
    late.rule_on("replace", "So.", edits=(e.Replaced(second, [1, 3]),), at=game.at)
    assert late.world.get("Ann", "square") == "square:4"
    assert late.world.get("Bob", "square") == "square:5"


# --- stored ledgers, with a sandbox -------------------------------------------------------------


@pytest.fixture
def live_game(tmp_path: Path) -> Iterator[Game]:
    """Ann and Bob each took a turn, in two periods, and Ann bought the square she landed on."""
    with Ledger.open(tmp_path / "game.db", create=True) as ledger:
        book = load("mail-opening")
        live_game = open_game(ledger, "g", book, dice_from="entered", at=NOON, secret=SECRET)
        live_game.clock = lambda: NOON
        for name, dice in (("Ann", [3, 4]), ("Bob", [1, 2])):
            live_game.join(name, {"email": name})
            live_game.propose(name, "Text.", ())
            live_game.judge(len(live_game.world.proposals), "accepted")
            live_game.enter_dice(dice)
            if name == "Ann":
                live_game.submit("Ann", "buy", {"square": 8})
            live_game.close()
        yield live_game


def first_roll(live_game: Game) -> int:
    return next(x.number for x in live_game.ledger.read("g") if isinstance(x.body, e.DrawEntered))


@pytest.mark.slow
def test_every_period_replays_and_verifies_after_rulings(live_game: Game) -> None:
    published = [essence(as_of(live_game.ledger, "g", period)) for period in (1, 2)]
    edit = e.Replaced(first_roll(live_game), [1, 2])
    live_game.rule_on("replace", "A 1 and a 2.", edits=(edit,), settle="all")
    live_game.close()
    live_game.rule_on("replace", "After all not.", overrules=(1,), settle="all")
    assert [replay(live_game.ledger, "g", period).divergences for period in (1, 2, 3, 4)] == [
        ()
    ] * 4
    assert live_game.ledger.verify("g").ok
    assert [essence(as_of(live_game.ledger, "g", period)) for period in (1, 2)] == published
    assert Game(live_game.ledger).world.digest() == live_game.world.digest()


def test_a_what_if_predicts_the_settlement_and_writes_nothing(live_game: Game) -> None:
    edit, head = e.Replaced(first_roll(live_game), [1, 2]), live_game.ledger.head("g")
    result = what_if(live_game.ledger, "g", WhatIfChanges(edits=(edit,)))
    assert live_game.ledger.head("g") == head
    differences = {(x.subject, x.what): (x.recorded, x.rerun) for x in result.otherwise}
    assert differences["Ann", "square"] == (8, 4)
    assert differences["Ann", "$"] == (920, 1000)
    assert differences["square 8", "owner"] == ("Ann", None)
    assert not any(subject == "Bob" for subject, _ in differences)
    live_game.rule_on("replace", "A 1 and a 2.", edits=(edit,), settle="all")
    again = what_if(live_game.ledger, "g", WhatIfChanges(since=1))
    assert (again.otherwise, again.stopped) == ((), None)
