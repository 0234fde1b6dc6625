"""What was told to some only stays so when it is put right; orders; what was taken back."""

from nomoledger import events as e
from nomoledger.engine.settlement.timeline import Timeline

from .game import RuledGame, essence, folded, refused
from .rules import RULES


def plotted() -> tuple[RuledGame, int]:
    """Ann has made a secret plan, which costs paint, in a week that is closed."""
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
    made = game.rule_on("reject", about=number, settle="all")
    assert refused(made) == ""
    assert (game.world.get("Ann", "plan"), game.money("Ann", "paint")) == (None, 0)
    assert made[0].audience == ("Ann",)
    for each in made:
        if isinstance(each, e.AttributeSet) or "paint" in str(each):
            assert each.audience in (("Ann",), ())
    public = [each for each in made if each.audience is None]
    assert not any("all of it" in str(each) or "paint" in str(each) for each in public)


def test_an_overlooked_secret_stays_secret() -> None:
    game, number = plotted()
    made = game.rule_on("replace", e.TakenIn(number + 1, "Bob", "plot", {"plan": "mine"}))
    assert game.world.past[1]["attributes"]["Bob"]["plan"] == "mine"
    assert made[0].audience == ("Bob",)
    assert not any("mine" in str(each) for each in made if each.audience is None)


def test_a_collision_with_a_secret_is_not_revealed() -> None:
    game = RuledGame(RULES)
    for name in ("Ann", "Bob"):
        game.ask("join", name)
    joined = game.last(e.JoinRequested)
    number = game.go("Bob", "plot", plan="all of it")
    made = game.rule_on("reject", about=joined)
    assert refused(made) == f"later play does not fit: #{number}, which not everybody saw"


def test_a_standing_order_that_is_left_out_disappears() -> None:
    game = RuledGame(RULES)
    game.ask("join", "Ann")
    before = essence(game.world)
    game.ask("order", "Ann", "money(Ann) >= 1000", (e.Act("buy"),))
    game.rule_on("reject", about=game.last(e.OrderGiven))
    assert game.world.orders == {}
    assert essence(game.world) == before


def test_an_order_that_was_carried_out_cannot_be_made_open_again() -> None:
    game = RuledGame(RULES, "entered")
    game.ask("join", "Ann")
    game.go("Ann", "go")
    game.ask("enter_dice", [3, 4])  # to 8, which pays
    roll = game.last(e.DrawEntered)
    game.ask("order", "Ann", "money(Ann) >= 105", (e.Act("buy"),))
    assert game.world.orders == {}
    made = game.rule_on("replace", e.Replaced(roll, [2, 3]))
    assert "a standing order that was carried out would still be open" in refused(made)
    assert folded(game.entries).digest() == game.world.digest()


def test_an_undone_request_may_be_carried_out_in_the_replay() -> None:
    game = RuledGame(RULES, "entered")
    game.ask("join", "Ann")
    game.go("Ann", "go")
    game.ask("enter_dice", [2, 4])  # Ann is asked
    roll = game.last(e.DrawEntered)
    game.go("Ann", "buy")
    game.ask("undo")
    course = Timeline(game.entries, [e.Replaced(roll, [2, 3])])
    for _ in course.run():
        pass
    assert [each.why for each in course.orphans()] == ["it is carried out by then"]
