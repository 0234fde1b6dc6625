"""Envelopes: one commitment per period and reader, which looks the same whether empty or full.

An envelope is the root of a Merkle tree of fixed depth over the salted commitments of the sealed
events that its reader saw. The secret determines the slot of each commitment, and an HMAC of the
secret takes the place of each empty subtree. A path from one commitment to the root therefore
shows neither how many other commitments there are nor what they commit to.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from nomoledger.proof.key_derivation import derive, framed_part

TAG = b"nomoledger-envelope/1"
#: The levels of a tree, and so the number of hashes in every path.
DEPTH = 32


def commitment(salt: bytes, event: bytes) -> bytes:
    """Return the leaf that commits to *event*, the line in public terms, under its *salt*."""
    return sha256(b"\0" + salt + framed_part(event)).digest()


def salt_of(secret: bytes, number: int) -> bytes:
    """Return the salt of the sealed event that has this *number* in the ledger."""
    return derive(secret, "sealed event", number)


class Envelope:
    """The envelope of *reader* in *period*, with *leaves* by the event numbers in the ledger.

    Attributes:
        slots: the slot of each leaf, by event number.
    """

    def __init__(
        self, secret: bytes, game: str, period: int, reader: str, leaves: Mapping[int, bytes]
    ) -> None:
        """Build the tree."""
        self._key = derive(secret, "envelope", period, reader)
        self._about = game, period, reader
        self.slots: dict[int, int] = {}
        taken: set[int] = set()
        for number in leaves:
            self.slots[number] = self._free_slot(number, taken)
            taken.add(self.slots[number])
        nodes = {slot: leaves[number] for number, slot in self.slots.items()}
        self._levels = [nodes]
        for level in range(DEPTH):
            nodes = self._above(level, nodes)
            self._levels.append(nodes)

    def _free_slot(self, number: int, taken: set[int]) -> int:
        attempt = 0
        while True:
            data = derive(self._key, "slot", number, attempt)
            slot = int.from_bytes(data[: DEPTH // 8], "big")
            if slot not in taken:
                return slot
            attempt += 1

    def _above(self, level: int, nodes: dict[int, bytes]) -> dict[int, bytes]:
        """Return the nodes one level above *nodes*, without the empty ones."""
        return {
            index: _joined(self._node(level, 2 * index), self._node(level, 2 * index + 1))
            for index in {child // 2 for child in nodes}
        }

    def _node(self, level: int, index: int) -> bytes:
        node = self._levels[level].get(index)
        return derive(self._key, "nothing", level, index) if node is None else node

    @property
    def seal(self) -> str:
        """The published commitment of the envelope, 64 hexadecimal digits."""
        return seal_envelope(*self._about, self._node(DEPTH, 0))

    def path(self, number: int) -> list[str]:
        """Return the path from the leaf of event *number* to the root: a sibling per level."""
        slot = self.slots[number]
        return [self._node(level, (slot >> level) ^ 1).hex() for level in range(DEPTH)]


def seal_envelope(game: str, period: int, reader: str, root: bytes) -> str:
    """Return the published commitment of the envelope of *reader* whose tree has that *root*."""
    parts: tuple[int | str | bytes, ...] = game, period, reader, root
    return sha256(TAG + b"".join(map(framed_part, parts))).hexdigest()


def climb(leaf: bytes, slot: int, path: Sequence[bytes]) -> bytes:
    """Return the root to which *path* leads from *leaf* in *slot*."""
    node = leaf
    for level, sibling in enumerate(path):
        is_right = slot >> level & 1
        node = _joined(sibling, node) if is_right else _joined(node, sibling)
    return node


def _joined(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()
