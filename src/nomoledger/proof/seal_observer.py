"""Seals each period of a game when it closes; what was missed then follows from the ledger."""

from contextlib import suppress

from nomoledger import events as e
from nomoledger.errors import CorruptError, StoreError
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.checkpoint import checkpoint_version, resume_sealer, store_checkpoint
from nomoledger.proof.seal import Seal, decode_seal
from nomoledger.proof.sealer import Sealer
from nomoledger.proof.signing import game_signer
from nomoledger.state.world import World


class SealObserver:
    """Seals the periods of *game* as they close; observes the write path.

    Seals follow from the events, so a seal that is missing is made at any later time. The keeper
    goes on from the last close that is sealed; *anew* it begins with the first event.
    """

    def __init__(self, ledger: Ledger, game: str, *, anew: bool = False) -> None:
        self._ledger = ledger
        self._game = game
        self._sealer = Sealer(game, ledger.secret(game)) if anew else None

    def closed(self, world: World | None) -> None:
        """Seal what has closed. Where the database fails, the next close makes up for it."""
        try:
            self.keep_up()
        except StoreError:
            self._sealer = None

    def keep_up(self) -> list[Seal]:
        """Seal the periods that have closed since the last call, and return their seals."""
        ledger, game = self._ledger, self._game
        sealer = self._sealer = self._sealer or _latest_sealer(ledger, game)
        stored = {period for period, _, _ in ledger.store.seals(game)}
        seals: list[Seal] = []
        for entry in ledger.read(game, after=sealer.number):
            sealer.take(entry.number, entry.body)
            if isinstance(entry.body, e.PeriodClosed):
                head = ledger.head_at(game, entry.number)
                seals.append(sealer.seal(bytes.fromhex(head.hash)))
                if seals[-1].period not in stored:
                    self._store(entry.number, seals[-1])
        if seals and sealer.stands_still:
            store_checkpoint(ledger, sealer, seals[-1].period)
        return seals

    @property
    def is_caught_up(self) -> bool:
        """Whether no public event that was read waits for the next public request."""
        return self._sealer is not None and self._sealer.stream.is_caught_up

    def _store(self, number: int, seal: Seal) -> None:
        assert self._sealer is not None
        data = seal.signed(game_signer(self._sealer.secret)).encoded()
        # Another process may have sealed the period meanwhile: the seal is the same.
        with suppress(CorruptError), self._ledger.side_tables(self._game) as writer:
            writer.add_seal(self._game, seal.period, number, data)


def kept_seals(ledger: Ledger, game: str) -> list[Seal]:
    """Return the stored seals of *game*, in the order of their periods.

    Raises:
        RecordError: a seal was altered.
    """
    rows = ledger.store.seals(game)
    return [
        decode_seal(seal, f"the seal of period {period} as it is kept") for period, _, seal in rows
    ]


def _latest_sealer(ledger: Ledger, game: str) -> Sealer:
    """Return the sealer as it was stored at the last close up to which all periods are sealed."""
    stored = {period for period, _, _ in ledger.store.seals(game)}
    last = 0
    for period in sorted(stored):
        if last and period != last + 1:
            break
        last = period
    for place in reversed(ledger.store.snapshots(game, checkpoint_version(), period=last)):
        with suppress(CorruptError):
            return resume_sealer(ledger, game, place)
    return Sealer(game, ledger.secret(game))
