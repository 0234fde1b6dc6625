"""Disputes: what can be disputed, how disputes change the state, and which standings they mark."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError, UsageError
from nomoledger.state.world import Table, World

DAYS_MAX = 36_500
DAY_SECONDS = 86_400


class StandingMark(msgspec.Struct, frozen=True):
    """How the standings of a period are marked.

    Attributes:
        disputed: numbers of the open disputes that affect them.
        final: whether it is too late for players to dispute them.
    """

    disputed: tuple[int, ...] = ()
    final: bool = False

    def __str__(self) -> str:
        """Return "disputed", "final" or nothing."""
        return "disputed" if self.disputed else "final" if self.final else ""


def standing_mark(world: World, period: int, reader: str | None = "admin") -> StandingMark:
    """Return the mark of the standings of *period* in *world*, as far as *reader* may know.

    A dispute affects the disputed period and every later one. A closed period is final when the
    days of `FinalitySet` have passed since its close, and since the close of the last dispute that
    affected it.
    """
    affecting = [dispute for dispute in _known(world, reader) if dispute["period"] <= period]
    disputed = tuple(dispute["number"] for dispute in affecting if is_open(dispute))
    return StandingMark(disputed, not disputed and _is_final(world, period, affecting))


def _is_final(world: World, period: int, affecting: list[Table]) -> bool:
    final = _final_at(world, period, affecting)
    return final is not None and bool(world.game["now"] >= final)


def _final_at(world: World, period: int, affecting: list[Table]) -> int | None:
    """Return when the standings of *period* become final, in seconds since 1970."""
    days, past = world.game.get("final_after"), world.past.get(period)
    if days is None or past is None:
        return None
    since: int = max([past["at"], *(dispute["closed"] for dispute in affecting)])
    return since + int(days) * DAY_SECONDS


def next_final(world: World) -> int | None:
    """Return when the standings of a closed period next become final, in seconds since 1970.

    The result assumes that nobody disputes them; it is None where no standings are to become final.
    """
    moments = []
    for period in world.past:
        affecting = [dispute for dispute in world.disputes.values() if dispute["period"] <= period]
        final = None if any(map(is_open, affecting)) else _final_at(world, period, affecting)
        if final is not None and final > world.game["now"]:
            moments.append(final)
    return min(moments, default=None)


def is_open(dispute: Table) -> bool:
    """Return whether no ruling has closed *dispute*."""
    return "closed" not in dispute


def open_disputes(world: World, reader: str | None = "admin") -> list[Table]:
    """Return the disputes that no ruling has closed, as far as *reader* may know."""
    return [dispute for dispute in _known(world, reader) if is_open(dispute)]


def _known(world: World, reader: str | None) -> Iterator[Table]:
    """Yield the disputes that *reader* may know of."""
    for dispute in world.disputes.values():
        if e.may_see(reader, dispute["audience"]):
            yield dispute


# --- checks of requests --------------------------------------------------------------------------


def new_dispute_fields(
    world: World, entries: Sequence[e.Entry], by: str, period: int | None, about: int | None
) -> dict[str, Any]:
    """Return the fields of a dispute of all of *period*, or of event *about*.

    Raises:
        UnknownError: the period or event does not exist, or *by* may not know of it.
        UsageError: neither or both are given; or the period is final, and *by* is a player.
    """
    if (period is None) == (about is None):
        raise UsageError("say what is disputed: a period, or an event by its number")
    audience = None
    if about is not None:
        audience = _audience(entries, by, about)
        period = entries[about].body.period
    assert period is not None
    if not entries[0].body.period <= period <= world.period:
        raise UnknownError(f"there is no period {period} yet; it is period {world.period}")
    if by != "admin" and standing_mark(world, period).final:
        raise UsageError(f"the standings of period {period} are final: only the admin may dispute")
    return {"by": by, "disputed": period, "about": about, "audience": audience}


def _audience(entries: Sequence[e.Entry], by: str, about: int) -> tuple[str, ...] | None:
    """Return who may know of a dispute about event *about*: the audience of that event."""
    if not 0 <= about < len(entries):
        raise UnknownError(f"there is no event #{about}: the last is #{len(entries) - 1}")
    audience = entries[about].body.audience
    if by != "admin" and audience is not None and by not in audience:
        raise UnknownError(f"{by} knows of no event #{about}")
    return audience


def find_open_dispute(world: World, number: int, reader: str | None = "admin") -> Table:
    """Return the open dispute with that *number*.

    Raises:
        UnknownError: there is no such dispute that *reader* may know of.
        UsageError: a ruling has closed it.
    """
    known = {dispute["number"]: dispute for dispute in _known(world, reader)}
    if number not in known:
        numbers = ", ".join(map(str, known)) or "none"
        raise UnknownError(f"there is no dispute {number}; there is: {numbers}")
    dispute = known[number]
    if not is_open(dispute):
        raise UsageError(f"dispute {number} is closed by ruling {dispute['ruling']}: open another")
    return dispute


def audience(world: World, closes: int | None) -> tuple[str, ...] | None:
    """Return who may know of a ruling that does nothing but close the dispute *closes*.

    None is everybody, also where the ruling closes no dispute.
    """
    readers: tuple[str, ...] | None = world.disputes.get(closes or 0, {}).get("audience")
    return readers


def check_text(text: str) -> None:
    """Check that the text of a dispute or an argument is not empty.

    Raises:
        UsageError: the text is empty.
    """
    if not text.strip():
        raise UsageError("the text is empty: give a reason")


def check_days(days: int) -> None:
    """Check the number of days after which standings become final.

    Raises:
        UsageError: the number is negative or too large.
    """
    if not 0 <= days <= DAYS_MAX:
        raise UsageError(f"standings become final after 0 to {DAYS_MAX} days, not {days}")


# --- effects of events: see `nomoledger.state.reducer` -------------------------------------------


def add_dispute(world: World, event: e.DisputeOpened) -> None:
    """Add the dispute that *event* opens."""
    dispute = {"number": event.number, "by": event.by, "period": event.disputed}
    dispute |= {"about": event.about, "text": event.text, "audience": event.audience}
    dispute |= {"opened": int(event.received_at.timestamp()), "arguments": 0}
    world.put(world.disputes, event.number, dispute)


def count_argument(world: World, event: e.DisputeArgued) -> None:
    """Count one more argument, if the dispute is in this world."""
    if event.dispute in world.disputes:
        dispute = world.inner(world.disputes, event.dispute)
        world.put(dispute, "arguments", dispute["arguments"] + 1)


def close_dispute(world: World, ruling: e.RulingMade) -> None:
    """Close the dispute that *ruling* settles, if the dispute is in this world."""
    if ruling.closes in world.disputes:
        dispute = world.inner(world.disputes, ruling.closes)
        world.put(dispute, "closed", int(ruling.received_at.timestamp()))
        world.put(dispute, "ruling", ruling.number)


def reopen_disputes(world: World, ruling: int) -> None:
    """Open the disputes that *ruling* closed again, because it cannot be carried out."""
    for dispute in world.disputes.values():
        if dispute.get("ruling") == ruling:
            world.drop(dispute, "closed")
            world.drop(dispute, "ruling")
