"""Trial runs with `would`, which leave no trace."""

from .inline import Play, kinds

STEP = """
def define_step(n):
    if n > 3:
        refuse("too far")
    set("Ann", "score", n)
    return n
def value_total(): return get("Ann", "score") or 0
"""


def tried(words: str, more: str = "") -> Play:
    code = f"def after_go_on(player):\n    w = {words}\n"
    code += "    set(player, 'mark', str([w.refused, w.seen, w.certain]))\n"
    return Play({"1": STEP + more + code}).go()


def test_would_returns_what_would_be_seen() -> None:
    play = tried("would('step', 2, see = ['total'])")
    assert play.get("mark") == "[[], 2, True]"
    assert play.get("score") is None
    assert kinds(play.last) == ["AttributeSet"]


def test_would_returns_the_reasons_of_a_refusal() -> None:
    assert tried("would('step', 4, see = ['total'])").get("mark") == '[["too far"], 0, True]'


def test_would_is_uncertain_at_a_draw() -> None:
    more = "def define_gamble():\n    set('Ann', 'score', 1)\n    step(roll(1, 6)[0])\n"
    play = tried("would('gamble', see = ['total'])", more)
    assert play.get("mark") == "[[], 1, False]"
    assert "DrawRecorded" not in kinds(play.last)


def test_would_is_uncertain_at_a_question() -> None:
    more = "def define_wonder(): ask('Ann', 'well?', ['yes'])\n"
    assert tried("would('wonder')", more).get("mark") == "[[], None, False]"


def test_nested_trials_leave_no_trace() -> None:
    more = (
        "def define_deep():\n    step(1)\n    w = would('step', 2, see = ['total'])\n"
        "    set('Ann', 'score', w.seen * 10 + total())\n"
    )
    play = tried("would('deep', see = ['total'])", more)
    assert (play.get("mark"), play.get("score")) == ("[[], 21, True]", None)


def test_a_trial_does_not_shift_a_draw() -> None:
    rolls = "    set(player, 'score', roll(1, 1000, 'x')[0])\n"
    plain = Play({"1": "def after_go_on(player):\n" + rolls})
    tried_first = Play(
        {
            "1": "def after_go_on(player):\n    would('dicey', player)\n"
            + rolls
            + "def define_dicey(player):\n"
            + rolls
        }
    )
    assert plain.go().get("score") == tried_first.go().get("score")
