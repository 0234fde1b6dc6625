"""rulings: what the admin ruled, and what of it held at each time."""

from collections.abc import Iterable, Iterator

from nomoledger import events as e
from nomoledger.game.read_models import View
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Listing, Row
from nomoledger_projections.rulings import Docket
from nomoledger_projections.tables.cells import as_json


class RulingsTable(Listing):
    """A ruling, as it stood from the close of one period on."""

    name = "rulings"
    about = "One ruling."
    own = (
        Column("number", "integer", "its number"),
        Column("event", "integer", "the number of the event"),
        Column("kind", "text", "answer, correct, uphold, ratify, reject or replace"),
        Column("text", "text", "its words"),
        Column("by", "text", "who ruled"),
        Column("scope", "text", "what it holds for: attempt, period, onwards or precedent"),
        Column("basis", "text", "ruling, or inferred (from play)"),
        Column("period", "integer", "the period in which it was made"),
        Column("effective", "integer", "the period from which it takes effect"),
        Column("received_at", "time", "when it was made"),
        Column("recorded_at", "time", "when it was written into the ledger"),
        Column("about", "json", "the events it decides on: a list of numbers"),
        Column("question", "text", "the question it answers"),
        Column("answer", "text", "the answer"),
        Column("cites", "json", "the rules and events it cites: a list"),
        Column("rules", "json", "the rules it interprets, as they are called then: a list"),
        Column("changes", "integer", "how many things it puts right from then on"),
        Column("settle", "text", "what of the past it settles: all, money or none"),
        Column("overrules", "json", "the rulings it overrules: a list of numbers"),
        Column("closes", "integer", "the dispute it closes"),
        Column("state", "text", "in force, overruled, lapsed or refused"),
        Column("overruled_by", "integer", "the ruling that overruled it"),
    )
    key = ("number",)
    kinds = Docket.KINDS

    def __init__(self) -> None:
        self._docket = Docket()

    def take(self, entry: e.Entry, world: World) -> Iterable[Row]:
        """Nothing yet; what it means for rulings is remembered."""
        self._docket.take(entry, world)
        return ()

    def rows(self, view: View) -> Iterator[Row]:
        """A row a ruling."""
        self._docket.finish(view.period)
        lists = ("about", "cites", "rules", "overrules")
        given = ["value" if each.name == "answer" else each.name for each in self.own]
        for ruling in self._docket.rulings.values():
            yield tuple(
                as_json(getattr(ruling, name)) if name in lists else getattr(ruling, name)
                for name in given
            )
