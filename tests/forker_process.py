"""Runs commands, each in a process that it forks when all of nomoledger is imported.

Each line of the input is a task, as `command_kills.Forker` writes it; each line of the output is
the exit code of the process and its seconds.
"""

import ctypes
import importlib
import json
import os
import pkgutil
import resource
import signal
import sys
import time
from typing import Any

import nomoledger
from nomoledger.cli import program

#: Version 3 of the structure of capget(2).
VERSION = 0x20080522
#: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FOWNER, as bits.
OVERRIDING = 0b1110


def give_up_rights() -> None:
    """Let this process, even of root, write and read only what permissions of files allow."""
    library = ctypes.CDLL(None, use_errno=True)
    header, rights = (ctypes.c_uint32 * 2)(VERSION, 0), (ctypes.c_uint32 * 6)()
    library.capget(header, rights)
    for place in range(3):  # effective, permitted, inheritable
        rights[place] &= ~OVERRIDING
    if library.capset(header, rights):
        raise OSError(ctypes.get_errno(), "capset")


def run(task: dict[str, Any]) -> int:
    """Run the command of *task*; return its exit code."""
    sys.stdin = open(os.devnull)  # noqa: SIM115
    output = os.open(task["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    if task["rights"]:
        give_up_rights()
    if task["bytes"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (task["bytes"], task["bytes"]))
    try:
        program(task["words"], prog_name="nomoledger")
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def written(folder: str) -> int:
    """Return the size of all files in *folder*, but for those that SQLite maps; 0 if it is ""."""
    size = 0
    for name in os.listdir(folder) if folder else ():
        try:
            size += 0 if name.endswith("-shm") else os.stat(os.path.join(folder, name)).st_size
        except FileNotFoundError:  # it has just been deleted
            continue
    return size


def is_running(child: int) -> bool:
    """Return whether the process *child* has not ended."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def carry_out(task: dict[str, Any]) -> tuple[int, float]:
    """Carry out *task* in a process of its own; return its exit code and its seconds."""
    begun = time.monotonic()
    child = os.fork()
    if not child:
        code = 70
        try:
            code = run(task)
        finally:
            os._exit(code)
    if task["seconds"] is not None:
        first = written(task["watch"])
        while task["watch"] and written(task["watch"]) == first and is_running(child):
            time.sleep(0.0001)
        start = time.monotonic() if task["watch"] else begun
        while time.monotonic() - start < task["seconds"] and is_running(child):
            time.sleep(0.0001)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), time.monotonic() - begun


if __name__ == "__main__":
    for module in pkgutil.walk_packages(nomoledger.__path__, "nomoledger."):
        importlib.import_module(module.name)
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(carry_out(json.loads(line))), flush=True)
