"""What is under way when rules change: it moves with them, or ends with an event that says so.

Timers, attempts, questions and standing orders may depend on a rule that an attempt repeals or
amends. Each is resolved at the end of that attempt, so that nothing that falls due later can fail
for want of the rule. Things of the rules (options, offers, votes) are resolved as the rule says in
its data (`when_gone`).
"""

from collections.abc import Mapping
from fractions import Fraction

from nomoledger import events as e
from nomoledger.engine.statements import Statement
from nomoledger.errors import UsageError
from nomoledger.events.durations import SECONDS
from nomoledger.events.rules import Ending, Rule
from nomoledger.language.host import Host
from nomoledger.language.operations import Links, Operation
from nomoledger.language.program import Program
from nomoledger.language.values import round_half_up
from nomoledger.language.verbs import TIME_MAX
from nomoledger.state.world import Timer


def resolve_under_way(host: Host, before: Program, after: Program) -> None:
    """Resolve what was under way under the rules *before*, where the rules *after* differ.

    The attempt of *host* has changed the rules. The events cite what changed them and the rule that
    is gone.
    """
    repealed = [
        before.by_number[event.number]
        for event in host.staged
        if isinstance(event, e.RuleRepealed) and event.number in before.by_number
    ]
    _Resolution(host, before, after).resolve(repealed)


class _Resolution:
    """The resolution at the end of one attempt."""

    def __init__(self, host: Host, before: Program, after: Program) -> None:
        self.host, self.before, self.after = host, before, after
        self.world = host.world
        changes = (event for event in host.staged if isinstance(event, e.RuleEvent))
        self.cited = next((event.rules for event in changes), ("engine",))

    def resolve(self, repealed: list[Rule]) -> None:
        """Resolve things, timers, attempts, questions and orders, in this order."""
        for rule in repealed:
            for ending in rule.when_gone:
                if not self._is_kept(ending):
                    self._end_things(rule, ending)
        for timer in sorted(self.world.timers.values(), key=lambda timer: timer.order):
            if is_known(self.after.links, timer.attempt.operation):
                self._move(timer)
            else:
                self._unschedule(timer.attempt.id, timer.attempt.operation)
        for attempt in (*self.world.agenda, *self.world.game.get("next", ())):
            if not is_known(self.after.links, attempt.operation):
                self._unschedule(attempt.id, attempt.operation)
        self._withdraw_questions()
        self._lapse_orders()

    def _is_kept(self, ending: Ending) -> bool:
        """Return whether a rule in force says the same."""
        return any(ending in rule.when_gone for rule in self.world.rules)

    def _end_things(self, rule: Rule, ending: Ending) -> None:
        world, cited = self.world, (*self.cited, rule.name)
        for thing in world.kinds.get(ending.kind, ()):
            if any(world.get(thing, name) != value for name, value in ending.where.items()):
                continue
            if not ending.set:
                self.host.emit(e.EntityDestroyed, entity=thing, rules=cited)
            for name, value in ending.set.items():
                was = world.get(thing, name)
                fields = {"entity": thing, "attribute": name, "value": value, "was": was}
                self.host.emit(e.AttributeSet, rules=cited, **fields)

    def _unschedule(self, attempt: str, operation: str) -> None:
        defined = self.before.links.operations.get(operation)
        definer = () if defined is None else self.before.cite((defined.definer,))
        self.host.emit(e.Unscheduled, attempt=attempt, rules=(*self.cited, *definer))

    def _move(self, timer: Timer) -> None:
        """Move *timer*, if the duration that it follows was amended."""
        if timer.follows is None:
            return
        number, name = timer.follows
        old, new = self.before.by_number.get(number), self.world.rule(number)
        if old is None or new is None or name not in new.parameters:
            return
        change = _seconds(new, name) - _seconds(old, name)
        if change:
            due = min(max(0, timer.attempt.at + change), TIME_MAX)
            rules = (*self.cited, new.name)
            self.host.emit(e.Rescheduled, attempt=timer.attempt.id, due=due, rules=rules)

    def _withdraw_questions(self) -> None:
        """Withdraw the questions of rules that changed: their attempts run again from the start."""
        names = {rule.name for rule in self.world.rules}
        for question in list(self.world.questions.values()):
            asking = [name for name in question.rules if "@" in name]
            if not names.issuperset(asking):
                rules = (*self.cited, *asking)
                self.host.emit(e.QuestionWithdrawn, question=question.question, rules=rules)

    def _lapse_orders(self) -> None:
        operations = self.after.links.operations
        for order, _ in list(self.world.orders.values()):
            gone = [act.action for act in order.acts if not _is_action(operations, act.action)]
            why = f"no rule says how to {gone[0]}" if gone else self._unknown_name(order)
            if why:
                audience, self.host.audience = self.host.audience, order.audience
                self.host.emit(e.OrderLapsed, order=order.id, why=why, rules=self.cited)
                self.host.audience = audience

    def _unknown_name(self, order: e.OrderGiven) -> str:
        """Return what the statements of *order* name that no rule says any more; "" for nothing."""
        try:
            for statement in filter(None, (order.when, order.holds)):
                Statement(statement).check_names(self.world, self.after)
        except UsageError as error:
            return str(error)
        return ""


def is_known(links: Links, operation: str) -> bool:
    """Return whether an attempt of *operation* can be carried out."""
    if operation.startswith("@") or operation in _OF_INPUTS:
        return True
    known = links.operations.get(operation)
    return known is not None and known.can_be_done


#: The operations of inputs, whose attempts are refused if no rule defines them.
_OF_INPUTS = ("join", "depart", "propose", "vote", "judge")


def _is_action(operations: Mapping[str, Operation], name: str) -> bool:
    return name in operations and operations[name].is_action


def _seconds(rule: Rule, name: str) -> int:
    """Return the duration in the parameter *name* of *rule*."""
    unit = SECONDS.get(rule.units.get(name, ""), 0)
    return round_half_up(Fraction(str(rule.parameters[name])) * unit) if unit else 0
