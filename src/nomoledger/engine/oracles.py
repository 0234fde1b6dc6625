"""Oracles: the sources of answers that no rule can compute, and which answers are possible.

The address of a question is the id of the attempt and the path of operations. The same recorded
answers can therefore be replayed under other rules: a question at the same address gets the same
answer, whatever other requests there are. Up to level 2 the address of a question is also the
address of the draw that answers it. From level 3 on, draws have addresses of their own, which
nobody can choose (see `nomoledger.language.draw_address`).
"""

from collections.abc import Iterable
from typing import Any

from nomoledger.engine import dice
from nomoledger.events import DrawRecorded, Entry, QuestionRaised
from nomoledger.language.host import Oracle, ask_people
from nomoledger.state.player_seeds import mix_of
from nomoledger.state.world import World


class SeededOracle:
    """An oracle that draws from the seed, public or sealed, of the question's period.

    Attributes:
        secret: what the seeds derive from.
        world: the state that knows which seeds of players are mixed into them; None for no seeds.
    """

    def __init__(self, secret: bytes, world: World | None = None) -> None:
        """Derive seeds from *secret*, and mix in the seeds of players that *world* knows."""
        self.secret = secret
        self.world = world

    def __call__(self, question: QuestionRaised) -> list[Any] | None:
        """Return the dice or the draw that answers *question*; None if a person has to answer."""
        if question.asks == "dice":
            return list(dice.roll(self._seed(question), _address(question), question.options))
        if question.asks == "draw":
            return [dice.draw(self._seed(question), _address(question), question.options)]
        return None

    def _seed(self, question: QuestionRaised) -> bytes:
        seed = dice.seed_for(self.secret, question.period, question.audience)
        return seed if self.world is None else dice.mixed(seed, mix_of(self.world, question.period))


def _address(question: QuestionRaised) -> str:
    return question.draw or question.question


def recorded_draws(entries: Iterable[Entry]) -> dict[str, list[Any]]:
    """Return the draws that were answered at once, by the address of the question.

    Draws that were put to people are left out: their answers are inputs of their own.
    """
    draws: dict[str, list[Any]] = {}
    raised: set[str] = set()
    for entry in entries:
        if isinstance(entry.body, DrawRecorded):
            draws[entry.body.answers] = list(entry.body.values)
        elif isinstance(entry.body, QuestionRaised):
            raised.add(entry.body.question)
    return {address: values for address, values in draws.items() if address not in raised}


def oracle_of(world: World, secret: bytes, throwaway: bytes | None = None) -> Oracle:
    """Return the oracle of a game in play: dice seeded from *secret*, or people who roll.

    With *throwaway*, the dice of the open period and of later ones are seeded from that instead.
    """
    if world.game["dice"] not in dice.SEEDED:
        return ask_people
    closed, since = SeededOracle(secret, world), world.period
    if throwaway is None:
        return closed
    open_ = SeededOracle(throwaway, world)
    return lambda question: (open_ if question.period >= since else closed)(question)


def first_option(question: QuestionRaised) -> list[Any] | None:
    """Return the first option of a draw. Nothing is drawn by chance while a state is set up."""
    return [question.options[0]] if question.asks == "draw" else None


class ReplayOracle:
    """An oracle that answers from recorded draws only.

    Attributes:
        draws: the values by the address of the question.
    """

    def __init__(self, draws: dict[str, list[Any]]) -> None:
        """Answer from *draws*."""
        self.draws = draws

    def __call__(self, question: QuestionRaised) -> list[Any] | None:
        """Return the values that were drawn for *question*, if any."""
        return self.draws.get(question.question)


def is_possible_draw(question: QuestionRaised, values: Any) -> bool:
    """Return whether a roll or draw for *question* can result in *values*."""
    if question.asks == "draw":
        return len(values) == 1 and values[0] in question.options
    sides = question.options
    return len(values) == len(sides) and all(
        type(value) is int and 1 <= value <= count
        for value, count in zip(values, sides, strict=True)
    )


def is_possible_answer(question: QuestionRaised, value: Any) -> bool:
    """Return whether *question* allows the answer *value*; any value if it lists no options."""
    return not question.options or value in question.options
