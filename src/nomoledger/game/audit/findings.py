"""The audit of one period of a hand-kept record: what differs, and what is left out."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.fact_audit import PERIOD_BEGINS, PERIOD_ENDS, fact_mapping
from nomoledger.engine.facts import find_called
from nomoledger.game.audit.omissions import Omission, OmissionSearch, Repetition
from nomoledger.game.audit.single_facts import (
    PERIOD_TRIALS_MAX,
    TRIALS_MAX,
    candidates,
    differing,
)
from nomoledger.game.audit.what_facts_state import line_of
from nomoledger.state.world import World

#: The kinds of facts that the import adds, which no line of the record states.
ADDED = (PERIOD_BEGINS, PERIOD_ENDS)


class FactPlace(msgspec.Struct, frozen=True):
    """Where a fact stands, and what it is about.

    Attributes:
        line: its line in the record; None for a fact that the import added.
        who: the player whom it is about.
        where: the square that it is about, or on which that player is.
    """

    line: int | None = None
    who: str | None = None
    where: Any = None


class PeriodAudit:
    """The audit of a period, input by input.

    Attributes:
        places: the place of each difference, by the number of its event.
        explanations: what would explain a difference, by the number of its event.
        displaced: the line that a misplaced fact belongs after, by the number of the fact.
        has_record: whether the record says anything about the period.
    """

    def __init__(
        self,
        engine: Engine,
        bodies: Sequence[e.Event],
        first: int,
    ) -> None:
        """Audit *bodies*, from event *first* on, on *engine* in the state before them."""
        self._engine = engine
        self._world = engine.world
        self._trials = 0
        self.explanations: dict[int, str] = {}
        self.displaced: dict[int, int] = {}
        self._bodies = bodies
        self._first = first
        self._search = OmissionSearch(engine.world, engine.link, bodies)
        self.places: dict[int, FactPlace] = {}
        self.has_record = any(
            isinstance(body, e.FactRecorded) and line_of(body) is not None for body in bodies
        )

    def run(self) -> Iterator[None]:
        """Audit all inputs, and yield before each."""
        parts = list(segments(self._bodies))
        for place, (start, end) in enumerate(parts):
            yield
            self._locate(start, end)
            yield from self._explain(parts[place:])
            self._search.follow(self._first + start, self._bodies[start:end])
        self.displaced = self._search.displaced()

    @property
    def omitted(self) -> tuple[Omission, ...]:
        """What the rules did, and the record does not mention."""
        return tuple(self._search.omitted())

    @property
    def repeated(self) -> tuple[Repetition, ...]:
        """The facts that only say again what an earlier fact said."""
        return tuple(self._search.repeated)

    def _explain(self, parts: Sequence[tuple[int, int]]) -> Iterator[None]:
        """Try what would explain the differences of the attempt that the first of *parts* starts.

        Yield before each trial.
        """
        if not self._starts_attempt(*parts[0]):
            return
        lines: list[e.Input] = []
        recorded: dict[tuple[str, str], int] = {}
        may_wait = False
        heads: list[tuple[int, e.Input, e.RecordPrevailed]] = []
        for start, end in parts:
            line = self._bodies[start]
            if not isinstance(line, e.FactRecorded | e.ChoiceAnswered) or (
                lines and self._starts_attempt(start, end)
            ):
                break
            if isinstance(line, e.FactRecorded) and line.kind in ADDED:
                break
            lines.append(line)
            for number, body in enumerate(self._bodies[start:end], self._first + start):
                may_wait |= isinstance(body, e.QuestionRaised)
                if isinstance(body, e.RecordPrevailed):
                    recorded[line.id, body.what] = number
                    if body.follows is None:
                        heads.append((number, line, body))
        for number, line, body in heads:
            assert isinstance(line, e.FactRecorded)
            who = place_of(self._world, line, body).who
            for tried, candidate in enumerate(candidates(self._world, lines, who)):
                if tried >= TRIALS_MAX or self._trials >= PERIOD_TRIALS_MAX:
                    break
                self._trials += 1
                yield
                left = differing(self._engine, lines, candidate, may_wait=may_wait)
                gone = (line.id, body.what)
                if left is not None and gone not in left and {*left} <= {*recorded}:
                    self.explanations[number] = candidate.text
                    break

    def _starts_attempt(self, start: int, end: int) -> bool:
        bodies = self._bodies[start:end]
        return isinstance(bodies[0], e.FactRecorded) and any(
            isinstance(body, e.AttemptDone) for body in bodies
        )

    def _locate(self, start: int, end: int) -> None:
        """Note the places of the differences that the input at *start* has led to."""
        fact = self._bodies[start]
        for number, body in enumerate(self._bodies[start:end], self._first + start):
            if isinstance(body, e.RecordPrevailed) and isinstance(fact, e.FactRecorded):
                self.places[number] = place_of(self._world, fact, body)


def segments(bodies: Sequence[e.Event]) -> Iterator[tuple[int, int]]:
    """Yield from where to where each input reaches in *bodies*, with what follows from it."""
    starts = [place for place, body in enumerate(bodies) if isinstance(body, e.Input)]
    if bodies and starts[:1] != [0]:
        starts.insert(0, 0)  # consequences of the last input of the period before
    return zip(starts, [*starts[1:], len(bodies)], strict=False)


def place_of(world: World, fact: e.FactRecorded, body: e.RecordPrevailed) -> FactPlace:
    """Return where *fact* stands, which differs as *body* says; *world* is the state before it."""
    speech = fact_mapping(world, fact.kind)
    players = [
        str(world.label(player))
        for value in fact.fields.values()
        if (player := find_called(world, "player", value)) and isinstance(value, str)
    ]
    if speech is not None and speech.paid is not None and speech.payer is None:
        others = [player for player in players if player != body.subject]
        players = others or players
    elif world.find("player", body.subject):
        players = [body.subject]
    who = players[0] if players else None
    square = find_called(world, "square", fact.fields.get("square"))
    if square is None and who is not None:
        square = world.get(str(world.find("player", who)), "square")
    return FactPlace(line_of(fact), who, world.label(square))
