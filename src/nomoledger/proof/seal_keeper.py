"""Seals each period of a game when it closes; what was missed then follows from the ledger."""

from contextlib import suppress

from nomoledger import events as e
from nomoledger.errors import CorruptError
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.checkpoint import checkpoint_version, resume_sealer, store_checkpoint
from nomoledger.proof.seal import Seal, decode_seal
from nomoledger.proof.sealer import Sealer
from nomoledger.proof.signing import own_signer


class SealKeeper:
    """Keeps the seals of *game* in its ledger up to its last close.

    It goes on from the last close that is sealed; *anew* it begins with the first event.
    """

    def __init__(self, ledger: Ledger, game: str, *, anew: bool = False) -> None:
        self._ledger = ledger
        self._game = game
        self._sealer = Sealer(game, ledger.secret(game)) if anew else _latest(ledger, game)

    def keep_up(self) -> list[Seal]:
        """Seal what has closed since this was last done, and give the seals of that."""
        ledger, game, sealer = self._ledger, self._game, self._sealer
        there = {period for period, _, _ in ledger.store.seals(game)}
        made: list[Seal] = []
        for entry in ledger.read(game, after=sealer.number):
            sealer.take(entry.number, entry.body)
            if isinstance(entry.body, e.PeriodClosed):
                head = ledger.head_at(game, entry.number)
                made.append(sealer.seal(bytes.fromhex(head.hash)))
                if made[-1].period not in there:
                    self._keep(entry.number, made[-1])
        if made and sealer.stands_still:
            store_checkpoint(ledger, sealer, made[-1].period)
        return made

    def _keep(self, number: int, seal: Seal) -> None:
        data = seal.signed(own_signer(self._sealer.secret)).encoded()
        # Whoever else sealed it meanwhile has made the same of it.
        with suppress(CorruptError), self._ledger.store.writing() as writer:
            writer.add_seal(self._game, seal.period, number, data)


def kept_seals(ledger: Ledger, game: str) -> list[Seal]:
    """The seals of *game* that are kept, in the order of their periods.

    Raises:
        RecordError: one was altered.
    """
    rows = ledger.store.seals(game)
    return [
        decode_seal(seal, f"the seal of period {period} as it is kept") for period, _, seal in rows
    ]


def _latest(ledger: Ledger, game: str) -> Sealer:
    """The sealer as it was kept after the last close up to which all periods are sealed."""
    there = {period for period, _, _ in ledger.store.seals(game)}
    whole = 0
    for period in sorted(there):
        if whole and period != whole + 1:
            break
        whole = period
    for number, _ in reversed(ledger.store.snapshots(game, checkpoint_version(), period=whole)):
        with suppress(CorruptError):
            return resume_sealer(ledger, game, number)
    return Sealer(game, ledger.secret(game))
