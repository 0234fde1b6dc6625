"""rules: the rules in force in order, each with its history."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger.events.rules import Rule
from nomoledger.game.read_models import Table, View
from nomoledger.prose.labels import format_cell
from nomoledger.state.bitemporal import rulings_that_corrected
from nomoledger_projections.ruleset import ruleset
from nomoledger_projections.rulings import read_docket


class Origin(msgspec.Struct, frozen=True):
    """A change to a rule: the new *version*, the *event*, and the authority (*source*)."""

    version: int
    event: int
    period: int
    source: str


class RuleInForce(msgspec.Struct, frozen=True):
    """A rule and its history. *kind* is "executable", "text only" or "by ruling".

    *rulings* are the rulings that interpret the rule, one line each. *written_for* are the values
    that parameters had when the prose was written, where they are others now.
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
    written_for: dict[str, Any] = {}

    def __str__(self) -> str:
        sources = [f"{origin.source}, #{origin.event}" for origin in self.history]
        lines = [f"### {self.number} {self.title}", ""]
        lines += [f"version {self.version}: {'; '.join(sources)}", "", self.prose, ""]
        for name, value in self.written_for.items():
            now = format_cell(self.parameters[name])
            text = f"{name} is now {now}: the text above was written when it was"
            lines += [f"{text} {format_cell(value)}", ""]
        if self.parameters:
            values = (f"{name} = {format_cell(value)}" for name, value in self.parameters.items())
            lines += [f"parameters: {', '.join(values)}", ""]
        if self.why is not None:
            lines += [f"{self.kind}: {self.why}", ""]
        if self.rulings:
            lines += [*self.rulings, ""]
        return "\n".join(lines)


class Rules(msgspec.Struct, frozen=True):
    """The rules in force in a period."""

    game: str
    period: int
    rules: tuple[RuleInForce, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield each rule with its prose."""
        yield from map(str, self.rules)


def rules(view: View) -> Rules:
    """Return the rules in force in *view* that its reader may see."""
    histories, docket, written = _histories(view), read_docket(view), _written_for(view)
    visible = tuple(
        _in_force(
            rule,
            tuple(histories[rule.number]),
            tuple(map(str, docket.on(rule.number))),
            written.get(rule.number, {}),
        )
        for rule in view.world.rules
        if rule.number in histories
    )
    return Rules(view.game, view.period, visible)


def _in_force(
    rule: Rule, history: tuple[Origin, ...], rulings: tuple[str, ...], written: dict[str, Any]
) -> RuleInForce:
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
        written_for={
            name: value
            for name, value in written.items()
            if name in rule.parameters and rule.parameters[name] != value
        },
    )


def _written_for(view: View) -> dict[str, dict[str, Any]]:
    """Return the parameters with which the prose of each rule in force was written, by number."""
    written: dict[int, dict[str, Any]] = {}
    history = ruleset(view)
    for change in history.until(view.period):
        is_new = change.was is None or change.rule.prose != change.was.prose
        if is_new or change.life not in written:
            written[change.life] = change.rule.parameters
    return {rule.number: written[life] for life, rule in history.at(view.period).items()}


def _histories(view: View) -> dict[str, list[Origin]]:
    """Return the history of each rule in force, by its current number."""
    lives: dict[int, list[Origin]] = {}
    history = ruleset(view)
    for change in history.changes:
        version, source = change.rule.version, change.authority.source
        origin = Origin(version, change.event, change.period, source)
        lives.setdefault(change.life, []).append(origin)
    by_number = {rule.number: lives[life] for life, rule in history.at(view.period).items()}
    return by_number | dict(_corrected(view, by_number))


def _corrected(
    view: View, histories: dict[str, list[Origin]]
) -> Iterator[tuple[str, list[Origin]]]:
    """Yield the histories of rules that a later ruling enacted or changed in this period."""
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
