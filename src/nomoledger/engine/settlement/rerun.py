"""Replay of a game from some event on, with an edited input log or other rules.

Every draw, answer and submission that no edit changes keeps its recorded value, by the address of
its question, which begins with the request. A request that is added or left out therefore changes
no draw of another request. A draw that recorded play never made gets an address that no recorded
draw has. A new
question that nobody answered is handled by an explicit policy and listed. An answer whose question
is no longer asked is an orphan. Nothing is decided for a player without being listed.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import count
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.facts import FollowsRecord
from nomoledger.engine.oracles import is_possible_answer, is_possible_draw
from nomoledger.engine.replaying import next_failed_step, replay_opening
from nomoledger.engine.settlement.input_log import InputLog
from nomoledger.engine.settlement.replacements import format_values
from nomoledger.errors import RuleFault, UsageError
from nomoledger.events.rules import Rule
from nomoledger.language.host import Describe, Drawn, Oracle, ask_people, describe_plainly
from nomoledger.state.draws import split_address
from nomoledger.state.effects import remember
from nomoledger.state.precedents import end_precedents
from nomoledger.state.reducer import CLOSING, apply, belongs_to_input, void_ruling
from nomoledger.state.world import Attempt, World

#: How to handle a question that nobody answered: stop the replay; use the default of the rules, or
#: stop if there is none; cancel the attempt that asks.
POLICIES = ("stop", "default", "skip")

#: Returns the rules to put in force in place of those that the replay has reached.
RulesOverride = Callable[[tuple[Rule, ...]], tuple[Rule, ...]]


class Orphan(msgspec.Struct, frozen=True):
    """A recorded event that has no place in the replay: *event*, *what* it was, and *why*."""

    event: int | None
    what: str
    why: str


class NewQuestion(msgspec.Struct, frozen=True):
    """A question that recorded play never raised, and how it was handled.

    *dealt* is "rolled", "ruled" (see `Answered`), "default", "skipped", "stopped", or "open" if the
    replay reached the present and waits for the answer.
    """

    question: str
    text: str
    to: str
    dealt: str
    value: Any = None


class _PeriodBoundEngine(Engine):
    """An engine that closes no period earlier than recorded play did.

    Attributes:
        last_period: the last period that may close.
        has_held_back: whether the close of a later period was held back.
    """

    last_period = 0
    has_held_back = False

    def carry_out(
        self, attempt: Attempt, oracle: Oracle | None = None, *, may_fail: bool = True
    ) -> Batch:
        """Carry out *attempt*; return no events if the attempt closes a period too early."""
        if attempt.operation == CLOSING and self.world.period > self.last_period:
            self.has_held_back = True
            return []
        return super().carry_out(attempt, oracle, may_fail=may_fail)


class Rerun:
    """One replay of an input log.

    Attributes:
        world: the state reached so far.
        events: the replayed events, by the id of their input.
        orphans, asked: the orphans and the new questions.
        stopped: why the replay stopped, or None.
        new_draws: the draws that recorded play never made, with their values.
    """

    def __init__(
        self,
        world: World,
        log: InputLog,
        *,
        oracle: Oracle = ask_people,
        secret: bytes | None = None,
        follows: FollowsRecord | bool = True,
        rules: RulesOverride | None = None,
        questions: str = "stop",
        still_open: Collection[str] = (),
        describe: Describe = describe_plainly,
    ) -> None:
        """Prepare a replay of *log* on *world*, the state before the first input of the log.

        *rules* replaces the rules in force. *questions* is one of `POLICIES`. *still_open* are the
        questions that are open in recorded play to this day.
        """
        self.log = log
        self.world = world
        self.oracle = oracle
        self.engine = _PeriodBoundEngine(
            world, self._draw, secret, follows_record=follows, describe=describe
        )
        self.ruleset = rules
        self._forced_rules: tuple[Rule, ...] | None = None
        self.questions = questions
        self.events: dict[str, list[e.Event]] = {}
        self.orphans: list[Orphan] = []
        self.asked: list[NewQuestion] = []
        self.new_draws: list[tuple[e.QuestionRaised, list[Any]]] = []
        self.stopped: str | None = None
        answered = {getattr(body, "question", None) for _, body in log.inputs} - {None}
        #: Questions that a later input answers, or that are still open in recorded play.
        self._not_new = {*still_open, *answered}
        #: Recorded answers whose question has not been asked yet, by address.
        self._unused_answers: dict[str, tuple[int | None, e.Input]] = {}

    def run(self, opening: Sequence[e.Event] = ()) -> Iterator[int | None]:
        """Replay the log, and yield the number of each input after it was replayed.

        *opening* holds the recorded events from the opening of the game on.
        """
        self._force_rules()
        bodies = [body for _, body in self.log.inputs]
        for place, (number, body) in enumerate(self.log.inputs):
            if self.stopped is not None:
                return
            self.engine.failing = next_failed_step(bodies, place)
            try:
                self._replay(number, body, opening)
            except RuleFault as fault:
                self.stopped = str(fault)
            yield number
        for number, body in self._unused_answers.values():
            self.orphans.append(Orphan(number, self._describe(body), "the question is not asked"))
        for attempt in self.world.agenda if self.stopped is None else ():
            if attempt.id in self.log.supposed:
                self.stopped = f"{self.log.supposed[attempt.id]} waits for what comes before it"
        waiting = self.world.waiting if self.stopped is None else None
        if waiting is not None and waiting.question not in self.log.asked:
            self._note_question(waiting, "open", None)

    # --- one input

    def _replay(self, number: int | None, body: e.Input, opening: Sequence[e.Event]) -> None:
        closed = (p for p, at in self.log.closed.items() if number is not None and at <= number)
        self.engine.last_period = max(closed, default=self.engine.last_period)
        question = getattr(body, "question", None)
        if question is not None:
            self._unused_answers[question] = number, body
        elif isinstance(body, e.RulingMade) and is_retroactive(body):
            self.apply_ruling(body, is_in_force=body.number in self.log.settled)
            self._collect(body, self.engine.run())
        elif isinstance(body, e.ProposalMade) and body.id in self.log.edited:
            self._void_proposal(body)
        elif isinstance(body, e.GameOpened):
            self._collect(body, replay_opening(self.engine, opening))
        else:
            is_public = body.audience is None  # else the outcome would reveal the secret input
            if is_public and not isinstance(body, e.FactRecorded):
                self._handle_new_questions()
            self._check_withdrawal(number, body)
            self._collect(body, self.engine.process(body))
        self._give_known_answers()
        if self.world.agenda and self.world.agenda[0].operation == CLOSING:
            self._collect(body, self.engine.run())

    def _void_proposal(self, proposal: e.ProposalMade) -> None:
        """Apply a proposal that was left out: it keeps its number but cannot be adopted."""
        world = self.world
        apply(world, proposal)
        agenda = tuple(attempt for attempt in world.agenda if attempt.id != proposal.id)
        world.put(world.game, "agenda", agenda)
        world.put(world.game, "void", (*world.game.get("void", ()), proposal.number))

    def apply_ruling(self, ruling: e.RulingMade, *, is_in_force: bool) -> None:
        """Apply a retroactive ruling without settling it: its edits are in the log already."""
        world = self.world
        apply(world, ruling)
        world.put(world.game, "agenda", world.agenda[1:])
        if is_in_force:
            end_precedents(world, ruling.overrules)
        else:
            void_ruling(world, ruling.number)

    def _check_withdrawal(self, number: int | None, body: e.Input) -> None:
        """Note an orphan if *body* withdraws an input that has been carried out by then."""
        if not isinstance(body, e.InputWithdrawn):
            return
        is_waiting = any(belongs_to_input(x.id, body.withdrawn) for x in self.world.agenda)
        if not is_waiting and body.withdrawn not in self.world.orders:
            why = "the request was carried out before"
            self.orphans.append(Orphan(number, self._describe(body), why))

    def _collect(self, body: e.Input, batches: Iterator[list[e.Event]]) -> None:
        """Add the events of *batches* to those that follow from *body*."""
        events = self.events.setdefault(body.id, [])
        for batch in batches:
            events += batch
            self._check_supposed(batch)
            self._force_rules()

    def _check_supposed(self, batch: list[e.Event]) -> None:
        """Check that *batch* refuses no ruling that is only supposed.

        Raises:
            UsageError: the rules refuse such a ruling.
        """
        for event in batch:
            if isinstance(event, e.AttemptRefused) and event.attempt in self.log.supposed:
                reasons = "; ".join(reason.text for reason in event.reasons)
                raise UsageError(f"{self.log.supposed[event.attempt]} does not fit: {reasons}")

    def _force_rules(self) -> None:
        """Put the alternative rules in force again whenever the replay has changed the rules."""
        if self.ruleset is not None and self.world.game["rules"] is not self._forced_rules:
            before, self._forced_rules = self.world.rules, self.ruleset(self.world.rules)
            self.world.put(self.world.game, "rules", self._forced_rules)
            for rule in before:
                if rule not in self._forced_rules:
                    remember(self.world, rule)

    # --- draws

    @cached_property
    def _taken_addresses(self) -> set[str]:
        return set(self.log.addresses.values())

    def _draw(self, question: e.QuestionRaised) -> list[Any] | Drawn | None:
        """Return the recorded draw if it is possible, else a new draw, or None to ask people."""
        values = self.log.draws.get(question.question)
        if values is not None and self._is_usable(question, values):
            address = self.log.addresses.get(question.question)
            return values if address is None else Drawn(values, address)
        if question.question in self._not_new:
            return None
        question = self._at_free_address(question)
        answer = self.oracle(question)
        if answer is None:
            return None
        values = answer.values if isinstance(answer, Drawn) else answer
        self.new_draws.append((question, values))
        self._note_question(question, "rolled", values)
        return Drawn(values, question.draw) if question.draw else values

    def _at_free_address(self, question: e.QuestionRaised) -> e.QuestionRaised:
        """Return *question* with the first address of its place that no recorded draw has."""
        if question.draw not in self._taken_addresses:
            return question
        place, ordinal = split_address(question.draw)
        free = (f"{place}#{number}" for number in count(ordinal or 0))
        address = next(address for address in free if address not in self._taken_addresses)
        return msgspec.structs.replace(question, draw=address)

    def _is_usable(self, question: e.QuestionRaised, values: list[Any]) -> bool:
        """Return whether to use recorded *values*; stop the replay at impossible edited values."""
        if is_possible_draw(question, values):
            return True
        is_edited = question.question in self.log.edited
        if is_edited:
            self.stopped = (
                f"{question.text or question.question}: {format_values(values)} cannot be rolled"
            )
        return is_edited

    # --- answers

    def _give_known_answers(self) -> None:
        """Answer open questions as long as the answer is known."""
        while (waiting := self.world.waiting) is not None:
            if waiting.question in self._unused_answers:
                _, body = self._unused_answers.pop(waiting.question)
                self._check_answer(waiting, body)
                self._collect(body, self.engine.process(body))
            elif waiting.question in self.log.answers:
                value = self.log.answers[waiting.question]
                self._answer(waiting, value)
                self._note_question(waiting, "ruled", value)
            else:
                return

    def _check_answer(self, waiting: e.QuestionRaised, body: e.Input) -> None:
        """Stop the replay if the changed question no longer allows the recorded answer."""
        if isinstance(body, e.DrawEntered):
            if not is_possible_draw(waiting, body.values):
                self.stopped = (
                    f"{waiting.text}: {format_values(body.values)} cannot be rolled any more"
                )
        elif not is_possible_answer(waiting, value := getattr(body, "value", None)):
            self.stopped = f"{waiting.text}: {value} is no longer among the answers"

    def _handle_new_questions(self) -> None:
        """Handle open questions that nobody will answer, before the next input is replayed."""
        while (waiting := self.world.waiting) is not None and self.stopped is None:
            if waiting.question in self._not_new:
                return
            self._handle_new_question(waiting)
            self._give_known_answers()

    def _handle_new_question(self, waiting: e.QuestionRaised) -> None:
        if self.questions == "default" and waiting.default is not None:
            self._answer(waiting, waiting.default)
            self._note_question(waiting, "default", waiting.default)
        elif self.questions == "skip":
            attempt = self.world.agenda[0]
            self._note_question(waiting, "skipped", None)
            apply(self.world, e.Unscheduled(attempt=attempt.id, **self._when(waiting)))
            tick = e.ClockAdvanced(id=f"without {waiting.question}", **self._when(waiting))
            self._collect(tick, self.engine.run())
        else:
            self._note_question(waiting, "stopped", None)
            self.stopped = f"nobody answered: {waiting.text}"

    def _answer(self, waiting: e.QuestionRaised, value: Any) -> None:
        """Answer the open question with *value*, as the input that it asks for."""
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
        self._collect(body, self.engine.process(body))

    def _when(self, waiting: e.QuestionRaised) -> dict[str, Any]:
        """Return the period and the times for an event that deals with *waiting*."""
        return {
            "period": self.world.period,
            "received_at": waiting.received_at,
            "recorded_at": waiting.recorded_at,
        }

    def _describe(self, body: e.Input) -> str:
        return self.engine.describe(body, self.world)

    def _note_question(self, question: e.QuestionRaised, dealt: str, value: Any) -> None:
        self.asked.append(NewQuestion(question.question, question.text, question.to, dealt, value))


def is_retroactive(ruling: e.RulingMade) -> bool:
    """Return whether *ruling* edits the input log, or overrules a ruling that did."""
    return ruling.effective is not None
