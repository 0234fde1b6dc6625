"""Runs a game again from somewhere on, with its tape or its rules changed.

Every other die, answer and submission is kept, by address. What is asked anew and nobody answered
is dealt with by a stated policy and listed; what was answered and is no longer asked is an orphan.
Nothing is decided for a player in silence.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger import tape as tapes
from nomoledger.edits import Tape
from nomoledger.engine import Engine
from nomoledger.errors import RuleFault
from nomoledger.facts import Follows
from nomoledger.reducer import apply
from nomoledger.replay import opened
from nomoledger.rules.rule import Rule
from nomoledger.world import World

#: What is done with a question that nobody answered: go no further; take the default that the rules
#: state, else go no further; call the attempt off that asks.
POLICIES = ("stop", "default", "skip")


class Orphan(msgspec.Struct, frozen=True):
    """Something recorded that has no place any more: *event*, *what* it was, and *why*."""

    event: int | None
    what: str
    why: str


class Asked(msgspec.Struct, frozen=True):
    """A question that recorded play never put, and what was done with it."""

    question: str
    text: str
    to: str
    dealt: str
    value: Any = None


class Rerun:
    """One run over *tape*, from the world as it stood before it.

    Attributes:
        world: how things stand so far. made: what followed, per input id.
        orphans, asked: see the structs. stopped: why it went no further, or None.
    """

    def __init__(
        self,
        world: World,
        tape: Tape,
        *,
        oracle: tapes.Oracle = tapes.ask_people,
        secret: bytes | None = None,
        follows: Follows | bool = True,
        rules: tuple[Rule, ...] | None = None,
        questions: str = "stop",
    ) -> None:
        self.tape = tape
        self.world = world
        self.oracle = oracle
        self.engine = Engine(world, self._drawn, secret, follows_record=follows)
        self.pinned = rules
        self.questions = questions
        self.made: dict[str, list[e.Event]] = {}
        self.orphans: list[Orphan] = []
        self.asked: list[Asked] = []
        self.stopped: str | None = None
        answers = (getattr(body, "question", None) for _, body in tape.inputs)
        self._to_come = {each for each in answers if each is not None}
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
            self.orphans.append(Orphan(number, _told(body), "nobody is asked"))

    # --- one input

    def _take(self, number: int | None, body: e.Input, opening: Sequence[e.Event]) -> None:
        question = getattr(body, "question", None)
        if question is not None:
            self._aside[question] = number, body
        elif isinstance(body, e.RulingMade) and is_retroactive(body):
            apply(self.world, body)  # what it does is in the edits
            self.world.put(self.world.game, "agenda", self.world.agenda[1:])
        elif isinstance(body, e.GameOpened):
            self._follow(body, opened(self.engine, opening))
        else:
            if not isinstance(body, e.FactRecorded):
                self._settle_questions()
            self._follow(body, self.engine.take(body))
        self._answer()

    def _follow(self, body: e.Input, batches: Iterator[list[e.Event]]) -> None:
        made = self.made.setdefault(body.id, [])
        for batch in batches:
            made += batch
            self._pin()

    def _pin(self) -> None:
        if self.pinned is not None and self.world.game["rules"] is not self.pinned:
            self.world.put(self.world.game, "rules", self.pinned)

    def _drawn(self, question: e.QuestionRaised) -> list[Any] | None:
        """The draw as recorded; a new one where the dice know it."""
        found = self.tape.draws.get(question.question)
        if found is None and question.question not in self._to_come:
            found = self.oracle(question)
            if found is not None:
                self._note(question, "rolled", found)
        return found

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
            number = self.world.game.get("rulings", 0)
            body = e.RulingMade(number=number, kind="answer", text="", value=value, **fields)
        self._follow(body, self.engine.take(body))

    def _fitting(self, waiting: e.QuestionRaised, body: e.Input) -> e.Input:
        """The answer *body*, which a changed question may no longer allow."""
        value = getattr(body, "value", None)
        if value is not None and waiting.options and value not in waiting.options:
            self.stopped = f"{waiting.text}: {value} is no longer among the answers"
        return body

    def _when(self, waiting: e.QuestionRaised) -> dict[str, Any]:
        """Period and times of what answers *waiting*."""
        return {
            "period": self.world.period,
            "received_at": waiting.received_at,
            "recorded_at": waiting.recorded_at,
        }

    def _note(self, question: e.QuestionRaised, dealt: str, value: Any) -> None:
        self.asked.append(Asked(question.question, question.text, question.to, dealt, value))


def is_retroactive(ruling: e.RulingMade) -> bool:
    """Whether *ruling* changes the tape, or takes back one that did."""
    return ruling.effective is not None


def _told(body: e.Input) -> str:
    from nomoledger.words import tell

    return tell(body)
