"""history: the game in prose, one paragraph per submission, by period."""

from array import array
from collections.abc import Iterator
from datetime import datetime

import msgspec

from nomoledger import events as e
from nomoledger.game.read_models import Table, View, events_with_worlds
from nomoledger.proof.public_numbering import SEALED
from nomoledger.state.world import World
from nomoledger_projections.sentences import Phrase, SentenceWriter, sentences

#: A thread is one input with its consequences in one period: the period and the input's number.
Thread = tuple[int, int]


class Paragraph(msgspec.Struct, frozen=True):
    """A submission and its consequences as *text*, with the numbers of all its *events*."""

    at: datetime
    text: str
    events: tuple[int, ...]


class Chapter(msgspec.Struct, frozen=True):
    """The paragraphs of one period."""

    period: int
    paragraphs: tuple[Paragraph, ...]

    def __str__(self) -> str:
        lines = (f"{paragraph.at:%d %b}  {paragraph.text}" for paragraph in self.paragraphs)
        return "\n".join([f"Period {self.period}", "", *lines]) + "\n"


class HistoryModel(msgspec.Struct, frozen=True):
    """The events of a game that the reader may see, as prose."""

    game: str
    chapters: tuple[Chapter, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield the periods in order."""
        if not self.chapters:
            yield "nothing has happened"
        yield from map(str, self.chapters)


def history(view: View, *, only: int | None = None) -> HistoryModel:
    """Return the history of *view*, or of the one period *only*.

    Paragraphs are in the order of their first described event.
    """
    writer = HistoryWriter()
    for entry, world in events_with_worlds(view):
        writer.apply(entry, world)
    starts: dict[int, list[tuple[int, Thread]]] = {}
    for thread, events in writer.described.items():
        starts.setdefault(thread[0], []).append((events[0], thread))
    return HistoryModel(
        view.game,
        tuple(
            Chapter(period, tuple(writer.paragraph(*start) for start in sorted(starts[period])))
            for period in sorted(starts)
            if only in (None, period)
        ),
    )


class HistoryWriter:
    """Sorts events into threads and writes a paragraph for each.

    *described* are the numbers of the events that the paragraph of a thread describes.
    """

    def __init__(self) -> None:
        self.threads: dict[Thread, list[int]] = {}
        self.described: dict[Thread, list[int]] = {}
        self.phrases: dict[Thread, list[Phrase]] = {}
        self.times: dict[int, datetime] = {}
        self._roots = array("q")  # By event number; -1 for an event that the reader may not see.
        self._follows_sealed = False
        self._questions: dict[str, int] = {}
        self._sentence_writer = SentenceWriter()

    def apply(self, entry: e.Entry, world: World) -> Thread:
        """Apply the next event and return its thread."""
        body, number = entry.body, entry.number
        root = self._root(number, body)
        self._follows_sealed = body.cause == SEALED
        self._roots.extend((number - len(self._roots)) * (-1,))
        self._roots.append(root)
        if isinstance(body, e.QuestionRaised):
            self._questions[body.question] = root
        thread = body.period, root
        self.threads.setdefault(thread, []).append(number)
        if phrases := list(self._sentence_writer.describe(entry, world)):
            self.described.setdefault(thread, []).append(number)
            self.times.setdefault(number, body.received_at)
            self.phrases.setdefault(thread, []).extend(phrases)
        return thread

    def paragraph(self, first: int, thread: Thread) -> Paragraph:
        """Return the paragraph of *thread*, whose first described event is *first*."""
        events = tuple(self.threads[thread])
        return Paragraph(self.times[first], sentences(self.phrases[thread]), events)

    def forget(self, period: int) -> None:
        """Forget the threads before *period*, which cannot grow any more."""
        for thread in [thread for thread in self.threads if thread[0] < period]:
            del self.threads[thread]
            self.phrases.pop(thread, None)
            for number in self.described.pop(thread, ()):
                del self.times[number]

    def _root(self, number: int, body: e.Event) -> int:
        """Return the event that *body* follows from: an input, or the start of a timer."""
        if isinstance(body, e.Scheduled) and body.due is not None:
            return number
        question = getattr(body, "question", None)
        if isinstance(body, e.Input) and question in self._questions:
            return self._questions[question]
        if body.cause is None:
            return number
        if body.cause == SEALED:  # Consecutive consequences of secret inputs are one thread.
            return self._roots[-1] if self._follows_sealed else number
        root = self._roots[body.cause] if body.cause < len(self._roots) else -1
        return body.cause if root < 0 else root
