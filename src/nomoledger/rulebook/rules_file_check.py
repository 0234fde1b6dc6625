"""What the rules of a file would do to the rules in force, with the lines of the file."""

import re
from typing import NamedTuple

import msgspec

from nomoledger.errors import RulebookError
from nomoledger.events import rules as r
from nomoledger.rulebook.change_check import ChangeCheck, check_changes
from nomoledger.rulebook.change_diff import ChangeDiff, diff_changes
from nomoledger.rulebook.changes import change_to
from nomoledger.rulebook.checker.fault import Fault
from nomoledger.rulebook.faults_of_changes import told_fault
from nomoledger.rulebook.likely_operations import likely_operations
from nomoledger.rulebook.loading import Rulebook
from nomoledger.rulebook.losses import LeftUndefined
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import World

#: A place in a message: the rule, and the line of its code if that is known.
_PLACE = re.compile(r"rule (?P<number>[^\s:,]+)(?:, line (?P<line>\d+))?: ")
#: Fields of a rule that say where it stands, or follow from other fields.
_FOLLOWING = ("version", "api", "file", "line", "units", "mechanics", "parameters")


class RulesFileCheck(msgspec.Struct, frozen=True):
    """What the rules or changes of a file would do to the rules of a game.

    Attributes:
        file: the file.
        changes: what is new, and what is amended, as differences from the rules in force.
        errors: what is wrong, as `file:line: rule N: what`.
        left_undefined: what rules would use, and no rule would define any more.
        mismatches: where the prose of a rule and its parameters would disagree.
        notes: what else the author should know.
        cases_failing: the cases that pass now and would fail, each with the first difference.
        cases_tried: how many cases were tried.
        cases_not_tried: how many were not, as time was up.
        why_no_cases: why no case was tried; "" if some were.
    """

    file: str
    changes: tuple[ChangeDiff, ...] = ()
    errors: tuple[str, ...] = ()
    left_undefined: tuple[LeftUndefined, ...] = ()
    mismatches: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    cases_failing: tuple[str, ...] = ()
    cases_tried: int = 0
    cases_not_tried: int = 0
    why_no_cases: str = ""


class TriedRulesFile(NamedTuple):
    """What a file of rules would do, for people; and the rules that it would make."""

    told: RulesFileCheck
    checked: ChangeCheck


def check_rules_file(
    world: World, file: str, book: Rulebook | None, changes: tuple[r.Change, ...], source: str
) -> TriedRulesFile:
    """Try the rules of *book* on *world*, or *changes* if the file lists changes and no rules.

    *world* is as it was afterwards. Call this in a sandbox: the code of rules runs.
    """
    if book is not None:
        changes = tuple(change_to(rule, world.rule(rule.number)) for rule in book.rules)
    places = _Places(file, book)
    checked = check_changes(world, changes, source, tell=places.fault)
    errors = [places.line(error) for error in checked.errors]
    told = RulesFileCheck(
        file=file,
        changes=tuple(diff_changes(checked.before.rules, changes)),
        errors=tuple(_with_likely(errors, _likely(checked.after, changes))),
        left_undefined=checked.left_undefined,
        mismatches=checked.mismatches,
        notes=(*checked.notes, *(_left_out(book, checked.after) if book else ())),
    )
    return TriedRulesFile(told, checked)


class _Places:
    """Where the rules of a file stand."""

    def __init__(self, file: str, book: Rulebook | None) -> None:
        self.file = file
        self.book = book
        self.lines = {} if book is None else {rule.number: rule.line for rule in book.rules}

    def fault(self, after: Ruleset, fault: Fault) -> str:
        """Return *fault* of a rule in *after* with its place in the file."""
        if self.book is None or not fault.data or fault.rule not in self.lines:
            return self.line(told_fault(after, fault))
        line = self.book.line_of(fault.rule, fault.data)
        return f"{self.file}:{line}: rule {fault.rule}: {fault.text}"

    def line(self, text: str) -> str:
        """Return *text*, which begins with the rule that it is about, with the line of the file."""
        if text.startswith(f"{self.file}:"):
            return text
        match = _PLACE.match(text)
        if match is None or match["number"] not in self.lines:
            return f"{self.file}: {text}"
        number = match["number"]
        line = self.lines[number] + int(match["line"] or 1) - 1
        return f"{self.file}:{line}: rule {number}: {text[match.end() :]}"


def _likely(after: Ruleset, changes: tuple[r.Change, ...]) -> dict[str, str]:
    """Return for each hook of the changed rules that never acts which operations are likely."""
    numbers = {x.rule.number for x in changes if isinstance(x, r.Enact)}
    numbers |= {x.number for x in changes if isinstance(x, r.Amend)}
    found: dict[str, str] = {}
    try:
        for rule in after.rules:
            if rule.number in numbers:
                found |= likely_operations(after, rule)
    except RulebookError:
        return {}  # The errors say what cannot be read.
    return found


def _with_likely(errors: list[str], likely: dict[str, str]) -> list[str]:
    """Return *errors*, each that is about a hook that never acts with the *likely* operations."""
    told = []
    for error in errors:
        hints = (hint for name, hint in likely.items() if f": {name} bends " in error)
        told.append("; ".join([error, *hints]))
    return told


def _left_out(book: Rulebook, after: Ruleset) -> list[str]:
    """Return a note for each rule of *book* of which an amendment takes over only a part."""
    in_force = {rule.number: rule for rule in after.rules}
    notes = []
    for rule in book.rules:
        new = in_force.get(rule.number)
        names = [name for name in r.Rule.__struct_fields__ if name not in _FOLLOWING]
        lost = [n for n in names if new is not None and getattr(rule, n) != getattr(new, n)]
        if lost and new is not None and new.version > 1:
            kept = ", ".join(lost)
            text = f"an amendment leaves as they are, whatever the file says: {kept}"
            notes.append(f"rule {rule.number}: {text}")
    return notes
