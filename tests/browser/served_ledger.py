"""A ledger that is made at the command line and served by a process of its own, as README says."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

#: How long a command, and the start of a server, may take on a busy machine, in seconds.
PATIENCE = 60
COMMAND = (sys.executable, "-c", "import nomoledger.cli; nomoledger.cli.main()")


def nomoledger(*words: object) -> str:
    """Run the command `nomoledger` with *words*, which must succeed, and return its output."""
    done = subprocess.run(
        [*COMMAND, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, f"nomoledger {' '.join(map(str, words))}: {done.stderr}"
    return done.stdout


class ServedLedger:
    """The server of a ledger: `nomoledger serve LEDGER`, at a port that stays the same.

    Attributes:
        location: the ledger. address: where it is served, without a slash at the end.
        admin_links: the links that sign the admin in, by game, as the server printed them.
    """

    def __init__(self, location: Path | str, *options: str) -> None:
        """Start to serve the ledger at *location*, with more *options* of `serve`.

        `{address}` in an option becomes the address at which the ledger is served.
        """
        self.location = str(location)
        self._port = _free_port()
        self.address = f"http://127.0.0.1:{self._port}"
        self._options = [each.replace("{address}", self.address) for each in options]
        self.admin_links: dict[str, str] = {}
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it says that it listens."""
        words = ("serve", self.location, "--port", str(self._port), *self._options)
        self._process = subprocess.Popen(
            [*COMMAND, *words],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.match(r"(.*): sign in as the admin with (\S+)$", line.strip()):
                self.admin_links[found[1]] = found[2]
                return
        raise AssertionError(f"the server of {self.location} ended with {self._process.wait()}")

    def freeze(self) -> None:
        """Let the server stand still: what it is sent waits, and it answers nothing."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def kill(self) -> None:
        """Kill the server with SIGKILL, in the middle of whatever it does; its keepers end, too."""
        process, self._process = self._process, None
        assert process is not None
        assert process.stdout is not None
        process.kill()
        process.wait()
        process.stdout.close()
        deadline = time.monotonic() + PATIENCE
        while _has_members(process.pid):
            assert time.monotonic() < deadline, "processes of the killed server go on"
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server as Ctrl-C does, if it runs."""
        if self._process is None:
            return
        process, self._process = self._process, None
        assert process.stdout is not None
        process.send_signal(signal.SIGINT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        process.stdout.close()


def _has_members(group: int) -> bool:
    """Return whether a process of that *group* still runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
