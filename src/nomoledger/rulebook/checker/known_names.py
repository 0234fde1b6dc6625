"""What a ruleset declares: everything that code and data of its rules can name."""

from collections import Counter, defaultdict
from collections.abc import Collection
from functools import cached_property
from typing import Any

from nomoledger.events.durations import SECONDS
from nomoledger.events.rules import Rule
from nomoledger.language.host_verbs import HOST_VERBS, host_verbs_of, is_hookable
from nomoledger.language.operations import Links, Operation, kind_type
from nomoledger.language.parameters import type_of
from nomoledger.language.prelude import prelude_verbs_of
from nomoledger.language.reserved import TYPES
from nomoledger.rulebook.checker.types import (
    FLAG,
    MONEY,
    NAMED,
    NOTHING,
    TABLE,
    TEXT,
    UNKNOWN,
    Type,
    join,
    kind_of,
    list_of,
    number_of,
)
from nomoledger.rulebook.checker.units import unit_named

#: Operations that the engine calls by itself, whether rules define them or not.
OF_ENGINE = ("join", "depart", "propose", "vote", "judge", "close_period")

#: How many unknown names are compared with all known names in one check.
SUGGESTIONS_MAX = 100


class KnownNames:
    """The names of a ruleset, with the types of what they name.

    Attributes:
        links: the linked ruleset.
        level: its level.
        rules: the rules in force, by number.
        kinds: every kind of thing with its attributes and their types.
        commodities, money: what can be owned, and which of it is money.
        things: the names that things in the game have.
        accounts: the accounts besides those of players and things.
        verbs: the words of the language: host verbs and the functions of the prelude.
        declaring_kind, declaring_commodity: the rules that declare each, in order.
    """

    def __init__(self, links: Links, things: Collection[str] = ()) -> None:
        """Collect the names in *links*, and those of the *things* in the game."""
        ruleset = links.ruleset
        self.links = links
        self.things = {*things, *_created(links)}
        self.level = ruleset.level
        self.rules = {rule.number: rule for rule in ruleset.rules}
        self.commodities = ruleset.commodities
        self.money = next(iter(self.commodities), "")
        self.accounts = {"mint", "admin"} | {
            name for rule in ruleset.declaring for name in rule.accounts
        }
        self.verbs = {*host_verbs_of(self.level), *prelude_verbs_of(self.level)}
        self.written: dict[str, dict[str, str]] = {}
        self.declaring_kind: dict[str, list[Rule]] = defaultdict(list)
        self.declaring_commodity: dict[str, list[Rule]] = defaultdict(list)
        for rule in ruleset.declaring:
            for kind, attributes in rule.declares.items():
                self.written.setdefault(kind, {}).update(attributes)
                self.declaring_kind[kind].append(rule)
            for name in rule.commodities:
                self.declaring_commodity[name].append(rule)
        #: How many functions are read within one another, to find what they return.
        self.depth = 0
        self._suggestions = 0
        self._kind_of_type = {kind_type(kind): kind for kind in self.written}
        self.type_names = {*TYPES, *self._kind_of_type}
        self.kinds = {
            kind: {name: self.type_named(text) for name, text in attributes.items()}
            for kind, attributes in self.written.items()
        }

    def may_suggest(self) -> bool:
        """Return whether one more name may be compared with all names, to suggest a like one.

        Comparing takes long, and few suggestions are enough.
        """
        self._suggestions += 1
        return self._suggestions <= SUGGESTIONS_MAX

    @cached_property
    def read_parameters(self) -> dict[Any, set[Any]]:
        """The parameters of each rule, by its number, that code reads with `param`."""
        read: dict[Any, set[Any]] = defaultdict(set)
        for code in self.links.codes.values():
            for call in code.calls:
                if call.name == "param" and call.constants[1:]:
                    read[call.constants[0]].add(call.constants[1])
        return read

    @cached_property
    def with_parameter(self) -> dict[str, list[Rule]]:
        """The rules with each parameter, by its name."""
        rules: dict[str, list[Rule]] = defaultdict(list)
        for rule in self.rules.values():
            for name in rule.parameters:
                rules[name].append(rule)
        return rules

    @cached_property
    def with_function(self) -> dict[str, str]:
        """The first rule with each function, by the name of the function."""
        rules: dict[str, str] = {}
        for number, code in self.links.codes.items():
            for name in code.functions:
                rules.setdefault(name, number)
        return rules

    @cached_property
    def written_code(self) -> str:
        """The code of all rules that declare something or are in force, one after the other."""
        return "\n".join(rule.code for rule in self.links.ruleset.declaring)

    @cached_property
    def written_types(self) -> str:
        """The types of all attributes, as they are declared."""
        declared = (
            table for rule in self.links.ruleset.declaring for table in rule.declares.values()
        )
        return "\n".join(text for table in declared for text in table.values())

    @cached_property
    def attributes(self) -> set[str]:
        """The attributes of all kinds."""
        return {name for attributes in self.kinds.values() for name in attributes}

    @cached_property
    def operations(self) -> dict[str, Operation]:
        """The operations that can be called: defined, moments, or defined by a former rule."""
        known = self.links.operations.items()
        return {n: op for n, op in known if op.definitions or op.remembered is not None}

    @cached_property
    def hookable(self) -> set[str]:
        """What hooks can be attached to: operations, and verbs that can be hooked."""
        return {*self.operations, *(name for name in HOST_VERBS if is_hookable(name))}

    @cached_property
    def actions(self) -> set[str]:
        """The operations that players submit."""
        return {name for name, operation in self.operations.items() if operation.is_action}

    @cached_property
    def units(self) -> Counter[str]:
        """How often the rules write each unit."""
        return Counter(unit for rule in self.rules.values() for unit in rule.units.values())

    @cached_property
    def things_counted(self) -> frozenset[str]:
        """The units of what a game can have many of: commodities, and kinds in the plural."""
        return frozenset((*self.commodities, *(f"{kind}s" for kind in self.kinds)))

    @cached_property
    def places(self) -> Type:
        """What pieces can stand on: the kinds that attributes called square have."""
        declared = [types["square"] for types in self.kinds.values() if "square" in types]
        places = frozenset(atom for type_ in declared for atom in type_ if atom.is_kind)
        return places or (kind_of("square") if "square" in self.kinds else UNKNOWN)

    def words_of(self, type_: str) -> list[str]:
        """Return the names of types in an annotation or a declaration (`Square | Circle key`)."""
        return [word.strip() for word in type_.removesuffix(" key").split("|")]

    def unknown_type(self, type_: str) -> str | None:
        """Return the first name in *type_* that is no type; None if all are types."""
        unknown = (word for word in self.words_of(type_) if word not in self.type_names)
        return next(unknown, None)

    def type_named(self, text: str) -> Type:
        """Return the type that the *text* of an annotation or a declaration names."""
        if text == "" or "Thing" in self.words_of(text) or self.unknown_type(text) is not None:
            return UNKNOWN
        return join(
            NAMED[word] if word in NAMED else kind_of(self._kind_of_type[word])
            for word in self.words_of(text)
        )

    def type_of_argument(self, type_: str, default: str | None) -> Type:
        """Return the type of an argument with an annotation and a default, as they are written."""
        declared = self.type_named(type_)
        if default is not None and default.startswith("["):
            return list_of(declared) if type_ not in ("", "List") else declared
        return declared | NOTHING if declared and default == "None" else declared

    def key_type(self, kind: str) -> Type:
        """Return the type of the key of *kind*: what people call things of that kind."""
        keys = (name for name, text in self.written.get(kind, {}).items() if text.endswith(" key"))
        return self.kinds.get(kind, {}).get(next(keys, "name"), UNKNOWN)

    def unit(self, word: str) -> str:
        """Return the unit that *word* names."""
        return unit_named(word, self.commodities, self.money)

    def unit_of_commodity(self, commodity: str | None) -> str:
        """Return the unit of amounts of *commodity*; None stands for the game's money."""
        if commodity in (None, self.money):
            return MONEY
        name = str(commodity)
        return name if name in self.counted_apart else ""

    @cached_property
    def counted_apart(self) -> set[str]:
        """The commodities that cannot be meant to count money, as debts of dollars would.

        They are what some parameter is measured in, and what is counted more or less finely.
        """
        measures = {self.unit(unit) for unit in self.units}
        places = self.commodities[self.money].places if self.money else 0
        return {
            name
            for name, commodity in self.commodities.items()
            if name in measures or commodity.places != places
        }

    def is_counted(self, unit: str) -> bool:
        """Return whether *unit* counts something that is known to be no commodity."""
        known_kinds = {kind.replace("_", " ") for kind in self.kinds}
        return unit in SECONDS or unit == "percent" or unit in known_kinds

    def type_of_parameter(self, rule: Rule, name: str) -> Type:
        """Return the type of a parameter of *rule*."""
        unit = rule.units.get(name, "")
        if type_of(rule, name) is int:
            return number_of(self.unit(unit) if unit else unit_in(name))
        return self._type_of_value(rule.parameters[name], self.unit(unit) if unit else "")

    def _type_of_value(self, value: object, unit: str) -> Type:
        if isinstance(value, bool):
            return FLAG
        if isinstance(value, int):
            return number_of(unit)
        if isinstance(value, str):
            return TEXT
        if isinstance(value, list | tuple):
            return list_of(join(self._type_of_value(item, unit) for item in value))
        return TABLE if isinstance(value, dict) else UNKNOWN


def _created(links: Links) -> set[str]:
    """Return the names of things that code creates under a fixed name."""
    calls = (call for code in links.codes.values() for call in code.calls)
    names = {
        name
        for call in calls
        if call.name == "create"
        for name in (*call.constants[2:3], call.keywords.get("name"))
    }
    return {name for name in names if isinstance(name, str)}


def unit_in(name: str) -> str:
    """Return the unit of time in the *name* of a parameter (`days_open`); "" if there is none."""
    parts = name.split("_")
    units = [part for part in parts if part in SECONDS and part != "seconds"]
    return units[0] if len(units) == 1 and "per" not in parts and len(parts) > 1 else ""
