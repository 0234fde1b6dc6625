"""Faster passing of values between rule code and the host.

The interpreter's binding converts every text and number that is passed to JSON and back, which
takes about 1 µs each. It passes opaque Python objects almost for free. So rule code passes frequent
texts to the host as opaque objects (their light form), and the host returns them as positions in a
list. A light form means its text in any world.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from nomoledger.events.rules import Rule
from nomoledger.language.operations import Links

#: How many things have a light form.
THINGS_MAX = 1_000
#: How many characters a text of rule code may have to get a light form.
SHORT_MAX = 40
#: Whole numbers below this one have a light form.
SMALL_MAX = 100
_NOT_TEXTS = ("Number", "Money", "Flag", "List", "Time", "Duration")


def declared_attributes(rules: Iterable[Rule]) -> list[str]:
    """Return every attribute that *rules* declare, once, in order."""
    declared = (name for rule in rules for table in rule.declares.values() for name in table)
    return list(dict.fromkeys(declared))


def declared_kinds(rules: Iterable[Rule]) -> list[str]:
    """Return every kind that *rules* declare, once, in order."""
    return list(dict.fromkeys(kind for rule in rules for kind in rule.declares))


def frequent_texts(links: Links, things: Iterable[str]) -> tuple[str, ...]:
    """Return the texts that are often passed: short constant arguments, and *things*."""
    calls = [call for code in links.codes.values() for call in code.calls]
    constants = {value for call in calls for value in (*call.constants, *call.keywords.values())}
    short = {text for text in constants if isinstance(text, str) and len(text) <= SHORT_MAX}
    texts = dict.fromkeys(("step", *sorted(short), *islice(things, THINGS_MAX)))
    return tuple(text for text in texts if text.isprintable())


def light_values(names: Sequence[str]) -> list[str | int | None]:
    """Return all values that have a light form: *names*, small numbers and None, or nothing."""
    return [*names, *range(SMALL_MAX), None] if names else []


def write_shortcuts(rules: Sequence[Rule], names: Sequence[str]) -> str:
    """Return Starlark tables of verbs bound to their first argument, and of light forms.

    `_pointers` and `_seekers` are tables of verbs that return the position of a text in `_texts`.
    """
    getters = {name: f"_get_{i}" for i, name in enumerate(declared_attributes(rules))}
    finders = {name: f"_find_{i}" for i, name in enumerate(declared_kinds(rules))}
    textual = _textual_attributes(rules) if names else frozenset()
    tables: dict[str, dict[Any, str]] = {
        "_getters": getters,
        "_finders": finders,
        "_pointers": {name: f"_place{verb}" for name, verb in getters.items() if name in textual},
        "_seekers": {name: f"_place{verb}" for name, verb in finders.items() if names},
        "_lights": {value: f"_light_{i}" for i, value in enumerate(light_values(names))},
    }
    lines = [f"_texts = [None, {', '.join(map(_literal_of, names))}]"]
    for table, entries in tables.items():
        pairs = (f"{_literal_of(key)}: {name}" for key, name in entries.items())
        lines.append(f"{table} = {{{', '.join(pairs)}}}")
    return "\n".join(lines) + "\n"


def _literal_of(value: str | int | None) -> str:
    return "None" if value is None else json.dumps(value, ensure_ascii=False)


def _textual_attributes(rules: Iterable[Rule]) -> frozenset[str]:
    """Return the attributes that *rules* declare only as texts or things, whatever the kind."""
    tables = [table for rule in rules for table in rule.declares.values()]
    declared = [attribute for table in tables for attribute in table.items()]
    others = {name for name, type_ in declared if type_.split(" ")[0] in _NOT_TEXTS}
    return frozenset(name for name, _ in declared) - others
