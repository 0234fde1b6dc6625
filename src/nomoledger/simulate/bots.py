"""Bots: what they ask for, and what they answer."""

from collections import Counter
from random import Random
from typing import Any

from nomoledger import events as e
from nomoledger.engine import Engine
from nomoledger.errors import RuleFault
from nomoledger.simulate.samples import Samples
from nomoledger.world import Attempt, World

#: How many requests a bot thinks of before it gives up.
THOUGHTS_MAX = 24
_SETTLED_ELSEWHERE = ("dice", "draw")
#: No bot wants to be refused, nor the game to be over.
_UNWANTED = (e.AttemptRefused, e.GameEnded)


class Bots:
    """All bots of a season on the world of *engine*, with *chance* for their whims.

    Attributes:
        now: when they are asked for something, in seconds since 1970.
        done: how often each action was asked for: bots are curious about what is rare.
        faults: what rule code failed with on trials, and the first request that made it fail.
    """

    def __init__(self, engine: Engine, chance: Random, examples: Any) -> None:
        self.engine = engine
        self.world: World = engine.world
        self.chance = chance
        self.samples = Samples(self.world, chance, examples)
        self.faults: dict[str, str] = {}
        self.done: Counter[str] = Counter()
        self.is_trying = False
        self.now = 0

    def request(self, by: str) -> tuple[str, dict[str, Any]] | None:
        """Something that *by* can ask for and that would not be refused, or nothing."""
        operations = self.engine.link(self.world.rules).links.operations
        actions = sorted(name for name, each in operations.items() if each.is_action)
        weights = [1 / (1 + self.done[action]) for action in actions]
        for _ in range(THOUGHTS_MAX if actions else 0):
            (action,) = self.chance.choices(actions, weights)
            arguments = self.samples.arguments(operations[action], by)
            if self.would(action, by, (by,), arguments):
                self.done[action] += 1
                return action, arguments
        return None

    def would(
        self,
        operation: str,
        by: str,
        given: tuple[Any, ...],
        named: dict[str, Any] | None = None,
    ) -> bool:
        """Whether the operation would be carried out now, and play go on; nothing of it stays."""
        known = self.engine.link(self.world.rules).links.operations
        if operation not in known or self.world.agenda:
            return False
        attempt = Attempt(
            id="trial",
            operation=operation,
            arguments=given,
            named=named or {},
            by=by,
            cause=self.world.head,
            at=self.now,
        )
        mark, self.is_trying = self.world.mark(), True
        self.world.put(self.world.game, "now", self.now)
        try:
            made = self.engine.carry_out(attempt)
        except RuleFault as fault:
            self.faults.setdefault(str(fault), f"{by}: {operation} {named or given}")
            return False
        finally:
            self.world.rollback(mark)
            self.is_trying = False
        return not any(isinstance(each, _UNWANTED) for each in made)

    def audience(self, by: str, action: str) -> tuple[str, ...] | None:
        """Who sees the request: only its author, where the action is secret."""
        is_secret = any(action in rule.secret for rule in self.world.rules)
        return (by,) if is_secret else None

    def details(self, name: str) -> dict[str, Any]:
        """What the rules want to know of whoever joins."""
        join = self.engine.link(self.world.rules).links.operations.get("join")
        if join is None or not join.definitions:
            return {}
        return {
            each.name: f"{name.lower().replace(' ', '')}@example.org"
            for each in join.definitions[0][1].parameters
            if each.name != "name" and each.type in ("", "Text")
        }

    def answer(self, question: e.QuestionRaised) -> tuple[type[e.Input], dict[str, Any]]:
        """An answer to *question*: one of its options, else its default, else something."""
        if question.asks in _SETTLED_ELSEWHERE:
            raise AssertionError(f"the dice are seeded, and yet they are asked for: {question}")
        value = self._choice(question)
        fields: dict[str, Any] = {"question": question.question, "value": value}
        fields["audience"] = question.audience
        if question.asks == "choice":
            return e.ChoiceAnswered, fields | {"by": question.to}
        number = self.world.game.get("rulings", 0) + 1
        return e.RulingMade, fields | {"number": number, "kind": "answer", "text": "by a bot"}

    def _choice(self, question: e.QuestionRaised) -> Any:
        if question.options:
            return self.chance.choice(question.options)
        if question.default is not None:
            return question.default
        return self.chance.choice((1, "yes", "no"))
