"""Checkpoints of the sealer: what it needs to continue after a close, stored like a snapshot.

Checkpoints only save time. Verification recomputes every seal from the events.
"""

from array import array
from datetime import datetime
from functools import cache, partial
from typing import Any, cast

import msgspec

from nomoledger.errors import CorruptError, StoreError
from nomoledger.events.levels import LEVELS
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.snapshots import fold_version, hash_of_source, label, unlabel
from nomoledger.ledger.stores.store import Place
from nomoledger.proof.addresses import Addresses
from nomoledger.proof.public_numbering import PublicNumbers
from nomoledger.proof.sealer import Sealer
from nomoledger.state.snapshot_codec import decode_snapshot, encode_snapshot

Numbers = tuple[tuple[int, ...], dict[int, int]]


class SealerCheckpoint(msgspec.Struct, frozen=True, array_like=True):
    """The state of a sealer that has just sealed the period closed by event *number*."""

    number: int
    previous: str
    public_number: int
    public_hash: bytes
    world: bytes
    readers: tuple[str, ...]
    hidden: tuple[str, ...]
    recorded_at: datetime | None
    numbers: tuple[Numbers, Numbers, Numbers]
    addresses: tuple[str, ...]


@cache
def checkpoint_version() -> str:
    """Return the version of checkpoints: a hash of the source that they depend on."""
    return f"sealer-{hash_of_source(['proof'], fold_version())}"


def store_checkpoint(ledger: Ledger, sealer: Sealer, period: int) -> None:
    """Store a checkpoint of *sealer*, which has just sealed *period*."""
    stream, chain = sealer.stream, sealer.chain
    frozen = encode_snapshot(chain.world)
    terms = (stream.terms.events, stream.terms.rulings, stream.terms.disputes)
    checkpoint = SealerCheckpoint(
        number=sealer.number,
        previous=sealer.previous,
        public_number=chain.number,
        public_hash=chain.hash,
        world=frozen.root,
        readers=tuple(chain.readers),
        hidden=tuple(sorted(stream.hidden)),
        recorded_at=stream.recorded_at,
        numbers=cast(Any, tuple((tuple(numbers.sealed), numbers.placed) for numbers in terms)),
        addresses=stream.terms.addresses.given,
    )
    place = sealer.number, period
    data = label(msgspec.msgpack.encode(checkpoint), checkpoint_version(), place)
    try:
        with ledger.side_tables(sealer.game) as writer:
            writer.add_snapshot(sealer.game, checkpoint_version(), place, data, frozen.parts)
    except StoreError:  # without a checkpoint the next seal only takes longer
        chain.world.forget_frozen()


def resume_sealer(ledger: Ledger, game: str, place: Place) -> Sealer:
    """Return the sealer of *game* from its checkpoint at *place*.

    Raises:
        CorruptError: there is no checkpoint, or it is unreadable.
    """
    version, number = checkpoint_version(), place[0]
    data = unlabel(ledger.store.snapshot(game, version, number), version, place)
    try:
        checkpoint = msgspec.msgpack.decode(data, type=SealerCheckpoint)
    except msgspec.MsgspecError as error:
        raise CorruptError(f"no checkpoint of the sealer after #{number}: {error}") from error
    if checkpoint.number != number:
        raise CorruptError(f"the checkpoint after #{number} is of another event")
    sealer = Sealer(game, ledger.secret(game))
    sealer.number, sealer.previous = checkpoint.number, checkpoint.previous
    stream, chain = sealer.stream, sealer.chain
    chain.number, chain.hash = checkpoint.public_number, checkpoint.public_hash
    chain.world = decode_snapshot(checkpoint.world, partial(ledger.store.parts, game))
    chain.readers = dict.fromkeys(checkpoint.readers)
    stream.head, stream.hidden = chain.number, {*checkpoint.hidden}
    stream.recorded_at = checkpoint.recorded_at
    terms = stream.terms
    terms.events, terms.rulings, terms.disputes = map(_public_numbers, checkpoint.numbers)
    terms.level = LEVELS[chain.world.level]
    terms.addresses = Addresses(checkpoint.addresses)
    return sealer


def _public_numbers(stored: Numbers) -> PublicNumbers:
    numbers = PublicNumbers()
    numbers.sealed, numbers.placed = array("q", stored[0]), stored[1]
    return numbers
