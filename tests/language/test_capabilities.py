"""Rules with fewer capabilities: held to them, whatever operations of others they call."""

import pytest

from nomoledger import events as e
from nomoledger.errors import RulebookError, RuleFault

from .inline import Play

DEPOSIT = """
def define_fill(player): mint(player, 10)
def define_rename(player): set(player, "mark", "x")
def define_put(player, n): set(player, "score", n)
def value_is_mine(player): return player == "Ann"
"""
ALLOWED = (
    "capabilities: {hooks: [after_go_on], verbs: [set], attributes: [score], reads: [score], "
    "subject: is_mine}"
)


def secret(body: str, allowed: str = ALLOWED) -> Play:
    rules = {"1": DEPOSIT, "S": f"def after_go_on(player):\n    {body}\n"}
    return Play(rules, {"S": allowed}).go()


def test_a_rule_may_use_its_capabilities() -> None:
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
    ],
)
def test_a_rule_may_not_exceed_its_capabilities(body: str, words: str) -> None:
    play = secret(body)
    assert play.refused.startswith("S@1: ")
    assert words in play.refused
    assert play.money() == 100
    assert play.get("score") is None


def test_a_hook_without_its_capability_does_not_link() -> None:
    with pytest.raises(RulebookError, match="rule S may not have before_go_on"):
        Play({"S": "def before_go_on(player): pass\n"}, {"S": ALLOWED})


def test_altering_a_payment_needs_the_capability_to_pay() -> None:
    rules = {
        "1": "def after_go_on(player): pay(player, 'admin', 10)\n",
        "S": "def instead_pay(proceed, payer, payee, amount): proceed(payer, 'Bob', amount)\n",
    }
    play = Play(rules, {"S": "capabilities: {hooks: [instead_pay]}"}).go()
    assert "S@1: it may not pay" in play.refused


def test_reads_are_free_unless_they_are_listed() -> None:
    play = secret(
        "set(player, 'score', len(label(player)))",
        "capabilities: {hooks: [after_go_on], verbs: [set], attributes: [score]}",
    )
    assert play.get("score") == 3


def test_only_its_author_sees_a_secret_action() -> None:
    play = Play(
        {"1": "def action_plant(player): set(player, 'mark', 'bomb')\n"}, {"1": "secret: [plant]"}
    )
    play.take(e.SubmissionReceived, by="Ann", action="plant", audience=("Ann",))
    assert {event.audience for event in play.last} == {("Ann",)}


def test_revealing_makes_the_rest_public() -> None:
    play = Play({
        "1": "def action_plant(player):\n    set(player, 'mark', 'bomb')\n    reveal()\n"
        "    set(player, 'score', 1)\n"
    }, {"1": "secret: [plant]"})  # fmt: skip
    play.take(e.SubmissionReceived, by="Ann", action="plant", audience=("Ann",))
    seen = [each.audience for each in play.last if isinstance(each, e.AttributeSet)]
    assert seen == [("Ann",), None]


def test_revealing_to_one_player() -> None:
    code = "def action_plant(player):\n    reveal('Bob')\n    set(player, 'mark', 'bomb')\n"
    play = Play({"1": code}, {"1": "secret: [plant]"})
    play.take(e.SubmissionReceived, by="Ann", action="plant", audience=("Ann",))
    seen = [each.audience for each in play.last if isinstance(each, e.AttributeSet)]
    assert seen == [("Ann", "Bob")]
    play.take(e.SubmissionReceived, by="Ann", action="plant")
    assert {each.audience for each in play.last} == {None}


def test_a_guard_may_not_act() -> None:
    with pytest.raises(RuleFault, match="may not mint"):
        Play({"1": "def forbid_go_on(player): mint(player, 1)\n"}).go()


LAW = "def action_law(player: Player, code: Text, allowed: List): enact_law(code, allowed)\n"
LAW += "def define_enact_law(code, allowed):\n"
LAW += "    enact('L', 'Law', 'Words.', code, {}, {'hooks': ['after_go_on'], 'verbs': allowed})\n"


@pytest.mark.parametrize(
    ("allowed", "refused"), [(["mint"], ""), (["set"], "L@1: it may not mint")]
)
def test_a_rule_can_be_enacted_with_capabilities(allowed: list[str], refused: str) -> None:
    play = Play({"1": DEPOSIT, "2": LAW})
    given = {"code": "def after_go_on(player): fill(player)\n", "allowed": allowed}
    play.take(e.SubmissionReceived, by="Ann", action="law", arguments=given)
    assert play.refused == ""
    play.go()
    assert (play.refused, play.money()) == (refused, 100 if refused else 110)


def test_a_rule_with_a_forbidden_hook_cannot_be_enacted() -> None:
    play = Play({"1": DEPOSIT, "2": LAW})
    given = {"code": "def before_go_on(player): pass\n", "allowed": []}
    play.take(e.SubmissionReceived, by="Ann", action="law", arguments=given)
    assert "rule L may not have before_go_on" in play.refused


def test_unknown_capabilities_are_refused() -> None:
    rule = "def after_go_on(player): enact('L', 't', 't', '', {}, {'powers': 1})\n"
    with pytest.raises(RuleFault, match=r"capabilities: .*`powers`"):
        Play({"1": rule}).go()
