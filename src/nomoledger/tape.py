"""Oracle reads: where the answers come from that no rule can compute.

An attempt's answers are addressed by its own id and the path of operations, so a tape can be
played to a world with other rules: what is asked at the same address gets the same answer.
"""

from collections.abc import Callable, Iterable
from typing import Any

from nomoledger import dice
from nomoledger.events import (
    ChoiceAnswered,
    DrawEntered,
    DrawRecorded,
    Entry,
    QuestionRaised,
    RulingMade,
)

#: Gives the values for a question as it arises, or None where somebody has to be asked.
Oracle = Callable[[QuestionRaised], list[Any] | None]


def ask_people(question: QuestionRaised) -> list[Any] | None:
    """The oracle that knows nothing: everything is asked of somebody."""
    return None


def seeded(secret: bytes) -> Oracle:
    """The oracle that rolls dice from the seed of the question's period."""

    def answer(question: QuestionRaised) -> list[Any] | None:
        seed = dice.period_seed(secret, question.period)
        if question.asks == "dice":
            return list(dice.roll(seed, question.question, question.options))
        if question.asks == "draw":
            return [dice.draw(seed, question.question, question.options)]
        return None

    return answer


def recorded(entries: Iterable[Entry]) -> dict[str, Any]:
    """All answers on the tape, by address."""
    tape: dict[str, Any] = {}
    for entry in entries:
        body = entry.body
        if isinstance(body, DrawRecorded):
            tape[body.address] = list(body.values)
        elif isinstance(body, DrawEntered):
            tape[body.question] = list(body.values)
        elif isinstance(body, ChoiceAnswered):
            tape[body.question] = [body.value]
        elif isinstance(body, RulingMade) and body.question is not None:
            tape[body.question] = [body.value]
    return tape


def replaying(tape: dict[str, Any]) -> Oracle:
    """The oracle that gives the draws recorded on *tape*, and nothing new."""

    def answer(question: QuestionRaised) -> list[Any] | None:
        if question.asks in ("dice", "draw"):
            values: list[Any] | None = tape.get(question.question)
            return values
        return None

    return answer
