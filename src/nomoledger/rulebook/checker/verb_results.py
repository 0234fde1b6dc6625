"""What the verbs of the language return."""

import ast

from nomoledger.events.durations import SECONDS
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.attribute_check import AttributeCheck
from nomoledger.rulebook.checker.constants import text_in
from nomoledger.rulebook.checker.reader import Reader
from nomoledger.rulebook.checker.types import Type

#: What verbs return whose result does not depend on the arguments.
_RESULTS: dict[str, Type] = {
    **dict.fromkeys(("set_to", "add", "times", "at_most", "at_least"), t.STEP),
    **dict.fromkeys(("once", "mentioned", "any", "bool", "hasattr"), t.FLAG),
    **dict.fromkeys(("period", "tallied", "count", "len", "move", "hash",
                     "lowest_free", "count_all"), t.COUNT),
    **dict.fromkeys(("kind", "str", "repr", "type", "wording"), t.TEXT),
    **dict.fromkeys(("holdings", "may"), t.list_of(t.TEXT)),
    **dict.fromkeys(("range", "roll"), t.list_of(t.COUNT)),
    **dict.fromkeys(("proposed", "enumerate", "zip"), t.list_of(t.UNKNOWN)),
    **dict.fromkeys(SECONDS, t.DURATION),
    **dict.fromkeys(
        ("pay", "give", "mint", "burn", "split", "set", "destroy", "reveal", "schedule", "cancel",
         "tally", "settle", "end_game", "adopt", "enact", "amend", "repeal", "renumber", "reword"),
        t.NOTHING,
    ),
    "now": t.TIME,
    "int": t.NUMBER,
    "highest": t.NUMBER,
    "dict": t.TABLE,
}  # fmt: skip


class VerbResults:
    """The types of what calls of verbs in one rule return."""

    def __init__(self, reader: Reader) -> None:
        """Tell the results of the calls that *reader* comes upon."""
        self.reader = reader
        self.names = reader.names
        self.attributes = AttributeCheck(reader)

    def type_of(self, name: str, given: dict[str, ast.expr], types: list[Type]) -> Type:
        """Return what a call of the verb *name* returns, with the arguments *given* by name."""
        if name in _RESULTS:
            return _RESULTS[name]
        if name in ("get", "use"):
            declared = self.attributes.type_of(given)
            return declared | t.NOTHING if declared else t.UNKNOWN
        if name in ("ask", "ruling", "draw") and "default" not in given:
            options = given.get("options")
            return t.UNKNOWN if options is None else t.items_of(self.reader.seen(options))
        if name == "history":
            return t.UNKNOWN
        if name in ("all", "alike", "where", "find", "create"):
            kind = text_in(given["kind"]) if "kind" in given else None
            things = t.kind_of(kind) if kind in self.names.kinds else t.UNKNOWN
            if name in ("all", "alike", "where"):
                return t.list_of(things)
            return things | t.NOTHING if name == "find" and things else things
        if name == "balance":
            commodity = given.get("commodity")
            if commodity is not None and text_in(commodity) is None:
                return t.NUMBER
            return t.number_of(self.names.unit_of_commodity(text_in(commodity)))
        if name == "label":
            kinds = self.attributes.kinds_of(given)
            return t.join(map(self.names.key_type, kinds)) if kinds else t.UNKNOWN
        if name == "param":
            return self._parameter(given)
        return self._computed(name, types)

    def _parameter(self, given: dict[str, ast.expr]) -> Type:
        number, name = (
            text_in(given[word]) if word in given else None for word in ("number", "name")
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
        if name in ("sum", "first"):
            items = t.items_of(first)
            if name == "first" and items:
                return items | (types[1] if len(types) > 1 else t.NOTHING)
            return items or (t.NUMBER if name == "sum" else t.UNKNOWN)
        if name in ("max", "min"):
            items = t.items_of(first) if len(types) == 1 else t.join(map(t.something, types))
            has_unit = any(atom.unit != t.PLAIN for atom in items)
            return frozenset(a for a in items if a.unit != t.PLAIN) if has_unit else items
        return t.UNKNOWN
