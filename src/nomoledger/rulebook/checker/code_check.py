"""The check of a rule's code: names, arguments, types and units in its functions."""

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from nomoledger.events.rules import Rule
from nomoledger.intake.nearest import meant
from nomoledger.language.code import Hook, whole_code
from nomoledger.language.host_verbs import HOST_VERBS
from nomoledger.language.linker import DEFINING
from nomoledger.language.operations import Operation
from nomoledger.language.reserved import BUILTINS
from nomoledger.language.syntax_tree import nodes_of
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.expression_check import ExpressionCheck
from nomoledger.rulebook.checker.known_names import KnownNames
from nomoledger.rulebook.checker.reader import Variables
from nomoledger.rulebook.checker.types import Type

#: Expressions that only make a value.
_VALUES = (ast.Constant, ast.BinOp, ast.Name, ast.Attribute, ast.List, ast.Dict, ast.Subscript)


#: How many functions are followed, each called by the one before, to find what they return.
DEPTH_MAX = 30


class CodeCheck:
    """The check of the code of one rule and its mechanics, which also tells what functions return.

    Attributes:
        rule: the rule.
        names: what the ruleset declares.
        functions: the functions of the rule at the outermost level, by name.
        faults: what was found, as pairs of a line of the code, from 1, and a text.
    """

    def __init__(self, rule: Rule, names: KnownNames, checks: "dict[str, CodeCheck]") -> None:
        """Prepare the check of *rule*; *checks* has those of all rules, by number."""
        self.rule = rule
        self.names = names
        self.checks = checks
        self.tree = ast.parse(whole_code(rule))
        self.descriptions = [
            first.value
            for function in nodes_of(self.tree)
            if isinstance(function, ast.FunctionDef)
            and isinstance(first := function.body[0], ast.Expr)
            and isinstance(first.value, ast.Constant)
        ]
        self.functions = {n.name: n for n in self.tree.body if isinstance(n, ast.FunctionDef)}
        self.hooks = {hook.name: hook for hook in names.links.codes[rule.number].hooks}
        self.faults: list[tuple[int, str]] = []
        self.used: set[str] = set()
        self._seen: dict[int, Type] = {}
        self.parameters = {n: names.type_of_parameter(rule, n) for n in rule.parameters}
        self.results: dict[str, Type] = {}
        self.under_way: set[str] = set()
        self.muted = 0
        self.only_unbound = False
        self.guarded = 0
        self.variables: Variables = {}
        self.locals: set[str] = set()
        self.returned: list[tuple[ast.Return, Type]] = []
        self.hook: Hook | None = None
        self.constants: Variables = {}
        self.expressions = ExpressionCheck(self)
        self._read_constants()

    def check(self) -> None:
        """Find the faults of the code."""
        for name, function in self.functions.items():
            self.results.pop(name, None)
            self._read(function)

    def fault(self, node: ast.AST, text: str) -> None:
        """Report *text* at the line of *node*, unless the code is only read for its types."""
        found = (getattr(node, "lineno", 1), text)
        if not self.muted and not self.only_unbound and found not in self.faults:
            self.faults.append(found)

    # --- functions ------------------------------------------------------------------------------

    def result_of(self, name: str) -> Type:
        """Return what the function *name* of this rule returns."""
        function = self.functions.get(name)
        if function is None or name in self.under_way:
            return t.UNKNOWN
        if name not in self.results:
            if self.names.depth >= DEPTH_MAX:
                return t.UNKNOWN
            with self._apart():
                self.muted += 1
                self.names.depth += 1
                self._read(function)
                self.names.depth -= 1
                self.muted -= 1
        return self.results[name]

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """Keep what is known of the function under way, while another one is read."""
        kept = (self.variables, self.locals, self.returned, self.hook, self.guarded)
        unbound, self.only_unbound = self.only_unbound, False
        yield
        self.variables, self.locals, self.returned, self.hook, self.guarded = kept
        self.only_unbound = unbound

    def _read(self, function: ast.FunctionDef) -> None:
        """Walk through *function*, and note what it returns."""
        self.under_way.add(function.name)
        self.hook = self.hooks.get(function.name)
        self.variables = self._arguments(function)
        self.locals = _assigned(function)
        self.returned, self.guarded = [], 0
        goes_on = self._block(function.body)
        types = [type_ for _, type_ in self.returned] + ([t.NOTHING] if goes_on else [])
        annotation = ast.unparse(function.returns) if function.returns else ""
        declared = self.names.type_named(annotation)
        if declared:
            self._check_returned(function, declared, annotation)
        self.results[function.name] = declared or t.join(types)
        if self.hook is not None:
            self._check_hook_result(self.hook)
            if self._is_asked(self.hook) and not declared:
                self._check_returns(function)
        self.under_way.discard(function.name)

    def _arguments(self, function: ast.FunctionDef) -> Variables:
        arguments = function.args.args
        first_default = len(arguments) - len(function.args.defaults)
        known: Variables = {}
        for i, argument in enumerate(arguments):
            default = function.args.defaults[i - first_default] if i >= first_default else None
            written = ast.unparse(argument.annotation) if argument.annotation else ""
            text = None if default is None else ast.unparse(default)
            known[argument.arg] = self.names.type_of_argument(written, text)
            if not known[argument.arg]:
                known[argument.arg] = self._type_by_operation(function.name, i, argument.arg)
        for other in (function.args.vararg, function.args.kwarg):
            if other is not None:
                known[other.arg] = t.UNKNOWN
        return known

    def _type_by_operation(self, function: str, place: int, name: str) -> Type:
        """Return the type that the operation gives to the parameter *name* of a hook."""
        hook = self.hooks.get(function)
        if hook is None or hook.kind in DEFINING or hook.kind in ("check", "on"):
            return t.UNKNOWN
        if hook.kind == "instead" and place == 0:
            return t.FUNCTION
        operation = self.names.operations.get(hook.operation)
        if operation is None:
            return t.NUMBER if name in ("amount", "quantity") else t.UNKNOWN
        parameters = {each.name: each for each in operation.parameters}
        if self.names.links.binds_by_position:
            given = place - (hook.kind == "instead")
            by_place = list(operation.parameters)
            parameters = {name: by_place[given]} if given < len(by_place) else {}
        if name in parameters:
            each = parameters[name]
            return self.names.type_of_argument(each.type, each.default)
        is_result = hook.kind == "after" and name in operation.result_names
        return self.result_of_operation(operation) if is_result else t.UNKNOWN

    def result_of_operation(self, operation: Operation) -> Type:
        """Return what *operation* returns."""
        if not operation.definitions:
            return self.names.type_named(operation.returns)
        declared = t.join(self._declared_result(*each) for each in operation.definitions)
        if declared:
            return declared
        return t.join(
            self.checks[number].result_of(hook.name)
            for number, hook in operation.of(*DEFINING, "instead")
            if number in self.checks
        )

    def _declared_result(self, number: str, hook: Hook) -> Type:
        """Return the type that a hook says it returns."""
        function = self.checks[number].functions[hook.name] if number in self.checks else None
        if function is None or function.returns is None:
            return t.UNKNOWN
        return self.names.type_named(ast.unparse(function.returns))

    def _is_asked(self, hook: Hook) -> bool:
        """Return whether something is asked of *hook*, so that it has to return it."""
        operation = self.names.operations.get(hook.operation)
        is_value = operation is not None and operation.is_value
        return hook.kind in ("value", "adjust", "forbid") or (hook.kind == "instead" and is_value)

    def _check_returned(self, function: ast.FunctionDef, declared: Type, annotation: str) -> None:
        for node, type_ in self.returned:
            if node.value is not None and not t.fits(type_, declared):
                text = f"{function.name} says that it returns {annotation}, but this is"
                self.fault(node, f"{text} {t.describe(type_)}")
        is_open = self.hook is None or (self.hook.is_empty and self.hook.kind != "value")
        if not is_open and all(self._is_nothing(*each, declared) for each in self.returned):
            text = f"{function.name} says that it returns {annotation}, but it returns nothing"
            self.fault(function, text)

    def _is_nothing(self, node: ast.Return, type_: Type, declared: Type) -> bool:
        """Return whether *node* returns nothing, or None where a number is *declared*.

        An `instead_` hook of the value may return the number.
        """
        operation = None if self.hook is None else self.names.operations.get(self.hook.operation)
        is_bent = operation is not None and bool(operation.of("instead"))
        is_number = bool(declared) and t.names_of(declared) <= {*t.NUMERIC}
        return node.value is None or (type_ == t.NOTHING and is_number and not is_bent)

    def _check_returns(self, function: ast.FunctionDef) -> None:
        """Check that a hook returns anything at all, or refuses by itself."""
        calls = (node for node in nodes_of(*function.body) if isinstance(node, ast.Call))
        if all(node.value is None for node, _ in self.returned) and not any(map(_refuses, calls)):
            self.fault(function, f"{function.name} returns nothing: write return")

    def _check_hook_result(self, hook: Hook) -> None:
        wanted = {"adjust": t.STEP, "forbid": t.TEXT}.get(hook.kind)
        for node, type_ in self.returned:
            if wanted is None or t.fits(type_, wanted):
                continue
            found = t.describe(type_)
            if hook.kind == "forbid":
                text = f"{hook.name} returns a text, the reason to refuse, or None; this is {found}"
            else:
                text = f"{hook.name} returns a step, such as add(5), or None; this is {found}"
            self.fault(node, text)

    def _read_constants(self) -> None:
        for node in self.tree.body:
            if isinstance(node, ast.Assign):
                type_ = self.type_of(node.value)
                for target in node.targets:
                    self.bind(target, type_)
        self.constants, self.variables = self.variables, {}

    # --- statements -----------------------------------------------------------------------------

    def _block(self, statements: Iterable[ast.stmt]) -> bool:
        """Walk through *statements*; return whether the code after them can be reached."""
        goes_on = True
        for statement in statements:
            goes_on = self._statement(statement) and goes_on
        return goes_on

    def _statement(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Expr):
            self._check_effect(node.value, self.type_of(node.value))
            return not _refuses(node.value)
        if isinstance(node, ast.Assign):
            self._assign(node)
        elif isinstance(node, ast.AugAssign):
            self._augment(node)
        elif isinstance(node, ast.Return):
            type_ = t.NOTHING if node.value is None else self.type_of(node.value)
            self.returned.append((node, type_))
            return False
        elif isinstance(node, ast.If):
            return self._if(node)
        elif isinstance(node, ast.For):
            self._for(node)
        elif isinstance(node, ast.FunctionDef):
            self._inner_function(node)
        return not isinstance(node, ast.Break | ast.Continue)

    def _check_effect(self, node: ast.expr, type_: Type) -> None:
        """Check that something comes of *node*, which is a statement by itself."""
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Compare):
            self.fault(node, "this compares, and nothing comes of it: one = gives a value")
        elif type_ == t.STEP:
            self.fault(node, "nothing comes of a step that is not returned: write return")
        elif isinstance(node, _VALUES) and node not in self.descriptions:
            self.fault(node, "nothing comes of a value that is not used: write return")
        elif called and (self._is_lost(called) or self._only_reads(called)):
            self.fault(node, f"nothing comes of what {called} returns: write return")

    def _only_reads(self, called: str) -> bool:
        """Return whether a call of *called* does nothing but return a value."""
        if called in self.functions or called in self.variables:
            return False
        operation, verb = self.names.operations.get(called), HOST_VERBS.get(called)
        if operation is not None:
            return operation.is_value
        return verb is not None and verb.purpose == "read"

    def _is_lost(self, called: str) -> bool:
        """Return whether *called* is the value that the hook replaces."""
        hook = self.hook
        if hook is None or hook.kind != "instead" or not self._is_asked(hook):
            return False
        return called == hook.parameters[0].name

    def _assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Tuple | ast.List) and isinstance(
                node.value, ast.Tuple | ast.List
            ):
                types = [self.type_of(each) for each in node.value.elts]
                if len(types) == len(target.elts):
                    for each, type_ in zip(target.elts, types, strict=True):
                        self.bind(each, type_)
                    continue
                text = f"{len(target.elts)} names are given {len(types)} values"
                self.fault(node, text)
            self.bind(target, self.type_of(node.value))

    def bind(self, target: ast.expr, type_: Type) -> None:
        """Note that *target* is given a value of *type_*."""
        if isinstance(target, ast.Name):
            self.variables[target.id] = type_
        elif isinstance(target, ast.Tuple | ast.List):
            lists = t.something(type_)
            if lists and "List" not in t.names_of(lists) and "Table" not in t.names_of(lists):
                self.fault(target, f"{t.describe(lists)} cannot be taken apart: a list is needed")
            for each in target.elts:
                self.bind(each, t.items_of(type_))
        elif isinstance(target, ast.Starred):
            self.bind(target.value, t.list_of(t.UNKNOWN))
        else:
            self.type_of(target)

    def _augment(self, node: ast.AugAssign) -> None:
        left = self.type_of(node.target)
        right = self.type_of(node.value)
        self.bind(
            node.target, self.expressions.arithmetic.type_of(node, node.op, left, right, node.value)
        )

    def _if(self, node: ast.If) -> bool:
        self.type_of(node.test)
        self.guarded += 1
        before = dict(self.variables)
        self.variables |= self.expressions.comparisons.kinds_if(node.test)
        first_goes_on = self._block(node.body)
        first, self.variables = self.variables, before
        if not first_goes_on and isinstance(node.test, ast.Compare):
            self.variables |= self.expressions.comparisons.kinds_if(node.test, ast.NotEq)
        second_goes_on = self._block(node.orelse)
        self.guarded -= 1
        if not second_goes_on and first_goes_on:
            self.variables = first
        elif first_goes_on or not second_goes_on:
            self.variables = _merged(first, self.variables)
        return first_goes_on or second_goes_on

    def _for(self, node: ast.For) -> None:
        items = self.expressions.items_of(node.iter)
        before = dict(self.variables)
        guarded, self.guarded = self.guarded, 0
        unbound, self.only_unbound = self.only_unbound, True
        returned = len(self.returned)
        self.bind(node.target, items)
        self._block(node.body)
        del self.returned[returned:]
        self.only_unbound, self.guarded = unbound, guarded
        self.variables = _merged(before, self.variables)
        self.bind(node.target, items)
        self._block(node.body)
        self.variables = _merged(before, self.variables)

    def _inner_function(self, node: ast.FunctionDef) -> None:
        self.variables[node.name] = t.FUNCTION
        outer = dict(self.variables)
        kept = (self.locals, self.returned)
        self.locals, self.returned = _assigned(node), []
        self.variables |= self._arguments(node)
        self._block(node.body)
        self.variables = outer
        self.locals, self.returned = kept

    # --- names and expressions ------------------------------------------------------------------

    def type_of(self, node: ast.expr) -> Type:
        """Return the type of *node*, and report the faults in it."""
        found = self.expressions.type_of(node)
        self._seen[id(node)] = found
        return found

    def seen(self, node: ast.expr) -> Type:
        """Return the type of *node*, which was read before."""
        return self._seen.get(id(node), t.UNKNOWN)

    def type_of_name(self, node: ast.Name) -> Type:
        """Return the type of what a name stands for."""
        name = node.id
        if name in self.variables:
            return self.variables[name]
        if name in self.locals:
            self._unbound(node)
            return t.UNKNOWN
        if name in self.parameters:
            self.used.add(name)
            return self.parameters[name]
        if name in self.constants:
            return self.constants[name]
        if name in self.functions or name in self.names.operations:
            return t.FUNCTION
        if name in self.names.verbs or name in BUILTINS or name in self.names.type_names:
            return t.FUNCTION
        self.fault(node, f"no rule says what {name!r} is{self._meant(name)}")
        return t.UNKNOWN

    def _unbound(self, node: ast.Name) -> None:
        name = node.id
        text = f"{name!r} has no value yet here: it gets one only further down"
        if name in self.names.operations or name in self.parameters or name in self.functions:
            text = f"{name!r} is a name within this function: give what it assigns another name"
        found = (node.lineno, text)
        is_later = self.only_unbound and self.guarded  # perhaps only after the first time round
        if not self.muted and not is_later and found not in self.faults:
            self.faults.append(found)

    def _meant(self, name: str) -> str:
        others = (r.number for r in self.names.with_parameter[name] if r is not self.rule)
        if other := next(others, None):
            return f"; a parameter of another rule is read by param({other!r}, {name!r})"
        if owner := self.names.with_function.get(name):
            return f"; it is a function of rule {owner}: only define_ and value_ can be shared"
        if not self.names.may_suggest():
            return ""
        known = {
            *self.variables, *self.locals, *self.parameters, *self.constants, *self.functions,
            *self.names.operations, *self.names.verbs, *(BUILTINS - {"struct", "hash", "repr"}),
        }  # fmt: skip
        return meant(name, known)


def _merged(first: Variables, second: Variables) -> Variables:
    both = {name: t.join([first[name], second[name]]) for name in first.keys() & second.keys()}
    return first | second | both


def _assigned(function: ast.FunctionDef) -> set[str]:
    """Return the names that *function* assigns, which are its own."""
    return {
        node.id
        for node in nodes_of(*function.body)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    } - _of_comprehensions(function)


def _of_comprehensions(function: ast.FunctionDef) -> set[str]:
    """Return the names that only comprehensions in *function* assign."""
    inside: set[int] = set()
    names: set[str] = set()
    nodes = nodes_of(*function.body)
    for node in nodes:
        if isinstance(node, ast.comprehension):
            for inner in nodes_of(node.target):
                if isinstance(inner, ast.Name):
                    inside.add(id(inner))
                    names.add(inner.id)
    outside = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in inside
    }
    return names - outside


def _refuses(node: ast.expr) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return is_call and node.func.id in ("refuse", "fail")  # type: ignore[attr-defined]
