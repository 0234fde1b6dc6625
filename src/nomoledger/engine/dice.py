"""Verifiable dice: each draw is derived from a secret seed and the address of the draw.

In a game with seeds of the players, the seed of a period is HMAC-SHA256(seed of the admin, hash of
the seeds that the players revealed); see `nomoledger.state.player_seeds`.

The seed of a period is HMAC-SHA256(game secret, period). Its hash is published when the period
opens, and the seed itself when the period closes. A draw is HMAC-SHA256(seed, address ‖ counter),
read 64 bits at a time with rejection sampling, so that every face is equally likely and no draw
depends on any other. Secret draws come from a second seed, which is never revealed. The commitment
keeps the admin from changing dice. It does not keep the admin from foreseeing them.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Any

#: The choices of `GameOpened.dice` in which dice are drawn from seeds.
SEEDED = ("seeded", "players")
SEED_BYTES = 32


def period_seed(secret: bytes, period: int) -> bytes:
    """Return the seed of *period*, 32 bytes."""
    return hmac.digest(secret, b"dice" + period.to_bytes(8, "big"), "sha256")


def sealed_seed(secret: bytes, period: int) -> bytes:
    """Return the seed of the secret draws of *period*, which is never revealed."""
    return hmac.digest(secret, b"sealed dice" + period.to_bytes(8, "big"), "sha256")


def seed_for(secret: bytes, period: int, audience: tuple[str, ...] | None) -> bytes:
    """Return the seed of a draw in *period* that *audience* may see (None: everybody)."""
    return period_seed(secret, period) if audience is None else sealed_seed(secret, period)


def mixed(seed: bytes, players: str) -> bytes:
    """Return *seed* mixed with the hash of the seeds of *players*, if there is one."""
    return hmac.digest(seed, b"players" + bytes.fromhex(players), "sha256") if players else seed


def commitments_ahead(secret: bytes, period: int, kind: str) -> str:
    """Return the commitments that the opening of a game in *period* publishes, by *kind* of dice.

    With seeds of the players, the next period's seed is committed, too, because players reveal
    their seeds for that period before it opens.
    """
    periods = (period, period + 1) if kind == "players" else (period,)
    return " ".join(commitment(period_seed(secret, number)) for number in periods)


def may_be_secret(secret: bytes, period: int, kind: str, committed: str) -> bool:
    """Return whether *secret* fits what was *committed* to last, by *kind* of dice.

    *period* is the open one. Where nothing was committed to, every secret fits.
    """
    if kind not in SEEDED or not committed:
        return True
    periods = period, period + 1  # the next is committed early with seeds of the players
    return not {commitment(period_seed(secret, x)) for x in periods}.isdisjoint(committed.split())


def committed_at_close(period: int, kind: str) -> int:
    """Return the period to whose seed the close of *period* commits, by *kind* of dice."""
    return period + 2 if kind == "players" else period + 1


def commitment(seed: bytes) -> str:
    """Return the commitment published before *seed* is used: its SHA-256, in hex."""
    return hashlib.sha256(seed).hexdigest()


def roll(seed: bytes, address: str, sides: Sequence[int]) -> list[int]:
    """Roll one die for each number of *sides*, each from 1 up, for the draw at *address*.

    >>> roll(b"seed", "w1|turn/move#0", [6, 6])
    [4, 5]
    """
    words = _words(seed, address)
    return [1 + _below(count, words) for count in sides]


def draw(seed: bytes, address: str, options: Sequence[Any]) -> Any:
    """Pick one of *options*, each equally likely, for the draw at *address*."""
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
