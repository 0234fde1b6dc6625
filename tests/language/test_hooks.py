"""The effect of each kind of hook on an operation, and their order."""

import re

import pytest

from nomoledger import events as e
from nomoledger.errors import RulebookError, RuleFault
from nomoledger.events.rules import Repeal

from .inline import Play

MARK = 'set("Ann", "mark", (get("Ann", "mark") or "") + "{0}")'


def marks(hook: str, letter: str) -> str:
    return f"def {hook}:\n    {MARK.format(letter)}\n"


def test_before_the_definition_and_after_run_in_the_order_of_rules() -> None:
    play = Play({
        "3": marks("after_step()", "d") + marks("before_step()", "a"),
        "4": marks("after_step()", "e") + marks("before_step()", "b"),
        "5": marks("define_step()", "c") + "def after_go_on(player): step()\n",
    })  # fmt: skip
    assert play.go().get("mark") == "abcde"


def test_a_hook_may_take_fewer_arguments() -> None:
    play = Play({
        "1": "def define_step(a, b = 2, c = 3): pass\ndef after_go_on(player): step(1, c = 4)\n",
        "2": 'def after_step(a): set("Ann", "score", a)\n',
        "3": 'def before_step(a, b, c): set("Ann", "mark", "%s%s%s" % (a, b, c))\n',
    })  # fmt: skip
    assert (play.go().get("mark"), play.get("score")) == ("124", 1)


@pytest.mark.parametrize(
    ("hook", "marked"),
    [
        ("return proceed(n)", "1;"),
        ("return proceed(n + 1)", "2;"),
        ("pass", None),
        ("proceed(n)\n    proceed(n)", "1;1;"),
        ("proceed(n + 1)\n    proceed(n + 2)", "2;3;"),
    ],
)
def test_instead_may_proceed_redirect_prevent_or_repeat(hook: str, marked: str | None) -> None:
    play = Play({
        "1": "def define_step(n):\n"
        '    set("Ann", "mark", (get("Ann", "mark") or "") + "%s;" % n)\n'
        "def after_go_on(player): step(1)\n",
        "2": f"def instead_step(proceed, n):\n    {hook}\n",
    })  # fmt: skip
    assert play.go().get("mark") == marked


def test_before_and_after_run_each_time_the_operation_is_carried_out() -> None:
    play = Play({
        "1": "def define_step(n): pass\ndef after_go_on(player): step(1)\n",
        "2": "def instead_step(proceed, n):\n    proceed(n + 1)\n    proceed(n + 2)\n",
        "3": 'def after_step(n): set("Ann", "mark", (get("Ann", "mark") or "") + str(n))\n',
    })  # fmt: skip
    assert play.go().get("mark") == "23"


def test_other_arguments_run_the_hooks_again_that_have_not_altered_them() -> None:
    play = Play({
        "1": "def define_step(n): set('Ann', 'score', n)\ndef after_go_on(player): step(1)\n",
        "2": "def instead_step(proceed, n): return proceed(n * 10 if n > 1 else n)\n",
        "3": "def instead_step(proceed, n): return proceed(n + 1)\n",
    })  # fmt: skip
    assert play.go().get("score") == 20
    effect = next(event for event in play.last if isinstance(event, e.AttributeSet))
    assert set(effect.rules) == {"1@1", "2@1", "3@1"}


def test_calling_the_operation_by_name_starts_a_new_one() -> None:
    play = Play({
        "1": "def define_step(n): set('Ann', 'score', n)\ndef after_go_on(player): step(1)\n",
        "2": "def instead_step(proceed, n):\n    if n < 4:\n        step(n + 1)\n"
        "    else:\n        proceed(n)\n",
    })  # fmt: skip
    assert play.go().get("score") == 4


def test_forbid_refuses_with_all_reasons_and_may_returns_them() -> None:
    rules = {
        "1": "def define_step(n): pass\ndef after_go_on(player): step(1)\n",
        "2": "def forbid_step(n): return 'too steep'\n",
        "3": "def forbid_step(n): return 'too dark' if n == 1 else None\n",
    }
    play = Play(rules).go()
    assert play.refused == "2@1: too steep; 3@1: too dark"
    rules["1"] = (
        "def define_step(n): pass\n"
        "def after_go_on(player): set(player, 'mark', '; '.join(may('step', 2) + may('go_on')))\n"
    )
    assert Play(rules).go().get("mark") == "too steep"


def test_a_refused_attempt_changes_nothing() -> None:
    play = Play({
        "1": "def after_go_on(player):\n    pay(player, 'admin', 30)\n    step()\n"
        "def define_step(): pass\n",
        "2": "def forbid_step(): return 'no'\n",
    }).go()  # fmt: skip
    assert (play.money(), play.refused) == (100, "2@1: no")
    assert not play.world.agenda


def test_a_hooked_verb_cites_the_rule_that_called_it() -> None:
    play = Play({
        "1": "def after_go_on(player): pay(player, 'admin', 30, 'dues')\n",
        "2": "def instead_pay(proceed, payer, payee, amount):\n"
        "    proceed(payer, 'Bob', amount - 10)\n",
        "3": "def after_pay(payer, payee, amount, why): set(payer, 'mark', why)\n",
    }).go()  # fmt: skip
    assert (play.money(), play.money("Bob"), play.get("mark")) == (80, 120, "dues")
    posted = next(event for event in play.last if isinstance(event, e.Posted))
    assert posted.rules == ("1@1", "2@1")


def test_checks_run_until_nothing_changes() -> None:
    play = Play({
        "1": "def after_go_on(player): set(player, 'score', 5)\n",
        "2": "def check_small():\n    n = get('Ann', 'score') or 0\n"
        "    if n > 1:\n        set('Ann', 'score', n - 1)\n",
    })  # fmt: skip
    assert play.go().get("score") == 1


def test_settle_runs_the_checks_at_once() -> None:
    play = Play({
        "1": "def after_go_on(player):\n    set(player, 'score', 5)\n    settle()\n"
        "    set(player, 'mark', str(get(player, 'score')))\n",
        "2": "def check_big():\n    if (get('Ann', 'score') or 0) > 3:\n"
        "        set('Ann', 'score', 3)\n",
    })  # fmt: skip
    assert play.go().get("mark") == "3"


def test_an_operation_goes_on_after_settle_suspended_a_check() -> None:
    play = Play({
        "1": "def after_go_on(player): step(player)\n"
        "def define_step(player):\n    set(player, 'score', 5)\n    settle()\n"
        "    set(player, 'mark', 'done')\n",
        "2": "def check_big():\n    if (get('Ann', 'score') or 0) > 3:\n        fail('too big')\n",
    })  # fmt: skip
    assert play.go().get("mark") == "done"
    (suspended,) = [event for event in play.last if isinstance(event, e.CheckSuspended)]
    assert (suspended.check, suspended.rules) == ("2@1 check_big", ("2@1",))
    assert "too big" in suspended.why
    (marked,) = [x for x in play.last if isinstance(x, e.AttributeSet) and x.attribute == "mark"]
    assert marked.rules == ("1@1",)


@pytest.mark.parametrize(("score", "is_sound"), [(15, True), (90, False)])
def test_checks_may_settle_within_each_other_so_deep(score: int, is_sound: bool) -> None:
    play = Play({
        "1": f"def after_go_on(player): set(player, 'score', {score})\n",
        "2": "def check_all():\n    n = get('Ann', 'score') or 0\n"
        "    if n > 1:\n        set('Ann', 'score', n - 1)\n        settle()\n",
    })  # fmt: skip
    play.go()
    reasons = [event.why for event in play.last if isinstance(event, e.CheckSuspended)]
    assert reasons == ([] if is_sound else ["settle() within settle(), more than 20 deep"])
    assert play.get("score") == (1 if is_sound else 71)


def test_a_check_that_always_settles_is_suspended_with_a_plain_reason() -> None:
    play = Play({"2": "def check_all():\n    settle()\n"})
    (why,) = [event.why for event in play.last if isinstance(event, e.CheckSuspended)]
    assert why == "settle() within settle(), more than 20 deep"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def define_len(x): pass\n", "a word of the language itself"),
        ("def define_pay(a): pass\n", "is a verb"),
        ("def on_fire(): pass\n", "there is on_enact and on_repeal"),
        ("x = 1.5\n", "not exact"),
    ],
)
def test_rules_that_do_not_link(code: str, words: str) -> None:
    with pytest.raises(RulebookError, match=words):
        Play({"1": code})


def test_a_fault_names_the_rule_and_the_line() -> None:
    play = Play({"1": "def after_go_on(player):\n    n = 2\n    return [player][n]\n"}).go()
    assert re.match(r"1@1: .*failed: inline.md:\d+:\d+: .*out of bound", play.refused)


def test_a_fault_refuses_what_was_asked_and_undoes_all_of_it() -> None:
    code = "def after_go_on(player):\n    mint(player, 5)\n    1 // balance('Bob', 'paint')\n"
    play = Play({"1": code})
    assert "the code of this rule failed" in play.go().refused
    assert play.money() == 100
    assert "the code of this rule failed" not in play.rule(Repeal("1")).go().refused


def test_a_fault_after_an_answer_records_nothing() -> None:
    code = "def after_go_on(player): 1 // int(ask(player, 'How many?', ['0', '1']))\n"
    play = Play({"1": code}).go()
    question = play.asked
    with pytest.raises(RuleFault, match=r"rule 1: .*zero"):
        play.decide("0")
    assert play.asked == question


# --- act, which carries out every submitted action ----------------------------------------------

ACTIONS = """
def action_mark(player: Player, first: Text = "a", second: Text = "b"):
    set(player, "mark", first + second)
"""


def submit(play: Play, **arguments: str) -> list[e.Event]:
    return play.take(e.SubmissionReceived, by="Ann", action="mark", arguments=arguments)


def test_act_guards_every_action() -> None:
    guard = 'def forbid_act(player, action, arguments):\n    return "no " + action\n'
    play = Play({"1": ACTIONS, "2": guard})
    (refusal,) = [event for event in submit(play) if isinstance(event, e.AttemptRefused)]
    assert refusal.reasons == (e.Reason("2@1", "no mark"),)


def test_an_act_that_no_rule_defines_is_refused() -> None:
    agent = """
def action_send(player: Player, errand: Text):
    act(player, errand, [player])
"""
    play = Play({"1": ACTIONS, "2": agent})

    def sent(errand: str) -> list[e.Reason]:
        arguments = {"errand": errand}
        events = play.take(e.SubmissionReceived, by="Ann", action="send", arguments=arguments)
        return [x for each in events if isinstance(each, e.AttemptRefused) for x in each.reasons]

    assert sent("mark") == []
    assert play.world.get("Ann", "mark") == "ab"
    assert sent("dance") == [e.Reason("engine", "no rule in force says how to 'dance'")]


def test_act_passes_each_argument_to_its_own_place() -> None:
    watch = "def after_act(player, action, arguments):\n    set(player, 'score', len(arguments))\n"
    play = Play({"1": ACTIONS, "2": watch})
    submit(play, second="z")
    assert play.world.get("Ann", "mark") == "az"
    assert play.world.get("Ann", "score") == 3
