"""What the rows of lists hold: the doc of an action says that, as in *of [giver, taker, item]*."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from nomoledger.language.code import Parameter
from nomoledger.language.operations import kind_type
from nomoledger.state.world import World

#: A row in a doc: at least two words, or groups of words, with commas between.
_ROW = re.compile(r"\[([a-z_ ]+(?:,[a-z_ ]+)+)\]")
_TEXT = "Text"


class RowColumn(msgspec.Struct, frozen=True):
    """A value in each row of a list: its *name*, and its *type*, "Text" or a kind of things."""

    name: str
    type: str


def columns_of(
    world: World, doc: str, lists: Sequence[Parameter]
) -> dict[str, tuple[RowColumn, ...]]:
    """Return what each row of the parameters *lists* of an action holds, by the *doc* of it.

    The doc names a row in brackets for each list of rows, and no row for a list of single values.
    The row with the word *square* is that of the parameter *squares*. Rows that differ in one word
    can be named as one: *[giver, taker, dollars or proposal]* is the row of *proposals* and of a
    list that no row names, such as *money*. A column has the kind of things that it is called
    after; else the one kind of the parameter's type that no column is called after.
    """
    rows = [[word.strip() for word in row.split(",")] for row in _ROW.findall(doc)]
    claimed = {_singular(parameter.name) for parameter in lists}
    found: dict[str, tuple[str, ...]] = {}
    for parameter in lists:
        own = _singular(parameter.name)
        named = (tuple(_word(w, own) for w in row) for row in rows if own in _words(row))
        spare = (_spare(row, claimed) for row in rows if not set(_words(row)) <= set(row))
        row = next(named, None) or next(spare, None)
        if row is not None:
            found[parameter.name] = row
    known = {kind: kind_type(kind) for kind in world.known_kinds()}
    types = dict(known)
    for parameter in lists:
        called = {known[word] for word in found.get(parameter.name, ()) if word in known}
        rest = [kind for kind in parameter.type.split(" | ") if kind in known.values()]
        rest = [kind for kind in rest if kind not in called]
        if len(rest) == 1:
            types |= {w: rest[0] for w in found.get(parameter.name, ()) if w not in types}
    return {
        name: tuple(RowColumn(word, types.get(word, _TEXT)) for word in row)
        for name, row in found.items()
    }


def _singular(name: str) -> str:
    return name.removesuffix("s")


def _words(row: Iterable[str]) -> list[str]:
    return [part for word in row for part in word.split(" or ")]


def _word(word: str, own: str) -> str:
    """Return the part of *word*, such as *dollars or proposal*, that is *own*; else the first."""
    parts = word.split(" or ")
    return own if own in parts else parts[0]


def _spare(row: Iterable[str], claimed: set[str]) -> tuple[str, ...]:
    """Return *row* with the parts of its words that no other list is called after."""
    parts = [word.split(" or ") for word in row]
    return tuple(next((x for x in each if x not in claimed), each[0]) for each in parts)
