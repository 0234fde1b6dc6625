"""Code generation: the rules in force as one Starlark program.

Each operation becomes a function that calls the hooks of the rules in order: replacements, guards,
before, the definition, for values the steps, after. So a call from one rule to another stays in the
interpreter, and only reports to the host which rule acts. Hooks are looked up in the table `_h`
when they are called, as a rule may call what a later rule defines.
"""

import ast
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import starlark

from nomoledger.errors import RulebookError
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Rule
from nomoledger.language import arithmetic
from nomoledger.language.code import Code, Hook, whole_code
from nomoledger.language.host_verbs import HOST_VERBS, HostVerb
from nomoledger.language.linker import DEFINING
from nomoledger.language.marshalling import write_shortcuts
from nomoledger.language.operations import Links, Operation, kind_type
from nomoledger.language.parameters import is_decimal
from nomoledger.language.prelude import prelude_of
from nomoledger.language.reserved import BUILTINS, TYPES
from nomoledger.language.syntax_tree import nodes_of

DIALECT = starlark.Dialect.extended()
DIALECT.enable_types = starlark.DialectTypes.PARSE_ONLY
DIALECT.enable_load = False
DIALECT.enable_f_strings = False
GLOBALS = starlark.Globals.extended_by(
    [starlark.LibraryExtension.StructType, starlark.LibraryExtension.RustDecimal]
)


def mark(number: str) -> str:
    """Return the *number* of a rule as part of a name in the program."""
    return number.replace(".", "_d").replace("-", "_h")


def _at(number: str) -> str:
    return f"_at_{mark(number)}()"


class _Writer:
    """Writes the functions of one operation.

    Attributes:
        operation: the operation.
        names: the names of its parameters.
        by_position: whether hooks receive its arguments by position.
    """

    def __init__(self, operation: Operation, *, by_position: bool) -> None:
        self.operation = operation
        self.names = operation.names
        self.by_position = by_position

    def call(self, number: str, hook: Hook, names: list[str] | None = None, first: str = "") -> str:
        """Return a call of *hook* with the arguments of the operation, in the variables *names*."""
        given = [first] if first else []
        wanted = hook.parameters[len(given) :]
        variables = self.names if names is None else names
        if self.by_position or hook.kind in DEFINING:
            given += variables[: len(wanted)]
        else:
            known = dict(zip(self.names, variables, strict=True))
            if hook.kind == "after":
                known |= dict.fromkeys(self.operation.result_names, "_r")
            given += [known.get(each.name, each.default or "None") for each in wanted]
        return f"_h[{json.dumps(number + ':' + hook.name)}]({', '.join(given)})"


def write_operation(
    operation: Operation, *, plain: bool = False, traced: bool = False, by_position: bool = False
) -> str:
    """Return the Starlark functions that carry out *operation*.

    If *plain*, the function only calls the one definition. If *traced*, the functions also report
    to the host what the hooks returned. If *by_position*, hooks receive the arguments by position.
    """
    signature, names = operation.signature, operation.names
    writer = _Writer(operation, by_position=by_position)
    if plain:
        call = writer.call(*operation.hooks[0])
        return f"def {operation.name}({signature}): return {call}\n"
    if not operation.happens and not operation.is_value:
        result = _neutral_value(operation.returns) if operation.returns else "None"
        return f"def {operation.name}(*args, **named): return {result}\n"
    lines = [*_write_guards(writer)]
    replacements = operation.of("instead")
    inner = f"_{operation.name}_do" if replacements else operation.name
    body = _write_body(writer, entered=bool(replacements))
    lines += [f"def {inner}({', '.join(names) if replacements else signature}):", *body]
    if replacements:
        lines += _write_chain(writer, signature, replacements)
    if not traced:
        lines = [line for line in lines if not line.lstrip().startswith("_tell(")]
    return "\n".join(lines) + "\n"


def _enter(operation: Operation, names: list[str]) -> str:
    return f"    _enter_{operation.name}({_light_arguments(names)})"


def _light_arguments(names: list[str]) -> str:
    """Return arguments that pass the variables *names* in their light form, if they have one."""
    return ", ".join(f"_light({name})" for name in names)


def _tell(indent: int, kind: str, rule: str, value: str = "None") -> str:
    """Return a line that reports to the host. Only traced programs keep such lines."""
    return f"{' ' * indent}_tell({kind!r}, {rule!r}, {value})"


def _write_guards(writer: _Writer) -> list[str]:
    operation, names = writer.operation, writer.names
    guards = operation.of("forbid")
    if not guards:
        return []
    arguments = ", ".join(names)
    lines = [f"def _{operation.name}_guards({arguments}):", "    _look()", "    _no = []"]
    for number, hook in guards:
        call = writer.call(number, hook)
        by = repr(number)
        lines += [f"    {_at(number)}", f"    _why = {call}"]
        if hook.mechanic:
            lines += [f"    _by = _refusing({by}, {hook.name!r}) if _why != None else {by}"]
            by = "_by"
        lines += [f"    _tell('guard', {by}, _why)"]
        lines += [f"    if _why != None: _no.append([{by}, _why])"]
    lines += ["    _looked()", "    return _no"]
    lines += [f"def _{operation.name}_may(*args):"]
    pad = f"(list(args) + [None] * {len(names)})[:{len(names)}]"
    lines += ["    _enter_may()"]
    lines += [f"    _no = [_why for _, _why in _{operation.name}_guards(*{pad})]"]
    lines += ["    _leave()", "    return _no"]
    lines += [f"_guards[{operation.name!r}] = _{operation.name}_may"]
    return lines


def _write_body(writer: _Writer, *, entered: bool) -> list[str]:
    operation, names = writer.operation, writer.names
    rule = operation.definer
    lines = [] if entered else [_enter(operation, names)]
    if operation.of("forbid"):
        lines += [f"    _no = _{operation.name}_guards({', '.join(names)})"]
        lines += [f"    if _no: _refuse({operation.name!r}, _no)"]
    for number, hook in operation.of("before"):
        lines += [_tell(4, "before", number)]
        lines += [f"    {_at(number)}", f"    {writer.call(number, hook)}"]
    if rule and (entered or len(lines) > 1):
        is_callers = operation.acts_for_caller
        lines += [f"    {f'_at_caller({rule!r})' if is_callers else _at(rule)}"]
    lines += _write_definition(writer)
    if operation.is_value:
        lines += _write_steps(writer)
    if operation.is_value:
        lines += [_tell(4, "result", rule, "_r")]
    for number, hook in operation.of("after"):
        lines += [_tell(4, "after", number)]
        lines += [f"    {_at(number)}", f"    {writer.call(number, hook)}"]
    if not entered:
        lines += ["    _leave_value()" if operation.is_value else "    _leave()"]
    return [*lines, "    return _r"]


def _write_definition(writer: _Writer) -> list[str]:
    operation, names = writer.operation, writer.names
    definitions = operation.definitions
    if not definitions:
        if operation.name in HOST_VERBS:
            return [
                "    _from_caller()",
                f"    _r = {HOST_VERBS[operation.name].bound_name}({_light_arguments(names)})",
            ]
        if not operation.is_value:
            return ["    _r = None"]
        return [f"    _r = {_neutral_value(operation.returns)}"]
    if len(definitions) == 1:
        return [f"    _r = {writer.call(*definitions[0])}"]
    numbers = [number for number, _ in definitions]
    lines = [f"    _which = _choose({operation.name!r}, {numbers!r}, [{', '.join(names)}])"]
    lines += ["    _r = None"]
    for number, hook in definitions:  # not `elif`, which the interpreter nests
        lines += [f"    if _which == {number!r}:", f"        {_at(number)}"]
        lines += [f"        _r = {writer.call(number, hook)}"]
    return lines


def _neutral_value(type_: str) -> str:
    """Return the value of *type_* that stands for nothing, as code; unknown types count as 0."""
    if type_ in ("", "Number", "Money", "Duration"):
        return "0"
    return {"Flag": "False", "List": "[]"}.get(type_, "None")


def _write_steps(writer: _Writer) -> list[str]:
    operation = writer.operation
    steps = operation.of("adjust")
    if not steps:
        return []
    lines = ["    _steps = []"]
    for number, hook in steps:
        lines += [f"    {_at(number)}", f"    _s = {writer.call(number, hook)}"]
        lines += [_tell(4, "step", number, "_s")]
        lines += [f"    if _s != None: _steps.append([{number!r}, _s])"]
    return [*lines, f"    if _steps: _r = _combine({operation.name!r}, _r, _steps)"]


def _write_chain(writer: _Writer, signature: str, hooks: list[tuple[str, Hook]]) -> list[str]:
    operation, names = writer.operation, writer.names
    name, arguments = operation.name, ", ".join(names)
    leave = "_leave_value" if operation.is_value else "_leave"
    lines = [f"def _{name}_chain(done, place, args):"]
    for i, (number, hook) in enumerate(hooks):
        call = writer.call(number, hook, [f"args[{k}]" for k in range(len(names))], "proceed")
        lines += [
            f"    if place <= {i} and {i} not in done:",
            f"        {_at(number)}",
            _tell(8, "instead", number),
            "        def proceed(*new):",
            "            new = list(new) + args[len(new):]",
            "            if new == args:",
            f"                r = _{name}_chain(done, {i + 1}, args)",
            "            else:",
            f"                _alter({number!r}, new)",
            _tell(16, "altered", number, "new"),
            f"                r = _{name}_chain(done + [{i}], 0, new)",
            "                _restore(args)",
            f"            {_at(number)}",
            "            return r",
            f"        return {call}",
        ]
    lines += [f"    return _{name}_do(*args)"]
    lines += [f"def {name}({signature}):", _enter(operation, names)]
    lines += [f"    _r = _{name}_chain([], 0, [{arguments}])", f"    {leave}()", "    return _r"]
    return lines


def write_rule(rule: Rule, code: Code, level: int) -> str:
    """Return the code of *rule*, in a game of *level*, in a function of its parameters.

    The code begins on the second line.
    """
    names = ", ".join(rule.parameters)
    values = ", ".join(
        f"_decimal({json.dumps(value)})"
        if name in rule.units and is_decimal(value)
        else _literal(value)
        for name, value in rule.parameters.items()
    )
    body = "\n".join(_indented(arithmetic.rewrite_arithmetic(whole_code(rule), level)))
    table = ", ".join(f"{json.dumps(rule.number + ':' + h.name)}: {h.name}" for h in code.hooks)
    return f"def _rule({names}):\n{body}\n    return {{{table}}}\n_h.update(_rule({values}))\n"


@lru_cache(maxsize=4096)
def _indented(code: str) -> list[str]:
    """Return the lines of *code* indented by four columns, except lines that begin in a text."""
    in_text: set[int] = set()
    # Only a text in three quotation marks, or with a line that goes on, has several lines.
    may_have_lines = any(mark in code for mark in ('"""', "'''", "\\\n"))
    for node in nodes_of(ast.parse(code)) if may_have_lines else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            in_text |= set(range(node.lineno, node.end_lineno or node.lineno))
    return [line if i in in_text else "    " + line for i, line in enumerate(code.split("\n"))]


def _literal(value: Any) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    if isinstance(value, dict):
        items = (f"{_literal(key)}: {_literal(item)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    raise RulebookError(f"a parameter cannot be {value!r}: whole numbers, text, flags and lists")


def write_program(
    links: Links,
    names: Sequence[str] = (),
    unreported: frozenset[str] = frozenset(),
    *,
    traced: bool = False,
) -> list[tuple[str, str, str]]:
    """Return the sources to evaluate, in order, as (rule number or "", file, source).

    *names* are the texts with a light form (`nomoledger.language.marshalling`). The operations
    *unreported* do not report to the host.
    """
    sources = [("", "arithmetic", source) for source in arithmetic.SOURCES]
    level, declaring = links.ruleset.level, tuple(links.ruleset.declaring)
    sources.append(("", "prelude", write_shortcuts(declaring, names) + prelude_of(level)))
    types = {kind_type(kind) for rule in declaring for kind in rule.declares} | set(TYPES)
    types -= BUILTINS if LEVELS[level].reserves_words else frozenset()
    sources.append(("", "types", "\n".join(f"{name} = str" for name in sorted(types)) + "\n"))
    stubs = "\n".join(
        f"def {name}(*args, **named): return _undefined({name!r})" for name in links.undefined
    )
    unhooked = "\n".join(
        _write_verb(verb)
        for verb in HOST_VERBS.values()
        if verb.is_hookable and verb.name not in links.operations
    )
    sources.append(("", "verbs", unhooked + "\n" + stubs + "\n"))
    operations = "\n".join(
        write_operation(
            operation,
            plain=name in unreported,
            traced=traced,
            by_position=links.binds_by_position,
        )
        for name, operation in links.operations.items()
    )
    sources.append(("", "operations", operations))
    for rule in links.rules:
        code = links.codes[rule.number]
        if code.hooks:
            sources.append((rule.number, module_name(rule), write_rule(rule, code, level)))
    sources.append(("", "checks", _write_checks(links)))
    return sources


def module_name(rule: Rule) -> str:
    """Return the name under which the interpreter reports positions in the code of *rule*."""
    return f"{rule.file or 'rule'}#{rule.number}"


def line_in_file(rule: Rule, line: int) -> int:
    """Return the line in the file of *rule* of a *line* of what `write_rule` returns, from 1."""
    return line + max(rule.line, 2) - 2


def _write_verb(verb: HostVerb) -> str:
    names = Operation(verb.name, ()).names
    return f"def {verb.name}({verb.signature}): return {verb.bound_name}({_light_arguments(names)})"


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
    return "\n".join(lines) + "\n"
