"""Hands a worker, which has no database, what it asks for while it works.

The work is a generator: it yields what it wants and is sent the answer, and returns what came of
it. So nothing has to be held ready that is not asked for.
"""

import socket
import struct
from collections.abc import Callable, Generator
from contextlib import suppress

from nomoledger.errors import CorruptError
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import stream_from_worker

Work = Generator[bytes, bytes, bytes]
_WANTED, _MADE = b"?", b"="


def supply_worlds(
    work: Callable[[], Work], give: Callable[[bytes], bytes], limits: Limits | None = None
) -> bytes:
    """What comes of *work*, done in a worker process; what it wants, *give* gives it in this one.

    Raises:
        RuleFault: rule code failed, or the worker died; and whatever *give* raises.
    """
    outer, inner = socket.socketpair()

    def pieces() -> Generator[bytes]:
        outer.close()
        going, answer = work(), None
        while True:
            try:
                wanted = next(going) if answer is None else going.send(answer)
            except StopIteration as made:
                yield _MADE + made.value
                return
            yield _WANTED + wanted
            answer = _received(inner)

    made = b""
    with outer, inner:
        for piece in stream_from_worker(pieces, limits):
            inner.close()  # or the death of the worker would not show while it is written to
            if piece[:1] == _MADE:
                made = piece[1:]
                continue
            answer = give(piece[1:])
            with suppress(BrokenPipeError, ConnectionResetError):  # its death is told next
                outer.sendall(struct.pack(">Q", len(answer)) + answer)
    return made


def _received(inner: socket.socket) -> bytes:
    with inner.makefile("rb", buffering=0) as file:
        (length,) = struct.unpack(">Q", _exactly(file.read, 8))
        return _exactly(file.read, length)


def _exactly(read: Callable[[int], bytes | None], length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        more = read(min(length - len(data), 1 << 20))
        if not more:
            raise CorruptError("a worker was not given all that it asked for")
        data += more
    return bytes(data)
