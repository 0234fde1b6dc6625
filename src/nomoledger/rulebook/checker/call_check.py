"""The check of calls: of verbs, of operations of rules, and of functions of the same rule."""

import ast
from collections.abc import Callable, Collection, Iterator
from typing import Protocol

from nomoledger.events.rules import Rule
from nomoledger.language.code import Hook
from nomoledger.language.linker import BUILTINS
from nomoledger.language.operations import Operation
from nomoledger.language.verbs import MODES, SECONDS
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.names import Names
from nomoledger.rulebook.checker.signatures import (
    signature_of,
    signature_of_operation,
    signature_of_verb,
)
from nomoledger.rulebook.checker.types import Type
from nomoledger.rulebook.nearest import meant

#: The arguments of verbs by name: those that are accounts, things, numbers or texts.
_ACCOUNTS = ("payer", "payee", "giver", "taker", "account", "remainder_to")
_THINGS = ("entity", "piece")
_NUMBERS = ("dice", "sides", "times", "n", "d", "dividend", "divisor", "value", "period")
_TEXTS = ("why", "label", "text", "question", "for_", "title", "prose")
_LISTS = ("options", "winners", "shares", "numbers", "items")
#: The verbs whose first argument is an operation, to which the other arguments go.
_OF_OPERATIONS = ("schedule", "cancel", "would", "may")
#: What verbs return whose result does not depend on the arguments.
_RESULTS: dict[str, Type] = {
    **dict.fromkeys(("set_to", "add", "times", "at_most", "at_least"), t.STEP),
    **dict.fromkeys(("once", "mentioned", "any", "bool", "hasattr"), t.FLAG),
    **dict.fromkeys(("period", "tallied", "count", "len", "move", "hash"), t.COUNT),
    **dict.fromkeys(("kind", "str", "repr", "type", "wording"), t.TEXT),
    **dict.fromkeys(("holdings", "may"), t.list_of(t.TEXT)),
    **dict.fromkeys(("range", "roll"), t.list_of(t.COUNT)),
    **dict.fromkeys(("proposed", "enumerate", "zip"), t.list_of(t.UNKNOWN)),
    **dict.fromkeys(SECONDS, t.DURATION),
    **dict.fromkeys(
        ("pay", "give", "mint", "burn", "split", "set", "destroy", "reveal", "schedule", "cancel",
         "tally", "settle", "end_game", "adopt", "enact", "amend", "repeal", "renumber"),
        t.NOTHING,
    ),
    "now": t.TIME,
    "int": t.NUMBER,
    "dict": t.TABLE,
}  # fmt: skip


class Reader(Protocol):
    """What the check of calls needs to know of the check of the code around them."""

    rule: Rule
    names: Names
    functions: dict[str, ast.FunctionDef]
    variables: dict[str, Type]
    hook: Hook | None
    used: set[str]

    def type_of(self, node: ast.expr) -> Type:
        """Return the type of *node*, and report the faults in it."""

    def seen(self, node: ast.expr) -> Type:
        """Return the type of *node*, which was read before."""

    def fault(self, node: ast.AST, text: str) -> None:
        """Report *text* at the line of *node*."""

    def result_of(self, name: str) -> Type:
        """Return what the function *name* of the rule returns."""

    def result_of_operation(self, operation: Operation) -> Type:
        """Return what *operation* returns."""

    def as_duration(self, atom: t.Atom, node: ast.expr | None) -> str:
        """Return how to write the number *node* as a duration."""


class CallCheck:
    """The check of the calls in one rule."""

    def __init__(self, reader: Reader) -> None:
        """Check the calls that *reader* comes upon."""
        self.reader = reader
        self.names = reader.names

    def type_of(self, name: str, node: ast.Call) -> Type:
        """Return what the call *node* of *name* returns, and report the faults in it."""
        reader = self.reader
        is_local = name in reader.variables
        function = reader.type_of(node.func)
        types = [reader.type_of(argument) for argument in node.args]
        by_name = {k.arg or "": reader.type_of(k.value) for k in node.keywords}
        if is_local:
            return self._local(name, node, function)
        if name in reader.functions:
            self._fits_signature(name, node, signature_of(reader.functions[name]).problem)
            self._check_annotated(reader.functions[name], node, types, by_name)
            return reader.result_of(name)
        if name in self.names.operations:
            operation = self.names.operations[name]
            self._fits_signature(name, node, signature_of_operation(operation).problem)
            self._check_arguments(operation, name, self._by_parameter(operation, node, types))
            return reader.result_of_operation(operation)
        if name in self.names.verbs or name in BUILTINS:
            return self._verb(name, node, types)
        return t.UNKNOWN

    def _fits_signature(
        self, name: str, node: ast.Call, problem: Callable[[str, ast.Call], str | None]
    ) -> None:
        if (text := problem(name, node)) is not None:
            self.reader.fault(node, text)

    # --- operations and functions of rules --------------------------------------------------------

    def _local(self, name: str, node: ast.Call, function: Type) -> Type:
        hook = self.reader.hook
        if function and function != t.FUNCTION and t.names_of(function) != {"Function"}:
            text = f"{name!r} is {t.describe(function)} here, not a function"
            self.reader.fault(node, f"{text}: give what is assigned to it another name")
        if hook is None or hook.kind != "instead" or name != hook.parameters[0].name:
            return t.UNKNOWN
        operation = self.names.operations.get(hook.operation)
        if operation is not None:
            self._fits_signature(name, node, signature_of_operation(operation).problem)
            return self.reader.result_of_operation(operation)
        verb = signature_of_verb(hook.operation)
        if verb is not None:
            self._fits_signature(name, node, verb.problem)
        return t.UNKNOWN

    def _by_parameter(
        self, operation: Operation, node: ast.Call, types: list[Type]
    ) -> Iterator[tuple[str, str, str | None, ast.expr, Type]]:
        """Yield name, annotation, default, node and type of each argument that is given."""
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return
        for each, argument, type_ in zip(operation.parameters, node.args, types, strict=False):
            yield each.name, each.type, each.default, argument, type_
        known = {each.name: each for each in operation.parameters}
        for keyword in node.keywords:
            if keyword.arg in known:
                each = known[keyword.arg]
                type_ = self.reader.seen(keyword.value)
                yield each.name, each.type, each.default, keyword.value, type_

    def _check_arguments(
        self,
        operation: Operation,
        called: str,
        arguments: Iterator[tuple[str, str, str | None, ast.expr, Type]],
    ) -> None:
        for name, written, default, argument, type_ in arguments:
            wanted = self.names.type_of_argument(written, default)
            self._check_type(f"the {name} of {called}", argument, type_, wanted)

    def _check_annotated(
        self,
        function: ast.FunctionDef,
        node: ast.Call,
        types: list[Type],
        by_name: dict[str, Type],
    ) -> None:
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return
        places = {keyword.arg: keyword.value for keyword in node.keywords}
        for i, parameter in enumerate(function.args.args):
            written = ast.unparse(parameter.annotation) if parameter.annotation else ""
            wanted = self.names.type_named(written)
            what = f"the {parameter.arg} of {function.name}"
            if i < len(types):
                self._check_type(what, node.args[i], types[i], wanted)
            elif parameter.arg in by_name:
                self._check_type(what, places[parameter.arg], by_name[parameter.arg], wanted)

    def _check_type(self, what: str, node: ast.expr, type_: Type, wanted: Type) -> None:
        """Check that the argument *node* can be one of *wanted*."""
        if t.fits(type_, wanted) or self._is_known_text(node, type_, wanted):
            return
        if isinstance(node, ast.Constant) and node.value == 0 and t.is_numeric(wanted):
            return  # 0 is 0 in every unit
        text = f"{what} is {t.describe(wanted)}, and this is {t.describe(type_)}"
        self.reader.fault(node, text + self._way(node, type_, wanted))

    def _way(self, node: ast.expr, type_: Type, wanted: Type) -> str:
        """Return how to turn a value of *type_* into one of *wanted*, if that is clear."""
        kinds = [atom.name for atom in wanted if atom.is_kind]
        if kinds and t.names_of(type_) <= {"Number", "Text"}:
            return f": write find({kinds[0]!r}, …)"
        numbers = [atom for atom in type_ if atom.name == "Number"]
        if numbers and wanted == t.DURATION:
            return f": {self.reader.as_duration(numbers[0], node)}"
        if type_ == t.DURATION and wanted == t.TIME:
            return f": write now() + {ast.unparse(node):.40}"
        return ""

    def _is_known_text(self, node: ast.expr, type_: Type, wanted: Type) -> bool:
        """Return whether *node* is the admin, or what else a text can name where a thing can be."""
        is_thing = any(atom.is_kind for atom in wanted)
        if not is_thing or "Text" not in t.names_of(type_):
            return False
        known = self.names.accounts | self.names.things
        return not isinstance(node, ast.Constant) or node.value in known

    # --- verbs ------------------------------------------------------------------------------------

    def _verb(self, name: str, node: ast.Call, types: list[Type]) -> Type:
        if name in _OF_OPERATIONS:
            self._of_operation(name, node, types)
        signature = signature_of_verb(name)
        if signature is None:
            return self._result(name, node, {}, types)
        self._starlark(name, node, types)
        self._fits_signature(name, node, signature.problem)
        given: dict[str, ast.expr] = {}
        if not any(isinstance(argument, ast.Starred) for argument in node.args):
            given = dict(zip(signature.names, node.args, strict=False))
        given |= {k.arg: k.value for k in node.keywords if k.arg}
        for parameter, argument in given.items():
            self._argument(name, parameter, argument, given)
        if name == "where":
            self._check_table(given, ((k.arg, k.value) for k in node.keywords if k.arg))
        return self._result(name, node, given, types)

    def _starlark(self, name: str, node: ast.Call, types: list[Type]) -> None:
        """Check the arguments of the functions of Starlark that need numbers or lists."""
        if name in ("range", "abs"):
            for argument, type_ in zip(node.args, types, strict=True):
                self._number(f"what {name} is given", argument, type_)
        elif name in ("len", "sorted", "reversed", "enumerate") and types:
            type_ = t.something(types[0])
            if type_ and not t.names_of(type_) & {"List", "Table", "Text"} and not _has_kind(type_):
                text = f"{name} is given a list, and this is {t.describe(type_)}"
                self.reader.fault(node.args[0], text)

    def _argument(
        self, verb: str, parameter: str, node: ast.expr, given: dict[str, ast.expr]
    ) -> None:
        """Check one argument of a verb."""
        type_ = self.reader.seen(node)
        what = f"the {parameter.rstrip('_')} of {verb}"
        text = _text(node)
        if parameter in _ACCOUNTS:
            self._account(what, node, type_)
        elif parameter in _THINGS or (parameter, verb) in (("player", "ask"), ("player", "act")):
            self._thing(what, node, type_)
        elif parameter in ("amount", "quantity"):
            self._amount(what, node, type_, given)
        elif parameter == "commodity":
            self._commodity(what, node, type_)
        elif parameter == "attribute":
            self._attribute(what, node, type_, given)
        elif parameter == "kind":
            self._kind(what, node, type_)
        elif parameter == "attributes":
            self._create(node, type_, given)
        elif parameter == "square":
            self._place(what, node, type_)
        elif parameter == "mode" and text is not None and text not in MODES:
            known = ", ".join(MODES)
            self.reader.fault(node, f"{text!r} is no way to move: {known}{meant(text, MODES)}")
        elif parameter == "per":
            self._per(verb, node, text)
        elif parameter == "due" or (verb, parameter) == ("set", "until"):
            self._due(what, node, type_)
        elif parameter == "follows":
            self._follows(node, text)
        elif parameter == "number" and verb in ("param", "amend", "repeal", "renumber"):
            self._rule(verb, node, text, given)
        elif (verb, parameter) == ("act", "action"):
            self._operation(node, text, self.names.actions)
        elif (verb, parameter) == ("within", "operation"):
            self._operation(node, text, self.names.hookable)
        elif (verb, parameter) == ("find", "called"):
            self._called(node, type_, given)
        elif (verb, parameter) == ("set", "value"):
            self._value(node, type_, given)
        else:
            self._plain_argument(verb, parameter, what, node, type_)

    def _plain_argument(
        self, verb: str, parameter: str, what: str, node: ast.expr, type_: Type
    ) -> None:
        if parameter in _NUMBERS and verb != "set":
            is_step = verb in ("set_to", "add", "times", "at_most", "at_least")
            self._number(what, node, type_)
            if is_step and parameter == "n" and verb != "times":
                self._step(verb, node, type_)
            if verb in SECONDS:
                self._duration(verb, node, type_)
        elif parameter in _TEXTS:
            wanted = t.TEXT
            if not t.fits(t.something(type_), wanted) and not _has_kind(type_):
                found = t.describe(type_)
                self.reader.fault(node, f"{what} is a text, and this is {found}")
        elif parameter in _LISTS and not t.fits(t.something(type_), t.NAMED["List"]):
            self.reader.fault(node, f"{what} is a list, and this is {t.describe(type_)}")

    def _number(self, what: str, node: ast.expr, type_: Type) -> bool:
        if t.is_numeric(t.something(type_)):
            return True
        found = t.describe(type_)
        hint = ": take one with [0], or sum(…)" if t.names_of(type_) == {"List"} else ""
        self.reader.fault(node, f"{what} is a number, and this is {found}{hint}")
        return False

    def _account(self, what: str, node: ast.expr, type_: Type) -> None:
        text = _text(node)
        if text is not None:
            known = self.names.accounts | self.names.things
            if text not in known:
                self.reader.fault(
                    node, f"no rule declares the account {text!r}{meant(text, known)}"
                )
        elif not (t.names_of(type_) <= {"Text", "Nothing"} or _has_kind(type_) or not type_):
            self.reader.fault(
                node, f"{what} is a player or an account, and this is {t.describe(type_)}"
            )

    def _thing(self, what: str, node: ast.expr, type_: Type) -> None:
        text, known = _text(node), {"game", "engine", *self.names.accounts, *self.names.things}
        if text is not None and text not in known:
            self.reader.fault(node, f"there is no thing {text!r}{meant(text, known)}")
        if type_ and not _has_kind(type_) and not t.names_of(type_) & {"Text", "Nothing"}:
            self.reader.fault(node, f"{what} is a thing, and this is {t.describe(type_)}")

    def _place(self, what: str, node: ast.expr, type_: Type) -> None:
        wanted = self.names.places
        if not t.fits(t.something(type_), wanted) and t.names_of(type_) != {"Text"}:
            text = f"{what} is {t.describe(wanted)}, and this is {t.describe(type_)}"
            self.reader.fault(node, text + self._way(node, t.something(type_), wanted))

    def _amount(self, what: str, node: ast.expr, type_: Type, given: dict[str, ast.expr]) -> None:
        if not self._number(what, node, type_) or not type_:
            return
        commodity = given.get("commodity")
        name = None if commodity is None else _text(commodity)
        if commodity is not None and name is None and not _is_none(commodity):
            return
        unit = self.names.unit_of_commodity(name)
        atoms = [atom for atom in type_ if atom.name in t.NUMERIC]
        wrong = [atom for atom in atoms if not self._is_paid(atom, unit)]
        if wrong and len(wrong) == len(atoms):
            paid = "money" if unit == t.MONEY else unit
            text = f"{what} is counted in {paid}, and this is {t.describe_atom(wrong[0])}"
            self.reader.fault(node, text)

    def _is_paid(self, atom: t.Atom, unit: str) -> bool:
        """Return whether an amount in *unit* can be a number of type *atom*."""
        if atom.is_time:
            return False
        if not unit or atom.unit in ("", t.PLAIN, unit):
            return True
        is_known = atom.unit == t.MONEY or atom.unit in self.names.commodities
        if is_known or self.names.is_counted(atom.unit):
            return False
        return unit != t.MONEY or self.names.money != "$"

    def _commodity(self, what: str, node: ast.expr, type_: Type) -> None:
        text, known = _text(node), self.names.commodities
        if text is not None and text not in known:
            self.reader.fault(node, f"no rule declares the commodity {text!r}{meant(text, known)}")
        elif not t.fits(type_, t.TEXT):
            self.reader.fault(node, f"{what} is a text, and this is {t.describe(type_)}")

    def check_kind_name(self, node: ast.expr, kind: str) -> None:
        """Check that a rule declares *kind*."""
        if kind not in self.names.kinds:
            known = self.names.kinds
            self.reader.fault(node, f"no rule declares the kind {kind!r}{meant(kind, known)}")

    def _kind(self, what: str, node: ast.expr, type_: Type) -> None:
        text = _text(node)
        if text is not None:
            self.check_kind_name(node, text)
        elif not t.fits(type_, t.TEXT):
            self.reader.fault(node, f"{what} is a text, and this is {t.describe(type_)}")

    def _kinds_of(self, given: dict[str, ast.expr]) -> set[str] | None:
        """Return the kinds that the entity can have; None if any."""
        node = given.get("entity")
        if node is None:
            return None
        if _text(node) == "game":
            return {"game"}
        atoms = t.something(self.reader.seen(node))
        kinds = {atom.name for atom in atoms if atom.is_kind}
        return kinds if kinds and len(kinds) == len(atoms) else None

    def _attribute(
        self, what: str, node: ast.expr, type_: Type, given: dict[str, ast.expr]
    ) -> None:
        name = _text(node)
        if name is None:
            if not t.fits(type_, t.TEXT):
                self.reader.fault(node, f"{what} is a text, and this is {t.describe(type_)}")
            return
        kinds = self._kinds_of(given)
        if kinds is None:
            known: Collection[str] = self.names.attributes
        else:
            known = {word for kind in kinds for word in self.names.kinds.get(kind, ())}
        if name not in known:
            of = (
                f" of {' or '.join(sorted(kinds))}"
                if kinds and name in self.names.attributes
                else ""
            )
            self.reader.fault(
                node, f"no rule declares the attribute {name!r}{of}{meant(name, known)}"
            )

    def _attribute_type(self, given: dict[str, ast.expr]) -> Type:
        """Return the type of the attribute that the call names."""
        name = _text(given["attribute"]) if "attribute" in given else None
        if name is None:
            return t.UNKNOWN
        kinds = self._kinds_of(given)
        tables = [
            types
            for kind, types in self.names.kinds.items()
            if name in types and (kinds is None or kind in kinds)
        ]
        return t.join(types[name] for types in tables) if tables else t.UNKNOWN

    def _value(self, node: ast.expr, type_: Type, given: dict[str, ast.expr]) -> None:
        attribute = _text(given["attribute"]) if "attribute" in given else None
        self._check_type(f"the attribute {attribute!r}", node, type_, self._attribute_type(given))

    def _create(self, node: ast.expr, type_: Type, given: dict[str, ast.expr]) -> None:
        if not isinstance(node, ast.Dict):
            if not t.fits(type_, t.TABLE):
                text = 'create takes a table: {"number": 1}'
                self.reader.fault(node, f"{text}, and this is {t.describe(type_)}")
            return
        pairs = ((_text(key), value) for key, value in zip(node.keys, node.values, strict=True))
        self._check_table(given, ((name, value) for name, value in pairs if name is not None))

    def _check_table(
        self, given: dict[str, ast.expr], pairs: Iterator[tuple[str, ast.expr]]
    ) -> None:
        """Check that the kind has these attributes, and that the values fit."""
        kind = _text(given["kind"]) if "kind" in given else None
        known = self.names.kinds.get(kind or "")
        if known is None:
            return
        for name, value in pairs:
            if name not in known:
                text = f"no rule declares the attribute {name!r} of {kind}{meant(name, known)}"
                self.reader.fault(value, text)
            else:
                type_ = self.reader.seen(value)
                self._check_type(f"the attribute {name!r} of {kind}", value, type_, known[name])

    def _per(self, verb: str, node: ast.expr, text: str | None) -> None:
        if text in (None, "period", "game"):
            return
        if verb == "once":
            self._operation(node, text, {*self.names.hookable, "period", "game"})
        else:
            hint = meant(str(text), ("period", "game"))
            text = f'per is "period" or "game", not {text!r}'
            self.reader.fault(node, text + hint)

    def _due(self, what: str, node: ast.expr, type_: Type) -> None:
        text = _text(node)
        is_until = what.endswith("set")
        if text is not None and is_until and text in ("period", "use"):
            return
        if text is not None and is_until:
            hint = meant(text, ("period", "use"))
            self.reader.fault(node, f'until is a time, "period" or "use", not {text!r}{hint}')
            return
        atoms = t.something(type_)
        if t.fits(atoms, t.TIME) or (is_until and "Text" in t.names_of(atoms)):
            return
        way = f"write now() + {ast.unparse(node):.40}"
        numbers = [atom for atom in atoms if atom.name == "Number"]
        if numbers:
            way = f"{self.reader.as_duration(numbers[0], node)}, and add it to now()"
        self.reader.fault(node, f"{what} is a time, and this is {t.describe(atoms)}: {way}")

    def _follows(self, node: ast.expr, text: str | None) -> None:
        rule = self.reader.rule
        if text is None:
            return
        self.reader.used.add(text)
        if text not in rule.parameters:
            hint = meant(text, rule.parameters)
            self.reader.fault(node, f"this rule has no parameter {text!r} to follow{hint}")
        elif rule.units.get(text) not in SECONDS:
            units = ", ".join(SECONDS)
            text = (
                f"a timer follows a parameter with a unit of time ({units}); give one to {text!r}"
            )
            self.reader.fault(node, text)

    def _rule(
        self, verb: str, node: ast.expr, number: str | None, given: dict[str, ast.expr]
    ) -> None:
        if number is None:
            return
        rules = self.names.rules
        if number not in rules:
            self.reader.fault(node, f"there is no rule {number}{meant(number, rules)}")
            return
        known = rules[number].parameters
        words = [_text(given["name"])] if verb == "param" and "name" in given else []
        words += [word for word in given if verb == "amend" and word != "number"]
        for word in words:
            if word is not None and word not in known:
                text = f"rule {number} has no parameter {word!r}{meant(word, known)}"
                self.reader.fault(given.get("name", node), text)

    def _operation(self, node: ast.expr, name: str | None, known: Collection[str]) -> None:
        if name is not None and name not in known:
            text = f"no rule says what the operation {name!r} is{meant(name, known)}"
            self.reader.fault(node, text)

    def _called(self, node: ast.expr, type_: Type, given: dict[str, ast.expr]) -> None:
        kind = _text(given["kind"]) if "kind" in given else None
        key = self.names.key_type(kind or "")
        if kind is not None and not t.are_comparable(type_, key):
            text = f"people call a {kind} by {t.describe(key)}, and this is {t.describe(type_)}"
            self.reader.fault(node, text)

    def _step(self, verb: str, node: ast.expr, type_: Type) -> None:
        """Check that a step on a value is counted in what the value is counted in."""
        hook = self.reader.hook
        operation = None if hook is None else self.names.operations.get(hook.operation)
        if hook is None or hook.kind != "adjust" or operation is None:
            return
        value = self.reader.result_of_operation(operation)
        if value and type_ and not t.are_comparable(type_, value):
            text = f"{hook.operation} is {t.describe(value)}, and this is {t.describe(type_)}"
            self.reader.fault(node, text)

    def _duration(self, verb: str, node: ast.expr, type_: Type) -> None:
        atoms = [atom for atom in type_ if atom.name in t.NUMERIC]
        units = {atom.name if atom.is_time else atom.unit for atom in atoms}
        if not atoms or units & {"", t.PLAIN, verb}:
            return
        written = ast.unparse(node)
        if (unit := atoms[0].unit) in SECONDS:
            text = f"{written} is a number of {unit}: write {unit}({written})"
        else:
            text = f"{verb}(…) takes a number of {verb}, and this is {t.describe_atom(atoms[0])}"
        self.reader.fault(node, text)

    def _of_operation(self, verb: str, node: ast.Call, types: list[Type]) -> None:
        """Check the operation that a verb names, and the arguments for it."""
        if not node.args or (name := _text(node.args[0])) is None:
            return
        known = self.names.hookable if verb in ("would", "may") else set(self.names.operations)
        self._operation(node.args[0], name, known)
        operation = self.names.operations.get(name)
        given = node.args[1:]
        if operation is None or any(isinstance(each, ast.Starred) for each in given):
            return
        call = ast.copy_location(ast.Call(node.func, given, []), node)
        self._fits_signature(name, call, signature_of_operation(operation).problem)
        self._check_arguments(operation, name, self._by_parameter(operation, call, types[1:]))

    # --- what verbs return ------------------------------------------------------------------------

    def _result(
        self, name: str, node: ast.Call, given: dict[str, ast.expr], types: list[Type]
    ) -> Type:
        if name in _RESULTS:
            return _RESULTS[name]
        if name in ("get", "use"):
            declared = self._attribute_type(given)
            return declared | t.NOTHING if declared else t.UNKNOWN
        if name == "history":
            return t.UNKNOWN
        if name in ("all", "where", "find", "create"):
            kind = _text(given["kind"]) if "kind" in given else None
            things = t.kind_of(kind) if kind in self.names.kinds else t.UNKNOWN
            if name in ("all", "where"):
                return t.list_of(things)
            return things | t.NOTHING if name == "find" and things else things
        if name == "balance":
            commodity = given.get("commodity")
            if commodity is not None and _text(commodity) is None:
                return t.NUMBER
            return t.number_of(self.names.unit_of_commodity(_text(commodity)))
        if name == "label":
            kinds = self._kinds_of(given)
            return t.join(map(self.names.key_type, kinds)) if kinds else t.UNKNOWN
        if name == "param":
            return self._parameter(given)
        return self._computed(name, types)

    def _parameter(self, given: dict[str, ast.expr]) -> Type:
        number, name = (
            _text(given[word]) if word in given else None for word in ("number", "name")
        )
        rule = self.names.rules.get(number or "")
        if rule is None or name not in rule.parameters:
            return t.UNKNOWN
        return self.names.type_of_parameter(rule, str(name))

    def _computed(self, name: str, types: list[Type]) -> Type:
        """Return the type of a result that depends on the types of the arguments."""
        if not types:
            return t.UNKNOWN
        first = t.something(types[0])
        if name in ("rounded", "abs"):
            return first if first and t.is_numeric(first) else t.NUMBER
        if name == "divide":
            return t.NUMBER
        if name in ("reversed", "sorted", "list", "tuple"):
            return t.list_of(t.items_of(first))
        if name in ("sum", "first", "draw"):
            items = t.items_of(first)
            if name == "first" and items:
                return items | (types[1] if len(types) > 1 else t.NOTHING)
            return items or (t.NUMBER if name == "sum" else t.UNKNOWN)
        if name in ("max", "min"):
            items = t.items_of(first) if len(types) == 1 else t.join(map(t.something, types))
            has_unit = any(atom.unit != t.PLAIN for atom in items)
            return frozenset(a for a in items if a.unit != t.PLAIN) if has_unit else items
        return t.UNKNOWN


def _has_kind(type_: Type) -> bool:
    return any(atom.is_kind for atom in type_)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _text(node: ast.expr | None) -> str | None:
    """Return the text that *node* states; None if it states none."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None
