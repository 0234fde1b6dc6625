"""Checks of entered dice, draws and answers; what is wrong is said by the names that people use."""

from collections.abc import Sequence
from typing import Any

from nomoledger.engine.oracles import is_possible_answer, is_possible_draw
from nomoledger.errors import UsageError
from nomoledger.events import QuestionRaised
from nomoledger.prose.choices import ask_in_words, label_options
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World


def check_draw(world: World, question: QuestionRaised, values: Sequence[Any]) -> None:
    """Check that dice or another draw for *question* can result in *values*.

    Raises:
        UsageError: they cannot.
    """
    if is_possible_draw(question, values):
        return
    asked, options = ask_in_words(Teller(world), question), question.options
    if question.asks != "dice":
        raise UsageError(f"{asked}: enter {_one_of(world, question)}")
    needed = "one number is needed" if len(options) == 1 else f"{len(options)} numbers are needed"
    raise UsageError(f"{asked}: {needed}, from 1 to {max(options)}")


def check_answer(world: World, question: QuestionRaised, value: Any) -> None:
    """Check that *question* allows the answer *value*.

    Raises:
        UsageError: it does not.
    """
    if not is_possible_answer(question, value):
        asked = ask_in_words(Teller(world), question)
        raise UsageError(f"{asked}: answer {_one_of(world, question)}")


def _one_of(world: World, question: QuestionRaised) -> str:
    return f"one of {', '.join(label_options(Teller(world), question))}"
