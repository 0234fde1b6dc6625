"""The check of a statement when it is entered: every word in it means something, and fits.

A statement that was recorded is not checked again: it keeps its meaning, as `Statement` evaluates
it. A statement that somebody enters has to pass this check first, because a word that means nothing
would wait for ever, or be true at once.
"""

import ast
from collections.abc import Iterable
from typing import Any, NoReturn

from nomoledger.engine.statement_names import StatementNames, Value
from nomoledger.engine.statements import CONSTANTS, MONEY, Statement
from nomoledger.errors import UsageError
from nomoledger.intake.nearest import meant
from nomoledger.language.code import Parameter
from nomoledger.language.resolve import WHOLE

#: What a value can be: "number", "text", "flag", "list", or a kind of thing with a colon before it.
#: Nothing is known of a value without a type.
Type = frozenset[str]

UNKNOWN: Type = frozenset()
NUMBER, TEXT, FLAG, LIST = (frozenset([name]) for name in ("number", "text", "flag", "list"))
_NAMED = {
    **dict.fromkeys(("Number", "Money", "Time", "Duration"), NUMBER),
    **dict.fromkeys(("Text", "Rule"), TEXT),
    "Flag": FLAG,
    "List": LIST,
}
_WORDS = {"number": "a number", "text": "a text", "flag": "yes or no", "list": "a list"}
#: What every game has: how many arguments each takes, and the type of its result.
_OWN = {"period": (0, NUMBER), "closing": (0, FLAG), "ended": (0, TEXT), "asked": (1, TEXT)}
#: Of these, "is there any?" is a statement: why the game is over, and what a player is asked.
_TRUE_IF_ANY = ("ended", "asked")
_ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_LISTED_MAX = 30


def check_statement(statement: Statement, names: StatementNames) -> None:
    """Check that *statement* is true or false, and that all its words are among *names*.

    Raises:
        UsageError: a word is unknown, an argument is wrong, or the statement is no truth value.
    """
    _StatementCheck(names).truth(statement.tree)


class _StatementCheck:
    """The check of the nodes of one statement."""

    def __init__(self, names: StatementNames) -> None:
        self.names = names
        self.kind_types = names.kind_types

    def truth(self, node: ast.expr) -> None:
        """Check that *node* is true or false."""
        if isinstance(node, ast.BoolOp):
            for operand in node.values:
                self.truth(operand)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.truth(node.operand)
        elif isinstance(node, ast.Compare):
            left = node.left
            for comparison, right in zip(node.ops, node.comparators, strict=True):
                self.compare(left, comparison, right)
                left = right
        elif isinstance(node, ast.Call):
            type_ = self.call(node)
            if type_ and "flag" not in type_ and _function(node) not in _TRUE_IF_ANY:
                self.no_truth(node, self.described(type_))
        elif isinstance(node, ast.Name) and node.id not in CONSTANTS:
            self.bare_word(node.id)
        elif not isinstance(_written(node), bool):
            raise UsageError(f"{ast.unparse(node)} is not true or false: write a comparison")

    def no_truth(self, node: ast.expr, what: str) -> NoReturn:
        """Say that *node* is *what*, and not true or false."""
        text = ast.unparse(node)
        raise UsageError(
            f"{text} is {what}, not true or false: compare it with something, as in {text} == …"
        )

    def bare_word(self, word: str) -> NoReturn:
        """Say why *word* alone is no statement and no value."""
        if word in self.names.functions or word in _OWN or word == MONEY:
            inside = "" if _OWN.get(word, (1,))[0] == 0 else "…"
            raise UsageError(f"{word!r} needs brackets: write {word}({inside})")
        if self.names.is_account(word):
            raise UsageError(
                f"{word!r} alone is a name: say something about it, as in {MONEY}({word}) > 0"
            )
        known = {*self.names.functions, *_OWN, MONEY, *self.names.suggestions()}
        raise UsageError(f"{word!r} is an unknown word{meant(word, known)}")

    # --- comparisons

    def compare(self, left: ast.expr, comparison: ast.cmpop, right: ast.expr) -> None:
        """Check that *left* and *right* can be compared by *comparison*."""
        if isinstance(comparison, ast.In | ast.NotIn):
            self.compare_with_items(left, right)
            return
        is_order = isinstance(comparison, _ORDERINGS)
        left_type, right_type = self.type_of(left), self.type_of(right)
        if left_type is None and right_type is None:
            for node in (left, right):
                if isinstance(node, ast.Name) and node.id not in CONSTANTS:
                    self.bare_word(node.id)
        elif left_type is None:
            self.written_beside(left, right, right_type or UNKNOWN, is_order)
        elif right_type is None:
            self.written_beside(right, left, left_type, is_order)
        elif left_type and right_type:
            both = self.with_keys(left_type) & self.with_keys(right_type)
            if not both:
                self.unlike(left, left_type, right, self.described(right_type))

    def compare_with_items(self, left: ast.expr, right: ast.expr) -> None:
        """Check that *left* can be one of the items of *right*."""
        if isinstance(right, ast.List):
            for item in right.elts:
                self.compare(left, ast.Eq(), item)
            return
        type_ = self.type_of(right)
        if type_ is None or (type_ and not type_ & {"list", "text"}):
            raise UsageError(f"{ast.unparse(right)} is no list: write it like [2, 3]")
        if self.type_of(left) is None:
            self.written(left, f"{ast.unparse(right)}", UNKNOWN if "list" in type_ else type_)

    def written_beside(
        self, node: ast.expr, other: ast.expr, type_: Type, is_order: bool = False
    ) -> None:
        """Check the name or constant *node*, which is compared with *other* of *type_*."""
        if is_order:
            if _written(node) is None and not isinstance(node, ast.List):
                raise UsageError("none is neither less nor more than something: use == or !=")
            type_ = self.with_keys(type_) if type_ else type_
            if "number" in type_:
                type_ = NUMBER
        self.written(node, ast.unparse(other), type_)

    def unlike(self, left: ast.expr, type_: Type, right: ast.expr, what: str) -> NoReturn:
        """Say that *left* of *type_* never is like *right*, which is *what*."""
        subject, found = ast.unparse(left), ast.unparse(right)
        raise UsageError(f"{subject} is {self.described(type_)}, and {found} is {what}")

    # --- names and constants

    def written(self, node: ast.expr, subject: str, type_: Type) -> None:
        """Check that the name or constant *node* can be what *subject*, of *type_*, is."""
        if isinstance(node, ast.List):
            if type_ and "list" not in type_:
                raise UsageError(f"{subject} is {self.described(type_)}, not a list: use in")
            for item in node.elts:
                if self.type_of(item) is None:
                    self.written(item, subject, UNKNOWN)
            return
        value = _written(node)
        is_name = isinstance(node, ast.Name) and node.id not in CONSTANTS
        if value is None or self._is_thing(type_, value):
            return
        if isinstance(value, bool):
            fitting = FLAG
        else:
            fitting = TEXT if isinstance(value, str) else NUMBER
        if type_ and not type_ & fitting:
            self.misfit(subject, type_, value)
        if is_name and not self.names.is_word(str(value)):
            near = meant(str(value), self.names.suggestions())
            hint = near or f"; write it in quotes if {subject} can be that text"
            raise UsageError(f"{value!r} is an unknown word{hint}")

    def misfit(self, subject: str, type_: Type, value: Any) -> NoReturn:
        """Say that *subject*, of *type_*, cannot be *value*."""
        kinds = _kinds(type_)
        if kinds and not isinstance(value, bool):
            self.no_thing(kinds, value)
        shown = {True: "yes", False: "no"}[value] if isinstance(value, bool) else repr(value)
        raise UsageError(f"{subject} is {self.described(type_)}, and {shown} is not")

    def no_thing(self, kinds: Iterable[str], value: Any) -> NoReturn:
        """Say that no thing of *kinds* is called *value*."""
        things = {str(name) for kind in kinds for name in self.names.things.get(kind, ())}
        what = " or ".join(sorted(kind.replace("_", " ") for kind in kinds))
        near = meant(value, things) if isinstance(value, str) else ""
        raise UsageError(f"there is no {what} {value!r}{near}")

    # --- calls

    def type_of(self, node: ast.expr) -> Type | None:
        """Return the type of what *node* computes; None if it is a name, a constant or a list."""
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.BoolOp | ast.Compare):
            self.truth(node)
            return FLAG
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.Not):
                self.truth(node)
                return FLAG
            type_ = self.type_of(node.operand)
            is_number = "number" in (type_ or NUMBER)
            if not is_number or (type_ is None and not _is_number(_written(node.operand))):
                raise UsageError(f"{ast.unparse(node)}: only a number can have a minus")
            return type_
        return None

    def call(self, node: ast.Call) -> Type:
        """Check the call *node*, and return the type of its result."""
        name, count = _function(node), len(node.args)
        if name in _OWN:
            takes, type_ = _OWN[name]
            if count != takes:
                raise UsageError(f"{name} takes {_counted(takes)}, not {_counted(count)}")
            if takes:
                self.thing(node.args[0], ("player",), name)
            return type_
        if name not in self.names.functions and name != MONEY:
            known = {*self.names.functions, *_OWN, MONEY}
            near = meant(name, known)
            listed = "" if near or len(known) > _LISTED_MAX else f"; there is: {_list(known)}"
            raise UsageError(f"nothing in the game is called {name!r}{near}{listed}")
        if name in self.names.values and (count != 1 or name not in self.names.attributes):
            return self.value(name, node.args)
        if count != 1:
            raise UsageError(f"{name} takes one name, as in {name}(…), not {_counted(count)}")
        if name in self.names.attributes:
            return self.attribute(name, node.args[0])
        self.account(node.args[0], name)
        return NUMBER

    def attribute(self, name: str, argument: ast.expr) -> Type:
        """Check what attribute *name* is asked of, and return the type of the attribute."""
        types = self.names.attributes[name]
        called = _written(argument)
        found = [kind for kind in types if self.names.is_called((kind,), called)]
        if not found:
            if name in self.names.values:
                return self.value(name, [argument])
            if name in self.names.commodities or name == MONEY:
                self.account(argument, name)
                return NUMBER
            self.thing(argument, tuple(types), name)
        declared = [self.type_named(types[kind]) for kind in found or types]
        return frozenset().union(*declared) if all(declared) else UNKNOWN

    def thing(self, argument: ast.expr, kinds: tuple[str, ...], name: str) -> None:
        """Check that *argument* of *name* can be a thing of *kinds*."""
        type_ = self.type_of(argument)
        if type_ is not None:
            wanted = self.with_keys(frozenset(f":{kind}" for kind in kinds))
            if type_ and not self.with_keys(type_) & wanted:
                what = " or ".join(kinds)
                raise UsageError(
                    f"{name} is asked of a {what}; {ast.unparse(argument)} is"
                    f" {self.described(type_)}"
                )
            return
        called = _written(argument)
        if isinstance(argument, ast.List) or called is None or isinstance(called, bool):
            raise UsageError(f"{name} is asked of a {' or '.join(kinds)}: name one")
        if self.names.is_called(kinds, called):
            return
        if others := self.names.kinds_of(called):
            what = " or ".join(kinds)
            raise UsageError(f"{name} is asked of a {what}, and {called!r} is a {others[0]}")
        self.no_thing(kinds, called)

    def account(self, argument: ast.expr, name: str) -> None:
        """Check that *argument* of the commodity *name* can be an account."""
        if self.type_of(argument) is not None:
            return
        called = _written(argument)
        if isinstance(argument, ast.List) or not isinstance(called, str):
            raise UsageError(f"{name} is asked of a player or an account: name one")
        if not self.names.is_account(called):
            known = self.names.accounts | {str(x) for x in self.names.things.get("player", ())}
            raise UsageError(f"there is no player or account {called!r}{meant(called, known)}")

    def value(self, name: str, arguments: list[ast.expr]) -> Type:
        """Check the *arguments* of a value of the rules, and return the type of its result."""
        values = self.names.values[name]
        fitting = [value for value in values if _takes(value, len(arguments))]
        if not fitting:
            words = ", ".join(each.name for each in values[-1].parameters)
            raise UsageError(f"{name} takes ({words}), not {_counted(len(arguments))}")
        parameters = fitting[-1].parameters
        for parameter, argument in zip(parameters, arguments, strict=False):
            self.argument(parameter, argument, name)
        declared = [self.type_named(each.returns) for each in fitting]
        return frozenset().union(*declared) if all(declared) else UNKNOWN

    def argument(self, parameter: Parameter, node: ast.expr, name: str) -> None:
        """Check that *node* can be the *parameter* of the value *name*."""
        type_ = self.type_named(parameter.type)
        if str(parameter.default).startswith("["):
            type_ = type_ | LIST if type_ else UNKNOWN
        found = self.type_of(node)
        subject = f"{parameter.name} of {name}"
        if found is not None:
            if found and type_ and not self.with_keys(found) & self.with_keys(type_):
                raise UsageError(
                    f"{subject} is {self.described(type_)}; {ast.unparse(node)} is"
                    f" {self.described(found)}"
                )
            return
        if isinstance(node, ast.List) and isinstance(type_, frozenset) and "list" in type_:
            for item in node.elts:
                if self.type_of(item) is None:
                    self.written(item, subject, type_ - LIST)
            return
        value = _written(node)
        if isinstance(value, str) and WHOLE.fullmatch(value) and self._is_thing(type_, int(value)):
            return
        self.written(node, subject, type_)

    # --- types

    def type_named(self, text: str) -> Type:
        """Return the type that *text* names in a declaration or an annotation."""
        words = [word.strip() for word in text.split("|")]
        types = [
            _NAMED.get(word) or frozenset([f":{self.kind_types[word]}"])
            for word in words
            if word in _NAMED or word in self.kind_types
        ]
        return frozenset().union(*types) if len(types) == len(words) else UNKNOWN

    def with_keys(self, type_: Type) -> Type:
        """Return *type_* with the types of what people call its things."""
        keys = (self.type_named(self.names.keys.get(kind, "Text")) for kind in _kinds(type_))
        return type_.union(*keys)

    def described(self, type_: Type) -> str:
        """Return *type_* in words."""
        kinds = (f"a {kind.replace('_', ' ')}" for kind in _kinds(type_))
        words = (_WORDS[name] for name in type_ if name in _WORDS)
        return " or ".join(sorted((*kinds, *words)))

    def _is_thing(self, type_: Type, value: Any) -> bool:
        return not isinstance(value, bool) and self.names.is_called(_kinds(type_), value)


def _function(node: ast.Call) -> str:
    assert isinstance(node.func, ast.Name)
    return node.func.id


def _written(node: ast.expr) -> Any:
    """Return the name or the constant that *node* writes; None for other nodes, and for none."""
    if isinstance(node, ast.Name):
        return CONSTANTS.get(node.id, node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _written(node.operand)
        return -value if _is_number(value) else None
    return node.value if isinstance(node, ast.Constant) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kinds(type_: Type) -> list[str]:
    return sorted(name[1:] for name in type_ if name.startswith(":"))


def _takes(value: Value, count: int) -> bool:
    """Return whether *value* can be given *count* arguments."""
    required = sum(parameter.default is None for parameter in value.parameters)
    return required <= count <= len(value.parameters)


def _counted(count: int) -> str:
    return {0: "nothing", 1: "one name"}.get(count, f"{count} names")


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
