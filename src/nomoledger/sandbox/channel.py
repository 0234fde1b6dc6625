"""Channels: messages between two processes over a socket."""

import math
import socket
import struct
import time

#: A message: its kind and length, then as many bytes.
_HEADER = struct.Struct(">cI")
_READ_BYTES = 1 << 16
#: No message is longer. A longer one shows that the other process is not what it should be.
_MESSAGE_BYTES_MAX = 1 << 29


class Channel:
    """One end of a connection to another process.

    All methods raise OSError if the connection is broken.
    """

    def __init__(self, end: socket.socket) -> None:
        """Send and receive through the socket *end*."""
        self._socket = end
        self._seconds = end.gettimeout()
        self._received = bytearray()

    def send(self, kind: bytes, body: bytes = b"", seconds: float | None = None) -> None:
        """Send a message: one byte for its *kind*, and its *body*.

        Raises:
            TimeoutError: the other end took nothing for *seconds*.
        """
        self._wait_at_most(seconds)
        self._socket.sendall(_HEADER.pack(kind, len(body)) + body)

    def receive(self, seconds: float | None = None) -> tuple[bytes, bytes]:
        """Return the kind and the body of the next message.

        Raises:
            EOFError: the other end is closed.
            TimeoutError: no whole message came within *seconds*.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        self._fill(_HEADER.size, deadline)
        kind, length = _HEADER.unpack_from(self._received)
        if length > _MESSAGE_BYTES_MAX:
            raise EOFError
        end = _HEADER.size + length
        self._fill(end, deadline)
        body = bytes(self._received[_HEADER.size : end])
        del self._received[:end]
        return kind, body

    def _fill(self, count: int, deadline: float | None) -> None:
        """Receive until at least *count* bytes are there."""
        while len(self._received) < count:
            self._wait_at_most(None if deadline is None else deadline - time.monotonic())
            part = self._socket.recv(max(_READ_BYTES, count - len(self._received)))
            if not part:
                raise EOFError
            self._received += part

    def _wait_at_most(self, seconds: float | None) -> None:
        """Let the next call of the system wait for at most *seconds*."""
        if seconds is not None:
            if seconds <= 0:
                raise TimeoutError
            seconds = math.ceil(seconds * 10) / 10  # A change is a call of the system, too.
        if seconds != self._seconds:
            self._socket.settimeout(seconds)
            self._seconds = seconds

    def close(self) -> None:
        """Close this end; the other end receives no more."""
        self._socket.close()
