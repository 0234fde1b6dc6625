"""Sealed envelopes: one commitment per period and reader, which looks the same empty or full.

An envelope is the root of a Merkle tree of fixed depth over the salted commitments of what that
reader alone was told. Each stands in a slot that only the secret tells, and subtrees with nothing
in them stand for themselves by an HMAC of the secret. So a path from one commitment to the root
shows neither how many others there are nor what they hold.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from nomoledger.proof.key_derivation import derive, framed_part

TAG = b"nomoledger-envelope/1"
#: How many levels a tree has: every path has so many hashes.
DEPTH = 32


def commitment(salt: bytes, event: bytes) -> bytes:
    """What a leaf commits to: *event*, as the line in public terms, under its *salt*."""
    return sha256(b"\0" + salt + framed_part(event)).digest()


def salt_of(secret: bytes, number: int) -> bytes:
    """The salt of the sealed event that has this *number* in the ledger."""
    return derive(secret, "sealed event", number)


class Envelope:
    """The envelope of *reader* in *period*, which holds the *leaves* under these event numbers."""

    def __init__(
        self, secret: bytes, game: str, period: int, reader: str, leaves: Mapping[int, bytes]
    ) -> None:
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
        tried = 0
        while True:
            found = derive(self._key, "slot", number, tried)
            slot = int.from_bytes(found[: DEPTH // 8], "big")
            if slot not in taken:
                return slot
            tried += 1

    def _above(self, level: int, nodes: dict[int, bytes]) -> dict[int, bytes]:
        """The nodes a level above *nodes*, where there are any."""
        return {
            place: _joined(self._node(level, 2 * place), self._node(level, 2 * place + 1))
            for place in {each // 2 for each in nodes}
        }

    def _node(self, level: int, place: int) -> bytes:
        found = self._levels[level].get(place)
        return derive(self._key, "nothing", level, place) if found is None else found

    @property
    def seal(self) -> str:
        """What is published of it, 64 hexadecimal digits."""
        return seal_envelope(*self._about, self._node(DEPTH, 0))

    def path(self, number: int) -> list[str]:
        """What leads from the leaf of event *number* up to the root: the node beside, per level."""
        slot = self.slots[number]
        return [self._node(level, (slot >> level) ^ 1).hex() for level in range(DEPTH)]


def seal_envelope(game: str, period: int, reader: str, root: bytes) -> str:
    """The envelope of *reader* whose tree has that *root*."""
    parts: tuple[int | str | bytes, ...] = game, period, reader, root
    return sha256(TAG + b"".join(map(framed_part, parts))).hexdigest()


def climb(leaf: bytes, slot: int, path: Sequence[bytes]) -> bytes:
    """The root to which *path* leads from *leaf* in *slot*."""
    node = leaf
    for level, beside in enumerate(path):
        is_right = slot >> level & 1
        node = _joined(beside, node) if is_right else _joined(node, beside)
    return node


def _joined(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()
