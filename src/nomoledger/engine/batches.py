"""Batches of events that an engine makes in a worker process, as they come over."""

from collections.abc import Callable, Iterator

import msgspec

from nomoledger.engine.agenda import Batch, Engine
from nomoledger.errors import CorruptError, RuleFault
from nomoledger.events.codec import decode, encode, tag_of
from nomoledger.language.linker import fingerprint
from nomoledger.language.program import link
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import stream_from_worker

#: Fingerprints of the rulesets that workers have linked.
_LINKED_BEFORE: set[str] = set()


def stream_batches(
    follow: Callable[[Engine], Iterator[Batch]], engine: Engine, limits: Limits | None
) -> Iterator[Batch]:
    """What *follow* makes of *engine*, in a worker process; this process's world stays as it is.

    Rules that a worker has linked before are known to link within its limits: from then on they are
    linked here, where every later worker finds them.
    """
    key = fingerprint(engine.world.rules)
    if key in _LINKED_BEFORE:
        link(engine.world.rules)

    for piece in stream_from_worker(lambda: map(encode_batch, follow(engine)), limits):
        yield decode_batch(piece)
    _LINKED_BEFORE.add(key)


def encode_batch(batch: Batch) -> bytes:
    """*batch* as bytes; RuleFault where the rules made what cannot be stored."""
    try:
        return msgspec.msgpack.encode([(tag_of(event), encode(event)) for event in batch])
    except (TypeError, OverflowError) as error:
        raise RuleFault(f"the rules made something that cannot be stored: {error}") from None


def decode_batch(piece: bytes) -> Batch:
    """The batch behind *piece*."""
    try:
        return [decode(tag, state) for tag, state in msgspec.msgpack.decode(piece)]
    except CorruptError as error:
        raise RuleFault(f"the rules made something that cannot be read: {error}") from None
