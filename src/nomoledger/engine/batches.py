"""Batches of events, computed by an engine in a worker process and streamed back."""

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
    """Run *follow* on *engine* in a worker process and yield its batches.

    The world of this process stays as it is. A ruleset that a worker has linked once is known to
    link within the limits. From then on this process links it, and every later worker inherits it.
    """
    key = fingerprint(engine.world.rules)
    if key in _LINKED_BEFORE:
        link(engine.world.rules)

    for piece in stream_from_worker(lambda: map(encode_batch, follow(engine)), limits):
        yield decode_batch(piece)
    _LINKED_BEFORE.add(key)


def encode_batch(batch: Batch) -> bytes:
    """Encode *batch* as bytes.

    Raises:
        RuleFault: the rules produced a value that cannot be stored.
    """
    try:
        return msgspec.msgpack.encode([(tag_of(event), encode(event)) for event in batch])
    except (TypeError, OverflowError) as error:
        raise RuleFault(f"the rules made something that cannot be stored: {error}") from None


def decode_batch(piece: bytes) -> Batch:
    """Decode a batch from *piece*.

    Raises:
        RuleFault: the rules produced an event that cannot be read.
    """
    try:
        return [decode(tag, state) for tag, state in msgspec.msgpack.decode(piece)]
    except CorruptError as error:
        raise RuleFault(f"the rules made something that cannot be read: {error}") from None
