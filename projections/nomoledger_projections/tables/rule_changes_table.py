"""rule_changes: every change to the rules, and on whose authority."""

from collections.abc import Iterator

from nomoledger import events as e
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row
from nomoledger_projections.ruleset import RuleChangeList


class RuleChangesTable(Facts):
    """A change to a rule."""

    name = "rule_changes"
    about = "One change to one rule."
    own = (
        Column("event", "integer", "the number of the event"),
        Column("period", "integer", "the period in which it was changed"),
        Column("at", "time", "when what led to it was received"),
        Column("done", "text", "enacted, amended, repealed or renumbered"),
        Column("life", "integer", "the event that enacted the rule, whatever it is called since"),
        Column("number", "text", "what the players call it, by then or last"),
        Column("version", "integer", "its version, by then or last"),
        Column("title", "text", "its title"),
        Column("prose", "text", "its words"),
        Column("source", "text", "rulebook, proposal 4, ruling 2, or the rule that did it"),
        Column("by", "text", "who proposed it, or admin"),
        Column("reason", "text", "the words of the proposal or ruling"),
    )
    key = ("event",)
    kinds = RuleChangeList.KINDS

    def __init__(self) -> None:
        self._changes = RuleChangeList()

    def take(self, entry: e.Entry, world: World) -> Iterator[Row]:
        """A row a change."""
        for each in self._changes.take(entry):
            rule, source = each.rule, each.authority
            which = (each.life, rule.number, rule.version, rule.title, rule.prose)
            why = (source.source, source.by, source.text)
            yield each.event, each.period, each.at, each.done, *which, *why
