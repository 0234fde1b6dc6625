"""The check of attributes: those that calls of verbs name, and the values they give them."""

import ast
from collections.abc import Collection, Iterator

from nomoledger.intake.nearest import meant
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.constants import text_in
from nomoledger.rulebook.checker.reader import Reader
from nomoledger.rulebook.checker.types import Type
from nomoledger.rulebook.checker.value_check import ValueCheck


class AttributeCheck:
    """The check of the attributes in one rule."""

    def __init__(self, reader: Reader) -> None:
        """Check the attributes that *reader* comes upon."""
        self.reader = reader
        self.values = ValueCheck(reader)

    def kinds_of(self, given: dict[str, ast.expr]) -> set[str] | None:
        """Return the kinds that the entity can have; None if any."""
        kind = text_in(given["kind"]) if "kind" in given else None
        if kind in self.reader.names.kinds:
            return {kind}
        node = given.get("entity")
        if node is None:
            return None
        if text_in(node) == "game":
            return {"game"}
        atoms = t.something(self.reader.seen(node))
        kinds = {atom.name for atom in atoms if atom.is_kind}
        return kinds if kinds and len(kinds) == len(atoms) else None

    def check_name(
        self, what: str, node: ast.expr, type_: Type, given: dict[str, ast.expr]
    ) -> None:
        """Check that a rule declares the attribute *node* of the thing that the call names."""
        name = text_in(node)
        if name is None:
            self.values.check_word(what, node, type_)
            return
        kinds = self.kinds_of(given)
        if kinds is None:
            known: Collection[str] = self.reader.names.attributes
        else:
            known = {word for kind in kinds for word in self.reader.names.kinds.get(kind, ())}
        if name not in known:
            of = (
                f" of {' or '.join(sorted(kinds))}"
                if kinds and name in self.reader.names.attributes
                else ""
            )
            self.reader.fault(
                node, f"no rule declares the attribute {name!r}{of}{meant(name, known)}"
            )

    def type_of(self, given: dict[str, ast.expr]) -> Type:
        """Return the type of the attribute that the call names."""
        name = text_in(given["attribute"]) if "attribute" in given else None
        if name is None:
            return t.UNKNOWN
        kinds = self.kinds_of(given)
        tables = [
            types
            for kind, types in self.reader.names.kinds.items()
            if name in types and (kinds is None or kind in kinds)
        ]
        return t.join(types[name] for types in tables) if tables else t.UNKNOWN

    def check_value(self, node: ast.expr, type_: Type, given: dict[str, ast.expr]) -> None:
        """Check that the attribute that the call names can be *node*."""
        attribute = text_in(given["attribute"]) if "attribute" in given else None
        self.values.check(f"the attribute {attribute!r}", node, type_, self.type_of(given))

    def check_created(self, node: ast.expr, type_: Type, given: dict[str, ast.expr]) -> None:
        """Check the table of attributes that a thing is created with."""
        if not isinstance(node, ast.Dict):
            if not t.fits(type_, t.TABLE):
                text = 'create takes a table: {"number": 1}'
                self.reader.fault(node, f"{text}, and this is {t.describe(type_)}")
            return
        pairs = ((text_in(key), value) for key, value in zip(node.keys, node.values, strict=True))
        self.check_table(given, ((name, value) for name, value in pairs if name is not None))

    def check_table(
        self, given: dict[str, ast.expr], pairs: Iterator[tuple[str, ast.expr]]
    ) -> None:
        """Check that the kind has these attributes, and that the values fit."""
        kind = text_in(given["kind"]) if "kind" in given else None
        known = self.reader.names.kinds.get(kind or "")
        if known is None:
            return
        for name, value in pairs:
            if name not in known:
                text = f"no rule declares the attribute {name!r} of {kind}{meant(name, known)}"
                self.reader.fault(value, text)
            else:
                type_ = self.reader.seen(value)
                self.values.check(f"the attribute {name!r} of {kind}", value, type_, known[name])
