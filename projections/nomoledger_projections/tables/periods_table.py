"""periods: when each period was closed, and by which event."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row


class PeriodsTable(Facts):
    """Closed periods."""

    name = "periods"
    about = "One closed period."
    own = (
        Column("period", "integer", "the number of the period"),
        Column("closed_at", "time", "when the period closed"),
        Column("event", "integer", "the number of the closing event"),
    )
    key = ("period",)
    kinds = (e.PeriodClosed,)

    def take(self, entry: e.Entry, world: World) -> Iterator[Row]:
        """Return the row of a closed period."""
        body: Any = entry.body
        yield body.period, body.received_at, entry.number
