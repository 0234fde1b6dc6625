"""What bots fill in: arguments by the types that rules state, and by examples of their cases."""

from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

from nomoledger.rules.code import Parameter
from nomoledger.rules.link import Operation, kind_type
from nomoledger.rules.rule import Amend, Rule
from nomoledger.world import World

AMOUNTS = (1, 2, 5, 10, 25, 50, 100, 200, 500, 1000)
OWN_THINGS = 0.5
FROM_EXAMPLES = 0.6


class Samples:
    """Draws arguments for the actions of *world* from *chance*.

    *examples* are arguments that the cases of a rulebook give, by action and name.
    """

    def __init__(
        self, world: World, chance: Random, examples: dict[tuple[str, str], list[Any]]
    ) -> None:
        self.world = world
        self.chance = chance
        self.examples = examples

    def arguments(self, operation: Operation, by: str) -> dict[str, Any]:
        """Arguments for what *by* might ask for; the first parameter is who asks."""
        _, hook = operation.definitions[0]
        found = {}
        for parameter in hook.parameters[1:]:
            if parameter.default is None or self.chance.random() < FROM_EXAMPLES:
                found[parameter.name] = self._value(operation.name, parameter, by)
        return found

    def _value(self, action: str, parameter: Parameter, by: str) -> Any:
        examples = self.examples.get((action, parameter.name), [])
        lists = [each for each in examples if isinstance(each, list)]
        if lists:  # which only an example knows how to fill
            return self._renamed(self.chance.choice(lists))
        kinds = [k for k in self.world.kinds if kind_type(k) in parameter.type.split(" | ")]
        if kinds:
            return self._thing(self.chance.choice(kinds), by)
        if examples and self.chance.random() < FROM_EXAMPLES:
            return self._renamed(self.chance.choice(examples))
        return self._plain(parameter.type)

    def _plain(self, type_: str) -> Any:
        if type_ == "Number":
            return self.chance.randint(1, 12)
        if type_ == "Money":
            return self.chance.choice(AMOUNTS)
        if type_ == "Flag":
            return self.chance.random() < 0.5
        if type_ == "List":
            return []
        return self.chance.choice(self.words())

    def _thing(self, kind: str, by: str) -> Any:
        """Something of *kind*, as people call it: often what has to do with whoever asks."""
        things = self.world.kinds.get(kind) or ("",)
        own = [each for each in things if self._concerns(each, by)]
        if own and self.chance.random() < OWN_THINGS:
            things = tuple(own)
        return self.world.label(self.chance.choice(things))

    def _concerns(self, thing: str, by: str) -> bool:
        attributes = self.world.attributes.get(thing, {})
        return by in attributes.values() or thing in self.world.attributes.get(by, {}).values()

    def _renamed(self, example: Any) -> Any:
        """*example*, with the players of this game for those of the case it is from."""
        players = self.world.kinds.get("player", ())
        if isinstance(example, list):
            return [self._renamed(each) for each in example]
        if isinstance(example, str) and example.istitle() and " " not in example and players:
            return self.world.label(self.chance.choice(players))
        return example

    def words(self) -> list[str]:
        """Words that mean something to the rules: those in their parameters, and commodities."""
        words = [w for rule in self.world.rules for w in _texts(list(rule.parameters.values()))]
        return [*words, *self.world.commodities(), "yes", "no"]

    def amendment(self) -> Amend | None:
        """Another value for a numeric parameter of some rule."""
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
    """The arguments in the cases that come with *rulebook*, by action and name."""
    from nomoledger.cases.format import cases_beside

    found: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for step in (step for case in cases_beside(rulebook) for step in case.body.steps):
        for name, value in step.with_.items():
            known = found[step.do or "", name]
            if value not in known:
                known.append(value)
    return dict(found)


def with_code(rules: tuple[Rule, ...]) -> set[str]:
    """Numbers of the rules that have code."""
    return {rule.number for rule in rules if rule.code.strip()}
