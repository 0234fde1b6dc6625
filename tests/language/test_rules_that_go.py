"""Rules go, and the game goes on: names that outlive rules, and what is under way."""

from decimal import Decimal
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.events.rules import Amend, Change, Enact, Renumber, Repeal, Rule

from .inline import Play, kinds


def emitted(play: Play, kind: type[e.Event]) -> list[e.Event]:
    return [event for event in play.last if isinstance(event, kind)]


# --- binding by name ------------------------------------------------------------------------------


def test_a_hook_receives_the_arguments_that_it_names() -> None:
    play = Play({
        "1": "def action_buy(player: Player, item: Text, price: Number): pass\n",
        "2": "def forbid_buy(price):\n    if price > 5: return 'too dear'\n",
        "3": "def after_buy(item, player): set(player, 'mark', item)\n",
    })  # fmt: skip
    for price in (6, 5):
        arguments = {"item": "hat", "price": price}
        play.take(e.SubmissionReceived, by="Ann", action="buy", arguments=arguments)
        assert play.refused == ("2@1: too dear" if price > 5 else "")
    assert play.get("mark") == "hat"


def test_an_after_hook_receives_the_result_by_its_kind() -> None:
    join = (
        "def define_join(name: Text) -> Player:\n"
        "    return create('player', {'name': name}, name)\n"
    )
    play = Play({"1": join, "2": "def after_join(player): mint(player, 7)\n"})
    play.take(e.JoinRequested, name="Cleo")
    assert play.money("Cleo") == 7


def test_an_after_hook_receives_the_result_by_that_name() -> None:
    play = Play({
        "1": "def after_go_on(player): throw(player)\ndef define_throw(player): return 3\n",
        "2": "def after_throw(result, player): set(player, 'score', result)\n",
    })  # fmt: skip
    assert play.go().get("score") == 3


def test_a_name_that_the_operation_lost_is_none() -> None:
    play = Play({
        "1": "def after_go_on(player): pay_fee(player, 2)\ndef define_pay_fee(player, fee): pass\n",
        "2": "def after_pay_fee(fee): set('Ann', 'mark', 'none' if fee == None else 'some')\n",
    })  # fmt: skip
    renamed = (
        "def after_go_on(player): pay_fee(player, 2)\ndef define_pay_fee(player, cost): pass\n"
    )
    assert play.go().get("mark") == "some"
    assert play.rule(Amend("1", code=renamed)).go().get("mark") == "none"


# --- what a rule declares outlives it -------------------------------------------------------------


def test_an_act_that_no_rule_defines_any_more_does_nothing_and_has_no_hooks() -> None:
    play = Play({
        "1": "def after_go_on(player): fine(player)\n",
        "2": "def define_fine(player): burn(player, 5)\n",
        "3": "def after_fine(player): set(player, 'mark', 'fined')\n",
    })  # fmt: skip
    play.rule(Repeal("2")).go()
    assert (play.refused, play.money(), play.get("mark")) == ("", 100, None)


@pytest.mark.parametrize(
    ("type_", "result", "neutral"),
    [
        ("Number", "3", 0),
        ("Money", "3", 0),
        ("Flag", "True", False),
        ("List", "[1]", []),
        ("Player", "'Ann'", None),
        ("Text", "'a'", None),
    ],
)
def test_a_value_that_no_rule_defines_any_more_is_neutral(
    type_: str, result: str, neutral: object
) -> None:
    play = Play({
        "1": "def after_go_on(player): set(player, 'mark', repr(worth(player)))\n",
        "2": f"def value_worth(player: Player) -> {type_}: return {result}\n",
    })  # fmt: skip
    assert play.rule(Repeal("2")).go().get("mark") == repr(neutral)


@pytest.mark.parametrize(
    ("result", "neutral"), [("[1]", []), ("1 < 2", False), ("len([1])", 0), ("'a'", None)]
)
def test_the_code_of_a_former_value_shows_its_type(result: str, neutral: object) -> None:
    play = Play({
        "1": "def after_go_on(player): set(player, 'mark', repr(worth(player)))\n",
        "2": f"def value_worth(player: Player): return {result}\n",
    })  # fmt: skip
    assert play.rule(Repeal("2")).go().get("mark") == repr(neutral)


def test_a_parameter_shows_the_type_of_a_former_value() -> None:
    play = Play(
        {
            "1": "def after_go_on(player): set(player, 'score', len(colors()))\n",
            "2": "def value_colors(): return known\n",
        },
        {"2": "parameters: {known: [red, blue]}"},
    )
    assert play.go().get("score") == 2
    assert play.rule(Repeal("2")).go().get("score") == 0


def test_hooks_still_alter_a_value_that_no_rule_defines_any_more() -> None:
    play = Play({
        "1": "def after_go_on(player): set(player, 'score', worth(player))\n",
        "2": "def value_worth(player: Player): return 3\n",
        "3": "def adjust_worth(player): return add(4)\n",
    })  # fmt: skip
    assert play.rule(Repeal("2")).go().get("score") == 4


@pytest.mark.parametrize("declared", ["moments: {rest: {player: Player}}", ""])
def test_a_moment_still_happens_without_its_rule(declared: str) -> None:
    empty = "" if declared else "def define_rest(player): 'Others react.'\n"
    play = Play(
        {
            "1": "def after_go_on(player): rest(player)\n",
            "2": empty or "def value_two(): return 2\n",
            "3": "def after_rest(player): mint(player, 1)\n",
        },
        {"2": declared},
    )
    assert play.go().money() == 101
    assert play.rule(Repeal("2")).go().money() == 102


def test_commodities_accounts_and_the_money_outlive_their_rules() -> None:
    code = (
        "def action_play(player: Player):\n    pay(player, 'pot', 5)\n"
        "    mint('Bob', 1, '', 'hat')\n"
    )
    data = "accounts: [pot]\ncommodities: {hat: {}}"
    play = Play({"1": code, "2": "def value_two(): return 2\n"}, {"2": data})
    play.rule(Repeal("2"), Repeal("0"))
    play.take(e.SubmissionReceived, by="Ann", action="play")
    assert play.refused == ""
    assert (play.money(), play.money("pot"), play.money("Bob", "hat")) == (95, 5, 1)


def test_a_parameter_of_a_repealed_rule_keeps_its_last_value() -> None:
    play = Play(
        {
            "1": "def after_go_on(player): set(player, 'score', param('2', 'fee'))\n",
            "2": "def value_fee(): return fee\n",
        },
        {"2": "parameters: {fee: 5}"},
    )
    play.rule(Amend("2", parameters={"fee": 6}))
    assert play.rule(Repeal("2")).go().get("score") == 6


def test_a_parameter_is_found_under_the_old_number_of_its_rule() -> None:
    play = Play(
        {
            "1": "def after_go_on(player): set(player, 'score', param('2', 'fee'))\n",
            "2": "def value_fee(): return fee\n",
        },
        {"2": "parameters: {fee: 5}"},
    )
    assert play.rule(Renumber("2", "7.1")).go().get("score") == 5


def test_a_repealed_name_that_a_new_rule_defines_works_again() -> None:
    play = Play({
        "1": "def after_go_on(player): fine(player)\n",
        "2": "def define_fine(player): burn(player, 5)\n",
    })  # fmt: skip
    play.rule(Repeal("2")).go()
    play.rule(Enact(Rule(number="8", code="def define_fine(player): burn(player, 1)\n")))
    assert play.go().money() == 99


# --- common definitions and mechanics -------------------------------------------------------------


def test_a_rule_with_a_number_prevails_over_a_common_definition() -> None:
    play = Play(
        {
            "1": "def after_go_on(player): set(player, 'score', limit())\n",
            "common-limits": "def value_limit() -> Number: return 0\n",
            "2": "def value_limit() -> Number: return 9\n",
        },
        {"common-limits": "common: true"},
    )
    assert play.go().get("score") == 9
    assert play.rule(Repeal("2")).go().get("score") == 0


def test_a_common_definition_is_not_repealed_by_a_vote_or_an_ordinary_ruling() -> None:
    code = "def value_limit() -> Number: return 0\n"
    play = Play({"common-limits": code}, {"common-limits": "common: true"})
    assert "is a common definition" in play.rule(Repeal("common-limits")).refused
    assert play.world.rule("common-limits") is not None


def test_a_mechanic_works_as_long_as_one_rule_uses_it_and_acts_in_the_name_of_its_caller() -> None:
    play = Play(
        {
            "1": "def after_go_on(player): note_time('go', player)\n",
            "2": "def value_two(): return 2\n",
        },
        {"1": "uses: [clocks-1]", "2": "uses: [clocks-1]"},
    )
    play.go()
    assert {event.rules for event in emitted(play, e.EntityCreated)} == {("1@1",)}
    play.rule(Repeal("2")).go()
    assert play.value("count_of", "go", "Ann") == 2
    play.rule(Repeal("1"))
    assert play.value("count_of", "go", "Ann") == 0


# --- what is under way ----------------------------------------------------------------------------

RINGS = "def after_go_on(player): schedule('ring', player, due = now() + hours(wait))\n"
RING = "def define_ring(player: Player): mint(player, 1)\n"


def waiting(code: str = RINGS, data: str = "parameters: {wait: {value: 2, unit: hours}}") -> Play:
    return Play({"1": code, "2": RING}, {"1": data}).go()


def test_a_timer_whose_operation_goes_is_unscheduled_with_its_rule_cited() -> None:
    play = waiting().rule(Repeal("2"))
    (gone,) = emitted(play, e.Unscheduled)
    assert gone.rules == ("ruling:1", "2@1")
    assert not play.world.timers
    assert play.wait(hours=3).refused == ""


def test_a_timer_whose_operation_another_rule_defines_stays() -> None:
    play = waiting().rule(Repeal("2"), Enact(Rule(number="9", code=RING)))
    assert play.wait(hours=3).money() == 101


@pytest.mark.parametrize(("follows", "paid"), [(", follows = 'wait'", 101), ("", 100)])
def test_a_timer_moves_with_the_parameter_that_it_follows(follows: str, paid: int) -> None:
    play = waiting(RINGS.replace("hours(wait))", f"hours(wait){follows})"))
    play.rule(Amend("1", parameters={"wait": 1}))
    assert play.wait(minutes=90).money() == paid
    assert play.wait(hours=1).money() == 101


def test_a_timer_follows_its_parameter_after_a_renumbering() -> None:
    play = waiting(RINGS.replace("hours(wait))", "hours(wait), follows = 'wait')"))
    play.rule(Renumber("1", "5.5")).rule(Amend("5.5", parameters={"wait": 4}))
    assert play.wait(hours=3).money() == 100
    assert play.wait(hours=2).money() == 101


def test_a_reference_by_number_follows_two_renumberings() -> None:
    play = Play(
        {"1": "", "2": "def after_go_on(player): set(player, 'mark', param('1', 'fee'))\n"},
        {"1": "parameters: {fee: 4}"},
    )
    play.rule(Renumber("1", "5")).rule(Renumber("5", "6"))
    assert play.go().get("mark") == 4


def test_a_reference_by_number_means_the_rule_that_has_the_number_by_now() -> None:
    play = Play(
        {"1": "", "2": "def after_go_on(player): set(player, 'mark', param('1', 'fee'))\n"},
        {"1": "parameters: {fee: 4}"},
    )
    play.rule(Renumber("1", "5")).rule(Enact(Rule(number="1", parameters={"fee": 9})))
    assert play.go().get("mark") == 9


def test_a_timer_that_falls_into_the_past_fires_at_once() -> None:
    play = waiting(RINGS.replace("hours(wait))", "hours(wait), follows = 'wait')"))
    play.wait(minutes=90).rule(Amend("1", parameters={"wait": 1}))
    assert play.go().money() == 101


def test_things_under_way_are_destroyed_or_set_when_their_rule_goes() -> None:
    data = """
declares:
  offer: {player: Player}
  idea: {number: Number key, state: Text}
when_gone:
- kind: offer
- {kind: idea, where: {state: open}, set: {state: dropped}}
"""
    code = (
        "def after_go_on(player):\n    create('offer', {'player': player})\n"
        "    create('idea', {'number': 1, 'state': 'open'})\n"
        "    create('idea', {'number': 2, 'state': 'passed'})\n"
    )
    play = Play({"1": code}, {"1": data}).go().rule(Repeal("1"))
    assert play.world.kinds["offer"] == ()
    states = [play.world.get(idea, "state") for idea in play.world.kinds["idea"]]
    assert states == ["dropped", "passed"]
    assert {event.rules for event in emitted(play, e.EntityDestroyed)} == {("ruling:1", "1@1")}


def test_a_question_of_a_rule_that_goes_is_withdrawn_and_the_attempt_goes_on() -> None:
    play = Play({
        "1": "def after_go_on(player): mint(player, 1)\n",
        "2": "def after_go_on(player): ask(player, 'tea?', ['yes', 'no'])\n",
    }).go()  # fmt: skip
    assert play.asked.text == "tea?"
    fields = {"number": 1, "kind": "correct", "text": "", "changes": (Repeal("2"),)}
    play.take(e.RulingMade, urgent=True, **fields)
    assert kinds(play.last)[:2] == ["RuleRepealed", "QuestionWithdrawn"]
    assert (play.world.waiting, play.money()) == (None, 101)


def test_an_order_for_an_action_that_goes_lapses() -> None:
    play = Play({"1": "def action_rest(player: Player): pass\n"})
    acts = (e.Act(action="rest", arguments={}),)
    play.take(e.OrderGiven, by="Ann", when="period() == 2", acts=acts)
    play.rule(Repeal("1"))
    (lapsed,) = emitted(play, e.OrderLapsed)
    assert "no rule says how to rest" in lapsed.why  # type: ignore[attr-defined]
    assert not play.world.orders


def test_a_fault_in_what_follows_refuses_it_alone() -> None:
    play = Play({
        "1": "def after_go_on(player): schedule('ring', player, due = now() + hours(1))\n",
        "2": "def define_ring(player: Player): mint(player, [1][2])\n",
    }).go()  # fmt: skip
    play.wait(hours=2)
    assert play.refused.startswith("2@1: the code of this rule failed: inline.md:")
    assert play.go().refused == ""


# --- changes that fit -----------------------------------------------------------------------------


def proposed(*changes: Change) -> Play:
    code = (
        "def define_propose(player: Player, proposal: Number): pass\n"
        "def define_judge(proposal: Number, verdict: Text): adopt(proposal)\n"
    )
    play = Play({"1": code, "2": "def value_fee(): return fee\n"}, {"2": "parameters: {fee: 5}"})
    play.take(e.ProposalMade, by="Ann", number=1, text="Mine.", changes=changes)
    play.take(e.ProposalJudged, proposal=1, verdict="accepted")
    return play


def test_the_admin_is_asked_for_another_number_if_the_number_is_taken() -> None:
    play = proposed(Enact(Rule(number="2", title="New", code="def value_new(): return 1\n")))
    assert "there is a rule 2 already" in play.asked.text
    assert "there is a rule 0 already" in play.decide("0").asked.text
    play.decide("2.5")
    assert [rule.number for rule in play.world.rules] == ["0", "1", "2", "2.5"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("lots", "fee is a number, not 'lots'"),
        (True, "fee is a number, not True"),
        ([5], "fee is a number, not [5]"),
    ],
)
def test_an_amended_parameter_keeps_its_type(value: object, why: str) -> None:
    assert why in proposed(Amend("2", parameters={"fee": value})).refused


def test_an_unknown_parameter_is_refused() -> None:
    refused = proposed(Amend("2", parameters={"fees": 5})).refused
    assert refused == "1@1: rule 2 has no parameter 'fees'; it has fee"


def test_a_number_can_become_a_decimal_number() -> None:
    play = proposed(Amend("2", parameters={"fee": "2.5"}))
    assert play.value("fee") == Decimal("2.5")
    play.rule(Amend("2", parameters={"fee": "0.25"}))
    assert play.value("fee") == Decimal("0.25")


def test_one_function_or_one_entry_of_a_list_is_replaced() -> None:
    code = "def value_one(): return 1\n\ndef value_two(): return len(names)\n"
    play = Play({"1": code}, {"1": "parameters: {names: [a, b, c]}"})
    function = "def value_one(): return 11\n"
    entries: dict[str, tuple[tuple[Any, Any], ...]]
    entries = {"names": (("b", "x"), ("c", None), (None, "y"), (None, "z"))}
    play.rule(Amend("1", functions={"value_one": function}, entries=entries))
    assert (play.value("one"), play.value("two")) == (11, 4)
    assert play.world.rules[1].parameters == {"names": ["a", "x", "y", "z"]}
    play.rule(Amend("1", functions={"value_two": None}))
    assert "value_two" not in play.world.rules[1].code
    play.rule(Amend("1", entries={"names": (("q", "r"),)}))
    assert "names of rule 1 has no entry 'q'" in play.refused


# --- names of players and accounts ----------------------------------------------------------------


def test_a_player_cannot_have_the_name_of_an_account() -> None:
    join = "def define_join(name: Text): create('player', {'name': name}, name)\n"
    play = Play({"1": join}, {"1": "accounts: [lottery]"})
    play.take(e.JoinRequested, name="Lottery")
    assert "'Lottery' is the name of an account" in play.refused


def test_a_rule_cannot_bring_an_account_with_the_name_of_a_player() -> None:
    play = Play({}).rule(Enact(Rule(number="1", code="x = 1\n", accounts=("ann",))))
    assert "a player is called 'ann'" in play.refused


# --- counting uses, and lists ---------------------------------------------------------------------


def test_uses_are_counted_for_a_period_or_for_the_game() -> None:
    code = (
        "def after_go_on(player):\n    tally('go', player)\n    tally('go', per = 'game')\n"
        "def forbid_go_on(player):\n    if tallied('go', player) >= 2: return 'twice a day'\n"
        "def value_gone(): return tallied('go', per = 'game')\n"
    )
    play = Play({"1": code}).go().go()
    assert play.go().refused == "1@1: twice a day"
    assert play.close().go().refused == ""
    assert play.value("gone") == 3


def test_lists_have_a_sum_a_count_and_a_first_item() -> None:
    code = (
        "def value_all_of_it(): return [sum([1, 2]), count([6, 6, 1], 6), first([]), first([4])]\n"
    )
    assert Play({"1": code}).value("all_of_it") == [3, 2, None, 4]


def test_durations_are_seconds() -> None:
    code = "def value_spans(): return [seconds(1), minutes(2), hours(3), days(4), weeks(5)]\n"
    assert Play({"1": code}).value("spans") == [1, 120, 10_800, 345_600, 3_024_000]
