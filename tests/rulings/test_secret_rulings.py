"""Rulings on secrets, standing orders and withdrawn requests."""

import pytest

from nomoledger import events as e
from nomoledger.engine.settlement.timeline import Timeline

from .game import RuledGame, essence, folded, refused
from .rules import RULES


def plotted() -> tuple[RuledGame, int]:
    """Ann events a secret plan, which gave her paint, in a period that is closed."""
    game = RuledGame(RULES)
    for name in ("Ann", "Bob"):
        game.ask("join", name)
    number = game.go("Ann", "plot", plan="all of it")
    game.ask("close")
    while game.world.waiting is not None:
        game.ask("answer", "money")
    assert game.world.period == 2
    return game, number


def test_the_correction_of_a_secret_is_as_secret() -> None:
    game, number = plotted()
    events = game.rule_on("reject", about=number, settle="all")
    assert refused(events) == ""
    assert (game.world.get("Ann", "plan"), game.money("Ann", "paint")) == (None, 0)
    assert events[0].audience == ("Ann",)
    for event in events:
        if isinstance(event, e.AttributeSet) or "paint" in str(event):
            assert event.audience in (("Ann",), ())
    public = [event for event in events if event.audience is None]
    assert not any("all of it" in str(event) or "paint" in str(event) for event in public)


def test_an_overlooked_secret_is_added_as_a_secret() -> None:
    game, number = plotted()
    events = game.rule_on("replace", e.TakenIn(number + 1, "Bob", "plot", {"plan": "mine"}))
    assert game.world.past[1]["attributes"]["Bob"]["plan"] == "mine"
    assert events[0].audience == ("Bob",)
    assert not any("mine" in str(event) for event in events if event.audience is None)


def test_a_collision_with_a_secret_does_not_reveal_it() -> None:
    game = RuledGame(RULES)
    for name in ("Ann", "Bob"):
        game.ask("join", name)
    joined = game.last(e.JoinRequested)
    number = game.go("Bob", "plot", plan="all of it")
    events = game.rule_on("reject", about=joined)
    assert refused(events) == f"later play does not fit: #{number}, which not everybody saw"


def test_a_rejected_standing_order_lapses() -> None:
    game = RuledGame(RULES)
    game.ask("join", "Ann")
    before = essence(game.world)
    game.ask("order", "Ann", "money(Ann) >= 1000", (e.Act("buy"),))
    game.rule_on("reject", about=game.last(e.OrderGiven))
    assert game.world.orders == {}
    assert essence(game.world) == before


def test_a_ruling_that_would_reopen_a_standing_order_is_refused() -> None:
    game = RuledGame(RULES, "entered")
    game.ask("join", "Ann")
    game.go("Ann", "go")
    game.ask("enter_dice", [3, 4])  # to 8, which pays
    roll = game.last(e.DrawEntered)
    game.ask("order", "Ann", "money(Ann) >= 105", (e.Act("buy"),))
    assert game.world.orders == {}
    events = game.rule_on("replace", e.Replaced(roll, [2, 3]))
    assert "a standing order that was carried out would still be open" in refused(events)
    assert folded(game.entries).digest() == game.world.digest()


def test_a_withdrawal_that_comes_too_late_is_an_orphan_up_to_level_3(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{RuledGame.__module__}.NEWEST", 3)
    game = RuledGame(RULES, "entered")
    game.ask("join", "Ann")
    game.go("Ann", "go")
    game.ask("enter_dice", [2, 4])  # Ann is asked
    roll = game.last(e.DrawEntered)
    game.go("Ann", "buy")
    game.ask("undo")
    timeline = Timeline(game.entries, [e.Replaced(roll, [2, 3])])
    for _ in timeline.run():
        pass
    assert [orphan.why for orphan in timeline.orphans()] == ["the request was carried out before"]
