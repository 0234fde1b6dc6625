"""Runs a game again from somewhere on, with its tape or its rules changed.

Every other die, answer and submission is kept, by address. What is asked anew and nobody answered
is dealt with by a stated policy and listed; what was answered and is no longer asked is an orphan.
Nothing is decided for a player in silence.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.facts import Follows
from nomoledger.engine.replaying import replay_opening
from nomoledger.engine.settlement.input_log import InputLog
from nomoledger.engine.settlement.replacements import (
    format_values,
    is_possible_answer,
    is_possible_draw,
)
from nomoledger.errors import RuleFault
from nomoledger.events.rules import Rule
from nomoledger.language.host import Describe, Oracle, ask_people, describe_plainly
from nomoledger.state.precedents import end_precedents
from nomoledger.state.reducer import CLOSING, apply, belongs_to_input, void_ruling
from nomoledger.state.world import Attempt, World

#: What is done with a question that nobody answered: go no further; take the default that the rules
#: state, else go no further; call the attempt off that asks.
POLICIES = ("stop", "default", "skip")


#: The rules that are to be in force, where play has come to those it is told.
Ruleset = Callable[[tuple[Rule, ...]], tuple[Rule, ...]]


class Orphan(msgspec.Struct, frozen=True):
    """Something recorded that has no place any more: *event*, *what* it was, and *why*."""

    event: int | None
    what: str
    why: str


class NewQuestion(msgspec.Struct, frozen=True):
    """A question that recorded play never put, and what was done with it.

    *dealt* is "rolled", "ruled" (see `Answered`), "default", "skipped", "stopped", or "open" where
    play has come to the present and waits for it.
    """

    question: str
    text: str
    to: str
    dealt: str
    value: Any = None


class _Halting(Engine):
    """An engine that closes no period before recorded play did.

    Attributes:
        closes: the last period that may be closed. halted: whether one had to wait for that.
    """

    closes = 0
    halted = False

    def carry_out(self, attempt: Attempt, oracle: Oracle | None = None) -> Batch:
        """As `Engine.carry_out`; nothing where a close has to wait."""
        if attempt.operation == CLOSING and self.world.period > self.closes:
            self.halted = True
            return []
        return super().carry_out(attempt, oracle)


class Rerun:
    """One run over *tape*, from the world as it stood before it.

    Attributes:
        world: how things stand so far. made: what followed, per input id.
        orphans, asked: see the structs. stopped: why it went no further, or None.
        rolled: the draws that were new, with their values.
    """

    def __init__(
        self,
        world: World,
        tape: InputLog,
        *,
        oracle: Oracle = ask_people,
        secret: bytes | None = None,
        follows: Follows | bool = True,
        rules: Ruleset | None = None,
        questions: str = "stop",
        still_open: Collection[str] = (),
        describe: Describe = describe_plainly,
    ) -> None:
        self.tape = tape
        self.world = world
        self.oracle = oracle
        self.engine = _Halting(
            world, self._drawn, secret, follows_record=follows, describe=describe
        )
        self.pinned = rules
        self._put: tuple[Rule, ...] | None = None
        self.questions = questions
        self.made: dict[str, list[e.Event]] = {}
        self.orphans: list[Orphan] = []
        self.asked: list[NewQuestion] = []
        self.rolled: list[tuple[e.QuestionRaised, list[Any]]] = []
        self.stopped: str | None = None
        answers = (getattr(body, "question", None) for _, body in tape.inputs)
        #: Questions that are answered on the tape, or are open in recorded play to this day.
        self._to_come = {*still_open, *(each for each in answers if each is not None)}
        self._aside: dict[str, tuple[int | None, e.Input]] = {}

    def run(self, opening: Sequence[e.Event] = ()) -> Iterator[int | None]:
        """Go over the tape; gives the number of each input when it is done."""
        self._pin()
        for number, body in self.tape.inputs:
            if self.stopped is not None:
                return
            try:
                self._take(number, body, opening)
            except RuleFault as fault:
                self.stopped = str(fault)
            yield number
        for number, body in self._aside.values():
            self.orphans.append(Orphan(number, self._told(body), "nobody is asked"))
        waiting = self.world.waiting if self.stopped is None else None
        if waiting is not None and waiting.question not in self.tape.asked:
            self._note(waiting, "open", None)

    # --- one input

    def _take(self, number: int | None, body: e.Input, opening: Sequence[e.Event]) -> None:
        closed = (p for p, at in self.tape.closed.items() if number is not None and at <= number)
        self.engine.closes = max(closed, default=self.engine.closes)
        question = getattr(body, "question", None)
        if question is not None:
            self._aside[question] = number, body
        elif isinstance(body, e.RulingMade) and is_retroactive(body):
            self.rule(body, holds=body.number in self.tape.settled)
            self._follow(body, self.engine.run())
        elif isinstance(body, e.ProposalMade) and body.id in self.tape.edited:
            self._leave_out(body)
        elif isinstance(body, e.GameOpened):
            self._follow(body, replay_opening(self.engine, opening))
        else:
            is_public = body.audience is None  # else the outcome would show that there was one
            if is_public and not isinstance(body, e.FactRecorded):
                self._settle_questions()
            self._check_withdrawn(number, body)
            self._follow(body, self.engine.take(body))
        self._answer()
        if self.world.agenda and self.world.agenda[0].operation == CLOSING:
            self._follow(body, self.engine.run())

    def _leave_out(self, proposal: e.ProposalMade) -> None:
        """A proposal that does not count is known still, by its number, but cannot be adopted."""
        world = self.world
        apply(world, proposal)
        world.put(world.game, "agenda", tuple(x for x in world.agenda if x.id != proposal.id))
        world.put(world.game, "void", (*world.game.get("void", ()), proposal.number))

    def rule(self, ruling: e.RulingMade, *, holds: bool) -> None:
        """Take in a ruling that reaches back, or one that came to nothing: see the edits."""
        world = self.world
        apply(world, ruling)
        world.put(world.game, "agenda", world.agenda[1:])
        if holds:
            end_precedents(world, ruling.overrules)
        else:
            void_ruling(world, ruling.number)

    def _check_withdrawn(self, number: int | None, body: e.Input) -> None:
        """What was taken back in time may be carried out by then."""
        if not isinstance(body, e.InputWithdrawn):
            return
        waits = any(belongs_to_input(each.id, body.withdrawn) for each in self.world.agenda)
        if not waits and body.withdrawn not in self.world.orders:
            self.orphans.append(Orphan(number, self._told(body), "it is carried out by then"))

    def _follow(self, body: e.Input, batches: Iterator[list[e.Event]]) -> None:
        made = self.made.setdefault(body.id, [])
        for batch in batches:
            made += batch
            self._pin()

    def _pin(self) -> None:
        """Put the rules in force that are to be tried, whenever play has changed them."""
        if self.pinned is not None and self.world.game["rules"] is not self._put:
            self._put = self.pinned(self.world.rules)
            self.world.put(self.world.game, "rules", self._put)

    def _drawn(self, question: e.QuestionRaised) -> list[Any] | None:
        """The draw as recorded; a new one where the dice know it."""
        found = self.tape.draws.get(question.question)
        if found is not None and (
            is_possible_draw(question, found) or self._is_odd(question, found)
        ):
            return found
        if question.question in self._to_come:
            return None
        found = self.oracle(question)
        if found is not None:
            self.rolled.append((question, found))
            self._note(question, "rolled", found)
        return found

    def _is_odd(self, question: e.QuestionRaised, values: list[Any]) -> bool:
        """Whether *values*, which cannot fall, are what somebody wants to put there."""
        is_edited = question.question in self.tape.edited
        if is_edited:
            self.stopped = (
                f"{question.text or question.question}: {format_values(values)} cannot be rolled"
            )
        return is_edited

    # --- what waits for an answer

    def _answer(self) -> None:
        """Give the answers that are known, as long as one is waited for."""
        while (waiting := self.world.waiting) is not None:
            if waiting.question in self._aside:
                _, body = self._aside.pop(waiting.question)
                self._follow(body, self.engine.take(self._fitting(waiting, body)))
            elif waiting.question in self.tape.answers:
                value = self.tape.answers[waiting.question]
                self._give(waiting, value)
                self._note(waiting, "ruled", value)
            else:
                return

    def _settle_questions(self) -> None:
        """Deal with a question that nobody will answer, before anything else is taken."""
        while (waiting := self.world.waiting) is not None and self.stopped is None:
            if waiting.question in self._to_come:
                return
            self._deal(waiting)
            self._answer()

    def _deal(self, waiting: e.QuestionRaised) -> None:
        if self.questions == "default" and waiting.default is not None:
            self._give(waiting, waiting.default)
            self._note(waiting, "default", waiting.default)
        elif self.questions == "skip":
            attempt = self.world.agenda[0]
            self._note(waiting, "skipped", None)
            apply(self.world, e.Unscheduled(attempt=attempt.id, **self._when(waiting)))
            ticking = e.ClockAdvanced(id=f"without {waiting.question}", **self._when(waiting))
            self._follow(ticking, self.engine.run())
        else:
            self._note(waiting, "stopped", None)
            self.stopped = f"nobody answered: {waiting.text}"

    def _give(self, waiting: e.QuestionRaised, value: Any) -> None:
        fields: dict[str, Any] = {"question": waiting.question, "id": f"to {waiting.question}"}
        fields |= self._when(waiting)
        body: e.Input
        if waiting.asks in ("dice", "draw"):
            values = tuple(value) if isinstance(value, list | tuple) else (value,)
            body = e.DrawEntered(values=values, **fields)
        elif waiting.asks == "choice":
            body = e.ChoiceAnswered(value=value, by="admin", **fields)
        else:
            body = e.RulingMade(number=0, kind="answer", text="", value=value, **fields)
        self._follow(body, self.engine.take(body))

    def _fitting(self, waiting: e.QuestionRaised, body: e.Input) -> e.Input:
        """The answer *body*, which a changed question may no longer allow."""
        if isinstance(body, e.DrawEntered):
            if not is_possible_draw(waiting, body.values):
                self.stopped = (
                    f"{waiting.text}: {format_values(body.values)} cannot be rolled any more"
                )
        elif not is_possible_answer(waiting, getattr(body, "value", None)):
            value = getattr(body, "value", None)
            self.stopped = f"{waiting.text}: {value} is no longer among the answers"
        return body

    def _when(self, waiting: e.QuestionRaised) -> dict[str, Any]:
        """Period and times of what answers *waiting*."""
        return {
            "period": self.world.period,
            "received_at": waiting.received_at,
            "recorded_at": waiting.recorded_at,
        }

    def _told(self, body: e.Input) -> str:
        return self.engine.describe(body, str, {})

    def _note(self, question: e.QuestionRaised, dealt: str, value: Any) -> None:
        self.asked.append(NewQuestion(question.question, question.text, question.to, dealt, value))


def is_retroactive(ruling: e.RulingMade) -> bool:
    """Whether *ruling* changes the tape, or takes back one that did."""
    return ruling.effective is not None
