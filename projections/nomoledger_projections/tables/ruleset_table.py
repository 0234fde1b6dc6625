"""ruleset: the rules in force at the close of every period."""

from collections.abc import Iterator

from nomoledger.game.read_models import View
from nomoledger.views.sql.table import Column, Readings, Row
from nomoledger_projections.tables.cells import as_json


class RulesetTable(Readings):
    """Rules in force, with their text and code."""

    name = "ruleset"
    about = "One rule in force."
    own = (
        Column("place", "integer", "the position in the list of rules, from 1"),
        Column("number", "text", "the rule's number"),
        Column("version", "integer", "the rule's version: each amendment adds one"),
        Column("title", "text", "the rule's title"),
        Column("prose", "text", "the rule's text"),
        Column("code", "text", "the rule's code; empty if the rule has none"),
        Column("parameters", "json", "the rule's parameters by name"),
        Column("why", "text", "why the rule has no code, if it has none"),
    )
    key = ("place",)

    def rows(self, view: View) -> Iterator[Row]:
        """Return a row per rule, in the order of the rules."""
        for place, rule in enumerate(view.world.rules, 1):
            why = rule.text_only if rule.by_ruling is None else rule.by_ruling
            words = (rule.title, rule.prose, rule.code, as_json(rule.parameters), why)
            yield place, rule.number, rule.version, *words
