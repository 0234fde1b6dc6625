"""Which operation a hook may be meant for, whose own operation no rule defines."""

import re
from collections.abc import Iterator

from nomoledger.events.rules import Rule
from nomoledger.language.code import Hook, parse_code
from nomoledger.language.host_verbs import is_hookable
from nomoledger.language.linker import DEFINING, analyze_rules
from nomoledger.language.operations import Links, Operation
from nomoledger.state.declared_rules import Ruleset

#: How many operations are named at most.
_NAMED_MAX = 3
#: Kinds of hooks that belong to no operation.
_FREE = ("check", "on")


def likely_operations(ruleset: Ruleset, rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield the name of each hook of *rule* that never acts in *ruleset*, and what it may bend.

    Such a hook bends an operation that no rule defines. Likely operations have all arguments of the
    hook. Those come first whose name, or the words of whose rule, contain a word of the hook's
    name; of these, those that most hooks of other rules bend. The code of all rules must be
    readable.
    """
    links = analyze_rules(ruleset)
    for hook in parse_code(rule).hooks:
        if hook.kind in (*DEFINING, *_FREE) or is_hookable(hook.operation):
            continue
        if _definer(links, hook.operation) is None:
            named = ", ".join(_alike(links, hook))
            if named:
                yield hook.name, f"operations with the same arguments are {named}"


def _alike(links: Links, hook: Hook) -> list[str]:
    """Return the operations that *hook* may be meant for, with their rules, the likeliest first."""
    wanted = {each.name for each in hook.parameters if each.name != "proceed"}
    ranked = []
    for name, operation in links.operations.items():
        definer = _definer(links, name)
        given = _given(operation)
        if definer is not None and not operation.is_value and wanted <= given:
            distance = _distance(definer, operation, hook.operation)
            bending = len(operation.hooks) - len(operation.definitions)
            rank = (distance, -bending, len(given - wanted), name)
            ranked.append((rank, f"{name} (rule {definer.number})"))
    return [text for _rank, text in sorted(ranked)[:_NAMED_MAX]]


def _definer(links: Links, name: str) -> Rule | None:
    """Return the rule in force that defines the operation *name*, or has it as a moment."""
    operation = links.operations.get(name)
    number = "" if operation is None else operation.definer
    return next((x for x in links.rules if x.number == number or name in x.moments), None)


def _given(operation: Operation) -> set[str]:
    """Return what a hook of *operation* can take as an argument."""
    return {*(each.name for each in operation.parameters), *operation.result_names}


def _distance(rule: Rule, operation: Operation, word: str) -> int:
    """Return how far *operation* is from a part of the name *word*, by what contains such a part.

    0: its name; 1: the title of its *rule*, or its docstring; 2: the prose; 3: nothing.
    """
    doc = operation.definitions[0][1].doc if operation.definitions else ""
    sought = re.compile(rf"\b({'|'.join(map(re.escape, word.split('_')))})", re.I)
    texts = (operation.name.replace("_", " "), f"{rule.title}\n{doc}", rule.prose)
    return next((i for i, text in enumerate(texts) if sought.search(text)), len(texts))
