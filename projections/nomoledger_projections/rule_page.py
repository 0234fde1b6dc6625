"""rule: one rule with its text and code, its history, and the rulings under it."""

from collections.abc import Iterator
from textwrap import indent
from typing import Any

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.prose.labels import format_cell
from nomoledger_projections.rules_in_force import rules
from nomoledger_projections.ruleset import ruleset
from nomoledger_projections.ruleset_blame import Version, blame
from nomoledger_projections.rulings import read_docket


class RuleInFull(msgspec.Struct, frozen=True):
    """The rule that has a number, or had it last.

    Attributes:
        version: the version in force, or the last one.
        kind: "executable", "text only" or "by ruling"; None if the rule is not in force.
        why: why the rule has no code, if the rulebook or a ruling says so.
        versions: all versions from the first, each with who made it, and its differences.
        rulings: the rulings that interpret the rule, one line each.
    """

    game: str
    number: str
    title: str
    in_force: bool
    version: int
    kind: str | None
    prose: str
    parameters: dict[str, Any]
    code: str
    why: str | None
    versions: tuple[Version, ...]
    rulings: tuple[str, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield the text and the code, then the history, then the rulings."""
        state = "" if self.in_force else ", not in force any more"
        yield f"### {self.number} {self.title} (version {self.version}{state})"
        yield f"\n{self.prose}\n"
        if self.parameters:
            values = (f"{name} = {format_cell(value)}" for name, value in self.parameters.items())
            yield f"parameters: {', '.join(values)}\n"
        if self.why is not None:
            yield f"{self.kind}: {self.why}\n"
        if self.code:
            yield indent(self.code, "    ")
        yield "history:"
        for version in self.versions:
            when = f"period {version.period}, {version.at:%Y-%m-%d}, #{version.event}"
            yield f"  {version.name} {version.done} by {version.by} ({when})"
        yield "rulings:" if self.rulings else "nothing has been ruled on this rule"
        yield from (f"  {ruling}" for ruling in self.rulings)


def rule(view: View, *, number: str) -> RuleInFull:
    """Return the rule of *view* that has *number*, or had it last.

    Raises:
        UnknownError: No rule ever had this number.
    """
    history = blame(view, number=number)
    found = next((rule for rule in rules(view).rules if rule.number == history.number), None)
    changes = ruleset(view).changes
    last = next(c.rule for c in reversed(changes) if c.rule.number == history.number)
    docket = read_docket(view)
    rulings = docket.on(history.number) if history.number in docket.numbers else ()
    return RuleInFull(
        game=view.game,
        number=history.number,
        title=history.title,
        in_force=found is not None,
        version=last.version if found is None else found.version,
        kind=None if found is None else found.kind,
        prose=last.prose if found is None else found.prose,
        parameters=last.parameters if found is None else found.parameters,
        code=last.code if found is None else found.code,
        why=None if found is None else found.why,
        versions=history.versions,
        rulings=tuple(map(str, rulings)),
    )
