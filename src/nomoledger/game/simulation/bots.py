"""Bots: what they request, and what they answer."""

from collections import Counter
from collections.abc import Collection, Iterator
from random import Random
from typing import Any

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.statements import Statement
from nomoledger.errors import RuleFault
from nomoledger.game.simulation.samples import Samples
from nomoledger.language.operations import Operation, kind_type
from nomoledger.state.world import Attempt, World

#: How many actions a bot tries before it gives up.
ACTIONS_TRIED_MAX = 24
#: How many sets of arguments it tries for one action.
ARGUMENTS_MAX = 3
#: How many conditions of a standing order it tries.
CONDITIONS_TRIED_MAX = 8
#: The probability that a bot makes a request although a trial was refused.
INSISTS = 0.04
#: The probability that a bot first tries to get items that it lacked before.
GREED = 0.4
#: The probability that a bot makes a request that costs it several things at once.
REGARDLESS = 0.02
#: How many items a bot remembers, and how many of them it tries to get at a time.
WISHES_MAX, WISHES_A_TIME = 12, 4
#: Questions that seeded dice answer.
_DRAWS = ("dice", "draw")


class Bots:
    """All bots of a season.

    Attributes:
        engine: the engine that they play on.
        world: the state of the game.
        chance: the source of their random choices.
        samples: draws arguments for actions.
        now: the time of the current request, in seconds since 1970.
        done: how often each action was requested; bots prefer rare actions.
        sources: pairs of an action and an argument through which somebody got the commodity named
            there.
        is_trying: whether a trial is running.
        is_loss: whether the latest trial cost the requester several things.
        vain: how often each action was recently tried in vain.
        ending: the actions that would have ended the game: bots try each of them once.
        faults: errors of rule code on trials, with the first request that caused each.
    """

    def __init__(self, engine: Engine, chance: Random, examples: Any) -> None:
        """Play on *engine*; *examples* are arguments from the cases of the rulebook."""
        self.engine = engine
        self.world: World = engine.world
        self.chance = chance
        self.samples = Samples(self.world, chance, examples)
        self.faults: dict[str, str] = {}
        self.done: Counter[str] = Counter()
        self.vain: Counter[str] = Counter()
        self.ending: set[str] = set()
        self.sources: set[tuple[str, str]] = set()
        self.is_trying = self.is_loss = False
        self.now = 0

    def request(self, by: str, but: Collection[str] = ()) -> tuple[str, dict[str, Any]] | None:
        """Return an action (none of *but*) and arguments that would not be refused to *by*."""
        insists = self.chance.random() < INSISTS
        for action, arguments in self._candidates(by, but):
            events = self.tried(action, by, (by,), arguments) if action not in self.ending else None
            if events is not None and _ends_game(events):
                self.ending.add(action)
            elif events is not None and (insists or self._is_welcome(events)):
                self.done[action] += 1
                return action, arguments
            self.vain[action] += 1
        return None

    def _is_welcome(self, events: list[e.Event]) -> bool:
        """Return whether a bot wants the result of the latest trial."""
        if _is_refused(events):
            return False
        return not self.is_loss or self.chance.random() < REGARDLESS

    def last_word(self, by: str) -> tuple[str, dict[str, Any]] | None:
        """Return an action and arguments with which *by* would end the game, or None."""
        for action, arguments in self._candidates(by):
            events = self.tried(action, by, (by,), arguments)
            if events is not None and _ends_game(events):
                return action, arguments
            self.vain[action] += 1
        return None

    def condition(self, by: str) -> str:
        """Return a statement that is true from the next period on, by rule code if possible."""
        program = self.engine.link(self.world.ruleset)
        values = [
            operation.name
            for operation in program.links.operations.values()
            if operation.is_value and operation.definitions and operation.names in ([], ["player"])
        ]
        later = f"period() > {self.world.period}"
        for value in self.chance.sample(sorted(values), min(len(values), CONDITIONS_TRIED_MAX)):
            asked = repr(by) if program.links.operations[value].names else ""
            mark = self.world.mark()
            try:
                Statement(f"{value}({asked})").holds(self.world, program)
            except RuleFault:  # it makes no sense to ask for this value outside a request
                continue
            finally:
                self.world.rollback(mark)
            return f"{later} and {value}({asked}) != 'never'"
        return later

    def accepted(self, action: str, askers: list[str]) -> tuple[str, dict[str, Any]] | None:
        """Return who of *askers* could request *action* now, and with which arguments."""
        operation = self.engine.link(self.world.ruleset).links.operations[action]
        askers = [by for by in askers if self._is_for(operation, by)]
        for _ in range(ACTIONS_TRIED_MAX if askers else 0):
            by = self.chance.choice(askers)
            arguments = self.samples.arguments(operation, by)
            if arguments is None:
                return None
            events = self.tried(action, by, (by,), arguments)
            if events is not None and not _is_refused(events) and not _ends_game(events):
                return by, arguments
        return None

    def _candidates(
        self, by: str, but: Collection[str] = ()
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield actions and arguments that *by* might request.

        Actions that were requested rarely, and rarely tried in vain, come up more often.
        """
        operations = self.engine.link(self.world.ruleset).links.operations
        known = sorted(name for name, item in operations.items() if self._is_for(item, by))
        actions = [name for name in known if name not in but]
        if self.chance.random() < GREED:
            yield from self._requests_for_wishes(actions, by)
        self.vain = Counter({action: count // 2 for action, count in self.vain.items()})
        for _ in range(ACTIONS_TRIED_MAX if actions else 0):
            weights = [1 / (1 + self.done[name]) / (1 + self.vain[name]) for name in actions]
            (action,) = self.chance.choices(actions, weights)
            for _ in range(ARGUMENTS_MAX):
                arguments = self.samples.arguments(operations[action], by)
                if arguments is None:
                    self.vain[action] += 1
                    break
                yield action, arguments
                if not arguments:
                    break

    def _requests_for_wishes(
        self, actions: list[str], by: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield requests that may bring *by* an item that *by* lacked before."""
        held = self.world.balances.get(by, {})
        wishes = sorted({item for item in self.samples.wishes[by] if not held.get(item)})
        for wish in self.chance.sample(wishes, min(len(wishes), WISHES_A_TIME)):
            for action, name in sorted(self.sources):
                if action in actions:
                    yield action, {name: wish}

    def _is_for(self, operation: Operation, by: str) -> bool:
        """Return whether *operation* is an action for entities of the kind of *by*."""
        if not operation.is_action:
            return False
        wanted_type = operation.definitions[0][1].parameters[0].type
        return wanted_type == "" or any(
            by in things and kind_type(kind) == wanted_type
            for kind, things in self.world.kinds.items()
        )

    def would(self, operation: str, by: str, arguments: tuple[Any, ...]) -> bool:
        """Return whether the operation would succeed now and not end the game; nothing is kept."""
        events = self.tried(operation, by, arguments, {})
        return events is not None and not _is_refused(events) and not _ends_game(events)

    def tried(
        self, operation: str, by: str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> list[e.Event] | None:
        """Return the events of a trial of the operation; None if it cannot be attempted.

        The state is rolled back afterwards.
        """
        key = (self.now, operation, by, repr(arguments), repr(named))
        trials = self.samples.since_head("trials")
        if key not in trials:
            trials[key] = self._try(operation, by, arguments, named), self.is_loss
        events: list[e.Event] | None
        events, self.is_loss = trials[key]
        if events is not None:
            self._learn(by, operation, named, events)
        return events

    def _try(
        self, operation: str, by: str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> list[e.Event] | None:
        known = self.engine.link(self.world.ruleset).links.operations
        if operation not in known or self.world.agenda:
            return None
        attempt = Attempt(
            id="trial",
            operation=operation,
            arguments=arguments,
            named=named,
            by=by,
            cause=self.world.head,
            at=self.now,
        )
        belongings = self._belongings_before(by)
        mark, self.is_trying = self.world.mark(), True
        self.world.put(self.world.game, "now", self.now)
        try:
            events = self.engine.carry_out(attempt, may_fail=False)
            if not _is_refused(events):  # Otherwise nobody asks.
                self.is_loss = self._belongings(by) < belongings - 1
            return events
        except RuleFault as fault:
            self.faults.setdefault(str(fault), f"{by}: {operation} {named or arguments}")
            return None
        finally:
            self.world.rollback(mark)
            self.is_trying = False

    def _learn(self, by: str, action: str, named: dict[str, Any], events: list[e.Event]) -> None:
        """Remember the items that *by* lacked, and through which actions items can be got."""
        for event in events:
            if isinstance(event, e.AttemptRefused):
                reasons = " ".join(reason.text for reason in event.reasons).lower()
                reasons = reasons.replace("no such", "no")
                wishes = [word for word in sorted(self._goods()) if f"no {word}" in reasons]
                self.samples.wishes[by] = [*self.samples.wishes[by], *wishes][-WISHES_MAX:]
            elif isinstance(event, e.Posted):
                gained = [post.commodity for post in event.postings if post.account == by]
                self.sources |= {(action, name) for name, value in named.items() if value in gained}

    def _goods(self) -> set[str]:
        """Return everything that can be owned: commodities, and kinds of entities."""
        return {*self.world.commodities(), *self.world.known_kinds()}

    def _belongings_before(self, by: str) -> int:
        """Return how much *by* has between trials, when the state only changes with the head."""
        known = self.samples.since_head("belongings")
        if by not in known:
            known[by] = self._belongings(by)
        return int(known[by])

    def _belongings(self, by: str) -> int:
        """Return how much *by* has: commodities held, and entities whose attributes name *by*."""
        held = sum(amount > 0 for amount in self.world.balances.get(by, {}).values())
        named = [1 for attributes in self.world.attributes.values() if by in attributes.values()]
        return held + len(named)

    def audience(self, by: str, action: str) -> tuple[str, ...] | None:
        """Return who sees the request: only its author if the action is secret."""
        is_secret = any(action in rule.secret for rule in self.world.rules)
        return (by,) if is_secret else None

    def details(self, name: str) -> dict[str, Any]:
        """Return the arguments that the rules require of players who join."""
        join = self.engine.link(self.world.ruleset).links.operations.get("join")
        if join is None or not join.definitions:
            return {}
        return {
            parameter.name: f"{name.lower().replace(' ', '')}@example.org"
            for parameter in join.definitions[0][1].parameters
            if parameter.name != "name" and parameter.type in ("", "Text")
        }

    def answer(self, question: e.QuestionRaised) -> tuple[type[e.Input], dict[str, Any]]:
        """Return an answer to *question*: one of its options, its default, or any value."""
        if question.asks in _DRAWS:
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


def _is_refused(events: list[e.Event]) -> bool:
    return any(isinstance(event, e.AttemptRefused) for event in events)


def _ends_game(events: list[e.Event]) -> bool:
    return any(isinstance(event, e.GameEnded) for event in events)
