"""What changes of the rules say, as differences from the rules that they change."""

from typing import Any

import msgspec
from msgspec.structs import replace

from nomoledger.errors import RulebookError
from nomoledger.events import rules as r
from nomoledger.intake.bounded_diff import diff_lines
from nomoledger.language.amended_rule import amended

#: The fields of a rule that are shown apart, or not at all.
_APART = (
    *("number", "version", "title", "prose", "code", "parameters", "file", "line", "api"),
    "mechanics",
)


#: Stands for a rule that is not in force.
_NO_RULE = r.Rule(number="")


class NewValue(msgspec.Struct, frozen=True):
    """A value that changes, *old* to *new*; None where there is none."""

    name: str
    old: Any
    new: Any


class ChangeDiff(msgspec.Struct, frozen=True):
    """One change.

    Attributes:
        what: the change in a line.
        misfit: why the change does not fit the rules; "" if it does.
        values: the title, the parameters and other data that change.
        prose, code: the lines of unified diffs.
    """

    what: str
    misfit: str = ""
    values: tuple[NewValue, ...] = ()
    prose: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


def diff_changes(rules: tuple[r.Rule, ...], changes: tuple[r.Change, ...]) -> list[ChangeDiff]:
    """Return what each of *changes* changes, one after the other, from *rules* on.

    Call this in a sandbox: the code of rules is read.
    """
    in_force = {rule.number: rule for rule in rules}
    return [_diff(in_force, change) for change in changes]


def _diff(in_force: dict[str, r.Rule], change: r.Change) -> ChangeDiff:
    """Return what *change* changes, and make *in_force* the rules after it."""
    if isinstance(change, r.Enact):
        rule = change.rule
        in_force[rule.number] = rule
        return _difference(f"enact rule {rule.number} {rule.title}".rstrip(), None, rule)
    if isinstance(change, r.Amend | r.Repeal | r.Renumber):
        return _diff_of_rule(in_force, change)
    if isinstance(change, r.Do):
        named = ", ".join(f"{name} {value}" for name, value in change.arguments.items())
        return ChangeDiff(f"do {change.operation}" + (named and f": {named}"))
    if isinstance(change, r.Post):
        amounts = ", ".join(f"{name} {amount}" for name, amount in change.amounts.items())
        commodity = f" {change.commodity}" if change.commodity else ""
        return ChangeDiff(f"post{commodity}: {amounts}" + (change.why and f" ({change.why})"))
    thing = change.kind if change.kind == "game" else f"{change.kind} {change.entity}"
    return ChangeDiff(f"set {change.attribute} of {thing} to {change.value}")


def _diff_of_rule(
    in_force: dict[str, r.Rule], change: r.Amend | r.Repeal | r.Renumber
) -> ChangeDiff:
    number = change.number
    old = in_force.get(number)
    called = f"rule {number}" + (f" {old.title}" if old is not None and old.title else "")
    if isinstance(change, r.Repeal):
        state = {"keep": "", "freeze": ", and freeze its state", "drop": ", and drop its state"}
        what = f"repeal {called}{state.get(change.state, '')}"
    elif isinstance(change, r.Renumber):
        what = f"renumber {called} to {change.to}"
    else:
        what = f"amend {called}"
    if old is None:
        return ChangeDiff(what, misfit=f"there is no rule {number} in force")
    if isinstance(change, r.Repeal):
        return _difference(what, in_force.pop(number), None)
    if isinstance(change, r.Renumber):
        in_force[change.to] = replace(in_force.pop(number), number=change.to)
        return ChangeDiff(what)
    try:
        in_force[number] = amended(old, change)
    except RulebookError as error:
        return ChangeDiff(what, misfit=str(error))
    return _difference(what, old, in_force[number])


def _difference(what: str, old: r.Rule | None, new: r.Rule | None) -> ChangeDiff:
    """Return the difference of two versions of a rule; None where it is not in force."""
    was, now = old or _NO_RULE, new or _NO_RULE
    values: list[tuple[str, Any, Any]] = []
    if old is not None and new is not None:
        values.append(("title", was.title, now.title))
    for name in dict.fromkeys((*was.parameters, *now.parameters)):
        values.append((name, was.parameters.get(name), now.parameters.get(name)))
    for name in r.Rule.__struct_fields__:
        if name not in _APART:
            before, after = (msgspec.to_builtins(getattr(rule, name)) for rule in (was, now))
            values.append((name, before or None, after or None))
    return ChangeDiff(
        what,
        values=tuple(NewValue(*each) for each in values if each[1] != each[2]),
        prose=_lines(was.prose, now.prose),
        code=_lines(was.code, now.code),
    )


def _lines(old: str, new: str) -> tuple[str, ...]:
    """Return the unified diff of two texts, without the names of files."""
    return diff_lines(old.splitlines(), new.splitlines())[2:]
