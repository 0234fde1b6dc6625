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
from nomoledger.rulebook.cases.format import Body, Case, CaseStep
from nomoledger.rulebook.cases.matching import format_plain, is_match
from nomoledger.rulebook.cases.picture import picture
from nomoledger.rulebook.cases.query import ask_value
from nomoledger.rulebook.cases.requests import Inputs, answered
from nomoledger.rulebook.cases.script import Mismatch, Script
from nomoledger.rulebook.cases.times import DEFAULT_START, read_time
from nomoledger.rulebook.loading import Rulebook, load, shipped
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import Sandbox
from nomoledger.state.world import World

_ANSWERS_MAX = 1000


class CaseResult(msgspec.Struct, frozen=True):
    """The result of the case *name* in *file*; *difference* describes the first difference."""

    name: str
    file: str
    ok: bool
    difference: str | None = None


class CaseRunner:
    """Runs cases, one after the other, in one sandbox; rulebooks are loaded once."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Allow each case *limits*."""
        self._sandbox = Sandbox(limits)
        self._rulebooks: dict[str, Rulebook] = {}

    def run(self, case: Case, *, rulebook: Rulebook | None = None) -> CaseResult:
        """Run *case* under *rulebook*, or under the rulebook that the case names.

        Raises:
            RulebookError: the case names something unknown. The message has file, line and case.
            UnknownError: there is no such rulebook.
            RuleFault: the case used up the time or the memory that it may use.
        """
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
        past, self.inputs = (picture(self.world), self.world.rules), Inputs(self.world, self.script)
        for number, step in enumerate(self.body.steps, 1):
            where = f", step {number} ({step.do or step.value})"
            try:
                difference = self._step(number, step)
            except (Mismatch, RuleFault) as error:
                return f"{where}: {error}"
            except RulebookError as error:
                raise RulebookError(f"step {number}: {error}") from None
            if difference is None and step.then is not None:
                difference = compare(self.world, step.then, self.events)
            if difference is not None:
                return f"{where}: {difference}"
        difference = compare(self.world, self.body.then, self.events, past, self.inputs.judged)
        return difference and f", in the end: {difference}"

    def _step(self, number: int, step: CaseStep) -> str | None:
        if step.at is not None:
            self._advance(read_time(step.at, self.start), step)
        if step.value is not None:
            return self._value(step)
        self.script.add(step.dice, step.draws, step.answers)
        kind, fields = self.inputs.of(step)
        events = self._submit(f"s{number}", kind, fields)
        events += self._answer_questions(f"s{number}")
        if kind is e.ProposalJudged and not _is_refused(events, f"s{number}"):
            self.inputs.judged.add(fields["proposal"])
        self.events += events
        return (
            _refusal_difference(step, events)
            or self._question_difference(step, last=number == len(self.body.steps))
            or ((left := self.script.left_over()) and f"nobody asks for {left}")
        )

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


def _refusal_difference(step: CaseStep, events: list[e.Event]) -> str | None:
    refused = [event for event in events if isinstance(event, e.AttemptRefused)]
    reasons = "; ".join(
        f"{event.operation}: {reason.text} ({reason.rule})"
        for event in refused
        for reason in event.reasons
    )
    if step.refused is False:
        return f"refused: {reasons}" if refused else None
    if not refused:
        return "it is not refused, though it should be"
    if step.refused is True:
        return None
    expected = [step.refused] if isinstance(step.refused, str) else step.refused
    cited = [{reason.rule.partition("@")[0] for reason in event.reasons} for event in refused]
    everywhere = set().union(*cited)
    if missing := [rule for rule in expected if rule not in everywhere]:
        return f"it is refused, but not by {', '.join(missing)}: {reasons}"
    if not all(rules & set(expected) for rules in cited):
        return f"more is refused than by {', '.join(expected)}: {reasons}"
    return None
