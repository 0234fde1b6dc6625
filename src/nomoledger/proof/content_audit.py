"""Recomputes what a ledger's events come to, while they are verified one by one."""

from collections.abc import Callable, Sequence

from nomoledger import events as e
from nomoledger.errors import CorruptError, RecordError
from nomoledger.ledger.snapshots import SnapshotCheck
from nomoledger.ledger.stores.store import Seal as Stored
from nomoledger.proof.dice_audit import DiceAudit
from nomoledger.proof.seal import Seal, decode_seal
from nomoledger.proof.sealer import PublicLine, Sealer
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


class ContentAudit:
    """Takes each event that is as it was written, and says what is wrong with what it says.

    States at the closes, dice, and the seals that were *stored*, or *published* elsewhere, are held
    against what the events come to, and so are *snapshots*. *told* is given every public line,
    *sealed* every seal.

    Attributes:
        sealer: what was made on the way. sealed_count: how many periods were held against a seal.
    """

    def __init__(
        self,
        game: str,
        secret: bytes,
        *,
        stored: Sequence[Stored] = (),
        published: Sequence[Seal] = (),
        told: Callable[[PublicLine], None] = lambda line: None,
        sealed: Callable[[Seal], None] = lambda seal: None,
        snapshots: SnapshotCheck | None = None,
    ) -> None:
        self.sealer = Sealer(game, secret)
        self.sealed_count = 0
        self._world = World()
        self._throws = DiceAudit(secret)
        self._stored = {period: (number, seal) for period, number, seal in stored}
        self._published = {each.period: each for each in published}
        self._told = told
        self._seal = sealed
        self._snapshots = snapshots

    def take(self, number: int, body: e.Event, reached: bytes) -> tuple[str, str] | None:
        """What is wrong with event *number*, as a word and a sentence; None where nothing is.

        *reached* is the hash of the chain up to it.
        """
        if isinstance(body, e.PeriodClosed) and body.digest != self._world.digest():
            return "state", "the state at its close is not what the events before it come to"
        if trouble := self._throws.take(body):
            return "dice", trouble
        try:
            apply(self._world, body)
            lines = self.sealer.take(number, body)
        except CorruptError as error:
            return "unreadable", str(error)
        except Exception as error:  # whatever somebody has written there
            return "state", f"what it says cannot follow from the events before it: {error!r}"
        for line in lines:
            self._told(line)
        if isinstance(body, e.PeriodClosed):
            return self._closed(number, self.sealer.seal(reached))
        return None

    def unsealed(self) -> str | None:
        """What a seal says of periods that the ledger does not have, once all events are taken."""
        left = sorted({*self._stored, *self._published})
        if not left:
            return None
        where = "published" if left[0] in self._published else "stored"
        return f"period {left[0]} is sealed ({where}), but the ledger has no close of it"

    def _closed(self, number: int, seal: Seal) -> tuple[str, str] | None:
        self._seal(seal)
        published = self._published.pop(seal.period, None)
        if published is not None and (why := published.differs(seal)):
            return "published", f"period {seal.period} is not what was published: {why}"
        stored = self._stored.pop(seal.period, None)
        self.sealed_count += published is not None or stored is not None
        why = _wrong(stored, number, seal) if stored else _lacking(self._stored)
        if why is not None:
            return "seal", f"the seal of period {seal.period}: {why}"
        why = None if self._snapshots is None else self._snapshots.wrong(self._world)
        return None if why is None else ("snapshot", why)


def _lacking(later: dict[int, tuple[int, bytes]]) -> str | None:
    """Why a seal ought to be stored that is not: they are, in the order of their periods."""
    return f"it is not there, but that of period {min(later)} is" if later else None


def _wrong(stored: tuple[int, bytes], number: int, seal: Seal) -> str | None:
    """What is wrong with a stored seal, where the events come to *seal*."""
    try:
        found = decode_seal(stored[1], "as it is stored")
    except RecordError as error:
        return str(error)
    return "it is stored for another event" if stored[0] != number else found.differs(seal)
