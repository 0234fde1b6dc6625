"""Faults that changes bring into the rules; the one place that asks the checker of rules."""

import re
from collections.abc import Callable, Collection

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule
from nomoledger.language.linker import analyze_rules
from nomoledger.language.operations import Operation
from nomoledger.language.program import link
from nomoledger.rulebook.checker.fault import Fault
from nomoledger.rulebook.checker.ruleset_check import faults_of
from nomoledger.rulebook.named_operations import operations_in
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import World

#: A place in a message: the file, or the rule if there is none, the line, and the rule.
_PLACE = re.compile(r"(?:.*?:(?P<line>\d+): )?rule (?P<number>[^:]+): ")
#: What the checker says of a rule that is only untidy.
_UNTIDY = "is never used"

#: Tells a fault of a ruleset with its place, in one line.
Tell = Callable[[Ruleset, Fault], str]


def told_fault(ruleset: Ruleset, fault: Fault) -> str:
    """Return *fault* with its rule in *ruleset*, and the line within the code of the rule."""
    begins = next((rule.line for rule in ruleset.rules if rule.number == fault.rule), 1)
    where = "" if fault.data else f", line {fault.line - begins + 1}"
    return f"rule {fault.rule}{where}: {fault.text}"


def faults_of_changes(
    before: Ruleset,
    after: Ruleset,
    numbers: Collection[str],
    things: Collection[str],
    tell: Tell = told_fault,
) -> list[str]:
    """Return the faults of the rules *numbers* in *after* that *before* does not have, a line each.

    *things* are the names of things in the game, which rules can name. *tell* words a fault. Rules
    that the interpreter does not accept are faults, whatever they were.
    """
    found = _new_faults(before, after, numbers, things)
    if not found:
        try:
            link(after).compile(World())
        except RulebookError as error:
            return [placed(after.rules, str(error))]
        found = _faults_of_arguments(before, after, numbers, things)
    return [tell(after, fault) for fault in found]


def _new_faults(
    before: Ruleset, after: Ruleset, numbers: Collection[str], things: Collection[str]
) -> list[Fault]:
    found = faults_of(after, numbers, things=things)
    found = [fault for fault in found if _UNTIDY not in fault.text]
    if found:
        had = {(fault.rule, fault.text) for fault in faults_of(before, numbers, things=things)}
        found = [fault for fault in found if (fault.rule, fault.text) not in had]
    return found


def _faults_of_arguments(
    before: Ruleset, after: Ruleset, numbers: Collection[str], things: Collection[str]
) -> list[Fault]:
    """Return what other rules ask of operations whose arguments change, and no longer get.

    These are the rules that are not among *numbers*: their hooks name an argument that is gone, or
    their calls no longer fit.
    """
    old, new = analyze_rules(before), analyze_rules(after)
    altered = {
        name
        for name, operation in new.operations.items()
        if name in old.operations and _arguments(old.operations[name]) != _arguments(operation)
    }
    users = [
        rule.number
        for rule in after.rules
        if rule.number not in numbers and altered & operations_in(new, rule)
    ]
    if not users:
        return []
    found = _new_faults(before, after, users, things)
    altered.add("proceed")  # By this name an `instead_` hook calls the operation.
    return [fault for fault in found if fault.text.partition(" ")[0] in altered]


def _arguments(operation: Operation) -> tuple[object, ...]:
    """Return what calls and hooks of *operation* can name, and which of it calls must give."""
    given = [(each.name, each.default is None) for each in operation.parameters]
    return (*given, operation.result_names)


def placed(rules: Collection[Rule], fault: str) -> str:
    """Return *fault* with the line within the code of its rule in place of that in a file.

    The rule is one of *rules*. A fault without a place stays as it is.
    """
    match = _PLACE.match(fault)
    if match is None:
        return fault
    begins = next((rule.line for rule in rules if rule.number == match["number"]), 1)
    where = f", line {int(match['line']) - begins + 1}" if match["line"] else ""
    return f"rule {match['number']}{where}: {fault[match.end() :]}"
