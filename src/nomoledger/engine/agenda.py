"""The engine: apply an input, then carry out the agenda, attempt by attempt.

The engine is pure: the same world, input and oracle always produce the same events. It yields the
events in batches. Each batch is one transaction, and the game can stop after any batch.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.engine.allowances import allowance_of, check_rules
from nomoledger.engine.fact_audit import audit_fact
from nomoledger.engine.facts import FollowsRecord
from nomoledger.engine.initial_state import give_state
from nomoledger.engine.standing_orders import process_orders
from nomoledger.engine.steps import (
    ATTEMPT,
    LINKING,
    TIMER,
    drop_failed_step,
    next_attempt,
    program_without_rules,
)
from nomoledger.engine.steps import ORDER as ORDER_STEP
from nomoledger.engine.under_way import resolve_under_way
from nomoledger.engine.unknown_facts import note_doubt
from nomoledger.engine.voiding import carry_out_void
from nomoledger.errors import NomoledgerError, RulebookError, RuleFault
from nomoledger.events.display import CODE_FAILED
from nomoledger.language.amendments import WOULD_NOT_LINK, carry_out_changes
from nomoledger.language.host import (
    Describe,
    Frame,
    Host,
    Oracle,
    Refused,
    Suspended,
    ask_people,
    describe_plainly,
)
from nomoledger.language.program import Program, link
from nomoledger.language.resolve import named_arguments, positional_arguments
from nomoledger.sandbox import inside
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.reducer import AT_ONCE, CLOSING, ORDER, SETTLE, URGENT, VOID, apply
from nomoledger.state.shares import adds_up, used_by_request
from nomoledger.state.unknowns import watching
from nomoledger.state.world import Attempt, ReadingWatch, World

Batch = list[e.Event]

#: Carries out a retroactive ruling, given the engine, its host, the ruling, the number of the event
#: that recorded the ruling, and the attempt.
SettleRuling = Callable[["Engine", Host, e.RulingMade, int, Attempt], None]

#: How many attempts may follow from one request until the next input. The engine refuses any
#: further attempts.
FOLLOWING_MAX = 2_000


class Engine:
    """One game being played: it applies inputs and carries out the agenda."""

    #: Whether actions of players go through `act`, which rules may bend.
    goes_through_act = True

    def __init__(
        self,
        world: World,
        oracle: Oracle = ask_people,
        secret: bytes | None = None,
        *,
        follows_record: FollowsRecord | bool = True,
        recorded: Sequence[e.Entry] = (),
        link: Callable[[Ruleset], Program] = link,
        describe: Describe = describe_plainly,
        settle: "SettleRuling | None" = None,
    ) -> None:
        """Play on *world*.

        *oracle* answers the questions that no rule can compute. Seeds and commitments of the dice
        derive from *secret*. *follows_record* says what happens where a fact of a hand-kept record
        differs from the rules: play continues from the record if true, from the rules if false. A
        function decides for each difference, given the fact, what differs and the value by the
        rules. *recorded* holds the recorded events, which retroactive rulings replay. *describe*
        formats the events that questions and refusals mention. *settle* carries out retroactive
        rulings (see `nomoledger.engine.settlement.ruling_attempt`).
        """
        self.settle = settle
        self.describe = describe
        self.link = link
        self.recorded = recorded
        self.follows_record = follows_record
        self.world = world
        self.oracle = oracle
        self.secret = secret
        #: The step at which recorded play failed, during the input that is replayed now.
        self.failing: e.StepFailed | None = None
        #: The attempts and timers that failed before, by id: a rerun may reach them later.
        self.failed: dict[str, e.StepFailed] = {}
        self._answered = ""  # the attempt whose question the request answers

    def process(self, event: e.Input) -> Iterator[Batch]:
        """Apply *event* and yield the resulting batches; the first begins with *event* itself.

        Raises:
            RuleFault: rule code failed. The world is as it was after the last batch.
        """
        question = getattr(event, "question", None)
        self._answered = question.rpartition("|")[0] if question else ""
        mark = self.world.mark()
        try:
            apply(self.world, event)
            if isinstance(event, e.FactRecorded):
                consequences = audit_fact(self, event)
            elif isinstance(event, e.StepFailed):
                consequences = drop_failed_step(self.world, event)
                if event.kind in (ATTEMPT, TIMER):
                    self.failed[event.step] = event
            else:
                consequences = self.step()
        except BaseException:
            self.world.rollback(mark)
            raise
        self.world.release(mark)
        yield [event, *consequences]
        yield from self.run()

    def run(self) -> Iterator[Batch]:
        """Carry out the agenda until it is empty or waits for an answer."""
        while batch := self.step():
            yield batch

    def step(self) -> Batch:
        """Carry out the next attempt, timer or standing order; return its events.

        There are none before the step that `failing` names.
        """
        inside.go_on()
        world = self.world
        head = world.agenda[0] if world.agenda else None
        if head is not None and head.operation in AT_ONCE:
            return self.carry_out(head)
        if world.orders:
            program = self._linked()
            if batch := process_orders(world, program, but=self._failing_order()):
                return batch
        upcoming = next_attempt(world)
        if upcoming is None or self._is_failing(upcoming.attempt):
            return []
        failed = self.failed.get(upcoming.attempt.id)
        if failed is not None:
            return drop_failed_step(world, failed)
        if upcoming.is_timer:
            return self._fire_timer(upcoming.attempt)
        return self.carry_out(upcoming.attempt)

    def _is_failing(self, attempt: Attempt) -> bool:
        """Return whether recorded play failed at *attempt*, and only then recorded so."""
        failing = self.failing
        if failing is None or failing.kind == ORDER_STEP:
            return False
        return attempt.id in (failing.step, failing.attempt)

    def _failing_order(self) -> str:
        """Return the standing order whose statements failed in recorded play; "" for none."""
        failing = self.failing
        return failing.step if failing is not None and failing.kind == ORDER_STEP else ""

    def _fire_timer(self, timer: Attempt) -> Batch:
        host, mark = self._linked().host, self.world.mark()
        try:
            host.begin(self.world, timer)
            host.emit(e.TimerFired, attempt=timer.id)
            firing = host.staged
            consequences = self.carry_out(timer)
        except BaseException:
            self.world.rollback(mark)
            raise
        self.world.release(mark)
        return [*firing, *consequences]

    def carry_out(
        self, attempt: Attempt, oracle: Oracle | None = None, *, may_fail: bool = True
    ) -> Batch:
        """Carry out *attempt* as a whole, and return its events, a refusal or a question.

        The events are already applied to the world. If the code of a rule fails, the attempt is
        refused. A fault of the attempt whose question the request answers is raised instead, so
        that the answer can be given again once the rule is mended. So is a fault that need not
        happen again, such as of time or memory, and every fault unless *may_fail*.

        Raises:
            RuleFault: the code of a rule failed.
        """
        if attempt.operation == VOID:
            return carry_out_void(self.world, attempt)
        with watching(self.world) as watch:
            return self._carry_out(attempt, oracle, watch, may_fail=may_fail)

    def _carry_out(
        self, attempt: Attempt, oracle: Oracle | None, watch: ReadingWatch, *, may_fail: bool
    ) -> Batch:
        """Carry out *attempt*, as `carry_out` says; *watch* notes what unknown things it reads."""
        program = self._program_for(attempt)
        inside.notice_step(ATTEMPT)
        host = program.host
        host.describe = self.describe
        host.begin(self.world, attempt, oracle or self.oracle, allowance_of(self.world, attempt))
        mark = self.world.mark()
        try:
            self._perform(program, attempt)
            host.frames = [Frame("", (), "engine")]
            used = host.used()
            host.is_unlimited, host.allowance = host.allowance is not None, None
            note_doubt(host, watch, attempt)
            host.emit(e.AttemptDone, attempt=attempt.id, used=used)
            if attempt.operation == CLOSING:
                self._close_books(host)
        except (Refused, Suspended) as error:
            self.world.rollback(mark)
            return self._break_off(host, attempt, error, watch)
        except RuleFault as error:
            self.world.rollback(mark)
            is_answered = attempt.id == self._answered
            is_refusal = may_fail and error.is_certain and not is_answered
            if host.forgets_rules or not is_refusal:
                raise
            rule, text = error.rule or "engine", str(error).removeprefix(f"rule {error.rule}: ")
            reason = e.Reason(program.name(rule), f"{CODE_FAILED}: {text}")
            return self._break_off(host, attempt, Refused([reason]), watch)
        except BaseException as error:
            self.world.rollback(mark)
            if isinstance(error, Exception) and not isinstance(error, _RAISED):
                raise _fault_of(host, error) from error
            raise
        self.world.release(mark)
        return host.staged

    def _program_for(self, attempt: Attempt) -> Program:
        """Return the program of the rules; of no rules for an urgent ruling, if they do not link.

        Raises:
            RulebookError: the rules cannot be linked.
        """
        if attempt.operation != URGENT:
            return self._linked()
        ruling, _ = self.world.rulings[attempt.arguments[0]]
        if not ruling.unlinked:
            with suppress(RulebookError):
                return self._linked()
        return program_without_rules(self.world.level)

    def _linked(self) -> Program:
        """Return the program of the rules, compiled.

        Raises:
            RulebookError: the rules cannot be linked.
        """
        inside.notice_step(LINKING)
        program = self.link(self.world.ruleset)
        program.compile(self.world)
        return program

    def _perform(self, program: Program, attempt: Attempt) -> None:
        """Run the operation of *attempt*, then the state-based checks."""
        world, host = self.world, program.host
        if _is_follow_up(world, attempt) and _count_before(world, attempt) >= FOLLOWING_MAX:
            text = f"more than {FOLLOWING_MAX} attempts follow from one request"
            raise Refused([e.Reason("engine", text)])
        if host.allowance is not None and not host.allowance.most.attempts:
            raise Refused([e.Reason("engine", host.allowance.reasons["attempts"])])
        builtin = _BUILTIN.get(attempt.operation)
        if builtin is not None:
            builtin(self, program, attempt)
        else:
            if world.game["ended"] is not None:
                rule = (*world.game["ended_by"], "engine")[0]
                raise Refused([e.Reason(rule, f"the game is over: {world.game['ended']}")])
            self.call_operation(
                program, attempt.by, attempt.operation, attempt.arguments, attempt.named
            )
        host.frames = host.frames[:1]
        changes_only_rules = bool(host.staged) and all(
            isinstance(event, e.RuleEvent | e.Scheduled) for event in host.staged
        )
        if not changes_only_rules and attempt.operation != SETTLE:
            program.settle()
        if program is program_without_rules(world.level):
            return  # The rules need not link: other rulings may still have to mend them.
        if world.rules is not program.rules and world.rules != program.rules:
            if host.allowance is not None:
                check_rules(world, program.rules, host.staged, host.allowance)
            changed = self._check_links()
            if attempt.operation != SETTLE and not host.forgets_rules:
                host.frames = [Frame("", (), "engine")]
                resolve_under_way(host, program, changed)

    def call_operation(
        self,
        program: Program,
        by: str,
        name: str,
        positional: tuple[Any, ...],
        named: dict[str, Any],
    ) -> None:
        """Carry out the operation *name* for *by*; actions of players go through `act`.

        Raises:
            Refused: no rule in force defines the operation, or the rules refuse it.
        """
        operation = program.links.operations.get(name)
        if operation is None or not operation.can_be_done:
            raise Refused([e.Reason("engine", f"no rule in force says how to {name}")])
        arguments = named_arguments(self.world, operation, positional, named)
        is_act = operation.is_action and "act" in program.links.operations
        if is_act and self.goes_through_act:
            program.call("act", by, name, positional_arguments(operation, arguments))
        else:
            program.call(name, **arguments)

    def _close_books(self, host: Host) -> None:
        """Emit the last event of a period: the digest of the state, and the seed of its dice."""
        world = self.world
        seed = commitment = ""
        if self.secret is not None:
            seed = dice.period_seed(self.secret, world.period).hex()
            committed = dice.committed_at_close(world.period, world.game["dice"])
            commitment = dice.commitment(dice.period_seed(self.secret, committed))
        host.emit(e.PeriodClosed, digest=world.digest(), seed=seed, commitment=commitment)

    def _check_links(self) -> Program:
        try:
            changed = self.link(self.world.ruleset)
            changed.compile(self.world)
        except RulebookError as error:
            raise Refused([e.Reason("engine", WOULD_NOT_LINK + str(error))]) from None
        return changed

    def _break_off(
        self, host: Host, attempt: Attempt, error: Refused | Suspended, watch: ReadingWatch
    ) -> Batch:
        """Discard the events of *attempt*, except its draws; add the question or the refusal."""
        draws = [event for event in host.staged if isinstance(event, e.DrawRecorded)]
        audience = host.audience
        host.staged, host.pending, host.allowance = [], None, None
        used = host.used()
        host.frames = [Frame("", (), "engine")]
        for draw in draws:
            host.audience = draw.audience
            fields = {name: getattr(draw, name) for name in _DRAW_FIELDS}
            host.emit(e.DrawRecorded, **fields)
        host.audience = audience
        if isinstance(error, Suspended):
            apply(self.world, error.question)
            host.staged.append(error.question)
        else:
            rules = tuple(dict.fromkeys(reason.rule for reason in error.reasons))
            host.emit(
                e.AttemptRefused,
                attempt=attempt.id,
                operation=attempt.operation,
                reasons=error.reasons,
                rules=rules,
                used=used,
            )
        note_doubt(host, watch, attempt)
        return host.staged


#: The exceptions that an attempt raises as they are.
_RAISED = (NomoledgerError, MemoryError)


def _fault_of(host: Host, error: Exception) -> RuleFault:
    """Return the fault of the rule that acted when *error* was raised, of which nobody thought.

    So not even a fault of the engine keeps the attempts of others from being carried out.
    """
    last = host.staged[-1].rules[:1] if host.staged else ()
    rules = (host.frames[-1].rule, *(name.partition("@")[0] for name in last))
    rule = next((number for number in rules if number in host.program.by_number), None)
    who = f"rule {rule}" if rule else "the rules"
    return RuleFault(f"{who}: {type(error).__name__}: {error}", rule=rule)


#: The fields of a draw that are recorded when the rest of its attempt is rolled back.
_DRAW_FIELDS = ("address", "values", "sides", "options", "effective", "asked", "rules")


def _count_before(world: World, attempt: Attempt) -> int:
    """Return how many attempts came before *attempt* since the last input.

    Where limits add up, these are the attempts that follow from the same request: timers that one
    request set leave those of others alone.
    """
    if adds_up(world):
        return used_by_request(world, attempt).attempts
    followed: int = world.game["followed"]
    return followed


def _is_follow_up(world: World, attempt: Attempt) -> bool:
    is_of_close = attempt.operation == CLOSING and adds_up(world)
    return ">" in attempt.id and attempt.operation != "@expire" and not is_of_close


# --- built-in attempts --------------------------------------------------------------------------


def _run_enact_hooks(engine: Engine, program: Program, attempt: Attempt) -> None:
    """Run the `on_enact` hooks of the rules in the arguments; of all rules if there are none."""
    numbers = attempt.arguments or tuple(program.by_number)
    for number in program.links.rules_with("on_enact"):
        if number in numbers:
            program.hook(number, "on_enact")


def _give_initial_state(engine: Engine, program: Program, attempt: Attempt) -> None:
    give_state(program, engine.world.game["given"])


def _change_rules(engine: Engine, program: Program, attempt: Attempt) -> None:
    ruling, _ = engine.world.rulings[attempt.arguments[0]]
    program.host.frames = [Frame("", (), f"ruling:{ruling.number}")]
    urgent = attempt.operation == URGENT
    carry_out_changes(program.host, ruling.changes, f"ruling {ruling.number}", urgent=urgent)


def _settle_ruling(engine: Engine, program: Program, attempt: Attempt) -> None:
    if engine.settle is None:
        raise RuleFault(
            "this engine cannot carry out retroactive rulings: it has no settle function"
        )
    ruling, number = engine.world.rulings[attempt.arguments[0]]
    engine.settle(engine, program.host, ruling, number, attempt)


def _carry_out_order(engine: Engine, program: Program, attempt: Attempt) -> None:
    for act in attempt.arguments:
        engine.call_operation(program, attempt.by, act.action, (attempt.by,), act.arguments)


def _expire_status(engine: Engine, program: Program, attempt: Attempt) -> None:
    """End the status, unless it already ended or was set again by a later event."""
    entity, attribute, number = attempt.arguments
    ending = engine.world.durations.get(entity, {}).get(attribute)
    if ending is not None and ending[2] == number:
        _end_status(engine, program.host, entity, attribute, ending[1])


def _end_status(engine: Engine, host: Host, entity: str, attribute: str, previous: Any) -> None:
    was = engine.world.get(entity, attribute)
    host.emit(e.AttributeSet, entity=entity, attribute=attribute, value=previous, was=was)


def _close_period(engine: Engine, program: Program, attempt: Attempt) -> None:
    operation = program.links.operations.get("close_period")
    if operation is not None and engine.world.game["ended"] is None:
        program.call("close_period")


def _end_statuses_of_period(engine: Engine, program: Program, attempt: Attempt) -> None:
    """End every status that lasts until the end of the period, however many there are."""
    world = engine.world
    host = program.host
    host.is_unlimited = host.allowance is not None
    for entity, table in sorted(world.durations.items()):
        for attribute, (until, previous, _) in sorted(table.items()):
            if until == "period":
                _end_status(engine, host, entity, attribute, previous)
    host.is_unlimited = False


_BUILTIN = {
    "@enacted": _run_enact_hooks,
    "@given": _give_initial_state,
    "@ruling": _change_rules,
    URGENT: _change_rules,
    ORDER: _carry_out_order,
    SETTLE: _settle_ruling,
    "@expire": _expire_status,
    "@close": _close_period,
    "@closed": _end_statuses_of_period,
}
