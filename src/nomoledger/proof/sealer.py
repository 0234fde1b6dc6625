"""The sealer: computes the public chain of a game and the seal of each close, event by event."""

from hashlib import sha256
from typing import NamedTuple

import msgspec

from nomoledger import events as e
from nomoledger.errors import CorruptError
from nomoledger.events.codec import decode_json, encode_json
from nomoledger.events.levels import LEVELS
from nomoledger.ledger.rollup import Cell, Sums, add_postings, units_by_cell
from nomoledger.proof.envelopes import Envelope, commitment, salt_of
from nomoledger.proof.key_derivation import derive, framed_part
from nomoledger.proof.public_stream import PublicStream, apply_public
from nomoledger.proof.seal import NO_SEAL, Seal
from nomoledger.state.world import World

TAG = b"nomoledger-public/1"
ADMIN = "admin"
#: The version of the reducer in seals: raised when the digest of a recorded state changes.
FOLD = "1"


class PublicLine(NamedTuple):
    """A public event: its public *number*, the *hash* of the chain up to it, and its *event*."""

    number: int
    hash: bytes
    event: bytes


class PublicChain:
    """The chained public events of *game*, and the state that they make.

    Attributes:
        number: the number of the last event.
        hash: the hash of the last event.
        world: the public state.
        readers: the players so far, as of the last close.
    """

    def __init__(self, game: str) -> None:
        """Begin before the first event."""
        self.number = -1
        self.hash = sha256(TAG + framed_part(game)).digest()
        self.world = World()
        self.readers: dict[str, None] = {}

    def take(self, event: bytes) -> PublicLine:
        """Add *event*, a line of JSON, and apply what it says to the public state.

        Raises:
            CorruptError: the line is not an event.
        """
        body = decode_json(event)
        self.hash = self.hash_with(event)
        self.number += 1
        apply_public(self.world, body)
        if isinstance(body, e.PeriodClosed):
            self.readers |= dict.fromkeys(self.world.kinds.get("player", ()))
        return PublicLine(self.number, self.hash, event)

    def hash_with(self, event: bytes) -> bytes:
        """Return the hash that the chain would have with *event* at its end."""
        data = self.hash + framed_part(self.number + 1) + framed_part(event)
        return sha256(TAG + data).digest()

    def __str__(self) -> str:
        """Return the public head, `41:ab12…`."""
        return f"{self.number}:{self.hash.hex()}"


class Sealer:
    """Reads the events of *game* in order; after each close, `seal` seals the period.

    Attributes:
        number: the number of the last event.
        previous: the digest of the last seal.
        chain: the public chain so far.
        stream: the public stream, which feeds the chain.
    """

    def __init__(self, game: str, secret: bytes) -> None:
        """Begin before the first event."""
        self.game = game
        self.secret = secret
        self.number = -1
        self.chain = PublicChain(game)
        self.stream = PublicStream()
        self._sealed: list[tuple[int, e.Event]] = []
        self._sums: Sums = {}
        self.previous = NO_SEAL
        self._closed: e.PeriodClosed | None = None

    def take(self, number: int, body: e.Event) -> list[PublicLine]:
        """Read event *number* and return the lines that become public with it.

        Raises:
            CorruptError: an event cannot be written as JSON.
        """
        self.number = number
        public = self.stream.take(number, body)
        if self.stream.sealed:
            self._sealed.append((number, body))
        if isinstance(body, e.Posted):
            add_postings(self._sums, (body,))
        elif isinstance(body, e.PeriodClosed):
            self._closed = body
        level = body.level if isinstance(body, e.GameOpened) else self.chain.world.level
        in_order = LEVELS[level].publishes_in_order
        return [self.chain.take(public_line(event, in_order=in_order)) for event in public]

    def seal(self, head: bytes) -> Seal:
        """Return the seal of the period that just closed; *head* is the ledger's hash there."""
        closed = self._closed
        assert closed is not None
        seal = Seal(
            game=self.game,
            period=closed.period,
            fold=FOLD,
            head=head.hex(),
            public=str(self.chain),
            state=self.chain.world.digest(),
            whole=self._salted("whole state", closed.period, closed.digest.encode()),
            rollup=self._salted("roll-up", closed.period, _encode_cells(units_by_cell(self._sums))),
            envelopes={
                reader: envelope.seal for reader, envelope in self.envelopes(closed.period).items()
            },
            previous=self.previous,
        )
        self.previous = seal.digest
        self._sealed, self._sums = [], {}
        return seal

    @property
    def stands_still(self) -> bool:
        """Whether every event so far is sealed, and no event waits for a public request."""
        is_sealed = not (self._sealed or self._sums) and self._closed is not None
        return is_sealed and self.stream.is_caught_up

    def envelopes(self, period: int) -> dict[str, Envelope]:
        """Return the envelopes by reader of the *period* that is about to be sealed."""
        leaves: dict[str, dict[int, bytes]] = {
            reader: {} for reader in (*self.chain.readers, ADMIN)
        }
        for number, body in self._sealed:
            leaf = commitment(salt_of(self.secret, number), self.disclosed_line(body))
            for reader in {*(body.audience or ()), ADMIN} & leaves.keys():
                leaves[reader][number] = leaf
        return {
            reader: Envelope(self.secret, self.game, period, reader, sealed)
            for reader, sealed in sorted(leaves.items())
        }

    def disclosed_line(self, body: e.Event) -> bytes:
        """Return a sealed event as the line that a disclosure shows, in public terms."""
        return public_line(self.stream.terms.of(body))

    def _salted(self, use: str, period: int, data: bytes) -> str:
        return sha256(derive(self.secret, use, period) + data).hexdigest()


def public_line(body: e.Event, *, in_order: bool = False) -> bytes:
    """Return *body* as one line of JSON, always with the same bytes.

    Keys are sorted, or keep their order if *in_order*.

    Raises:
        CorruptError: *body* has a value that JSON cannot express.
    """
    try:
        return encode_json(body, in_order=in_order)
    except TypeError as error:
        raise CorruptError(f"an event cannot be written as JSON: {error}") from None


def _encode_cells(units: dict[Cell, int]) -> bytes:
    return msgspec.json.encode(sorted([*cell, str(total)] for cell, total in units.items()))
