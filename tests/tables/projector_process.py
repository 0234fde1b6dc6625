"""Keeps tables in a process of its own, to be killed: `projector_process.py LEDGER PAGE [follow]`.

It tells so many events a transaction, prints a line when it begins, and follows until it is ended
where it is told to.
"""

import sys
from contextlib import closing

from nomoledger.ledger.ledger import Ledger
from nomoledger.views.sql import runner
from nomoledger.views.sql import sync as keeping
from nomoledger.views.sql.databases import beside, open_views
from nomoledger.views.sql.sql_views import prepare
from nomoledger.views.sql.table import chosen


def main(location: str, page: str, follow: str = "") -> None:
    """Keep the tables of the ledger at *location*."""
    runner.PAGE, runner.EVERY_SECONDS, keeping.LOOK_SECONDS = int(page), 0.01, 0.02
    tables = chosen()
    with (
        Ledger.open(location) as ledger,
        closing(open_views(beside(location, False), False)) as views,
    ):
        prepare(views, tables)
        print("ready", flush=True)
        if follow:
            said = lambda text: print(text, flush=True)  # noqa: E731
            keeping.Follower(ledger, views, tables, None, said).follow()
        else:
            list(keeping.sync_tables(ledger, views, tables, ledger.games(), lambda count: None))


if __name__ == "__main__":
    main(*sys.argv[1:])
