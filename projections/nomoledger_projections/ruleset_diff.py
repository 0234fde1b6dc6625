"""ruleset_diff: the differences between the rules at the close of two periods."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.events.rules import Rule
from nomoledger.game.read_models import Table, View
from nomoledger.intake.bounded_diff import diff_lines
from nomoledger.prose.labels import format_cell
from nomoledger_projections.ruleset import RuleChange, ruleset

#: Stands for a rule that is not in force.
NOTHING = Rule(number="")


class Difference(msgspec.Struct, frozen=True):
    """The differences of one rule. *prose*, *parameters* and *code* are lines of unified diffs.

    Attributes:
        done: One or two of enacted, amended, repealed, renumbered.
        was: The earlier number and version; None if the rule was not in force.
        now: The later number and version; None if the rule was not in force.
        by: The authorities of the changes in between.
    """

    number: str
    title: str
    done: tuple[str, ...]
    was: str | None
    now: str | None
    by: tuple[str, ...]
    prose: tuple[str, ...]
    parameters: tuple[str, ...]
    code: tuple[str, ...]

    def __str__(self) -> str:
        head = [f"### {self.number} {self.title}: {' and '.join(self.done)}"]
        head += [f"by {authority}" for authority in self.by]
        parts = ("\n".join(part) for part in (self.prose, self.parameters, self.code) if part)
        return "\n\n".join(["\n".join(head), *parts]) + "\n"


class RulesetDiff(msgspec.Struct, frozen=True):
    """The differences between the rules at the close of periods *before* and *after*."""

    game: str
    before: int
    after: int
    differences: tuple[Difference, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield a section per rule, in the order of the rules."""
        if not self.differences:
            yield f"the rules are the same at the close of periods {self.before} and {self.after}"
        yield from map(str, self.differences)


def diff(view: View, *, before: int, after: int) -> RulesetDiff:
    """Return the differences between the rules at the close of periods *before* and *after*.

    Raises:
        UnknownError: A period does not exist.
    """
    history = ruleset(view)
    first = history.changes[0].period if history.changes else view.period
    for period in (before, after):
        if not first - 1 <= period <= view.period:
            there_is = f"the periods are {first} to {view.period}, and {first - 1} for the opening"
            raise UnknownError(f"{view.game}: there is no period {period}; {there_is}")
    old, new = history.at(before), history.at(after)
    earlier, later = sorted((history.until(before), history.until(after)), key=len)
    between = later[len(earlier) :]
    differences = tuple(
        _difference(old.get(life), new.get(life), [c for c in between if c.life == life])
        for life in dict.fromkeys((*old, *new))
        if old.get(life) != new.get(life)
    )
    return RulesetDiff(view.game, before, after, differences)


def _difference(was: Rule | None, now: Rule | None, changes: list[RuleChange]) -> Difference:
    rule = now or was
    assert rule is not None
    return Difference(
        number=rule.number,
        title=rule.title,
        done=tuple(_done(was, now)),
        was=None if was is None else was.name,
        now=None if now is None else now.name,
        by=tuple(dict.fromkeys(str(change.authority) for change in changes)),
        **texts(was, now),
    )


def _done(was: Rule | None, now: Rule | None) -> Iterator[str]:
    if was is None or now is None:
        yield "enacted" if was is None else "repealed"
        return
    if was.number != now.number:
        yield f"renumbered (was {was.number})"
    if msgspec.structs.replace(was, number=now.number) != now:
        yield "amended"


def texts(was: Rule | None, now: Rule | None) -> dict[str, Any]:
    """Return a unified diff for each part of two versions of a rule."""
    old, new = was or NOTHING, now or NOTHING
    before, after = (rule.name if rule is not NOTHING else "nothing" for rule in (old, new))
    with_title = old.title != new.title and NOTHING not in (old, new)
    parts = {
        "prose": (_prose(old, with_title), _prose(new, with_title)),
        "parameters": (_parameters(old), _parameters(new)),
        "code": (old.code.splitlines(), new.code.splitlines()),
    }
    return {
        part: diff_lines(*both, f"{before} {part}", f"{after} {part}")
        for part, both in parts.items()
    }


def _prose(rule: Rule, with_title: bool) -> list[str]:
    return [rule.title, "", *rule.prose.splitlines()] if with_title else rule.prose.splitlines()


def _parameters(rule: Rule) -> list[str]:
    return [f"{name} = {format_cell(value)}" for name, value in rule.parameters.items()]
