"""postings: every payment, an account a row."""

from collections.abc import Iterable

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.language.values import from_units
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row


class PostingsTable(Facts):
    """What was paid; the rows of one event come to zero in each commodity."""

    name = "postings"
    about = "What one event put into one account or took out of it."
    own = (
        Column("event", "integer", "the number of the event"),
        Column("place", "integer", "which posting of the event, from 0"),
        Column("period", "integer", "the period in which it was posted"),
        Column("at", "time", "when what led to it was received"),
        Column("account", "text", "whose account, as people call it"),
        Column("commodity", "text", "what was paid"),
        Column("amount", "number", "how much, as people write it; negative: taken out"),
        Column("why", "text", "what for"),
        Column("rules", "text", "the rules behind it, with their versions"),
    )
    key = ("event", "place")
    kinds = (e.Posted, e.EntityCreated, e.EntityDestroyed, e.AttributeSet, e.Settled)

    def __init__(self) -> None:
        self._rules: tuple[Rule, ...] = ()
        self._places: dict[str, int] = {}
        self._names: dict[str, str] = {}

    def take(self, entry: e.Entry, world: World) -> Iterable[Row]:
        """A row a posting; where it is no payment, things may be called otherwise from now on."""
        body = entry.body
        if world.rules is not self._rules or not isinstance(body, e.Posted):
            self._rules = world.rules
            self._places = {name: each.places for name, each in world.commodities().items()}
            self._names.clear()
        return self._rows(entry.number, body, world) if isinstance(body, e.Posted) else ()

    def _rows(self, number: int, body: e.Posted, world: World) -> list[Row]:
        period, at, why, rules = body.period, body.received_at, body.why, ", ".join(body.rules)
        names, rows = self._names, []
        for place, posting in enumerate(body.postings):
            account, commodity, units = posting.account, posting.commodity, posting.amount
            name = names.get(account)
            if name is None:
                name = names[account] = str(world.label(account))
            places = self._places.get(commodity, 0)
            exact = from_units(units, places) if places else units
            row = (number, place, period, at, name, commodity, exact, why, rules)
            rows.append(row)
        return rows
