"""periods: when each period was closed, and by which event."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row


class PeriodsTable(Facts):
    """The periods that are over."""

    name = "periods"
    about = "A period that is over."
    own = (
        Column("period", "integer", "its number"),
        Column("closed_at", "time", "when it was closed"),
        Column("event", "integer", "the number of the event that closed it"),
    )
    key = ("period",)
    kinds = (e.PeriodClosed,)

    def take(self, entry: e.Entry, world: World) -> Iterator[Row]:
        """A row a close."""
        body: Any = entry.body
        yield body.period, body.received_at, entry.number
