"""The check of a rule's functions: which hooks they are, and which parameters they take."""

import ast
from collections.abc import Iterator

from nomoledger.events.rules import Rule
from nomoledger.intake.nearest import meant, nearest
from nomoledger.language.code import KINDS, Hook
from nomoledger.language.host_verbs import HOST_VERBS, is_hookable
from nomoledger.language.linker import DEFINING
from nomoledger.language.operations import Operation
from nomoledger.language.syntax_tree import nodes_of
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.code_check import CodeCheck
from nomoledger.rulebook.checker.constants import type_of_constant
from nomoledger.rulebook.checker.known_names import KnownNames

_PURE = ("value", "adjust", "forbid")
#: Verbs that change nothing by themselves, or only break off.
_HARMLESS = ("refuse", "settle", "reveal", "use", "once")
#: A line of the code and a text.
Found = Iterator[tuple[int, str]]


class HookCheck:
    """The check of the functions of one rule."""

    def __init__(self, rule: Rule, names: KnownNames, checks: dict[str, CodeCheck]) -> None:
        """Prepare the check of *rule*; *checks* has the checks of the code of all rules."""
        self.rule = rule
        self.names = names
        self.checks = checks
        self.code = checks[rule.number]

    def check(self) -> Found:
        """Yield the faults of the functions."""
        defined: set[str] = set()
        for node in self.code.tree.body:
            if isinstance(node, ast.FunctionDef):
                if node.name in defined:
                    yield node.lineno, f"there are two functions {node.name}: only the last counts"
                defined.add(node.name)
        for name, function in self.code.functions.items():
            hook = self.code.hooks.get(name)
            yield from self._annotations(function)
            if hook is None:
                yield from self._helper(function)
            else:
                yield from self._hook(function, hook)

    def _annotations(self, function: ast.FunctionDef) -> Found:
        annotations = [argument.annotation for argument in function.args.args]
        for annotation in [*annotations, function.returns]:
            if annotation is None:
                continue
            word = self.names.unknown_type(ast.unparse(annotation))
            if word is not None:
                hint = meant(word, self.names.type_names)
                yield annotation.lineno, f"there is no type {word!r}{hint}"
        defaults = function.args.defaults
        with_default = function.args.args[len(function.args.args) - len(defaults) :]
        for argument, default in zip(with_default, defaults, strict=True):
            if argument.annotation is not None and isinstance(default, ast.Constant):
                wanted = self.names.type_named(ast.unparse(argument.annotation))
                found = type_of_constant(default)
                is_zero = default.value == 0 and t.is_numeric(wanted)
                if not is_zero and not t.fits(found, wanted):
                    what = f"{argument.arg} is {t.describe(wanted)}"
                    text = f"{what}, and what it is by default is {t.describe(found)}"
                    yield default.lineno, text

    def _helper(self, function: ast.FunctionDef) -> Found:
        name = function.name
        if self._is_called(name):
            return
        hint = f"; did you mean {near!r}?" if (near := self._hook_like(name)) else ""
        yield function.lineno, f"nothing calls the function {name!r}, and it is no hook{hint}"

    def _is_called(self, name: str) -> bool:
        return any(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
            for node in nodes_of(self.code.tree)
        )

    def _hook_like(self, name: str) -> str | None:
        """Return the hook that *name* may be meant for."""
        hooks = [f"{kind}_{each}" for kind in KINDS[:-2] for each in self.names.hookable]
        first, _, rest = name.partition("_")
        kind = nearest(first, KINDS)
        if rest and kind is not None and first not in KINDS:
            return f"{kind}_{rest}"
        return nearest(name, [*hooks, "on_enact", "on_repeal"])

    def _hook(self, function: ast.FunctionDef, hook: Hook) -> Found:
        arguments = function.args.args
        if hook.kind in ("check", "on"):
            if arguments:
                text = f"{hook.name} is given no arguments, so it takes no parameters"
                yield arguments[0].lineno, text
            return
        if hook.kind == "action":
            yield from self._action(function, hook)
        operation = self.names.operations.get(hook.operation)
        if hook.kind in DEFINING:
            if operation is not None:
                yield from self._same_parameters(function, hook, operation)
        elif operation is None and not is_hookable(hook.operation):
            text = f"{hook.name} bends {hook.operation!r}, which no rule defines"
            known = {f"{hook.kind}_{name}" for name in self.names.hookable}
            yield function.lineno, text + meant(hook.name, known)
        else:
            yield from self._parameters(function, hook, operation)
        if hook.kind == "adjust" and operation is not None:
            yield from self._adjusts_number(function, hook, operation)
        if hook.kind in _PURE:
            yield from self._changes(function, f"{hook.kind}_ code")
        elif hook.kind != "define" and operation is not None and operation.of("value"):
            what = f"{hook.kind}_ code on the value {hook.operation}"
            yield from self._changes(function, what)

    def _action(self, function: ast.FunctionDef, hook: Hook) -> Found:
        first = hook.parameters[0] if hook.parameters else None
        if first is None:
            text = f"{hook.name} is given who acts first: write (player: Player) or (admin)"
            yield function.lineno, text
        elif first.type != "Player" and first.name not in ("player", "admin"):
            kinds = [atom.name for atom in self.names.type_named(first.type)]
            if first.type == "" or "player" not in kinds:
                text = f"{hook.name} is given who acts first, not {first.name!r}"
                yield (
                    function.args.args[0].lineno,
                    f"{text}: write (player: Player, …) or (admin, …)",
                )

    def _same_parameters(
        self, function: ast.FunctionDef, hook: Hook, operation: Operation
    ) -> Found:
        number, first = operation.definitions[0] if operation.definitions else ("", hook)
        names = [each.name for each in first.parameters]
        if number not in ("", self.rule.number) and [e.name for e in hook.parameters] != names:
            text = f"rule {number} defines {hook.operation} with other parameters"
            yield function.lineno, f"{text}: ({', '.join(names)})"

    def _parameters(
        self, function: ast.FunctionDef, hook: Hook, operation: Operation | None
    ) -> Found:
        arguments = list(function.args.args)
        names = self._names_of(hook, operation)
        if hook.kind == "instead":
            if not arguments or arguments[0].arg in names:
                line = arguments[0].lineno if arguments else function.lineno
                listed = ", ".join(["proceed", *names])
                yield line, f"{hook.name} is given proceed first: write ({listed})"
                return
            arguments = arguments[1:]
        if self.names.links.binds_by_position:
            if len(arguments) > len(names):
                yield function.lineno, f"{hook.operation} has only ({', '.join(names)})"
            return
        allowed = list(names)
        if hook.kind == "after" and operation is not None:
            allowed += operation.result_names
        elif hook.kind == "after":
            allowed.append("result")
        for argument in arguments:
            if argument.arg not in allowed:
                hint = meant(argument.arg, allowed)
                text = f"{hook.operation} has no argument {argument.arg!r}"
                yield argument.lineno, f"{text}: it has ({', '.join(names)}){hint}"

    def _names_of(self, hook: Hook, operation: Operation | None) -> list[str]:
        if operation is not None:
            return [each.name for each in operation.parameters]
        parts = HOST_VERBS[hook.operation].signature.split(",")
        return [part.split("=")[0].strip() for part in parts if part.strip()]

    def _adjusts_number(self, function: ast.FunctionDef, hook: Hook, operation: Operation) -> Found:
        result = t.something(self.code.result_of_operation(operation))
        if not t.is_numeric(result):
            text = f"steps change numbers, and {hook.operation} is {t.describe(result)}"
            yield function.lineno, f"{text}: write instead_{hook.operation}"

    # --- code that may not change the game ------------------------------------------------------

    def _changes(self, function: ast.FunctionDef, what: str) -> Found:
        for call, verb in self._changing_calls(function):
            called = call.func.id if isinstance(call.func, ast.Name) else ""
            by = "" if called == verb else f" (by {verb})"
            if HOST_VERBS[verb].purpose == "ask":
                text = f"{what} may not roll, draw or ask, and {called} does so{by}"
            else:
                text = f"{what} may not change the game, and {called} does so{by}"
            yield call.lineno, text

    def _changing_calls(self, function: ast.FunctionDef) -> Iterator[tuple[ast.Call, str]]:
        for node in nodes_of(*function.body):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                verb = self._changed_by(node, self.rule.number, set())
                if verb is not None:
                    yield node, verb

    def _changed_by(self, node: ast.Call, number: str, seen: set[str]) -> str | None:
        """Return the verb by which the call *node* in rule *number* changes the game, or asks."""
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        functions = self.checks[number].functions if number in self.checks else {}
        if name in functions:
            return self._verb_in(functions[name], number, seen)
        if name in self.names.operations:
            operation = self.names.operations[name]
            if operation.is_value or len(operation.definitions) != 1 or operation.of("instead"):
                return None
            owner, hook = operation.definitions[0]
            check = self.checks.get(owner)
            return None if check is None else self._verb_in(check.functions[hook.name], owner, seen)
        verb = HOST_VERBS.get(name)
        if verb is None or verb.purpose == "read" or name in _HARMLESS:
            return None
        return name

    def _verb_in(self, function: ast.FunctionDef, number: str, seen: set[str]) -> str | None:
        key = f"{number}:{function.name}"
        if key in seen:
            return None
        seen.add(key)
        for node in nodes_of(*function.body):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                verb = self._changed_by(node, number, seen)
                if verb is not None:
                    return verb
        return None

    def check_common(self) -> Found:
        """Yield why the rule cannot be a common definition."""
        for name, function in self.code.functions.items():
            hook = self.code.hooks.get(name)
            if hook is not None and hook.kind != "value":
                text = f"a common definition only has value_ functions, and no {name}"
                yield function.lineno, text
            elif hook is None:
                yield from self._changes(function, "a common definition")
        for node in nodes_of(self.code.tree):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, int) and value not in (0, 1):
                text = f"a common definition holds no number of the game, such as {value}"
                yield node.lineno, f"{text}: give it to the rule that uses it"  # type: ignore[attr-defined]
