"""The trial of one change of rules at one moment: the game is played on beside the control game."""

import pickle
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.engine.batches import decode_batch, encode_batch
from nomoledger.engine.oracles import (
    ReplayOracle,
    SeededOracle,
    is_possible_answer,
    recorded_draws,
)
from nomoledger.engine.request_checks import check_order
from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.events.display import CODE_FAILED
from nomoledger.events.rules import Change, Post
from nomoledger.game.engines import new_engine
from nomoledger.game.simulation.bots import Bots
from nomoledger.game.simulation.control_game import SECRET, ControlGame, Probe
from nomoledger.game.simulation.moments import TrialMoment
from nomoledger.game.simulation.rule_changes import TriedChange
from nomoledger.game.simulation.season import LOSS, loss_of
from nomoledger.game.simulation.trial_start import Request, TrialStart, request_of
from nomoledger.language.operations import kind_type
from nomoledger.language.program import Linker, Program
from nomoledger.prose.teller import describe_event
from nomoledger.state.clock import to_seconds
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: After so many inputs of the control game, a bot makes a request of its own.
OWN_EVERY = 6
#: How long after the last close the clock is advanced once more, so that timers fall due.
AFTERWARDS = timedelta(days=30)
#: How many questions one request may raise.
QUESTIONS_MAX = 500
#: An action that was accepted so often in the control game should be possible after a change.
AGAIN = 2
PROGRAMS_MAX = 4
_UNDEFINED = re.compile(r"no rule in force says what '(\w+)' is")


class Finding(msgspec.Struct, frozen=True):
    """Why a game cannot go on after a change.

    Attributes:
        reason: the request, the rule and the message.
        is_fault: whether a request ended in an engine fault.
    """

    reason: str
    is_fault: bool = False


class _Stuck(Exception):
    """The game cannot go on."""

    def __init__(self, reason: str, *, is_fault: bool = False) -> None:
        super().__init__(reason)
        self.finding = Finding(reason, is_fault)


class RepealTrials:
    """A control game, prepared for many trials."""

    def __init__(self, control: ControlGame, examples: Any, seed: int) -> None:
        """Prepare trials beside *control*; *examples* are arguments in cases."""
        self.control = control
        self.examples = examples
        self.seed = seed
        self.linker = Linker(Program, PROGRAMS_MAX)
        self.starts = [self._start(moment) for moment in control.moments]

    def _start(self, moment: TrialMoment) -> "TrialStart":
        world, batches = World(), [decode_batch(batch) for batch in self.control.batches]
        for batch in batches[: moment.place]:
            for event in batch:
                apply(world, event)
        return TrialStart(moment.place, world, batches, self.control.probes)

    def finding(self, change: TriedChange) -> Finding | None:
        """Return why a game cannot go on after *change*, or None.

        Repeals are tried at all moments, other changes at one that is drawn by their name. What
        was played at a moment drawn in the same way is replayed.
        """
        drawn = Random(f"{self.seed} {change.name}").choice(self.starts)
        for start in self.starts if change.is_repeal else [drawn]:
            trial = RepealTrial(self, start, change)
            try:
                trial.play_on()
                if start is drawn:
                    trial.replay()
            except _Stuck as stuck:
                return stuck.finding
        return None


class _TrialBots(Bots):
    """Bots that look at the result of each trial."""

    def __init__(self, trial: "RepealTrial", chance: Random, examples: Any) -> None:
        super().__init__(trial.engine, chance, examples)
        self._trial = trial

    def tried(
        self, operation: str, by: str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> list[e.Event] | None:
        events = super().tried(operation, by, arguments, named)
        request = f"{by} tries {_call(operation, named or arguments)}"
        if self.faults:
            (fault,) = self.faults
            self.faults.clear()
            if not self._trial.is_known(fault, lambda: self._try(operation, by, arguments, named)):
                raise _Stuck(self._trial.told(request, fault), is_fault=True)
            self.faults.clear()
        self._trial.check(events or [], request)
        return events


class RepealTrial:
    """One change at one moment."""

    def __init__(self, trials: RepealTrials, start: TrialStart, change: TriedChange) -> None:
        """Prepare to make *change* at *start*."""
        self.start = start
        self.change = change
        self.linker = trials.linker
        self.known_faults: Collection[str] = frozenset(trials.control.faults)
        self.world: World = pickle.loads(start.world)
        self.engine = new_engine(self.world, SeededOracle(SECRET), SECRET, link=trials.linker.link)
        chance = Random(f"{trials.seed} {change.sort} {change.name}")
        self.bots = _TrialBots(self, chance, trials.examples)
        self.at = start.now
        self.played: list[tuple[e.Input, list[bytes]]] = []
        self.own = 0
        self.results: dict[str, list[str | None]] = defaultdict(list)

    # --- play

    def play_on(self) -> None:
        """Make the change, and play on as the control game did.

        Raises:
            _Stuck: the game cannot go on.
        """
        self._make_change()
        probes = sorted(self.start.probes.items())
        for count, (place, event) in enumerate(self.start.steps):
            self._set_time(event.received_at)
            if probes and probes[0][0] <= place and not self.world.agenda:
                self._probe(probes.pop(0)[1])
            if count % OWN_EVERY == OWN_EVERY - 1:
                self._request()
            self._repeat(event)
            if self.world.game["ended"] is not None:
                return
        self._set_time(self.at + AFTERWARDS)
        self._ask(e.ClockAdvanced(**self._common("afterwards")))
        self._check_actions()

    def _make_change(self) -> None:
        number = self.world.game.get("rulings", 0) + 1
        is_urgent = self.world.waiting is not None
        batches = self._ask(
            e.RulingMade(
                number=number,
                kind="correct",
                text=f"{self.change.name} is changed",
                changes=self.change.changes,
                urgent=is_urgent,
                **self._common("change"),
            )
        )
        for event in (event for batch in batches for event in batch):
            if isinstance(event, e.AttemptRefused) and event.attempt == "change":
                reason = event.reasons[0]
                if reason.rule == "engine":
                    raise _Stuck(self.told("the change is refused", reason.text))

    def _set_time(self, at: datetime) -> None:
        self.at = at
        self.bots.now = to_seconds(at)

    def _common(self, id: str) -> dict[str, Any]:
        at, period = self.at, self.world.period
        return {"id": id, "received_at": at, "recorded_at": at, "period": period}

    def _repeat(self, event: e.Input) -> None:
        """Make the request *event* of the control game here, too."""
        period = self.world.period
        if isinstance(event, e.OrderGiven) and not self._makes_sense(event):
            return
        if isinstance(event, e.RulingMade):
            event = self._adapted(event)
        batches = self._ask(msgspec.structs.replace(event, period=period))
        events = [event for batch in batches for event in batch]
        refusal = next(
            (x for x in events if isinstance(x, e.AttemptRefused) and x.attempt == event.id), None
        )
        if isinstance(event, e.CloseAsked):
            if self.world.period == period and self.world.game["ended"] is None:
                why = refusal.reasons[0] if refusal else e.Reason("engine", "it never ends")
                raise _Stuck(f"period {period} does not close: {why.rule}: {why.text}")
        elif (request := request_of(event)) is not None:
            self._note(request, refusal)

    def _adapted(self, ruling: e.RulingMade) -> e.RulingMade:
        """Return a *ruling* that gives and takes what there is to give and to take."""
        known, players = self.world.commodities(), self._players()
        changes: list[Change] = []
        for change in ruling.changes:
            if not isinstance(change, Post):
                changes.append(change)
                continue
            (player,) = change.amounts.keys() - {"mint"}
            if change.commodity in known and player in players:
                is_loss = change.why == LOSS
                changes += loss_of(self.world, player, change.commodity) if is_loss else [change]
        number = self.world.game.get("rulings", 0) + 1
        return msgspec.structs.replace(ruling, number=number, changes=tuple(changes))

    def _players(self) -> set[str]:
        return set(self.world.kinds.get("player", ()))

    def _makes_sense(self, order: e.OrderGiven) -> bool:
        if order.by not in self._players():
            return False
        try:
            check_order(self.world, order.by, (order.when,), order.acts)
        except UsageError:
            return False
        return True

    def _request(self) -> None:
        """Let a bot make a request of its own."""
        players = self.world.kinds.get("player", ())
        if not players or self.world.agenda:
            return
        by = self.bots.chance.choice((*players, "admin"))
        request = self.bots.request(by)
        if request is not None:
            self.own += 1
            action, arguments = request
            audience = self.bots.audience(by, action)
            self._ask(
                e.SubmissionReceived(
                    by=by,
                    action=action,
                    arguments=arguments,
                    audience=audience,
                    **self._common(f"own{self.own}"),
                )
            )

    def _probe(self, probes: Sequence[Probe]) -> None:
        """Try what the control game accepts at this place."""
        for probe in probes:
            events = self.bots.tried(probe.action, probe.by, (probe.by,), probe.arguments)
            refusals = (x for x in events or () if isinstance(x, e.AttemptRefused))
            if events is not None:
                request = Request(probe.action, (probe.by,), probe.arguments)
                self._note(request, next(refusals, None))

    def _ask(self, event: e.Input) -> list[Batch]:
        """Process *event*, answer all questions, and return the batches."""
        batches = self._process(event)
        for _ in range(QUESTIONS_MAX):
            question = self.world.waiting
            if question is None:
                return batches
            kind, fields = self.bots.answer(question)
            known = self.start.answers.get(question.question)
            if known is not None and is_possible_answer(question, known):
                fields["value"] = known
            batches += self._process(kind(**fields, **self._common(f"answer{len(self.played)}")))
        raise _Stuck(
            self.told(_describe(event, self.world), f"it raises over {QUESTIONS_MAX} questions")
        )

    def _process(self, event: e.Input) -> list[Batch]:
        batches: list[Batch] = []
        encoded: list[bytes] = []
        self.played.append((event, encoded))
        try:
            for batch in self.engine.process(event):
                encoded.append(encode_batch(batch))
                batches.append(batch)
        except Exception as error:  # whatever fails, the request ends in a fault
            text = str(error) if isinstance(error, NomoledgerError) else repr(error)
            raise _Stuck(self.told(_describe(event, self.world), text), is_fault=True) from None
        for batch in batches:
            self.check(batch, _describe(event, self.world))
        return batches

    # --- what is found

    def is_known(self, fault: str, again: Callable[[], Any]) -> bool:
        """Return whether there is the same *fault* in the control game, or by its rules.

        *again* does again what failed, and leaves the fault with the bots.
        """
        if fault in self.known_faults:
            return True
        mark = self.world.mark()
        self.world.put(self.world.game, "rules", self.start.rules)
        try:
            again()
        finally:
            self.world.rollback(mark)
        return fault in self.bots.faults

    def told(self, request: str, message: str) -> str:
        """Return a reason in words."""
        return f"period {self.world.period}: {request}: {message}"

    def check(self, events: Sequence[e.Event], request: str) -> None:
        """Check that no code in force lacks what it uses.

        Raises:
            _Stuck: *events* have a refusal for want of a definition, or a check that fails.
        """
        for event in events:
            if isinstance(event, e.CheckSuspended):
                raise _Stuck(self.told(request, f"{event.check}: {event.why}"), is_fault=True)
        for event in (event for event in events if isinstance(event, e.AttemptRefused)):
            for reason in event.reasons:
                if reason.text.startswith(CODE_FAILED):
                    where = f"{event.operation}: rule {reason.rule}: {reason.text}"
                    raise _Stuck(self.told(request, where), is_fault=True)
                names = set(_UNDEFINED.findall(reason.text))
                if names - self.start.undefined:
                    where = f"{event.operation} is refused by rule {reason.rule}"
                    raise _Stuck(self.told(request, f"{where}: {reason.text}"))

    def _note(self, request: "Request", refusal: e.AttemptRefused | None) -> None:
        """Note whether the engine itself refuses a request that the control game accepts."""
        operation = self.engine.link(self.world.ruleset).links.operations.get(request.operation)
        if operation is None or not operation.definitions:
            return  # the rule of the action is gone
        reason = None if refusal is None else refusal.reasons[0]
        if reason is None or reason.rule != "engine":
            self.results[request.operation].append(None)
            return
        parameters = {parameter.name: parameter for parameter in operation.parameters}
        arguments = dict(zip(parameters, request.positional, strict=False)) | request.named
        if all(
            self._exists(parameters[name].type, value)
            for name, value in arguments.items()
            if name in parameters
        ):
            self.results[request.operation].append(reason.text)

    def _exists(self, type_: str, value: Any) -> bool:
        """Return whether *value* names a thing that exists, if *type_* is a kind of things."""
        kinds = [kind for kind in self.world.known_kinds() if kind_type(kind) in type_.split(" | ")]
        return not kinds or any(
            value in (thing, self.world.get(thing, self.start.keys.get(kind, "name")))
            for kind in kinds
            for thing in self.world.kinds.get(kind, ())
        )

    def _check_actions(self) -> None:
        """Check that no action that the control game accepts again and again is always refused.

        Raises:
            _Stuck: the engine itself refuses one each time.
        """
        for action, results in self.results.items():
            texts = [text for text in results if text is not None]
            is_usual = self.start.accepted[action] >= AGAIN
            if is_usual and len(texts) == len(results) >= AGAIN:
                raise _Stuck(f"{action} is refused by the engine each time: {texts[0]}")

    def replay(self) -> None:
        """Play again what was recorded.

        Raises:
            _Stuck: what follows from the inputs differs.
        """
        world: World = pickle.loads(self.start.world)
        bodies = [
            event
            for _, encoded in self.played
            for batch in encoded
            for event in decode_batch(batch)
        ]
        entries = [e.Entry("replay", number, body) for number, body in enumerate(bodies)]
        oracle = ReplayOracle(recorded_draws(entries))
        engine = new_engine(world, oracle, SECRET, link=self.linker.link)
        for event, encoded in self.played:
            again = [encode_batch(batch) for batch in engine.process(event)]
            if again != encoded:
                raise _Stuck(
                    f"replay is not exact: {_describe(event, world)} has other consequences"
                )


def _describe(event: e.Input, world: World) -> str:
    if isinstance(event, e.SubmissionReceived):
        return f"{event.by} asks for {_call(event.action, event.arguments)}"
    return describe_event(event, world)


def _call(operation: str, arguments: Any) -> str:
    values = arguments.items() if isinstance(arguments, dict) else ()
    named = ", ".join(f"{name}={value}" for name, value in values)
    return f"{operation}({named})"
