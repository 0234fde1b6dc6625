"""What a hand-kept record leaves out, and what it says twice.

The rules do more than the record says if a rent is due, a square is offered, or the board grows,
and no fact states it. A payment is always expected in the record if the rules say which facts
state such payments. Anything else is expected if the record mentions its kind in the same period.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.fact_audit import PERIOD_BEGINS, PERIOD_ENDS
from nomoledger.engine.facts import RECORD, field_of
from nomoledger.errors import RuleFault
from nomoledger.events.rules import FactMapping
from nomoledger.game.audit.what_facts_state import (
    Consequence,
    changed_attributes,
    is_any_reason,
    key_of_fact,
    line_of,
    mappings_in,
    payments_stated_by,
    things_in,
)
from nomoledger.language.host import Refused
from nomoledger.language.program import Program
from nomoledger.language.resolve import named_arguments
from nomoledger.state.clock import to_seconds
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.reducer import apply
from nomoledger.state.world import Attempt, World

#: How many combinations of things one value is asked for after one attempt.
_ASKED_MAX = 2_000


class Omission(msgspec.Struct, frozen=True):
    """Something that the rules did, and that the record does not mention.

    Attributes:
        event: number of the event by which they did it.
        kind: the kind of fact that would state it.
        subject: the player, or the thing, that it is about; of a payment, who paid.
        by_rules: its value, as a fact would state it.
        rule: the rule behind it.
    """

    event: int
    kind: str
    subject: str
    by_rules: Any
    rule: str


class Repetition(msgspec.Struct, frozen=True):
    """A fact that only says again what an earlier fact said.

    Attributes:
        event: number of the fact.
        kind: its kind.
        line: its line in the record.
        of: the line that said so first.
        certain: whether it cannot be anything else; a line that equals the line before it can also
            state that somebody did the same twice.
    """

    event: int
    kind: str
    line: int | None
    of: int | None
    certain: bool = True


class _Pending(msgspec.Struct):
    """A consequence that no fact has stated yet, and the number of the fact that it follows."""

    consequence: Consequence
    fact: int


class _Stated(msgspec.Struct):
    """A fact, its line, and the number of attempts that facts had started before it."""

    line: int | None
    attempts: int


class _Unmatched(msgspec.Struct):
    """A fact that states nothing that the rules did before it, and what it is about."""

    number: int
    fact: e.FactRecorded
    key: tuple[Any, ...]
    value: Any

    def states(self, found: Consequence) -> bool:
        """Return whether the fact states *found*, which stands elsewhere."""
        if (self.fact.kind, self.key) != (found.kind, found.key):
            return False
        if isinstance(found.by_rules, dict):
            return all(self.fact.fields.get(k) == v for k, v in found.by_rules.items())
        return bool(self.value == found.by_rules)


class OmissionSearch:
    """The search for what the record of a period leaves out, fact by fact.

    Attributes:
        repeated: the facts that only say again what an earlier fact said.
    """

    def __init__(
        self, world: World, link: Callable[[Ruleset], Program], bodies: Sequence[e.Event]
    ) -> None:
        """Search *bodies*, the events of a period that begins with the state *world*."""
        self.world = world
        self._link = link
        self._mentioned = {body.kind for body in bodies if isinstance(body, e.FactRecorded)}
        self._pending: list[_Pending] = []
        self._said: dict[str, _Stated] = {}
        #: The kinds of things that facts about attributes are about, by kind of fact.
        self._subjects: dict[str, set[str | None]] = {}
        self._attempts = 0
        self._last_attempt = -1
        self.repeated: list[Repetition] = []
        self._before: e.FactRecorded | None = None
        self._unmatched: list[_Unmatched] = []
        self._late: dict[int, int] = {}
        #: The lines of the facts that facts have started attempts with, by number.
        self._lines: dict[int, int | None] = {}

    def displaced(self) -> dict[int, int]:
        """Return the facts that stand in the wrong place, each with the line that it belongs after.

        What such a fact states is no longer pending.
        """
        found = dict(self._late)
        for each in list(self._pending):
            fits = (x for x in self._unmatched if x.states(each.consequence))
            fact = next((x for x in fits if x.number not in found), None)
            line = self._lines.get(each.fact)
            if fact is not None and line is not None:
                found[fact.number] = line
                self._pending.remove(each)
        return found

    def omitted(self) -> Iterator[Omission]:
        """Yield what no fact has stated so far, in the order in which the rules did it."""
        for each in sorted(self._pending, key=lambda each: each.consequence.event):
            found = each.consequence
            entity_kind = self.world.entities.get(found.key[0]) if found.key else None
            if found.is_attribute and entity_kind not in self._subjects.get(found.kind, ()):
                continue  # facts of this kind are about other things
            yield Omission(found.event, found.kind, found.subject, found.by_rules, found.rule)

    def follow(self, number: int, bodies: Sequence[e.Event]) -> None:
        """Apply *bodies*: an input, which is event *number*, and what follows from it."""
        world, fact = self.world, bodies[0]
        if not isinstance(fact, e.FactRecorded) or fact.kind == PERIOD_ENDS:
            for body in bodies:
                apply(world, body)
            return
        kinds = mappings_in(world)
        speech = kinds.get(fact.kind)
        if speech is not None:
            self._state(number, fact, speech, bodies)
        self._note_copy(number, fact)
        is_unexplained = any(isinstance(body, e.FactUnexplained | e.MadeUnknown) for body in bodies)
        if is_unexplained or not any(isinstance(body, e.AttemptDone) for body in bodies):
            for body in bodies:
                apply(world, body)
            return
        found = list(self._consequences(number, bodies, kinds))
        self._pending += (_Pending(each, number) for each in found)
        self._lines[number] = line_of(fact)
        if fact.kind == PERIOD_BEGINS or (speech is not None and speech.attempt is not None):
            self._attempts += 1
            self._last_attempt = number

    # --- what facts state

    def _note_copy(self, number: int, fact: e.FactRecorded) -> None:
        """Note a fact that equals the line before it, and that the record does not tell from it."""
        line, before = line_of(fact), self._before
        self._before = fact
        if (
            before is None
            or line is None
            or fact.another
            or number in {x.event for x in self.repeated}
        ):
            return
        if (fact.kind, fact.fields) == (before.kind, before.fields):
            self.repeated.append(
                Repetition(number, fact.kind, line, line_of(before), certain=False)
            )

    def _state(
        self, number: int, fact: e.FactRecorded, speech: FactMapping, bodies: Sequence[e.Event]
    ) -> None:
        """Note what the fact states; it does so for the latest of several like consequences."""
        key = key_of_fact(self.world, fact, speech, self._types_given(speech) or ())
        if key is None:
            return
        if speech.attribute is not None:
            self._subjects.setdefault(fact.kind, set()).add(self.world.entities.get(key[0]))
        meant = [
            each
            for each in self._pending
            if (each.consequence.kind, each.consequence.key) == (fact.kind, key)
        ]
        if any(isinstance(body, e.RecordPrevailed) for body in bodies):
            self._note_misplaced(_Unmatched(number, fact, key, field_of(fact, speech.value)), meant)
        written = repr((fact.kind, fact.fields))
        earlier = self._said.get(written)
        if meant:
            stated = [each for each in meant if each.fact == meant[-1].fact]
            self._pending = [each for each in self._pending if each not in stated]
        elif earlier is not None and earlier.attempts == self._attempts:
            found = Repetition(number, fact.kind, line_of(fact), earlier.line)
            self.repeated.append(found)
        self._said[written] = _Stated(line_of(fact), self._attempts)
        if speech.attribute is not None and any(_corrects(body) for body in bodies):
            # The wrong value is a finding of its own, which covers what came of it.
            self._pending = [each for each in self._pending if each.fact != self._last_attempt]

    def _note_misplaced(self, differing: _Unmatched, meant: Sequence[_Pending]) -> None:
        """Note a fact that differs where it stands; *meant* are the consequences it may state."""
        if not meant:
            self._unmatched.append(differing)
            return
        line = self._lines.get(meant[-1].fact)
        is_late = meant[-1].fact != self._last_attempt
        if is_late and line is not None and differing.states(meant[-1].consequence):
            self._late[differing.number] = line

    # --- what the rules did

    def _consequences(
        self, number: int, bodies: Sequence[e.Event], kinds: dict[str, FactMapping]
    ) -> Iterator[Consequence]:
        """Apply *bodies*, and yield what the rules did in them that facts of *kinds* can state."""
        world, fact = self.world, bodies[0]
        assert isinstance(fact, e.FactRecorded)
        events = list(enumerate(bodies, number))
        asked = {
            kind: speech
            for kind, speech in kinds.items()
            if speech.asks and not speech.attempt and kind in self._mentioned
        }
        changes = changed_attributes(events)
        old = {key: world.get(*key) for key in changes}
        before: dict[tuple[str, tuple[Any, ...]], Any] = {}
        if asked and len(bodies) > 1:
            questions = self._questions_after(bodies, asked)
            before = {
                each: self._value(number, fact, asked[each[0]], each[1]) for each in questions
            }
        for body in bodies:
            apply(world, body)
        yield from self._payments(events, fact, kinds)
        for (entity, attribute), change in changes.items():
            value = world.get(entity, attribute)
            is_same = value == old[entity, attribute] and not change.is_move
            if value is None or is_same:
                continue
            for kind, speech in kinds.items():
                if speech.attribute == attribute and kind in self._mentioned:
                    yield Consequence(
                        change.number,
                        kind,
                        (entity,),
                        str(world.label(entity)),
                        world.label(value),
                        (*change.rules, "engine")[0],
                        is_attribute=True,
                    )
        for (kind, arguments), was in before.items():
            now = self._value(number, fact, asked[kind], arguments)
            if now is not None and now != was:
                yield self._value_consequence(kind, asked[kind], arguments, now, events)

    def _payments(
        self,
        events: Sequence[tuple[int, e.Event]],
        fact: e.FactRecorded,
        kinds: dict[str, FactMapping],
    ) -> Iterator[Consequence]:
        own = kinds.get(fact.kind)
        is_own_act = own is not None and own.attempt is not None and own.dice is None
        for kind, speech in kinds.items():
            if speech.paid is None or speech.payer is not None:
                continue
            is_any = is_any_reason(speech)
            if is_any and (is_own_act or kind not in self._mentioned):
                continue
            for number, event in events:
                if isinstance(event, e.Posted):
                    yield from payments_stated_by(self.world, number, event, kind, speech)

    def _questions_after(
        self, bodies: Sequence[e.Event], asked: dict[str, FactMapping]
    ) -> list[tuple[str, tuple[Any, ...]]]:
        """Return what to ask for: the values of things that *bodies* mention."""
        world, mark = self.world, self.world.mark()
        for body in bodies:
            apply(world, body)
        things = list(dict.fromkeys(things_in(world, [*bodies])))
        questions = [
            (kind, arguments)
            for kind, speech in asked.items()
            for arguments in self._arguments(speech, things)
        ]
        world.rollback(mark)
        return questions[:_ASKED_MAX]

    def _arguments(self, speech: FactMapping, things: list[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the arguments from *things* for the value that *speech* asks for."""
        types = self._types_given(speech)
        if types is not None and len(types) == len(speech.given):
            fitting = [[x for x in things if self.world.entities[x] == kind] for kind in types]
            yield from product(*fitting)

    def _types_given(self, speech: FactMapping) -> list[str] | None:
        """Return the kinds of the arguments of the value that *speech* asks for; None if none."""
        operation = self._program().links.operations.get(str(speech.asks)) if speech.asks else None
        if operation is None or not operation.definitions:
            return None
        return [each.type.lower() for each in operation.parameters[: len(speech.given)]]

    def _value(
        self, number: int, fact: e.FactRecorded, speech: FactMapping, arguments: tuple[Any, ...]
    ) -> Any:
        """Return the value that *speech* asks for; None if there is none."""
        world, program = self.world, self._program()
        operation = program.links.operations.get(str(speech.asks))
        if operation is None or not all(each in world.entities for each in arguments):
            return None
        at = to_seconds(fact.received_at)
        program.host.begin(world, Attempt(id=fact.id, operation="", cause=number, at=at))
        try:
            named = named_arguments(world, operation, arguments, {})
            value = program.call(operation.name, **named)
        except (Refused, RuleFault):
            return None
        return [world.label(x) for x in value] if isinstance(value, list) else world.label(value)

    def _value_consequence(
        self,
        kind: str,
        speech: FactMapping,
        arguments: tuple[Any, ...],
        value: Any,
        events: Sequence[tuple[int, e.Event]],
    ) -> Consequence:
        world, program = self.world, self._program()
        numbers = (
            n for n, event in reversed(events[1:]) if {*arguments} <= {*things_in(world, event)}
        )
        definitions = program.links.operations[str(speech.asks)].definitions
        rules = program.cite(tuple(number for number, _ in definitions))
        subject = str(world.label(arguments[0])) if arguments else "game"
        number = next(numbers, events[0][0])
        if len(arguments) > 1:
            names = (*speech.given[1:], str(speech.value))
            value = dict(zip(names, (*map(world.label, arguments[1:]), value), strict=True))
        return Consequence(number, kind, arguments, subject, value, (*rules, "engine")[0])

    def _program(self) -> Program:
        program = self._link(self.world.ruleset)
        program.compile(self.world)
        return program


def _corrects(body: e.Event) -> bool:
    """Return whether *body* brings an attribute in line with the record."""
    return isinstance(body, e.AttributeSet) and body.rules == RECORD
