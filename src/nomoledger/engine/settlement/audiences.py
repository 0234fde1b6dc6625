"""Audiences: who may see each attribute, thing and amount, according to the events.

The events of a timeline are read one by one. Afterwards a settlement looks up who may see a
correction, so that the correction of a secret stays as secret as the secret was.
"""

from collections.abc import Iterable
from typing import Any

from nomoledger import events as e

#: The players who may see something besides the admin; None is everybody.
Audience = tuple[str, ...] | None
#: Differences in units, by account and commodity.
Deltas = dict[tuple[str, str], int]
ADMIN_ONLY: Audience = ()


class Audiences:
    """Who may see each attribute, thing and amount.

    Attributes:
        moved: the things that changed their square by `Moved` events.
        secret_postings: units posted in secret, by audience and the period that they count for.
    """

    def __init__(self, bodies: Iterable[e.Event] = ()) -> None:
        """Apply *bodies* one after the other."""
        self.moved: set[str] = set()
        self.secret_postings: dict[tuple[Audience, int], Deltas] = {}
        self._latest: dict[tuple[str, ...], Audience] = {}
        self._ever_secret: set[tuple[str, ...]] = set()
        for body in bodies:
            self.apply(body)

    def apply(self, body: e.Event) -> None:
        """Apply the next event."""
        if isinstance(body, e.AttributeSet):
            self._note(body, "set", body.entity, body.attribute)
        elif isinstance(body, e.Moved):
            self.moved.add(body.piece)
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
            self._add_postings(body)

    def _note(self, body: e.Event, *key: str) -> None:
        self._latest[key] = body.audience
        if body.audience is not None:
            self._ever_secret.add(key)

    def _add_postings(self, body: e.Posted) -> None:
        period = body.period if body.effective is None else body.effective
        table = self.secret_postings.setdefault((body.audience, period), {})
        for posting in body.postings:
            key = posting.account, posting.commodity
            table[key] = table.get(key, 0) + posting.amount
            self._ever_secret.add(("owns", *key))

    def audience_of(self, *key: str) -> Audience:
        """Return who may see the current value of `"set", entity, attribute` or `"is", entity`."""
        return self._latest.get(key)

    def was_ever_secret(self, path: tuple[Any, ...], value: Any) -> bool:
        """Return whether the state at *path* was ever visible to some players only."""
        table, *keys = path
        if table == "past" and len(keys) > 1:
            table, keys = keys[1], keys[2:]
        names = tuple(map(str, keys))
        if table == "attributes":
            return ("set", *names) in self._ever_secret
        if table == "balances":
            return ("owns", *names) in self._ever_secret
        if table == "entities":
            return ("is", *names) in self._ever_secret
        if table == "kinds":
            return any(("is", entity) in self._ever_secret for entity in value or ())
        if table == "counts":
            return ("count", *names) in self._ever_secret
        if table == "precedents":
            return ("asked", *names[:1]) in self._ever_secret
        return bool(table == "answers")


def intersect(left: Audience, right: Audience) -> Audience:
    """Return the readers who are in both audiences.

    >>> intersect(None, ("Ann",)), intersect(("Ann", "Bob"), ("Bob",))
    (('Ann',), ('Bob',))
    """
    if left is None or right is None:
        return left if right is None else right
    return tuple(player for player in left if player in right)
