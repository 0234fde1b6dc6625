"""history: the game in prose, one paragraph per row."""

from collections.abc import Iterable, Iterator

from nomoledger import events as e
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row
from nomoledger_projections.history import HistoryWriter, Thread


class HistoryTable(Facts):
    """Paragraphs of history. A paragraph grows with each further consequence of its submission."""

    name = "history"
    about = "One submission and its consequences, in prose."
    own = (
        Column("event", "integer", "the first event that the paragraph describes"),
        Column("period", "integer", "the period"),
        Column("at", "time", "when the submission was received"),
        Column("text", "text", "the paragraph"),
        Column("last_event", "integer", "the last event that belongs to the paragraph"),
    )
    key = ("event",)
    grows = False

    def __init__(self) -> None:
        self._writer = HistoryWriter()
        self._grown: dict[Thread, None] = {}
        self._closed = 0

    def take(self, entry: e.Entry, world: World) -> Iterable[Row]:
        """Return nothing, but remember which paragraph has grown."""
        self._grown[self._writer.apply(entry, world)] = None
        if isinstance(entry.body, e.PeriodClosed):
            self._closed = entry.body.period
        return ()

    def due(self) -> Iterator[Row]:
        """Return the paragraphs that have grown."""
        for thread in self._grown:
            if events := self._writer.described.get(thread):
                paragraph = self._writer.paragraph(events[0], thread)
                yield events[0], thread[0], paragraph.at, paragraph.text, paragraph.events[-1]
        self._grown.clear()
        self._writer.forget(self._closed)  # Paragraphs of the close itself may still grow.
