"""How a process gives up its rights: memory, time, files, and system calls.

What is missing on a system is in docs/sandbox.md.
"""

import ctypes
import errno
import faulthandler
import os
import resource
import signal
import sys
from contextlib import suppress
from typing import Any

from nomoledger.sandbox.limits import Limits

_PR_SET_PDEATHSIG = 1
#: What a process needs that computes, and talks over the socket that it has.
_SYSTEM_CALLS = (
    "read", "write", "readv", "writev", "recvfrom", "sendto", "recvmsg", "sendmsg", "ioctl",
    "close", "poll", "ppoll", "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "futex",
    "sched_yield", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "setitimer",
    "getrusage", "clock_gettime", "gettimeofday", "getrandom", "getpid", "gettid", "tgkill",
    "restart_syscall", "exit", "exit_group",
)  # fmt: skip


def _new_filter() -> Any:
    """Return a filter that refuses all system calls but a few; None where there is no such filter.

    seccompy assembles it: it needs no compiler and no C library, unlike other packages.
    """
    if sys.platform != "linux":
        return None
    import seccompy

    if not seccompy.supported():
        return None
    filter_ = seccompy.Filter(default=seccompy.Action.ERRNO | errno.EPERM)
    for name in _SYSTEM_CALLS:
        with suppress(seccompy.SeccompError):  # Some processors have no `poll`, only `ppoll`.
            filter_.allow(name)
    assert filter_.program  # Assembled here, once for all children.
    return filter_


#: Made once, by the process that forks: each child loads its copy.
_FILTER = _new_filter()
_LIBC = ctypes.CDLL(None)


def give_up_rights(limits: Limits) -> None:
    """Bound memory and time, print nothing, open nothing, and call the system for little else.

    Nobody gets these rights back: neither this process, nor what it might start.
    """
    _die_with_parent()
    _silence()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # The default action ends the process.
    for resource_, most in _bounds(limits).items():
        resource.setrlimit(resource_, (most, most))
    if _FILTER is not None:
        _FILTER.load()


def _bounds(limits: Limits) -> dict[int, int]:
    """Return the limits that the system has to enforce.

    `RLIMIT_AS` counts the address space, which the standard library does not report, so this reads
    `/proc` of Linux. macOS does not enforce the limit: there a sandbox has no limit of memory.
    """
    bounds = {}
    if sys.platform == "linux":
        with open("/proc/self/statm", "rb") as statm:
            used = int(statm.read().split()[0]) * resource.getpagesize()
        bounds[resource.RLIMIT_AS] = used + limits.memory_bytes
    return bounds | {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_NOFILE: 0}


def _silence() -> None:
    """Read nothing and print nothing from here on: the parent reports how the child died.

    The interpreters of Python and of the rules write to standard error when they abort, and the
    fault handler to a descriptor of its own.
    """
    faulthandler.disable()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def _die_with_parent() -> None:
    """Have the kernel kill this process when the process that forked it dies, in whatever way.

    Only Linux can do this. Elsewhere the limit of processor time ends the process.
    """
    with suppress(OSError, AttributeError):
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
