"""Has rules run in a worker process, and takes what comes of it."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

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
#: Whether this process is a worker itself, which needs no other to work in.
_INSIDE: list[bool] = []
Value = TypeVar("Value")


def in_worker(
    pieces: Callable[[], Iterator[bytes]], limits: Limits | None = None
) -> Iterator[bytes]:
    """The *pieces* that are made in a worker process, whose death names the rule that was acting.

    Raises:
        RuleFault: rule code failed, or the worker died.
    """

    def produce(notice: Callable[[str], None]) -> Iterator[bytes]:
        Host.notice = staticmethod(notice)
        _INSIDE.append(True)
        yield from pieces()

    return fenced(produce, limits)


def found(make: Callable[[], Value], kind: Any, limits: Limits | None = None) -> Value:
    """What *make* gives in a worker process, which is a value of *kind*; raises as `in_worker`."""
    if _INSIDE:
        return make()
    (piece,) = in_worker(lambda: iter([msgspec.msgpack.encode(make())]), limits)
    value: Value = msgspec.msgpack.decode(piece, type=kind)
    return value


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

    for piece in in_worker(lambda: map(packed, follow(engine)), limits):
        yield unpacked(piece)
    _LINKED_BEFORE.add(key)


def packed(batch: Batch) -> bytes:
    """*batch* as bytes; RuleFault where the rules made what cannot be stored."""
    try:
        return msgspec.msgpack.encode([(tag_of(event), encode(event)) for event in batch])
    except (TypeError, OverflowError) as error:
        raise RuleFault(f"the rules made something that cannot be stored: {error}") from None


def unpacked(piece: bytes) -> Batch:
    """The batch behind *piece*."""
    try:
        return [decode(tag, state) for tag, state in msgspec.msgpack.decode(piece)]
    except CorruptError as error:
        raise RuleFault(f"the rules made something that cannot be read: {error}") from None
