"""What a rule's code says about itself, read without running it.

Starlark is close enough to Python for Python's own parser to read it; what Starlark does not
have (classes, imports, while, try …) is refused here with its line. So is whatever the two might
read differently (control characters, other letters in names), and whatever would run while the
rules are being linked: outside its functions, code only states constants.
"""

import ast
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule

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
_AT_THE_OUTSET = (ast.FunctionDef, ast.Assign, ast.Expr, ast.Pass)


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a hook: its *name*, the *type* it is annotated with, its *default*."""

    name: str
    type: str = ""
    default: str | None = None


class Hook(msgspec.Struct, frozen=True):
    """A function of a rule that the engine calls: its *kind* and the *operation* it is about.

    It *uses* names that are bound outside of it, and may run through *loops*.
    """

    kind: str
    operation: str
    parameters: tuple[Parameter, ...]
    doc: str = ""
    uses: frozenset[str] = frozenset()
    loops: bool = False

    @property
    def name(self) -> str:
        """As it is written: `after_land`."""
        return f"{self.kind}_{self.operation}"


class Call(msgspec.Struct, frozen=True):
    """A call of something by name, with those of its arguments that are constants."""

    name: str
    constants: tuple[object, ...]
    keywords: dict[str, object]
    line: int


class Code(msgspec.Struct, frozen=True):
    """The hooks, the names and the calls of one rule's code."""

    hooks: tuple[Hook, ...] = ()
    free: frozenset[str] = frozenset()
    calls: tuple[Call, ...] = ()


def parse_code(rule: Rule) -> Code:
    """The `Code` of *rule*.

    Raises:
        RulebookError: the code is not the Starlark that rules are written in; says the line.
    """
    return _read(rule.code, rule.file or f"rule {rule.number}", rule.line, rule.number)


@lru_cache(maxsize=4096)
def _read(code: str, file: str, line: int, number: str) -> Code:
    def wrong(what: str, at: int = 1) -> RulebookError:
        return RulebookError(f"{file}:{line + at - 1}: rule {number}: {what}")

    if len(code) > _CODE_CHARACTERS_MAX:
        raise wrong(f"the code has {len(code)} characters, at most {_CODE_CHARACTERS_MAX} are read")
    if odd := [each for each in code if not each.isprintable() and each != "\n"]:
        at = code[: code.index(odd[0])].count("\n") + 1
        raise wrong(f"the character {odd[0]!r} cannot stand in code: write spaces", at)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they differ from one Python to the next
            tree = ast.parse(code)
    except SyntaxError as error:
        raise wrong(f"{error.msg}: {(error.text or '').strip()!r}", error.lineno or 1) from None
    except (RecursionError, MemoryError):
        raise wrong("the code is nested too deeply") from None
    except ValueError as error:
        raise wrong(f"the code cannot be read: {error}") from None
    if _depth(tree) > _DEPTH_MAX:
        raise wrong("the code is nested too deeply")
    for node in ast.walk(tree):
        _check(node, wrong)
    for statement in tree.body:
        _check_outset(statement, wrong)
    hooks = tuple(_hook(node, wrong) for node in tree.body if _is_hook(node))
    return Code(hooks, frozenset(_free_names(tree)), tuple(_calls(tree)))


def _depth(tree: ast.AST) -> int:
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _check(node: ast.AST, wrong: object) -> None:
    assert callable(wrong)
    at = getattr(node, "lineno", 1)
    if isinstance(node, ast.stmt) and not isinstance(node, _ALLOWED):
        raise wrong(f"{type(node).__name__.lower()} is not part of the language of rules", at)
    if _is_the_engines(name := _name_in(node)):
        raise wrong(f"names with _ in front or __ within are the engine's own: {name}", at)
    if isinstance(node, ast.Constant) and isinstance(node.value, float | complex | bytes):
        raise wrong(f"{node.value!r} is not exact: write whole numbers, or divide(a, b)", at)
    if isinstance(node, ast.JoinedStr | ast.NamedExpr) or name == "load" or not name.isascii():
        raise wrong(f"{name or type(node).__name__} is not part of the language of rules", at)


def _check_outset(node: ast.stmt, wrong: object) -> None:
    """Nothing is called while the rules are being linked."""
    assert callable(wrong)
    if not isinstance(node, _AT_THE_OUTSET):
        raise wrong(f"{type(node).__name__.lower()} can only stand in a function", node.lineno)
    run: list[ast.AST] = [node]
    if isinstance(node, ast.FunctionDef):
        run = [*node.decorator_list, *filter(None, [*node.args.defaults, *node.args.kw_defaults])]
    for each in run:
        if any(isinstance(part, ast.Call) for part in ast.walk(each)):
            raise wrong("outside its functions, code can call nothing", node.lineno)


def _name_in(node: ast.AST) -> str:
    for field in ("id", "attr", "name", "arg"):
        name = getattr(node, field, None)
        if isinstance(name, str):
            return name
    return ""


def _is_the_engines(name: str) -> bool:
    return name.startswith("_") or "__" in name


def _is_hook(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and _HOOK.match(node.name) is not None


def _hook(node: ast.stmt, wrong: object) -> Hook:
    assert isinstance(node, ast.FunctionDef)
    assert callable(wrong)
    match = _HOOK.match(node.name)
    assert match is not None
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        raise wrong(f"{node.name} must name its parameters plainly", node.lineno)
    missing = len(arguments.args) - len(arguments.defaults)
    for default in arguments.defaults:
        if not isinstance(default, ast.Constant) and ast.unparse(default) != "[]":
            what = "a default is a number, a text, a flag, None or []"
            raise wrong(f"{node.name}: {what}", node.lineno)
    parameters = tuple(
        Parameter(
            each.arg,
            ast.unparse(each.annotation) if each.annotation else "",
            ast.unparse(arguments.defaults[i - missing]) if i >= missing else None,
        )
        for i, each in enumerate(arguments.args)
    )
    if match[1] == "on" and match[2] not in ("enact", "repeal"):
        raise wrong(f"{node.name}: there is on_enact and on_repeal", node.lineno)
    body = ast.Module(node.body, [])
    uses = frozenset(_free_names(body)) - {each.arg for each in arguments.args}
    loops = any(isinstance(each, ast.For | ast.comprehension) for each in ast.walk(body))
    return Hook(match[1], match[2], parameters, ast.get_docstring(node) or "", uses, loops)


def _free_names(tree: ast.Module) -> Iterator[str]:
    bound = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    bound |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound:
            yield node.id


def _calls(tree: ast.Module) -> Iterator[Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            constants = tuple(
                each.value if isinstance(each, ast.Constant) else None for each in node.args
            )
            keywords: dict[str, object] = {
                each.arg: each.value.value if isinstance(each.value, ast.Constant) else None
                for each in node.keywords
                if each.arg
            }
            yield Call(node.func.id, constants, keywords, node.lineno)
