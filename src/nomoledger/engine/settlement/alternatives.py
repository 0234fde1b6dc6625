"""Alternative rulesets: the rules in force with some changes applied."""

from collections.abc import Iterable
from contextlib import suppress

import msgspec

from nomoledger.errors import RulebookError, UnknownError, UsageError
from nomoledger.events import rules as r
from nomoledger.language.amended_rule import amended


def apply_fitting_changes(
    rules: tuple[r.Rule, ...], changes: Iterable[r.Change]
) -> tuple[r.Rule, ...]:
    """Apply those of the *changes* that fit *rules*, and skip the others."""
    for change in changes:
        with suppress(UnknownError):
            rules = apply_rule_changes(rules, [change])
    return rules


def apply_rule_changes(
    rules: tuple[r.Rule, ...], changes: Iterable[r.Change]
) -> tuple[r.Rule, ...]:
    """Apply *changes* to *rules*; a rule enacted under a number in use replaces the old rule.

    Raises:
        UnknownError: a change names a rule that is not in force, or does not fit its rule.
        UsageError: a change is not a change of the rules.
    """
    ruleset = {rule.number: rule for rule in rules}
    for change in changes:
        if isinstance(change, r.Enact):
            old = ruleset.get(change.rule.number)
            version = 1 if old is None else old.version + 1
            ruleset[change.rule.number] = msgspec.structs.replace(change.rule, version=version)
        elif isinstance(change, r.Amend):
            ruleset[change.number] = _amend(_rule_in_force(ruleset, change.number), change)
        elif isinstance(change, r.Repeal):
            del ruleset[_rule_in_force(ruleset, change.number).number]
        elif isinstance(change, r.Renumber):
            old = _rule_in_force(ruleset, change.number)
            del ruleset[change.number]
            ruleset[change.to] = msgspec.structs.replace(old, number=change.to)
        else:
            raise UsageError("only changes of the rules can be tried: not do, nor set")
    return tuple(ruleset.values())


def _rule_in_force(ruleset: dict[str, r.Rule], number: str) -> r.Rule:
    if number not in ruleset:
        raise UnknownError(f"there is no rule {number} in force")
    return ruleset[number]


def _amend(old: r.Rule, change: r.Amend) -> r.Rule:
    try:
        return amended(old, change)
    except RulebookError as error:
        raise UnknownError(str(error)) from None
