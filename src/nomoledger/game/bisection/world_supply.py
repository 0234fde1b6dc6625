"""A worker that requests data from its parent while it runs.

The work is a generator: it yields requests, is sent the answers, and returns its result. The worker
needs no database, and only data that it requests is read.
"""

import socket
import struct
from collections.abc import Callable, Generator
from contextlib import suppress

from nomoledger.errors import CorruptError
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import stream_from_worker

Work = Generator[bytes, bytes, bytes]
_REQUEST, _RESULT = b"?", b"="


def run_with_requests(
    work: Callable[[], Work], give: Callable[[bytes], bytes], limits: Limits | None = None
) -> bytes:
    """Run *work* in a worker process, and return its result; *give* answers its requests.

    *give* runs in this process.

    Raises:
        RuleFault: rule code failed, or the worker died. Errors of *give* are raised as they are.
    """
    outer, inner = socket.socketpair()

    def pieces() -> Generator[bytes]:
        outer.close()
        requests, answer = work(), None
        while True:
            try:
                request = next(requests) if answer is None else requests.send(answer)
            except StopIteration as end:
                yield _RESULT + end.value
                return
            yield _REQUEST + request
            answer = _receive(inner)

    result = b""
    with outer, inner:
        for piece in stream_from_worker(pieces, limits):
            inner.close()  # otherwise writing to a dead worker would block
            if piece[:1] == _RESULT:
                result = piece[1:]
                continue
            answer = give(piece[1:])
            with suppress(BrokenPipeError, ConnectionResetError):  # the loop raises the cause
                outer.sendall(struct.pack(">Q", len(answer)) + answer)
    return result


def _receive(inner: socket.socket) -> bytes:
    with inner.makefile("rb", buffering=0) as file:
        (length,) = struct.unpack(">Q", _read_exactly(file.read, 8))
        return _read_exactly(file.read, length)


def _read_exactly(read: Callable[[int], bytes | None], length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        chunk = read(min(length - len(data), 1 << 20))
        if not chunk:
            raise CorruptError("a worker received only part of the data that it requested")
        data += chunk
    return bytes(data)
