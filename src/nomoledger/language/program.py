"""The linked program of a ruleset, and the attempts it carries out."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

import starlark

from nomoledger import events as e
from nomoledger.errors import RulebookError, RuleFault
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Rule
from nomoledger.language import reads
from nomoledger.language.checking import run_checks
from nomoledger.language.code import mechanic_at
from nomoledger.language.codegen import DIALECT, GLOBALS, mark, module_name, write_program
from nomoledger.language.host import PASSES_MAX, Host, Refused, Suspended, TrialOver
from nomoledger.language.host_verbs import host_verbs_of, is_hookable
from nomoledger.language.joined_sources import JoinedSources
from nomoledger.language.linker import analyze_rules, fingerprint
from nomoledger.language.marshalling import (
    declared_attributes,
    declared_kinds,
    frequent_texts,
    light_values,
)
from nomoledger.language.outcomes import TrialOutcome
from nomoledger.language.values import apply_steps
from nomoledger.sandbox import inside
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import World

STACK_MAX = 4_000
#: How many linked rulesets are cached.
PROGRAMS_MAX = 16
#: How many characters of an error message of the interpreter are reported.
MESSAGE_MAX = 400
#: After so many attempts per rule, a program is compiled again, if the game has many things that
#: were not there at first: their names make it faster.
PAYS_AFTER = 10
#: How many times as many things there must be.
MANY_TIMES = 2
#: How many parsed rules are cached: from one ruleset to the next, one rule changes.
PARSED_MAX = 512


class Program:
    """A linked ruleset, which carries out operations through its `Host`.

    It is compiled for the first attempt, when the names of the things in the game are known.

    Attributes:
        ruleset: the rules, with all that decides what they mean.
        rules: the rules in force, in order.
        by_number: the rules by number.
        links: the operations and hooks of the rules.
        commodities: the declared commodities by name.
        money: the game's money: the first commodity; "" if none is declared.
        accounts: the accounts besides those of players and things.
        host: the host of the program.
        is_traced: whether the program reports every step (see `nomoledger.language.tracing`).
        calls_plainly: whether plain operations run without reporting to the host.
        has_names: whether the program is compiled with the names of things, which pays in the long
            run.
    """

    is_traced = False
    calls_plainly = True
    has_names = True

    def __init__(self, ruleset: Ruleset) -> None:
        """Link the rules of *ruleset*.

        Raises:
            RulebookError: the code of the rules cannot be read, or does not fit together.
        """
        self.ruleset = ruleset
        rules = ruleset.rules
        self.by_number = {rule.number: rule for rule in rules}
        self.links = analyze_rules(ruleset)
        self.commodities = ruleset.commodities
        self.money = next(iter(self.commodities), "")
        declared = (name for rule in ruleset.declaring for name in rule.accounts)
        self.accounts = {"mint", "admin", *declared}
        self._names_with_version = {rule.number: rule.name for rule in rules}
        self._cited: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._checks = any(h.kind == "check" for c in self.links.codes.values() for h in c.hooks)
        self.host = self._new_host()
        self._attempts = 0
        self._things = 0
        self._names: tuple[str, ...] = ()
        self._options = starlark.EvalOptions(
            max_callstack_size=STACK_MAX, check_cancelled=lambda: False
        )
        self._compiled: starlark.FrozenModule | None = None
        self._joined = JoinedSources(self.by_number)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in force, in order."""
        return self.ruleset.rules

    @property
    def _module(self) -> starlark.FrozenModule:
        """The compiled program; compiled again after `release`."""
        if self._compiled is None:
            self._compiled = self._compile()
        return self._compiled

    def compile(self, world: World) -> None:
        """Compile the program for *world*, unless that is done.

        Raises:
            RulebookError: the interpreter does not accept the code of a rule.
        """
        if self._compiled is None:
            if self.has_names:
                self._names = frequent_texts(self.links, world.entities)
                self._things = len(world.entities)
            self._compiled = self._compile()

    def release(self) -> None:
        """Free the compiled program; the next call compiles it again.

        The compiled program and the host refer to each other, in a cycle that Python's garbage
        collector cannot see.
        """
        self._compiled = None

    def begin(self, world: World) -> None:
        """Prepare for an attempt on *world*; compile again once that makes up for its time."""
        self._attempts += 1
        is_time = self._attempts == PAYS_AFTER * len(self.rules)
        if is_time and self.has_names and len(world.entities) > MANY_TIMES * self._things:
            self.release()
        self.compile(world)

    @property
    def unreported(self) -> frozenset[str]:
        """The operations that run without reporting to the host."""
        return self.links.plain if self.calls_plainly else frozenset()

    def _new_host(self) -> Host:
        return Host(self)

    def name(self, number: str) -> str:
        """Return number and version of the rule *number*: `VII.2@1`."""
        return self._names_with_version.get(number, number)

    def cite(self, numbers: tuple[str, ...]) -> tuple[str, ...]:
        """Return number and version of each of the rules *numbers*."""
        cited = self._cited.get(numbers)
        if cited is None:
            cited = self._cited[numbers] = tuple(self.name(number) for number in numbers)
        return cited

    def _compile(self) -> starlark.FrozenModule:
        module = starlark.Module()
        for name, function in self._callables().items():
            module.add_callable(name, function)
        module["_one"] = Decimal(1)
        for i, value in enumerate(light_values(self._names)):
            module[f"_light_{i}"] = starlark.OpaquePythonObject(value)
        self._joined = JoinedSources(self.by_number)
        for numbers, file, source in self._joined.join(self._sources()):
            inside.notice(numbers[0])
            if file == "operations":
                self._operations = source
            try:
                parse = _parse if numbers[0] else _parse.__wrapped__
                starlark.eval(module, parse(file, source), GLOBALS)
            except BaseException as error:
                if not _is_interpreter_error(error):
                    raise
                rule, text = self._joined.locate(_one_line(error))
                number = numbers[0] if rule is None else rule.number
                raise RulebookError(f"rule {number}: {text}") from None
        return module.freeze()

    def _sources(self) -> list[tuple[str, str, str]]:
        """Return the sources to evaluate in order, as (rule number or "", file, source)."""
        return write_program(self.links, self._names, self.unreported, traced=self.is_traced)

    def _find_plain_lines(self, source: str) -> dict[int, str]:
        """Return the rule of each plain operation by its line in *source*; each has one line."""
        rules = {}
        for line, text in enumerate(source.splitlines(), 1):
            match = re.match(r"def (\w+)\(", text)
            if match and match[1] in self.unreported:
                rules[line] = self.links.operations[match[1]].definer
        return rules

    def _callables(self) -> dict[str, Callable[..., Any]]:
        """Return the Python functions that generated code and rule code call, by name."""
        host = self.host
        internal: dict[str, Callable[..., Any]] = {
            "_leave": host.leave,
            "_leave_value": host.leave_value,
            "_look": host.look,
            "_looked": host.looked,
            "_at": host.at,
            "_alter": host.alter,
            "_restore": host.restore,
            "_from_caller": host.from_caller,
            "_at_caller": host.at_caller,
            "_refuse": host.refuse_operation,
            "_refusing": host.refusing,
            "_undefined": host.undefined,
            "_would": self._would,
            "_choose": self._choose,
            "_combine": self._combine,
            "_decimal": Decimal,
            "_join_all": partial(reads.join_all, host),
        }
        positions = {None: 0} | {name: position for position, name in enumerate(self._names, 1)}
        internal |= {f"_at_{mark(number)}": partial(host.at, number) for number in self.by_number}
        declaring = tuple(self.ruleset.declaring)
        for i, name in enumerate(declared_attributes(declaring)):
            internal[f"_get_{i}"] = self._getter(name)
            internal[f"_place_get_{i}"] = reads.by_position(self._getter(name), positions)
        for i, name in enumerate(declared_kinds(declaring)):
            internal[f"_find_{i}"] = partial(reads.find, host, name)
            internal[f"_place_find_{i}"] = reads.by_position(internal[f"_find_{i}"], positions)
        internal["_enter_may"] = partial(host.enter, "may", "")
        for operation in self.links.operations.values():
            enter = host.enter_value if operation.is_value else host.enter
            if operation.acts_for_caller:
                enter = partial(host.enter_for_caller, enter)
            internal[f"_enter_{operation.name}"] = partial(enter, operation.name, operation.definer)
        known = host_verbs_of(self.ruleset.level).values()
        verbs = {verb.bound_name: partial(verb.function, host) for verb in known}
        return internal | verbs

    def _getter(self, attribute: str) -> Callable[[str], Any]:
        return reads.getter(self.host, attribute)

    # --- calls

    def call(self, operation: str, *arguments: Any, **named: Any) -> Any:
        """Carry out *operation* within the attempt under way and return its result.

        Raises:
            RuleFault: rule code failed.
            Refused, Suspended, TrialOver: the attempt was stopped.
        """
        if operation not in self.links.operations and not is_hookable(operation):
            self.host.fault(f"no rule in force says what {operation!r:.60} is")
        return self._enter(operation, *arguments, **named)

    def _enter(self, function: str, *arguments: Any, **named: Any) -> Any:
        try:
            return self._module.call_with(self._options, function, *arguments, **named).value
        except BaseException as error:
            if not _is_interpreter_error(error):
                raise
            pending = self.host.pending
            if pending is not None:
                raise pending from None
            raise self._fault(error) from None

    def _fault(self, error: BaseException) -> RuleFault:
        text, rule = self._placed(_one_line(error))
        rule = rule or self.host.frames[-1].rule
        is_certain = isinstance(error, starlark.StarlarkError)
        return RuleFault(f"rule {rule}: {text}", rule=rule, is_certain=is_certain)

    def _placed(self, text: str) -> tuple[str, str | None]:
        """Return *text* with its position as people write it, and the rule at this position."""
        if (position := re.match(r"(.+?):(\d+)(:\d+: )", text)) is None:
            return text, None
        line, message = int(position[2]), text[position.end() :]
        if position[1] == "operations":
            return message, self._find_plain_lines(self._operations).get(line)
        located, text = self._joined.locate(text)
        if located is None:
            return message, None
        line = int(text.removeprefix(module_name(located)).split(":")[1])
        if line > located.line + located.code.rstrip().count("\n"):
            return f"{mechanic_at(located, line - located.line)}: {message}", located.number
        return f"{located.file or 'rule'}:{line}{position[3]}{message}", located.number

    def hook(self, number: str, name: str) -> None:
        """Call the hook *name* (`on_enact`) of the rule *number*, without arguments.

        Afterwards, the rule acts that acted before: else a restricted rule would go on as another.
        """
        frame = self.host.frames[-1]
        acting = frame.rule
        try:
            self._enter("engine__hook", number, name)
        finally:
            if LEVELS[self.ruleset.level].restricts_everything:
                frame.rule = acting

    def settle(self) -> None:
        """Run the checks until none of them changes anything.

        Raises:
            Refused: they still change something after `PASSES_MAX` passes.
        """
        if not self._checks:
            return
        host = self.host
        level = LEVELS[self.ruleset.level]
        if level.suspends_failing_checks or "suspended" in host.world.game:
            run_checks(host)
            return
        for _ in range(PASSES_MAX):
            before, head = len(host.staged), host.world.head
            self._enter("engine__checks")
            if (len(host.staged), host.world.head) == (before, head):
                return
        reason = e.Reason(self.name(host.frames[-1].rule), f"checks never settle ({PASSES_MAX}x)")
        host.stop(Refused([reason]))

    # --- trial runs and conflicts

    def _would(self, operation: str, arguments: list[Any], see: list[Any] | None) -> dict[str, Any]:
        refused, seen, stopped = self._trial(lambda: self.call(operation, *arguments), see)
        return {"refused": refused, "seen": seen, "certain": not stopped}

    def _trial(
        self, act: Callable[[], Any], see: list[Any] | None = None
    ) -> tuple[list[str], Any, bool]:
        """Run *act*, compute the value *see*, and undo everything.

        Returns the reasons of a refusal, the value, and whether *act* stopped at a question.
        """
        host = self.host
        saved = host.staged, host.frames, dict(host.reads), host.pure, host.audience
        mark = host.world.mark()
        host.staged, host.frames, host.pure = list(host.staged), list(host.frames), 0
        host.trials += 1
        refused: list[str] = []
        seen, stopped = None, False
        try:
            try:
                act()
            except Refused as error:
                refused = [reason.text for reason in error.reasons]
            except TrialOver:
                stopped = True
            host.pending = None
            if see is not None:
                host.frames = list(saved[1])
                seen = self.call(see[0], *see[1:])
        finally:
            host.world.rollback(mark)
            host.trials -= 1
            host.staged, host.frames, host.reads, host.pure, host.audience = saved
        return refused, seen, stopped

    def _combine(self, operation: str, base: Any, steps: list[Any]) -> Any:
        try:
            return apply_steps(base, steps, lambda r, o: reads.decide(self.host, operation, r, o))
        except ValueError as error:
            self.host.fault(f"{operation}: {error}")

    def _choose(self, operation: str, rules: list[str], arguments: list[Any]) -> str:
        """Return which of *rules* prevails, all of which define *operation*.

        A trial of each definition shows its effects; if all are equal, the first rule prevails.
        """
        outcomes = [self._outcome(operation, rule, arguments) for rule in rules]
        level = self.host.world.level
        effects = [outcome.effects(level) for outcome in outcomes]
        if all(effect == effects[0] for effect in effects):
            return rules[0]
        return reads.decide(
            self.host, operation, rules, [self._describe(outcome) for outcome in outcomes]
        )

    def _describe(self, outcome: TrialOutcome) -> Any:
        if outcome.refused:
            return [f"refused: {'; '.join(outcome.refused)}"]
        describe = self.host.describe
        return [
            outcome.returned,
            *(describe(event, self.host.world) for event in outcome.events),
        ]

    def _outcome(self, operation: str, rule: str, arguments: list[Any]) -> TrialOutcome:
        """Return what *operation* would do by the definition of *rule*."""
        hooks = self.links.operations[operation].definitions
        name = next(hook.name for number, hook in hooks if number == rule)
        before = len(self.host.staged)
        done: list[TrialOutcome] = []

        def act() -> None:
            returned = self._enter("engine__define", rule, name, arguments)
            done.append(TrialOutcome(returned, tuple(self.host.staged[before:])))

        refused, _, _ = self._trial(act)
        return done[0] if done else TrialOutcome(refused=tuple(refused))


@lru_cache(maxsize=PARSED_MAX)
def _parse(file: str, source: str) -> starlark.AstModule:
    return starlark.parse(file, source, DIALECT)


def _is_interpreter_error(error: BaseException) -> bool:
    """Return whether the interpreter raised *error*; it panics when it runs out of memory."""
    return isinstance(error, starlark.StarlarkError) or type(error).__name__ == "PanicException"


def _one_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    text = next((line for line in lines if line.startswith("error: ")), "error: " + lines[0])[7:]
    positions = [match[1] for line in lines if (match := re.match(r"\s*--> (.*)", line))]
    message = f"{positions[-1]}: {text}" if positions else text
    return message if len(message) <= MESSAGE_MAX else f"{message[:MESSAGE_MAX]} …"


Kind = TypeVar("Kind", bound=Program)


class Linker(Generic[Kind]):
    """Links rules into programs of one class, and caches the programs that were used last.

    Attributes:
        programs: the cached programs by the fingerprint of their rules, the last used last.
    """

    def __init__(self, kind: Callable[[Ruleset], Kind], most: int) -> None:
        """Link into programs of class *kind*, and cache at most *most*."""
        self.programs: OrderedDict[str, Kind] = OrderedDict()
        self._kind = kind
        self._most = most

    def link(self, ruleset: Ruleset) -> Kind:
        """Return the program of *ruleset*: a cached one if equal rules were linked before.

        Raises:
            RulebookError: the rules cannot be linked.
        """
        recent = next(reversed(self.programs.values()), None)
        if recent is not None and recent.ruleset is ruleset:
            return recent
        key = fingerprint(ruleset)
        program = self.programs.pop(key, None) or self._kind(ruleset)
        program.ruleset = ruleset  # Equal rules; the next call recognizes these by identity.
        self.programs[key] = program
        while len(self.programs) > self._most:
            _, oldest = self.programs.popitem(last=False)
            oldest.release()
        return program

    @contextmanager
    def link_as(self, kind: Callable[[Ruleset], Kind]) -> Iterator[None]:
        """Link rules into programs of another *kind* within the block, in a cache of their own."""
        before = self._kind, self.programs
        self._kind, self.programs = kind, OrderedDict()
        try:
            yield
        finally:
            for program in self.programs.values():
                program.release()
            self._kind, self.programs = before


_PLAYED = Linker(Program, PROGRAMS_MAX)


def link(ruleset: Ruleset) -> Program:
    """Return the program that plays *ruleset*, from a shared cache: see `Linker.link`."""
    return _PLAYED.link(ruleset)


#: Make `link` return programs of another kind for a while: see `Linker.link_as`.
link_as = _PLAYED.link_as


__all__ = ["Linker", "Program", "Refused", "Suspended", "link", "link_as"]
