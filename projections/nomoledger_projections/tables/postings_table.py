"""postings: every payment, one row per posting."""

from collections.abc import Iterable

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.language.values import from_units
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row


class PostingsTable(Facts):
    """Postings. The amounts of one event sum to zero in each commodity."""

    name = "postings"
    about = "One posting to one account."
    own = (
        Column("event", "integer", "the number of the event"),
        Column("place", "integer", "the position of the posting in the event, from 0"),
        Column("period", "integer", "the period of the posting"),
        Column("at", "time", "when the input that led to the posting was received"),
        Column("account", "text", "the name of the account"),
        Column("commodity", "text", "the commodity"),
        Column(
            "amount", "number", "the amount, in whole units of the commodity; negative: paid out"
        ),
        Column("why", "text", "the reason"),
        Column("rules", "text", "the rules that made the posting, with their versions"),
    )
    key = ("event", "place")
    kinds = (e.Posted, e.EntityCreated, e.EntityDestroyed, e.AttributeSet, e.Settled)

    def __init__(self) -> None:
        self._rules: tuple[Rule, ...] = ()
        self._places: dict[str, int] = {}
        self._names: dict[str, str] = {}

    def take(self, entry: e.Entry, world: World) -> Iterable[Row]:
        """Return a row per posting. Forget all names at any other event, which may change them."""
        body = entry.body
        if world.rules is not self._rules or not isinstance(body, e.Posted):
            self._rules = world.rules
            self._places = {name: item.places for name, item in world.commodities().items()}
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
