"""Run code in a sandbox: a child process that can compute, and nothing else.

A sandbox is warm: it keeps what it has linked from one call to the next. After an error, and in any
doubt, it is thrown away, and the next call starts another.
"""

import mmap
import os
import signal
import socket
import tempfile
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from nomoledger import errors
from nomoledger.sandbox import fork_server, inside
from nomoledger.sandbox.channel import Channel
from nomoledger.sandbox.fork_server import DeadForkServerError, ForkServer
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.protocol import (
    ANSWER,
    CALL,
    DONE,
    ERROR,
    GROWN,
    PIECE,
    PROGRESS,
    QUESTION,
    RULE_BYTES_MAX,
    STEP_BYTES_MAX,
    decode_error,
    dump_call,
)

#: What the fork server runs. It is named, not imported: only the child needs it.
_TARGET = "nomoledger.sandbox.child:run"
_DEATHS: dict[int, str] = {
    signal.SIGPROF: "it used up its processor time",
    signal.SIGABRT: "it used up its memory",
    signal.SIGSEGV: "it nested too deeply, or ran out of memory",
    signal.SIGKILL: "it was killed, probably because memory or time ran out",
}

Value = TypeVar("Value")
#: Answers the questions of a sandbox.
Answer = Callable[[bytes], bytes]


class Sandbox:
    """A sandbox for the calls of one user, one after the other.

    Its process starts with the first call. It is closed with the object.
    """

    def __init__(self, limits: Limits | None = None, modules: Iterable[str] = ()) -> None:
        """Allow each call *limits*.

        A sandbox can import nothing. It has the modules that the first call refers to, and
        *modules*.
        """
        self.limits = limits or Limits()
        self._modules = frozenset(modules)
        self._process: _Process | None = None

    @property
    def is_warm(self) -> bool:
        """Whether there is a process that an earlier call has used."""
        return self._process is not None

    def stream(
        self,
        function: Callable[..., Iterator[bytes]],
        *arguments: Any,
        answer: Answer | None = None,
    ) -> Generator[bytes]:
        """Yield the pieces that *function* yields in the sandbox for *arguments*.

        *function* is at the top level of a module, or a partial of such a function. *answer*
        answers the questions that *function* asks with `nomoledger.sandbox.inside.ask`. The sandbox
        is thrown away if *function* fails, or if the caller does not take all pieces.

        Raises:
            RuleFault: the sandbox died or took too long; names the rule that acted last.
            NomoledgerError: an error of this kind that *function* raised.
        """
        call, modules = dump_call(function, arguments)
        process = self._process_for(modules)
        self._process = None
        try:
            is_sound = yield from process.run(call, answer)
        except BaseException:
            process.close()
            raise
        if is_sound:
            self._process = process
        else:
            process.close()

    def _process_for(self, modules: set[str]) -> "_Process":
        """Return the process for a call that refers to *modules*."""
        return self._process or _Process(self.limits, self._modules | modules)

    def call(self, function: Callable[..., Value], *arguments: Any, kind: Any) -> Value:
        """Return what *function*, which changes nothing, returns in the sandbox for *arguments*.

        The result is a value of type *kind*. Where the request makes no sense (UsageError), the
        sandbox stays.

        Raises:
            RuleFault, NomoledgerError: as `stream`.
        """
        piece = b"".join(self.stream(inside.yield_result, function, arguments))
        if piece[:1] == inside.REFUSED:
            raise decode_error(piece[1:])
        try:
            value: Value = msgspec.msgpack.decode(piece[1:], type=kind)
        except msgspec.MsgspecError as error:
            self.close()
            raise errors.RuleFault(f"the rules made something unreadable: {error}") from None
        return value

    def close(self) -> None:
        """End the process; the next call starts another."""
        if self._process is not None:
            self._process.close()
            self._process = None


def call_in_sandbox(
    function: Callable[..., Value], *arguments: Any, kind: Any, limits: Limits | None = None
) -> Value:
    """Return what *function* returns for *arguments* in a new sandbox; see `Sandbox.call`.

    In a sandbox, this calls the function directly.
    """
    if inside.is_sandbox:
        return function(*arguments)
    sandbox = Sandbox(limits)
    try:
        return sandbox.call(function, *arguments, kind=kind)
    finally:
        sandbox.close()


def stream_from_sandbox(
    function: Callable[..., Iterator[bytes]],
    *arguments: Any,
    limits: Limits | None = None,
    answer: Answer | None = None,
) -> Generator[bytes]:
    """Yield what *function* yields for *arguments* in a new sandbox; see `Sandbox.stream`."""
    sandbox = Sandbox(limits)
    try:
        yield from sandbox.stream(function, *arguments, answer=answer)
    finally:
        sandbox.close()


class _Process:
    """The child process of a sandbox."""

    def __init__(self, limits: Limits, modules: Iterable[str]) -> None:
        """Start a child that has imported *modules*."""
        self._limits = limits
        own, other = socket.socketpair()
        self._channel = Channel(own)
        with other, tempfile.TemporaryFile() as file:
            size = RULE_BYTES_MAX + STEP_BYTES_MAX
            file.truncate(size)
            self._noted = mmap.mmap(file.fileno(), size)
            descriptors, arguments = [other.fileno(), file.fileno()], [msgspec.to_builtins(limits)]
            try:
                self._server, self._pid = fork_server.fork(_TARGET, descriptors, arguments, modules)
            except BaseException:
                self._channel.close()
                raise
        self._end = weakref.finalize(self, _end, self._server, self._pid, self._channel)

    def run(self, call: bytes, answer: Answer | None) -> Generator[bytes, None, bool]:
        """Carry out *call*, yield its pieces, and return whether the child is still sound."""
        wall = self._limits.wall_seconds
        try:
            self._channel.send(CALL, call, wall)
            while True:
                kind, body = self._channel.receive(wall)
                if kind == PIECE:
                    yield body
                elif kind == PROGRESS:
                    continue
                elif kind == DONE:
                    return body != GROWN
                elif kind == ERROR:
                    raise self._at_step(decode_error(body))
                elif kind == QUESTION and answer is not None:
                    self._channel.send(ANSWER, answer(body), wall)
                else:
                    raise self._fault("it sent a message of an unknown kind")
        except TimeoutError:
            raise self._fault("it took too long") from None
        except (EOFError, ConnectionError):
            raise self._fault(self._cause_of_death()) from None

    def _cause_of_death(self) -> str:
        try:
            status = self._server.end(self._pid)
        except DeadForkServerError:
            fork_server.forget(self._server)
            return "it died"
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        return _DEATHS.get(number, "it died")

    def _fault(self, reason: str) -> errors.RuleFault:
        """Return the error that the child failed for *reason*, in the rule that acted last."""
        rule = self._read(0, RULE_BYTES_MAX) or None
        fault = errors.RuleFault(f"{f'rule {rule}' if rule else 'the rules'}: {reason}", rule=rule)
        self._at_step(fault)
        return fault

    def _at_step(self, error: Exception) -> Exception:
        """Return *error*, which says at which step of play the child was if rules failed."""
        if isinstance(error, errors.RuleFault):
            error.step = self._read(RULE_BYTES_MAX, RULE_BYTES_MAX + STEP_BYTES_MAX)
        return error

    def _read(self, start: int, end: int) -> str:
        return self._noted[start:end].rstrip(b"\0").decode(errors="replace")

    def close(self) -> None:
        """End the child."""
        self._end()


def _end(server: ForkServer, pid: int, channel: Channel) -> None:
    """End the child *pid* of *server*."""
    server.drop(pid)
    channel.close()
