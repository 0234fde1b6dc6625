"""A course of play that might have been, beside the recorded one."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.facts import Follows
from nomoledger.engine.settlement.audiences import Audiences
from nomoledger.engine.settlement.input_log import edit_input_log, edited_event
from nomoledger.engine.settlement.rerun import Orphan, Rerun, Ruleset, is_retroactive
from nomoledger.events.display import without_display_text
from nomoledger.language.host import Describe, Oracle, ask_people, describe_plainly
from nomoledger.language.values import format_value
from nomoledger.state.reducer import CLOSING, apply, belongs_to_input
from nomoledger.state.world import World

#: What stands in events by number, and so says nothing about whether they are the same.
_NUMBERS = ("cause", "fact", "follows", "digest", "seed", "commitment", "rules")


class Collision(msgspec.Struct, frozen=True):
    """Later play that the other course does not fit: at *event*, *what*, and *why*."""

    event: int | None
    what: str
    why: str


class FirstDifference(msgspec.Struct, frozen=True):
    """The first thing that differs: at *event*, what is recorded and what would have been."""

    event: int
    recorded: str | None
    rerun: str | None
    rules: tuple[str, ...] = ()


class Timeline:
    """Play from the first event that *edits* or *since* touch, up to the end of *entries*.

    *edits* are all edits of the tape that hold, *since* where to begin at the latest; *rules* says
    what is in force instead. Run it (`run`), then look at it.

    Attributes:
        recorded: the world as recorded after the last of *entries*. world: the other one.
    """

    def __init__(
        self,
        entries: Sequence[e.Entry],
        edits: Sequence[e.Edit],
        *,
        since: int | None = None,
        oracle: Oracle = ask_people,
        secret: bytes | None = None,
        rules: Ruleset | None = None,
        questions: str = "stop",
        describe: Describe = describe_plainly,
    ) -> None:
        self.entries = entries
        self._describe = describe
        numbers = [number for each in edits if (number := edited_event(each)) is not None]
        first = min([*numbers, *([] if since is None else [since])], default=len(entries) - 1)
        self.tape = edit_input_log(entries, edits, first)
        self.recorded, world = World(), World()
        for entry in entries:
            apply(self.recorded, entry.body)
            if entry.number < self.tape.first:
                apply(world, entry.body)
        self.rerun = Rerun(
            world,
            self.tape,
            oracle=oracle,
            secret=secret,
            follows=self._follows(),
            rules=rules,
            questions=questions,
            still_open=self.recorded.questions,
            describe=describe,
        )

    def audiences(self) -> Audiences:
        """Who knows of what in the other course."""
        before = (entry.body for entry in self.entries[: self.tape.first])
        return Audiences((*before, *(x for made in self.rerun.made.values() for x in made)))

    @property
    def world(self) -> World:
        """How things would stand."""
        return self.rerun.world

    def run(self) -> Iterator[int | None]:
        """Carry it out, input by input."""
        bodies = [entry.body for entry in self.entries]
        yield from self.rerun.run(bodies)

    def _follows(self) -> Follows:
        """A fact prevails where it did so in recorded play against the same value by the rules.

        What followed from another difference does not, where that one is edited.
        """
        edited, facts = self.tape.edited, self._fact_of
        prevailed = set()
        for entry in self.entries:
            body = entry.body
            if not isinstance(body, e.RecordPrevailed):
                continue
            first = None if body.follows is None else self.entries[body.follows].body
            if not (isinstance(first, e.RecordPrevailed) and facts(first) in edited):
                prevailed.add((facts(body), body.what, str(body.by_rules)))
        return lambda fact, what, by_rules: (
            fact.id in edited or (fact.id, what, str(by_rules)) in prevailed
        )

    def _fact_of(self, body: e.RecordPrevailed) -> str:
        fact = self.entries[body.fact].body
        assert isinstance(fact, e.FactRecorded)
        return fact.id

    # --- the two courses side by side

    def recorded_parts(self) -> Iterator[tuple[int, e.Input, list[e.Event]]]:
        """Each recorded input of this course, and what followed from it."""
        part: list[e.Event] = []
        for entry in self.entries[self.tape.first :]:
            if isinstance(entry.body, e.Input):
                part = []
                yield entry.number, entry.body, part
            part.append(entry.body)

    def first_difference(self) -> FirstDifference | None:
        """The first event that would not be as it is."""
        for number, body, part in list(self.recorded_parts()):
            if isinstance(body, e.RulingMade) and is_retroactive(body):
                continue
            made = self.rerun.made.get(body.id, [])
            for place in range(max(len(part), len(made))):
                was = part[place] if place < len(part) else None
                new = made[place] if place < len(made) else None
                if _plain(was) != _plain(new):
                    return self._first(number + min(place, len(part)), was, new)
        return None

    def _first(self, number: int, was: e.Event | None, new: e.Event | None) -> FirstDifference:
        world = self.recorded
        told = [
            None if x is None else self._describe(x, world.label, world.commodities())
            for x in (was, new)
        ]
        rules = next((x.rules for x in (new, was) if x is not None and x.rules), ())
        return FirstDifference(number, told[0], told[1], rules)

    def collisions(self) -> list[Collision]:
        """Attempts that turn out the other way round, though nothing about them was changed."""
        was, reasons = _outcomes(x.body for x in self.entries[self.tape.first :])
        new, why = _outcomes(x for made in self.rerun.made.values() for x in made)
        found = []
        for attempt, is_done in was.items():
            if attempt in new and new[attempt] != is_done and not self._is_edited(attempt):
                told = why.get(attempt) or f"it was refused ({reasons.get(attempt)}), and is not"
                found.append(Collision(self._number(attempt), self._asked_for(attempt), told))
        return [*found, *self._closings()]

    def _closings(self) -> Iterator[Collision]:
        """The close of the open period, if it had not waited for anything."""
        head = self.world.agenda[0] if self.world.agenda else None
        if head is not None and head.operation == CLOSING:
            what = f"period {self.world.period} is still open"
            yield Collision(self._number(head.id), what, "it would have been closed by now")

    def orphans(self) -> list[Orphan]:
        """Answers to questions no longer asked, rolls no longer made, facts no longer so."""
        found = list(self.rerun.orphans)
        bodies = [entry.body for entry in self.entries]
        raised = {x.question for x in bodies if isinstance(x, e.QuestionRaised)}
        made = (event for each in self.rerun.made.values() for event in each)
        rolled = {x.address for x in made if isinstance(x, e.DrawRecorded)}
        known = raised | rolled
        for entry in self.entries[self.tape.first :]:
            body = entry.body
            if (
                isinstance(body, e.DrawRecorded)
                and body.address not in known
                and not self._is_of_a_settlement(body)
            ):
                found.append(
                    Orphan(entry.number, self._describe(body, str, {}), "it is not rolled")
                )
        gone = {each.event for each in self.collisions()}
        facts = {each.event: each for each in reversed(list(self._facts_no_longer_so()))}
        found += (each for number, each in facts.items() if number not in gone)
        return sorted(found, key=lambda each: each.event or 0)

    def _is_of_a_settlement(self, body: e.Event) -> bool:
        cause = None if body.cause is None else self.entries[body.cause].body
        return isinstance(cause, e.RulingMade) and is_retroactive(cause)

    def _facts_no_longer_so(self) -> Iterator[Orphan]:
        follows = self._follows()
        places = {x.body.id: x.number for x in self.entries if isinstance(x.body, e.FactRecorded)}
        for id, made in self.rerun.made.items():
            for event in made:
                if not isinstance(event, e.RecordPrevailed) or not isinstance(
                    made[0], e.FactRecorded
                ):
                    continue
                if not follows(made[0], event.what, event.by_rules):
                    told = self._describe(made[0], str, {})
                    yield Orphan(
                        places.get(id), told, f"it would be {format_value(event.by_rules)}"
                    )

    def _is_edited(self, attempt: str) -> bool:
        return any(belongs_to_input(attempt, each) for each in self.tape.edited)

    def _number(self, attempt: str) -> int | None:
        id = attempt.partition(">")[0]
        inputs = (x for x in self.entries if isinstance(x.body, e.Input))
        return next((x.number for x in inputs if x.body.id == id), None)  # type: ignore[attr-defined]

    def _asked_for(self, attempt: str) -> str:
        number = self._number(attempt)
        if number is None:
            return attempt
        return self._describe(self.entries[number].body, self.recorded.label, {})


def _outcomes(bodies: Any) -> tuple[dict[str, bool], dict[str, str]]:
    """Whether each attempt was carried out, and why those were refused that were."""
    done: dict[str, bool] = {}
    reasons: dict[str, str] = {}
    for body in bodies:
        if isinstance(body, e.AttemptDone | e.AttemptRefused):
            done[body.attempt] = isinstance(body, e.AttemptDone)
        if isinstance(body, e.AttemptRefused):
            reasons[body.attempt] = "; ".join(f"{x.text} ({x.rule})" for x in body.reasons)
    return done, reasons


def _plain(event: e.Event | None) -> Any:
    """*event* without what only says where in the ledger it stands."""
    if event is None:
        return None
    event = without_display_text(event)
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    for name in _NUMBERS:
        fields.pop(name, None)
    if isinstance(event, e.Scheduled) and event.operation == "@expire":
        fields["arguments"] = event.arguments[:2]
    return type(event), fields
