"""Goes over a ledger event by event, and makes its public chain and the seal of each close."""

from hashlib import sha256
from typing import NamedTuple

import msgspec

from nomoledger import events as e
from nomoledger.errors import CorruptError
from nomoledger.events.codec import decode_json, encode_json
from nomoledger.ledger.rollup import Cell, Sums, add, cells
from nomoledger.proof.envelopes import Envelope, commitment, salt_of
from nomoledger.proof.key_derivation import derive, framed_part
from nomoledger.proof.public_stream import PublicStream, apply_public
from nomoledger.proof.seal import NO_SEAL, Seal
from nomoledger.state.world import World

TAG = b"nomoledger-public/1"
ADMIN = "admin"
#: The version of how events become state: raised when the digest of a recorded state changes.
FOLD = "1"


class PublicLine(NamedTuple):
    """A public event: its public *number*, the *hash* of the chain up to it, and its *event*."""

    number: int
    hash: bytes
    event: bytes


class PublicChain:
    """The public events of *game*, chained, and the state they make.

    Attributes:
        number, hash: of the last event. world: the public state.
    """

    def __init__(self, game: str) -> None:
        self.number = -1
        self.hash = sha256(TAG + framed_part(game)).digest()
        self.world = World()
        self.readers: dict[str, None] = {}

    def take(self, event: bytes) -> PublicLine:
        """Add *event*, a line of JSON. It is folded as everybody reads it.

        Raises:
            CorruptError: it is no event.
        """
        body = decode_json(event)
        self.hash = self.hash_with(event)
        self.number += 1
        apply_public(self.world, body)
        if isinstance(body, e.PeriodClosed):
            self.readers |= dict.fromkeys(self.world.kinds.get("player", ()))
        return PublicLine(self.number, self.hash, event)

    def hash_with(self, event: bytes) -> bytes:
        """The hash that the chain would have with *event* at its end."""
        data = self.hash + framed_part(self.number + 1) + framed_part(event)
        return sha256(TAG + data).digest()

    def __str__(self) -> str:
        return f"{self.number}:{self.hash.hex()}"


class Sealer:
    """Takes the events of *game* in order; after each close, `seal` seals the period.

    Attributes:
        number: that of the event taken last. previous: digest of the last seal.
        chain: the public chain so far. stream: what of the ledger is in it.
    """

    def __init__(self, game: str, secret: bytes) -> None:
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
        """Take in event *number*, and say what becomes public with it.

        Raises:
            CorruptError: it cannot be written as JSON.
        """
        self.number = number
        public = self.stream.take(number, body)
        if self.stream.sealed:
            self._sealed.append((number, body))
        if isinstance(body, e.Posted):
            add(self._sums, (body,))
        elif isinstance(body, e.PeriodClosed):
            self._closed = body
        return [self.chain.take(public_line(each)) for each in public]

    def seal(self, head: bytes) -> Seal:
        """The seal of the period whose close was taken last; *head* is the ledger's hash there."""
        closed = self._closed
        assert closed is not None
        made = Seal(
            game=self.game,
            period=closed.period,
            fold=FOLD,
            head=head.hex(),
            public=str(self.chain),
            state=self.chain.world.digest(),
            whole=self._salted("whole state", closed.period, closed.digest.encode()),
            rollup=self._salted("roll-up", closed.period, _listed(cells(self._sums))),
            envelopes={each: made.seal for each, made in self.envelopes(closed.period).items()},
            previous=self.previous,
        )
        self.previous = made.digest
        self._sealed, self._sums = [], {}
        return made

    @property
    def stands_still(self) -> bool:
        """Whether all that was taken is sealed, and nothing is held back."""
        is_sealed = not (self._sealed or self._sums) and self._closed is not None
        return is_sealed and self.stream.is_level

    def envelopes(self, period: int) -> dict[str, Envelope]:
        """The envelopes of the *period* that is about to be sealed."""
        leaves: dict[str, dict[int, bytes]] = {each: {} for each in (*self.chain.readers, ADMIN)}
        for number, body in self._sealed:
            leaf = commitment(salt_of(self.secret, number), self.told(body))
            for reader in {*(body.audience or ()), ADMIN} & leaves.keys():
                leaves[reader][number] = leaf
        return {
            reader: Envelope(self.secret, self.game, period, reader, held)
            for reader, held in sorted(leaves.items())
        }

    def told(self, body: e.Event) -> bytes:
        """A sealed event as it is told when it is opened: in public terms, too."""
        return public_line(self.stream.terms.of(body))

    def _salted(self, use: str, period: int, data: bytes) -> str:
        return sha256(derive(self.secret, use, period) + data).hexdigest()


def public_line(body: e.Event) -> bytes:
    """*body* as one line of JSON, always the same.

    Raises:
        CorruptError: it holds what JSON cannot say.
    """
    try:
        return encode_json(body)
    except TypeError as error:
        raise CorruptError(f"an event cannot be written as JSON: {error}") from None


def _listed(units: dict[Cell, int]) -> bytes:
    return msgspec.json.encode(sorted([*cell, str(sum_)] for cell, sum_ in units.items()))
