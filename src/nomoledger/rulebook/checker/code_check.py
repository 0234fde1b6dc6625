"""The check of a rule's code: names, arguments, types and units in its functions."""

import ast
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from nomoledger.events.rules import Rule
from nomoledger.language.code import Hook, whole_code
from nomoledger.language.linker import BUILTINS, DEFINING
from nomoledger.language.operations import Operation
from nomoledger.language.syntax_tree import nodes_of
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.call_check import CallCheck
from nomoledger.rulebook.checker.names import Names, literal_type
from nomoledger.rulebook.checker.types import Atom, Type
from nomoledger.rulebook.nearest import meant

Variables = dict[str, Type]

_METHODS: dict[str, dict[str, Type]] = {
    "Text": {
        **dict.fromkeys(
            ("lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "replace",
             "join", "format", "removeprefix", "removesuffix"),
            t.TEXT,
        ),
        **dict.fromkeys(
            ("startswith", "endswith", "isdigit", "isalpha", "isalnum", "islower", "isupper",
             "isspace", "istitle"),
            t.FLAG,
        ),
        **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), t.COUNT),
        **dict.fromkeys(
            ("split", "rsplit", "splitlines", "elems", "partition", "rpartition"),
            t.list_of(t.TEXT),
        ),
        "codepoints": t.list_of(t.COUNT),
    },
    "List": {
        **dict.fromkeys(("append", "extend", "insert", "remove", "clear"), t.NOTHING),
        "index": t.COUNT,
        "pop": t.UNKNOWN,
    },
    "Table": {
        **dict.fromkeys(("get", "pop", "popitem", "setdefault"), t.UNKNOWN),
        **dict.fromkeys(("keys", "values", "items"), t.list_of(t.UNKNOWN)),
        **dict.fromkeys(("update", "clear"), t.NOTHING),
    },
}  # fmt: skip
_FIELDS = ("refused", "seen", "certain")
_SECONDS_IN = (7, 24, 60, 168, 1440, 3600, 86_400, 604_800)
_PLACEHOLDER = re.compile(r"%[-+ 0#]*\d*(?:\.\d+)?([a-zA-Z%])")


class CodeCheck:
    """The check of the code of one rule and its mechanics, which also tells what functions return.

    Attributes:
        rule: the rule.
        names: what the ruleset declares.
        functions: the functions of the rule at the outermost level, by name.
        faults: what was found, as pairs of a line of the code, from 1, and a text.
    """

    def __init__(self, rule: Rule, names: Names, checks: "dict[str, CodeCheck]") -> None:
        """Prepare the check of *rule*; *checks* has those of all rules, by number."""
        self.rule = rule
        self.names = names
        self.checks = checks
        self.tree = ast.parse(whole_code(rule))
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
        self.calls = CallCheck(self)
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
            with self._apart():
                self.muted += 1
                self._read(function)
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
            if self.hook.kind in ("value", "adjust", "forbid") and not declared:
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

    def _check_returned(self, function: ast.FunctionDef, declared: Type, annotation: str) -> None:
        for node, type_ in self.returned:
            if node.value is not None and not t.fits(type_, declared):
                text = f"{function.name} says that it returns {annotation}, but this is"
                self.fault(node, f"{text} {t.describe(type_)}")
        is_open = self.hook is None or (self.hook.is_empty and self.hook.kind != "value")
        if not is_open and all(node.value is None for node, _ in self.returned):
            text = f"{function.name} says that it returns {annotation}, but it returns nothing"
            self.fault(function, text)

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
                    self._bind(target, type_)
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
            type_ = self.type_of(node.value)
            if isinstance(node.value, ast.Compare):
                self.fault(node, "this compares, and nothing comes of it: one = gives a value")
            elif type_ == t.STEP:
                self.fault(node, "nothing comes of a step that is not returned: write return")
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

    def _assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Tuple | ast.List) and isinstance(
                node.value, ast.Tuple | ast.List
            ):
                types = [self.type_of(each) for each in node.value.elts]
                if len(types) == len(target.elts):
                    for each, type_ in zip(target.elts, types, strict=True):
                        self._bind(each, type_)
                    continue
                text = f"{len(target.elts)} names are given {len(types)} values"
                self.fault(node, text)
            self._bind(target, self.type_of(node.value))

    def _bind(self, target: ast.expr, type_: Type) -> None:
        if isinstance(target, ast.Name):
            self.variables[target.id] = type_
        elif isinstance(target, ast.Tuple | ast.List):
            lists = t.something(type_)
            if lists and "List" not in t.names_of(lists) and "Table" not in t.names_of(lists):
                self.fault(target, f"{t.describe(lists)} cannot be taken apart: a list is needed")
            for each in target.elts:
                self._bind(each, t.items_of(type_))
        elif isinstance(target, ast.Starred):
            self._bind(target.value, t.list_of(t.UNKNOWN))
        else:
            self.type_of(target)

    def _augment(self, node: ast.AugAssign) -> None:
        left = self.type_of(node.target)
        right = self.type_of(node.value)
        self._bind(node.target, self._operator(node, node.op, left, right, node.value))

    def _if(self, node: ast.If) -> bool:
        self.type_of(node.test)
        self.guarded += 1
        before = dict(self.variables)
        self.variables |= self._kinds_if(node.test)
        first_goes_on = self._block(node.body)
        first, self.variables = self.variables, before
        if not first_goes_on and isinstance(node.test, ast.Compare):
            self.variables |= self._kinds_if(node.test, ast.NotEq)
        second_goes_on = self._block(node.orelse)
        self.guarded -= 1
        if not second_goes_on and first_goes_on:
            self.variables = first
        elif first_goes_on or not second_goes_on:
            self.variables = _merged(first, self.variables)
        return first_goes_on or second_goes_on

    def _kinds_if(self, test: ast.expr, operator: type[ast.cmpop] = ast.Eq) -> Variables:
        """Return variables that can have another kind where *test* holds: `kind(piece) == "blob"`.

        With `ast.NotEq` as the *operator*, where it does not hold.
        """
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return {n: type_ for each in test.values for n, type_ in self._kinds_if(each).items()}
        if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], operator)):
            return {}
        call, other = test.left, test.comparators[0]
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args):
            return {}
        subject, kind = call.args[0], other.value if isinstance(other, ast.Constant) else None
        if call.func.id != "kind" or not isinstance(subject, ast.Name) or not self._is_kind(kind):
            return {}
        type_ = self.variables.get(subject.id, t.UNKNOWN)
        return {subject.id: type_ | t.kind_of(str(kind))} if type_ else {}

    def _is_kind(self, kind: object) -> bool:
        return isinstance(kind, str) and kind in self.names.kinds

    def _for(self, node: ast.For) -> None:
        items = self._items(node.iter)
        before = dict(self.variables)
        guarded, self.guarded = self.guarded, 0
        unbound, self.only_unbound = self.only_unbound, True
        returned = len(self.returned)
        self._bind(node.target, items)
        self._block(node.body)
        del self.returned[returned:]
        self.only_unbound, self.guarded = unbound, guarded
        self.variables = _merged(before, self.variables)
        self._bind(node.target, items)
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

    # --- expressions ----------------------------------------------------------------------------

    def type_of(self, node: ast.expr) -> Type:
        """Return the type of *node*, and report the faults in it."""
        method = getattr(self, f"_type_of_{type(node).__name__}", None)
        if method is None:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.type_of(child)
            return t.UNKNOWN
        found: Type = method(node)
        self._seen[id(node)] = found
        return found

    def seen(self, node: ast.expr) -> Type:
        """Return the type of *node*, which was read before."""
        return self._seen.get(id(node), t.UNKNOWN)

    def _type_of_Constant(self, node: ast.Constant) -> Type:
        return literal_type(node)

    def _type_of_Name(self, node: ast.Name) -> Type:
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
        others = [
            other.number
            for other in self.names.rules.values()
            if name in other.parameters and other is not self.rule
        ]
        if others:
            return f"; a parameter of another rule is read by param({others[0]!r}, {name!r})"
        if owners := [n for n, c in self.checks.items() if name in c.functions]:
            return f"; it is a function of rule {owners[0]}: only define_ and value_ can be shared"
        known = {
            *self.variables, *self.locals, *self.parameters, *self.constants, *self.functions,
            *self.names.operations, *self.names.verbs, *(BUILTINS - {"struct", "hash", "repr"}),
        }  # fmt: skip
        return meant(name, known)

    def _type_of_BoolOp(self, node: ast.BoolOp) -> Type:
        types, before = [], dict(self.variables)
        for value in node.values:
            types.append(self.type_of(value))
            if isinstance(node.op, ast.And):
                self.variables |= self._kinds_if(value)
        self.variables = before
        if isinstance(node.op, ast.Or):
            types = [*map(t.something, types[:-1]), types[-1]]
            types = [each for each in types[:-1] if each != t.NOTHING] + types[-1:]
        return t.join(types)

    def _type_of_UnaryOp(self, node: ast.UnaryOp) -> Type:
        type_ = t.something(self.type_of(node.operand))
        if isinstance(node.op, ast.Not):
            return t.FLAG
        self._need_number(node, type_)
        return type_ if t.is_numeric(type_) else t.NUMBER

    def _need_number(self, node: ast.AST, type_: Type) -> bool:
        if t.is_numeric(type_):
            return True
        self.fault(node, f"a number is needed here, and this is {t.describe(type_)}")
        return False

    def _type_of_IfExp(self, node: ast.IfExp) -> Type:
        self.type_of(node.test)
        before = dict(self.variables)
        self.variables |= self._kinds_if(node.test)
        body = self.type_of(node.body)
        self.variables = before
        return t.join([body, self.type_of(node.orelse)])

    def _type_of_BinOp(self, node: ast.BinOp) -> Type:
        left, right = self.type_of(node.left), self.type_of(node.right)
        return self._operator(node, node.op, left, right, node.right, node.left)

    def _operator(
        self,
        node: ast.AST,
        op: ast.operator,
        left: Type,
        right: Type,
        right_node: ast.expr,
        left_node: ast.expr | None = None,
    ) -> Type:
        left, right = t.something(left), t.something(right)
        names = t.names_of(left), t.names_of(right)
        if isinstance(op, ast.Mod) and (not left or "Text" in names[0]):
            if left:
                self._check_format(left_node, right_node, right)
            return left if names[0] == {"Text"} else t.UNKNOWN
        if isinstance(op, ast.Add) and not (t.is_numeric(left) and t.is_numeric(right)):
            return self._joined(node, left, right)
        if isinstance(op, ast.Mult) and (names[0] | names[1]) & {"Text", "List"}:
            other = right if names[0] & {"Text", "List"} else left
            if not t.is_numeric(other):
                self.fault(node, f"{t.describe(left)} times {t.describe(right)} is nothing")
            return t.UNKNOWN if not left or not right else left if other is right else right
        if isinstance(op, ast.BitOr) and (names[0] | names[1]) & {"Table"}:
            return t.TABLE
        if not (self._need_number(node, left) and self._need_number(node, right)):
            return t.NUMBER
        if not left or not right:
            return t.UNKNOWN if isinstance(op, ast.Add | ast.Mult) else t.NUMBER
        return self._arithmetic(node, op, left, right, right_node, left_node)

    def _joined(self, node: ast.AST, left: Type, right: Type) -> Type:
        """Return the type of a sum that is no number: texts and lists can be joined, too."""
        if not left or not right:
            other = left or right
            if t.names_of(other) & {"Flag", "Nothing", "Step", "Function"} == t.names_of(other):
                self.fault(node, f"{t.describe(other)} cannot be added to anything")
            return t.UNKNOWN
        sorts = [{_sort(atom) for atom in side} for side in (left, right)]
        if not (sorts[0] & sorts[1] & {"text", "list", "number"}):
            text = f"{t.describe(left)} and {t.describe(right)} cannot be added"
            is_mixed = {"text", "number"} <= sorts[0] | sorts[1]
            self.fault(node, text + (": write str(…) round the number" if is_mixed else ""))
            return t.UNKNOWN
        if sorts[0] == sorts[1] == {"text"}:
            return t.TEXT
        if sorts[0] == sorts[1] == {"list"}:
            empty = [not t.items_of(side) for side in (left, right)]
            items = [t.items_of(side) for side in (left, right)]
            return t.list_of(t.UNKNOWN if any(empty) else t.join(items))
        return t.UNKNOWN

    def _arithmetic(
        self,
        node: ast.AST,
        op: ast.operator,
        left: Type,
        right: Type,
        right_node: ast.expr,
        left_node: ast.expr | None,
    ) -> Type:
        pairs = [(a, b) for a in left for b in right if a.name in t.NUMERIC and b.name in t.NUMERIC]
        if isinstance(op, ast.Add | ast.Sub):
            operator = "-" if isinstance(op, ast.Sub) else "+"
            totals = [t.total(a, b, operator) for a, b in pairs]
            found = frozenset(each for each in totals if each is not None)
            is_next_second = isinstance(left_node, ast.BinOp) and _value(right_node) == 1
            if not found and not is_next_second:
                self.fault(node, self._why_no_sum(pairs[0], operator, right_node, left_node))
            return found or t.NUMBER
        if isinstance(op, ast.Mult):
            factors = [_whole(each) for each in (left_node, right_node)]
            if any(each in _SECONDS_IN for each in factors) and not (
                t.names_of(left) | t.names_of(right)
            ) - {"Number"}:
                units = {atom.unit for atom in left | right} - {t.PLAIN}
                return t.COUNT if not units else t.NUMBER
            return frozenset(t.product(a, b) for a, b in pairs)
        if isinstance(op, ast.Div):
            self.fault(node, "write divide(a, b), which is exact, or a // b for the whole part")
        if isinstance(op, ast.FloorDiv) and all(b.unit == t.PLAIN for b in right):
            times = t.names_of(left) - {"Number"}
            return t.NUMBER if times else left
        return t.COUNT if left == right == t.COUNT else t.NUMBER

    def _why_no_sum(
        self,
        pair: tuple[Atom, Atom],
        operator: str,
        right_node: ast.expr,
        left_node: ast.expr | None,
    ) -> str:
        done = "subtracted" if operator == "-" else "added"
        for atom, other, node in ((pair[1], pair[0], right_node), (pair[0], pair[1], left_node)):
            if other.is_time and atom.name == "Number":
                return f"{self.as_duration(atom, node)}"
        texts = [t.describe_atom(atom) for atom in pair]
        if operator == "-":
            texts = texts[::-1]
            return f"{texts[0]} cannot be {done} from {texts[1]}"
        return f"{texts[0]} and {texts[1]} cannot be {done}"

    def as_duration(self, atom: Atom, node: ast.expr | None) -> str:
        """Return how to write the number *node* as a duration, as a sentence."""
        written = ast.unparse(node) if node is not None else "this"
        written = written if len(written) <= 40 else "this"
        if atom.unit in self._time_units():
            return f"{written} is a number of {atom.unit}: write {atom.unit}({written})"
        seconds = _value(node)
        if seconds is not None and seconds >= 60:
            return f"{written} is a plain number: write {t.in_words_of_time(seconds)}"
        if seconds is not None:
            return f"{written} is a plain number: write days({written}) or seconds({written})"
        return f"{written} is {t.describe_atom(atom)}: write a duration, such as days(7)"

    @staticmethod
    def _time_units() -> tuple[str, ...]:
        return tuple(_TIME_UNITS)

    def _check_format(self, left: ast.expr | None, right_node: ast.expr, right: Type) -> None:
        if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
            return
        places = [each for each in _PLACEHOLDER.findall(left.value) if each != "%"]
        is_tuple = isinstance(right_node, ast.Tuple)
        given = len(right_node.elts) if isinstance(right_node, ast.Tuple) else 1
        if not is_tuple and (not right or "List" in t.names_of(right)):
            return
        if len(places) != given:
            text = f"the text has {len(places)} places for values, and is given {given}"
            self.fault(left, text)

    def _type_of_Compare(self, node: ast.Compare) -> Type:
        sides = [node.left, *node.comparators]
        found = [self.type_of(side) for side in sides]
        for i, op in enumerate(node.ops):
            self._compare(node, op, (sides[i], found[i]), (sides[i + 1], found[i + 1]))
        return t.FLAG

    def _compare(
        self,
        node: ast.Compare,
        op: ast.cmpop,
        first: tuple[ast.expr, Type],
        second: tuple[ast.expr, Type],
    ) -> None:
        left, right = first[1], second[1]
        if isinstance(op, ast.In | ast.NotIn):
            self._check_in(node, left, second)
            return
        self._check_kind(first[0], second[0])
        self._check_kind(second[0], first[0])
        left, right = t.something(left), t.something(right)
        if not isinstance(op, ast.Eq | ast.NotEq):
            for type_ in (left, right):
                if type_ and not (t.names_of(type_) & {*t.NUMERIC, "Text", "List"}):
                    text = f"{t.describe(type_)} is neither more nor less than anything"
                    self.fault(node, text)
                    return
        if t.are_comparable(left, right):
            return
        text = f"{t.describe(left)} is compared with {t.describe(right)}"
        for (side, type_), other in ((first, right), (second, left)):
            atoms = [atom for atom in type_ if atom.name == "Number"]
            if atoms and any(atom.is_time for atom in other):
                if _value(side) == 0:
                    return
                text = f"{text}: {self.as_duration(atoms[0], side)}"
                break
            kinds = [atom.name for atom in type_ if atom.is_kind]
            if kinds and t.is_numeric(other):
                text = f"{text}: write label(…) or get(…) for a number of the {kinds[0]}"
        self.fault(node, text)

    def _check_in(self, node: ast.Compare, left: Type, second: tuple[ast.expr, Type]) -> None:
        right = t.something(second[1])
        names = t.names_of(right)
        if right and not names & {"List", "Table", "Text"} and not any(a.is_kind for a in right):
            self.fault(node, f"in needs a list, and this is {t.describe(right)}")
        elif names == {"List"} and not t.are_comparable(left, t.items_of(right)):
            text = f"the list is of {t.describe(t.items_of(right))}, not {t.describe(left)}"
            self.fault(node, text)

    def _check_kind(self, call: ast.expr, literal: ast.expr) -> None:
        """Check that what `kind(…)` is compared with is a kind."""
        is_kind = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if not (is_kind and call.func.id == "kind" and "kind" not in self.variables):  # type: ignore[attr-defined]
            return
        for each in literal.elts if isinstance(literal, ast.Tuple | ast.List) else [literal]:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                self.calls.check_kind_name(each, each.value)

    def _type_of_Call(self, node: ast.Call) -> Type:
        if isinstance(node.func, ast.Name):
            return self.calls.type_of(node.func.id, node)
        if isinstance(node.func, ast.Attribute):
            receiver = self.type_of(node.func.value)
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                self.type_of(argument)
            return self._method(node.func, receiver)
        for child in (node.func, *node.args, *(keyword.value for keyword in node.keywords)):
            self.type_of(child)
        return t.UNKNOWN

    def _method(self, node: ast.Attribute, receiver: Type) -> Type:
        receiver = t.something(receiver)
        sorts = {"Text" if atom.is_kind else atom.name for atom in receiver} or set(_METHODS)
        methods: dict[str, Type] = {}
        for sort in sorts & _METHODS.keys():
            methods |= _METHODS[sort]
        if node.attr in _FIELDS and not receiver:
            return t.UNKNOWN
        if node.attr not in methods:
            owner = t.describe(receiver) if receiver else "a value"
            self.fault(node, f"{owner} has no .{node.attr}(){meant(node.attr, methods)}")
            return t.UNKNOWN
        return methods[node.attr] if receiver else t.UNKNOWN

    def _type_of_Attribute(self, node: ast.Attribute) -> Type:
        receiver = t.something(self.type_of(node.value))
        known = {name for methods in _METHODS.values() for name in methods}
        if receiver and any(atom.is_kind for atom in receiver):
            text = f"attributes are read by get({ast.unparse(node.value)}, {node.attr!r})"
            self.fault(node, text)
        elif node.attr not in known and node.attr not in _FIELDS:
            self.fault(node, f"a value has no .{node.attr}{meant(node.attr, _FIELDS)}")
        return t.UNKNOWN

    def _type_of_Subscript(self, node: ast.Subscript) -> Type:
        type_ = t.something(self.type_of(node.value))
        self.type_of(node.slice)
        if isinstance(node.slice, ast.Slice):
            return type_
        if type_ and not t.names_of(type_) & {"List", "Table", "Text"}:
            self.fault(node, f"{t.describe(type_)} has no items: a list is needed")
            return t.UNKNOWN
        index = t.something(self.seen(node.slice)) if t.names_of(type_) == {"List"} else t.UNKNOWN
        if not t.is_numeric(index):
            self.fault(node, f"a place in a list is a number, and this is {t.describe(index)}")
        return t.items_of(type_) if t.names_of(type_) == {"List"} else t.UNKNOWN

    def _type_of_Slice(self, node: ast.Slice) -> Type:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self._need_number(part, t.something(self.type_of(part)))
        return t.UNKNOWN

    def _type_of_List(self, node: ast.List | ast.Tuple) -> Type:
        types = [self.type_of(item) for item in node.elts]
        return t.list_of(t.join(types) if types else t.UNKNOWN)

    _type_of_Tuple = _type_of_List

    def _type_of_Starred(self, node: ast.Starred) -> Type:
        return t.items_of(self.type_of(node.value))

    def _type_of_Dict(self, node: ast.Dict) -> Type:
        for part in (*node.keys, *node.values):
            if part is not None:
                self.type_of(part)
        return t.TABLE

    def _type_of_Lambda(self, node: ast.Lambda) -> Type:
        before = self.variables
        self.variables = before | {each.arg: t.UNKNOWN for each in node.args.args}
        self.type_of(node.body)
        self.variables = before
        return t.FUNCTION

    def _type_of_ListComp(self, node: ast.ListComp) -> Type:
        before = dict(self.variables)
        self._generators(node.generators)
        items = self.type_of(node.elt)
        self.variables = before
        return t.list_of(items)

    def _type_of_DictComp(self, node: ast.DictComp) -> Type:
        before = dict(self.variables)
        self._generators(node.generators)
        self.type_of(node.key)
        self.type_of(node.value)
        self.variables = before
        return t.TABLE

    def _generators(self, generators: list[ast.comprehension]) -> None:
        for generator in generators:
            self._bind(generator.target, self._items(generator.iter))
            for condition in generator.ifs:
                self.type_of(condition)

    def _items(self, node: ast.expr) -> Type:
        """Return the type of the items of the list *node*."""
        type_ = t.something(self.type_of(node))
        if type_ and not t.names_of(type_) & {"List", "Table"}:
            hint = ": write range(…) to count" if t.is_numeric(type_) else ""
            hint = ": write .elems() for its letters" if type_ == t.TEXT else hint
            text = f"for visits the items of a list, and this is {t.describe(type_)}"
            self.fault(node, text + hint)
            return t.UNKNOWN
        return t.items_of(type_) if t.names_of(type_) == {"List"} else t.UNKNOWN


_TIME_UNITS = ("seconds", "minutes", "hours", "days", "weeks")


def _sort(atom: Atom) -> str:
    """Return how a value of type *atom* is added: as a text, a list or a number."""
    if atom.name == "Text" or atom.is_kind:
        return "text"
    if atom.name in t.NUMERIC:
        return "number"
    return "list" if atom.name == "List" else atom.name


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


def _value(node: ast.expr | None) -> int | None:
    """Return the value of a whole number that *node* states or computes from such; else None."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left, right = _value(node.left), _value(node.right)
        return None if left is None or right is None else left * right
    return _whole(node)


def _whole(node: ast.expr | None) -> int | None:
    value: Any = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
