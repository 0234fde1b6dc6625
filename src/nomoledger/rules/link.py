"""Links the rules in force into one Starlark program.

For each operation the linker writes a small function that asks the rules' hooks in their order
(guards, replacements, before, the definition, after; for values the steps), so that a call from
one rule to another never leaves the interpreter except to note who is acting. Hooks are found
late, through the table `_h`, since a rule may call what a later rule defines.
"""

import ast
import hashlib
import json
import keyword
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec
import starlark

from nomoledger.errors import RulebookError
from nomoledger.rules.code import Code, Hook, read
from nomoledger.rules.rule import Rule

#: Host verbs that rules may hook like operations of their own, with their signatures.
VERBS = {
    "pay": 'payer, payee, amount, why = "", commodity = None',
    "give": 'giver, taker, quantity, commodity, why = ""',
    "mint": 'account, amount, why = "", commodity = None',
    "burn": 'account, amount, why = "", commodity = None',
    "split": 'payer, shares, amount, remainder_to, why = "", commodity = None',
    "move": 'piece, square, mode = "step"',
    "set": "entity, attribute, value, until = None",
    "create": "kind, attributes, name = None",
    "destroy": "entity",
    "act": "player, action, arguments",
}
#: The other host functions a rule may call.
WORDS = (
    "adopt", "all", "amend", "ask", "balance", "cancel", "divide", "draw", "end_game", "enact",
    "find", "get", "history", "kind", "label", "mentioned", "now", "once", "param", "period",
    "refuse", "renumber", "repeal", "reveal", "roll", "rounded", "ruling", "schedule", "settle",
    "use", "where", "within",
)  # fmt: skip
#: Those of them that only look, and not at who is acting.
READS = frozenset(
    (
        "all", "balance", "divide", "find", "get", "history", "kind", "label", "mentioned", "now",
        "param", "period", "rounded", "where",
    )
)  # fmt: skip
#: Words that the prelude defines on top of those.
PRELUDE_WORDS = ("set_to", "add", "times", "at_most", "at_least", "may", "would")
BUILTINS = frozenset(
    (
        "abs", "any", "bool", "dict", "enumerate", "fail", "getattr", "hasattr", "hash", "int",
        "len", "list", "max", "min", "range", "repr", "reversed", "sorted", "str", "struct",
        "tuple", "type", "zip", "True", "False", "None",
    )
)  # fmt: skip
TYPES = ("Number", "Text", "Flag", "Money", "List", "Rule")

_PRELUDE = """
_h = {}
_guards = {}
def set_to(n, why = ""): return ["set", n, why]
def add(n, why = ""): return ["add", n, why]
def times(n, d = 1, why = ""): return ["times", n, why, d]
def at_most(n, why = ""): return ["at_most", n, why]
def at_least(n, why = ""): return ["at_least", n, why]
def get(entity, attribute):
    return _getters[attribute](entity) if attribute in _getters else _get(entity, attribute)
def find(kind, called): return _finders[kind](called) if kind in _finders else _find(kind, called)
def may(operation, *args): return _guards[operation](*args) if operation in _guards else []
def would(operation, *args, see = None): return struct(**_would(operation, args, see))
"""

DIALECT = starlark.Dialect.extended()
DIALECT.enable_types = starlark.DialectTypes.PARSE_ONLY
DIALECT.enable_load = False
DIALECT.enable_f_strings = False
GLOBALS = starlark.Globals.extended_by(
    [starlark.LibraryExtension.StructType, starlark.LibraryExtension.RustDecimal]
)
_NUMBER = re.compile(r"[A-Za-z0-9]+([.-][A-Za-z0-9]+)*")
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_NUMBER_CHARACTERS_MAX = 40
_LINE_MAX = 100_000


class Operation(msgspec.Struct, frozen=True):
    """What the rules in force say about one operation: (rule number, hook) in rule order."""

    name: str
    hooks: tuple[tuple[str, Hook], ...]

    def of(self, *kinds: str) -> list[tuple[str, Hook]]:
        """The hooks of these kinds."""
        return [(number, hook) for number, hook in self.hooks if hook.kind in kinds]

    @property
    def definitions(self) -> list[tuple[str, Hook]]:
        """Who says what the operation is."""
        return self.of("define", "value", "action")

    @property
    def definer(self) -> str:
        """The rule whose definition it is; "" where only its hooks are known."""
        return self.definitions[0][0] if self.definitions else ""

    @property
    def is_value(self) -> bool:
        """Whether it states something instead of doing something."""
        return any(hook.kind in ("value", "adjust") for _, hook in self.hooks)

    @property
    def is_action(self) -> bool:
        """Whether a player may submit it."""
        return any(hook.kind == "action" for _, hook in self.hooks)


class Links(msgspec.Struct, frozen=True):
    """The ruleset as the linker sees it, before anything is compiled."""

    rules: tuple[Rule, ...]
    codes: dict[str, Code]
    operations: dict[str, Operation]
    plain: frozenset[str]
    undefined: dict[str, tuple[str, ...]]

    def rules_with(self, hook: str) -> list[str]:
        """Numbers of the rules that have this hook (`on_enact`)."""
        return [n for n, code in self.codes.items() if any(h.name == hook for h in code.hooks)]


def fingerprint(rules: Iterable[Rule]) -> str:
    """SHA-256 of everything in *rules* that decides what they do."""
    return hashlib.sha256(msgspec.msgpack.encode(tuple(rules))).hexdigest()


def survey(rules: tuple[Rule, ...]) -> Links:
    """Read the code of *rules* and sort their hooks by operation.

    Raises:
        RulebookError: code that cannot be read, or hooks that do not fit together.
    """
    for rule in rules:
        _check_names(rule)
    codes = {rule.number: read(rule) for rule in rules}
    found: dict[str, list[tuple[str, Hook]]] = defaultdict(list)
    for rule in rules:
        for hook in codes[rule.number].hooks:
            _check_capability(rule, hook)
            if hook.kind not in ("check", "on"):
                found[hook.operation].append((rule.number, hook))
    operations = {name: Operation(name, tuple(hooks)) for name, hooks in found.items()}
    links = Links(rules, codes, operations, _plain(rules, operations), {})
    for operation in operations.values():
        _check_operation(links, operation)
    return msgspec.structs.replace(links, undefined=_undefined(links))


def _plain(rules: tuple[Rule, ...], operations: dict[str, Operation]) -> frozenset[str]:
    """Operations of which nobody could tell that they were entered.

    They run straight through, only look, and no other rule has anything to say about them.
    """
    known = READS | BUILTINS
    outsiders = {rule.number for rule in rules if rule.capabilities is not None}
    parameters = {rule.number: frozenset(rule.parameters) for rule in rules}
    while True:
        more = {
            each.name
            for each in operations.values()
            if each.name not in known
            and len(each.hooks) == 1
            and (hook := each.hooks[0][1]).kind in ("define", "value")
            and not hook.loops
            and each.definer not in outsiders
            and hook.uses <= known | parameters[each.definer]
        }
        if not more:
            return known & operations.keys()
        known |= more


def _check_names(rule: Rule) -> None:
    """What becomes part of the program's text must be what it seems to be."""
    if not _NUMBER.fullmatch(rule.number) or len(rule.number) > _NUMBER_CHARACTERS_MAX:
        raise RulebookError(f"{rule.number!r:.60} is no number for a rule: write one like IV.2")
    if not 1 <= rule.line <= _LINE_MAX:
        raise RulebookError(f"rule {rule.number}: its code cannot begin on line {rule.line}")
    for name in (*rule.parameters, *rule.declares):
        if not _NAME.fullmatch(name) or _is_reserved(name):
            raise RulebookError(f"rule {rule.number}: {name!r:.60} is no name: try one like in_row")


def _is_reserved(name: str) -> bool:
    return keyword.iskeyword(name) or name == "load"


def _check_capability(rule: Rule, hook: Hook) -> None:
    allowed = rule.capabilities
    if allowed is not None and hook.name not in allowed.hooks:
        raise RulebookError(
            f"{rule.file or 'rule'}:{rule.line}: rule {rule.number} may not have {hook.name}; "
            f"it is allowed {', '.join(allowed.hooks) or 'no hook'}"
        )


def _check_operation(links: Links, operation: Operation) -> None:
    name, number = operation.name, operation.hooks[0][0]
    if name in BUILTINS or name in WORDS or name in PRELUDE_WORDS or _is_reserved(name):
        raise RulebookError(f"rule {number}: {name} is a word of the language itself")
    if operation.definitions and name in VERBS:
        number = operation.definitions[0][0]
        raise RulebookError(f"rule {number}: {name} is a verb: bend it with instead_{name}")
    signature = _names(_signature(operation))
    for number, hook in operation.hooks:
        given = len(signature) + (hook.kind == "instead")
        if operation.definitions and len(hook.parameters) > given:
            raise RulebookError(
                f"rule {number}: {hook.name} asks for {len(hook.parameters)} arguments, but "
                f"{operation.name} has {given}: ({', '.join(signature)})"
            )


def _undefined(links: Links) -> dict[str, tuple[str, ...]]:
    known = {*VERBS, *WORDS, *PRELUDE_WORDS, *BUILTINS, *TYPES, *links.operations}
    known |= {kind_type(kind) for rule in links.rules for kind in rule.declares}
    found: dict[str, list[str]] = defaultdict(list)
    for rule in links.rules:
        for name in sorted(links.codes[rule.number].free - known - set(rule.parameters)):
            found[name].append(rule.number)
    return {name: tuple(numbers) for name, numbers in found.items()}


@lru_cache(maxsize=1024)
def kind_type(kind: str) -> str:
    """The name of the type of *kind* in annotations: `Square` for square."""
    return "".join(part.capitalize() for part in kind.split("_"))


# --- writing the program ----------------------------------------------------------------------


def _signature(operation: Operation) -> str:
    if operation.definitions:
        _, hook = operation.definitions[0]
        return ", ".join(
            p.name if p.default is None else f"{p.name} = {p.default}" for p in hook.parameters
        )
    if operation.name in VERBS:
        return VERBS[operation.name]
    _, hook = max(operation.hooks, key=lambda each: len(each[1].parameters))
    return ", ".join(p.name for p in hook.parameters[hook.kind == "instead" :])


def _names(signature: str) -> list[str]:
    return [part.split("=")[0].strip() for part in signature.split(",") if part.strip()]


def mark(number: str) -> str:
    """The number of a rule as part of a name in the program."""
    return number.replace(".", "_d").replace("-", "_h")


def _at(number: str) -> str:
    return f"_at_{mark(number)}()"


def _call(number: str, hook: Hook, names: list[str], first: str = "") -> str:
    wanted = len(hook.parameters) - bool(first)
    arguments = ", ".join([*([first] if first else []), *names[:wanted]])
    return f"_h[{json.dumps(number + ':' + hook.name)}]({arguments})"


def write_operation(operation: Operation, *, plain: bool = False) -> str:
    """The Starlark functions that carry out *operation*; where it is *plain*, just its code."""
    signature = _signature(operation)
    names = _names(signature)
    if plain:
        call = _call(*operation.hooks[0], names)
        return f"def {operation.name}({signature}): return {call}\n"
    lines = [*_write_guards(operation, names)]
    replacements = operation.of("instead")
    inner = f"_{operation.name}_do" if replacements else operation.name
    body = _write_body(operation, names, entered=bool(replacements))
    lines += [f"def {inner}({', '.join(names) if replacements else signature}):", *body]
    if replacements:
        lines += _write_chain(operation, signature, names, replacements)
    return "\n".join(lines) + "\n"


def _write_guards(operation: Operation, names: list[str]) -> list[str]:
    guards = operation.of("forbid")
    if not guards:
        return []
    arguments = ", ".join(names)
    lines = [f"def _{operation.name}_guards({arguments}):", "    _look()", "    _no = []"]
    for number, hook in guards:
        call = _call(number, hook, names)
        lines += [f"    {_at(number)}", f"    _why = {call}"]
        lines += ["    if _why != None: _no.append([" + repr(number) + ", _why])"]
    lines += ["    _looked()", "    return _no"]
    lines += [f"def _{operation.name}_may(*args):"]
    pad = f"(list(args) + [None] * {len(names)})[:{len(names)}]"
    lines += ["    _enter_may()"]
    lines += [f"    _no = [_why for _, _why in _{operation.name}_guards(*{pad})]"]
    lines += ["    _leave()", "    return _no"]
    lines += [f"_guards[{operation.name!r}] = _{operation.name}_may"]
    return lines


def _write_body(operation: Operation, names: list[str], *, entered: bool) -> list[str]:
    definitions = operation.definitions
    rule = operation.definer
    lines = [] if entered else [f"    _enter_{operation.name}({', '.join(names)})"]
    if operation.of("forbid"):
        lines += [f"    _no = _{operation.name}_guards({', '.join(names)})"]
        lines += [f"    if _no: _refuse({operation.name!r}, _no)"]
    for number, hook in operation.of("before"):
        lines += [f"    {_at(number)}", f"    {_call(number, hook, names)}"]
    if rule and (entered or len(lines) > 1):
        lines += [f"    {_at(rule)}"]
    lines += _write_definition(operation, names)
    if operation.is_value:
        lines += _write_steps(operation, names)
    for number, hook in operation.of("after"):
        lines += [f"    {_at(number)}", f"    {_call(number, hook, names)}"]
    if not entered:
        lines += ["    _leave_value()" if operation.is_value else "    _leave()"]
    return [*lines, "    return _r"]


def _write_definition(operation: Operation, names: list[str]) -> list[str]:
    definitions = operation.definitions
    if not definitions:
        if operation.name in VERBS:
            return [
                "    _from_caller()",
                f"    _r = _verb_{operation.name}({', '.join(names)})",
            ]
        return ["    _r = None" if not operation.is_value else "    _r = 0"]
    if len(definitions) == 1:
        return [f"    _r = {_call(*definitions[0], names)}"]
    numbers = [number for number, _ in definitions]
    lines = [f"    _which = _choose({operation.name!r}, {numbers!r}, [{', '.join(names)}])"]
    for i, (number, hook) in enumerate(definitions):
        word = "if" if i == 0 else "elif"
        lines += [f"    {word} _which == {number!r}:", f"        {_at(number)}"]
        lines += [f"        _r = {_call(number, hook, names)}"]
    return lines


def _write_steps(operation: Operation, names: list[str]) -> list[str]:
    steps = operation.of("adjust")
    if not steps:
        return []
    lines = ["    _steps = []"]
    for number, hook in steps:
        lines += [f"    {_at(number)}", f"    _s = {_call(number, hook, names)}"]
        lines += [f"    if _s != None: _steps.append([{number!r}, _s])"]
    return [*lines, f"    if _steps: _r = _combine({operation.name!r}, _r, _steps)"]


def _write_chain(
    operation: Operation, signature: str, names: list[str], hooks: list[tuple[str, Hook]]
) -> list[str]:
    name, arguments = operation.name, ", ".join(names)
    leave = "_leave_value" if operation.is_value else "_leave"
    lines = [f"def _{name}_chain(done, place, args):"]
    for i, (number, hook) in enumerate(hooks):
        call = _call(number, hook, [f"args[{k}]" for k in range(len(names))], "proceed")
        lines += [
            f"    if place <= {i} and {i} not in done:",
            f"        {_at(number)}",
            "        def proceed(*new):",
            "            new = list(new) + args[len(new):]",
            "            if new == args:",
            f"                r = _{name}_chain(done, {i + 1}, args)",
            "            else:",
            f"                _alter({number!r}, new)",
            f"                r = _{name}_chain(done + [{i}], 0, new)",
            "                _restore(args)",
            f"            {_at(number)}",
            "            return r",
            f"        return {call}",
        ]
    lines += [f"    return _{name}_do(*args)"]
    lines += [f"def {name}({signature}):", f"    _enter_{name}({arguments})"]
    lines += [f"    _r = _{name}_chain([], 0, [{arguments}])", f"    {leave}()", "    return _r"]
    return lines


def write_rule(rule: Rule, code: Code) -> str:
    """The rule's code inside a function that takes its parameters, at its own line numbers."""
    names = ", ".join(rule.parameters)
    values = ", ".join(_literal(value) for value in rule.parameters.values())
    body = "\n".join(_indented(rule.code))
    table = ", ".join(f"{json.dumps(rule.number + ':' + h.name)}: {h.name}" for h in code.hooks)
    head = "\n" * max(0, rule.line - 2) + f"def _rule({names}):\n"
    return f"{head}{body}\n    return {{{table}}}\n_h.update(_rule({values}))\n"


def _indented(code: str) -> list[str]:
    """The lines of *code*, four columns to the right, but for those within a text."""
    within: set[int] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            within |= set(range(node.lineno, node.end_lineno or node.lineno))
    return [line if i in within else "    " + line for i, line in enumerate(code.split("\n"))]


def _literal(value: Any) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_literal(each) for each in value) + "]"
    if isinstance(value, dict):
        items = (f"{_literal(key)}: {_literal(each)}" for key, each in value.items())
        return "{" + ", ".join(items) + "}"
    raise RulebookError(f"a parameter cannot be {value!r}: whole numbers, text, flags and lists")


def write_program(links: Links) -> list[tuple[str, str, str]]:
    """The sources to evaluate in order, as (rule number or "", file, source)."""
    sources = [("", "prelude", _write_shortcuts(links.rules) + _PRELUDE)]
    types = {kind_type(kind) for rule in links.rules for kind in rule.declares} | set(TYPES)
    sources.append(("", "types", "\n".join(f"{name} = str" for name in sorted(types)) + "\n"))
    stubs = "\n".join(
        f"def {name}(*args, **named): return _undefined({name!r})" for name in links.undefined
    )
    unhooked = "\n".join(f"{v} = _verb_{v}" for v in VERBS if v not in links.operations)
    sources.append(("", "verbs", unhooked + "\n" + stubs + "\n"))
    operations = "\n".join(
        write_operation(each, plain=name in links.plain) for name, each in links.operations.items()
    )
    sources.append(("", "operations", operations))
    for rule in links.rules:
        code = links.codes[rule.number]
        if code.hooks:
            file = rule.file or f"rule-{rule.number}"
            sources.append((rule.number, file, write_rule(rule, code)))
    sources.append(("", "checks", _write_checks(links)))
    return sources


def attributes(rules: Iterable[Rule]) -> list[str]:
    """Every attribute that *rules* declare, once, in order."""
    declared = (name for rule in rules for table in rule.declares.values() for name in table)
    return list(dict.fromkeys(declared))


def kinds(rules: Iterable[Rule]) -> list[str]:
    """Every kind that *rules* declare, once, in order."""
    return list(dict.fromkeys(kind for rule in rules for kind in rule.declares))


def _write_shortcuts(rules: tuple[Rule, ...]) -> str:
    """Tables of words bound to their first argument: each argument that crosses costs a µs."""
    getters = (f"{json.dumps(name)}: _get_{i}" for i, name in enumerate(attributes(rules)))
    finders = (f"{json.dumps(name)}: _find_{i}" for i, name in enumerate(kinds(rules)))
    return f"_getters = {{{', '.join(getters)}}}\n_finders = {{{', '.join(finders)}}}\n"


def _write_checks(links: Links) -> str:
    lines = ["def engine__checks():", "    pass"]
    for rule in links.rules:
        for hook in links.codes[rule.number].hooks:
            if hook.kind == "check":
                key = json.dumps(rule.number + ":" + hook.name)
                lines += [f"    {_at(rule.number)}", f"    _h[{key}]()"]
    lines += ["def engine__hook(rule, name):", "    _at(rule)"]
    lines += ['    return _h[rule + ":" + name]()']
    lines += ["def engine__define(rule, name, args):", "    _at(rule)"]
    lines += ['    return _h[rule + ":" + name](*args)']
    lines += ["def engine__operation(name, args, named):", "    return _ops[name](*args, **named)"]
    table = ", ".join(f"{json.dumps(name)}: {name}" for name in {**links.operations, **VERBS})
    lines += [f"_ops = {{{table}}}"]
    return "\n".join(lines) + "\n"


