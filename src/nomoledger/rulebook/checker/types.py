"""Types of the values of rule code, with their units, as far as the code shows them."""

from collections.abc import Iterable

import msgspec

#: The unit of a number that stands in the code, or counts something: it fits every count.
PLAIN = "1"
#: The unit of the game's money.
MONEY = "money"
#: The types of numbers.
NUMERIC = ("Number", "Time", "Duration")
_WORDS = {
    "Text": "a text",
    "Flag": "yes or no",
    "List": "a list",
    "Table": "a table",
    "Time": "a time",
    "Duration": "a duration",
    "Step": "a step on a value",
    "Nothing": "nothing",
    "Function": "a function",
}


class Atom(msgspec.Struct, frozen=True):
    """One possible type of a value.

    Attributes:
        name: a type of the language, "Table", "Step", "Nothing", "Function", or a kind of thing.
        unit: what a number is measured in; "" if unknown.
        items: the type of the items of a list; empty if unknown.
    """

    name: str
    unit: str = ""
    items: "frozenset[Atom]" = frozenset()

    @property
    def is_kind(self) -> bool:
        """Whether this is a kind of thing."""
        return self.name[:1].islower()

    @property
    def is_time(self) -> bool:
        """Whether this is a time or a duration."""
        return self.name in ("Time", "Duration")


#: What a value can be: any of these. Nothing is known of a value of the empty type.
Type = frozenset[Atom]

UNKNOWN: Type = frozenset()
TEXT: Type = frozenset([Atom("Text")])
FLAG: Type = frozenset([Atom("Flag")])
NUMBER: Type = frozenset([Atom("Number")])
COUNT: Type = frozenset([Atom("Number", PLAIN)])
AMOUNT: Type = frozenset([Atom("Number", MONEY)])
TIME: Type = frozenset([Atom("Time")])
DURATION: Type = frozenset([Atom("Duration")])
TABLE: Type = frozenset([Atom("Table")])
STEP: Type = frozenset([Atom("Step")])
NOTHING: Type = frozenset([Atom("Nothing")])
FUNCTION: Type = frozenset([Atom("Function")])
#: The types that annotations and declarations can name, besides kinds.
NAMED: dict[str, Type] = {
    "Number": NUMBER,
    "Money": AMOUNT,
    "Text": TEXT,
    "Flag": FLAG,
    "List": frozenset([Atom("List")]),
    "Rule": TEXT,
    "Time": TIME,
    "Duration": DURATION,
}


def number_of(unit: str) -> Type:
    """Return the type of numbers of *unit*."""
    return frozenset([Atom("Number", unit)])


def kind_of(kind: str) -> Type:
    """Return the type of things of *kind*."""
    return frozenset([Atom(kind)])


def list_of(items: Type) -> Type:
    """Return the type of lists of *items*; deeper lists than three are lists of anything."""
    return frozenset([Atom("List", items=items if _depth(items) < 3 else UNKNOWN)])


def _depth(type_: Type) -> int:
    return max((1 + _depth(atom.items) for atom in type_ if atom.name == "List"), default=0)


def join(types: Iterable[Type]) -> Type:
    """Return the type of a value that has one of *types*."""
    several = list(types)
    if not all(several):
        return UNKNOWN
    return frozenset().union(*several)


def items_of(type_: Type) -> Type:
    """Return the type of the items of a list of *type_*."""
    lists = [atom for atom in type_ if atom.name == "List"]
    return join(atom.items for atom in lists) if lists else UNKNOWN


def something(type_: Type) -> Type:
    """Return *type_* without nothing; a value that is only nothing stays so."""
    return (type_ - NOTHING) or type_


def names_of(type_: Type) -> set[str]:
    """Return the names of the types that *type_* can be."""
    return {atom.name for atom in type_}


def has_kind(type_: Type) -> bool:
    """Return whether a value of *type_* can be a thing of a known kind."""
    return any(atom.is_kind for atom in type_)


def is_numeric(type_: Type) -> bool:
    """Return whether a value of *type_* can be a number."""
    return not type_ or any(atom.name in NUMERIC for atom in type_)


def fits(type_: Type, wanted: Type) -> bool:
    """Return whether a value of *type_* can be one of *wanted*. Nothing always can."""
    if not type_ or not wanted or type_ == NOTHING:
        return True
    return any(_fits(atom, each) for atom in type_ - NOTHING for each in wanted)


def _fits(atom: Atom, wanted: Atom) -> bool:
    if wanted.name == "Number":
        if atom.name != "Number":
            return atom.is_time and not wanted.unit
        return not wanted.unit or atom.unit in ("", PLAIN, wanted.unit)
    if wanted.is_time:
        return atom.name == wanted.name or (atom.name == "Number" and not atom.unit)
    if wanted.name == "List" and atom.name == "List":
        return fits(atom.items, wanted.items)
    return atom.name == wanted.name or (atom.is_kind and wanted.name == "Text")


def are_comparable(left: Type, right: Type) -> bool:
    """Return whether a value of type *left* can equal one of type *right*, or be more."""
    pairs = [(a, b) for a in left for b in right]
    return not pairs or any(_are_comparable(a, b) for a, b in pairs)


def _are_comparable(left: Atom, right: Atom) -> bool:
    if "Nothing" in (left.name, right.name):
        return True
    if left.name in NUMERIC and right.name in NUMERIC:
        if left.is_time and right.is_time:
            return left.name == right.name
        return total(left, right, "+") is not None
    names = {left.name, right.name}
    if names <= {"Text"} or (left.is_kind and right.is_kind):
        return left.name == right.name
    if "Text" in names:  # Things are known by texts, such as "admin".
        return left.is_kind or right.is_kind
    if names == {"List"}:
        return fits(left.items, right.items) or fits(right.items, left.items)
    return left.name == right.name


def total(left: Atom, right: Atom, operator: str) -> Atom | None:
    """Return the type of the sum or, for the operator `-`, of the difference of two numbers.

    None means that the two cannot be added.
    """
    if left.is_time or right.is_time:
        return _time_total(left, right, operator)
    if left.unit == right.unit or right.unit == PLAIN:
        return left
    if left.unit == PLAIN:
        return right
    return Atom("Number") if not left.unit or not right.unit else None


def _time_total(left: Atom, right: Atom, operator: str) -> Atom | None:
    names = (left.name, right.name)
    if "Number" in names:
        if left.unit or right.unit:
            return None
        return Atom("Time") if "Time" in names and operator == "+" else Atom("Number")
    if names == ("Duration", "Duration"):
        return left
    if operator == "-":
        return (
            {"Time": Atom("Duration"), "Duration": Atom("Time")}[right.name]
            if (left.name == "Time")
            else None
        )
    return None if names == ("Time", "Time") else Atom("Time")


def product(left: Atom, right: Atom) -> Atom:
    """Return the type of the product of two numbers."""
    if right.unit == PLAIN and not left.is_time:
        return left
    if left.unit == PLAIN and not right.is_time:
        return right
    if "Duration" in (left.name, right.name) and {left.unit, right.unit} & {"", PLAIN}:
        names = {left.name, right.name}
        return Atom("Duration" if names == {"Duration", "Number"} else "Number")
    return Atom("Number")


def describe(type_: Type) -> str:
    """Return *type_* as words in a sentence."""
    words = sorted({describe_atom(atom) for atom in type_ - NOTHING or type_})
    return " or ".join(words) or "anything"


def describe_atom(atom: Atom) -> str:
    """Return the type *atom* as words in a sentence."""
    if atom.name == "Number":
        if atom.unit in ("", PLAIN):
            return "a number"
        return "an amount of money" if atom.unit == MONEY else f"a number of {atom.unit}"
    if atom.is_kind:
        words = atom.name.replace("_", " ")
        return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
    return _WORDS[atom.name]
