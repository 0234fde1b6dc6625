"""What bots fill in: arguments by the types that rules state, and by examples of their cases."""

from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

from nomoledger.events.rules import Amend, Rule
from nomoledger.language.code import Parameter
from nomoledger.language.operations import Operation, kind_type
from nomoledger.state.world import World

AMOUNTS = (1, 2, 5, 10, 25, 50, 100, 200, 500, 1000)
OWN_THINGS = 0.7
NEW_THINGS, LATEST = 0.6, 2
OWN_DOING = 0.85
FROM_EXAMPLES = 0.5
FROM_HOLDINGS = 0.6
WISHFUL = 0.4


class Samples:
    """Draws arguments for the actions of *world* from *chance*.

    *examples* are arguments that the cases of a rulebook give, by action and name; *wishes* are
    the commodities that somebody was short of, by player.
    """

    def __init__(
        self, world: World, chance: Random, examples: dict[tuple[str, str], list[Any]]
    ) -> None:
        self.world = world
        self.chance = chance
        self.examples = examples
        self.wishes: dict[str, list[str]] = defaultdict(list)

    def arguments(self, operation: Operation, by: str) -> dict[str, Any] | None:
        """Arguments for what *by* might ask for, or None where there is nothing of a kind it takes.

        The first parameter is who asks.
        """
        _, hook = operation.definitions[0]
        if any(each.default is None and self._lacks(each) for each in hook.parameters[1:]):
            return None
        found, share = {}, self.chance.random() ** 2
        for parameter in hook.parameters[1:]:
            if parameter.default is None or (
                self.chance.random() < share and not self._lacks(parameter)
            ):
                found[parameter.name] = self._value(operation.name, parameter, by)
        return found

    def _lacks(self, parameter: Parameter) -> bool:
        """Whether the parameter takes things of kinds of which there are none."""
        wanted = parameter.type.split(" | ")
        kinds = [kind for kind in self.world.known_kinds() if kind_type(kind) in wanted]
        return kinds != [] and not any(self.world.kinds.get(kind) for kind in kinds)

    def _value(self, action: str, parameter: Parameter, by: str) -> Any:
        examples = self.examples.get((action, parameter.name), [])
        kinds = [k for k in self.world.kinds if kind_type(k) in parameter.type.split(" | ")]
        lists = [each for each in examples if isinstance(each, list)]
        if lists:  # which only an example knows how to fill
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
        """A word: often what *by* has, or the beginning of its name (red, of red paint)."""
        held = [name for name, amount in self.world.balances.get(by, {}).items() if amount > 0]
        if held and self.chance.random() < FROM_HOLDINGS:
            name = self.chance.choice(held)
            return self.chance.choice((name, name.split()[0]))
        return self.chance.choice(self.words())

    def _thing(self, kind: str, by: str) -> Any:
        """Something of *kind*, as people call it: often new, and to do with whoever asks."""
        things = self.world.kinds.get(kind) or ("",)
        near = self._related(by)
        own = [each for each in things if each in near]
        if own and self.chance.random() < OWN_THINGS:
            things = tuple(own[-LATEST:] if self.chance.random() < NEW_THINGS else own)
        return self.world.label(self.chance.choice(things))

    def _related(self, by: str) -> set[Any]:
        """What *by* is told of, what tells of *by*, and what that tells of besides."""
        near = set(self._told_of(by))
        for thing in self.world.attributes:
            told = self._told_of(thing)
            if by in told:
                near |= {thing, *told}
        return near - {by}

    def _told_of(self, thing: str) -> list[str]:
        """The texts among the attributes of *thing*, and within lists there."""
        return list(_texts(list(self.world.attributes.get(thing, {}).values())))

    def _filled(self, example: list[Any], kinds: list[str], before: list[str]) -> list[Any]:
        """*example* with things of this game: *before* are the players that were put in so far."""
        return [self._leaf(each, kinds, before) for each in example]

    def _leaf(self, example: Any, kinds: list[str], before: list[str]) -> Any:
        if isinstance(example, list):
            return self._filled(example, kinds, list(before))
        if self._is_name(example):
            others = [each for each in self.world.kinds.get("player", ()) if each not in before[1:]]
            first = len(before) == 1 and self.chance.random() < OWN_DOING
            before.append(before[0] if first or not others else self.chance.choice(others))
            return self.world.label(before[-1])
        whose = before[1] if len(before) > 1 else before[0]
        fitting = [kind for kind in kinds if type(self._any(kind)) is type(example)]
        if fitting:
            return self._thing(self.chance.choice(fitting), whose)
        if isinstance(example, int):
            return self.chance.choice((1, example, *AMOUNTS))
        return self._word(whose) if isinstance(example, str) else example

    def _any(self, kind: str) -> Any:
        """What people call one of the things of *kind*, or None."""
        things = self.world.kinds.get(kind)
        return self.world.label(things[0]) if things else None

    def _is_name(self, example: Any) -> bool:
        """Whether *example* looks like the name of a player in a case."""
        return isinstance(example, str) and example.istitle() and " " not in example

    def _renamed(self, example: Any) -> Any:
        """*example*, with a player of this game for one of the case it is from."""
        players = self.world.kinds.get("player", ())
        if self._is_name(example) and players:
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
    from nomoledger.rulebook.cases.format import cases_beside

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
