"""Carries out the agenda: takes an input, and says what follows from it, attempt by attempt.

The engine is pure: given a world, an input and an oracle it always makes the same events. It hands
them out in batches; each batch is one transaction, and after each the world is a place to stop.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.engine import fact_audit as audit
from nomoledger.engine.initial_state import give_state
from nomoledger.engine.standing_orders import process_orders
from nomoledger.errors import RulebookError, RuleFault
from nomoledger.events.rules import Rule
from nomoledger.language.amendments import make
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
from nomoledger.language.resolve import in_order, named_arguments
from nomoledger.state.reducer import CLOSING, ORDER, SETTLE, URGENT, apply
from nomoledger.state.world import Attempt, World

Batch = list[e.Event]

#: Carries out a ruling that reaches back: its engine and host, the ruling, its number, the attempt.
Settle = Callable[["Engine", Host, e.RulingMade, int, Attempt], None]

#: How many attempts may follow from one input: what is more than that is refused.
FOLLOWING_MAX = 2_000


class Engine:
    """Runs one game on *world*.

    *secret* is what its dice and commitments derive from. Without *follows_record* (or where it
    says no, told the fact, what differs and the value by the rules) the facts of a hand-kept record
    are compared, but play goes on from what the rules gave. *tape* is what was recorded so far, for
    rulings that reach back. *describe* puts into words what questions and refusals mention. *settle* carries out
    rulings that reach back (`nomoledger.engine.settlement.ruling_attempt`).
    """

    def __init__(
        self,
        world: World,
        oracle: Oracle = ask_people,
        secret: bytes | None = None,
        *,
        follows_record: Callable[[e.FactRecorded, str, Any], bool] | bool = True,
        tape: Sequence[e.Entry] = (),
        link: Callable[[tuple[Rule, ...]], Program] = link,
        describe: Describe = describe_plainly,
        settle: "Settle | None" = None,
    ) -> None:
        self.settle = settle
        self.describe = describe
        self.link = link
        self.tape = tape
        self.follows_record = follows_record
        self.world = world
        self.oracle = oracle
        self.secret = secret

    def take(self, event: e.Input) -> Iterator[Batch]:
        """What follows from *event*: batches, the first of which begins with it.

        Raises:
            RuleFault: rule code failed; the world is as it was after the last batch.
        """
        mark = self.world.mark()
        try:
            apply(self.world, event)
            if isinstance(event, e.FactRecorded):
                first = audit.judge(self, event)
            else:
                first = self.step()
        except BaseException:
            self.world.rollback(mark)
            raise
        self.world.release(mark)
        yield [event, *first]
        yield from self.run()

    def run(self) -> Iterator[Batch]:
        """Carry out what is on the agenda until it is empty or waits for an answer."""
        while batch := self.step():
            yield batch

    def step(self) -> Batch:
        """The next thing that is due or on the agenda; empty where there is nothing to do."""
        world = self.world
        head = world.agenda[0] if world.agenda else None
        if head is not None and head.operation in (URGENT, SETTLE):
            return self.carry_out(head)
        if world.orders and (batch := process_orders(world, self.link(world.rules))):
            return batch
        if world.waiting is not None:
            return []
        timer = self._due(head.at if head else world.game["now"])
        if timer is not None:
            return self._fire(timer)
        return self.carry_out(head) if head is not None else []

    def _fire(self, timer: Attempt) -> Batch:
        host, mark = self.link(self.world.rules).host, self.world.mark()
        try:
            host.begin(self.world, timer)
            host.emit(e.TimerFired, attempt=timer.id)
            fired = host.staged
            carried_out = self.carry_out(timer)
        except BaseException:
            self.world.rollback(mark)
            raise
        self.world.release(mark)
        return [*fired, *carried_out]

    def _due(self, at: int) -> Attempt | None:
        due = [timer for timer in self.world.timers.values() if timer.attempt.at <= at]
        if not due:
            return None
        places = {rule.name: place for place, rule in enumerate(self.world.rules)}
        first = min(due, key=lambda t: (t.attempt.at, places.get(t.rule, -1), t.cause))
        return first.attempt

    def carry_out(self, attempt: Attempt, oracle: Oracle | None = None) -> Batch:
        """All of *attempt*, or a refusal, or a question. The world has taken what it gives."""
        program = self.link(self.world.rules)
        host = program.host
        host.describe = self.describe
        host.begin(self.world, attempt, oracle or self.oracle)
        mark = self.world.mark()
        try:
            self._perform(program, attempt)
            host.frames = [Frame("", (), "engine")]
            host.emit(e.AttemptDone, attempt=attempt.id)
            if attempt.operation == CLOSING:
                self._close_the_books(host)
        except (Refused, Suspended) as error:
            self.world.rollback(mark)
            return self._broken_off(host, attempt, error)
        except BaseException:
            self.world.rollback(mark)
            raise
        self.world.release(mark)
        return host.staged

    def _perform(self, program: Program, attempt: Attempt) -> None:
        world, host = self.world, program.host
        if world.game["followed"] >= FOLLOWING_MAX and _is_follow_up(attempt):
            text = f"more than {FOLLOWING_MAX} attempts follow from one request"
            raise Refused([e.Reason("engine", text)])
        builtin = _BUILTIN.get(attempt.operation)
        if builtin is not None:
            builtin(self, program, attempt)
        else:
            if world.game["ended"] is not None:
                rule = (*world.game["ended_by"], "engine")[0]
                raise Refused([e.Reason(rule, f"the game is over: {world.game['ended']}")])
            self._call(program, attempt.by, attempt.operation, attempt.arguments, attempt.named)
        host.frames = host.frames[:1]
        is_of_rules = bool(host.staged) and all(isinstance(x, _OF_RULES) for x in host.staged)
        if not is_of_rules and attempt.operation != SETTLE:
            program.settle()
        if world.rules is not program.rules and world.rules != program.rules:
            self._check_links()

    def _call(
        self, program: Program, by: str, name: str, given: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        """Carry out the operation called *name*; what somebody submitted by way of `act`."""
        operation = program.links.operations.get(name)
        if operation is None or not operation.definitions:
            raise Refused([e.Reason("engine", f"no rule in force says how to {name}")])
        arguments = named_arguments(self.world, operation, given, named)
        if operation.is_action and "act" in program.links.operations:
            program.call("act", by, name, in_order(operation, arguments))
        else:
            program.call(name, **arguments)

    def _close_the_books(self, host: Host) -> None:
        """The last event of a period: what the state has come to, and what its dice came from."""
        world = self.world
        seed = commitment = ""
        if self.secret is not None:
            seed = dice.period_seed(self.secret, world.period).hex()
            commitment = dice.commitment(dice.period_seed(self.secret, world.period + 1))
        host.emit(e.PeriodClosed, digest=world.digest(), seed=seed, commitment=commitment)

    def _check_links(self) -> None:
        try:
            self.link(self.world.rules)
        except RulebookError as error:
            raise Refused([e.Reason("engine", f"the rules would not link: {error}")]) from None

    def _broken_off(self, host: Host, attempt: Attempt, error: Refused | Suspended) -> Batch:
        draws = [each for each in host.staged if isinstance(each, e.DrawRecorded)]
        audience = host.audience
        host.staged, host.pending = [], None
        host.frames = [Frame("", (), "engine")]
        for each in draws:
            host.audience = each.audience
            fields = {name: getattr(each, name) for name in _DRAWN}
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
            )
        return host.staged


#: Where nothing but these has happened, there is nothing for the checks to look at.
_OF_RULES = (e.RuleEnacted, e.RuleAmended, e.RuleRepealed, e.RuleRenumbered, e.Scheduled)


#: What stays of a draw where all else of its attempt is taken back.
_DRAWN = ("address", "values", "sides", "options", "effective", "rules")


def _is_follow_up(attempt: Attempt) -> bool:
    return ">" in attempt.id and attempt.operation != "@expire"


# --- attempts that are the engine's own ---------------------------------------------------------


def _enacted(engine: Engine, program: Program, attempt: Attempt) -> None:
    wanted = attempt.arguments or tuple(program.by_number)
    for number in program.links.rules_with("on_enact"):
        if number in wanted:
            program.hook(number, "on_enact")


def _given(engine: Engine, program: Program, attempt: Attempt) -> None:
    give_state(program, engine.world.game["given"])


def _ruling(engine: Engine, program: Program, attempt: Attempt) -> None:
    ruling, _ = engine.world.rulings[attempt.arguments[0]]
    program.host.frames = [Frame("", (), f"ruling:{ruling.number}")]
    urgent = attempt.operation == URGENT
    make(program.host, ruling.changes, f"ruling {ruling.number}", urgent=urgent)


def _settle(engine: Engine, program: Program, attempt: Attempt) -> None:
    if engine.settle is None:
        raise RuleFault("this engine cannot carry out rulings that reach back")
    ruling, number = engine.world.rulings[attempt.arguments[0]]
    engine.settle(engine, program.host, ruling, number, attempt)


def _order(engine: Engine, program: Program, attempt: Attempt) -> None:
    for act in attempt.arguments:
        engine._call(program, attempt.by, act.action, (attempt.by,), act.arguments)


def _expire(engine: Engine, program: Program, attempt: Attempt) -> None:
    entity, attribute, number = attempt.arguments
    ending = engine.world.durations.get(entity, {}).get(attribute)
    if ending is not None and ending[2] == number:
        _end(engine, program.host, entity, attribute, ending[1])


def _end(engine: Engine, host: Host, entity: str, attribute: str, back: Any) -> None:
    was = engine.world.get(entity, attribute)
    host.emit(e.AttributeSet, entity=entity, attribute=attribute, value=back, was=was)


def _close(engine: Engine, program: Program, attempt: Attempt) -> None:
    operation = program.links.operations.get("close_period")
    if operation is not None and engine.world.game["ended"] is None:
        program.call("close_period")


def _closed(engine: Engine, program: Program, attempt: Attempt) -> None:
    world = engine.world
    for entity, table in sorted(world.durations.items()):
        for attribute, (until, back, _) in sorted(table.items()):
            if until == "period":
                _end(engine, program.host, entity, attribute, back)


_BUILTIN = {
    "@enacted": _enacted,
    "@given": _given,
    "@ruling": _ruling,
    URGENT: _ruling,
    ORDER: _order,
    SETTLE: _settle,
    "@expire": _expire,
    "@close": _close,
    "@closed": _closed,
}
