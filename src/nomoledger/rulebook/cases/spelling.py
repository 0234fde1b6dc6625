"""Variant spellings of names: British or American, with spaces or hyphens, in any case."""

from collections.abc import Iterable
from difflib import get_close_matches

from nomoledger.errors import RulebookError


def spelled(name: object, known: Iterable[str], what: str) -> str:
    """Return the one of *known* that *name* spells.

    >>> spelled("Colour", ["owner", "color"], "a square has no")
    'color'

    Raises:
        RulebookError: there is none. The message begins with *what* and lists *known*.
    """
    names = list(known)
    text = str(name)
    if text in names:
        return text
    for candidate in names:
        if _plain(candidate) == _plain(text):
            return candidate
    close = get_close_matches(text, names, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    listed = ", ".join(sorted(names)) or "nothing"
    raise RulebookError(f"{what} {text!r}{hint}; there is: {listed}")


def singular(plural: str, kinds: Iterable[str], fields: Iterable[str] = ()) -> str:
    """Return the kind with this *plural*; suggest *fields* for misspellings.

    >>> singular("options", ["option", "category"]), singular("categories", ["category"])
    ('option', 'category')

    Raises:
        RulebookError: there is no such kind.
    """
    plurals = {plural_of(kind): kind for kind in kinds}
    if plural in plurals:
        return plurals[plural]
    what = "this is neither a field nor the plural of a kind:"
    name = spelled(plural, [*plurals, *fields], what)
    if name not in plurals:
        raise RulebookError(f"{what} {plural!r} (did you mean {name!r}?)")
    return plurals[name]


def plural_of(kind: str) -> str:
    """Return the plural of *kind*, as cases write it."""
    if kind.endswith("y") and kind[-2:-1] not in "aeiou":
        return kind[:-1] + "ies"
    return kind + ("es" if kind.endswith(("s", "x", "ch", "sh")) else "s")


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_").replace("our", "or")
