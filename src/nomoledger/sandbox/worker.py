"""Calls into a worker process, with values instead of bytes."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from nomoledger.sandbox import child
from nomoledger.sandbox.child import Limits, run_in_child

#: Not empty in a worker process, where calls need no further worker.
_IS_WORKER: list[bool] = []
Value = TypeVar("Value")


def stream_from_worker(
    pieces: Callable[[], Iterator[bytes]], limits: Limits | None = None
) -> Iterator[bytes]:
    """Yield what *pieces* yields in a worker process.

    Raises:
        RuleFault: rule code failed, or the worker died; names the rule that acted last.
    """

    def produce(notice: Callable[[str], None]) -> Iterator[bytes]:
        child.notice = notice
        _IS_WORKER.append(True)
        yield from pieces()

    return run_in_child(produce, limits)


def call_in_worker(make: Callable[[], Value], kind: Any, limits: Limits | None = None) -> Value:
    """Return what *make* returns in a worker process: a value of type *kind*.

    Raises:
        RuleFault: as `stream_from_worker`.
    """
    if _IS_WORKER:
        return make()
    (piece,) = stream_from_worker(lambda: iter([msgspec.msgpack.encode(make())]), limits)
    value: Value = msgspec.msgpack.decode(piece, type=kind)
    return value
