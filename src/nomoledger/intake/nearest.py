"""The nearest of known names to one that is misspelt."""

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return which of the *known* words is most like *word*; None if none is like it.

    >>> nearest("lend", ["land", "buy"]), nearest("lend", ["rent"]), nearest("lend", [])
    ('land', None, None)
    >>> nearest("flie", ["fly", "food"])
    'fly'
    """
    by_small = {each.lower(): each for each in sorted(set(known) - {word})}
    small = word.lower()
    found = difflib.get_close_matches(small, by_small, n=1, cutoff=0.65)
    if not found:
        begins_alike = [each for each in by_small if each[:2] == small[:2] and len(each) > 2]
        found = difflib.get_close_matches(small, begins_alike, n=1, cutoff=0.55)
    return by_small[found[0]] if found else None


def meant(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` with the nearest of the *known* words, or "" if none is near."""
    near = nearest(word, known)
    return f"; did you mean {near!r}?" if near is not None else ""
