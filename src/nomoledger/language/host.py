"""The host of a linked program: the attempt under way, the stack of operations, and the checks.

Each program has one `Host`, which works on one attempt at a time (`begin`). It changes the world
only through events (`emit`), and stops an attempt by raising `Refused`, `Suspended` or `TrialOver`.
`Host.pending` carries the exception through the interpreter, which would lose it.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, NoReturn

from nomoledger import events as e
from nomoledger.errors import RuleFault
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Capabilities, Rule
from nomoledger.language import values
from nomoledger.language.address_part import address_part
from nomoledger.language.linked_rules import LinkedRules
from nomoledger.sandbox import inside
from nomoledger.state.clock import from_seconds
from nomoledger.state.reducer import apply
from nomoledger.state.shares import BYTES_MAX, Allowance, adds_up, size_of
from nomoledger.state.world import Attempt, World

OPERATIONS_MAX = 50_000
CHANGES_MAX = 20_000
DEPTH_MAX = 120
PASSES_MAX = 100
#: How deep `settle()` may be called within checks. It bounds the stack of the interpreter.
SETTLING_MAX = 20


class Drawn(NamedTuple):
    """An answer that was drawn at another address than the question says.

    Attributes:
        values: the values.
        address: the address of the draw.
    """

    values: list[Any]
    address: str


#: Returns the values that answer a question, or None if a person has to be asked.
Oracle = Callable[[e.QuestionRaised], list[Any] | Drawn | None]
#: Describes an event in words, with the names of things in a world.
Describe = Callable[[e.Event, World], str]


def ask_people(question: e.QuestionRaised) -> list[Any] | None:
    """Return None for every *question*: the oracle for which people answer everything."""
    return None


def describe_plainly(event: e.Event, world: World) -> str:
    """Return the name of the type of *event*: the description if the caller supplies no better."""
    return str(event.__struct_config__.tag).partition("/")[0]


class Refused(Exception):
    """The attempt is refused.

    Attributes:
        reasons: why, each with the rule that refuses.
    """

    def __init__(self, reasons: Sequence[e.Reason]) -> None:
        """Refuse for *reasons*."""
        super().__init__("; ".join(f"{reason.rule}: {reason.text}" for reason in reasons))
        self.reasons = tuple(reasons)


class Suspended(Exception):
    """The attempt cannot continue before *question* is answered."""

    def __init__(self, question: e.QuestionRaised) -> None:
        """Suspend until *question* is answered."""
        super().__init__(question.text)
        self.question = question


class TrialOver(Exception):
    """A trial run reached a question that only chance or a person can answer."""


class Frame:
    """One operation under way.

    Attributes:
        operation: its name; "" for the frame at the bottom of the stack.
        arguments: its arguments, as altered so far.
        rule: the number of the rule that acts now.
        altered: the rules that altered the arguments, in order.
        counts: how often `once` was called per operation, by label; None before the first call.
        step: the operation as part of an address; "" until it is needed.
        depth: how many counted operations are under way, plus one for the bottom of the stack.
    """

    __slots__ = ("altered", "arguments", "counts", "depth", "operation", "rule", "step")

    def __init__(self, operation: str, arguments: Sequence[Any], rule: str, depth: int = 1) -> None:
        """Begin *operation*."""
        self.depth = depth
        self.operation = operation
        self.arguments = arguments
        self.rule = rule
        self.altered: list[str] = []
        self.counts: dict[str, int] | None = None
        self.step = ""


class Host:
    """The state that the host verbs work on.

    Attributes:
        program: the program that the host serves.
        pending: the exception that stops the attempt, while it passes the interpreter.
        describe: how to describe events in questions and refusals.
        restricted: the capabilities of each restricted rule, by number.
        restricts_everything: whether there are such rules, and the level of the game checks all
            that they do and read.
        uncounted: the plain operations, which no limit counts.
        world, attempt, oracle: what `begin` was given.
        audience: who sees the events to come; None for everybody.
        staged: the events of the attempt so far.
        frames: the operations under way, the innermost last.
        reads: how often each address was used, to number the next use.
        operations: how many counted operations the attempt has carried out.
        changes, bytes: how many changes it has made, and their size, where limits are added up.
        pure: how many operations under way may change nothing.
        trials: how many trial runs are under way, one within the other.
        settling: how many runs of the checks are under way, one within the other.
        is_unlimited: whether the engine makes changes now that must not be refused.
        is_altered: whether any rule has altered any operation of the attempt.
    """

    def __init__(self, program: LinkedRules) -> None:
        """Serve *program*."""
        self.program = program
        self.pending: Exception | None = None
        self.describe: Describe = describe_plainly
        self.uncounted = program.links.plain
        self.restricted = {
            rule.number: rule.capabilities
            for rule in program.ruleset.rules
            if rule.capabilities is not None
        }
        level = LEVELS[program.ruleset.level]
        self.restricts_everything = bool(self.restricted) and level.restricts_everything

    # --- the attempt

    def begin(
        self,
        world: World,
        attempt: Attempt,
        oracle: Oracle = ask_people,
        allowance: Allowance | None = None,
    ) -> None:
        """Prepare for *attempt* on *world*, which may use *allowance*, if that is limited."""
        self.world, self.attempt, self.oracle = world, attempt, oracle
        self.audience = attempt.audience
        self.staged: list[e.Event] = []
        self.frames = [Frame("", (), "engine")]
        self.reads: dict[str, int] = {}
        self.operations = self.pure = self.trials = self.settling = 0
        self.changes = self.bytes = 0
        self.allowance = allowance
        self.operations_max = OPERATIONS_MAX
        if allowance is not None:
            self.operations_max = min(OPERATIONS_MAX, allowance.most.operations)
        self.is_altered = self.is_unlimited = False
        self.pending = None
        self.program.begin(world)
        self.received_at: datetime = from_seconds(attempt.at)
        self.recorded_at: datetime = world.game["recorded_at"]

    def emit(self, event: type[e.Event], **fields: Any) -> None:
        """Apply and stage an *event* of the rules that are acting, with these *fields*."""
        is_full = self.is_full
        self.changes += 1
        if is_full:
            self.stop(Refused([e.Reason("engine", f"more than {CHANGES_MAX} changes at once")]))
        rules = fields.pop("rules", None) or self.acting()
        self.record(
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

    @property
    def is_full(self) -> bool:
        """Whether the attempt has made as many changes as one attempt may make."""
        if self.is_unlimited:
            return False
        return (len(self.staged) if self.allowance is None else self.changes) >= CHANGES_MAX

    def record(self, event: e.Event) -> None:
        """Apply *event* to the world and stage it."""
        if self.allowance is not None and not self.is_unlimited:
            self.bytes += size_of(event)
            if self.changes > self.allowance.most.changes:
                self._exceed("changes")
            if self.bytes > min(BYTES_MAX, self.allowance.most.bytes):
                self._exceed("bytes")
        apply(self.world, event)
        self.staged.append(event)

    def _exceed(self, what: str) -> NoReturn:
        """Refuse the attempt, which has used more of *what* than it may."""
        most = {"operations": OPERATIONS_MAX, "changes": CHANGES_MAX, "bytes": BYTES_MAX}[what]
        text = f"more than {most} {what}"
        if self.allowance is not None and getattr(self, what) <= most:
            text = self.allowance.reasons[what]
        self.stop(Refused([e.Reason("engine", text)]))

    def used(self) -> tuple[int, int, int, int] | None:
        """Return what the attempt has used so far; None if the level does not add up limits."""
        if not adds_up(self.world):
            return None
        rules = sum(isinstance(event, e.RuleEvent) for event in self.staged)
        return self.operations, self.changes, self.bytes, rules

    def stop(self, error: Exception) -> NoReturn:
        """Leave the interpreter with *error*."""
        self.pending = error
        raise error

    def fault(self, text: str) -> NoReturn:
        """Leave the interpreter with the error that the acting rule is at fault."""
        rule = self.frames[-1].rule
        self.stop(RuleFault(f"rule {rule}: {text}", rule=rule, is_certain=True))

    def acting(self) -> tuple[str, ...]:
        """Return the acting rule and the rules that altered the operations, with versions."""
        names = [self.frames[-1].rule]
        if self.is_altered:
            for frame in reversed(self.frames):
                names += frame.altered
        return self.program.cite(tuple(dict.fromkeys(names)) if len(names) > 1 else tuple(names))

    # --- the stack, as the linked program reports it

    # These methods return 0, as the interpreter takes three times as long to receive None.

    def enter(self, operation: str, rule: str, *arguments: Any) -> int:
        """Push *operation*, which *rule* defines ("" keeps the rule that called it)."""
        frames = self.frames
        outer = frames[-1]
        rule = rule or outer.rule
        depth = outer.depth
        if operation not in self.uncounted:
            self.operations += 1
            if self.operations > self.operations_max:
                self._exceed("operations")
            if depth > DEPTH_MAX:
                text = f"{operation} within {operation}, more than {DEPTH_MAX} operations deep"
                self.stop(Refused([e.Reason(rule, text)]))
            depth += 1
        frames.append(Frame(operation, arguments, rule, depth))
        inside.notice(rule)
        return 0

    def enter_value(self, operation: str, rule: str, *arguments: Any) -> int:
        """Push an *operation* that computes a value and may change nothing."""
        self.enter(operation, rule, *arguments)
        self.pure += 1
        return 0

    def enter_for_caller(
        self, enter: Callable[..., int], operation: str, rule: str, *arguments: Any
    ) -> int:
        """Push *operation* with *enter*, in the name of the caller's rule.

        An attempt of the operation itself acts in the name of the rule that scheduled it; *rule* if
        none did.
        """
        return enter(operation, self._rule_calling(self.frames[-1]) or rule, *arguments)

    def at_caller(self, rule: str) -> int:
        """Note that the caller's rule acts now; *rule* if no rule calls the operation."""
        frames = self.frames
        frames[-1].rule = self._rule_calling(frames[-2]) or rule
        return 0

    def refusing(self, rule: str, guard: str) -> str:
        """Return the rule that refuses by a *guard* of a mechanic.

        It is the rule that calls the operation, if it uses the mechanic. If it does not, or if no
        rule calls, it is *rule*, the first one that uses the mechanic.
        """
        calling = self._rule_calling(self.frames[-2])
        codes = self.program.links.codes
        used = {hook.mechanic for hook in codes[rule].hooks if hook.name == guard}
        hooks = codes[calling].hooks if calling else ()
        return calling if any(h.name == guard and h.mechanic in used for h in hooks) else rule

    def _rule_calling(self, frame: Frame) -> str:
        """Return the rule that acts in *frame*, or that scheduled the attempt; "" if none did."""
        scheduler = self.attempt.rule.partition("@")[0]
        known = (number for number in (frame.rule, scheduler) if number in self.program.by_number)
        return next(known, "")

    def leave(self) -> int:
        """Pop the innermost operation."""
        self.frames.pop()
        return 0

    def leave_value(self) -> int:
        """Pop the innermost operation, which is a value."""
        self.frames.pop()
        self.pure -= 1
        return 0

    def look(self) -> int:
        """Forbid changes while guards run."""
        self.pure += 1
        return 0

    def looked(self) -> int:
        """Allow changes again after guards ran."""
        self.pure -= 1
        return 0

    def at(self, rule: str) -> int:
        """Note that *rule* acts now, in the innermost operation."""
        self.frames[-1].rule = rule
        inside.notice(rule)
        return 0

    def from_caller(self) -> int:
        """Note that the caller's rule acts: a hooked host verb does what its caller asked."""
        if len(self.frames) > 1:
            self.frames[-1].rule = self.frames[-2].rule
        return 0

    def alter(self, rule: str, arguments: list[Any]) -> int:
        """Note that *rule* continues the operation with other *arguments*."""
        self.is_altered = True
        self.frames[-1].altered.append(rule)
        self._set_arguments(arguments)
        return 0

    def restore(self, arguments: list[Any]) -> int:
        """Undo the last `alter`: the operation has its earlier *arguments* again."""
        self.frames[-1].altered.pop()
        self._set_arguments(arguments)
        return 0

    def _set_arguments(self, arguments: list[Any]) -> None:
        self.frames[-1].arguments = arguments
        self.frames[-1].step = ""

    def refuse_operation(self, operation: str, reasons: list[list[str]]) -> None:
        """Refuse *operation* for the *reasons* of its guards, as pairs of rule and text."""
        checked = [(rule, self.text(text, "a reason")) for rule, text in reasons]
        self.stop(Refused([e.Reason(self.program.name(rule), text) for rule, text in checked]))

    @property
    def forgets_rules(self) -> bool:
        """Whether what a rule declares ends with the rule."""
        return self.program.ruleset.forgets_rules

    def undefined(self, name: str) -> None:
        """Process the call of *name*, which no rule in force defines: nothing happens.

        Where rules are forgotten, the attempt is refused instead.
        """
        if not self.forgets_rules:
            return
        text = f"no rule in force says what {name!r} is"
        self.stop(Refused([e.Reason(self.program.name(self.frames[-1].rule), text)]))

    def path(self) -> str:
        """Return the operations under way with their arguments: the middle of an address."""
        return "/".join([frame.step or _step(frame) for frame in self.frames[1:]])

    # --- capabilities

    def permit(self, verb: str, subject: Any = None, attribute: str | None = None) -> None:
        """Check that *verb* may run here, and that every restricted rule on the stack allows it."""
        if self.pure:
            self.fault(f"{self.frames[-1].operation} states something, so it may not {verb}")
        if self.restricted:
            self._permit_restricted(verb, subject, attribute)

    def _permit_restricted(self, verb: str, subject: Any, attribute: str | None) -> None:
        for rule, allowed in self.restrictions():
            act = f"{verb} {attribute}" if attribute else verb
            if verb not in allowed.verbs or (attribute and attribute not in allowed.attributes):
                self.forbidden(rule, f"it may not {act}")
            if allowed.subject and not self._is_subject(allowed.subject, subject):
                self.forbidden(rule, f"it may not {act}: {subject}")

    def restrictions(self) -> Iterator[tuple[str, Capabilities]]:
        """Yield the restricted rules that act in, or altered, the operations under way."""
        for frame in self.frames:
            for rule in (frame.rule, *frame.altered):
                if rule in self.restricted:
                    yield rule, self.restricted[rule]

    def _is_subject(self, predicate: str, subject: Any) -> bool:
        frames, self.frames = self.frames, [Frame("", (), "engine")]
        try:
            return bool(self.program.call(predicate, subject))
        finally:
            self.frames = frames

    def may_read(self, attribute: str) -> None:
        """Check that every restricted rule on the stack may read *attribute*."""
        for rule, allowed in self.restrictions():
            if not self.is_readable(attribute, allowed):
                self.forbidden(rule, f"it may not read {attribute}")

    def is_readable(self, attribute: str, allowed: Capabilities) -> bool:
        """Return whether a rule with these capabilities may read *attribute*.

        A change shows the value that was there before, so a rule may read what it may change.
        """
        if allowed.reads is None or attribute in allowed.reads:
            return True
        can_move = attribute == "square" and "move" in allowed.verbs
        return self.restricts_everything and (attribute in allowed.attributes or can_move)

    def forbidden(self, rule: str, text: str) -> NoReturn:
        """Refuse the attempt because the restricted *rule* exceeded its capabilities."""
        self.stop(Refused([e.Reason(self.program.name(rule), text)]))

    # --- amounts

    def commodity(self, name: str | None) -> tuple[str, int]:
        """Return the commodity *name* (None for the game's money) and its decimal places."""
        name = name or self.program.money
        declared = self.program.commodities.get(name)
        if declared is None:
            self.fault(f"no rule in force declares the commodity {name!r}")
        return name, declared.places

    def units(self, amount: Any, commodity: str | None) -> tuple[int, str]:
        """Return *amount* in smallest units, and the *commodity* (None for the game's money)."""
        name, places = self.commodity(commodity)
        try:
            units = values.to_units(amount, places)
        except values.NotExact as error:
            self.fault(str(error))
        if not 0 <= units <= values.UNITS_MAX:
            self.fault(f"{amount!s:.60} is no amount: it is negative or far too large")
        return units, name

    def text(self, value: Any, what: str) -> str:
        """Return *value* after checking that it is a text of bounded length, to use as *what*."""
        if not isinstance(value, str) or len(value) > values.STORED_MAX:
            self.fault(f"{what} is a text of bounded length, not {value!r:.60}")
        return value

    def check_storable(self, *stored: Any) -> None:
        """Check that events can store all of the values *stored*."""
        for value in stored:
            if not values.is_storable(value):
                text = "whole numbers, text, flags and lists of them, not too long"
                self.fault(f"{value!r:.60} cannot be kept: only {text}")

    def rule(self, number: str) -> Rule:
        """Return the rule with this *number*: the rule in force, or else the last that had it.

        A number that was changed, once or several times, leads to the rule under its new number,
        unless another rule has the old number by now. If there was no such rule, the caller is at
        fault.
        """
        renumbered = self.world.game.get("renumbered", {})
        while number not in self.program.by_number and number in renumbered:
            number = renumbered[number]
        rule = self.program.by_number.get(number)
        if rule is None:
            former = reversed(self.program.ruleset.former)
            rule = next((each for each in former if each.number == number), None)
        if rule is None:
            self.fault(f"there is no rule {number}")
        return rule


def _step(frame: Frame) -> str:
    plain = [value for value in frame.arguments if not isinstance(value, list | dict)]
    arguments = [address_part(value) for value in plain]
    frame.step = f"{frame.operation}({','.join(arguments)})"
    return frame.step
