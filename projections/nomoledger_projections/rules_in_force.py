"""rules: the rules in force, in their order, with what brought each of them in and changed it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger.events.rules import Rule
from nomoledger.game.read_models import Table, View
from nomoledger.prose.labels import format_cell
from nomoledger.state.bitemporal import rulings_that_corrected
from nomoledger_projections.ruleset import ruleset
from nomoledger_projections.rulings import listed_in


class Origin(msgspec.Struct, frozen=True):
    """A change to a rule: its *version* from then on, by which *event*, and on whose authority."""

    version: int
    event: int
    period: int
    source: str


class RuleInForce(msgspec.Struct, frozen=True):
    """A rule and its history; *kind* is "executable", "text only" or "by ruling".

    *rulings* are those that interpret it, a line each.
    """

    number: str
    version: int
    title: str
    kind: str
    prose: str
    code: str
    parameters: dict[str, Any]
    why: str | None
    history: tuple[Origin, ...]
    rulings: tuple[str, ...] = ()

    def __str__(self) -> str:
        sources = [f"{each.source}, #{each.event}" for each in self.history]
        lines = [f"### {self.number} {self.title}", ""]
        lines += [f"version {self.version}: {'; '.join(sources)}", "", self.prose, ""]
        if self.parameters:
            given = (f"{name} = {format_cell(value)}" for name, value in self.parameters.items())
            lines += [f"parameters: {', '.join(given)}", ""]
        if self.why is not None:
            lines += [f"{self.kind}: {self.why}", ""]
        if self.rulings:
            lines += [*self.rulings, ""]
        return "\n".join(lines)


class Rules(msgspec.Struct, frozen=True):
    """The rules in force as they stood."""

    game: str
    period: int
    rules: tuple[RuleInForce, ...]

    def show(self) -> Iterator[Table | str]:
        """Each rule with its prose."""
        yield from map(str, self.rules)


def rules(view: View) -> Rules:
    """The rules in force in *view*, but for those that its reader may not know of."""
    histories, docket = _histories(view), listed_in(view)
    found = tuple(
        _in_force(rule, tuple(histories[rule.number]), tuple(map(str, docket.on(rule.number))))
        for rule in view.world.rules
        if rule.number in histories
    )
    return Rules(view.game, view.period, found)


def _in_force(rule: Rule, history: tuple[Origin, ...], rulings: tuple[str, ...]) -> RuleInForce:
    kind = "executable"
    if not rule.code:
        kind = "by ruling" if rule.by_ruling is not None else "text only"
    return RuleInForce(
        number=rule.number,
        version=rule.version,
        title=rule.title,
        kind=kind,
        prose=rule.prose,
        code=rule.code,
        parameters=rule.parameters,
        why=rule.text_only if rule.by_ruling is None else rule.by_ruling,
        history=history,
        rulings=rulings,
    )


def _histories(view: View) -> dict[str, list[Origin]]:
    """What has happened to each rule in force, under the number it has now."""
    lives: dict[int, list[Origin]] = {}
    history = ruleset(view)
    for change in history.changes:
        version, source = change.rule.version, change.authority.source
        origin = Origin(version, change.event, change.period, source)
        lives.setdefault(change.life, []).append(origin)
    found = {rule.number: lives[life] for life, rule in history.at(view.period).items()}
    return found | dict(_corrected(view, found))


def _corrected(
    view: View, histories: dict[str, list[Origin]]
) -> Iterator[tuple[str, list[Origin]]]:
    """The rules that a later ruling has put into this period, or changed in it."""
    rulings = rulings_that_corrected(view.reading.later, view.period)
    published = {rule.number: rule for rule in view.reading.published.rules}
    for rule in view.world.rules:
        is_secret = rule.number in published and rule.number not in histories
        if not rulings or is_secret or published.get(rule.number) == rule:
            continue
        ruling, event = view.reading.later.rulings[rulings[-1]]
        earlier = [x for x in histories.get(rule.number, []) if x.version < rule.version]
        by = Origin(rule.version, event, ruling.period, f"ruling {ruling.number}")
        yield rule.number, [*earlier, by]
