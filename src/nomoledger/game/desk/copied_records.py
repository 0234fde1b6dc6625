"""The records of a copy of a game: taken out of it, and put into another copy of the same kind.

Several servers show the same copy. Each has a ledger of its own for it, and brings it up to date
with the records that were played elsewhere: nothing is played again.
"""

from collections.abc import Iterable, Iterator

import msgspec

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.events.codec import Encoded, encoded
from nomoledger.game.commit import Commit
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Encoded]).decode


def records_after(ledger: Ledger, game: str, number: int) -> bytes:
    """Return the events of *game* after event *number* as a batch of records."""
    return _encode(encoded(entry.body for entry in ledger.read(game, after=number)))


def records_before(game: Game, before: int, since: int, last: int) -> bytes:
    """Return what is left of the copy *game* if somebody goes back to before event *before*.

    *since* is the last event that was copied from the game itself, *last* that of the copy when
    somebody asked for this. The result is the batch of the records between *since* and *before*.

    Raises:
        UsageError: *before* is no request in the copy, or others have gone on in it since.
    """
    bodies = [entry.body for entry in game.ledger.read(game.name, after=since)]
    if since + len(bodies) != last:
        raise UsageError("somebody has gone on in the copy meanwhile: look at it again")
    if not since < before <= last or not isinstance(bodies[before - since - 1], e.Input):
        raise UsageError(f"event #{before} is nothing that somebody did in this copy")
    return _encode(encoded(bodies[: before - since - 1]))


def add_records(game: Game, batches: list[bytes]) -> int:
    """Add *batches* of records to the copy *game*; return the number of its last event."""
    commit = Commit(game.ledger, game.name)
    commit.head = game.ledger.head(game.name)
    with game.ledger.transaction() as transaction:
        commit.begin(transaction)
        return commit.append_records(list(_all_of(batches))).number


def write_anew(game: Game, name: str, since: int, batches: list[bytes]) -> int:
    """Write the copy *game* up to event *since*, and *batches*, into its ledger as a game *name*.

    Returns the number of the last event.
    """
    commit = Commit(game.ledger, name)
    with game.ledger.transaction() as transaction:
        commit.begin(transaction, game.ledger.secret(game.name))
        commit.append_records(transaction.records(game.name, -1, since))
        last = commit.append_records(list(_all_of(batches))).number
    commit.observe_records()
    return last


def _all_of(batches: Iterable[bytes]) -> Iterator[Encoded]:
    for batch in batches:
        yield from _decode(batch)
