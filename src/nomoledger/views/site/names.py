"""Where things are on the site: names of files, and references to events."""

import hashlib
import re
from collections.abc import Hashable

import msgspec


class Ref(msgspec.Struct, frozen=True, gc=False):
    """An event, by its number and period."""

    number: int
    period: int

    @property
    def path(self) -> str:
        """Where it stands in the log."""
        return f"{folder_of(self.period)}log.html#e{self.number}"

    @property
    def why(self) -> str:
        """Where it stands how it came about."""
        return f"{folder_of(self.period)}why.html#e{self.number}"


def folder_of(period: int) -> str:
    """Where the pages of *period* are."""
    return f"period-{period}/"


class Slugs:
    """Names of files for things that people called as they liked: unique, and safe anywhere.

    >>> slugs = Slugs()
    >>> slugs.of(1, "Ann"), slugs.of(2, "VIII.3"), slugs.of(3, "../x"), slugs.of(1, "Ann")
    ('ann', 'viii-3', 'x-5008f8', 'ann')
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, str] = {}
        self._taken: set[str] = set()

    def of(self, thing: Hashable, called: str) -> str:
        """The name for *thing*: made from what it was *called* when it was first asked for."""
        if thing not in self._known:
            self._known[thing] = self._new(called)
            self._taken.add(self._known[thing])
        return self._known[thing]

    def _new(self, called: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "-", called.lower())[:40].strip("-")
        is_plain = re.fullmatch(r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*", called) and len(called) <= 40
        slug, count = plain, 0
        while not slug or slug in self._taken or not (is_plain or count):
            count += 1
            digest = hashlib.sha256(f"{called}{count}".encode(errors="replace")).hexdigest()[:6]
            slug = f"{plain}-{digest}".strip("-")
        return slug
