"""Alternative rulesets: the rules in force with some changes applied."""

from collections.abc import Iterable
from contextlib import suppress

import msgspec

from nomoledger.errors import UnknownError, UsageError
from nomoledger.events import rules as r


def apply_fitting_changes(
    rules: tuple[r.Rule, ...], changes: Iterable[r.Change]
) -> tuple[r.Rule, ...]:
    """Apply those of the *changes* that fit *rules*, and skip changes of rules not in force."""
    for change in changes:
        with suppress(UnknownError):
            rules = apply_rule_changes(rules, [change])
    return rules


def apply_rule_changes(
    rules: tuple[r.Rule, ...], changes: Iterable[r.Change]
) -> tuple[r.Rule, ...]:
    """Apply *changes* to *rules*; a rule enacted under a number in use replaces the old rule.

    Raises:
        UnknownError: a change names a rule that is not in force.
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
    fields = {
        name: value
        for name in change.__struct_fields__
        if name not in ("number", "parameters") and (value := getattr(change, name)) is not None
    }
    parameters = old.parameters | change.parameters
    return msgspec.structs.replace(old, **fields, version=old.version + 1, parameters=parameters)
