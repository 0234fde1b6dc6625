"""Synchronises tables in a process that tests kill: `projector_process.py LEDGER PAGE [follow]`.

The process writes PAGE events per transaction and prints a line when it starts. With `follow` it
runs until it is killed.
"""

import sys
from contextlib import closing

from nomoledger.ledger.ledger import Ledger
from nomoledger.views.sql import runner, sync
from nomoledger.views.sql.databases import default_location, open_views
from nomoledger.views.sql.sql_views import create_tables
from nomoledger.views.sql.table import find_tables


def main(location: str, page: str, follow: str = "") -> None:
    """Synchronise the tables of the ledger at *location*."""
    runner.PAGE, runner.EVERY_SECONDS, sync.LOOK_SECONDS = int(page), 0.01, 0.02
    tables = find_tables()
    with (
        Ledger.open(location) as ledger,
        closing(open_views(default_location(location, False), False)) as views,
    ):
        create_tables(views, tables)
        print("ready", flush=True)
        if follow:
            warn = lambda text: print(text, flush=True)  # noqa: E731
            sync.Follower(ledger, views, tables, None, warn).follow()
        else:
            list(sync.sync_tables(ledger, views, tables, ledger.games(), lambda count: None))


if __name__ == "__main__":
    main(*sys.argv[1:])
