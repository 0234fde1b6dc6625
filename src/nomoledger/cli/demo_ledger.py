"""The ledger of the demo: a real season, in a folder that is removed at the end."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nomoledger.cli.output import print_line

#: The recorded game.
SEASON = "weekly-vote-season"
#: How many of its players get a link.
GUESTS = 3


@contextmanager
def demo_ledger() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield where a ledger with the real season is, and the names of some of its players.

    The ledger is in a temporary folder, which is removed with the block.
    """
    from nomoledger.game.recorded_games import files
    from nomoledger.game.records import import_record
    from nomoledger.ledger.ledger import Ledger

    with tempfile.TemporaryDirectory(prefix="nomoledger-demo-") as folder:
        location = str(Path(folder) / "season.db")
        print_line("importing eight weeks that people played; this takes some seconds")
        with Ledger.open(location, create=True) as ledger:
            for file in files(SEASON):
                game = import_record(ledger, file)
            world = game.world
            names = [str(world.label(player)) for player in world.kinds.get("player", ())]
        yield location, tuple(names[:GUESTS])
