"""Turning the lines of a hand-kept record into inputs, and playing them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec.structs import replace

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.fact_audit import PERIOD_BEGINS, PERIOD_ENDS, fact_mapping
from nomoledger.engine.facts import field_of
from nomoledger.engine.foreseen_end import End, end_stated_by
from nomoledger.engine.unknown_facts import UNKNOWN_FROM_HERE
from nomoledger.errors import NomoledgerError, RecordError
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Change
from nomoledger.game.record_lines import AT, PERIOD_NAMES, RecordHeader, RecordLine
from nomoledger.game.record_opening import LateOpening
from nomoledger.rulebook.changes import change_to, read_changes
from nomoledger.rulebook.loading import parse
from nomoledger.state.clock import to_seconds
from nomoledger.state.unknowns import unknown_since
from nomoledger.state.world import World

#: Fields that only order the lines of other programs.
_ORDER = ("text_order", "sub")
#: How many periods a record may skip between two lines, and how often a close is tried again.
_GAP_MAX = 100
_CLOSE_TRIES_MAX = 100
#: How many questions in a row get their default answers.
_ANSWERS_MAX = 100


class Calendar(msgspec.Struct, frozen=True):
    """The calendar of a record.

    Attributes:
        start: when *period* begins.
        period: any period of the game.
        days: number of days in a period.
    """

    start: datetime
    period: int
    days: int

    def begins(self, period: int) -> datetime:
        """Return when *period* begins."""
        try:
            return self.start + timedelta(days=self.days * (period - self.period))
        except OverflowError:
            raise RecordError(f"week {period} is too far away") from None


def is_fact(line: RecordLine) -> bool:
    """Return whether *line* states a fact, rather than rules or a proposal."""
    return not {"rules", "proposal"} & set(line.fields)


class RecordImporter:
    """Turns the lines of a record into inputs, and plays them."""

    def __init__(
        self,
        engine: Engine,
        header: RecordHeader,
        calendar: Calendar,
        texts: dict[str, str],
        prefix: str,
        unplaced: Sequence[str] = (),
    ) -> None:
        """Import into the world of *engine*.

        *texts* are the files of rules by name; ids of inputs begin with *prefix*. Nobody knows
        where the players *unplaced* stand at the beginning.
        """
        self.unplaced = unplaced
        self.engine = engine
        self.world: World = engine.world
        self.header = header
        self.calendar = calendar
        self.texts = texts
        self.prefix = prefix
        self.now = calendar.begins(calendar.period)  # the time of the last line
        self.begun = 0  # the period whose beginning is marked
        self.late = LateOpening(header.opening if not prefix else {}, self.world)

    def run(self, lines: list[RecordLine]) -> Iterator[Batch]:
        """Play *lines*, and yield the batches of events."""
        for place, line in enumerate(lines):
            yield from self._close_before(line)
            yield from self._advance(line)
            yield from self._begin_period(line)
            try:
                before = lines[place - 1] if place else None
                for event in self._inputs(line):
                    event = self._told_apart(event, line, before)
                    yield from self._play(self._with_end(event, lines[place + 1 :]))
                if fields := self.late.declared_now():
                    common = self._common(f"{self.late.id}-of-{line.place.rpartition(':')[2]}")
                    yield from self._play(e.StateGiven(**common, **fields))
            except NomoledgerError as error:
                raise RecordError(f"{line.place}: {error}") from None
        self.late.check_empty()
        facts = [line for line in lines if is_fact(line)]
        if facts and not any(rule.facts for rule in self.world.rules):
            raise RecordError(
                f"{facts[0].place}: no rule in force says what facts mean, so nothing could be"
                " compared: bring in rules with facts"
            )
        if lines and not self.header.open:
            yield from self._close()

    def _told_apart(self, event: e.Input, line: RecordLine, before: RecordLine | None) -> e.Input:
        """Return *event* of *line*, marked if it equals the line *before* but for its place."""
        if before is None or not isinstance(event, e.FactRecorded) or before.fields == line.fields:
            return event
        own, other = (
            {k: v for k, v in x.fields.items() if k not in _ORDER} for x in (line, before)
        )
        is_close = LEVELS[self.world.level].audits_closely
        return replace(event, another=True) if own == other and is_close else event

    def _close_before(self, line: RecordLine) -> Iterator[Batch]:
        """Close all periods before that of *line*."""
        if line.period < self.world.period:
            raise RecordError(
                f"{line.place}: week {line.period} after week {self.world.period} began"
            )
        if line.period > self.world.period + _GAP_MAX:
            raise RecordError(
                f"{line.place}: week {line.period} is more than {_GAP_MAX} weeks after"
                f" week {self.world.period}"
            )
        while self.world.period < line.period:
            yield from self._close()
            if over := self.world.game["ended"]:
                raise RecordError(
                    f"{line.place}: by the rules the game ended in week {self.world.period}: {over}"
                )

    def _advance(self, line: RecordLine) -> Iterator[Batch]:
        """Advance the clock to the time of *line*, if it has one; what is due by then happens."""
        begin, end = (self.calendar.begins(line.period + more) for more in (0, 1))
        try:
            at = line.time(begin)
        except RecordError as error:
            raise RecordError(f"{line.place}: {error}") from None
        self.now = max(self.now, begin)
        if at is None:
            return
        if not begin <= at <= end:
            period = f"week {line.period} is from {_told(begin)} to {_told(end)}"
            raise RecordError(f"{line.place}: {_told(at)} is not in its period: {period}")
        if at < self.now:
            raise RecordError(f"{line.place}: {_told(at)} is before {_told(self.now)}, sort lines")
        self.now = at
        if any(timer.attempt.at <= to_seconds(at) for timer in self.world.timers.values()):
            common = self._common(f"line-{line.place.rpartition(':')[2]}-clock")
            yield from self._play(e.ClockAdvanced(**common))

    def _begin_period(self, line: RecordLine) -> Iterator[Batch]:
        """Mark the beginning of a period, before its first fact, if rules speak of that."""
        period = self.world.period
        if is_fact(line) and self.unplaced and "square" in self.world.declared("player"):
            yield from self._unplace()
        if is_fact(line) and self.begun != period and fact_mapping(self.world, PERIOD_BEGINS):
            self.begun = period
            common = self._common(f"w{period}-begins")
            yield from self._play(e.FactRecorded(**common, kind=PERIOD_BEGINS))

    def _unplace(self) -> Iterator[Batch]:
        """Say that nobody knows where some players stand, before the first fact."""
        players, self.unplaced = self.unplaced, ()
        for count, player in enumerate(players):
            fields = {"player": player, "attribute": "square"}
            common = self._common(f"unplaced-{count}")
            yield from self._play(e.FactRecorded(**common, kind=UNKNOWN_FROM_HERE, fields=fields))

    # --- where an attempt ends

    def _with_end(self, event: e.Input, later: Sequence[RecordLine]) -> e.Input:
        """Return *event* with the later line that says where its attempt ends, if it has to."""
        world = self.world
        if not isinstance(event, e.FactRecorded) or not LEVELS[world.level].audits_closely:
            return event
        speech = fact_mapping(world, event.kind)
        if speech is None or speech.attempt is None:
            return event
        actors = [field_of(event, name) for name in speech.given]
        ends = list(self._ends_in(later, event.period, actors))
        if not ends:
            return event
        end = ends[-1]
        is_known = unknown_since(world, end.entity, end.attribute) is None
        if is_known and any(self._ends_so(event, each) for each in ends):
            return event
        ahead = e.FactAhead(end.fact.id, end.fact.kind, end.fact.fields)
        with_end = replace(event, ahead=ahead)
        return with_end if self._is_foreseen(with_end) else event

    def _ends_in(
        self, later: Sequence[RecordLine], period: int, actors: Sequence[Any]
    ) -> Iterator[End]:
        """Yield the ends of an attempt of *actors* that *later* lines state before the next one."""
        for line in later:
            if line.period != period or not is_fact(line):
                break
            (fact,) = self._inputs(line)
            assert isinstance(fact, e.FactRecorded)
            speech = fact_mapping(self.world, fact.kind)
            if speech is not None and speech.attempt is not None:
                break
            if speech is not None and field_of(fact, speech.subject) in actors:
                end = end_stated_by(self.world, fact, speech)
                if end is not None:
                    yield end

    def _ends_so(self, fact: e.FactRecorded, end: End) -> bool:
        """Return whether the attempt of *fact* leads to *end*."""
        mark = self.world.mark()
        try:
            next(self.engine.process(fact))
            return bool(self.world.get(end.entity, end.attribute) == end.value)
        finally:
            self.world.rollback(mark)

    def _is_foreseen(self, fact: e.FactRecorded) -> bool:
        """Return whether it matters that *fact* foresees its end."""
        mark = self.world.mark()
        try:
            events = next(self.engine.process(fact))
            return any(isinstance(event, e.EndForeseen) for event in events)
        finally:
            self.world.rollback(mark)

    def _play(self, event: e.Input) -> Iterator[Batch]:
        """Play *event*; only facts may be refused."""
        for batch in self.engine.process(event):
            refusal = next((item for item in batch if isinstance(item, e.AttemptRefused)), None)
            if refusal is not None and not isinstance(event, e.FactRecorded):
                reasons = (f"{reason.text} ({reason.rule})" for reason in refusal.reasons)
                raise RecordError("; ".join(reasons))
            yield batch
        if isinstance(event, e.FactRecorded):
            yield from self._answer_by_default(event.kind, event.id)

    def _answer_by_default(self, kind: str, id: str) -> Iterator[Batch]:
        """Answer questions by their defaults, where the rules say so of facts of *kind*."""
        speech = fact_mapping(self.world, kind)
        for count in range(_ANSWERS_MAX if speech is not None and speech.defaults else 0):
            question = self.world.waiting
            if question is None or question.default is None:
                return
            answered = {"question": question.question, "value": question.default, "by": "admin"}
            common = self._common(f"{id.removeprefix(self.prefix)}-answer-{count}")
            yield from self.engine.process(e.ChoiceAnswered(**common, **answered))

    def _close(self) -> Iterator[Batch]:
        """Close the period, unless the game ends; the record skips everything that still waits."""
        period = self.world.period
        yield from self._end_facts(f"w{period}-ends")
        yield from self.engine.process(e.CloseAsked(**self._common(f"w{period}-close")))
        for count in range(_CLOSE_TRIES_MAX):
            if self.world.period > period or self.world.game["ended"]:
                return
            yield from self._answer_by_default(PERIOD_ENDS, f"w{period}-ends-{count}")
            yield from self._end_facts(f"w{period}-ends-{count}")
        raise RecordError(f"week {period} cannot be closed: {self.world.waiting}")

    def _end_facts(self, id: str) -> Iterator[Batch]:
        """Play the fact that the record of the period ends."""
        yield from self.engine.process(e.FactRecorded(**self._common(id), kind=PERIOD_ENDS))

    def _common(self, id: str) -> dict[str, Any]:
        """Return the fields common to all inputs."""
        period = self.world.period
        return {
            "id": self.prefix + id,
            "period": period,
            "received_at": max(self.now, self.calendar.begins(period)),
            "recorded_at": self.world.game["recorded_at"],
        }

    def _inputs(self, line: RecordLine) -> Iterator[e.Input]:
        common = self._common(f"line-{line.place.rpartition(':')[2]}")
        ignored = (*PERIOD_NAMES, *_ORDER, *([AT] if line.is_timed else []))
        fields = {name: value for name, value in line.fields.items() if name not in ignored}
        if "proposal" in fields:
            yield from self._proposal(common, fields)
        elif "rules" in fields:
            yield e.RulingMade(
                **common,
                number=self.world.game.get("rulings", 0) + 1,
                kind="correct",
                text=str(fields.get("text", "rules brought in")),
                basis=str(fields.get("basis", "ruling")),
                changes=self._changes(fields["rules"]),
            )
        else:
            kind = str(fields.pop("kind"))
            yield e.FactRecorded(**common, kind=kind, fields=fields)

    def _proposal(self, common: dict[str, Any], fields: dict[str, Any]) -> Iterator[e.Input]:
        """Yield a proposal and its verdict; the proposal stays open if its verdict is null."""
        number = fields["proposal"]
        if number in self.world.proposals:
            raise RecordError(f"proposal {number} has been made already")
        yield e.ProposalMade(
            **common,
            by=str(fields.get("by", "admin")),
            number=number,
            text=str(fields.get("text", "")),
            changes=self._changes(fields.get("rules", [])),
        )
        verdict = fields.get("verdict", "accepted")
        judged = common | {"id": f"{common['id']}-verdict"}
        if verdict is not None:
            yield e.ProposalJudged(**judged, proposal=number, verdict=verdict)

    def _changes(self, rules: Any) -> tuple[Change, ...]:
        if not isinstance(rules, str):
            return read_changes(rules)
        rulebook = parse(self.texts[rules], PurePath(rules).name)
        return tuple(change_to(rule, self.world.rule(rule.number)) for rule in rulebook.rules)


def _told(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M}"
