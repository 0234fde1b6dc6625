"""The run of a case, in memory, up to the first difference from what the case expects."""

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.errors import RulebookError, RuleFault, UnknownError
from nomoledger.rulebook.cases.case_start import open_world, settled
from nomoledger.rulebook.cases.compare import compare
from nomoledger.rulebook.cases.format import Body, Case, CaseStep, Then
from nomoledger.rulebook.cases.matching import format_plain, is_match
from nomoledger.rulebook.cases.picture import picture
from nomoledger.rulebook.cases.query import ask_value
from nomoledger.rulebook.cases.refusals import refusal_difference
from nomoledger.rulebook.cases.requests import Inputs, answered
from nomoledger.rulebook.cases.script import Mismatch, Script
from nomoledger.rulebook.cases.spelling import plural_of
from nomoledger.rulebook.cases.standing import world_kinds
from nomoledger.rulebook.cases.times import DEFAULT_START, read_time, times_read
from nomoledger.rulebook.cases.unnamed import unnamed_in
from nomoledger.rulebook.loading import Rulebook, load, shipped
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import Sandbox
from nomoledger.state.world import World

_ANSWERS_MAX = 1000


class CaseResult(msgspec.Struct, frozen=True):
    """The result of the case *name* in *file*.

    *difference* describes the first difference; where the case could not be *run*, why.
    """

    name: str
    file: str
    ok: bool
    difference: str | None = None
    run: bool = True


class CaseRunner:
    """Runs cases, one after the other, in one sandbox; rulebooks are loaded once."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Allow each case *limits*."""
        self._sandbox = Sandbox(limits)
        self._rulebooks: dict[str, Rulebook] = {}

    def result(self, case: Case) -> CaseResult:
        """Return the result of *case* as `run` does; a case that cannot be run has failed."""
        try:
            return self.run(case)
        except (RulebookError, UnknownError, RuleFault) as error:
            what = str(error).removeprefix(f"{case.place}: ")
            name = f"line {case.line}: {case.name}" if case.name else f"line {case.line}"
            return CaseResult(case.name, case.file, False, f"{name}: {what}", False)

    def run(self, case: Case, *, rulebook: Rulebook | None = None) -> CaseResult:
        """Run *case* under *rulebook*, or under the rulebook that the case names.

        Raises:
            RulebookError: the case names something unknown. The message has file, line and case.
            UnknownError: there is no such rulebook.
            RuleFault: the case used up the time or the memory that it may use.
        """
        if case.fault:
            raise RulebookError(f"{case.place}: {case.fault}" if case.name else case.fault)
        if rulebook is None:
            name = _rulebook_of(case)
            rulebook = self._rulebooks.get(name)
            if rulebook is None:
                rulebook = self._rulebooks[name] = load(name)
        return self._sandbox.call(result_of, case, rulebook, kind=CaseResult)


def run_case(case: Case, *, rulebook: Rulebook | None = None) -> CaseResult:
    """Run *case* in a sandbox of its own; see `CaseRunner.run`."""
    return CaseRunner().run(case, rulebook=rulebook)


def result_of(case: Case, rulebook: Rulebook) -> CaseResult:
    """Return the result of *case* under *rulebook*, in this process."""
    try:
        difference = Run(case.body, rulebook).difference()
    except (RulebookError, UnknownError) as error:
        raise RulebookError(f"{case.place}: {error}") from None
    return CaseResult(case.name, case.file, difference is None, _with_name(case, difference))


def _with_name(case: Case, difference: str | None) -> str | None:
    return None if difference is None else f"{case.name}{difference}"


def _rulebook_of(case: Case) -> str:
    name = case.body.rulebook
    beside = Path(case.file).parent / name
    return str(beside) if name not in shipped() and beside.exists() else name


class Run:
    """One run of a case."""

    def __init__(self, body: Body, rulebook: Rulebook) -> None:
        """Prepare the run of *body*."""
        self.body = body
        self.rulebook = settled(rulebook, body)
        self.start = DEFAULT_START if body.given.time is None else read_time(body.given.time)
        self.now = self.start
        self.world = World()
        self.script = Script(self.world)
        self.engine = Engine(self.world, self.script.oracle)
        self.events: list[e.Event] = []

    def difference(self) -> str | None:
        """Return the first difference and its step; None if the case passes."""
        open_world(self.engine, self.rulebook, self.body.given, self.start)
        past = (picture(self.world), self.world.rules, unnamed_in(self.world))
        self.inputs = Inputs(self.world, self.script)
        for number, step in enumerate(self.body.steps, 1):
            where = f", step {number} ({step.do or step.value})"
            try:
                difference = self._step(number, step)
            except (Mismatch, RuleFault) as error:
                return f"{where}: {error}"
            except RulebookError as error:
                raise RulebookError(f"step {number}: {error}") from None
            if difference is None and step.then is not None:
                difference = compare(self.world, self._timed(step.then), self.events)
            if difference is not None:
                return f"{where}: {difference}"
        then = self._timed(self.body.then)
        difference = compare(self.world, then, self.events, past, self.inputs.judged)
        return difference and f", in the end: {difference}"

    def _step(self, number: int, step: CaseStep) -> str | None:
        if step.at is not None:
            self._advance(read_time(step.at, self.start), step)
        if step.value is not None:
            return self._value(step)
        self.script.add(step.dice, step.draws, step.answers)
        kind, fields = self.inputs.of(step)
        acts = self._acts_of(f"s{number}", fields)
        events = self._submit(f"s{number}", kind, fields)
        events += self._answer_questions(f"s{number}")
        if kind is e.ProposalJudged and not _is_refused(events, f"s{number}"):
            self.inputs.judged.add(fields["proposal"])
        self.events += events
        return (
            refusal_difference(step.refused, events, acts)
            or self._question_difference(step, last=number == len(self.body.steps))
            or ((left := self.script.left_over()) and f"nobody asks for {left}")
        )

    def _timed(self, then: Then) -> Then:
        """Return *then* with times that are written as such, in seconds."""
        players = {name: self._row_timed("player", row) for name, row in then.players.items()}
        squares = {name: self._row_timed("square", row) for name, row in then.squares.items()}
        kinds = {plural_of(kind): kind for kind in world_kinds(self.world)}
        things = {
            plural: [self._row_timed(kinds[plural], row) for row in listed]
            if plural in kinds and isinstance(listed, list)
            else listed
            for plural, listed in then.things.items()
        }
        return msgspec.structs.replace(then, players=players, squares=squares, things=things)

    def _row_timed(self, kind: str, row: Any) -> Any:
        return times_read(self.world, kind, row, self.start) if isinstance(row, dict) else row

    def _acts_of(self, id: str, fields: dict[str, Any]) -> set[str]:
        """Return the ids of the attempts that a step with the input *id* asks for itself.

        For an answer, that is the attempt that has asked.
        """
        asked = fields.get("question")
        return {id} if asked is None else {id, asked.rpartition("|")[0]}

    def _advance(self, at: datetime, step: CaseStep) -> None:
        if at < self.now:
            raise RulebookError(f"{at:%Y-%m-%d %H:%M:%S} is before the step before it")
        self.now = at

    def _value(self, step: CaseStep) -> str | None:
        assert step.value is not None
        if step.is_ is msgspec.UNSET:
            raise RulebookError(f"value: {step.value}: say what it is, with is:")
        value = ask_value(self.world, step.value, step.with_)
        if is_match(value, step.is_):
            return None
        return f"it is {format_plain(value)}, expected {format_plain(step.is_)}"

    def _submit(self, id: str, kind: type[e.Input], fields: dict[str, Any]) -> list[e.Event]:
        period = self.world.period
        event = kind(id=id, period=period, received_at=self.now, recorded_at=self.now, **fields)
        return [event for batch in self.engine.process(event) for event in batch]

    def _answer_questions(self, id: str) -> list[e.Event]:
        """Answer questions with the answers of the step; return the events that follow."""
        events: list[e.Event] = []
        for count in range(1, _ANSWERS_MAX):
            question = self.world.waiting
            if question is None or question.asks in ("dice", "draw"):
                return events
            answer = self.script.answer(question)
            if answer is None:
                return events
            number = int(self.world.game.get("rulings", 0)) + 1
            events += self._submit(f"{id}.{count}", *answered(question, answer[0], number))
        raise Mismatch(f"more than {_ANSWERS_MAX} questions in one step")

    def _question_difference(self, step: CaseStep, *, last: bool) -> str | None:
        question = self.world.waiting
        if step.asks is not None:
            if question is None:
                return f"nothing is asked, expected a question about {step.asks!r}"
            if step.asks.lower() not in question.text.lower():
                return f"what is asked is {question.text!r}, expected {step.asks!r}"
            return None
        pending = self.body.then.pending
        if question is None or (last and pending is not None and pending.questions is not None):
            return None
        return f"{question.to} is asked: {question.text}; the step says nothing to that"


def _is_refused(events: list[e.Event], attempt: str) -> bool:
    return any(isinstance(x, e.AttemptRefused) and x.attempt == attempt for x in events)
