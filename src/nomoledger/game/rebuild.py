"""Rebuilding what a ledger stores only for speed: the roll-up and the snapshots."""

import msgspec

from nomoledger import events as e
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup import Cell, Sums, add_postings, units_by_cell, units_of_encoded
from nomoledger.ledger.snapshots import fold_and_snapshot, fold_version
from nomoledger.proof.seal_observer import SealObserver
from nomoledger.state.world import World


class Rebuilt(msgspec.Struct, frozen=True):
    """What was rebuilt.

    Attributes:
        game: name of the game.
        events: number of its events.
        cells: number of cells in the roll-up.
        snapshots: number of snapshots of closes.
    """

    game: str
    events: int
    cells: int
    snapshots: int


def rebuild(ledger: Ledger, game: str) -> Rebuilt:
    """Compute the roll-up and the snapshots of *game* again from its events.

    The roll-up is replaced at the end, in one transaction; others may play meanwhile. After an
    interruption, some snapshots are missing.

    Raises:
        CorruptError: an event cannot be read.
    """
    ledger.secret(game)
    with ledger.side_tables(game) as writer:
        writer.drop_snapshots(game)
    world, sums = World(), Sums()
    add_postings(
        sums,
        (body for body in fold_and_snapshot(ledger, game, world) if isinstance(body, e.Posted)),
    )
    units = units_by_cell(sums)
    last = _replace_rollup(ledger, game, units, world.head)
    if ledger.store.seals(game):
        SealObserver(ledger, game, anew=True).keep_up()  # the next close continues from here
    return Rebuilt(game, last + 1, len(units), len(ledger.store.snapshots(game, fold_version())))


def _replace_rollup(ledger: Ledger, game: str, units: dict[Cell, int], last: int) -> int:
    """Store *units* and the postings after event *last*; return the last number."""
    with ledger.side_tables(game) as writer:
        tail = writer.tail(game)
        number = -1 if tail is None else tail[0]
        rows = writer.rows(game, last, number)
        for cell, amount in units_of_encoded((topic, state) for _, topic, state in rows).items():
            units[cell] = units.get(cell, 0) + amount
        writer.replace_rollup(game, units)
    return number
