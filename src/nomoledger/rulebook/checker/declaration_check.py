"""The check of what a rule declares against what other rules declare."""

from collections.abc import Iterator

from nomoledger.events.rules import Rule
from nomoledger.language.operations import kind_type
from nomoledger.language.reserved import TYPES
from nomoledger.rulebook.checker.known_names import KnownNames

#: The most decimal places that a commodity can have.
PLACES_MAX = 8
#: Names of types and values of the language, which no kind can share.
_TAKEN = {*TYPES, "None", "True", "False"}


class DeclarationCheck:
    """The check of the declarations of one rule.

    A game keeps what it has: things keep their kinds, attributes their values, and accounts what is
    in them. So rules declare one thing alike, also where an earlier rule is gone by now.
    """

    def __init__(self, rule: Rule, names: KnownNames) -> None:
        """Prepare the check of *rule*."""
        self.rule = rule
        self.names = names

    def check(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the faults, each with its place in the data."""
        for kind, attributes in self.rule.declares.items():
            if kind_type(kind) in _TAKEN:
                text = f"{kind!r} is a word of the language, and no kind can have this name"
                yield ("declares", kind), text
            for name, type_ in attributes.items():
                yield from self._attribute(kind, name, type_)
        for name, commodity in self.rule.commodities.items():
            if not 0 <= commodity.places <= PLACES_MAX:
                text = f"{name} has {commodity.places} decimal places: 0 to {PLACES_MAX} can be"
                yield ("commodities", name), text
            for other in self._others(self.names.declaring_commodity[name]):
                declared = other.commodities[name]
                if declared.places != commodity.places:
                    text = f"{name} has {declared.places} decimal places in rule {other.number}"
                    yield ("commodities", name), f"{text}, so it cannot have {commodity.places}"
                    break

    def _attribute(self, kind: str, name: str, type_: str) -> Iterator[tuple[tuple[str, ...], str]]:
        place = ("declares", kind, name)
        for other in self._others(self.names.declaring_kind[kind]):
            declared = other.declares[kind]
            was = declared.get(name)
            if was is not None and not self._fit(was, type_):
                yield place, f"{name} of {kind} is {was} in rule {other.number}, not {type_}"
                return
            keys = [key for key in _keys(declared) if key != name]
            if keys and type_.endswith(" key"):
                text = f"{kind} has the key {keys[0]} by rule {other.number}"
                yield place, f"{text}, so {name} cannot be a key, too"
                return
        own = _keys(self.rule.declares[kind])
        if name in own[1:]:
            yield place, f"{kind} has the key {own[0]}, so {name} cannot be a key, too"

    def _others(self, rules: list[Rule]) -> Iterator[Rule]:
        """Yield those of *rules* that are other rules, or former versions of this one."""
        in_force = self.names.rules.get(self.rule.number)
        for other in rules:
            if other.number != self.rule.number or other != in_force:
                yield other

    def _fit(self, one: str, other: str) -> bool:
        """Return whether one of two types widens the other, or is the same."""
        left, right = set(self.names.words_of(one)), set(self.names.words_of(other))
        return left <= right or right <= left


def _keys(attributes: dict[str, str]) -> list[str]:
    """Return the names of those *attributes* that are declared as keys."""
    return [name for name, type_ in attributes.items() if type_.endswith(" key")]
