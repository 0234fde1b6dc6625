"""history: the game told in words, a paragraph a row."""

from collections.abc import Iterable, Iterator

from nomoledger import events as e
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row
from nomoledger_projections.history import HistoryWriter, Thread


class HistoryTable(Facts):
    """What one submission led to; a paragraph grows as more comes of it."""

    name = "history"
    about = "What one submission led to, in words."
    own = (
        Column("event", "integer", "the first event that it tells"),
        Column("period", "integer", "the period"),
        Column("at", "time", "when what led to it was received"),
        Column("text", "text", "the paragraph"),
        Column("last_event", "integer", "the last event that it rests on"),
    )
    key = ("event",)
    grows = False

    def __init__(self) -> None:
        self._writer = HistoryWriter()
        self._grown: dict[Thread, None] = {}
        self._closed = 0

    def take(self, entry: e.Entry, world: World) -> Iterable[Row]:
        """Nothing yet; which paragraph grows is remembered."""
        self._grown[self._writer.take(entry, world)] = None
        if isinstance(entry.body, e.PeriodClosed):
            self._closed = entry.body.period
        return ()

    def due(self) -> Iterator[Row]:
        """The paragraphs that have grown, as far as they go."""
        for thread in self._grown:
            if told := self._writer.told.get(thread):
                paragraph = self._writer.paragraph(told[0], thread)
                yield told[0], thread[0], paragraph.at, paragraph.text, paragraph.events[-1]
        self._grown.clear()
        self._writer.forget(self._closed)  # what came with the very close may still grow
