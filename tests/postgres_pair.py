"""A primary and its synchronous standby: two real PostgreSQL servers on this machine."""

import socket
import time

from postgres_server import HOST, SECONDS, PostgresServer

STANDBY = "standby"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


class PostgresPair:
    """A primary, and a standby that must confirm each commit.

    The standby itself needs no standby: when it is promoted, play goes on at once.
    """

    def __init__(self, *, durable: bool = False) -> None:
        self.primary = PostgresServer(durable=durable, port=free_port())
        try:
            self.standby = self.new_standby(durable=durable)
        except BaseException:
            self.primary.remove()
            raise

    def new_standby(self, *, durable: bool = False, port: int | None = None) -> PostgresServer:
        """Make a standby of the primary, and make the primary wait for it."""
        standby = PostgresServer(durable=durable, primary=self.primary, port=port or free_port())
        try:
            self.primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            self.primary.execute("SELECT pg_reload_conf()")
            self.wait_for_standby()
        except BaseException:
            standby.remove()
            raise
        return standby

    def wait_for_standby(self) -> None:
        """Wait until the standby confirms what the primary commits."""
        states = "SELECT sync_state FROM pg_stat_replication"
        give_up = time.monotonic() + SECONDS
        while ("sync",) not in self.primary.execute(states):
            assert time.monotonic() < give_up, "the standby does not come"
            time.sleep(0.02)

    def url(self, database: str) -> str:
        """How to reach *database* on the server that is the primary."""
        places = ",".join(f"{HOST}:{each.port}" for each in (self.primary, self.standby))
        return f"postgresql://postgres@{places}/{database}"

    def replace_lost(self) -> None:
        """After a fail-over: make a new standby in place of the lost server, at its port."""
        lost, self.primary = self.primary, self.standby
        lost.remove()
        self.standby = self.new_standby(port=lost.port)

    def fail_over(self) -> None:
        """Lose the primary, and make the standby the primary."""
        self.primary.lose()
        self.standby.promote()

    def remove(self) -> None:
        """Stop both servers, and remove them."""
        self.primary.remove()
        self.standby.remove()
