"""What brings one state to another, as events: compensating postings, moves and changes.

`settle` leads the present to what it would have been had a ruling held from the start. What people
see are events of their own; what only the engine keeps (uses counted, answers given, the order of
things, and the past as it is now known) goes into `Settled`. Nobody is told by it what was secret.
"""

from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.audiences import Audience, Audiences, intersect
from nomoledger.language.host import Host
from nomoledger.state.world import World

#: How much is put right; "fitting" is all of it, if later play fits it.
SETTLES = ("all", "money", "none", "fitting")


class Side:
    """One side of a settlement: a *world*, and who *knows* of what in it."""

    def __init__(self, world: World, knows: Audiences) -> None:
        self.world = world
        self.knows = knows


class Settlement:
    """One ruling being settled on the world of *host*, from *base* to *target*.

    *base* is the world of the host itself, unless an earlier ruling was not settled whole.
    """

    def __init__(self, host: Host, base: Side, target: Side, ruling: e.RulingMade) -> None:
        self.host = host
        self.world = host.world
        self.base, self.target = base.world, target.world
        self.knows = base.knows, target.knows
        self.ruling = ruling
        self.why = f"ruling {ruling.number}"
        #: Whether the present itself is led to the target, and not only by what is between.
        self.is_whole = base.world is host.world

    def emit(self, event: type[e.Event], audience: Audience = None, **fields: Any) -> None:
        """Make something happen before *audience*."""
        self.host.audience = audience
        self.host.emit(event, **fields)

    def audience(self, *key: str) -> Audience:
        """Who may be told how *key* differs."""
        return intersect(*(knows.of(*key) for knows in self.knows))
