"""Makes what crosses between rule code and its host cheaper.

The interpreter's binding turns every text and number that crosses into JSON and back, which takes
about a µs each; a Python object that it cannot look into crosses for next to nothing. So texts that
are known to cross often go over as such objects, and come back as their place in a list. Such an
object stands for its text in any world.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from nomoledger.events.rules import Rule
from nomoledger.language.operations import Links

#: How many things are known by name; how long a text in code may be; numbers up to where.
THINGS_MAX = 1_000
SHORT_MAX = 40
SMALL_MAX = 100
_NO_TEXTS = ("Number", "Money", "Flag", "List")


def attributes(rules: Iterable[Rule]) -> list[str]:
    """Every attribute that *rules* declare, once, in order."""
    declared = (name for rule in rules for table in rule.declares.values() for name in table)
    return list(dict.fromkeys(declared))


def kinds(rules: Iterable[Rule]) -> list[str]:
    """Every kind that *rules* declare, once, in order."""
    return list(dict.fromkeys(kind for rule in rules for kind in rule.declares))


def names(links: Links, things: Iterable[str]) -> tuple[str, ...]:
    """What crosses often: the short texts that code calls something with, and *things*."""
    calls = [call for code in links.codes.values() for call in code.calls]
    given = {each for call in calls for each in (*call.constants, *call.keywords.values())}
    said = {each for each in given if isinstance(each, str) and len(each) <= SHORT_MAX}
    known = dict.fromkeys(("step", *sorted(said), *islice(things, THINGS_MAX)))
    return tuple(each for each in known if each.isprintable())


def light_values(names: Sequence[str]) -> list[str | int | None]:
    """All that has a light form where *names* have one: these, small numbers, and nothing."""
    return [*names, *range(SMALL_MAX), None] if names else []


def write_shortcuts(rules: tuple[Rule, ...], names: Sequence[str]) -> str:
    """Tables of words bound to their first argument, and of *names* in their light form.

    Words that give the place of what they find among `_texts` stand in tables of their own.
    """
    getters = {name: f"_get_{i}" for i, name in enumerate(attributes(rules))}
    finders = {name: f"_find_{i}" for i, name in enumerate(kinds(rules))}
    pointed = _texts(rules) if names else frozenset()
    tables: dict[str, dict[Any, str]] = {
        "_getters": getters,
        "_finders": finders,
        "_pointers": {name: f"_place{word}" for name, word in getters.items() if name in pointed},
        "_seekers": {name: f"_place{word}" for name, word in finders.items() if names},
        "_lights": {each: f"_light_{i}" for i, each in enumerate(light_values(names))},
    }
    lines = [f"_texts = [None, {', '.join(map(_written, names))}]"]
    for table, words in tables.items():
        pairs = (f"{_written(name)}: {word}" for name, word in words.items())
        lines.append(f"{table} = {{{', '.join(pairs)}}}")
    return "\n".join(lines) + "\n"


def _written(value: str | int | None) -> str:
    return "None" if value is None else json.dumps(value, ensure_ascii=False)


def _texts(rules: Iterable[Rule]) -> frozenset[str]:
    """The attributes that *rules* declare to be texts or things, and of no kind anything else."""
    tables = [table for rule in rules for table in rule.declares.values()]
    declared = [each for table in tables for each in table.items()]
    others = {name for name, type_ in declared if type_.split(" ")[0] in _NO_TEXTS}
    return frozenset(name for name, _ in declared) - others
