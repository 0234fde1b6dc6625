"""Comparison of what was refused in a step with what the step expects."""

from collections.abc import Set as AbstractSet
from typing import Any

from nomoledger import events as e

#: Expected: no refusal, any, by which rules, or what is refused and by which rules.
Refused = bool | str | list[str] | dict[str, Any]
#: The word, in a table of what is refused, for the act of the step itself.
ACT = "act"


def refusal_difference(
    expected: Refused, events: list[e.Event], acts: AbstractSet[str]
) -> str | None:
    """Return how the refusals in *events* differ from those *expected*; None if they do not.

    *acts* are the ids of the attempts that the step itself asks for; all others follow from it.
    """
    refused = [event for event in events if isinstance(event, e.AttemptRefused)]
    if expected is False:
        return f"refused: {_told(refused, acts)}" if refused else None
    if isinstance(expected, dict):
        return _of_table(expected, refused, acts)
    if not refused:
        return "it is not refused, though it should be"
    if expected is True:
        return None
    rules = [expected] if isinstance(expected, str) else expected
    everywhere = {rule for event in refused for rule in _rules(event)}
    if missing := [rule for rule in rules if rule not in everywhere]:
        return f"it is refused, but not by {', '.join(missing)}: {_told(refused, acts)}"
    if not all(_rules(event) & set(rules) for event in refused):
        return f"more is refused than by {', '.join(rules)}: {_told(refused, acts)}"
    return None


def _of_table(
    expected: dict[str, Any], refused: list[e.AttemptRefused], acts: AbstractSet[str]
) -> str | None:
    """Compare with a table of what is refused: `act`, or the name of an operation."""
    left = list(refused)
    for what, by in expected.items():
        found = [event for event in left if _is_meant(event, what, acts)]
        if not found:
            return f"{what} is not refused, though it should be; refused: {_told(refused, acts)}"
        rules = set() if by is True else {by} if isinstance(by, str) else set(by)
        for event in found:
            if rules - _rules(event):
                missing = ", ".join(sorted(rules - _rules(event)))
                return f"{what} is refused, but not by {missing}: {_told([event], acts)}"
        left = [event for event in left if event not in found]
    return f"more is refused than the case says: {_told(left, acts)}" if left else None


def _is_meant(event: e.AttemptRefused, what: str, acts: AbstractSet[str]) -> bool:
    return event.attempt in acts if what == ACT else event.operation.lstrip("@") == what


def _rules(event: e.AttemptRefused) -> set[str]:
    return {reason.rule.partition("@")[0] for reason in event.reasons}


def _told(refused: list[e.AttemptRefused], acts: AbstractSet[str]) -> str:
    return (
        "; ".join(
            f"{event.operation}{'' if event.attempt in acts else ', which follows'}:"
            f" {reason.text} ({reason.rule})"
            for event in refused
            for reason in event.reasons
        )
        or "nothing"
    )
