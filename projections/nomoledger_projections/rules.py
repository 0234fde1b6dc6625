"""rules: the rules in force, in their order, with what brought each of them in and changed it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.projecting import Table, View, shown
from nomoledger.rules.rule import Rule


class Origin(msgspec.Struct, frozen=True):
    """A change to a rule: its *version* from then on, by which *event*, and on whose authority."""

    version: int
    event: int
    period: int
    source: str


class RuleInForce(msgspec.Struct, frozen=True):
    """A rule and its history; *kind* is "executable", "text only" or "by ruling"."""

    number: str
    version: int
    title: str
    kind: str
    prose: str
    code: str
    parameters: dict[str, Any]
    why: str | None
    history: tuple[Origin, ...]

    def __str__(self) -> str:
        sources = [f"{each.source}, #{each.event}" for each in self.history]
        lines = [f"### {self.number} {self.title}", ""]
        lines += [f"version {self.version}: {'; '.join(sources)}", "", self.prose, ""]
        if self.parameters:
            given = (f"{name} = {shown(value)}" for name, value in self.parameters.items())
            lines += [f"parameters: {', '.join(given)}", ""]
        if self.why is not None:
            lines += [f"{self.kind}: {self.why}", ""]
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
    histories = _histories(view)
    found = tuple(
        _in_force(rule, tuple(histories[rule.number]))
        for rule in view.world.rules
        if rule.number in histories
    )
    return Rules(view.game, view.period, found)


def _in_force(rule: Rule, history: tuple[Origin, ...]) -> RuleInForce:
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
    )


def _histories(view: View) -> dict[str, list[Origin]]:
    """What has happened to each rule, under the number it has now."""
    found: dict[str, list[Origin]] = {}
    for entry in view.entries():
        body = entry.body
        if isinstance(body, e.RuleEnacted):
            found[body.rule.number] = [_origin(entry.number, body, body.rule.version)]
        elif isinstance(body, e.RuleAmended):
            history = found.setdefault(body.rule.number, [])
            history.append(_origin(entry.number, body, body.rule.version))
        elif isinstance(body, e.RuleRenumbered):
            history = found.pop(body.number, [])
            version = history[-1].version if history else 1
            found[body.to] = [*history, _origin(entry.number, body, version)]
    return found


def _origin(
    number: int, event: e.RuleEnacted | e.RuleAmended | e.RuleRenumbered, version: int
) -> Origin:
    return Origin(version, number, event.period, event.source)
