"""Bots: what they ask for, and what they answer."""

from collections import Counter
from collections.abc import Collection, Iterator
from random import Random
from typing import Any

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.errors import RuleFault
from nomoledger.game.simulation.samples import Samples
from nomoledger.language.operations import Operation, kind_type
from nomoledger.state.world import Attempt, World

#: How many requests a bot thinks of before it gives up.
THOUGHTS_MAX = 24
#: How many arguments for one action it thinks of.
ARGUMENTS_MAX = 3
#: How often a bot insists on what it has seen to be refused.
INSISTS = 0.04
#: How often a bot thinks first of what it wishes for.
GREED = 0.4
#: How often a bot asks for what costs it several things at once.
REGARDLESS = 0.02
WISHES_MAX, WISHES_A_TIME = 12, 4
_SETTLED_ELSEWHERE = ("dice", "draw")


class Bots:
    """All bots of a season on the world of *engine*, with *chance* for their whims.

    Attributes:
        now: when they are asked for something, in seconds since 1970.
        done: how often each action was asked for: bots are curious about what is rare.
        sources: actions, and the names of their arguments, that brought what was named there.
        is_loss: whether the latest trial cost whoever asked several things.
        vain: how often each was thought of in vain, of late.
        faults: what rule code failed with on trials, and the first request that made it fail.
    """

    def __init__(self, engine: Engine, chance: Random, examples: Any) -> None:
        self.engine = engine
        self.world: World = engine.world
        self.chance = chance
        self.samples = Samples(self.world, chance, examples)
        self.faults: dict[str, str] = {}
        self.done: Counter[str] = Counter()
        self.vain: Counter[str] = Counter()
        self.sources: set[tuple[str, str]] = set()
        self.is_trying = self.is_loss = False
        self.now = 0

    def request(self, by: str, but: Collection[str] = ()) -> tuple[str, dict[str, Any]] | None:
        """Something *but* these that *by* can ask for and would not be refused, or nothing."""
        insists = self.chance.random() < INSISTS
        for action, arguments in self._thoughts(by, but):
            made = self.tried(action, by, (by,), arguments)
            if made is not None and not _ends_game(made) and (insists or self._is_welcome(made)):
                self.done[action] += 1
                return action, arguments
            self.vain[action] += 1
        return None

    def _is_welcome(self, made: list[e.Event]) -> bool:
        """Whether a bot wants what came of the latest trial."""
        if _is_refused(made):
            return False
        return not self.is_loss or self.chance.random() < REGARDLESS

    def last_word(self, by: str) -> tuple[str, dict[str, Any]] | None:
        """Something that *by* can ask for and that would end the game, or nothing."""
        for action, arguments in self._thoughts(by):
            made = self.tried(action, by, (by,), arguments)
            if made is not None and _ends_game(made):
                return action, arguments
            self.vain[action] += 1
        return None

    def _thoughts(self, by: str, but: Collection[str] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
        """What *by* might ask for: rather what was done seldom, and found vain seldom of late."""
        operations = self.engine.link(self.world.rules).links.operations
        known = sorted(name for name, each in operations.items() if self._is_for(each, by))
        actions = [name for name in known if name not in but]
        if self.chance.random() < GREED:
            yield from self._ways_to_wishes(actions, by)
        self.vain = Counter({action: count // 2 for action, count in self.vain.items()})
        for _ in range(THOUGHTS_MAX if actions else 0):
            weights = [1 / (1 + self.done[each]) / (1 + self.vain[each]) for each in actions]
            (action,) = self.chance.choices(actions, weights)
            for _ in range(ARGUMENTS_MAX):
                arguments = self.samples.arguments(operations[action], by)
                if arguments is None:
                    self.vain[action] += 1
                    break
                yield action, arguments
                if not arguments:
                    break

    def _ways_to_wishes(self, actions: list[str], by: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """What has brought somebody what he named, for what *by* wishes."""
        held = self.world.balances.get(by, {})
        wishes = sorted({each for each in self.samples.wishes[by] if not held.get(each)})
        for wish in self.chance.sample(wishes, min(len(wishes), WISHES_A_TIME)):
            for action, name in sorted(self.sources):
                if action in actions:
                    yield action, {name: wish}

    def _is_for(self, operation: Operation, by: str) -> bool:
        """Whether it is an action, for the likes of *by*."""
        if not operation.is_action:
            return False
        asks = operation.definitions[0][1].parameters[0].type
        return asks == "" or any(
            by in things and kind_type(kind) == asks for kind, things in self.world.kinds.items()
        )

    def would(self, operation: str, by: str, given: tuple[Any, ...]) -> bool:
        """Whether the operation would be carried out now, and play go on; nothing of it stays."""
        made = self.tried(operation, by, given, {})
        return made is not None and not _is_refused(made) and not _ends_game(made)

    def tried(
        self, operation: str, by: str, given: tuple[Any, ...], named: dict[str, Any]
    ) -> list[e.Event] | None:
        """What would come of the operation, or None where it cannot be; nothing of it stays."""
        known = self.engine.link(self.world.rules).links.operations
        if operation not in known or self.world.agenda:
            return None
        attempt = Attempt(
            id="trial",
            operation=operation,
            arguments=given,
            named=named,
            by=by,
            cause=self.world.head,
            at=self.now,
        )
        mark, self.is_trying, had = self.world.mark(), True, self._belongings(by)
        self.world.put(self.world.game, "now", self.now)
        try:
            made = self.engine.carry_out(attempt)
            self._learn(by, operation, named, made)
            self.is_loss = self._belongings(by) < had - 1
            return made
        except RuleFault as fault:
            self.faults.setdefault(str(fault), f"{by}: {operation} {named or given}")
            return None
        finally:
            self.world.rollback(mark)
            self.is_trying = False

    def _learn(self, by: str, action: str, named: dict[str, Any], made: list[e.Event]) -> None:
        """What was wanting, where it was refused, is wished for; else where things come from."""
        for each in made:
            if isinstance(each, e.AttemptRefused):
                told = " ".join(reason.text for reason in each.reasons).lower()
                told = told.replace("no such", "no")
                wishes = [word for word in sorted(self._goods()) if f"no {word}" in told]
                self.samples.wishes[by] = [*self.samples.wishes[by], *wishes][-WISHES_MAX:]
            elif isinstance(each, e.Posted):
                gained = [post.commodity for post in each.postings if post.account == by]
                self.sources |= {(action, name) for name, value in named.items() if value in gained}

    def _goods(self) -> set[str]:
        """What can be had: commodities, and kinds of things."""
        return {*self.world.commodities(), *self.world.known_kinds()}

    def _belongings(self, by: str) -> int:
        """How much *by* has: kinds of things, and attributes of things that name him."""
        held = sum(amount > 0 for amount in self.world.balances.get(by, {}).values())
        return held + sum(by in each.values() for each in self.world.attributes.values())

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


def _is_refused(made: list[e.Event]) -> bool:
    return any(isinstance(each, e.AttemptRefused) for each in made)


def _ends_game(made: list[e.Event]) -> bool:
    return any(isinstance(each, e.GameEnded) for each in made)
