"""Faults that changes bring into the rules; the one place that asks the checker of rules."""

import re
from collections.abc import Iterable

from nomoledger.errors import RulebookError
from nomoledger.language.code import parse_code
from nomoledger.language.linker import analyze_rules
from nomoledger.language.program import link
from nomoledger.rulebook.lint import faults_of_rule
from nomoledger.state.ruleset import Ruleset
from nomoledger.state.world import World

#: A place in a message: the file, or the rule if there is none, the line, and the rule.
_PLACE = re.compile(r"(?:.*?:(?P<line>\d+): )?rule (?P<number>[^:]+): ")
#: What the checker says of a rule that is only untidy.
_UNTIDY = "is never used"


def faults_of_changes(before: Ruleset, after: Ruleset, numbers: Iterable[str]) -> list[str]:
    """Return the faults of the rules *numbers* in *after* that *before* does not have, a line each.

    The rules of *after* that cannot be read, or cannot be linked, are faults, whatever they were.
    """
    numbers = list(numbers)
    unreadable = [fault for number in numbers if (fault := _unreadable(after, number))]
    if unreadable:
        return unreadable
    try:
        links = analyze_rules(after)
        link(after).compile(World())
    except RulebookError as error:
        return [placed(after, str(error))]
    old = analyze_rules(before)
    known = {rule.number for rule in before.rules}
    faults = []
    for number in numbers:
        had = [_bare(fault) for fault in (faults_of_rule(old, number) if number in known else ())]
        for fault in faults_of_rule(links, number):
            if _UNTIDY not in fault and _bare(fault) not in had:
                faults.append(placed(after, fault))
    return faults


def _unreadable(ruleset: Ruleset, number: str) -> str | None:
    rule = next(rule for rule in ruleset.rules if rule.number == number)
    try:
        parse_code(rule)
    except RulebookError as error:
        return placed(ruleset, str(error))
    return None


def _bare(fault: str) -> str:
    """Return *fault* without its place."""
    return _PLACE.sub("", fault, count=1)


def placed(ruleset: Ruleset, fault: str) -> str:
    """Return *fault* with the line within the code of its rule in place of that in a file.

    A fault without a place stays as it is.
    """
    match = _PLACE.match(fault)
    if match is None:
        return fault
    begins = next((rule.line for rule in ruleset.rules if rule.number == match["number"]), 1)
    where = f", line {int(match['line']) - begins + 1}" if match["line"] else ""
    return f"rule {match['number']}{where}: {fault[match.end() :]}"
