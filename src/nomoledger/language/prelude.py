"""The prelude: the Starlark functions that every program of rules begins with."""

from functools import lru_cache
from typing import Literal

import msgspec

from nomoledger.events.durations import SECONDS

#: Starlark code. Its lines appear in error messages as `prelude:LINE`.
PRELUDE = """
_h = {}
_guards = {}
def set_to(n, why = ""): return ["set", n, why]
def add(n, why = ""): return ["add", n, why]
def times(n, d = 1, why = ""): return ["times", n, why, d]
def at_most(n, why = ""): return ["at_most", n, why]
def at_least(n, why = ""): return ["at_least", n, why]
def _light(n):
    return _lights.get(n, n) if n == None or type(n) == "string" or type(n) == "int" else n
def get(entity, attribute):
    each = _lights.get(entity, entity) if type(entity) == "string" else entity
    pointer = _pointers.get(attribute)
    if pointer != None:
        n = pointer(each)
        if n >= 0: return _texts[n]
    getter = _getters.get(attribute)
    return _get(entity, attribute) if getter == None else getter(each)
def find(kind, called):
    if kind in _seekers:
        n = _seekers[kind](_light(called))
        if n >= 0: return _texts[n]
    return _finders[kind](called) if kind in _finders else _find(kind, called)
def all(kind):
    joined = _join_all(_light(kind))
    return joined.split("\\n") if joined else _all(kind)
def roll(dice, sides, for_ = "roll"): return _roll(_light(dice), _light(sides), _light(for_))
def where(kind, **attributes):
    return _where(_light(kind), **{name: _light(each) for name, each in attributes.items()})
def schedule(operation, *args, due = None, follows = None):
    args = [_light(operation)] + [_light(each) for each in args]
    return _schedule(due = _light(due), follows = _light(follows), *args)
def may(operation, *args): return _guards[operation](*args) if operation in _guards else []
def would(operation, *args, see = None): return struct(**_would(operation, args, see))
"""

#: What the prelude defines besides, in games from level 2 on.
PRELUDE_OF_LEVEL_2 = """
def sum(numbers):
    total = 0
    for number in numbers: total += number
    return total
def count(items, item): return len([each for each in items if each == item])
def first(items, otherwise = None): return items[0] if items else otherwise
""" + "".join(f"def {unit}(n): return n * {length}\n" for unit, length in SECONDS.items())


class PreludeVerb(msgspec.Struct, frozen=True):
    """A verb of rule code that the prelude defines in Starlark.

    Attributes:
        name: the name in rule code.
        purpose: "read", or "step" for a step that an `adjust_` hook returns.
        signature: the parameters as rule code writes them.
        description: what the verb does, in one paragraph.
        since: the first level of games that have the verb.
    """

    name: str
    purpose: Literal["read", "step"]
    signature: str
    description: str
    since: int = 0


_VERBS = (
    PreludeVerb("set_to", "step", 'n, why = ""', "The value becomes *n*."),
    PreludeVerb("add", "step", 'n, why = ""', "Add *n*, which may be negative."),
    PreludeVerb("times", "step", 'n, d = 1, why = ""', "Multiply by *n* / *d*."),
    PreludeVerb("at_most", "step", 'n, why = ""', "Limit the value to at most *n*."),
    PreludeVerb("at_least", "step", 'n, why = ""', "Raise the value to at least *n*."),
    PreludeVerb(
        "may",
        "read",
        "operation, argument, …",
        "Return the reasons why guards would refuse the operation; an empty list if none would.",
    ),
    PreludeVerb(
        "would",
        "read",
        "operation, argument, …, see = None",
        "Try the operation, then undo it. Returns `.refused` (the reasons), `.seen` (the value "
        "that *see* names, such as `[value, argument]`, computed before the undo) and `.certain` "
        "(False if the trial stopped at a die or a question).",
    ),
    PreludeVerb("sum", "read", "numbers", "Return the sum of a list of numbers.", 2),
    PreludeVerb("count", "read", "items, item", "Return how often *item* is in a list.", 2),
    PreludeVerb(
        "first",
        "read",
        "items, otherwise = None",
        "Return the first item of a list; *otherwise* if the list is empty.",
        2,
    ),
    *(PreludeVerb(unit, "read", "n", f"Return the duration of *n* {unit}.", 2) for unit in SECONDS),
)

#: The verbs that the prelude defines, apart from the host verbs that it wraps.
PRELUDE_VERBS = {verb.name: verb for verb in _VERBS}


def prelude_of(level: int) -> str:
    """Return the prelude of games of *level*."""
    return PRELUDE + PRELUDE_OF_LEVEL_2 if level >= 2 else PRELUDE


@lru_cache
def prelude_verbs_of(level: int) -> dict[str, PreludeVerb]:
    """Return the verbs that the prelude defines in games of *level*, by name."""
    return {verb.name: verb for verb in _VERBS if verb.since <= level}
