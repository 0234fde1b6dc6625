"""Earlier rulings: for one attempt, for the period, until further notice, or for a version."""

import pytest

from nomoledger import events as e
from nomoledger.events.rules import Amend

from .inline import Play

ASKING = {
    "1": """

def after_go_on(player):
    answer = ruling("May they?", ["yes", "no"])
    set(player, "mark", answer)
"""
}
DATA = {"1": "parameters: {weight: 1}"}


def ruled(scope: str) -> Play:
    play = Play(ASKING, DATA).go()
    fields = {"number": 1, "kind": "answer", "text": "", "value": "yes", "scope": scope}
    play.take(e.RulingMade, question=play.asked.question, **fields)
    assert play.get("mark") == "yes"
    return play


@pytest.mark.parametrize(
    ("scope", "same_period", "next_period", "next_version"),
    [
        ("attempt", False, False, False),
        ("period", True, False, False),
        ("onwards", True, True, True),
        ("precedent", True, True, False),
    ],
)
def test_the_scope_of_a_ruling_decides_how_long_it_holds(
    scope: str, same_period: bool, next_period: bool, next_version: bool
) -> None:
    def is_settled(play: Play) -> bool:
        play.go()
        return play.world.waiting is None

    assert is_settled(ruled(scope)) == same_period
    assert is_settled(ruled(scope).close()) == next_period
    amended = ruled(scope).rule(Amend(number="1", parameters={"weight": 2}))
    assert is_settled(amended) == (next_version or (scope == "period"))


def test_events_cite_the_precedent_behind_them() -> None:
    play = ruled("onwards")
    play.take(e.SubmissionReceived, by="Bob", action="go")
    (event,) = [event for event in play.last if isinstance(event, e.AttributeSet)]
    assert event.rules == ("1@1", "ruling:1")


def test_an_overruled_answer_no_longer_holds() -> None:
    play = ruled("onwards")
    play.take(e.RulingMade, number=2, kind="correct", text="No more", overrules=(1,))
    play.go()
    assert play.asked.text == "May they?"


def test_a_precedent_that_is_no_longer_an_option_is_asked_again() -> None:
    play = ruled("onwards")
    code = ASKING["1"].replace('["yes", "no"]', '["no", "never"]')
    play.rule(Amend(number="1", code=code)).go()
    assert play.asked.options == ("no", "never")
