"""A duration as rule code writes it."""

import ast

from nomoledger.events.durations import SECONDS
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.constants import product_in


def as_duration(atom: t.Atom, node: ast.expr | None) -> str:
    """Return how to write the number *node*, which has the type *atom*, as a duration."""
    written = ast.unparse(node) if node is not None else "this"
    written = written if len(written) <= 40 else "this"
    if atom.unit in SECONDS:
        return f"{written} is a number of {atom.unit}: write {atom.unit}({written})"
    seconds = product_in(node)
    if seconds is not None and seconds >= 60:
        return f"{written} is a plain number: write {in_words_of_time(seconds)}"
    if seconds is not None:
        return f"{written} is a plain number: write days({written}) or seconds({written})"
    return f"{written} is {t.describe_atom(atom)}: write a duration, such as days(7)"


def in_words_of_time(seconds: int) -> str:
    """Return a duration as code writes it.

    >>> in_words_of_time(604800), in_words_of_time(7200), in_words_of_time(61)
    ('days(7)', 'hours(2)', 'seconds(61)')
    """
    units = ("days", "hours", "minutes", "seconds")
    unit, size = next((u, SECONDS[u]) for u in units if seconds % SECONDS[u] == 0)
    return f"{unit}({seconds // size})"
