"""Has an engine work in a worker process, and takes what it makes, batch by batch."""

from collections.abc import Callable, Iterator

import msgspec

from nomoledger.codec import decode, encode, tag_of
from nomoledger.engine import Batch, Engine
from nomoledger.errors import CorruptError, RuleFault
from nomoledger.fence import Limits, fenced
from nomoledger.rules.host import Host
from nomoledger.rules.link import fingerprint
from nomoledger.rules.program import linked

#: Fingerprints of the rulesets that workers have linked.
_LINKED_BEFORE: set[str] = set()


def worked_out(
    follow: Callable[[Engine], Iterator[Batch]], engine: Engine, limits: Limits | None
) -> Iterator[Batch]:
    """What *follow* makes of *engine*, in a worker process; this process's world stays as it is.

    Rules that a worker has linked before are known to link within its limits: from then on they are
    linked here, where every later worker finds them.
    """
    key = fingerprint(engine.world.rules)
    if key in _LINKED_BEFORE:
        linked(engine.world.rules)

    def produce(notice: Callable[[str], None]) -> Iterator[bytes]:
        Host.notice = staticmethod(notice)
        for batch in follow(engine):
            yield _packed(batch)

    for piece in fenced(produce, limits):
        yield _unpacked(piece)
    _LINKED_BEFORE.add(key)


def _packed(batch: Batch) -> bytes:
    try:
        return msgspec.msgpack.encode([(tag_of(event), encode(event)) for event in batch])
    except (TypeError, OverflowError) as error:
        raise RuleFault(f"the rules made something that cannot be stored: {error}") from None


def _unpacked(piece: bytes) -> Batch:
    try:
        return [decode(tag, state) for tag, state in msgspec.msgpack.decode(piece)]
    except CorruptError as error:
        raise RuleFault(f"the rules made something that cannot be read: {error}") from None
