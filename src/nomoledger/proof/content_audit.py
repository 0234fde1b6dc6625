"""The audit of events during verification: states, dice, seals and snapshots."""

from collections.abc import Callable, Sequence

from nomoledger import events as e
from nomoledger.errors import CorruptError, RecordError
from nomoledger.ledger.snapshots import SnapshotCheck
from nomoledger.ledger.stores.store import Seal as Stored
from nomoledger.proof.dice_audit import DiceAudit
from nomoledger.proof.key_chain import KeyChain
from nomoledger.proof.seal import Seal, decode_seal
from nomoledger.proof.sealer import FOLD, PublicLine, Sealer
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


class ContentAudit:
    """Checks each event that is as it was written, in order.

    The audit recomputes the state at every close, the dice, the seals that are *stored* or were
    *published* elsewhere, and the *snapshots*, and compares them. It calls *on_line* with every
    public line and *on_seal* with every seal.

    Attributes:
        world: the state after the last event.
        sealer: the sealer that computed the public lines and seals.
        sealed_count: the number of periods whose seal was compared.
        keys: the keys of the game.
    """

    def __init__(
        self,
        game: str,
        secret: bytes,
        *,
        stored: Sequence[Stored] = (),
        published: Sequence[Seal] = (),
        on_line: Callable[[PublicLine], None] = lambda line: None,
        on_seal: Callable[[Seal], None] = lambda seal: None,
        snapshots: SnapshotCheck | None = None,
    ) -> None:
        """Audit *game* from its first event, with its *secret*."""
        self.sealer = Sealer(game, secret)
        self.sealed_count = 0
        self.keys = KeyChain(game)
        self.world = World()
        self._dice = DiceAudit(secret)
        self._stored = {period: (number, seal) for period, number, seal in stored}
        self._published = {seal.period: seal for seal in published}
        self._signers = {seal.period: seal.key for seal in published}
        self._on_line = on_line
        self._on_seal = on_seal
        self._snapshots = snapshots

    def check(self, number: int, body: e.Event, reached: bytes) -> tuple[str, str] | None:
        """Return the problem of event *number* as a word and a sentence, or None.

        *reached* is the hash of the event.
        """
        try:
            return self._check(number, body, reached)
        except CorruptError as error:
            return "unreadable", str(error)
        except Exception as error:  # a tamperer may have written anything
            return "state", f"what it says cannot follow from the events before it: {error!r:.200}"

    def _check(self, number: int, body: e.Event, reached: bytes) -> tuple[str, str] | None:
        if isinstance(body, e.PeriodClosed) and body.digest != self.world.digest():
            return "state", "the state at its close does not follow from the events before it"
        if problem := self._dice.check(body, self.world):
            return "dice", problem
        if isinstance(body, e.KeyPassed):
            period, sealed = self.world.period, self.sealer.previous
            if problem := self.keys.take(body, period, sealed, FOLD):
                return "key", problem
        apply(self.world, body)
        lines = self.sealer.take(number, body)
        for line in lines:
            self._on_line(line)
        if isinstance(body, e.PeriodClosed):
            return self._check_close(number, self.sealer.seal(reached))
        return None

    def foreign_snapshot(self) -> str | None:
        """Describe a snapshot that belongs to no close, after the last event; None if sound."""
        return None if self._snapshots is None else self._snapshots.left()

    def missing_close(self) -> str | None:
        """Describe a seal without a close in the ledger, after the last event; None if sound."""
        left = sorted({*self._stored, *self._published})
        if not left:
            return None
        where = "published" if left[0] in self._published else "stored"
        return f"period {left[0]} is sealed ({where}), but the ledger has no close of it"

    def foreign_key(self) -> str | None:
        """Describe a published seal that no key of the game signed; None if there is none."""
        found = (self.keys.reason_against(key, period) for period, key in self._signers.items())
        return next((reason for reason in found if reason is not None), None)

    def _check_close(self, number: int, seal: Seal) -> tuple[str, str] | None:
        self._on_seal(seal)
        published = self._published.pop(seal.period, None)
        if published is not None and (why := published.differs(seal)):
            return "published", f"period {seal.period} is not what was published: {why}"
        stored = self._stored.pop(seal.period, None)
        self.sealed_count += published is not None or stored is not None
        why = _compare(stored, number, seal) if stored else _describe_gap(self._stored)
        if why is not None:
            return "seal", f"the seal of period {seal.period}: {why}"
        why = None if self._snapshots is None else self._snapshots.wrong(self.world)
        return None if why is None else ("snapshot", why)


def _describe_gap(later: dict[int, tuple[int, bytes]]) -> str | None:
    """Describe a missing seal; a seal may be missing only if no *later* one is stored."""
    return f"it is missing, but that of period {min(later)} is stored" if later else None


def _compare(stored: tuple[int, bytes], number: int, seal: Seal) -> str | None:
    """Return how a *stored* seal differs from *seal*, which was computed; None if it does not."""
    try:
        decoded = decode_seal(stored[1], "as it is stored")
    except RecordError as error:
        return str(error)
    return "it is stored for another event" if stored[0] != number else decoded.differs(seal)
