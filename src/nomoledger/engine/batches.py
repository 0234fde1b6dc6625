"""Batches of events as bytes, as one process sends them to another."""

import msgspec

from nomoledger.engine.agenda import Batch
from nomoledger.errors import CorruptError, RuleFault
from nomoledger.events.codec import decode, encoded


def encode_batch(batch: Batch) -> bytes:
    """Encode *batch* as bytes.

    Raises:
        RuleFault: the rules produced a value that cannot be stored.
    """
    try:
        return msgspec.msgpack.encode(encoded(batch))
    except (TypeError, OverflowError) as error:
        raise RuleFault(f"the rules made something that cannot be stored: {error}") from None


def decode_batch(piece: bytes) -> Batch:
    """Decode a batch from *piece*.

    Raises:
        RuleFault: the rules produced an event that cannot be read.
    """
    try:
        return [decode(tag, state) for tag, state in msgspec.msgpack.decode(piece)]
    except (CorruptError, ValueError, TypeError) as error:
        raise RuleFault(f"the rules made something that cannot be read: {error}") from None
