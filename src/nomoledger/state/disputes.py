"""Disputes: what may be disputed, what is attached to it, and which standings it touches."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError, UsageError
from nomoledger.state.world import Table, World

DAYS_MAX = 36_500
DAY_SECONDS = 86_400


class StandingMark(msgspec.Struct, frozen=True):
    """What is to be known of the standings of a period.

    *disputed* are the open disputes that touch it; *final* says that its time for disputes is over.
    """

    disputed: tuple[int, ...] = ()
    final: bool = False

    def __str__(self) -> str:
        return "disputed" if self.disputed else "final" if self.final else ""


def standing_mark(world: World, period: int, reader: str | None = "admin") -> StandingMark:
    """How the standings of *period* are marked in *world*, as far as *reader* may know.

    A dispute touches the period that is disputed and every later one. A closed period is final
    when the days of `FinalitySet` have gone by since its close, and since the close of the last
    dispute that touched it.
    """
    touching = [x for x in _known(world, reader) if x["period"] <= period]
    disputed = tuple(each["number"] for each in touching if is_open(each))
    return StandingMark(disputed, not disputed and _is_over(world, period, touching))


def _is_over(world: World, period: int, touching: list[Table]) -> bool:
    final = _final(world, period, touching)
    return final is not None and bool(world.game["now"] >= final)


def _final(world: World, period: int, touching: list[Table]) -> int | None:
    """When the time for disputes of *period* is over, in seconds since 1970."""
    days, past = world.game.get("final_after"), world.past.get(period)
    if days is None or past is None:
        return None
    since: int = max([past["at"], *(each["closed"] for each in touching)])
    return since + int(days) * DAY_SECONDS


def next_final(world: World) -> int | None:
    """When the standings of a closed period next turn final, if nobody disputes them."""
    moments = []
    for period in world.past:
        touching = [x for x in world.disputes.values() if x["period"] <= period]
        final = None if any(map(is_open, touching)) else _final(world, period, touching)
        if final is not None and final > world.game["now"]:
            moments.append(final)
    return min(moments, default=None)


def is_open(dispute: Table) -> bool:
    """Whether no ruling has closed *dispute*."""
    return "closed" not in dispute


def open_disputes(world: World, reader: str | None = "admin") -> list[Table]:
    """The disputes that no ruling has closed."""
    return [each for each in _known(world, reader) if is_open(each)]


def _known(world: World, reader: str | None) -> Iterator[Table]:
    """The disputes that *reader* may know of."""
    for each in world.disputes.values():
        if reader == "admin" or each["audience"] is None or reader in each["audience"]:
            yield each


# --- what a request must fit ---------------------------------------------------------------------


def opening(
    world: World, entries: Sequence[e.Entry], by: str, period: int | None, about: int | None
) -> dict[str, Any]:
    """The fields of a dispute of all of *period*, or of event *about*.

    Raises:
        UnknownError: that period or event is not there, or nothing that *by* may know of.
        UsageError: neither is given; or the period is final, and *by* is a player.
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
    """Who may know of a dispute of event *about*: whoever may know of the event."""
    if not 0 <= about < len(entries):
        raise UnknownError(f"there is no event #{about}: the last is #{len(entries) - 1}")
    audience = entries[about].body.audience
    if by != "admin" and audience is not None and by not in audience:
        raise UnknownError(f"{by} knows of no event #{about}")
    return audience


def the_open(world: World, number: int, reader: str | None = "admin") -> Table:
    """The open dispute of that *number*.

    Raises:
        UnknownError: there is none that *reader* may know of.
        UsageError: a ruling has closed it.
    """
    known = {each["number"]: each for each in _known(world, reader)}
    if number not in known:
        there = ", ".join(map(str, known)) or "none"
        raise UnknownError(f"there is no dispute {number}; there is: {there}")
    dispute = known[number]
    if not is_open(dispute):
        raise UsageError(f"dispute {number} is closed by ruling {dispute['ruling']}: open another")
    return dispute


def audience(world: World, closes: int | None) -> tuple[str, ...] | None:
    """Who may know of a ruling that does nothing but close that dispute, if it closes one."""
    found: tuple[str, ...] | None = world.disputes.get(closes or 0, {}).get("audience")
    return found


def check_words(text: str) -> None:
    """Turn down a dispute or an argument that says nothing."""
    if not text.strip():
        raise UsageError("say it in words: the text is empty")


def check_days(days: int) -> None:
    """Turn down a time after which nothing could turn final."""
    if not 0 <= days <= DAYS_MAX:
        raise UsageError(f"standings turn final after 0 to {DAYS_MAX} days, not {days}")


# --- what events do to them: see `nomoledger.state.reducer` ---------------------------------------------


def opened(world: World, event: e.DisputeOpened) -> None:
    """There is a new dispute."""
    dispute = {"number": event.number, "by": event.by, "period": event.disputed}
    dispute |= {"about": event.about, "text": event.text, "audience": event.audience}
    dispute |= {"opened": int(event.received_at.timestamp()), "arguments": 0}
    world.put(world.disputes, event.number, dispute)


def argued(world: World, event: e.DisputeArgued) -> None:
    """One more argument, where the dispute is known here."""
    if event.dispute in world.disputes:
        dispute = world.inner(world.disputes, event.dispute)
        world.put(dispute, "arguments", dispute["arguments"] + 1)


def closed(world: World, ruling: e.RulingMade) -> None:
    """The dispute that *ruling* settles is closed, where it is known here."""
    if ruling.closes in world.disputes:
        dispute = world.inner(world.disputes, ruling.closes)
        world.put(dispute, "closed", int(ruling.received_at.timestamp()))
        world.put(dispute, "ruling", ruling.number)


def reopened(world: World, ruling: int) -> None:
    """What that *ruling* was to settle is open again: it cannot be carried out."""
    for dispute in world.disputes.values():
        if dispute.get("ruling") == ruling:
            world.drop(dispute, "closed")
            world.drop(dispute, "ruling")
