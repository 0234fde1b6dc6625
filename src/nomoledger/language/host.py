"""What rule code can do: the verbs, reads and oracle reads, and the stack of who is acting.

One `Host` belongs to one linked program. It works on one attempt at a time (`begin`), changes the
world only through events (`emit`), and stops an attempt by raising one of `Refused`, `Suspended`
and `TrialOver`; these pass through the interpreter by way of `pending`.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn, Protocol

from nomoledger import events as e
from nomoledger.errors import RuleFault
from nomoledger.events.rules import Commodity, Rule
from nomoledger.language import values
from nomoledger.language.operations import Links
from nomoledger.sandbox import child
from nomoledger.state.reducer import apply, from_seconds
from nomoledger.state.world import Attempt, World

OPERATIONS_MAX = 50_000
CHANGES_MAX = 20_000
DEPTH_MAX = 120
PASSES_MAX = 100
_MARKS = {"%": "%25", "|": "%7C", ">": "%3E"}
_IN_ADDRESS_MAX = 64


#: Gives the values for a question as it arises, or None where somebody has to be asked.
Oracle = Callable[[e.QuestionRaised], list[Any] | None]
#: Says in words what an event does, given what things are called and what the commodities are.
Describe = Callable[[e.Event, Callable[[Any], Any], Mapping[str, Commodity]], str]


def ask_people(question: e.QuestionRaised) -> list[Any] | None:
    """The oracle that knows nothing: everything is asked of somebody."""
    return None


def describe_plainly(
    event: e.Event, label: Callable[[Any], Any] = str, commodities: Mapping[str, Commodity] = {}
) -> str:
    """What *event* does, in the words of its schema: for where no better words are at hand."""
    return str(event.__struct_config__.tag).partition("/")[0]


class Refused(Exception):
    """The attempt is refused, for these reasons."""

    def __init__(self, reasons: Sequence[e.Reason]) -> None:
        super().__init__("; ".join(f"{reason.rule}: {reason.text}" for reason in reasons))
        self.reasons = tuple(reasons)


class Suspended(Exception):
    """The attempt cannot go on before *question* is answered."""

    def __init__(self, question: e.QuestionRaised) -> None:
        super().__init__(question.text)
        self.question = question


class TrialOver(Exception):
    """A trial run came to something that only chance or a person can decide."""


class Frame:
    """One operation being carried out: what, on what, by which rule, and what altered it."""

    __slots__ = ("altered", "arguments", "counts", "operation", "rule", "step")

    def __init__(self, operation: str, arguments: Sequence[Any], rule: str) -> None:
        self.operation = operation
        self.arguments = arguments
        self.rule = rule
        self.altered: list[str] = []
        self.counts: dict[str, int] | None = None
        self.step = ""


class LinkedRules(Protocol):
    """What a host needs of the program it serves; see `nomoledger.language.program.Program`."""

    rules: tuple[Rule, ...]
    by_number: dict[str, Rule]
    links: Links
    commodities: dict[str, Commodity]
    money: str
    accounts: set[str]

    def begin(self, world: World) -> None:
        """An attempt begins on *world*."""

    def name(self, number: str) -> str:
        """Return number and version of a rule."""

    def cite(self, numbers: tuple[str, ...]) -> tuple[str, ...]:
        """Return number and version of each rule."""

    def call(self, operation: str, *arguments: Any, **named: Any) -> Any:
        """Carry out *operation* and return its result."""

    def hook(self, number: str, name: str) -> None:
        """Call the hook *name* of rule *number*, which takes no arguments."""

    def settle(self) -> None:
        """Run the state-based checks until none changes anything."""


class Host:
    """The other side of every word that rule code may call."""

    def __init__(self, program: LinkedRules) -> None:
        self.program = program
        self.pending: Exception | None = None
        self.describe: Describe = describe_plainly
        self.restricted = {
            rule.number: rule.capabilities
            for rule in program.rules
            if rule.capabilities is not None
        }

    # --- one attempt at a time

    def begin(self, world: World, attempt: Attempt, oracle: Oracle = ask_people) -> None:
        """Get ready to carry out *attempt* on *world*."""
        self.world, self.attempt, self.oracle = world, attempt, oracle
        self.audience = attempt.audience
        self.staged: list[e.Event] = []
        self.frames = [Frame("", (), "engine")]
        self.reads: dict[str, int] = {}
        self.operations = self.pure = self.trials = 0
        self.is_altered = False  # whether anything was, anywhere, so far
        self.pending = None
        self.program.begin(world)
        self.received_at: datetime = from_seconds(attempt.at)
        self.recorded_at: datetime = world.game["recorded_at"]

    def emit(self, event: type[e.Event], **fields: Any) -> None:
        """Make a consequence happen, and stage it."""
        if len(self.staged) >= CHANGES_MAX:
            self.stop(Refused([e.Reason("engine", f"more than {CHANGES_MAX} changes at once")]))
        rules = fields.pop("rules", None) or self.acting()
        self.happen(
            event(
                period=self.world.game["period"],
                received_at=self.received_at,
                recorded_at=self.recorded_at,
                cause=self.attempt.cause,
                rules=rules,
                audience=self.audience,
                **fields,
            )
        )

    def happen(self, made: e.Event) -> None:
        """The world takes the consequence *made*, and it is staged."""
        apply(self.world, made)
        self.staged.append(made)

    def stop(self, error: Exception) -> NoReturn:
        """Leave the interpreter with *error*."""
        self.pending = error
        raise error

    def fault(self, text: str) -> NoReturn:
        """Leave the interpreter because the rule that is acting is at fault."""
        rule = self.frames[-1].rule
        self.stop(RuleFault(f"rule {rule}: {text}", rule=rule))

    def acting(self) -> tuple[str, ...]:
        """The rule that is acting and those that altered what it does, with versions."""
        names = [self.frames[-1].rule]
        if self.is_altered:
            for frame in reversed(self.frames):
                names += frame.altered
        return self.program.cite(tuple(dict.fromkeys(names)) if len(names) > 1 else tuple(names))

    # --- the stack, as the linked program reports it

    # They give 0 and not None, which costs the interpreter three times as much to take.

    def enter(self, operation: str, rule: str, *arguments: Any) -> int:
        """An operation begins; *rule* defines it ("" keeps the rule that called it)."""
        self.operations += 1
        frames = self.frames
        if self.operations > OPERATIONS_MAX:
            self.stop(Refused([e.Reason("engine", f"more than {OPERATIONS_MAX} operations")]))
        if len(frames) > DEPTH_MAX:
            text = f"{operation} within {operation}, more than {DEPTH_MAX} operations deep"
            self.stop(Refused([e.Reason(rule or frames[-1].rule, text)]))
        rule = rule or frames[-1].rule
        frames.append(Frame(operation, arguments, rule))
        child.notice(rule)
        return 0

    def enter_value(self, operation: str, rule: str, *arguments: Any) -> int:
        """An operation begins that only states something."""
        self.enter(operation, rule, *arguments)
        self.pure += 1
        return 0

    def leave(self) -> int:
        """The innermost operation is over."""
        self.frames.pop()
        return 0

    def leave_value(self) -> int:
        """The innermost operation, a value, is over."""
        self.frames.pop()
        self.pure -= 1
        return 0

    def look(self) -> int:
        """Guards are being asked: nothing may change meanwhile."""
        self.pure += 1
        return 0

    def looked(self) -> int:
        """Guards have been asked."""
        self.pure -= 1
        return 0

    def at(self, rule: str) -> int:
        """*rule* acts now, in the innermost operation."""
        self.frames[-1].rule = rule
        child.notice(rule)
        return 0

    def from_caller(self) -> int:
        """A host verb is reached by way of hooks: the rule that called it is the one acting."""
        if len(self.frames) > 1:
            self.frames[-1].rule = self.frames[-2].rule
        return 0

    def alter(self, rule: str, arguments: list[Any]) -> int:
        """*rule* goes on with other *arguments*."""
        self.is_altered = True
        self.frames[-1].altered.append(rule)
        self._go_on_with(arguments)
        return 0

    def restore(self, arguments: list[Any]) -> int:
        """What was done with altered arguments is over."""
        self.frames[-1].altered.pop()
        self._go_on_with(arguments)
        return 0

    def _go_on_with(self, arguments: list[Any]) -> None:
        self.frames[-1].arguments = arguments
        self.frames[-1].step = ""

    def refuse_operation(self, operation: str, reasons: list[list[str]]) -> None:
        """Guards said no."""
        told = [(rule, self.text(text, "a reason")) for rule, text in reasons]
        self.stop(Refused([e.Reason(self.program.name(rule), text) for rule, text in told]))

    def undefined(self, name: str) -> None:
        """Rule code called something that no rule in force defines."""
        text = f"no rule in force says what {name!r} is"
        self.stop(Refused([e.Reason(self.program.name(self.frames[-1].rule), text)]))

    def path(self) -> str:
        """Where we are, as operations with their subjects: the inside of an address."""
        return "/".join([frame.step or _step(frame) for frame in self.frames[1:]])

    # --- capabilities

    def permit(self, verb: str, subject: Any = None, attribute: str | None = None) -> None:
        """Check that a verb may run here, with every restricted rule on the stack."""
        if self.pure:
            self.fault(f"{self.frames[-1].operation} states something, so it may not {verb}")
        if self.restricted:
            self._permit_restricted(verb, subject, attribute)

    def _permit_restricted(self, verb: str, subject: Any, attribute: str | None) -> None:
        for rule in self._on_the_stack():
            allowed = self.restricted.get(rule)
            if allowed is None:
                continue
            what = f"{verb} {attribute}" if attribute else verb
            if verb not in allowed.verbs or (attribute and attribute not in allowed.attributes):
                self.forbidden(rule, f"it may not {what}")
            if allowed.subject and not self._is_subject(allowed.subject, subject):
                self.forbidden(rule, f"it may not {what}: {subject}")

    def _on_the_stack(self) -> Iterator[str]:
        """Whoever acts, in every operation under way, and whoever altered one of them."""
        for frame in self.frames:
            yield frame.rule
            yield from frame.altered

    def _is_subject(self, predicate: str, subject: Any) -> bool:
        frames, self.frames = self.frames, [Frame("", (), "engine")]
        try:
            return bool(self.program.call(predicate, subject))
        finally:
            self.frames = frames

    def may_read(self, attribute: str) -> None:
        """Check a read of *attribute* against the restricted rules on the stack."""
        for rule in self._on_the_stack():
            allowed = self.restricted.get(rule)
            reads = None if allowed is None else allowed.reads
            if reads is not None and attribute not in reads:
                self.forbidden(rule, f"it may not read {attribute}")

    def forbidden(self, rule: str, text: str) -> NoReturn:
        """A restricted rule overstepped: the attempt is refused in its name."""
        self.stop(Refused([e.Reason(self.program.name(rule), text)]))

    # --- amounts

    def commodity(self, name: str | None) -> tuple[str, int]:
        """The commodity of that *name* (the game's money where None), and its decimal places."""
        name = name or self.program.money
        declared = self.program.commodities.get(name)
        if declared is None:
            self.fault(f"no rule in force declares the commodity {name!r}")
        return name, declared.places

    def units(self, amount: Any, commodity: str | None) -> tuple[int, str]:
        """*amount* in smallest units, and the commodity (the game's money where None)."""
        name, places = self.commodity(commodity)
        try:
            units = values.to_units(amount, places)
        except values.NotExact as error:
            self.fault(str(error))
        if not 0 <= units <= values.UNITS_MAX:
            self.fault(f"{amount!s:.60} is no amount: it is negative or far too large")
        return units, name

    def text(self, value: Any, what: str) -> str:
        """*value*, which must be a text to serve as *what*."""
        if not isinstance(value, str) or len(value) > values.KEPT_MAX:
            self.fault(f"{what} is a text of bounded length, not {value!r:.60}")
        return value

    def keep(self, *found: Any) -> None:
        """Check that all of *found* can be kept."""
        for value in found:
            if not values.keepable(value):
                text = "whole numbers, text, flags and lists of them, not too long"
                self.fault(f"{value!r:.60} cannot be kept: only {text}")

    def rule(self, number: str) -> Rule:
        """The rule in force of that number, or the fault of whoever asks."""
        rule = self.program.by_number.get(number)
        if rule is None:
            self.fault(f"there is no rule {number}")
        return rule


def _step(frame: Frame) -> str:
    arguments = [address_part(x) for x in frame.arguments if not isinstance(x, list | dict)]
    frame.step = f"{frame.operation}({','.join(arguments)})"
    return frame.step


def address_part(value: Any) -> str:
    """*value* as part of an address: short, and without the marks that divide addresses.

    >>> in_address("a|b>c"), in_address("x" * 100)
    ('a%7Cb%3Ec', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx%09ecb6eb')
    """
    return _escaped(str(value))


@lru_cache(maxsize=4096)
def _escaped(text: str) -> str:
    for mark, escaped in _MARKS.items():
        text = text.replace(mark, escaped)
    if len(text) <= _IN_ADDRESS_MAX:
        return text
    return f"{text[:_IN_ADDRESS_MAX]}%{hashlib.sha256(text.encode()).hexdigest()[:8]}"
