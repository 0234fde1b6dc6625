"""The fork server: a process with one thread and no secrets, from which all others are forked.

A process that has threads must not fork: a lock that another thread held stays locked in the child.
So a program that uses nomoledger never forks. It starts a fork server, which is a fresh
interpreter, once, and asks the server for children. A child starts within milliseconds, since the
server has imported what the child needs. A child inherits nothing of the program.

`multiprocessing` has a fork server, too. It runs the main module of the program again in each
child, refuses to start children in its own daemonic workers, and is shared with the program.
"""

import atexit
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from nomoledger.errors import SandboxError

#: The variables of the environment that the server gets. Others may hold addresses and passwords.
_HARMLESS = ("PATH", "HOME", "LANG", "LC_", "TZ", "TMPDIR", "PYTHON", "VIRTUAL_ENV", "LD_", "DYLD_")
#: How many fork servers are tried.
TRIES_MAX = 3
_LINE_BYTES_MAX = 1 << 16
_DESCRIPTORS_MAX = 8
#: What a fresh interpreter runs: it finds modules where this program finds them.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]);"
    " from nomoledger.sandbox.fork_server import serve; serve(int(sys.argv[1]))"
)


class DeadForkServerError(SandboxError):
    """The fork server has died; another one can be started."""


class ForkServer:
    """A connection to a fork server. Several threads may use it.

    Methods raise DeadForkServerError if the server has died.
    """

    def __init__(self, end: socket.socket, process: subprocess.Popen[bytes] | None = None) -> None:
        """Use the server at the other side of *end*; *process* is the server, if started here."""
        self._socket = end
        self._process = process
        self._lock = threading.Lock()

    @classmethod
    def start(cls) -> "ForkServer":
        """Start a fork server. It ends when its last connection is closed.

        Raises:
            SandboxError: the system starts no process.
        """
        environment = {
            name: value for name, value in os.environ.items() if name.startswith(_HARMLESS)
        }
        own, other = socket.socketpair()
        with other:
            try:
                process = subprocess.Popen(
                    [sys.executable, "-c", _START, str(other.fileno()), json.dumps(sys.path)],
                    pass_fds=[other.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    env=environment,
                )
            except OSError as error:
                own.close()
                raise SandboxError(f"no sandbox can be started: {error}") from None
        return cls(own, process)

    def fork(
        self,
        target: str,
        descriptors: Sequence[int],
        arguments: Sequence[Any] = (),
        preload: Iterable[str] = (),
    ) -> int:
        """Start a child that runs *target* ("module:function"), and return its process id.

        The child has *descriptors* and standard error; its standard input and output are the null
        device. It calls the function with the numbers of its descriptors, and with *arguments*.
        *preload* names modules that the server imports first, for this child and later ones.

        Raises:
            SandboxError: the system forks no process, or there is no such module.
        """
        command = {"target": target, "arguments": list(arguments), "preload": list(preload)}
        return int(self._ask({"fork": command}, descriptors)["pid"])

    def end(self, pid: int) -> int:
        """Kill the child *pid*, and return its wait status: how it ended, if it was dead before."""
        return int(self._ask({"end": pid})["status"])

    def drop(self, pid: int) -> None:
        """Kill the child *pid* without waiting for its end. The server may have died."""
        with suppress(OSError):
            self._socket.sendall(_line({"drop": pid}))

    def connect(self, end: socket.socket) -> None:
        """Let the server accept commands from *end*, too; a child has the other end of it."""
        self._ask({"connect": None}, [end.fileno()])

    def close(self) -> None:
        """Close the connection; the server kills the children that were forked through it."""
        self._socket.close()
        if self._process is not None:
            self._process.wait()

    def _ask(self, command: dict[str, Any], descriptors: Sequence[int] = ()) -> dict[str, Any]:
        with self._lock:
            try:
                socket.send_fds(self._socket, [_line(command)], list(descriptors))
                line, _ = _receive_line(self._socket)
            except OSError as error:
                raise DeadForkServerError(f"the fork server died: {error}") from None
        if not line:
            raise DeadForkServerError("the fork server died")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise SandboxError(f"no sandbox can be started: {answer['error']}")
        return answer


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _receive_line(end: socket.socket) -> tuple[bytes, list[int]]:
    """Return the next line and the descriptors that came with it; an empty line at the end."""
    line, descriptors, _, _ = socket.recv_fds(end, _LINE_BYTES_MAX, _DESCRIPTORS_MAX)
    while line and not line.endswith(b"\n"):
        part = end.recv(_LINE_BYTES_MAX)
        if not part:
            return b"", descriptors
        line += part
    return line, descriptors


# --- the server of this process --------------------------------------------------------------


class _Current:
    """The fork server of this process, started when it is first needed."""

    def __init__(self) -> None:
        self.server: ForkServer | None = None
        self.lock = threading.Lock()

    def get(self) -> ForkServer:
        with self.lock:
            if self.server is None:
                self.server = ForkServer.start()
            return self.server

    def replace(self, server: ForkServer | None) -> None:
        self.server, self.lock = server, threading.Lock()


_current = _Current()


def _close_current() -> None:
    if _current.server is not None:
        _current.server.close()


atexit.register(_close_current)
os.register_at_fork(after_in_child=lambda: _current.replace(None))


def current() -> ForkServer:
    """Return the fork server of this process."""
    return _current.get()


def fork(
    target: str,
    descriptors: Sequence[int],
    arguments: Sequence[Any] = (),
    preload: Iterable[str] = (),
) -> tuple[ForkServer, int]:
    """Fork a child as `ForkServer.fork` does; return its server, and its process id.

    A server that has died is replaced.

    Raises:
        SandboxError: see `ForkServer.fork`; or one server after the other dies.
    """
    for _ in range(TRIES_MAX):
        server = current()
        with suppress(DeadForkServerError):
            return server, server.fork(target, descriptors, arguments, preload)
        forget(server)
    raise SandboxError(f"no sandbox can be started: {TRIES_MAX} fork servers died")


def use(server: ForkServer) -> None:
    """Use *server* in this process: a child of a fork server that needs children of its own."""
    _current.replace(server)


def forget(server: ForkServer) -> None:
    """Forget *server*, which has died; the next child needs another."""
    with _current.lock:
        if _current.server is server:
            server.close()
            _current.server = None


# --- in the server ----------------------------------------------------------------------------


def serve(descriptor: int) -> None:
    """Carry out commands from the socket *descriptor*, until all connections are closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The program decides what Ctrl-C does.
    _Server(socket.socket(fileno=descriptor)).run()


class _Server:
    def __init__(self, client: socket.socket) -> None:
        self.clients = selectors.DefaultSelector()
        self.clients.register(client, selectors.EVENT_READ)
        self.children: dict[int, socket.socket] = {}

    def run(self) -> None:
        while self.clients.get_map():
            for key, _ in self.clients.select():
                client = key.fileobj
                assert isinstance(client, socket.socket)
                self._serve_one(client)

    def _serve_one(self, client: socket.socket) -> None:
        descriptors: list[int] = []
        try:
            line, descriptors = _receive_line(client)
            if not line:
                raise EOFError
            # A `drop`, which has no answer, may arrive together with the next command.
            for command in line.splitlines():
                answer = self._carry_out(client, json.loads(command), descriptors)
                if answer is not None:
                    client.sendall(_line(answer))
        except (OSError, EOFError):
            self._leave(client)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _carry_out(
        self, client: socket.socket, command: dict[str, Any], descriptors: list[int]
    ) -> dict[str, Any] | None:
        match command:
            case {"fork": asked}:
                try:
                    return {"pid": self._fork(client, asked, descriptors)}
                except Exception as error:
                    return {"error": f"{type(error).__name__}: {error}"}
            case {"end": pid}:
                return {"status": self._end(pid)}
            case {"drop": pid}:
                self._end(pid)
                return None
            case _:
                other = socket.socket(fileno=os.dup(descriptors[0]))
                self.clients.register(other, selectors.EVENT_READ)
                return {}

    def _fork(self, client: socket.socket, asked: dict[str, Any], descriptors: list[int]) -> int:
        module, _, function = asked["target"].partition(":")
        wanted = {module, *asked["preload"]} - sys.modules.keys()
        for name in sorted(wanted):
            import_module(name)
        if wanted:
            gc.collect()
            gc.freeze()  # Children share the pages of what was imported.
        target = getattr(sys.modules[module], function)
        pid = os.fork()
        if pid == 0:
            try:
                _close_all_but(descriptors)
                target(*descriptors, *asked["arguments"])
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        self.children[pid] = client
        return pid

    def _end(self, pid: int) -> int:
        if self.children.pop(pid, None) is None:
            return 0
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return os.waitpid(pid, 0)[1]

    def _leave(self, client: socket.socket) -> None:
        self.clients.unregister(client)
        client.close()
        for pid in [pid for pid, owner in self.children.items() if owner is client]:
            self._end(pid)


def _close_all_but(descriptors: Sequence[int]) -> None:
    """Close all descriptors except standard input, output and error, and *descriptors*."""
    for descriptor in map(int, os.listdir("/dev/fd")):
        if descriptor > 2 and descriptor not in descriptors:
            with suppress(OSError):  # The listing had a descriptor of its own, which is closed now.
                os.close(descriptor)
