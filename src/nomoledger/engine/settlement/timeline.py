"""A counterfactual timeline: the replay of an edited game, compared with the recorded one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.facts import FollowsRecord
from nomoledger.engine.settlement.audiences import Audiences
from nomoledger.engine.settlement.hypotheses import AddedRuling, Hypothesis, find_ruling
from nomoledger.engine.settlement.input_log import edit_input_log, edited_event
from nomoledger.engine.settlement.rerun import Orphan, Rerun, RulesOverride, is_retroactive
from nomoledger.events.display import without_display_text
from nomoledger.language.host import Describe, Oracle, ask_people, describe_plainly
from nomoledger.language.values import format_value
from nomoledger.state.reducer import CLOSING, apply, belongs_to_input
from nomoledger.state.world import World

#: Fields that refer to other events or depend on event numbers, and are not compared.
_NOT_COMPARED = ("cause", "fact", "follows", "digest", "seed", "commitment", "rules", "used")

#: Events by which a fact does not agree with the rules.
_DISAGREEING = (e.RecordPrevailed, e.FactUnexplained, e.AttemptRefused)


class Collision(msgspec.Struct, frozen=True):
    """Later play that does not fit the timeline: at *event*, *what*, and *why*."""

    event: int | None
    what: str
    why: str


class FirstDifference(msgspec.Struct, frozen=True):
    """The first difference: at *event*, what is recorded and what the replay gave."""

    event: int
    recorded: str | None
    rerun: str | None
    rules: tuple[str, ...] = ()


class ExplainedFact(msgspec.Struct, frozen=True):
    """A fact of a hand-kept record that differs from the rules in recorded play alone.

    *event* is the number of the fact, *what* it says, and *by_rules* what the rules gave instead.
    """

    event: int
    what: str
    by_rules: Any


class Timeline:
    """Play as it would have gone with some edits of the input log.

    Exhaust `run` before reading any result.

    Attributes:
        recorded: the recorded world after the last of *entries*.
        world: the world of the timeline.
    """

    def __init__(
        self,
        entries: Sequence[e.Entry],
        edits: Sequence[e.Edit],
        *,
        since: int | None = None,
        oracle: Oracle = ask_people,
        secret: bytes | None = None,
        rules: RulesOverride | None = None,
        questions: str = "stop",
        hypotheses: Sequence[Hypothesis] = (),
        describe: Describe = describe_plainly,
    ) -> None:
        """Prepare the timeline of *entries* with *edits*, which are all edits in force.

        The replay starts at the first event that *edits* or *hypotheses* concern, or at *since* if
        that is earlier, and ends with *entries*. *rules* replaces the rules in force. *questions*
        is one of `nomoledger.engine.settlement.rerun.POLICIES`.
        """
        self.entries = entries
        self._describe = describe
        starts = [number for edit in edits if (number := edited_event(edit)) is not None]
        starts += [] if since is None else [since]
        starts += (_place(entries, hypothesis) for hypothesis in hypotheses)
        first = min(starts, default=len(entries) - 1)
        self.input_log = edit_input_log(entries, edits, first, hypotheses)
        self.recorded, world = World(), World()
        for entry in entries:
            apply(self.recorded, entry.body)
            if entry.number < self.input_log.first:
                apply(world, entry.body)
        self.rerun = Rerun(
            world,
            self.input_log,
            oracle=oracle,
            secret=secret,
            follows=self._recorded_decisions(),
            rules=rules,
            questions=questions,
            still_open=self.recorded.questions,
            describe=describe,
        )

    def audiences(self) -> Audiences:
        """Return who may see what in the timeline."""
        before = (entry.body for entry in self.entries[: self.input_log.first])
        return Audiences((*before, *self._replayed_events()))

    @property
    def world(self) -> World:
        """The state that the timeline has reached."""
        return self.rerun.world

    def run(self) -> Iterator[int | None]:
        """Replay the timeline input by input, and yield the number of each input."""
        bodies = [entry.body for entry in self.entries]
        yield from self.rerun.run(bodies)

    def _replayed_events(self) -> Iterator[e.Event]:
        return (event for events in self.rerun.events.values() for event in events)

    # --- facts of a hand-kept record

    def _recorded_decisions(self) -> FollowsRecord:
        """Return the function that decides where the state follows a fact.

        The state follows an edited fact. It also follows a fact that differed in recorded play from
        the same value by the rules, unless that difference came from a fact that is edited now.
        """
        edited, fact_id = self.input_log.edited, self._fact_id
        followed = set()
        for entry in self.entries:
            body = entry.body
            if not isinstance(body, e.RecordPrevailed):
                continue
            first = None if body.follows is None else self.entries[body.follows].body
            if not (isinstance(first, e.RecordPrevailed) and fact_id(first) in edited):
                followed.add((fact_id(body), body.what, str(body.by_rules)))
        return lambda fact, what, by_rules: (
            fact.id in edited or (fact.id, what, str(by_rules)) in followed
        )

    def _fact_id(self, body: e.RecordPrevailed) -> str:
        fact = self.entries[body.fact].body
        assert isinstance(fact, e.FactRecorded)
        return fact.id

    # --- the first difference

    def first_difference(self) -> FirstDifference | None:
        """Return the first event that differs between the record and the timeline, or None."""
        for number, body, recorded in self._batches():
            if isinstance(body, e.RulingMade) and is_retroactive(body):
                continue
            if body.id in self.input_log.undone:
                continue
            replayed = self.rerun.events.get(body.id, [])
            for place in range(max(len(recorded), len(replayed))):
                old = recorded[place] if place < len(recorded) else None
                new = replayed[place] if place < len(replayed) else None
                if compared_fields(old) != compared_fields(new):
                    return self._difference_at(number + min(place, len(recorded)), old, new)
        return None

    def recorded_batches(self) -> dict[str, list[e.Event]]:
        """Return the events that begin with each recorded input, by the id of the input."""
        return {body.id: recorded for _, body, recorded in self._batches()}

    def _batches(self) -> list[tuple[int, e.Input, list[e.Event]]]:
        """Return each recorded input with its number and the events that begin with it."""
        batches: list[tuple[int, e.Input, list[e.Event]]] = []
        for entry in self.entries[self.input_log.first :]:
            if isinstance(entry.body, e.Input):
                batches.append((entry.number, entry.body, []))
            batches[-1][2].append(entry.body)
        return batches

    def _difference_at(
        self, number: int, old: e.Event | None, new: e.Event | None
    ) -> FirstDifference:
        world = self.recorded
        was, becomes = (
            None if event is None else self._describe(event, world) for event in (old, new)
        )
        rules = next((event.rules for event in (new, old) if event is not None and event.rules), ())
        return FirstDifference(number, was, becomes, rules)

    # --- collisions

    def collisions(self) -> list[Collision]:
        """Return the unedited attempts that were done and are now refused, or the reverse."""
        recorded, recorded_why = _outcomes(
            entry.body for entry in self.entries[self.input_log.first :]
        )
        replayed, replayed_why = _outcomes(self._replayed_events())
        collisions = []
        for attempt, is_done in recorded.items():
            is_changed = attempt in replayed and replayed[attempt] != is_done
            if is_changed and not self._is_edited(attempt):
                refusal = f"it was refused ({recorded_why.get(attempt)}), and is not"
                why = replayed_why.get(attempt) or refusal
                collisions.append(Collision(self._input_of(attempt), self._request(attempt), why))
        return [*collisions, *self._unfinished_close()]

    def _unfinished_close(self) -> Iterator[Collision]:
        """Yield a collision if a close still waits that would not wait in the timeline."""
        head = self.world.agenda[0] if self.world.agenda else None
        if head is not None and head.operation == CLOSING:
            what = f"period {self.world.period} is still open"
            yield Collision(self._input_of(head.id), what, "it would have been closed by now")

    def _is_edited(self, attempt: str) -> bool:
        return any(belongs_to_input(attempt, id) for id in self.input_log.edited)

    def _input_of(self, attempt: str) -> int | None:
        """Return the number of the input that *attempt* belongs to."""
        id = attempt.partition(">")[0]
        for entry in self.entries:
            if isinstance(entry.body, e.Input) and entry.body.id == id:
                return entry.number
        return None

    def _request(self, attempt: str) -> str:
        """Describe the input that *attempt* belongs to."""
        number = self._input_of(attempt)
        if number is None:
            return attempt
        return self._describe(self.entries[number].body, self.recorded)

    # --- orphans

    def orphans(self) -> list[Orphan]:
        """Return the recorded answers, rolls and facts that have no place in the timeline."""
        orphans = [*self.rerun.orphans, *self._unused_draws()]
        collided = {collision.event for collision in self.collisions()}
        facts: dict[int | None, Orphan] = {}
        for orphan in self._overturned_facts():
            facts.setdefault(orphan.event, orphan)
        orphans += (orphan for number, orphan in facts.items() if number not in collided)
        return sorted(orphans, key=lambda orphan: orphan.event or 0)

    # --- facts that no longer differ

    def explained_facts(self) -> list[ExplainedFact]:
        """Return the facts that differ from the rules in the record, and agree in the timeline."""
        explained = []
        for entry in self.entries[self.input_log.first :]:
            body = entry.body
            if not isinstance(body, e.RecordPrevailed):
                continue
            fact = self.entries[body.fact].body
            replayed = self.rerun.events.get(self._fact_id(body), [])
            is_tried = bool(replayed) and not self._is_edited(self._fact_id(body))
            if is_tried and not any(isinstance(event, _DISAGREEING) for event in replayed):
                what = self._describe(fact, self.recorded)
                explained.append(ExplainedFact(body.fact, what, body.by_rules))
        return explained

    def _unused_draws(self) -> Iterator[Orphan]:
        bodies = [entry.body for entry in self.entries]
        asked = {body.question for body in bodies if isinstance(body, e.QuestionRaised)}
        events = self._replayed_events()
        used = asked | {event.answers for event in events if isinstance(event, e.DrawRecorded)}
        for entry in self.entries[self.input_log.first :]:
            body = entry.body
            if not isinstance(body, e.DrawRecorded) or body.answers in used:
                continue
            if not self._is_from_settlement(body):
                yield Orphan(
                    entry.number, self._describe(body, self.recorded), "the roll is not made"
                )

    def _is_from_settlement(self, body: e.Event) -> bool:
        cause = None if body.cause is None else self.entries[body.cause].body
        return isinstance(cause, e.RulingMade) and is_retroactive(cause)

    def _overturned_facts(self) -> Iterator[Orphan]:
        """Yield the facts that differ from the rules where the state no longer follows the fact.

        Also yield the facts that the rules no longer explain.
        """
        follows = self._recorded_decisions()
        unexplained = {
            said.id
            for entry in self.entries
            if isinstance(entry.body, e.FactUnexplained)
            and isinstance(said := self.entries[entry.body.fact].body, e.FactRecorded)
        }
        numbers = {x.body.id: x.number for x in self.entries if isinstance(x.body, e.FactRecorded)}
        for id, events in self.rerun.events.items():
            fact = events[0] if events else None
            if not isinstance(fact, e.FactRecorded):
                continue
            for event in events:
                if isinstance(event, e.FactUnexplained) and id not in unexplained:
                    yield Orphan(numbers.get(id), self._describe(fact, self.recorded), event.why)
                if not isinstance(event, e.RecordPrevailed):
                    continue
                if not follows(fact, event.what, event.by_rules):
                    why = f"it would be {format_value(event.by_rules)}"
                    yield Orphan(numbers.get(id), self._describe(fact, self.recorded), why)


def _place(entries: Sequence[e.Entry], hypothesis: Hypothesis) -> int:
    """Return the number of the event that *hypothesis* comes before or changes."""
    if isinstance(hypothesis, AddedRuling):
        return hypothesis.before
    return find_ruling(entries, hypothesis.number).number


def _outcomes(bodies: Iterable[e.Event]) -> tuple[dict[str, bool], dict[str, str]]:
    """Return whether each attempt was carried out, and why the refused ones were refused."""
    done: dict[str, bool] = {}
    reasons: dict[str, str] = {}
    for body in bodies:
        if isinstance(body, e.AttemptDone | e.AttemptRefused):
            done[body.attempt] = isinstance(body, e.AttemptDone)
        if isinstance(body, e.AttemptRefused):
            reasons[body.attempt] = "; ".join(f"{x.text} ({x.rule})" for x in body.reasons)
    return done, reasons


def compared_fields(event: e.Event | None) -> Any:
    """Return the type and the fields of *event* that two lines of play are compared by.

    They do not depend on event numbers, nor on what the engine says to people.
    """
    if event is None:
        return None
    event = without_display_text(event)
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    for name in _NOT_COMPARED:
        fields.pop(name, None)
    if isinstance(event, e.Scheduled) and event.operation == "@expire":
        fields["arguments"] = event.arguments[:2]
    return type(event), fields
