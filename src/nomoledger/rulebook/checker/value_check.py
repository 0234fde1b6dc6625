"""The check of values: whether one can stand where another is wanted."""

import ast

from nomoledger.intake.nearest import meant
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.constants import text_in
from nomoledger.rulebook.checker.reader import Reader
from nomoledger.rulebook.checker.types import Type
from nomoledger.rulebook.checker.written_duration import as_duration


class ValueCheck:
    """The check of the values in one rule."""

    def __init__(self, reader: Reader) -> None:
        """Check the values that *reader* comes upon."""
        self.reader = reader

    def check(self, what: str, node: ast.expr, type_: Type, wanted: Type) -> None:
        """Check that the argument *node* can be one of *wanted*."""
        if t.fits(type_, wanted) or self._is_known_text(node, type_, wanted):
            return
        if isinstance(node, ast.Constant) and node.value == 0 and t.is_numeric(wanted):
            return  # 0 is 0 in every unit
        text = f"{what} is {t.describe(wanted)}, and this is {t.describe(type_)}"
        self.reader.fault(node, text + self.way_to(node, type_, wanted))

    def way_to(self, node: ast.expr, type_: Type, wanted: Type) -> str:
        """Return how to turn a value of *type_* into one of *wanted*, if that is clear."""
        kinds = [atom.name for atom in wanted if atom.is_kind]
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "label":
            return f": write {', '.join(map(ast.unparse, node.args))} without label"
        if kinds and t.names_of(type_) <= {"Number", "Text"}:
            return f": write find({kinds[0]!r}, …)"
        numbers = [atom for atom in type_ if atom.name == "Number"]
        if numbers and wanted == t.DURATION:
            return f": {as_duration(numbers[0], node)}"
        if type_ == t.DURATION and wanted == t.TIME:
            return f": write now() + {ast.unparse(node):.40}"
        return ""

    def _is_known_text(self, node: ast.expr, type_: Type, wanted: Type) -> bool:
        """Return whether *node* is the admin, or what else a text can name where a thing can be."""
        is_thing = any(atom.is_kind for atom in wanted)
        if not is_thing or "Text" not in t.names_of(type_):
            return False
        known = self.reader.names.accounts | self.reader.names.things
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id != "label"  # what people say is not the thing
        return not isinstance(node, ast.Constant) or node.value in known

    def is_number(self, what: str, node: ast.expr, type_: Type) -> bool:
        """Return whether the argument *node* is a number, and report it if it is none."""
        if t.is_numeric(t.something(type_)):
            return True
        found = t.describe(type_)
        hint = ": take one with [0], or sum(…)" if t.names_of(type_) == {"List"} else ""
        self.reader.fault(node, f"{what} is a number, and this is {found}{hint}")
        return False

    def check_word(self, what: str, node: ast.expr, type_: Type) -> None:
        """Check that the argument *node* is a text, and no thing."""
        words = t.something(type_)
        is_thing = t.has_kind(words) and "Text" not in t.names_of(words)
        if is_thing or not t.fits(type_, t.TEXT):
            self.reader.fault(node, f"{what} is a text, and this is {t.describe(type_)}")

    def check_kind(self, node: ast.expr, kind: str) -> None:
        """Check that a rule declares *kind*."""
        if kind not in self.reader.names.kinds:
            known = self.reader.names.kinds
            self.reader.fault(node, f"no rule declares the kind {kind!r}{meant(kind, known)}")

    def check_thing(self, what: str, node: ast.expr, type_: Type) -> None:
        """Check that the argument *node* can be a thing of any kind, or an account."""
        names = self.reader.names
        text, known = text_in(node), {"game", "engine", *names.accounts, *names.things}
        if text is not None and text not in known:
            self.reader.fault(node, f"there is no thing {text!r}{meant(text, known)}")
        if type_ and not t.has_kind(type_) and not t.names_of(type_) & {"Text", "Nothing"}:
            self.reader.fault(node, f"{what} is a thing, and this is {t.describe(type_)}")
