"""What rules have in common: in whose name mechanics act, and what ends with a rule."""

import re

from nomoledger import events as e
from nomoledger.events.rules import Do, Repeal
from nomoledger.rulebook.loading import parse

from .inline import Play

ALARMS = "uses: [alarms-1]"
RING = 'def define_bell(player: Player): set(player, "mark", "rung")\n'


def test_a_mechanic_acts_in_the_name_of_the_rule_whose_check_calls_it() -> None:
    check = (
        "def after_go_on(player): set(player, 'mark', 'gone')\n"
        "def check_bell():\n"
        "    if get('Ann', 'mark') == 'gone' and not is_alarm_set('bell', 'Ann'):\n"
        "        set_alarm('bell', 'Ann', hours(wait), follows = 'wait')\n"
    )
    data = {"1": ALARMS, "2": f"{ALARMS}\nparameters: {{wait: {{value: 2, unit: hours}}}}"}
    play = Play({"1": RING, "2": check}, data).go()
    created = next(event for event in play.last if isinstance(event, e.EntityCreated))
    assert created.rules == ("2@1",)
    assert play.wait(hours=2).get("mark") == "rung"


def test_a_mechanic_that_a_timer_carries_out_acts_for_the_rule_that_set_the_timer() -> None:
    rule = 'def after_go_on(player): set_alarm("bell", player, 0)\n'
    play = Play({"1": RING, "2": rule}, {"1": ALARMS, "2": ALARMS}).go()
    destroyed = next(event for event in play.last if isinstance(event, e.EntityDestroyed))
    assert destroyed.rules == ("2@1",)


def test_a_function_of_a_rule_prevails_over_mechanics_of_other_rules_too() -> None:
    noon = "def value_play_time() -> Time: return 720\n"
    clocks = "uses: [clocks-1]"
    rule = "def after_go_on(player): set(player, 'score', play_time())\n"
    play = Play({"1": rule, "2": noon, "3": ""}, {"1": clocks, "2": clocks, "3": clocks})
    assert play.go().get("score") == 720
    assert play.rule(Repeal("2")).go().get("score") > 720


def test_a_guard_of_a_mechanic_refuses_for_the_rule_that_calls_the_operation() -> None:
    """Of several rules that use the mechanic, it is not simply the first."""
    goods = "uses: [goods-1]"
    loses = 'def after_go_on(player): lose(player, "$", 10000)\n'
    play = Play({"1": "def value_x(): return 1\n", "2": loses}, {"1": goods, "2": goods}).go()
    (refused,) = [event for event in play.last if isinstance(event, e.AttemptRefused)]
    assert [reason.rule for reason in refused.reasons] == ["2@1"]


def test_a_guard_of_a_mechanic_refuses_for_the_first_rule_where_no_user_calls() -> None:
    """Rule 3 does not use the mechanic; rules 1 and 2 do."""
    goods = "uses: [goods-1]"
    loses = 'def after_go_on(player): lose(player, "$", 10000)\n'
    rules = {"1": "def value_x(): return 1\n", "2": "def value_y(): return 1\n", "3": loses}
    play = Play(rules, {"1": goods, "2": goods}).go()
    (refused,) = [event for event in play.last if isinstance(event, e.AttemptRefused)]
    assert [reason.rule for reason in refused.reasons] == ["1@1"]


def test_a_fault_names_the_rule_whose_code_failed_although_another_uses_a_long_mechanic() -> None:
    share = "def value_share(n):\n    return [1 // n for each in [1]]\n"
    rules = {"1": "def after_go_on(player): share(0)\n", "2": share}
    play = Play(rules, {"1": "uses: [clocks-1]"}).go()
    assert re.match(r"2@1: .*failed: inline.md:\d+:\d+: .*zero", play.refused)


def test_a_fault_in_a_value_without_loops_names_its_rule() -> None:
    rules = {"1": "def after_go_on(player): share(0)\n", "2": "def value_share(n): return 1 // n\n"}
    assert "2@1: the code of this rule failed: Floor division by zero" in Play(rules).go().refused


def test_a_fault_in_a_mechanic_names_the_mechanic_and_the_rule_that_uses_it() -> None:
    late = "def after_go_on(player): long_ago('go', player, 'soon')\n"
    note = "def before_go_on(player): note_time('go', player)\n"
    play = Play({"1": late + note}, {"1": "uses: [clocks-1]"}).go()
    assert re.match(r"1@1: .*failed: clocks-1: .*compare", play.refused)


def test_a_mechanic_brings_the_mechanics_that_it_uses() -> None:
    text = "### 1 A rule\n\nIt is.\n\n```yaml\nuses: [turns-1]\n```\n"
    [rule] = parse(text, "inline.md").rules
    assert list(rule.mechanics) == ["turns-1", "clocks-1"]
    assert "clock" in rule.declares


def test_a_ruling_carries_out_a_moment() -> None:
    rules = {"1": 'def after_dawn(player): set(player, "mark", "awake")\n'}
    play = Play(rules, {"1": "moments: {dawn: {player: Player}}"})
    play.rule(Do("dawn", {"player": "Ann"}))
    assert play.get("mark") == "awake"


def test_what_ends_with_a_rule_ends_although_another_rule_ends_other_things_of_the_kind() -> None:
    ending = "when_gone: [{{kind: player, where: {{mark: {0}}}, set: {{mark: gone}}}}]"
    play = Play(
        {
            "1": 'def after_go_on(player): set(player, "mark", "a")\n',
            "2": "def value_x(): return 1\n",
        },
        {"1": ending.format("a"), "2": ending.format("b")},
    ).go()
    play.rule(Repeal("1"))
    assert play.get("mark") == "gone"


def test_row_2_leads_where_row_1_does_but_with_gaps_and_from_nowhere_too() -> None:
    board = "def on_enact():\n    for n in [3, 1, 2, 7]: create('square', {'number': n})\n"
    found = []
    for mechanic in ("row-1", "row-2"):
        play = Play({"1": board}, {"1": f"uses: [{mechanic}]"})
        starts = [*play.world.kinds["square"], "Ann", "nowhere"]
        found.append([play.value("square_ahead", s, n) for s in starts for n in range(-5, 6)])
    assert found[0] == found[1]
    assert play.value("successor", "square:3") == "square:7"
