"""Seeds of the players for the dice: commitments, reveals, and who withheld a seed.

A player commits to a seed for the dice of period N while period N − 2 or an earlier one is open,
and reveals the seed while period N − 1 is open. Before the first reveal, the admin has published
the commitment to the admin's own seed of period N. When period N opens, the revealed seeds are
mixed into the admin's seed. A seed that is not revealed by then is left out for good.

`World.dice` holds, in such a game:

- `seeds`: per period to come, the commitment and the revealed seed ("" before that) per player;
- `mixes`: per period, the hash of the revealed seeds; none for a period without any;
- `withheld`: per period, the players who committed to a seed and did not reveal it.
"""

import hashlib
from collections.abc import Iterable, Iterator

from nomoledger import events as e
from nomoledger.state.world import World

#: The choice of `GameOpened.dice` with seeds of the players.
PLAYERS = "players"
#: How many periods before its dice a seed is committed, at the latest.
COMMITTED_BEFORE = 2
#: How many periods before its dice a seed is revealed.
REVEALED_BEFORE = 1
#: How many periods ahead a player may commit.
AHEAD_MAX = 100
SEED_LENGTH_MIN = 16
SEED_LENGTH_MAX = 200
_HEX = frozenset("0123456789abcdef")
_HASH_DIGITS = 64


def commitment_to(seed: str) -> str:
    """Return the commitment to the *seed* of a player: its SHA-256, in hexadecimal.

    >>> commitment_to("correct horse battery")[:16]
    '9028ea0d15decaa3'
    """
    return hashlib.sha256(seed.encode()).hexdigest()


def mix(seeds: Iterable[tuple[str, str]]) -> str:
    """Return the hash of *seeds*, pairs of a player and a seed; "" if there are none.

    It is the SHA-256 of the pairs in the order of the names. Each name and each seed is UTF-8, with
    its length in 8 bytes before it.
    """
    parts = [part.encode() for pair in sorted(seeds) for part in pair]
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return hashlib.sha256(framed).hexdigest() if parts else ""


def commitments(world: World, period: int) -> dict[str, tuple[str, str]]:
    """Return the commitment and the seed ("" if not revealed) per player for *period*."""
    seeds: dict[str, tuple[str, str]] = world.dice.get("seeds", {}).get(period, {})
    return seeds


def mix_of(world: World, period: int) -> str:
    """Return the hash of the seeds that players revealed for *period*; "" if there are none."""
    return str(world.dice.get("mixes", {}).get(period, ""))


def reason_against_commitment(world: World, event: e.SeedCommitted) -> str | None:
    """Return why *event* cannot be recorded next, as words for people; None if it can."""
    first, last = world.period + COMMITTED_BEFORE, world.period + AHEAD_MAX
    if world.game["dice"] != PLAYERS:
        return "the dice of this game take no seeds of players"
    if world.entities.get(event.by) != "player":
        return f"there is no player {event.by!r:.60}"
    if not first <= event.drawn_in <= last:
        return f"seeds can now be committed for periods {first} to {last}, not {event.drawn_in}"
    if len(event.commitment) != _HASH_DIGITS or not set(event.commitment) <= _HEX:
        return "a commitment is a SHA-256 in hexadecimal: 64 digits, small letters"
    known = commitments(world, event.drawn_in)
    if event.by in known:
        return f"{event.by} has committed to a seed for period {event.drawn_in} already"
    if event.commitment in [commitment for commitment, _ in known.values()]:
        return f"another player has made this commitment for period {event.drawn_in}"
    return None


def reason_against_reveal(world: World, event: e.SeedRevealed) -> str | None:
    """Return why *event* cannot be recorded next, as words for people; None if it can."""
    if world.game["dice"] != PLAYERS:
        return "the dice of this game take no seeds of players"
    if event.drawn_in != world.period + REVEALED_BEFORE:
        period = world.period + REVEALED_BEFORE
        return f"seeds of period {period} can now be revealed, not of period {event.drawn_in}"
    known = commitments(world, event.drawn_in).get(event.by)
    if known is None:
        return f"{event.by} has committed to no seed for period {event.drawn_in}"
    if known[1]:
        return f"{event.by} has revealed the seed for period {event.drawn_in} already"
    if not SEED_LENGTH_MIN <= len(event.seed) <= SEED_LENGTH_MAX:
        return (
            f"a seed has {SEED_LENGTH_MIN} to {SEED_LENGTH_MAX} characters, so as not to be guessed"
        )
    if commitment_to(event.seed) != known[0]:
        return f"the seed does not fit the commitment of {event.by}, {known[0]}"
    return None


def due(world: World) -> Iterator[tuple[str, int, list[str]]]:
    """Yield what is due before the open period closes: what to do, for which period, by whom.

    What to do is "reveal" or "commit". Nobody has to commit, but nobody can do it later.
    """
    if world.game["dice"] != PLAYERS:
        return
    revealed_for, committed_for = world.period + REVEALED_BEFORE, world.period + COMMITTED_BEFORE
    known = commitments(world, revealed_for)
    hidden = sorted(player for player, (_, seed) in known.items() if not seed)
    if hidden:
        yield "reveal", revealed_for, hidden
    players = {entity for entity, kind in world.entities.items() if kind == "player"}
    missing = sorted(players - commitments(world, committed_for).keys())
    if missing:
        yield "commit", committed_for, missing


def commit_seed(world: World, event: e.SeedCommitted) -> None:
    """Apply a commitment; one that does not fit changes nothing."""
    if reason_against_commitment(world, event) is None:
        table = world.inner(world.inner(world.dice, "seeds"), event.drawn_in)
        world.put(table, event.by, (event.commitment, ""))


def reveal_seed(world: World, event: e.SeedRevealed) -> None:
    """Apply a reveal; one that does not fit changes nothing."""
    if reason_against_reveal(world, event) is None:
        table = world.dice["seeds"][event.drawn_in]
        world.put(table, event.by, (table[event.by][0], event.seed))


def mix_seeds(world: World, period: int) -> None:
    """Mix the seeds that were revealed for *period*, which opens."""
    known = commitments(world, period)
    if not known:
        return
    others = {number: table for number, table in world.dice["seeds"].items() if number != period}
    world.put(world.dice, "seeds", others)
    mixed = mix((player, seed) for player, (_, seed) in known.items() if seed)
    withheld = tuple(sorted(player for player, (_, seed) in known.items() if not seed))
    if mixed:
        world.put(world.dice, "mixes", {**world.dice.get("mixes", {}), period: mixed})
    if withheld:
        world.put(world.dice, "withheld", {**world.dice.get("withheld", {}), period: withheld})
