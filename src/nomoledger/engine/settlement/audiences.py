"""Who knows of what: things that came about before a few players, or the admin alone.

A course of play is read event by event; then it can be asked who may be told of an attribute, a
thing or an amount, so that what puts a secret right stays as secret as it was.
"""

from collections.abc import Iterable
from typing import Any

from nomoledger import events as e

#: Those who may see something besides the admin; None is everybody.
Audience = tuple[str, ...] | None
#: What is more, by account and commodity.
Deltas = dict[tuple[str, str], int]
ADMIN: Audience = ()


class Audiences:
    """What *bodies* tell to whom.

    Attributes:
        walked: the things that were moved, and not set down by their `square`.
        posted: what was paid in secret, by audience and the period that it belongs to.
    """

    def __init__(self, bodies: Iterable[e.Event] = ()) -> None:
        self.walked: set[str] = set()
        self.posted: dict[tuple[Audience, int], Deltas] = {}
        self._last: dict[tuple[str, ...], Audience] = {}
        self._ever: set[tuple[str, ...]] = set()
        for body in bodies:
            self.take(body)

    def take(self, body: e.Event) -> None:
        """Take in the next event."""
        if isinstance(body, e.AttributeSet):
            self._note(body, "set", body.entity, body.attribute)
        elif isinstance(body, e.Moved):
            self.walked.add(body.piece)
            self._note(body, "set", body.piece, "square")
        elif isinstance(body, e.EntityCreated):
            self._note(body, "is", body.entity)
            for name in body.attributes:
                self._note(body, "set", body.entity, name)
        elif isinstance(body, e.Counted):
            self._note(body, "count", body.scope, body.key)
        elif isinstance(body, e.QuestionRaised):
            self._note(body, "asked", body.text)
        elif isinstance(body, e.Posted) and body.audience is not None:
            self._pay(body)

    def _note(self, body: e.Event, *key: str) -> None:
        self._last[key] = body.audience
        if body.audience is not None:
            self._ever.add(key)

    def _pay(self, body: e.Posted) -> None:
        period = body.period if body.effective is None else body.effective
        table = self.posted.setdefault((body.audience, period), {})
        for posting in body.postings:
            key = posting.account, posting.commodity
            table[key] = table.get(key, 0) + posting.amount
            self._ever.add(("owns", *key))

    def of(self, *key: str) -> Audience:
        """Who may be told of `"set", entity, attribute` or `"is", entity` as they are now."""
        return self._last.get(key)

    def hides(self, path: tuple[Any, ...], value: Any) -> bool:
        """Whether what stands in the state at *path* was ever told to some only."""
        table, *keys = path
        if table == "past" and len(keys) > 1:
            table, keys = keys[1], keys[2:]
        named = tuple(map(str, keys))
        if table == "attributes":
            return ("set", *named) in self._ever
        if table == "balances":
            return ("owns", *named) in self._ever
        if table == "entities":
            return ("is", *named) in self._ever
        if table == "kinds":
            return any(("is", each) in self._ever for each in value or ())
        if table == "counts":
            return ("count", *named) in self._ever
        if table == "precedents":
            return ("asked", *named[:1]) in self._ever
        return bool(table == "answers")


def intersect(one: Audience, other: Audience) -> Audience:
    """Those who may see two things, and so what leads from one to the other.

    >>> both(None, ("Ann",)), both(("Ann", "Bob"), ("Bob",)), both(("Ann",), ("Bob",))
    (('Ann',), ('Bob',), ())
    """
    if one is None or other is None:
        return one if other is None else other
    return tuple(each for each in one if each in other)
