"""Changes of rules by rule code and by rulings, and when they take effect."""

import pytest

from nomoledger import events as e
from nomoledger.events.rules import Amend, Do, Enact, Post, Renumber, Repeal, Rule, Set

from .inline import Play, kinds

MORE = "def after_go_on(player):\\n    mint(player, 1)\\n"


def numbers(play: Play) -> list[str]:
    return [rule.name for rule in play.world.rules]


def changing(words: str, **more: str) -> Play:
    data = {"2": "parameters: {fee: 5}"}
    two = "def value_cost(): return fee\n"
    return Play({"1": f"def action_change(player):\n    {words}\n", "2": two, **more}, data)


def change(play: Play) -> Play:
    play.take(e.SubmissionReceived, by="Ann", action="change")
    return play


def test_an_enacted_rule_is_in_force_from_the_next_attempt() -> None:
    play = change(changing(f'enact("7", "More", "More.", "{MORE}")'))
    assert numbers(play)[-1] == "7@1"
    assert play.money() == 100
    assert play.go().money() == 101


def test_on_enact_runs_after_the_attempt_that_enacts() -> None:
    code = "def on_enact():\\n    mint('Ann', 1)\\n"
    play = change(changing(f'enact("7", "More", "More.", "{code}")'))
    assert (play.money(), kinds(play.last)) == (101, ["RuleEnacted", "Scheduled", "Posted"])


def test_an_amended_parameter_has_its_new_value_from_the_next_attempt() -> None:
    play = changing('amend("2", fee = 6)\n    set(player, "score", cost())')
    assert change(play).get("score") == 5
    assert change(play).get("score") == 6
    assert numbers(play)[-1] == "2@3"


def test_on_repeal_runs_and_the_rule_is_gone() -> None:
    code = "def on_repeal(): mint('Ann', 1)\ndef value_more(): return 1\n"
    play = change(changing('repeal("3")', **{"3": code}))
    assert (play.money(), numbers(play)) == (101, ["0@1", "1@1", "2@1"])


def test_a_rule_can_repeal_itself() -> None:
    play = changing('repeal("1")\n    set(player, "score", 1)')
    assert change(play).get("score") == 1
    assert "no rule in force" in change(play).refused


def test_a_repeal_keeps_or_drops_attributes() -> None:
    for state, expected in (("keep", 4), ("drop", None)):
        rules = {"1": "def after_go_on(player): set(player, 'luck', 4)\n", "2": ""}
        play = Play({"1": rules["1"]}, {"1": "declares: {player: {luck: Number}}"}).go()
        assert play.rule(Repeal("1", state)).get("luck") == expected


def test_a_repeal_drops_no_key_and_nothing_that_another_rule_declares() -> None:
    code = (
        "def after_go_on(player):\n    create('dog', {'name': 'Rex', 'age': 4, 'color': 'red'})\n"
    )
    dogs = "declares: {dog: {name: Text key, age: Number, color: Text}}"
    play = Play({"1": code, "2": ""}, {"1": dogs, "2": "declares: {dog: {color: Text}}"}).go()
    play.rule(Repeal("1", "drop"))
    (dog,) = play.world.kinds["dog"]
    assert [play.world.get(dog, name) for name in ("name", "age", "color")] == ["Rex", None, "red"]


def test_renumbering_keeps_version_and_code() -> None:
    play = change(changing('renumber("2", "20")'))
    assert numbers(play)[-1] == "20@1"
    assert play.value("cost") == 5


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ('enact("2", "a", "a", "")', "there is a rule 2 already"),
        ('repeal("99")', "there is no rule 99"),
        ('renumber("2", "1")', "there is a rule 1 already"),
        ('enact("7", "a", "a", "def define_get(x): pass")', "a word of the language itself"),
    ],
)
def test_impossible_changes_are_refused(words: str, refused: str) -> None:
    play = change(changing(f'set(player, "score", 1)\n    {words}'))
    assert refused in play.refused
    assert play.get("score") is None


def test_a_ruling_can_change_rules() -> None:
    rule = Rule(number="7", code="def after_go_on(player): mint(player, 1)\n")
    play = changing("pass").rule(
        Enact(rule), Amend("2", parameters={"fee": 9}), Renumber("2", "20"),
        Do("go_on", {"player": "Ann"}), Set("player", "Bob", "mark", "seen"),
    )  # fmt: skip
    assert play.refused == ""
    assert (play.value("cost"), play.get("mark", "Bob")) == (9, "seen")
    assert all("ruling:1" in event.rules for event in play.last if isinstance(event, e.RuleAmended))
    assert play.go().money() == 101


def test_a_ruling_can_post_to_accounts() -> None:
    play = changing("pass").rule(Post({"Ann": 5, "Bob": -5}, why="a slip"))
    assert (play.money(), play.money("Bob")) == (105, 95)
    (posted,) = (event for event in play.last if isinstance(event, e.Posted))
    assert (posted.why, posted.rules) == ("a slip", ("ruling:1",))
    play.rule(Post({"Ann": "0.25", "Bob": "-0.25"}, "paint"))
    assert play.money("Ann", "paint") == 25


@pytest.mark.parametrize(
    ("change_", "refused"),
    [
        (Post({"Ann": 5, "Bob": -4}), "that would break the sum of $: it comes to 1, not to 0"),
        (Post({"Ann": 5, "Zoe": -5}), "there is no account 'Zoe'"),
        (Post({"Ann": 5, "Bob": -5}, "tin"), "no rule in force declares the commodity 'tin'"),
        (Post({"Ann": "0.001", "Bob": "-0.001"}, "paint"), "0.001 is finer than the 2 decimal"),
        (Post({"Ann": 10**20, "Bob": -(10**20)}), "is far too large"),
    ],
)
def test_impossible_postings_are_refused(change_: Post, refused: str) -> None:
    play = changing("pass").rule(change_)
    assert refused in play.refused
    assert play.money() == 100


def test_an_urgent_ruling_runs_no_rule_code() -> None:
    code = "def on_repeal(): mint('Ann', 1)\ndef check_all(): refuse('never')\n"
    play = changing("pass")
    play.take(
        e.RulingMade,
        number=1,
        kind="correct",
        text="",
        urgent=True,
        changes=(Enact(Rule(number="7", code=code)),),
    )
    assert "never" in play.go().refused
    play.take(e.RulingMade, number=2, kind="correct", text="", urgent=True, changes=(Repeal("7"),))
    assert (play.money(), play.go().refused) == (100, "")


def test_an_urgent_ruling_changes_rules_only() -> None:
    play = changing("pass")
    change = Set("player", "Ann", "mark", "x")
    play.take(e.RulingMade, number=1, kind="correct", text="", urgent=True, changes=(change,))
    assert "only change rules" in play.refused
