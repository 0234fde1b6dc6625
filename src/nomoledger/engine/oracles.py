"""Oracle reads: where the answers come from that no rule can compute.

An attempt's answers are addressed by its own id and the path of operations, so a tape can be
played to a world with other rules: what is asked at the same address gets the same answer.
"""

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any

from nomoledger.engine import dice
from nomoledger.events import DrawRecorded, Entry, QuestionRaised
from nomoledger.language.host import Oracle


def seeded_oracle(secret: bytes) -> Oracle:
    """The oracle that rolls dice from the seed of the question's period, or its sealed one."""

    seed_of = lru_cache(maxsize=4)(partial(dice.seed_for, secret))

    def answer(question: QuestionRaised) -> list[Any] | None:
        seed = seed_of(question.period, question.audience)
        if question.asks == "dice":
            return list(dice.roll(seed, question.question, question.options))
        if question.asks == "draw":
            return [dice.draw(seed, question.question, question.options)]
        return None

    return answer


def recorded_draws(entries: Iterable[Entry]) -> dict[str, list[Any]]:
    """The draws that were made as they were asked for, by address.

    What was put to people is left out: its answer is an input of its own, later on the tape.
    """
    draws: dict[str, list[Any]] = {}
    raised: set[str] = set()
    for entry in entries:
        if isinstance(entry.body, DrawRecorded):
            draws[entry.body.address] = list(entry.body.values)
        elif isinstance(entry.body, QuestionRaised):
            raised.add(entry.body.question)
    return {address: values for address, values in draws.items() if address not in raised}


def replay_oracle(draws: dict[str, list[Any]]) -> Oracle:
    """The oracle that gives the recorded *draws*, and nothing new."""
    return lambda question: draws.get(question.question)
