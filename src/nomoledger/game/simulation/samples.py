"""Samples for bots: arguments by the types that rules state, and by examples in cases."""

from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

from nomoledger.events.rules import Amend, Rule
from nomoledger.language.code import Parameter
from nomoledger.language.operations import Operation, kind_type
from nomoledger.rulebook.cases.format import cases_beside
from nomoledger.state.world import World

#: Amounts of money that bots choose from, and the probabilities of their preferences.
AMOUNTS = (1, 2, 5, 10, 25, 50, 100, 200, 500, 1000)
OWN_THINGS = 0.7
NEW_THINGS, LATEST = 0.6, 2
OWN_DOING = 0.85
FROM_EXAMPLES = 0.5
FROM_HOLDINGS = 0.6
WISHFUL = 0.4


class Samples:
    """Random arguments for the actions of a game.

    Attributes:
        world: the state of the game.
        chance: the source of random choices.
        examples: arguments in the cases of the rulebook, by action and name.
        wishes: the items that each player lacked before.
    """

    def __init__(
        self, world: World, chance: Random, examples: dict[tuple[str, str], list[Any]]
    ) -> None:
        """Draw arguments for *world* from *chance*."""
        self.world = world
        self.chance = chance
        self.examples = examples
        self.wishes: dict[str, list[str]] = defaultdict(list)
        self._known: tuple[int, dict[str, dict[Any, Any]]] = (-1, {})

    def arguments(self, operation: Operation, by: str) -> dict[str, Any] | None:
        """Return arguments for a request of *by*; None if a required entity does not exist.

        The first parameter of an action is the requester and gets no argument.
        """
        _, hook = operation.definitions[0]
        if any(
            parameter.default is None and self._lacks(parameter)
            for parameter in hook.parameters[1:]
        ):
            return None
        arguments, share = {}, self.chance.random() ** 2
        for parameter in hook.parameters[1:]:
            if parameter.default is None or (
                self.chance.random() < share and not self._lacks(parameter)
            ):
                arguments[parameter.name] = self._value(operation.name, parameter, by)
        return arguments

    def _lacks(self, parameter: Parameter) -> bool:
        """Return whether the parameter takes only entities of kinds that have none."""
        wanted = parameter.type.split(" | ")
        kinds = [kind for kind in self.world.known_kinds() if kind_type(kind) in wanted]
        return kinds != [] and not any(self.world.kinds.get(kind) for kind in kinds)

    def _value(self, action: str, parameter: Parameter, by: str) -> Any:
        examples = self.examples.get((action, parameter.name), [])
        kinds = [
            kind for kind in self.world.kinds if kind_type(kind) in parameter.type.split(" | ")
        ]
        lists = [example for example in examples if isinstance(example, list)]
        if lists:  # only an example shows what is in such a list
            return self._filled(self.chance.choice(lists), kinds, [by])
        if kinds:
            return self._thing(self.chance.choice(kinds), by)
        wishes = self.wishes[by]
        if wishes and parameter.type == "Text" and self.chance.random() < WISHFUL:
            return self.chance.choice(wishes)
        if examples and self.chance.random() < FROM_EXAMPLES:
            return self._renamed(self.chance.choice(examples))
        return self._plain(parameter.type, by)

    def _plain(self, type_: str, by: str) -> Any:
        if type_ == "Number":
            return self.chance.choice((1, 1, self.chance.randint(1, 12)))
        if type_ == "Money":
            return self.chance.choice(AMOUNTS)
        if type_ == "Flag":
            return self.chance.random() < 0.5
        if type_ == "List":
            return []
        return self._word(by)

    def _word(self, by: str) -> str:
        """Return a word, often an item of *by* or the first word of its name."""
        held = [name for name, amount in self.world.balances.get(by, {}).items() if amount > 0]
        if held and self.chance.random() < FROM_HOLDINGS:
            name = self.chance.choice(held)
            return self.chance.choice((name, name.split()[0]))
        return self.chance.choice(self.words())

    def _thing(self, kind: str, by: str) -> Any:
        """Return the name of an entity of *kind*: often new, and often related to *by*."""
        things = self.world.kinds.get(kind) or ("",)
        related = self._related(by)
        own = [thing for thing in things if thing in related]
        if own and self.chance.random() < OWN_THINGS:
            things = tuple(own[-LATEST:] if self.chance.random() < NEW_THINGS else own)
        return self.world.label(self.chance.choice(things))

    def _related(self, by: str) -> set[str]:
        """Return the ids and names related to *by*.

        They are in attributes of *by*, or in attributes of an entity that has *by* in another
        attribute.
        """
        known = self.since_head("related")
        if by not in known:
            related = set(self._texts_of(by))
            for thing in self.world.attributes:
                texts = self._texts_of(thing)
                if by in texts:
                    related |= {thing, *texts}
            known[by] = related - {by}
        found: set[str] = known[by]
        return found

    def _texts_of(self, thing: str) -> frozenset[str]:
        """Return the texts in the attributes of *thing*, also within lists."""
        known = self.since_head("texts")
        if thing not in known:
            known[thing] = frozenset(_texts([*self.world.attributes.get(thing, {}).values()]))
        texts: frozenset[str] = known[thing]
        return texts

    def since_head(self, what: str) -> dict[Any, Any]:
        """Return a table of *what* is known of the state, which is empty after each event.

        Bots ask for it between trials, when the state only changes with the head.
        """
        if self._known[0] != self.world.head:
            self._known = self.world.head, {}
        return self._known[1].setdefault(what, {})

    def _filled(self, example: list[Any], kinds: list[str], before: list[str]) -> list[Any]:
        """Return *example* with entities of this game; *before* are the players used so far."""
        return [self._leaf(item, kinds, before) for item in example]

    def _leaf(self, example: Any, kinds: list[str], before: list[str]) -> Any:
        if isinstance(example, list):
            return self._filled(example, kinds, list(before))
        if self._is_name(example):
            others = [
                player for player in self.world.kinds.get("player", ()) if player not in before[1:]
            ]
            first = len(before) == 1 and self.chance.random() < OWN_DOING
            before.append(before[0] if first or not others else self.chance.choice(others))
            return self.world.label(before[-1])
        owner = before[1] if len(before) > 1 else before[0]
        fitting = [kind for kind in kinds if type(self._any(kind)) is type(example)]
        if fitting:
            return self._thing(self.chance.choice(fitting), owner)
        if isinstance(example, int):
            return self.chance.choice((1, example, *AMOUNTS))
        return self._word(owner) if isinstance(example, str) else example

    def _any(self, kind: str) -> Any:
        """Return the name of one of the entities of *kind*, or None."""
        things = self.world.kinds.get(kind)
        return self.world.label(things[0]) if things else None

    def _is_name(self, example: Any) -> bool:
        """Return whether *example* looks like the name of a player in a case."""
        return isinstance(example, str) and example.istitle() and " " not in example

    def _renamed(self, example: Any) -> Any:
        """Return *example* with a player of this game in place of one in the case."""
        players = self.world.kinds.get("player", ())
        if self._is_name(example) and players:
            return self.world.label(self.chance.choice(players))
        return example

    def words(self) -> list[str]:
        """Return words that mean something to the rules: in their parameters, and commodities."""
        words = [
            word for rule in self.world.rules for word in _texts(list(rule.parameters.values()))
        ]
        return [*words, *self.world.commodities(), "yes", "no"]

    def amendment(self) -> Amend | None:
        """Return an amendment with another value for a numeric parameter, or None."""
        known = [
            (rule, name, value)
            for rule in self.world.rules
            for name, value in rule.parameters.items()
            if type(value) is int and value > 1
        ]
        if not known:
            return None
        rule, name, value = self.chance.choice(known)
        other = max(1, value + self.chance.choice((-1, 1)) * max(1, value // 10))
        return Amend(number=rule.number, parameters={name: other})


def _texts(values: list[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
        elif isinstance(value, dict):
            yield from _texts([*value.keys(), *value.values()])


def examples_of(rulebook: str) -> dict[tuple[str, str], list[Any]]:
    """Return the arguments in the cases that come with *rulebook*, by action and name."""
    examples: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for step in (step for case in cases_beside(rulebook) for step in case.body.steps):
        for name, value in step.with_.items():
            values = examples[step.do or "", name]
            if value not in values:
                values.append(value)
    return dict(examples)


def numbers_with_code(rules: tuple[Rule, ...]) -> set[str]:
    """Return the numbers of the rules that have code."""
    return {rule.number for rule in rules if rule.code.strip()}
