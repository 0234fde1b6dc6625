"""ruleset_blame: every version of one rule, with what changed, when, and on whose authority."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.game.read_models import Table, View
from nomoledger_projections.ruleset import Authority, RuleChange, ruleset
from nomoledger_projections.ruleset_diff import texts


class Version(msgspec.Struct, frozen=True):
    """A version of the rule: how it came to be, and how it differs from the one before it."""

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
    """The history of the rule now called *number*, also from when it was called otherwise."""

    game: str
    number: str
    title: str
    in_force: bool
    versions: tuple[Version, ...]

    def show(self) -> Iterator[Table | str]:
        """The rule, then its versions, the first first."""
        yield (
            f"### {self.number} {self.title}" + ("" if self.in_force else " (not in force)") + "\n"
        )
        yield from map(str, self.versions)


def blame(view: View, *, number: str) -> Blame:
    """The history of the rule that players call *number*, or called so last."""
    changes = ruleset(view).changes
    called = _called_now(changes, number)
    found = _lineage(changes, called)
    if not found:
        raise UnknownError(f"{view.game}: there has been no rule {number!r}: see rules LEDGER")
    rule = found[-1].rule
    versions = tuple(map(_version, found))
    return Blame(view.game, called, rule.title, found[-1].now is not None, versions)


def _called_now(changes: Sequence[RuleChange], number: str) -> str:
    """What the rule last called *number* is called today."""
    life = next((c.life for c in reversed(changes) if number in _names(c)), None)
    names = [change.rule.number for change in changes if change.life == life]
    return names[-1] if names else number


def _names(change: RuleChange) -> set[str]:
    return {each.number for each in (change.was, change.now) if each is not None}


def _lineage(changes: Sequence[RuleChange], number: str) -> list[RuleChange]:
    """What happened to the rule called *number* in the end, back through its earlier numbers.

    A rule that was repealed and enacted again is one rule.
    """
    found = []
    for change in reversed(changes):
        if change.rule.number == number:
            found.append(change)
            number = change.was.number if change.was is not None else number
    return found[::-1]


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
