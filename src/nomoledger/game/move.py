"""Moves a game to another place, where play goes on; the old place keeps a pointer to it.

At each moment at most one place takes new records of the game:

1. The new place gets a pointer that says where the game comes from, and a copy of the records.
   Play goes on at the old place.
2. The new place is verified.
3. In one transaction of the old place, which lets nobody write meanwhile, the last records are
   copied, and the old place gets a pointer to the new one.
4. The new place drops its pointer, and the game is there.

After a crash, the same move goes on where it was.
"""

from itertools import islice

import msgspec

from nomoledger.errors import CorruptError, UsageError
from nomoledger.game.commit import Commit
from nomoledger.game.exchange import BATCH
from nomoledger.ledger.as_of import only_game
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Encoded, Ledger, moved
from nomoledger.ledger.stores.pointer import Pointer
from nomoledger.ledger.verification import verify

#: With at most so many records left to copy, writers are kept waiting, and the rest is copied.
FEW = 50
#: How often the records added meanwhile are copied before writers are kept waiting in any case.
ROUNDS_MAX = 20


class MovedGame(msgspec.Struct, frozen=True):
    """A game that has moved.

    Attributes:
        game: the name of the game.
        place: where it is now.
        head: its head when it left the old place.
        was_there: whether an earlier move had brought it there already.
    """

    game: str
    place: str
    head: Head
    was_there: bool


def move_game(source: Ledger, target: Ledger, game: str, old: str, new: str) -> MovedGame:
    """Move *game* from *source* to *target*, which are at the places *old* and *new*.

    Others may play meanwhile. What was recorded at the old place is at the new one afterwards, and
    whoever asks the old place later gets a `MovedError`. An interrupted move can be repeated.

    Raises:
        UsageError: both places are the same, or *target* has a game of that name.
        MovedError: the game is elsewhere.
        ConflictError: another program moves the game at the same time.
        CorruptError: the records are not what was written; the game stays where it is.
        UnconfirmedError: a standby of a server has not confirmed a step: repeat the move.
    """
    if old == new:
        raise UsageError(f"game {game!r} is in {new} already: give another place")
    pointer = source.store.pointer(game)
    secret = source.secret(game) if pointer is None else pointer.secret
    move = _Move(source, target, Pointer(game, old, is_arriving=True, secret=secret))
    if pointer is None:
        move.announce()
        move.copy_most()
        move.check()
        move.leave(new)
    elif pointer.is_arriving or pointer.place != new:
        raise moved(pointer, source.store.location)
    source.confirm()
    is_new = move.arrive()
    Commit(target, game).observe_records()
    return MovedGame(game, new, source.stored_head(game), was_there=not is_new)


def only_game_ever(ledger: Ledger) -> str:
    """Return the name of the one game that *ledger* has, or had.

    Raises:
        UsageError: the ledger has no game, or several.
    """
    pointers = ledger.pointers()
    if len(pointers) == 1 and not ledger.games():
        return pointers[0].game
    return only_game(ledger)


class _Move:
    """The steps of a move from *source* to *target*, which has the pointer *arriving* meanwhile."""

    def __init__(self, source: Ledger, target: Ledger, arriving: Pointer) -> None:
        self._source = source
        self._target = target
        self._arriving = arriving
        self._game = arriving.game

    def announce(self) -> None:
        """Give the new place its pointer. Records that it has already are those of the game."""
        location = self._target.store.location
        with self._target.transaction() as transaction:
            pointer = transaction.pointer(self._game)
            if self._target.store.secret(self._game) is not None:
                raise UsageError(
                    f"{location} has a game {self._game!r} already: nothing is moved; give another"
                    " place"
                )
            self._check_history()
            if pointer != self._arriving:
                transaction.set_pointer(self._arriving)

    def _check_history(self) -> None:
        """Check that the records at the new place, if any, are the first ones of the game."""
        if not self._source.had_head(self._game, self._target.stored_head(self._game)):
            raise UsageError(
                f"{self._target.store.location} holds other records of a game {self._game!r}:"
                " nothing is moved; give another place"
            )

    def copy_most(self) -> None:
        """Copy records, until only few are left or writers are faster than this."""
        for _ in range(ROUNDS_MAX):
            reached = self._target.stored_head(self._game).number
            last = self._source.stored_head(self._game).number
            if last - reached <= FEW:
                return
            rows = self._source.store.rows(self._game, reached, last)
            while batch := [(topic, state) for _, topic, state in islice(rows, BATCH)]:
                self._append(batch)

    def _append(self, records: list[Encoded]) -> Head:
        """Append *records* at the new place, if they give the head that the old place had there."""
        expected = self._target.stored_head(self._game).number
        with self._target.transaction() as transaction:
            head = transaction.append_arriving(self._arriving, records, expected=expected)
            if not self._source.had_head(self._game, head):
                raise CorruptError(
                    f"game {self._game!r} in {self._source.store.location} is not what was written,"
                    " so it is not moved: verify it"
                )
        return head

    def check(self) -> None:
        """Check what is stored at the new place.

        Raises:
            CorruptError: it is not what was copied there.
        """
        head = self._target.stored_head(self._game)
        with self._target.store.evidence(self._game) as evidence:
            verdict = verify(self._game, self._arriving.secret, evidence, head)
        if not verdict.ok:
            where = self._target.store.location
            raise CorruptError(f"game {self._game!r} in {where}: {verdict.detail}")
        self._target.confirm()

    def leave(self, new: str) -> None:
        """Copy the last records, and point to *new*, while nobody can write at the old place."""
        game = self._game
        with self._source.transaction() as transaction:
            head = transaction.head(game)
            reached = self._target.stored_head(game).number
            if self._append(transaction.records(game, reached, head.number)) != head:
                raise CorruptError(
                    f"game {game!r} in {self._source.store.location} ends before its head, so it"
                    " is not moved: verify it"
                )
            gone = Pointer(game, new, is_arriving=False, secret=self._arriving.secret)
            transaction.set_pointer(gone)

    def arrive(self) -> bool:
        """Drop the pointer of the new place; return whether this did so, and not an earlier move.

        Raises:
            CorruptError: the new place has lost records; the old place keeps all of them.
        """
        location = self._target.store.location
        with self._target.transaction() as transaction:
            pointer = transaction.pointer(self._game)
            if pointer is not None and pointer != self._arriving:
                raise moved(pointer, location)
            if pointer is None:  # An earlier move has arrived, so the game is there.
                transaction.head(self._game)
            head = self._source.stored_head(self._game)
            if not self._target.had_head(self._game, head):
                raise CorruptError(
                    f"game {self._game!r} in {location} does not go on from {head}, where it left"
                    f" {self._source.store.location}: restore a copy of {location}"
                )
            if pointer is None:
                return False
            transaction.drop_pointer(self._game)
        return True
