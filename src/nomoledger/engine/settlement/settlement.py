"""One ruling that is being settled: the two sides, and how events are emitted.

A settlement brings the present in line with the state in which the ruling had been in force from
the start. Visible corrections are events of their own: compensating postings, moves and other
changes. State that only the engine keeps (counts, answers, the order of things, closed periods as
they are now known) goes into `Settled`. No event reveals anything to readers who could not see it
before.
"""

from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.engine.settlement.audiences import Audience, Audiences, intersect
from nomoledger.language.host import Host
from nomoledger.state.world import World

#: How much of the correction to apply; "fitting" applies all of it unless later play collides.
SETTLES = ("all", "money", "none", "fitting")


class Side(NamedTuple):
    """One side of a settlement.

    Attributes:
        world: the state on this side.
        audiences: who may see what in this state.
    """

    world: World
    audiences: Audiences


class Settlement:
    """A ruling that is being settled.

    Attributes:
        audiences: of *base* and of *target*.
        is_whole: whether *base* is the present itself, so that the present becomes the *target*.
            Otherwise only the differences between *base* and *target* are applied to it.
    """

    def __init__(self, host: Host, base: Side, target: Side, ruling: e.RulingMade) -> None:
        """Settle *ruling* on the world of *host*: the differences from *base* to *target*.

        *base* is the world of the host itself, unless an earlier ruling was settled only in part.
        """
        self.host = host
        self.world = host.world
        self.base, self.target = base.world, target.world
        self.audiences = base.audiences, target.audiences
        self.ruling = ruling
        self.why = f"ruling {ruling.number}"
        self.is_whole = base.world is host.world

    def emit(self, event: type[e.Event], audience: Audience = None, **fields: Any) -> None:
        """Emit an event that *audience* may see."""
        self.host.audience = audience
        self.host.emit(event, **fields)

    def audience_of(self, *key: str) -> Audience:
        """Return who may see a difference in *key*: the readers who may see both sides."""
        return intersect(*(audiences.audience_of(*key) for audiences in self.audiences))
