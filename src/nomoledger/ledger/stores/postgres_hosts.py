"""Addresses with several hosts: a primary server, and the standby that may take its place."""

import os
import re
from typing import Any

#: Each server is tried for so many seconds, so that one that is lost holds nobody up for long.
TRY_SECONDS = 2
#: Defaults for several hosts: find the primary, and notice soon when its machine has vanished.
DEFAULTS = {
    "target_session_attrs": "read-write",
    "connect_timeout": TRY_SECONDS,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
}
#: One line of psycopg's message for each server that was tried.
_TRIED = re.compile(r"^- host: '?(.*?)'?, port: '?(.*?)'?, hostaddr: .*?: (.*)$", re.MULTILINE)
_READ_ONLY = "session is read-only"


def has_several_hosts(options: dict[str, Any]) -> bool:
    """Return whether the *options* of an address, or the environment, name several hosts."""
    hosts = options.get("host") or options.get("hostaddr") or os.environ.get("PGHOST", "")
    return "," in hosts


def defaults_of_hosts(options: dict[str, Any]) -> dict[str, Any]:
    """Return the defaults for the *options* of an address; none unless it has several hosts.

    What the environment says counts as given, as for PostgreSQL's own programs.
    """
    if not has_several_hosts(options):
        return {}
    given = "PGTARGETSESSIONATTRS" in os.environ
    return {name: x for name, x in DEFAULTS.items() if name != "target_session_attrs" or not given}


def lacks_primary(error: BaseException) -> bool:
    """Return whether a server was reached that only allows reading, and no other was."""
    return _READ_ONLY in str(error)


def explanation_of_hosts(location: str, error: BaseException) -> str | None:
    """Return why none of several servers could be used; None if only one was tried."""
    tried = {
        f"{host}:{port}": "only a standby" if _READ_ONLY in why else why.rpartition("failed: ")[2]
        for host, port, why in _TRIED.findall(str(error))
    }
    if len(tried) < 2:
        return None
    servers = ", ".join(f"{server} ({why})" for server, why in tried.items())
    if lacks_primary(error):
        return (
            f"no primary server at {location}: {servers}; start the primary, or promote the"
            " standby (pg_ctl promote); to read only, give the address of the standby alone"
        )
    return f"cannot reach a server at {location}: {servers}; check that they run"
