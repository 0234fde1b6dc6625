"""Paths on the site: references to events, folders of periods, and names of files."""

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
        """The path of the event in the log."""
        return f"{folder_of(self.period)}log.html#e{self.number}"

    @property
    def why(self) -> str:
        """The path of the event's explanation."""
        return f"{folder_of(self.period)}why.html#e{self.number}"


def folder_of(period: int) -> str:
    """Return the folder of the pages of *period*."""
    return f"period-{period}/"


class Slugs:
    """File names for things with arbitrary names: unique, and safe on any system.

    >>> slugs = Slugs()
    >>> slugs.of(1, "Ann"), slugs.of(2, "VIII.3"), slugs.of(3, "../x"), slugs.of(1, "Ann")
    ('ann', 'viii-3', 'x-5008f8', 'ann')
    """

    def __init__(self) -> None:
        self._slugs: dict[Hashable, str] = {}
        self._taken: set[str] = set()

    def of(self, thing: Hashable, name: str) -> str:
        """Return the slug of *thing*. The first *name* that is given for a thing decides it."""
        if thing not in self._slugs:
            self._slugs[thing] = self._new_slug(name)
            self._taken.add(self._slugs[thing])
        return self._slugs[thing]

    def _new_slug(self, name: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower())[:40].strip("-")
        is_plain = re.fullmatch(r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*", name) and len(name) <= 40
        slug, count = plain, 0
        while not slug or slug in self._taken or not (is_plain or count):
            count += 1
            digest = hashlib.sha256(f"{name}{count}".encode(errors="replace")).hexdigest()[:6]
            slug = f"{plain}-{digest}".strip("-")
        return slug
