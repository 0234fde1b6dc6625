"""rulings: the admin's rulings, and their state at each time."""

from collections.abc import Iterable, Iterator

from nomoledger import events as e
from nomoledger.game.read_models import View
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Listing, Row
from nomoledger_projections.rulings import Docket
from nomoledger_projections.tables.cells import as_json


class RulingsTable(Listing):
    """Rulings, with their state from the close of one period on."""

    name = "rulings"
    about = "One ruling."
    own = (
        Column("number", "integer", "the number of the ruling"),
        Column("event", "integer", "the number of the ruling's event"),
        Column("kind", "text", "answer, correct, uphold, ratify, reject or replace"),
        Column("text", "text", "the text of the ruling"),
        Column("by", "text", "who ruled"),
        Column("scope", "text", "what the ruling covers: attempt, period, onwards or precedent"),
        Column("basis", "text", "ruling, or inferred (from play)"),
        Column("period", "integer", "the period of the ruling"),
        Column("effective", "integer", "the period from which the ruling takes effect"),
        Column("received_at", "time", "when the ruling was received"),
        Column("recorded_at", "time", "when the ruling was written to the ledger"),
        Column("about", "json", "the events that the ruling decides on: a list of numbers"),
        Column("question", "text", "the question that the ruling answers"),
        Column("answer", "text", "the answer"),
        Column("cites", "json", "the rules and events that the ruling cites: a list"),
        Column(
            "rules",
            "json",
            "the rules that the ruling interprets, by their numbers at the time: a list",
        ),
        Column("changes", "integer", "the number of changes that the ruling makes"),
        Column("settle", "text", "what of the past the ruling corrects: all, money or none"),
        Column("overrules", "json", "the rulings that the ruling overrules: a list of numbers"),
        Column("closes", "integer", "the dispute that the ruling closes"),
        Column("state", "text", "in force, overruled, lapsed or refused"),
        Column("overruled_by", "integer", "the ruling that overruled this one"),
    )
    key = ("number",)
    kinds = Docket.KINDS

    def __init__(self) -> None:
        self._docket = Docket()

    def take(self, entry: e.Entry, world: World) -> Iterable[Row]:
        """Return nothing, but remember what the event means for rulings."""
        self._docket.apply(entry, world)
        return ()

    def rows(self, view: View) -> Iterator[Row]:
        """Return a row per ruling."""
        self._docket.finish(view.period)
        lists = ("about", "cites", "rules", "overrules")
        fields = ["value" if column.name == "answer" else column.name for column in self.own]
        for ruling in self._docket.rulings.values():
            yield tuple(
                as_json(getattr(ruling, name)) if name in lists else getattr(ruling, name)
                for name in fields
            )
