"""Differences between texts that take little time, whatever the texts are."""

from collections import Counter
from collections.abc import Sequence
from difflib import unified_diff

#: How many pairs of equal parts two texts may have that are compared part by part. The time for a
#: comparison grows with this number, or faster.
PAIRS_MAX = 1_000_000


def too_alike(before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether comparing these parts one by one would take too long."""
    counts = Counter(after)
    return sum(counts[part] for part in before) > PAIRS_MAX


def diff_lines(
    before: Sequence[str], after: Sequence[str], old: str = "", new: str = ""
) -> tuple[str, ...]:
    """Return the unified diff of two texts in lines, which are called *old* and *new*.

    Texts that repeat the same lines very often are shown as wholes.

    >>> diff_lines(["a", "b"], ["a", "c"])
    ('--- ', '+++ ', '@@ -1,2 +1,2 @@', ' a', '-b', '+c')
    """
    if not too_alike(before, after):
        return tuple(unified_diff(before, after, old, new, lineterm=""))
    if list(before) == list(after):
        return ()
    place = f"@@ -1,{len(before)} +1,{len(after)} @@"
    removed, added = (f"-{line}" for line in before), (f"+{line}" for line in after)
    return (f"--- {old}", f"+++ {new}", place, *removed, *added)
