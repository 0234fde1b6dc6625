"""A sealer at rest: what it needs to go on from a close, kept as a snapshot of the ledger is.

It is only a matter of speed: whatever is kept, seals are verified against the events.
"""

from array import array
from datetime import datetime
from functools import cache, partial
from typing import Any, cast

import msgspec

from nomoledger.errors import CorruptError, StoreError
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.snapshots import fold_version, hash_of_source
from nomoledger.proof.public_numbering import PublicNumbers
from nomoledger.proof.sealer import Sealer
from nomoledger.state.snapshot_codec import decode_snapshot, encode_snapshot

#: The modules, besides the fold itself, that what is kept depends on.
_MODULES = (
    "events.codec", "proof.checkpoint", "proof.public_numbering", "proof.public_stream",
    "proof.seal", "proof.sealer", "proof.translation",
)  # fmt: skip
Numbers = tuple[tuple[int, ...], dict[int, int]]


class SealerCheckpoint(msgspec.Struct, frozen=True, array_like=True):
    """A sealer that has just sealed the period which closed with event *number*."""

    number: int
    previous: str
    public_number: int
    public_hash: bytes
    world: bytes
    readers: tuple[str, ...]
    hidden: tuple[str, ...]
    recorded_at: datetime | None
    numbers: tuple[Numbers, Numbers, Numbers]


@cache
def checkpoint_version() -> str:
    """Under what a sealer is kept: nobody else's snapshots are read."""
    return f"sealer-{hash_of_source(_MODULES, fold_version())}"


def store_checkpoint(ledger: Ledger, sealer: Sealer, period: int) -> None:
    """Keep *sealer*, which has just sealed *period*."""
    stream, chain = sealer.stream, sealer.chain
    frozen = encode_snapshot(chain.world)
    terms = (stream.terms.events, stream.terms.rulings, stream.terms.disputes)
    kept = SealerCheckpoint(
        number=sealer.number,
        previous=sealer.previous,
        public_number=chain.number,
        public_hash=chain.hash,
        world=frozen.root,
        readers=tuple(chain.readers),
        hidden=tuple(sorted(stream.hidden)),
        recorded_at=stream.recorded_at,
        numbers=cast(Any, tuple((tuple(each.sealed), each.placed) for each in terms)),
    )
    place, data = (sealer.number, period), msgspec.msgpack.encode(kept)
    try:
        with ledger.store.writing() as writer:
            writer.add_snapshot(sealer.game, checkpoint_version(), place, data, frozen.parts)
    except StoreError:  # which has cost nothing but speed
        chain.world.forget_frozen()


def resume_sealer(ledger: Ledger, game: str, number: int) -> Sealer:
    """The sealer of *game* as it was kept after event *number*.

    Raises:
        CorruptError: there is none, or it cannot be read.
    """
    data = ledger.store.snapshot(game, checkpoint_version(), number)
    try:
        kept = msgspec.msgpack.decode(data or b"", type=SealerCheckpoint)
    except msgspec.MsgspecError as error:
        raise CorruptError(f"no sealer is kept after #{number}: {error}") from error
    sealer = Sealer(game, ledger.secret(game))
    sealer.number, sealer.previous = kept.number, kept.previous
    stream, chain = sealer.stream, sealer.chain
    chain.number, chain.hash = kept.public_number, kept.public_hash
    chain.world = decode_snapshot(kept.world, partial(ledger.store.parts, game))
    chain.readers = dict.fromkeys(kept.readers)
    stream.head, stream.hidden, stream.recorded_at = chain.number, {*kept.hidden}, kept.recorded_at
    terms = stream.terms
    terms.events, terms.rulings, terms.disputes = (_numbers(each) for each in kept.numbers)
    return sealer


def _numbers(kept: Numbers) -> PublicNumbers:
    numbers = PublicNumbers()
    numbers.sealed, numbers.placed = array("q", kept[0]), kept[1]
    return numbers
