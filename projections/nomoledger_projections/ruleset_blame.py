"""ruleset_blame: every version of one rule, with its differences, time and authority."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.game.read_models import Table, View
from nomoledger_projections.ruleset import Authority, RuleChange, ruleset
from nomoledger_projections.ruleset_diff import texts


class Version(msgspec.Struct, frozen=True):
    """A version of the rule, and its differences from the previous version."""

    name: str
    done: str
    event: int
    period: int
    at: datetime
    by: Authority
    prose: tuple[str, ...]
    parameters: tuple[str, ...]
    code: tuple[str, ...]

    def __str__(self) -> str:
        when = f"period {self.period}, {self.at:%Y-%m-%d}, #{self.event}"
        parts = ("\n".join(part) for part in (self.prose, self.parameters, self.code) if part)
        return "\n\n".join([f"{self.name} {self.done} by {self.by} ({when})", *parts]) + "\n"


class Blame(msgspec.Struct, frozen=True):
    """The history of the rule that now has *number*, under all its numbers."""

    game: str
    number: str
    title: str
    in_force: bool
    versions: tuple[Version, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield the rule, and then its versions from the first."""
        yield (
            f"### {self.number} {self.title}" + ("" if self.in_force else " (not in force)") + "\n"
        )
        yield from map(str, self.versions)


def blame(view: View, *, number: str) -> Blame:
    """Return the history of the rule that has *number*, or had it last.

    Raises:
        UnknownError: No rule ever had this number.
    """
    changes = ruleset(view).changes
    current = _current_number(changes, number)
    lineage = _lineage(changes, current)
    if not lineage:
        raise UnknownError(f"{view.game}: there has been no rule {number!r}: see rules LEDGER")
    rule = lineage[-1].rule
    versions = tuple(map(_version, lineage))
    return Blame(view.game, current, rule.title, lineage[-1].now is not None, versions)


def _current_number(changes: Sequence[RuleChange], number: str) -> str:
    """Return the current number of the rule that last had *number*."""
    life = next((c.life for c in reversed(changes) if number in _names(c)), None)
    names = [change.rule.number for change in changes if change.life == life]
    return names[-1] if names else number


def _names(change: RuleChange) -> set[str]:
    return {rule.number for rule in (change.was, change.now) if rule is not None}


def _lineage(changes: Sequence[RuleChange], number: str) -> list[RuleChange]:
    """Return the changes of the rule with the last number *number*, through its earlier numbers.

    A rule that was repealed and enacted again is one rule.
    """
    lineage = []
    for change in reversed(changes):
        if change.rule.number == number:
            lineage.append(change)
            number = change.was.number if change.was is not None else number
    return lineage[::-1]


def _version(change: RuleChange) -> Version:
    done = f"is {change.done}"
    if change.was is not None and change.was.number != change.rule.number:
        done += f" (was {change.was.number})"
    return Version(
        name=change.rule.name,
        done=done,
        event=change.event,
        period=change.period,
        at=change.at,
        by=change.authority,
        **texts(change.was, change.now),
    )
