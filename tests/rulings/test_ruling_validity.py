"""Inconsistent rulings are refused with one line, and nothing is recorded."""

from collections.abc import Callable
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.errors import UnknownError, UsageError

from .mail import Mail

Ruling = Callable[[Mail], Any]


def roll(game: Mail) -> int:
    return next(x.number for x in game.entries if isinstance(x.body, e.DrawEntered))


def verdict(game: Mail) -> int:
    return game.last(e.ProposalJudged)


INCONSISTENT: list[tuple[Ruling, str]] = [
    (lambda g: g.rule_on("replace", e.Replaced(999, [1, 2])), "there is no event #999: the last"),
    (lambda g: g.rule_on("uphold", about=-1), "there is no event #-1"),
    (lambda g: g.rule_on("reject", about=0), "the opening of the game cannot be edited"),
    (lambda g: g.rule_on("reject", about=roll(g) + 1), "follows from #62: rule on that event"),
    (lambda g: g.rule_on("replace", e.Replaced(roll(g), [1, 7])), "1, 7 cannot be rolled"),
    (lambda g: g.rule_on("replace", e.Replaced(roll(g), [1])), "1 cannot be rolled"),
    (lambda g: g.rule_on("replace", e.Replaced(verdict(g), "maybe")), "accepted or rejected"),
    (lambda g: g.rule_on("replace", e.Replaced(14, {})), "there is no event #14|follows from #0"),
    (lambda g: g.rule_on("replace", *[e.LeftOut(roll(g))] * 2), "can be edited once, not twice"),
    (lambda g: g.rule_on("replace"), "replace what"),
    (lambda g: g.rule_on("ratify"), "ratify which event"),
    (lambda g: g.rule_on("reject"), "reject what"),
    (lambda g: g.rule_on("uphold", e.LeftOut(roll(g))), "to uphold an event changes nothing"),
    (lambda g: g.rule_on("bless", about=3), "is one of uphold, ratify, reject, replace, not bless"),
    (lambda g: g.rule_on("replace", overrules=(7,)), "no ruling 7 to overrule; in force: none"),
    (lambda g: g.rule_on("replace", e.Answered("x", 1)), "an answer alone changes nothing"),
    (
        lambda g: g.rule_on("reject", about=roll(g), settle="some"),
        "settle is one of all, money, none",
    ),
    (lambda g: g.rule_on("reject", about=roll(g), questions="guess"), "stop, default, skip"),
    (lambda g: g.rule_on("replace", e.TakenIn(9, "Ann", "vote", {})), "proposal=N choice=WORD"),
]


@pytest.mark.parametrize(
    ("make_ruling", "message"), INCONSISTENT, ids=[message for _, message in INCONSISTENT]
)
def test_an_inconsistent_ruling_is_refused(make_ruling: Ruling, message: str) -> None:
    game = Mail()
    game.turn("Ann", 3, 4)
    before = len(game.entries)
    with pytest.raises((UsageError, UnknownError), match=message):
        make_ruling(game)
    assert len(game.entries) == before


def test_a_second_ruling_on_an_event_must_overrule_the_first() -> None:
    game = Mail()
    number = game.turn("Ann", 3, 4)
    game.rule_on("replace", e.Replaced(number, [1, 2]))
    for kind, edits in (("uphold", ()), ("reject", ()), ("replace", (e.Replaced(number, [2, 3]),))):
        with pytest.raises(UsageError, match=rf"ruling 1 \(replace\) is about #{number}"):
            game.rule_on(kind, *edits, about=number)
    game.rule_on("replace", e.Replaced(number, [2, 3]), overrules=(1,))
    assert game.at_square("Ann") == 6
    with pytest.raises(UnknownError, match="no ruling 1 to overrule; in force: 2"):
        game.rule_on("replace", overrules=(1,))


def test_a_ruling_cannot_be_edited() -> None:
    game = Mail()
    number = game.turn("Ann", 3, 4)
    game.rule_on("replace", e.Replaced(number, [1, 2]))
    with pytest.raises(UsageError, match="ruling 1 is overruled, not edited"):
        game.rule_on("reject", about=game.last(e.RulingMade))


def test_an_overlooked_submission_is_added_once() -> None:
    game = Mail()
    game.turn("Ann", 3, 4)
    edit = e.TakenIn(game.last(e.AttemptDone), "Ann", "buy", {"square": 8})
    game.rule_on("replace", edit)
    with pytest.raises(UsageError, match=r"ruling 1 \(replace\) makes the same edit"):
        game.rule_on("replace", edit)
    game.rule_on("uphold", about=edit.after)  # the first ruling does not decide about this event


def test_a_ruling_that_does_not_reach_the_present_is_not_in_force() -> None:
    game = Mail()
    number = game.turn("Ann", 3, 4)
    game.ask("close")
    closed = game.last(e.CloseAsked)
    events = game.rule_on("reject", about=closed)
    (refusal,) = (event for event in events if isinstance(event, e.AttemptRefused))
    assert refusal.reasons[0].text == "it would be period 1 by now, not 2"
    game.rule_on("replace", e.Replaced(number, [1, 2]))
    assert (game.world.period, game.at_square("Ann")) == (2, 4)
