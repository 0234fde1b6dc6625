"""The hash chain: every record is bound to all the records before it.

A record's hash covers a salted *commitment* to its content instead of the content itself, so
that an export can withhold a sealed record and still be verified, and the salt opens it later.
Everything here is pure; `docs/ledger-file.md` says how to recompute it by hand.
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
#: Bytes of a commitment, and of a hash.
SIZE = 32
#: So many records share a row of the chain, at most.
SHARED = 64
BLOCK = 64
#: A number in eight bytes, big end first.
_eight = Struct(">Q").pack


def origin(game: str) -> bytes:
    """What the first record of *game* is chained to."""
    return sha256(TAG + game.encode()).digest()


def salt(secret: bytes, number: int) -> bytes:
    """The salt of record *number*: HMAC-SHA256 under the game's *secret*."""
    keyed_inner, keyed_outer = _keyed(secret)
    inner = keyed_inner.copy()
    inner.update(_eight(number))
    outer = keyed_outer.copy()
    outer.update(inner.digest())
    return outer.digest()


@lru_cache(maxsize=64)
def _keyed(secret: bytes) -> tuple["_Hash", "_Hash"]:
    """The two hashes of an HMAC when they have seen the key, and the inner one what is salted.

    Copying them is the faster way.
    """
    key = (secret if len(secret) <= BLOCK else sha256(secret).digest()).ljust(BLOCK, b"\0")
    inner, outer = (bytes(byte ^ pad for byte in key) for pad in (0x36, 0x5C))
    return sha256(inner + b"salt"), sha256(outer)


def commit(secret: bytes, number: int, topic: bytes, state: bytes) -> bytes:
    """The commitment to *topic* and *state* as the content of record *number*."""
    framed_topic = _eight(len(topic)) + topic
    framed_state = _eight(len(state)) + state
    return sha256(salt(secret, number) + framed_topic + framed_state).digest()


def link(previous: bytes, number: int, commitment: bytes) -> bytes:
    """The hash of record *number*, given the hash of the record before it."""
    return sha256(TAG + previous + _eight(number) + commitment).digest()


def chained(
    secret: bytes, last: bytes, records: Iterable[tuple[int, str | bytes, bytes]]
) -> tuple[list[bytes], list[bytes]]:
    """The commitments and the hashes of *records* (numbers, topics, states), after hash *last*.

    That is `commit` and `link`, in one loop with no calls: all that is stored goes through here.
    Topics are texts, or their bytes.
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


#: A row of the chain: the number of the last record it is for, the commitments of all of them, one
#: after another, and the hash of the last.
Link = tuple[int, bytes, bytes]


def chain_rows(number: int, commitments: list[bytes], hashes: list[bytes]) -> list[Link]:
    """The rows for records that are stored together, from *number* on."""
    rows = []
    for start in range(0, len(hashes), SHARED):
        few = commitments[start : start + SHARED]
        last = start + len(few) - 1
        rows.append((number + last, b"".join(few), hashes[last]))
    return rows


def row_commitments(row: Link) -> list[bytes]:
    """The commitments in *row*: at least one, whatever is in it."""
    return [row[1][at : at + SIZE] for at in range(0, max(len(row[1]), 1), SIZE)]


def first_of(row: Link) -> int:
    """The number of the first record that *row* is for."""
    return row[0] + 1 - len(row_commitments(row))


def hash_within(row: Link, before: bytes, number: int) -> bytes:
    """The hash of record *number*, which *row* is for; *before* is that of the record before it."""
    first, last = first_of(row), before
    for place, commitment in enumerate(row_commitments(row)[: number - first + 1], first):
        last = link(last, place, commitment)
    return last


class Head(msgspec.Struct, frozen=True):
    """The last record's *number* (-1: none yet) and its *hash*, 64 hexadecimal digits.

    A head published outside the database fixes everything up to it.

    >>> str(Head.parse("41:" + 32 * "ab"))[:9]
    '41:ababab'
    """

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> "Head":
        """The head written as *text*.

        Raises:
            UsageError: *text* is not a number, a colon and 64 hexadecimal digits.
        """
        found = re.fullmatch("(-1|[0-9]{1,18}):([0-9A-Fa-f]{64})", text.strip())
        if found is None:
            raise UsageError(
                f"not a head: {text!r}; expected a record's number, a colon and 64 hexadecimal"
                " digits, as in 41:ab12…"
            )
        return cls(int(found[1]), found[2].lower())
