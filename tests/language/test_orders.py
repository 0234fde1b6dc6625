"""Standing orders: they wait, lapse, run as a whole, and run in the order that the rules decide."""

from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.engine import standing_orders
from nomoledger.engine.statements import Statement
from nomoledger.errors import UsageError
from nomoledger.language.program import link

from .inline import Play, kinds

SHOP = {
    "1": """
def on_enact():
    for n in range(3):
        create("square", {"number": n + 1})

def action_buy(player: Player, square: Square, price: Number = 10):
    pay(player, "admin", price, "square")
    set(square, "owner", player)

def action_call(player: Player, square: Square, name: Text):
    set(square, "name", name)

def action_hush(player: Player):
    set(player, "mark", "hushed")

def forbid_buy(player, square, price):
    if get(square, "owner") != None:
        return "it is taken"
    if balance(player, "$") < price:
        return "that is more than there is"

def value_worth(square: Square): return 7 * get(square, "number")
"""
}
DATA = {"1": "declares: {square: {number: Number key, owner: Player, name: Text}}\nsecret: [hush]"}


def shop(more: str = "") -> Play:
    return Play(SHOP | ({"2": more} if more else {}), DATA)


def order(play: Play, when: str, *acts: tuple[str, dict[str, Any]], **fields: Any) -> list[e.Event]:
    by = fields.pop("by", "Ann")
    orders = tuple(e.Act(action, arguments) for action, arguments in acts)
    return play.take(e.OrderGiven, by=by, when=when, acts=orders, audience=(by,), **fields)


def buy(square: int, price: int = 10) -> tuple[str, dict[str, Any]]:
    return "buy", {"square": square, "price": price}


def owner(play: Play, square: int) -> Any:
    return play.world.get(play.world.find("square", square) or "", "owner")


def test_an_order_waits_and_runs_once() -> None:
    play = shop()
    assert kinds(order(play, "mark(Bob) == ready", buy(1))) == []
    play.go()
    assert owner(play, 1) is None
    play.take(e.SubmissionReceived, by="Bob", action="hush")
    assert owner(play, 1) is None
    order(play, "owner(1) == none", buy(1), by="Bob")
    assert owner(play, 1) == "Bob"
    assert not play.world.orders.get("i5")


def test_an_order_whose_condition_holds_runs_at_once() -> None:
    play = shop()
    assert "OrderFired" in kinds(order(play, "money(Ann) >= 100", buy(2)))
    assert owner(play, 2) == "Ann"
    assert play.money() == 90


def test_an_order_fails_as_a_whole() -> None:
    play = shop()
    order(play, "yes", buy(1), ("call", {"square": 1, "name": "Home"}), buy(2, 95))
    assert play.refused == "1@1: that is more than there is"
    assert owner(play, 1) is None
    assert play.money() == 100
    assert not play.world.orders


def test_an_order_lapses_when_its_guard_fails_once() -> None:
    play = shop(
        "def action_mark(player: Player, as: Text): set(player, 'mark', as)".replace("as", "word")
    )
    order(play, "score(Ann) == 1", buy(1), holds="mark(Bob) != away")
    for word in ("away", "back"):
        play.take(e.SubmissionReceived, by="Bob", action="mark", arguments={"word": word})
    assert not play.world.orders
    assert kinds(order(play, "mark(Bob) == back", buy(3), holds="owner(3) == Bob")) == [
        "OrderLapsed"
    ]


def test_an_order_lapses_when_another_player_is_first() -> None:
    play = shop()
    order(
        play, "closing()", buy(1), ("call", {"square": 1, "name": "Mine"}), holds="owner(1) == none"
    )
    play.take(e.SubmissionReceived, by="Bob", action="buy", arguments={"square": 1})
    lapsed = [event for event in play.last if isinstance(event, e.OrderLapsed)]
    assert [event.why for event in lapsed] == ["owner(1) == none is no longer so"]
    assert lapsed[0].audience == ("Ann",)
    play.close()
    assert owner(play, 1) == "Bob"


@pytest.mark.parametrize(("rule", "first"), [
    ("", "Bob"),
    ("def value_choice_order(): return ['Ann', 'Bob']", "Ann"),
    ("def value_choice_order(): return ['Bob', 'Ann']", "Bob"),
])  # fmt: skip
def test_rules_decide_whose_order_runs_first(rule: str, first: str) -> None:
    play = shop(rule)
    for player in ("Bob", "Ann"):
        order(play, "closing()", buy(1), by=player)
    play.close()
    assert owner(play, 1) == first
    assert play.refused == "1@1: it is taken"


def test_an_order_can_answer_a_question_to_its_player() -> None:
    play = shop(
        "def action_offer(player: Player):\n    for other in ['Bob', 'Ann']:\n"
        "        if ask(other, 'Buy it?', ['yes', 'no'], 'no') == 'yes':\n"
        "            set(other, 'mark', 'bought')\n"
    )
    order(play, "asked(Ann) == 'Buy it?'", answer="yes")
    play.take(e.SubmissionReceived, by="Bob", action="offer")
    assert play.asked.to == "Bob"
    play.decide("no")
    assert (play.get("mark"), play.get("mark", "Bob")) == ("bought", None)
    assert play.world.waiting is None


def test_no_order_runs_before_a_suspended_attempt() -> None:
    play = shop("def action_offer(player: Player): ask(player, 'Well?', ['a', 'b'])")
    order(play, "asked(Ann) == 'Well?'", buy(1))
    play.take(e.SubmissionReceived, by="Ann", action="offer")
    assert owner(play, 1) is None
    assert play.asked.text == "Well?"


def test_an_order_ends_with_the_game() -> None:
    play = shop("def action_finish(player: Player): end_game('enough')")
    order(play, "ended() == enough", buy(1))
    play.take(e.SubmissionReceived, by="Ann", action="finish")
    assert not play.world.orders
    assert owner(play, 1) is None


def test_an_order_is_secret_only_if_all_its_actions_are() -> None:
    play = shop()
    order(play, "yes", ("hush", {}))
    assert {event.audience for event in play.last} == {("Ann",)}
    order(play, "yes", buy(1), ("hush", {}))
    assert {
        event.audience for event in play.last if not isinstance(event, e.OrderGiven | e.OrderFired)
    } == {None}


@pytest.mark.parametrize(("text", "expected"), [
    ("money(Ann) == 100", True),
    ("money('Ann') < 100", False),
    ("paint(Ann) == 0 and score(Ann) == none", True),
    ("not (money(Ann) > 5 or money(Bob) > 5)", False),
    ("1 <= period() < 2", True),
    ("worth(3) == 21", True),
    ("worth(9) == 21", False),
    ("owner(9) == none", True),
    ("score(Ann) < 5", False),
    ("number(2) in [2, 3]", True),
    ("-5 < money(Bob)", True),
    ("closing()", False),
])  # fmt: skip
def test_conditions(text: str, expected: bool) -> None:
    play = shop()
    assert Statement(text).holds(play.world, link(play.world.ruleset)) is expected


@pytest.mark.parametrize("text", [
    "", "money(Ann", "money(Ann).x == 1", "[x for x in y]", "lambda: 1", "money(Ann=1)",
    "__import__('os')()", "'a' * 10 ** 9", "f'{1}'", "x" * 2_000, "(" * 900,
])  # fmt: skip
def test_malformed_conditions(text: str) -> None:
    with pytest.raises(UsageError, match="statement"):
        Statement(text)


def test_conditions_with_unknown_names() -> None:
    play = shop()
    with pytest.raises(UsageError, match="nothing in the game is called 'wealth'"):
        Statement("wealth(Ann) > 1").check_names(play.world, link(play.world.ruleset))


def test_the_oldest_order_comes_first_after_a_rollback() -> None:
    """What is undone puts an order back at the end of its table, but not at the end of the row."""
    play = shop()
    order(play, "period() > 1", buy(1), by="Ann")
    order(play, "period() > 1", buy(1), by="Bob")
    mark = play.world.mark()
    play.world.drop(play.world.orders, next(iter(play.world.orders)))
    play.world.rollback(mark)
    fired = play.take(e.CloseAsked)
    assert [x.audience for x in fired if isinstance(x, e.OrderFired)] == [("Ann",), ("Bob",)]


@pytest.mark.parametrize("statement", ["when", "holds"])
def test_an_order_lapses_when_the_code_of_a_rule_fails_in_it(statement: str) -> None:
    play = shop("def value_share(square: Square): return 12 // (get(square, 'number') - 1)\n")
    statements = {"when": "mark(Bob) == ready"} | {statement: "share(1) > 3"}
    when = statements.pop("when")
    play.take(e.SubmissionReceived, by="Bob", action="hush")
    assert "OrderLapsed" in kinds(order(play, when, buy(1), **statements))
    play.take(e.SubmissionReceived, by="Bob", action="hush")
    assert play.refused == ""
    assert owner(play, 1) is None


FOLLOWED = {
    "1": """
def action_start(player: Player):
    schedule("first_step", player)
    schedule("second_step", player)
def define_first_step(player): set(player, "score", 1)
def define_second_step(player): set(player, "score", 2)
def action_note(player: Player): set(player, "mark", str(get("Ann", "score")))
"""
}


def test_orders_are_looked_at_between_the_attempts_that_follow_from_a_request() -> None:
    play = Play(FOLLOWED)
    order(play, "score(Ann) != none", ("note", {}), by="Bob")
    play.take(e.SubmissionReceived, by="Ann", action="start")
    assert play.get("mark", "Bob") == "1"


@pytest.mark.parametrize(
    ("when", "holds"), [("period() == 2", ""), ("score(Ann) == 5", "period() == 1")]
)
def test_what_a_statement_says_of_the_period_is_looked_at_in_the_new_period(
    when: str, holds: str
) -> None:
    play = Play(FOLLOWED)
    order(play, when, ("note", {}), holds=holds, by="Bob")
    events = play.close().last
    (closed,) = [i for i, event in enumerate(events) if isinstance(event, e.PeriodClosed)]
    after = events[closed + 1 :]
    assert isinstance(after[0], e.OrderFired | e.OrderLapsed)
    assert {event.period for event in after} == {2}


def test_a_player_can_have_only_so_many_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing_orders, "ORDERS_MAX", 2)
    play = Play(FOLLOWED)
    for by in ("Ann", "Bob", "Bob"):
        assert kinds(order(play, "score(Ann) == 5", ("note", {}), by=by)) == []
    (lapsed,) = order(play, "score(Ann) == 5", ("note", {}), by="Bob")[1:]
    assert isinstance(lapsed, e.OrderLapsed)
    assert lapsed.why == "a player can have at most 2 standing orders"
    assert len(play.world.orders) == 3


def test_a_value_in_a_statement_takes_only_so_many_operations() -> None:
    endless = """
def value_far():
    for n in range(100000): near()
    return 1
def value_near(): return [n for n in [1]][0]
"""
    play = Play(FOLLOWED | {"2": endless})
    order(play, "far() == 1", ("note", {}), by="Bob")
    assert play.go().world.orders  # the value is none, as where the rules refuse it
