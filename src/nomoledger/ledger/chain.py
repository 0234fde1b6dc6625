"""The hash chain: the hash of every record depends on all records before it.

A record's hash covers a salted *commitment* to its content instead of the content itself. An
export can therefore withhold a sealed record and still be verified, and the salt discloses the
record later. All functions are pure; `docs/ledger-file.md` shows how to recompute the chain.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from struct import Struct
from typing import TYPE_CHECKING

import msgspec

from nomoledger.errors import UsageError

if TYPE_CHECKING:
    from hashlib import _Hash

TAG = b"nomoledger/1"
#: Bytes of a commitment or hash.
SIZE = 32
#: The largest number of records that share a chain row.
SHARED = 64
#: Bytes of a block of SHA-256, as HMAC needs it.
BLOCK = 64
#: A number as eight bytes, big-endian.
_eight = Struct(">Q").pack


def origin(game: str) -> bytes:
    """Return the hash that the first record of *game* is chained to."""
    return sha256(TAG + game.encode()).digest()


def salt(secret: bytes, number: int) -> bytes:
    """Return the salt of record *number*: HMAC-SHA256 under the game's *secret*."""
    keyed_inner, keyed_outer = _keyed(secret)
    inner = keyed_inner.copy()
    inner.update(_eight(number))
    outer = keyed_outer.copy()
    outer.update(inner.digest())
    return outer.digest()


@lru_cache(maxsize=64)
def _keyed(secret: bytes) -> tuple["_Hash", "_Hash"]:
    """Return the inner and outer hash of an HMAC under *secret*, fed up to the record number.

    Copying them is faster than a new HMAC for each record.
    """
    key = (secret if len(secret) <= BLOCK else sha256(secret).digest()).ljust(BLOCK, b"\0")
    inner, outer = (bytes(byte ^ pad for byte in key) for pad in (0x36, 0x5C))
    return sha256(inner + b"salt"), sha256(outer)


def commit(secret: bytes, number: int, topic: bytes, state: bytes) -> bytes:
    """Return the commitment to *topic* and *state* as the content of record *number*."""
    framed_topic = _eight(len(topic)) + topic
    framed_state = _eight(len(state)) + state
    return sha256(salt(secret, number) + framed_topic + framed_state).digest()


def link(previous: bytes, number: int, commitment: bytes) -> bytes:
    """Return the hash of record *number*, given the hash of the record before it."""
    return sha256(TAG + previous + _eight(number) + commitment).digest()


def hash_records(
    secret: bytes, last: bytes, records: Iterable[tuple[int, str | bytes, bytes]]
) -> tuple[list[bytes], list[bytes]]:
    """Return the commitments and hashes of *records* (number, topic, state), after hash *last*.

    The loop computes `commit` and `link` without calling them, because every record that is
    stored passes through it. Topics are texts, or their bytes.
    """
    inner_keyed, outer_keyed = _keyed(secret)
    inner_copy, outer_copy = inner_keyed.copy, outer_keyed.copy
    framed_topics: dict[str | bytes, bytes] = {}
    commitments, hashes = [], []
    for number, topic, state in records:
        place = _eight(number)
        inner, outer = inner_copy(), outer_copy()
        inner.update(place)
        outer.update(inner.digest())
        framed = framed_topics.get(topic)
        if framed is None:
            encoded = topic.encode() if isinstance(topic, str) else topic
            framed = framed_topics[topic] = _eight(len(encoded)) + encoded
        commitment = sha256(outer.digest() + framed + _eight(len(state)) + state).digest()
        last = sha256(TAG + last + place + commitment).digest()
        commitments.append(commitment)
        hashes.append(last)
    return commitments, hashes


#: A chain row covers one or several records: the number of the last one, the commitments of all,
#: concatenated, and the hash of the last one.
Link = tuple[int, bytes, bytes]


def make_chain_rows(number: int, commitments: list[bytes], hashes: list[bytes]) -> list[Link]:
    """Return the chain rows of records that are stored together, the first one as *number*."""
    rows = []
    for start in range(0, len(hashes), SHARED):
        shared = commitments[start : start + SHARED]
        last = start + len(shared) - 1
        rows.append((number + last, b"".join(shared), hashes[last]))
    return rows


def row_commitments(row: Link) -> list[bytes]:
    """Return the commitments in *row*: at least one, even if the row is damaged."""
    return [row[1][at : at + SIZE] for at in range(0, max(len(row[1]), 1), SIZE)]


def first_number(row: Link) -> int:
    """Return the number of the first record that *row* covers."""
    return row[0] + 1 - len(row_commitments(row))


def hash_within(row: Link, before: bytes, number: int) -> bytes:
    """Return the hash of record *number*, which *row* covers; *before* is the hash before *row*."""
    first, last = first_number(row), before
    for place, commitment in enumerate(row_commitments(row)[: number - first + 1], first):
        last = link(last, place, commitment)
    return last


class Head(msgspec.Struct, frozen=True):
    """The *number* of the last record (-1 if there is none) and its *hash*, 64 hexadecimal digits.

    A head published outside the database proves everything up to it.

    >>> str(Head.parse("41:" + 32 * "ab"))[:9]
    '41:ababab'
    """

    number: int
    hash: str

    def __str__(self) -> str:
        """Return the head as text, `41:ab12…`."""
        return f"{self.number}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> "Head":
        """Parse a head written as *text*.

        Raises:
            UsageError: *text* is not a number, a colon and 64 hexadecimal digits.
        """
        match = re.fullmatch("(-1|[0-9]{1,18}):([0-9A-Fa-f]{64})", text.strip())
        if match is None:
            raise UsageError(
                f"not a head: {text!r}; expected a record's number, a colon and 64 hexadecimal"
                " digits, as in 41:ab12…"
            )
        return cls(int(match[1]), match[2].lower())
