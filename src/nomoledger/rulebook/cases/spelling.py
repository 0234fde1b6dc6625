"""Names as people write them: British or American, with spaces or hyphens, in any case."""

from collections.abc import Iterable
from difflib import get_close_matches

from nomoledger.errors import RulebookError


def spelled(name: object, known: Iterable[str], what: str) -> str:
    """The one of *known* that is meant by *name*.

    >>> spelled("Colour", ["owner", "color"], "a square has no")
    'color'

    Raises:
        RulebookError: there is none; the message begins with *what* and lists what there is.
    """
    names = list(known)
    text = str(name)
    if text in names:
        return text
    for each in names:
        if _plain(each) == _plain(text):
            return each
    close = get_close_matches(text, names, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    listed = ", ".join(sorted(names)) or "nothing"
    raise RulebookError(f"{what} {text!r}{hint}; there is: {listed}")


def singular(plural: str, kinds: Iterable[str], fields: Iterable[str] = ()) -> str:
    """The one of *kinds* of which *plural* is the plural; *fields* could have been meant too.

    >>> singular("options", ["option", "category"]), singular("categories", ["category"])
    ('option', 'category')

    Raises:
        RulebookError: there is none.
    """
    plurals = {_plural(kind): kind for kind in kinds}
    if plural in plurals:
        return plurals[plural]
    what = "this is neither a field nor the plural of a kind:"
    found = spelled(plural, [*plurals, *fields], what)
    if found not in plurals:
        raise RulebookError(f"{what} {plural!r} (did you mean {found!r}?)")
    return plurals[found]


def _plural(kind: str) -> str:
    if kind.endswith("y") and kind[-2:-1] not in "aeiou":
        return kind[:-1] + "ies"
    return kind + ("es" if kind.endswith(("s", "x", "ch", "sh")) else "s")


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_").replace("our", "or")
