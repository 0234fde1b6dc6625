"""Reserved words: names that no rule may give to anything, since they mean something already."""

import ast
import keyword
from collections.abc import Iterable, Iterator
from functools import lru_cache

from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Rule
from nomoledger.language.code import parse_code
from nomoledger.language.host_verbs import host_verbs_of, is_hookable
from nomoledger.language.operations import kind_type
from nomoledger.language.prelude import prelude_verbs_of

#: The functions and constants of Starlark that rule code may use.
BUILTINS = frozenset(
    (
        "abs", "any", "bool", "dict", "enumerate", "fail", "getattr", "hasattr", "hash", "int",
        "len", "list", "max", "min", "range", "repr", "reversed", "sorted", "str", "struct",
        "tuple", "type", "zip", "True", "False", "None",
    )
)  # fmt: skip
#: The types of parameters, besides the declared kinds.
TYPES = ("Number", "Text", "Flag", "Money", "List", "Rule", "Time", "Duration", "Thing")
#: What code, data and statements write for nothing, and for yes and no.
VALUES = frozenset(("none", "true", "false", "yes", "no"))
#: What statements and reasons say of the game itself.
OF_ENGINE = frozenset(("engine", "money", "period", "closing", "ended", "asked"))
#: What events cite that do not follow from a rule.
SOURCES = frozenset(("engine", "record"))
#: How a fault is told: in general, and of a parameter.
_TEXT = "{name} is a word of the language, and no {what} can have this name"
_TEXTS = {
    "parameter": "the parameter {name} hides the word {word} of the language: give it another name"
}


@lru_cache
def words_of_language(level: int) -> frozenset[str]:
    """Return all words of the language of *level*: verbs, durations and built-in functions."""
    return BUILTINS | {*host_verbs_of(level), *prelude_verbs_of(level)}


@lru_cache
def reserved_words(level: int) -> frozenset[str]:
    """Return the words of the language that rules of *level* may neither define nor hook."""
    return frozenset(name for name in words_of_language(level) if not is_hookable(name))


def is_keyword(name: str) -> bool:
    """Return whether *name* is a keyword of the language of rule code."""
    return keyword.iskeyword(name) or name == "load"


def faults_of_reserved_names(rule: Rule, level: int) -> Iterator[tuple[str, str]]:
    """Yield each wrong name that *rule* gives in a game of *level*, and what is wrong with it.

    Names of attributes and of the parameters of functions are texts, or hold within one function.
    So they may be words of the language, but no values and nothing that statements read otherwise.
    """
    for kind in rule.declares:
        if kind_type(kind) in ("None", "True", "False"):
            yield kind, f"{kind!r} is a word of the language, and no kind can have this name"
    if not LEVELS[level].reserves_words:
        return
    if rule.number.lower() in SOURCES:
        yield rule.number, f"{rule.number!r} is no number for a rule: what no rule does has it"
    words = words_of_language(level) | VALUES | OF_ENGINE
    types = {type_.lower() for type_ in TYPES}
    named: tuple[tuple[str, Iterable[str], frozenset[str] | set[str]], ...] = (
        ("kind", rule.declares, words | types),
        ("attribute", [n for table in rule.declares.values() for n in table], VALUES | OF_ENGINE),
        ("commodity", rule.commodities, words),
        ("account", rule.accounts, words | {"everybody"}),
        ("parameter", rule.parameters, words_of_language(level) | VALUES),
        ("moment", rule.moments, VALUES | OF_ENGINE),
        ("constant or function", _names_in_code(rule), words_of_language(level) | VALUES),
        ("operation", _operations(rule), VALUES | OF_ENGINE),
    )
    for what, names, taken in named:
        for name in names:
            is_value = name.strip().lower() in VALUES  # also None, TRUE …
            is_known = what == "kind" and kind_type(name) in ("None", "True", "False")
            if (is_value or name in taken or is_keyword(name)) and not is_known:
                text = _TEXTS.get(what, _TEXT)
                yield name, text.format(name=f"{name!r:.60}", word=name, what=what)


def _operations(rule: Rule) -> list[str]:
    hooks = parse_code(rule).hooks
    return [hook.operation for hook in hooks if hook.kind in ("define", "value", "action")]


def _names_in_code(rule: Rule) -> Iterator[str]:
    """Yield the names of the constants and functions of the code, outside of its functions."""
    for code in (rule.code, *rule.mechanics.values()):
        yield from _names_outside(code)


@lru_cache(maxsize=4096)
def _names_outside(code: str) -> tuple[str, ...]:
    names: list[str] = []
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.FunctionDef):
            names.append(statement.name)
        elif isinstance(statement, ast.Assign):
            targets = (node for target in statement.targets for node in ast.walk(target))
            names += [node.id for node in targets if isinstance(node, ast.Name)]
    return tuple(names)
