"""The linked program of a ruleset, and the attempts it carries out."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

import starlark
from msgspec.structs import replace

from nomoledger import events as e
from nomoledger.errors import RulebookError, RuleFault
from nomoledger.events.rules import Rule
from nomoledger.language import reads
from nomoledger.language.codegen import DIALECT, GLOBALS, WRAPPED, mark, write_program
from nomoledger.language.host import PASSES_MAX, Host, Refused, Suspended, TrialOver
from nomoledger.language.lexicon import HOOKABLE, PLAIN
from nomoledger.language.linker import VERBS, Links, analyze_rules, fingerprint
from nomoledger.language.marshalling import attributes, kinds, light_values, names
from nomoledger.language.outcomes import TrialOutcome
from nomoledger.language.values import combine
from nomoledger.sandbox import child
from nomoledger.state.world import World

STACK_MAX = 4_000
PROGRAMS_MAX = 16
TOLD_MAX = 400
#: After how many attempts, times its rules, a program is compiled anew with the names of things.
PAYS_AFTER = 10
#: How many rules' sources are kept parsed: what changes from one ruleset to the next is a rule.
PARSED_MAX = 512


class Program:
    """A ruleset, linked. Carries operations out through its `Host`."""

    #: Whether the program tells its host every step (see `nomoledger.language.tracing`).
    is_traced = False
    #: Whether operations that nothing hooks are called without telling the host that they begin.
    calls_plainly = True

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.rules = rules
        self.by_number = {rule.number: rule for rule in rules}
        self.links = self._surveyed(rules)
        self.commodities = {n: each for rule in rules for n, each in rule.commodities.items()}
        self.money = next(iter(self.commodities), "")
        self.accounts = {"mint", "admin", *(name for rule in rules for name in rule.accounts)}
        self._called = {rule.number: rule.name for rule in rules}
        self._cited: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._checks = any(h.kind == "check" for c in self.links.codes.values() for h in c.hooks)
        self.host = self._host()
        self._attempts = 0
        self._names: tuple[str, ...] = ()
        self._options = starlark.EvalOptions(
            max_callstack_size=STACK_MAX, check_cancelled=lambda: False
        )
        self._compiled: starlark.FrozenModule | None = self._compile()

    @property
    def _module(self) -> starlark.FrozenModule:
        """The rules as the interpreter has them."""
        if self._compiled is None:
            self._compiled = self._compile()
        return self._compiled

    def let_go(self) -> None:
        """Give the interpreter's memory back; it is compiled anew if it is called once more.

        A module holds on to the host's words and these to the module, which Python cannot see.
        """
        self._compiled = None

    def begin(self, world: World) -> None:
        """An attempt begins on *world*; the program is compiled anew where that pays by now."""
        self._attempts += 1
        if self._attempts == PAYS_AFTER * len(self.rules) and not self.is_traced:
            self._names = names(self.links, world.entities)
            self.let_go()

    def _host(self) -> Host:
        return Host(self)

    def _surveyed(self, rules: tuple[Rule, ...]) -> Links:
        links = analyze_rules(rules)
        return links if self.calls_plainly else replace(links, plain=frozenset())

    def name(self, number: str) -> str:
        """Number and version of a rule: `VII.2@1`."""
        return self._called.get(number, number)

    def cite(self, numbers: tuple[str, ...]) -> tuple[str, ...]:
        """`name` of each."""
        cited = self._cited.get(numbers)
        if cited is None:
            cited = self._cited[numbers] = tuple(self.name(number) for number in numbers)
        return cited

    def _compile(self) -> starlark.FrozenModule:
        module = starlark.Module()
        for name, function in self._words().items():
            module.add_callable(name, function)
        module["_one"] = Decimal(1)
        for i, each in enumerate(light_values(self._names)):
            module[f"_light_{i}"] = starlark.OpaquePythonObject(each)
        for number, file, source in self._sources():
            child.notice(number)
            if file == "operations":
                self._operations = source
            try:
                parse = _parse if number else _parse.__wrapped__
                starlark.eval(module, parse(file, source), GLOBALS)
            except BaseException as error:
                if not _is_the_interpreters(error):
                    raise
                raise RulebookError(f"rule {number}: {_one_line(error)}") from None
        return module.freeze()

    def _sources(self) -> list[tuple[str, str, str]]:
        """The sources to evaluate in order, as (rule number or "", file, source)."""
        return write_program(self.links, self._names, traced=self.is_traced)

    def _outlined(self, source: str) -> dict[int, str]:
        """Whose the plain operations are that stand, one a line, in the *source* of operations."""
        found = {}
        for line, text in enumerate(source.splitlines(), 1):
            match = re.match(r"def (\w+)\(", text)
            if match and match[1] in self.links.plain:
                found[line] = self.links.operations[match[1]].definer
        return found

    def _words(self) -> dict[str, Callable[..., Any]]:
        host = self.host
        ours: dict[str, Callable[..., Any]] = {
            "_leave": host.leave,
            "_leave_value": host.leave_value,
            "_look": host.look,
            "_looked": host.looked,
            "_at": host.at,
            "_alter": host.alter,
            "_restore": host.restore,
            "_from_caller": host.from_caller,
            "_refuse": host.refuse_operation,
            "_undefined": host.undefined,
            "_would": self._would,
            "_choose": self._choose,
            "_combine": self._combine,
        }
        places = {None: 0} | {name: place for place, name in enumerate(self._names, 1)}
        ours |= {f"_at_{mark(number)}": partial(host.at, number) for number in self.by_number}
        for i, name in enumerate(attributes(self.rules)):
            ours[f"_get_{i}"] = self._getter(name)
            ours[f"_place_get_{i}"] = reads.placed(self._getter(name), places)
        for i, name in enumerate(kinds(self.rules)):
            ours[f"_find_{i}"] = partial(reads.find, host, name)
            ours[f"_place_find_{i}"] = reads.placed(ours[f"_find_{i}"], places)
        ours["_enter_may"] = partial(host.enter, "may", "")
        for operation in self.links.operations.values():
            enter = host.enter_value if operation.is_value else host.enter
            ours[f"_enter_{operation.name}"] = partial(enter, operation.name, operation.definer)
        plain = {name: partial(function, host) for name, function in PLAIN.items()}
        plain |= {f"_{name}": plain.pop(name) for name in WRAPPED}
        hookable = {f"_verb_{name}": partial(each, host) for name, each in HOOKABLE.items()}
        return ours | plain | hookable

    def _getter(self, attribute: str) -> Callable[[str], Any]:
        return reads.getter(self.host, attribute)

    # --- calling into it

    def call(self, operation: str, *arguments: Any, **named: Any) -> Any:
        """Carry out *operation* within the attempt under way, and give what it returns."""
        if operation not in self.links.operations and operation not in VERBS:
            self.host.fault(f"no rule in force says what {operation!r:.60} is")
        return self._enter(operation, *arguments, **named)

    def _enter(self, function: str, *arguments: Any, **named: Any) -> Any:
        try:
            return self._module.call_with(self._options, function, *arguments, **named).value
        except BaseException as error:
            if not _is_the_interpreters(error):
                raise
            pending = self.host.pending
            if pending is not None:
                raise pending from None
            raise self._fault(error) from None

    def _fault(self, error: BaseException) -> RuleFault:
        text = _one_line(error)
        rule = self._rule_at(text) or self.host.frames[-1].rule
        return RuleFault(f"rule {rule}: {text}", rule=rule)

    def _rule_at(self, text: str) -> str | None:
        """The rule in whose code the place at the beginning of *text* lies (`mail.md:81:30: …`)."""
        if (place := re.match(r"(.+?):(\d+):\d+: ", text)) is None:
            return None
        line = int(place[2])
        if place[1] == "operations":
            return self._outlined(self._operations).get(line)
        for rule in self.rules:
            last = rule.line + rule.code.count("\n")
            if place[1] == (rule.file or f"rule-{rule.number}") and rule.line <= line <= last:
                return rule.number
        return None

    def hook(self, number: str, name: str) -> None:
        """Call a hook that takes nothing (`on_enact`) of rule *number*."""
        self._enter("engine__hook", number, name)

    def settle(self) -> None:
        """Ask the checks until none changes anything."""
        if not self._checks:
            return
        host = self.host
        for _ in range(PASSES_MAX):
            before, head = len(host.staged), host.world.head
            self._enter("engine__checks")
            if (len(host.staged), host.world.head) == (before, head):
                return
        reason = e.Reason(self.name(host.frames[-1].rule), f"checks never settle ({PASSES_MAX}x)")
        host.stop(Refused([reason]))

    # --- trial runs and conflicts

    def _would(self, operation: str, arguments: list[Any], see: list[Any] | None) -> dict[str, Any]:
        refused, seen, over = self._trial(lambda: self.call(operation, *arguments), see)
        return {"refused": refused, "seen": seen, "certain": not over}

    def _trial(
        self, act: Callable[[], Any], see: list[Any] | None = None
    ) -> tuple[list[str], Any, bool]:
        host = self.host
        kept = host.staged, host.frames, dict(host.reads), host.pure
        mark = host.world.mark()
        host.staged, host.frames, host.pure = list(host.staged), list(host.frames), 0
        host.trials += 1
        refused: list[str] = []
        seen, over = None, False
        try:
            try:
                act()
            except Refused as error:
                refused = [reason.text for reason in error.reasons]
            except TrialOver:
                over = True
            host.pending = None
            if see is not None:
                host.frames = list(kept[1])
                seen = self.call(see[0], *see[1:])
        finally:
            host.world.rollback(mark)
            host.trials -= 1
            host.staged, host.frames, host.reads, host.pure = kept
        return refused, seen, over

    def _combine(self, operation: str, base: Any, steps: list[Any]) -> Any:
        try:
            return combine(base, steps, lambda r, o: reads.decide(self.host, operation, r, o))
        except ValueError as error:
            self.host.fault(f"{operation}: {error}")

    def _choose(self, operation: str, rules: list[str], arguments: list[Any]) -> str:
        outcomes = [self._outcome(operation, rule, arguments) for rule in rules]
        level = self.host.world.level
        effects = [outcome.effects(level) for outcome in outcomes]
        if all(each == effects[0] for each in effects):
            return rules[0]
        return reads.decide(self.host, operation, rules, [self._described(x) for x in outcomes])

    def _described(self, outcome: TrialOutcome) -> Any:
        if outcome.refused:
            return [f"refused: {'; '.join(outcome.refused)}"]
        describe = self.host.describe
        return [
            outcome.returned,
            *(describe(event, str, self.commodities) for event in outcome.events),
        ]

    def _outcome(self, operation: str, rule: str, arguments: list[Any]) -> TrialOutcome:
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


def _is_the_interpreters(error: BaseException) -> bool:
    """Whether the interpreter raised it; it panics where it runs out of room."""
    return isinstance(error, starlark.StarlarkError) or type(error).__name__ == "PanicException"


def _one_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    what = next((line for line in lines if line.startswith("error: ")), "error: " + lines[0])
    place = [m[1] for line in lines if (m := re.match(r"\s*--> (.*)", line))]
    told = f"{place[-1]}: {what[7:]}" if place else what[7:]
    return told if len(told) <= TOLD_MAX else f"{told[:TOLD_MAX]} …"


Kind = TypeVar("Kind", bound=Program)


class Linker(Generic[Kind]):
    """Links rules into programs of one *kind*, and keeps the *most* that were last in use.

    Attributes:
        programs: those that are kept, the latest last.
    """

    def __init__(self, kind: Callable[[tuple[Rule, ...]], Kind], most: int) -> None:
        self.programs: OrderedDict[str, Kind] = OrderedDict()
        self._kind = kind
        self._most = most

    def link(self, rules: tuple[Rule, ...]) -> Kind:
        """The program of *rules*, the very one where they were linked before and it is kept.

        Raises:
            RulebookError: the rules cannot be linked.
        """
        recent = next(reversed(self.programs.values()), None)
        if recent is not None and recent.rules is rules:
            return recent
        key = fingerprint(rules)
        program = self.programs.pop(key, None) or self._kind(rules)
        program.rules = rules  # equal ones, known at a glance the next time
        self.programs[key] = program
        while len(self.programs) > self._most:
            _, oldest = self.programs.popitem(last=False)
            oldest.let_go()
        return program

    @contextmanager
    def link_as(self, kind: Callable[[tuple[Rule, ...]], Kind]) -> Iterator[None]:
        """Within the block, link rules into programs of another *kind*, which are kept apart."""
        before = self._kind, self.programs
        self._kind, self.programs = kind, OrderedDict()
        try:
            yield
        finally:
            for program in self.programs.values():
                program.let_go()
            self._kind, self.programs = before


_PLAYED = Linker(Program, PROGRAMS_MAX)
#: The program of some rules, as they are played: see `Linker.link`.
link = _PLAYED.link
#: Has `link` make programs of another kind for a while: see `Linker.link_as`.
link_as = _PLAYED.link_as


__all__ = ["Linker", "Program", "Refused", "Suspended", "link", "link_as"]
