"""The parser of rule code, which does not run it.

Starlark is close enough to Python for Python's own parser. What Starlark lacks (classes, imports,
while, try …) is refused here, with its line. So is what the two may read differently (control
characters, letters other than ASCII in names), and what would run while the rules are linked:
outside its functions, code may only state constants.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import msgspec

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule
from nomoledger.language.syntax_tree import depth_of, nodes_of

#: The kinds of hooks: the first word of their names.
KINDS = (
    "define", "value", "action", "adjust", "instead", "forbid", "before", "after", "check", "on",
)  # fmt: skip
_HOOK = re.compile(rf"({'|'.join(KINDS)})_([a-z][a-z0-9_]*)$")
_CODE_CHARACTERS_MAX = 40_000
_DEPTH_MAX = 250
_ALLOWED = (
    ast.FunctionDef, ast.Return, ast.Assign, ast.AugAssign, ast.For, ast.If, ast.Expr, ast.Pass,
    ast.Break, ast.Continue,
)  # fmt: skip
_TOP_LEVEL = (ast.FunctionDef, ast.Assign, ast.Expr, ast.Pass)
#: Functions of the language that return a list, and functions that return a number.
_LISTING = ("all", "holdings", "list", "range", "reversed", "roll", "sorted", "where")
_COUNTING = (
    "abs",
    "balance",
    "count",
    "divide",
    "len",
    "tallied",
    "now",
    "period",
    "rounded",
    "sum",
)
#: Returns the error of a text and a line of the code.
_ErrorAt = Callable[..., RulebookError]


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a hook.

    Attributes:
        name: its name.
        type: its annotation, as written; "" if there is none.
        default: its default, as written; None if there is none.
    """

    name: str
    type: str = ""
    default: str | None = None


class Hook(msgspec.Struct, frozen=True):
    """A function of a rule that the engine calls.

    Attributes:
        kind: one of `KINDS`.
        operation: the operation that it defines or hooks.
        parameters: its parameters, in order.
        doc: its docstring.
        uses: the names in it that are defined outside of it.
        loops: whether it has a loop.
        returns: the type of the result, as annotated or as the code shows; "" if unknown.
        returned: the one name that it returns, such as that of a parameter; "" if there is none.
        is_empty: whether it does nothing: other rules react to it.
        line: its line in the code, from 1.
        mechanic: the mechanic that it is part of; "" if it is the rule's own.
    """

    kind: str
    operation: str
    parameters: tuple[Parameter, ...]
    doc: str = ""
    uses: frozenset[str] = frozenset()
    loops: bool = False
    returns: str = ""
    returned: str = ""
    is_empty: bool = False
    line: int = 1
    mechanic: str = ""

    @property
    def name(self) -> str:
        """The name of the function: `after_land`."""
        return f"{self.kind}_{self.operation}"


class Call(msgspec.Struct, frozen=True):
    """A call of a function by name.

    Attributes:
        name: the name of the function.
        constants: the positional arguments; None for those that are not constants.
        keywords: the named arguments, likewise.
        line: its line in the code, from 1.
    """

    name: str
    constants: tuple[object, ...]
    keywords: dict[str, object]
    line: int


class Code(msgspec.Struct, frozen=True):
    """The parsed code of one rule.

    Attributes:
        hooks: its hooks, in order.
        free: the names that the code uses but does not define.
        calls: the calls in it.
        functions: the names of its functions.
    """

    hooks: tuple[Hook, ...] = ()
    free: frozenset[str] = frozenset()
    calls: tuple[Call, ...] = ()
    functions: frozenset[str] = frozenset()


def parse_code(rule: Rule) -> Code:
    """Return the parsed code of *rule* and of the mechanics that it uses.

    A function of the rule takes the place of a function of a mechanic with the same name.

    Raises:
        RulebookError: the code is not in the language of rules; names the line.
    """
    mechanics = tuple(rule.mechanics.items())
    file = rule.file or f"rule {rule.number}"
    return _parse_all(rule.code, file, rule.line, rule.number, mechanics)


@lru_cache(maxsize=4096)
def _parse_all(
    text: str, file: str, line: int, number: str, mechanics: tuple[tuple[str, str], ...]
) -> Code:
    code = _parse(text, file, line, number)
    for name, added in mechanics:
        code = _with_mechanic(code, _parse(added, f"mechanic {name}", 1, number), name)
    return code


def _with_mechanic(code: Code, added: Code, mechanic: str) -> Code:
    hooks = (
        msgspec.structs.replace(hook, mechanic=mechanic)
        for hook in added.hooks
        if hook.name not in code.functions
    )
    functions = code.functions | added.functions
    return Code(
        hooks=(*code.hooks, *hooks),
        free=(code.free | added.free) - functions,
        calls=code.calls + added.calls,
        functions=functions,
    )


def whole_code(rule: Rule) -> str:
    """Return the code of *rule*, followed by what it uses of its mechanics."""
    *_, (_, code) = _growing(rule)
    return code


def mechanic_at(rule: Rule, line: int) -> str:
    """Return which mechanic the code of *rule* has at *line* of the whole, counted from 0."""
    grown = _growing(rule)
    return next((name for name, code in grown if name and line <= code.count("\n")), "")


def _growing(rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield the code of *rule*, and then, by the name of each mechanic, the code up to its end."""
    code = rule.code
    yield "", code
    for name, text in rule.mechanics.items():
        own = _parse(code, name, 1, rule.number).functions
        code = f"{code.rstrip()}\n\n{_without(text, own)}"
        yield name, code


@lru_cache(maxsize=1024)
def _without(code: str, functions: frozenset[str]) -> str:
    """Return *code* without these *functions*."""
    lines: list[str | None] = list(code.splitlines())
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            assert node.end_lineno is not None
            for i in range(node.lineno - 1, node.end_lineno):
                lines[i] = None
    return "\n".join(line for line in lines if line is not None) + "\n"


@lru_cache(maxsize=4096)
def _parse(code: str, file: str, line: int, number: str) -> Code:
    def error_at(text: str, at: int = 1) -> RulebookError:
        return RulebookError(f"{file}:{line + at - 1}: rule {number}: {text}")

    if len(code) > _CODE_CHARACTERS_MAX:
        raise error_at(
            f"the code has {len(code)} characters, at most {_CODE_CHARACTERS_MAX} are read"
        )
    if unprintable := [letter for letter in code if not letter.isprintable() and letter != "\n"]:
        at = code[: code.index(unprintable[0])].count("\n") + 1
        raise error_at(f"the character {unprintable[0]!r} cannot stand in code: write spaces", at)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # They differ between versions of Python.
            tree = ast.parse(code)
    except SyntaxError as error:
        raise error_at(f"{error.msg}: {(error.text or '').strip()!r}", error.lineno or 1) from None
    except (RecursionError, MemoryError):
        raise error_at("the code is nested too deeply") from None
    except ValueError as error:
        raise error_at(f"the code cannot be read: {error}") from None
    if depth_of(tree) > _DEPTH_MAX:
        raise error_at("the code is nested too deeply")
    nodes = nodes_of(tree)
    for node in nodes:
        _check(node, error_at)
    for statement in tree.body:
        _check_top_level(statement, error_at)
    hooks = tuple(_hook(node, error_at) for node in tree.body if _is_hook(node))
    functions = frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return Code(hooks, frozenset(_free_names(nodes)), tuple(_calls(nodes)), functions)


def _check(node: ast.AST, error_at: _ErrorAt) -> None:
    at = getattr(node, "lineno", 1)
    if isinstance(node, ast.stmt) and not isinstance(node, _ALLOWED):
        raise error_at(f"{type(node).__name__.lower()} is not part of the language of rules", at)
    if _is_reserved_name(name := _name_in(node)):
        raise error_at(f"names with _ in front or __ within are the engine's own: {name}", at)
    if isinstance(node, ast.Constant) and isinstance(node.value, float | complex | bytes):
        raise error_at(f"{node.value!r} is not exact: write whole numbers, or divide(a, b)", at)
    if isinstance(node, ast.JoinedStr | ast.NamedExpr) or name == "load" or not name.isascii():
        raise error_at(f"{name or type(node).__name__} is not part of the language of rules", at)


def _check_top_level(node: ast.stmt, error_at: _ErrorAt) -> None:
    """Check that *node* calls nothing, as it runs while the rules are linked."""
    if not isinstance(node, _TOP_LEVEL):
        raise error_at(f"{type(node).__name__.lower()} can only stand in a function", node.lineno)
    executed: list[ast.AST] = [node]
    if isinstance(node, ast.FunctionDef):
        executed = [
            *node.decorator_list,
            *filter(None, [*node.args.defaults, *node.args.kw_defaults]),
        ]
    for part in executed:
        if any(isinstance(inner, ast.Call) for inner in ast.walk(part)):
            raise error_at("outside its functions, code can call nothing", node.lineno)


def _name_in(node: ast.AST) -> str:
    for field in ("id", "attr", "name", "arg"):
        name = getattr(node, field, None)
        if isinstance(name, str):
            return name
    return ""


def _is_reserved_name(name: str) -> bool:
    return name.startswith("_") or "__" in name


def _is_hook(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and _HOOK.match(node.name) is not None


def _hook(node: ast.stmt, error_at: _ErrorAt) -> Hook:
    assert isinstance(node, ast.FunctionDef)
    match = _HOOK.match(node.name)
    assert match is not None
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        raise error_at(f"{node.name} must name its parameters plainly", node.lineno)
    required = len(arguments.args) - len(arguments.defaults)
    for default in arguments.defaults:
        if not isinstance(default, ast.Constant) and ast.unparse(default) != "[]":
            text = "a default is a number, a text, a flag, None or []"
            raise error_at(f"{node.name}: {text}", node.lineno)
    parameters = tuple(
        Parameter(
            argument.arg,
            ast.unparse(argument.annotation) if argument.annotation else "",
            ast.unparse(arguments.defaults[i - required]) if i >= required else None,
        )
        for i, argument in enumerate(arguments.args)
    )
    if match[1] == "on" and match[2] not in ("enact", "repeal"):
        raise error_at(f"{node.name}: there is on_enact and on_repeal", node.lineno)
    body = nodes_of(*node.body)
    uses = frozenset(_free_names(body)) - {argument.arg for argument in arguments.args}
    loops = any(isinstance(inner, ast.For | ast.comprehension) for inner in body)
    return Hook(
        kind=match[1],
        operation=match[2],
        parameters=parameters,
        doc=ast.get_docstring(node) or "",
        uses=uses,
        loops=loops,
        returns=ast.unparse(node.returns) if node.returns else _returned_type(body),
        returned=_returned_name(body),
        is_empty=all(map(_does_nothing, node.body)),
        line=node.lineno,
    )


def _returned_name(nodes: list[ast.AST]) -> str:
    values = [node.value for node in nodes if isinstance(node, ast.Return)]
    names = {value.id if isinstance(value, ast.Name) else "" for value in values}
    return names.pop() if len(names) == 1 else ""


def _returned_type(nodes: list[ast.AST]) -> str:
    """Return the type of what a function returns, if all its results show it; "" otherwise."""
    values = [node.value for node in nodes if isinstance(node, ast.Return) and node.value]
    types = {_shown_type(value) for value in values}
    return types.pop() if len(types) == 1 else ""


def _shown_type(node: ast.expr) -> str:
    if isinstance(node, ast.List | ast.ListComp):
        return "List"
    if isinstance(node, ast.Compare) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    ):
        return "Flag"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | str):
        return {bool: "Flag", int: "Number", str: "Text"}[type(node.value)]
    if isinstance(node, ast.BoolOp):
        types = {_shown_type(value) for value in node.values}
        return types.pop() if len(types) == 1 else ""
    if isinstance(node, ast.BinOp):
        sides = {_shown_type(node.left), _shown_type(node.right)}
        return "List" if "List" in sides else "Number" if sides == {"Number"} else ""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return "List"
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return "List" if called in _LISTING else "Number" if called in _COUNTING else ""


def _does_nothing(statement: ast.stmt) -> bool:
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, ast.Pass)


def replace_functions(rule: Rule, functions: Mapping[str, str | None]) -> str:
    """Return the code of *rule* with each of *functions* replaced, added, or removed if None.

    Raises:
        RulebookError: a replacement is not one function of that name, or there is none to remove.
    """
    code = rule.code
    for name, new in functions.items():
        if new is not None:
            tree = _tree(new, f"rule {rule.number}: {name}")
            names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
            if len(tree.body) != 1 or names != [name]:
                raise RulebookError(f"rule {rule.number}: write one function {name!r:.60}: def …")
        code = _replace_function(rule, code, name, new)
    return code


def _replace_function(rule: Rule, code: str, name: str, new: str | None) -> str:
    lines = code.splitlines()
    for node in _tree(code, f"rule {rule.number}").body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            assert node.end_lineno is not None
            lines[node.lineno - 1 : node.end_lineno] = (new or "").rstrip("\n").splitlines()
            return "\n".join(lines).strip("\n") + "\n"
    if new is None:
        raise RulebookError(f"rule {rule.number} has no function {name!r:.60} to remove")
    return f"{code.rstrip()}\n\n{new.rstrip()}\n".lstrip("\n")


def _tree(code: str, where: str) -> ast.Module:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RulebookError(f"{where}: the code cannot be read: {error}") from None


def _free_names(nodes: list[ast.AST]) -> set[str]:
    bound: set[str] = set()
    used: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            (bound if isinstance(node.ctx, ast.Store) else used).add(node.id)
        elif isinstance(node, ast.FunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return used - bound


def _calls(nodes: list[ast.AST]) -> Iterator[Call]:
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            constants = tuple(
                value.value if isinstance(value, ast.Constant) else None for value in node.args
            )
            keywords: dict[str, object] = {
                keyword.arg: keyword.value.value
                if isinstance(keyword.value, ast.Constant)
                else None
                for keyword in node.keywords
                if keyword.arg
            }
            yield Call(node.func.id, constants, keywords, node.lineno)
