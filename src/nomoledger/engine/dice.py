"""Verifiable dice: each draw follows from a secret seed and the draw's own address.

A period's seed is HMAC-SHA256(game secret, period); its hash is published when the period opens
and the seed itself when it closes. A draw is HMAC-SHA256(seed, address ‖ counter), read 64 bits at
a time with rejection, so that every face is equally likely and no draw depends on any other.
What is drawn in secret comes from another seed, which is not revealed with the public one.
The commitment keeps an admin from changing dice; it does not keep an admin from foreseeing them.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Any


def period_seed(secret: bytes, period: int) -> bytes:
    """The seed of *period*, 32 bytes."""
    return hmac.digest(secret, b"dice" + period.to_bytes(8, "big"), "sha256")


def sealed_seed(secret: bytes, period: int) -> bytes:
    """The seed of the draws of *period* that not everybody sees; it is never revealed."""
    return hmac.digest(secret, b"sealed dice" + period.to_bytes(8, "big"), "sha256")


def seed_for(secret: bytes, period: int, audience: tuple[str, ...] | None) -> bytes:
    """The seed of a draw in *period* before *audience* (None: everybody)."""
    return period_seed(secret, period) if audience is None else sealed_seed(secret, period)


def commitment(seed: bytes) -> str:
    """What is published about *seed* before it is used: its SHA-256, in hex."""
    return hashlib.sha256(seed).hexdigest()


def roll(seed: bytes, address: str, sides: Sequence[int]) -> list[int]:
    """One die per number of *sides*, each from 1 up, for the draw at *address*.

    >>> roll(b"seed", "w1|turn/move#0", [6, 6])
    [4, 5]
    """
    words = _words(seed, address)
    return [1 + _below(each, words) for each in sides]


def draw(seed: bytes, address: str, options: Sequence[Any]) -> Any:
    """One of *options*, each equally likely, for the draw at *address*."""
    return options[_below(len(options), _words(seed, address))]


def _below(bound: int, words: Iterator[int]) -> int:
    limit = (1 << 64) // bound * bound
    return next(word for word in words if word < limit) % bound


def _words(seed: bytes, address: str) -> Iterator[int]:
    counter = 0
    while True:
        block = hmac.digest(seed, address.encode() + counter.to_bytes(8, "big"), "sha256")
        yield from (int.from_bytes(block[i : i + 8], "big") for i in range(0, 32, 8))
        counter += 1
