"""Restricted rules: limited to their capabilities, whatever operations of other rules they call."""

import re

import pytest

from nomoledger import events as e
from nomoledger.errors import RulebookError

from .inline import Play

DEPOSIT = """
def define_fill(player): mint(player, 10)
def define_rename(player): set(player, "mark", "x")
def define_put(player, n): set(player, "score", n)
def value_is_mine(player): return player == "Ann"
def define_show(): reveal()
def define_nothing(): pass
def define_hide(player): pass
def forbid_hide(player): return get(player, "mark")
def value_marked(player): return get(player, "mark")
def on_enact(): create("trap", {"by": "x"}, "trap:x")
"""
KINDS = "declares: {trap: {by: Text}}"
ALLOWED = (
    "capabilities: {hooks: [after_go_on], verbs: [set], attributes: [score], reads: [score], "
    "subject: is_mine}"
)


def secret(body: str, allowed: str = ALLOWED) -> Play:
    rules = {"1": DEPOSIT, "S": f"def after_go_on(player):\n    {body}\n"}
    return Play(rules, {"1": KINDS, "S": allowed}).go()


def test_a_restricted_rule_may_do_what_its_capabilities_list() -> None:
    play = secret("set(player, 'score', 3)")
    assert (play.get("score"), play.refused) == (3, "")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("mint(player, 10)", "it may not mint"),
        ("fill(player)", "it may not mint"),
        ("set(player, 'mark', 'x')", "it may not set mark"),
        ("rename(player)", "it may not set mark"),
        ("set('Bob', 'score', 3)", "it may not set score: Bob"),
        ("put('Bob', 3)", "it may not set score: Bob"),
        ("get(player, 'mark')", "it may not read mark"),
        ("balance(player)", "it may not read balance"),
        ("where('player', mark = 'x')", "it may not read mark"),
        ("schedule('fill', player)", "it may not schedule"),
        ("enact('T', 't', 't', '')", "it may not enact"),
        ("adopt(1)", "it may not adopt"),
        ("reveal()", "it may not reveal"),
        ("reveal('Bob')", "it may not reveal"),
        ("show()", "it may not reveal"),
        ("use(player, 'mark')", "it may not read mark"),
        ("history(1, player, 'mark')", "it may not read mark"),
        ("holdings(player)", "it may not read balance"),
        ("label(player)", "it may not read name"),
        ("mentioned(player)", "it may not read name"),
        ("all('trap')", "it may not read which trap there is"),
        ("where('trap')", "it may not read which trap there is"),
        ("find('trap', 'x')", "it may not read which trap there is"),
        ("kind('trap:x')", "it may not read which trap there is"),
        ("tallied('traps')", "it may not read counts"),
        ("marked(player)", "it may not read mark"),
        ("refuse(get(player, 'mark') or '')", "it may not read mark"),
        ("refuse(str(may('hide', player)))", "it may not read mark"),
        ("refuse(str(would('nothing', see = ['marked', player]).seen))", "it may not read mark"),
        ("ask(player, get(player, 'mark') or '', ['yes'], 'yes')", "it may not read mark"),
        ("roll(1, 6, for_ = get(player, 'mark') or '')", "it may not read mark"),
    ],
)
def test_a_restricted_rule_is_refused_everything_else(body: str, words: str) -> None:
    play = secret(body)
    assert play.refused.startswith("S@1: ")
    assert words in play.refused
    assert play.money() == 100
    assert play.get("score") is None


def test_a_restricted_rule_may_read_what_it_may_change() -> None:
    allowed = (
        "capabilities: {hooks: [after_go_on], verbs: [set, move], attributes: [mark], reads: []}"
    )
    assert secret("set(player, 'mark', get(player, 'mark') or 'new')", allowed).refused == ""
    assert "it may not read name" in secret("label(player)", allowed).refused


def test_a_restricted_rule_may_reveal_if_its_verbs_say_so() -> None:
    play = secret("reveal()", "capabilities: {hooks: [after_go_on], verbs: [reveal]}")
    assert play.refused == ""


@pytest.mark.parametrize(
    "body", ["reveal()", "use(player, 'mark')", "all('trap')", "label(player)"]
)
def test_games_of_older_levels_stay_as_they_are(body: str) -> None:
    rules = {"1": DEPOSIT, "S": f"def after_go_on(player):\n    {body}\n"}
    assert Play(rules, {"1": KINDS, "S": ALLOWED}, level=2).go().refused == ""


def test_a_hook_outside_the_capabilities_does_not_link() -> None:
    with pytest.raises(RulebookError, match="rule S may not have before_go_on"):
        Play({"S": "def before_go_on(player): pass\n"}, {"S": ALLOWED})


def test_a_rule_that_alters_an_operation_needs_the_capability_for_it() -> None:
    rules = {
        "1": "def after_go_on(player): pay(player, 'admin', 10)\n",
        "S": "def instead_pay(proceed, payer, payee, amount): proceed(payer, 'Bob', amount)\n",
    }
    play = Play(rules, {"S": "capabilities: {hooks: [instead_pay]}"}).go()
    assert "S@1: it may not pay" in play.refused


def test_a_restricted_rule_without_a_list_of_reads_may_read_everything() -> None:
    play = secret(
        "set(player, 'score', len(label(player)))",
        "capabilities: {hooks: [after_go_on], verbs: [set], attributes: [score]}",
    )
    assert play.get("score") == 3


def test_only_the_author_sees_a_secret_action() -> None:
    play = Play(
        {"1": "def action_plant(player): set(player, 'mark', 'bomb')\n"}, {"1": "secret: [plant]"}
    )
    play.take(e.SubmissionReceived, by="Ann", action="plant", audience=("Ann",))
    assert {event.audience for event in play.last} == {("Ann",)}


def test_reveal_makes_the_rest_of_the_attempt_public() -> None:
    play = Play({
        "1": "def action_plant(player):\n    set(player, 'mark', 'bomb')\n    reveal()\n"
        "    set(player, 'score', 1)\n"
    }, {"1": "secret: [plant]"})  # fmt: skip
    play.take(e.SubmissionReceived, by="Ann", action="plant", audience=("Ann",))
    seen = [event.audience for event in play.last if isinstance(event, e.AttributeSet)]
    assert seen == [("Ann",), None]


def test_reveal_can_name_one_player() -> None:
    code = "def action_plant(player):\n    reveal('Bob')\n    set(player, 'mark', 'bomb')\n"
    play = Play({"1": code}, {"1": "secret: [plant]"})
    play.take(e.SubmissionReceived, by="Ann", action="plant", audience=("Ann",))
    seen = [event.audience for event in play.last if isinstance(event, e.AttributeSet)]
    assert seen == [("Ann", "Bob")]
    play.take(e.SubmissionReceived, by="Ann", action="plant")
    assert {event.audience for event in play.last} == {None}


def test_a_guard_may_not_change_the_game() -> None:
    play = Play({"1": "def forbid_go_on(player): mint(player, 1)\n"}).go()
    assert "may not mint" in play.refused


LAW = "def action_law(player: Player, code: Text, allowed: List): enact_law(code, allowed)\n"
LAW += "def define_enact_law(code, allowed):\n"
LAW += "    enact('L', 'Law', 'Words.', code, {}, {'hooks': ['after_go_on'], 'verbs': allowed})\n"


@pytest.mark.parametrize(
    ("allowed", "refused"), [(["mint"], ""), (["set"], "L@1: it may not mint")]
)
def test_rule_code_can_enact_a_restricted_rule(allowed: list[str], refused: str) -> None:
    play = Play({"1": DEPOSIT, "2": LAW})
    arguments = {"code": "def after_go_on(player): fill(player)\n", "allowed": allowed}
    play.take(e.SubmissionReceived, by="Ann", action="law", arguments=arguments)
    assert play.refused == ""
    play.go()
    assert (play.refused, play.money()) == (refused, 100 if refused else 110)


def test_enacting_a_rule_with_a_hook_outside_its_capabilities_is_refused() -> None:
    play = Play({"1": DEPOSIT, "2": LAW})
    arguments = {"code": "def before_go_on(player): pass\n", "allowed": []}
    play.take(e.SubmissionReceived, by="Ann", action="law", arguments=arguments)
    assert "rule L may not have before_go_on" in play.refused


def test_malformed_capabilities_are_a_fault() -> None:
    rule = "def after_go_on(player): enact('L', 't', 't', '', {}, {'powers': 1})\n"
    assert re.search(r"capabilities: .*`powers`", Play({"1": rule}).go().refused)


CHECKING = "def check_marks():\n    all('player')\n"
ENDING = "def on_repeal():\n    all('player')\n"


def test_a_restricted_rule_needs_a_capability_to_run_the_checks() -> None:
    assert "it may not settle" in secret("settle()").refused


@pytest.mark.parametrize("first", ["settle()", "repeal('E')"])
@pytest.mark.parametrize(
    ("then", "words"),
    [("mint(player, 10)", "it may not mint"), ("get(player, 'mark')", "it may not read mark")],
)
def test_a_restricted_rule_stays_restricted_when_it_has_run_code_of_other_rules(
    first: str, then: str, words: str
) -> None:
    code = f"def after_go_on(player):\n    {first}\n    {then}\n"
    rules = {"1": DEPOSIT, "C": CHECKING, "E": ENDING, "S": code}
    allowed = "capabilities: {hooks: [after_go_on], verbs: [settle, repeal], reads: []}"
    play = Play(rules, {"1": KINDS, "S": allowed}).go()
    assert play.refused.startswith("S@1: ")
    assert words in play.refused
    assert play.money() == 100
