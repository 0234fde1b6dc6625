"""ruleset: the rules in force at the close of every period."""

from collections.abc import Iterator

from nomoledger.game.read_models import View
from nomoledger.views.sql.table import Column, Readings, Row
from nomoledger_projections.tables.cells import as_json


class RulesetTable(Readings):
    """A rule in force, with its words and its code."""

    name = "ruleset"
    about = "One rule in force."
    own = (
        Column("place", "integer", "the place in the order of the rules, from 1"),
        Column("number", "text", "what the players call it"),
        Column("version", "integer", "one more with each amendment"),
        Column("title", "text", "its title"),
        Column("prose", "text", "its words"),
        Column("code", "text", "what is executed; empty where nothing is"),
        Column("parameters", "json", "its named values"),
        Column("why", "text", "why nothing is executed, where that is so"),
    )
    key = ("place",)

    def rows(self, view: View) -> Iterator[Row]:
        """A row a rule, in their order."""
        for place, rule in enumerate(view.world.rules, 1):
            why = rule.text_only if rule.by_ruling is None else rule.by_ruling
            words = (rule.title, rule.prose, rule.code, as_json(rule.parameters), why)
            yield place, rule.number, rule.version, *words
