"""The names that a statement can use: what the rules declare, and what there is in the game."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import field

from nomoledger.events.rules import Rule
from nomoledger.language.code import Parameter, parse_code
from nomoledger.language.operations import Links, kind_type
from nomoledger.state.world import World

_TEXT = re.compile(r"""(["'])((?:(?!\1)[^\\\n]){1,60})\1""")


class Value(msgspec.Struct, frozen=True):
    """A value that the rules define.

    Attributes:
        parameters: its parameters.
        returns: the type of its result; "" if unknown.
    """

    parameters: tuple[Parameter, ...]
    returns: str


class StatementNames(msgspec.Struct):
    """The names that a statement can use.

    Attributes:
        attributes: per attribute, its type for each kind of thing that has it.
        values: the values that rules define, by name; several where their arguments changed.
        commodities: what can be owned in quantity.
        accounts: the names of accounts.
        things: what the things of each kind are called: by their ids, and by what people call them.
        keys: per kind, the type of what people call its things.
        words: words that the rules write in quotes.
        texts: texts that things have as attributes; they may be secret.
    """

    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    values: dict[str, list[Value]] = field(default_factory=dict)
    commodities: set[str] = field(default_factory=set)
    accounts: set[str] = field(default_factory=lambda: {"mint", "admin"})
    things: dict[str, set[Any]] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def add_rules(self, rules: Iterable[Rule]) -> None:
        """Add what *rules* declare."""
        for rule in rules:
            self.commodities.update(rule.commodities)
            self.accounts.update(rule.accounts)
            for kind, attributes in rule.declares.items():
                self.things.setdefault(kind, set())
                for name, type_ in attributes.items():
                    self.attributes.setdefault(name, {})[kind] = type_.removesuffix(" key")
                    if type_.endswith(" key"):
                        self.keys[kind] = type_.removesuffix(" key")
            self.words.update(match[2] for match in _TEXT.finditer(rule.code))

    def add_code(self, rules: Iterable[Rule]) -> None:
        """Add the values that the code of *rules* defines, whether or not they can be linked."""
        for rule in rules:
            for hook in parse_code(rule).hooks:
                if hook.kind == "value":
                    self._add_value(hook.operation, Value(hook.parameters, hook.returns))

    def add_links(self, links: Links) -> None:
        """Add the values that linked rules define."""
        for name, operation in links.operations.items():
            if operation.is_value:
                self._add_value(name, Value(operation.parameters, operation.returns))

    def _add_value(self, name: str, value: Value) -> None:
        known = self.values.setdefault(name, [])
        if value not in known:
            known.append(value)

    def add_world(self, world: World) -> None:
        """Add the things and the accounts that there are in *world*."""
        self.accounts.update(world.balances)
        for kind, entities in world.kinds.items():
            called = self.things.setdefault(kind, set())
            called.update(entities)
            called.update(map(world.label, entities))
        for attributes in world.attributes.values():
            self.texts.update(value for value in attributes.values() if isinstance(value, str))

    @property
    def kind_types(self) -> dict[str, str]:
        """The kinds of things, by the names that they have as types."""
        return {kind_type(kind): kind for kind in self.things}

    @property
    def functions(self) -> set[str]:
        """The names that take what they are about in brackets, besides those of every game."""
        return {*self.attributes, *self.values, *self.commodities}

    def is_called(self, kinds: Iterable[str], called: Any) -> bool:
        """Return whether a thing of one of *kinds* is *called* that."""
        return any(called in self.things.get(kind, ()) for kind in kinds)

    def kinds_of(self, called: Any) -> list[str]:
        """Return the kinds of the things that are *called* that."""
        return [kind for kind, names in self.things.items() if called in names]

    def is_account(self, called: Any) -> bool:
        """Return whether a thing or an account is *called* that."""
        return called in self.accounts or bool(self.kinds_of(called))

    def is_word(self, word: str) -> bool:
        """Return whether *word* is a name, or a word of the game."""
        return word in self.words or word in self.texts or self.is_account(word)

    def suggestions(self) -> set[str]:
        """Return the words that may be suggested; texts that may be secret are left out."""
        called = {name for names in self.things.values() for name in names}
        return {str(name) for name in called} | self.accounts | self.words


def names_in(world: World, links: Links) -> StatementNames:
    """Return the names that a statement on *world* can use now, under the rules of *links*."""
    names = StatementNames()
    names.add_rules(world.ruleset.declaring)
    names.add_links(links)
    names.add_world(world)
    return names
