"""The values that a field of an action takes, and its bounds: found by trying them.

No rule states the values of a text such as a colour. But rules refuse a word that nobody knows, so
the words of the rulebook and of the game are tried in its place. A word for which one of the
reasons of the refusal goes away is a value of the field. Numbers are tried for the least and the
most that such a reason leaves.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import islice, product, takewhile
from typing import Any

import msgspec

from nomoledger.engine.possible_acts import (
    ActTrials,
    PossibleAct,
    actions_for,
    domain_of,
    needed_parameters,
    texts_in,
)
from nomoledger.engine.undelayed import UndelayedEngine
from nomoledger.language.code import Parameter, parse_code, whole_code
from nomoledger.language.operations import Operation
from nomoledger.state.world import World

#: How many trials one field may take, how many words are tried, in how many surroundings.
TRIES_MAX, WORDS_MAX, SURROUNDINGS_MAX = 300, 150, 3
#: How many requests are looked at to find these surroundings, and how many things of each field.
LOOKED_AT_MAX, THINGS_MAX = 16, 4
#: As how many other players a word is tried if it means nothing for the one who asks.
OTHERS_MAX = 1
#: How many trials are left at least when another question is begun: one needs fewer.
FEW = 5
#: The largest number that is tried.
LARGE = 10**6
#: How many words make a list: a single one may be there by chance.
VALUES_MIN = 2
_NOBODY_KNOWS = "qqxjz wvkq"
_QUOTED = re.compile(r"""(["'])([^"'\n%{}]{1,40})\1""")
_DIGITS = re.compile(r"[0-9][0-9.,]*")
_NUMBERS = ("Number", "Money")

_Reasons = frozenset[tuple[str, str]]


class FieldValues(msgspec.Struct, frozen=True):
    """What a field takes, as far as trials tell.

    Attributes:
        words: the words that it takes; none if they are not known.
        least, most: the bounds of a number as things are; None if the rules tell none.
    """

    words: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None


def field_values(world: World, by: str, action: str) -> dict[str, FieldValues]:
    """Return what the fields of *action*, as *by* may ask for it, take in *world*."""
    operation = next((each for each in actions_for(world, by) if each.name == action), None)
    if operation is None:
        return {}
    trials = _FieldTrials(world, by, operation)
    others = [player for player in world.kinds.get("player", ()) if player != by][:OTHERS_MAX]
    # What a player lacks can hide which words there are: others may have it.
    askers = (trials, *(_FieldTrials(world, other, operation) for other in others))
    found = {}
    for parameter in operation.parameters[1:]:
        if parameter.type == "Text":
            words = next(filter(None, (asker.words_for(parameter) for asker in askers)), ())
            trials.words[parameter.name] = words
            found[parameter.name] = FieldValues(words=words)
    for parameter in operation.parameters[1:]:
        if parameter.type in _NUMBERS:
            least, most = trials.bounds_of(parameter)
            found[parameter.name] = FieldValues(least=least, most=most)
    return {name: values for name, values in found.items() if values != FieldValues()}


class _FieldTrials:
    """Trials of one action of one player, or of the admin; *words* has those of its fields."""

    def __init__(self, world: World, by: str, operation: Operation) -> None:
        self.words: dict[str, tuple[str, ...]] = {}
        self._world, self._by, self._operation = world, by, operation
        self._trials = ActTrials(world, UndelayedEngine(world))

    def words_for(self, parameter: Parameter) -> tuple[str, ...]:
        """Return the words that *parameter* takes; none if it takes any, or if none is known."""
        self._trials.renew(TRIES_MAX)
        words = list(islice(self._candidates(parameter), WORDS_MAX))
        found: dict[str, None] = {}
        for given, unknown in self._surroundings(parameter, _NOBODY_KNOWS):
            for word in takewhile(self._can_go_on, words if unknown else ()):
                as_before = {(rule, text.replace(_NOBODY_KNOWS, word)) for rule, text in unknown}
                if word not in found and as_before - self._reasons(given, parameter, word):
                    found[word] = None
            if len(found) >= VALUES_MIN:
                break
        return tuple(sorted(found)) if len(found) >= VALUES_MIN else ()

    def bounds_of(self, parameter: Parameter) -> tuple[int | None, int | None]:
        """Return the least and the most that *parameter* takes; None where no rule tells."""
        self._trials.renew(TRIES_MAX)
        least = most = None
        for given, usual in self._surroundings(parameter, 1):
            below = self._reasons(given, parameter, -1) - usual
            if least is None and below:
                least = 1 if below & self._reasons(given, parameter, 0) else 0
            above = self._reasons(given, parameter, LARGE) - usual
            if above:
                most = max(most or 1, self._most(given, parameter, above))
        return least, most

    def _most(self, given: dict[str, Any], parameter: Parameter, above: _Reasons) -> int:
        """Return the largest number that none of the reasons *above* refuses, by halving."""
        good, bad = 1, LARGE
        while bad - good > 1 and self._can_go_on():
            middle = (good + bad) // 2
            if above & self._reasons(given, parameter, middle):
                bad = middle
            else:
                good = middle
        return good

    def _surroundings(
        self, parameter: Parameter, value: Any
    ) -> Iterator[tuple[dict[str, Any], _Reasons]]:
        """Yield values for the other fields, and why *value* is refused there, each reason once."""
        known: set[_Reasons] = set()
        others = [x for x in needed_parameters(self._operation) if x.name != parameter.name]
        domains = [self._usual(other) for other in others]
        for values in takewhile(self._can_go_on, islice(product(*domains), LOOKED_AT_MAX)):
            given = dict(zip((other.name for other in others), values, strict=True))
            reasons = self._reasons(given, parameter, value)
            if reasons not in known and len(known) < SURROUNDINGS_MAX:
                known.add(reasons)
                yield given, reasons

    def _can_go_on(self, _: object = None) -> bool:
        """Return whether there are trials left for a few more questions."""
        return self._trials.can_try(FEW)

    def _usual(self, parameter: Parameter) -> tuple[Any, ...]:
        """Return some values of *parameter*: of things those first that are related to who asks."""
        domain = domain_of(self._world, parameter)
        words = self.words.get(parameter.name)
        if domain is None and words:
            return words[:THINGS_MAX]
        if domain is None:
            return (1,) if parameter.type in _NUMBERS else ("some text",)
        own = [x for x in domain if self._by in self._texts_of(x) and x != self._by]
        rest = [x for x in domain if x not in own]
        return (*own[:THINGS_MAX], *rest[:THINGS_MAX])

    def _texts_of(self, thing: Any) -> set[str]:
        return set(texts_in(list(self._world.attributes.get(thing, {}).values())))

    def _reasons(self, given: dict[str, Any], parameter: Parameter, value: Any) -> _Reasons:
        """Return why *value* is refused among the values *given*: rules and reasons.

        If it is a number, numbers are left out of the reasons, which often repeat it.
        """
        act = PossibleAct(self._by, self._operation.name, given | {parameter.name: value})
        is_number = not isinstance(value, str)
        return frozenset(
            (reason.rule, _DIGITS.sub("#", reason.text) if is_number else reason.text)
            for reason in self._trials.refusal(act)
        )

    def _candidates(self, parameter: Parameter) -> Iterator[str]:
        """Yield the words that may mean something in *parameter*, the likeliest first."""
        seen = set()
        for word in self._words(parameter):
            if word not in seen and word == word.strip() != "":
                seen.add(word)
                yield word

    def _words(self, parameter: Parameter) -> Iterator[str]:
        world = self._world
        if parameter.default is not None:
            yield from texts_in(ast.literal_eval(parameter.default))
        for rule in world.rules:
            if self._operation.name in rule.code:
                yield from texts_in(list(rule.parameters.values()))
                if any(x.operation == self._operation.name for x in parse_code(rule).hooks):
                    yield from (match[2] for match in _QUOTED.finditer(whole_code(rule)))
        yield from world.commodities()
        for kind in world.known_kinds():
            if parameter.name in world.declared(kind):
                things = world.kinds.get(kind, ())
                yield from _texts(world.get(thing, parameter.name) for thing in things)
            if "Text key" in world.declared(kind).values():
                yield from _texts(map(world.label, world.kinds.get(kind, ())))
        for rule in world.rules:
            yield from texts_in(list(rule.parameters.values()))


def _texts(values: Iterable[Any]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))
