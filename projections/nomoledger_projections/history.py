"""history: the game as a published log, told in words: one paragraph a submission, by periods."""

from array import array
from collections.abc import Iterator
from datetime import datetime

import msgspec

from nomoledger import events as e
from nomoledger.game.read_models import Table, View, events_with_worlds
from nomoledger.proof.public_numbering import SEALED
from nomoledger.state.world import World
from nomoledger_projections.sentences import Said, SentenceWriter, sentences

#: A thread is what one input led to, in one period: the period, and the number of its first event.
Thread = tuple[int, int]


class Paragraph(msgspec.Struct, frozen=True):
    """What one submission led to: *text* tells it, *events* are the numbers of all it rests on."""

    at: datetime
    text: str
    events: tuple[int, ...]


class Chapter(msgspec.Struct, frozen=True):
    """One period."""

    period: int
    paragraphs: tuple[Paragraph, ...]

    def __str__(self) -> str:
        lines = (f"{each.at:%d %b}  {each.text}" for each in self.paragraphs)
        return "\n".join([f"Period {self.period}", "", *lines]) + "\n"


class HistoryModel(msgspec.Struct, frozen=True):
    """What the reader may see of a game, told for people."""

    game: str
    chapters: tuple[Chapter, ...]

    def show(self) -> Iterator[Table | str]:
        """The periods in order."""
        if not self.chapters:
            yield "nothing has happened"
        yield from map(str, self.chapters)


def history(view: View, *, only: int | None = None) -> HistoryModel:
    """The history of *view*; of the period *only*, where one is given.

    Paragraphs stand in the order in which there was first something to say.
    """
    writer = HistoryWriter()
    for entry, world in events_with_worlds(view):
        writer.take(entry, world)
    starts: dict[int, list[tuple[int, Thread]]] = {}
    for thread, events in writer.told.items():
        starts.setdefault(thread[0], []).append((events[0], thread))
    return HistoryModel(
        view.game,
        tuple(
            Chapter(period, tuple(writer.paragraph(*each) for each in sorted(starts[period])))
            for period in sorted(starts)
            if only in (None, period)
        ),
    )


class HistoryWriter:
    """Sorts events into threads, and has each told."""

    def __init__(self) -> None:
        self.threads: dict[Thread, list[int]] = {}
        self.told: dict[Thread, list[int]] = {}
        self.said: dict[Thread, list[Said]] = {}
        self.times: dict[int, datetime] = {}
        self._roots = array("q")  # by number; -1 where nobody told
        self._is_of_sealed = False
        self._questions: dict[str, int] = {}
        self._teller = SentenceWriter()

    def take(self, entry: e.Entry, world: World) -> Thread:
        """The next event; the thread that it belongs to."""
        body, number = entry.body, entry.number
        root = self._root(number, body)
        self._is_of_sealed = body.cause == SEALED
        self._roots.extend((number - len(self._roots)) * (-1,))
        self._roots.append(root)
        if isinstance(body, e.QuestionRaised):
            self._questions[body.question] = root
        thread = body.period, root
        self.threads.setdefault(thread, []).append(number)
        if said := list(self._teller.tell(entry, world)):
            self.told.setdefault(thread, []).append(number)
            self.times.setdefault(number, body.received_at)
            self.said.setdefault(thread, []).extend(said)
        return thread

    def paragraph(self, first: int, thread: Thread) -> Paragraph:
        """What there is to say of *thread*, from event *first* on."""
        events = tuple(self.threads[thread])
        return Paragraph(self.times[first], sentences(self.said[thread]), events)

    def forget(self, period: int) -> None:
        """Nothing more will come of what was asked before *period*."""
        for thread in [each for each in self.threads if each[0] < period]:
            del self.threads[thread]
            self.said.pop(thread, None)
            for number in self.told.pop(thread, ()):
                del self.times[number]

    def _root(self, number: int, body: e.Event) -> int:
        """The event that *body* goes back to: an input, or something that was to come later."""
        if isinstance(body, e.Scheduled) and body.due is not None:
            return number
        question = getattr(body, "question", None)
        if isinstance(body, e.Input) and question in self._questions:
            return self._questions[question]
        if body.cause is None:
            return number
        if body.cause == SEALED:  # with what came of it just before
            return self._roots[-1] if self._is_of_sealed else number
        root = self._roots[body.cause] if body.cause < len(self._roots) else -1
        return body.cause if root < 0 else root
