"""Options that would have no effect are refused, with what they are for."""

import pytest

from cli.commands import NOON, ok, wrong


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--repeal", "VIII.3", "--scope", "period"), "--scope says how long an answer"),
        (("--uphold", "30", "--scope", "precedent"), "--scope says how long an answer"),
        (("--uphold", "30", "--urgent"), "--urgent carries out changes"),
        (("--value", "yes", "--urgent"), "--urgent carries out changes"),
        (("--repeal", "VIII.3", "--settle", "money"), "--settle says how much of a correction"),
        (("--uphold", "30", "--settle", "all"), "--settle says how much of a correction"),
        (("--value", "yes", "--questions", "skip"), "--questions is about a correction"),
    ],
)  # fmt: skip
def test_an_option_of_ruling_that_does_nothing_is_refused(
    landed: str, words: tuple[str, ...], said: str
) -> None:
    error = wrong("ruling", landed, "So be it", *words, "--at", NOON)
    assert said in error
    assert "leave it out" in error


def test_the_reading_of_a_rule_has_a_scope(landed: str) -> None:
    words = ("--cite", "VIII.3", "--scope", "onwards", "--at", NOON)
    assert "ruling 1 (correct)" in ok("ruling", landed, "Owners may look", *words)


def test_a_dispute_that_is_closed_without_a_decision_takes_no_such_options(landed: str) -> None:
    ok("dispute", "open", landed, "Bob", "Hm", "--period", "1", "--at", NOON)
    error = wrong("dispute", "close", landed, "1", "It stands", "--settle", "all", "--at", NOON)
    assert "--settle says how much" in error
    ok("dispute", "close", landed, "1", "It stands", "--at", NOON)


def test_a_what_if_of_a_proposal_needs_changes(game: str) -> None:
    error = wrong("propose", game, "Ann", "Be kind", "--what-if", "--at", NOON)
    assert "give --changes or --amend" in error
