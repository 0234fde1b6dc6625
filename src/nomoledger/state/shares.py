"""How much of a request and of a period the attempts have used, and how much each may still use.

Limits of an attempt alone let many attempts use up what a game has. So games of a level that adds
up limits count what each request uses, and what each player uses in a period. A player who has used
up a share is refused, and nobody else is. Closes, rulings and the admin have shares of their own.
What is sealed has shares of its own, too, so that no public refusal tells of it.

The sums are part of the state, in the table `game`: under `request` by the id of each request since
the last input, and under `shares` by the period and by who has the share.
"""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec.msgpack import Encoder

from nomoledger.events import Event
from nomoledger.events.display import without_display_text
from nomoledger.events.levels import LEVELS
from nomoledger.state.world import Attempt, World

_encode = Encoder().encode


class Use(NamedTuple):
    """What attempts use.

    Attributes:
        operations: the counted operations that they carried out.
        changes: the changes that they made, also those that were undone again.
        bytes: the size of the request, and of the changes, also of those that were undone again.
        rules: the changes of rules that took effect.
        attempts: the attempts themselves.
    """

    operations: int = 0
    changes: int = 0
    bytes: int = 0
    rules: int = 0
    attempts: int = 0

    def plus(self, more: "Use") -> "Use":
        """Return the sum of two uses."""
        return Use(
            self.operations + more.operations,
            self.changes + more.changes,
            self.bytes + more.bytes,
            self.rules + more.rules,
            self.attempts + more.attempts,
        )


#: What one attempt may use (see also `nomoledger.language.host`).
BYTES_MAX = 8_000_000
#: What one request may use, with all that follows from it until the next input.
REQUEST_MAX = Use(operations=200_000, changes=40_000, bytes=16_000_000, rules=300, attempts=2_000)
#: What one player may use in a period, and what everybody who has not joined may use together.
PLAYER_MAX = Use(
    operations=1_000_000, changes=50_000, bytes=32_000_000, rules=1_000, attempts=10_000
)
#: What closes, rulings and the admin may use in a period, each.
RESERVE_MAX = Use(
    operations=20_000_000, changes=500_000, bytes=256_000_000, rules=5_000, attempts=100_000
)
#: How the shares are called that belong to no player.
CLOSES, ADMIN, OTHERS = "closes", "the admin", "people who have not joined"
#: What is said of a share of sealed attempts.
SEALED = " (sealed)"


def adds_up(world: World) -> bool:
    """Return whether the level of the game adds up limits."""
    return LEVELS[world.level].adds_up_limits


def size_of(event: Event) -> int:
    """Return the size of *event* in bytes, without text that may differ between versions."""
    counted = without_display_text(event)
    try:
        return len(_encode(counted))
    except (OverflowError, TypeError):  # no ledger can hold it
        return len(str(counted))


def request_of(attempt: str) -> str:
    """Return the id of the request that led to the *attempt* with this id."""
    return attempt.partition(">")[0]


def share_of(world: World, attempt: Attempt) -> str:
    """Return who has the share that *attempt* uses."""
    request = request_of(attempt.id)
    close = f"{request}>closed"
    is_of_close = any(item.id == close for item in world.agenda)
    share = CLOSES if is_of_close else _share_of_person(world, attempt.by)
    return share if attempt.audience is None else share + SEALED


def _share_of_person(world: World, by: str) -> str:
    if by in ("", "admin"):
        return ADMIN
    player = world.find("player", by)
    return OTHERS if player is None else f"player {player}"


def name_of(world: World, share: str) -> str:
    """Return what people call who has *share*."""
    person = share.removesuffix(SEALED)
    name = str(world.label(person.removeprefix("player "))) if person[:7] == "player " else person
    return name + share[len(person) :]


def used_by_request(world: World, attempt: Attempt) -> Use:
    """Return what the request behind *attempt* has used since the last input."""
    return Use(*world.game.get("request", {}).get(request_of(attempt.id), ()))


def used_in_period(world: World, share: str) -> Use:
    """Return what was used of *share* in the open period."""
    return Use(*world.game.get("shares", {}).get(str(world.period), {}).get(share, ()))


def limit_of(share: str) -> Use:
    """Return how much of a period *share* holds."""
    return RESERVE_MAX if share.removesuffix(SEALED) in (CLOSES, ADMIN) else PLAYER_MAX


def begin_request(world: World, event: Event) -> None:
    """Count the input *event* itself, with which a request begins."""
    by, audience = str(getattr(event, "by", "admin")), event.audience
    request = Attempt(id=str(getattr(event, "id", "")), operation="", by=by, audience=audience)
    world.put(world.game, "request", {})
    add_use(world, request, Use(bytes=size_of(event)))


def add_use(world: World, attempt: Attempt, used: Use) -> None:
    """Add what *attempt* used to the sums of its request and of its share."""
    period, share, request = str(world.period), share_of(world, attempt), request_of(attempt.id)
    requests = world.inner(world.game, "request")
    world.put(requests, request, tuple(Use(*requests.get(request, ())).plus(used)))
    if period not in world.game.get("shares", {}):
        world.put(world.game, "shares", {})
    shares = world.inner(world.inner(world.game, "shares"), period)
    world.put(shares, share, tuple(Use(*shares.get(share, ())).plus(used)))


class Allowance(NamedTuple):
    """What an attempt may still use.

    Attributes:
        most: how much of each.
        reasons: why not more of each, in words.
    """

    most: Use
    reasons: Mapping[str, str]


def allowance(world: World, attempt: Attempt) -> Allowance:
    """Return what the request and the share of *attempt* leave to it."""
    share, request = share_of(world, attempt), used_by_request(world, attempt)
    period, of_share = used_in_period(world, share), limit_of(share)
    most, reasons = [], {}
    for i, what in enumerate(Use._fields):
        left, left_of_share = REQUEST_MAX[i] - request[i], of_share[i] - period[i]
        if left <= left_of_share:
            text = f"one request can use {REQUEST_MAX[i]} {WORDS[what]}, and this one has used"
            text = f"{text} {request[i]}"
        else:
            text = f"{name_of(world, share)} can use {of_share[i]} {WORDS[what]} in one period"
            text = f"{text}, and has used {period[i]}"
        most.append(max(0, min(left, left_of_share)))
        reasons[what] = text
    return Allowance(Use(*most), reasons)


#: What refusals call each thing that is counted.
WORDS = {
    "operations": "operations",
    "changes": "changes",
    "bytes": "bytes",
    "rules": "changes of rules",
    "attempts": "attempts",
}
