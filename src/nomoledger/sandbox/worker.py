"""Has rules run in a worker process, and takes what comes of it."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from nomoledger.sandbox import child
from nomoledger.sandbox.child import Limits, run_in_child

#: Whether this process is a worker itself, which needs no other to work in.
_INSIDE: list[bool] = []
Value = TypeVar("Value")


def stream_from_worker(
    pieces: Callable[[], Iterator[bytes]], limits: Limits | None = None
) -> Iterator[bytes]:
    """The *pieces* that are made in a worker process, whose death names the rule that was acting.

    Raises:
        RuleFault: rule code failed, or the worker died.
    """

    def produce(note: Callable[[str], None]) -> Iterator[bytes]:
        child.notice = note
        _INSIDE.append(True)
        yield from pieces()

    return run_in_child(produce, limits)


def call_in_worker(make: Callable[[], Value], kind: Any, limits: Limits | None = None) -> Value:
    """What *make* gives in a worker process, which is a value of *kind*; raises as `stream_from_worker`."""
    if _INSIDE:
        return make()
    (piece,) = stream_from_worker(lambda: iter([msgspec.msgpack.encode(make())]), limits)
    value: Value = msgspec.msgpack.decode(piece, type=kind)
    return value
