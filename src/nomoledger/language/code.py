"""The parser of rule code, which does not run it.

Starlark is close enough to Python for Python's own parser. What Starlark lacks (classes, imports,
while, try …) is refused here, with its line. So is what the two may read differently (control
characters, letters other than ASCII in names), and what would run while the rules are linked:
outside its functions, code may only state constants.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterator
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
    """

    kind: str
    operation: str
    parameters: tuple[Parameter, ...]
    doc: str = ""
    uses: frozenset[str] = frozenset()
    loops: bool = False

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
    """

    hooks: tuple[Hook, ...] = ()
    free: frozenset[str] = frozenset()
    calls: tuple[Call, ...] = ()


def parse_code(rule: Rule) -> Code:
    """Return the parsed code of *rule*.

    Raises:
        RulebookError: the code is not in the language of rules; names the line.
    """
    return _parse(rule.code, rule.file or f"rule {rule.number}", rule.line, rule.number)


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
    return Code(hooks, frozenset(_free_names(nodes)), tuple(_calls(nodes)))


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
    return Hook(match[1], match[2], parameters, ast.get_docstring(node) or "", uses, loops)


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
