"""Rulesets that never were: those in force with some changes made."""

from collections.abc import Iterable
from contextlib import suppress

import msgspec

from nomoledger.errors import UnknownError, UsageError
from nomoledger.events import rules as r


def rules_where_they_fit(
    rules: tuple[r.Rule, ...], changes: Iterable[r.Change]
) -> tuple[r.Rule, ...]:
    """*rules* after those of the *changes* that are about rules in force."""
    for change in changes:
        with suppress(UnknownError):
            rules = rules_with(rules, [change])
    return rules


def rules_with(rules: tuple[r.Rule, ...], changes: Iterable[r.Change]) -> tuple[r.Rule, ...]:
    """*rules* after *changes*; a rule enacted under a number that there is takes its place.

    Raises:
        UnknownError: a change is about a rule that there is not.
        UsageError: it is no change of the rules.
    """
    found = {rule.number: rule for rule in rules}
    for change in changes:
        if isinstance(change, r.Enact):
            old = found.get(change.rule.number)
            version = 1 if old is None else old.version + 1
            found[change.rule.number] = msgspec.structs.replace(change.rule, version=version)
        elif isinstance(change, r.Amend):
            found[change.number] = _amended(_there(found, change.number), change)
        elif isinstance(change, r.Repeal):
            del found[_there(found, change.number).number]
        elif isinstance(change, r.Renumber):
            old = _there(found, change.number)
            del found[change.number]
            found[change.to] = msgspec.structs.replace(old, number=change.to)
        else:
            raise UsageError("only changes of the rules can be tried: not do, nor set")
    return tuple(found.values())


def _there(found: dict[str, r.Rule], number: str) -> r.Rule:
    if number not in found:
        raise UnknownError(f"there is no rule {number} in force")
    return found[number]


def _amended(old: r.Rule, change: r.Amend) -> r.Rule:
    given = {
        name: value
        for name in change.__struct_fields__
        if name not in ("number", "parameters") and (value := getattr(change, name)) is not None
    }
    parameters = old.parameters | change.parameters
    return msgspec.structs.replace(old, **given, version=old.version + 1, parameters=parameters)
