"""Two servers keep the clock of one game in PostgreSQL: a deadline passes once."""

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from postgres_server import PostgresServer

from nomoledger import events as e
from nomoledger.web.clock_keeper import ClockKeeper
from nomoledger.web.game_host import GameHost
from web.conftest import let_ann_move
from web.opened_game import open_mail_game

pytestmark = pytest.mark.slow
#: How many servers look at the clock at the same time.
SERVERS = 3


def test_a_deadline_at_which_several_servers_look_at_once_passes_once(
    postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    url = postgres_server.new_database()
    open_mail_game(url)
    with ExitStack() as stack:
        hosts = [GameHost(url) for _ in range(SERVERS)]
        for host in hosts:
            stack.callback(host.close)
        let_ann_move(hosts[0])
        its = ClockKeeper(hosts[0]).time_of("mail")
        assert its is not None
        assert its.due is not None
        due = its.due
        keepers = [ClockKeeper(host, lambda: due) for host in hosts]
        before = hosts[0].head("mail")
        with (
            caplog.at_level(logging.WARNING),
            ThreadPoolExecutor(SERVERS) as threads,
        ):
            for _ in range(3):
                list(threads.map(ClockKeeper.look, keepers))
        fired = [entry.body for entry in hosts[1]._ledger.read("mail", after=before)]
        assert [type(body) for body in fired].count(e.TimerFired) == 1, fired
        assert not caplog.records
        assert {host.head("mail") for host in hosts} == {before + len(fired)}
