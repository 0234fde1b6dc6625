"""rule_changes: every change to the rules, with its authority."""

from collections.abc import Iterator

from nomoledger import events as e
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row
from nomoledger_projections.ruleset import RuleChangeList


class RuleChangesTable(Facts):
    """Changes to rules."""

    name = "rule_changes"
    about = "One change to one rule."
    own = (
        Column("event", "integer", "the number of the event"),
        Column("period", "integer", "the period of the change"),
        Column("at", "time", "when the input that led to the change was received"),
        Column("done", "text", "enacted, amended, repealed or renumbered"),
        Column(
            "life", "integer", "the event that enacted the rule, the same under each later number"
        ),
        Column("number", "text", "the rule's number after the change, or its last one"),
        Column("version", "integer", "the rule's version after the change, or its last one"),
        Column("title", "text", "the rule's title"),
        Column("prose", "text", "the rule's text"),
        Column("source", "text", "the authority: rulebook, proposal 4, ruling 2, or a rule"),
        Column("by", "text", "the player who proposed the change, or admin"),
        Column("reason", "text", "the text of the proposal or ruling"),
    )
    key = ("event",)
    kinds = RuleChangeList.KINDS

    def __init__(self) -> None:
        self._changes = RuleChangeList()

    def take(self, entry: e.Entry, world: World) -> Iterator[Row]:
        """Return a row per change."""
        for change in self._changes.apply(entry):
            rule, authority = change.rule, change.authority
            which = (change.life, rule.number, rule.version, rule.title, rule.prose)
            why = (authority.source, authority.by, authority.text)
            yield change.event, change.period, change.at, change.done, *which, *why
