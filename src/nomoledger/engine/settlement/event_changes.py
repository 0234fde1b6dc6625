"""Two lines of play compared event by event: what happened, and what would have happened."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.settlement.timeline import Timeline, compared_fields


class EventChange(msgspec.Struct, frozen=True):
    """An event that differs between two lines of play.

    Attributes:
        number: the number of the recorded event, or of the recorded input that led to it; None if
            no input of the record did.
        before: the event in the one line of play; None if it has no such event.
        after: the event in the other line of play; None if it has no such event.
        differs: whether *before* and *after* are not the same.
    """

    number: int | None
    before: e.Event | None
    after: e.Event | None
    differs: bool


#: An input of either line of play: its number in the record, if it is recorded, and its id.
_Input = tuple[int | None, str]
#: The places of two events that belong together, and whether they differ.
_Pair = tuple[int | None, int | None, bool]


def event_changes(before: Timeline, after: Timeline) -> Iterator[list[EventChange]]:
    """Yield the events of each input in order, paired, those that are the same in both included.

    Both timelines have run. An event that no longer happens, or happens only now, has no partner.
    """
    recorded = after.recorded_batches()
    for number, id in _inputs(before, after):
        old, new = (line.rerun.events.get(id, []) for line in (before, after))
        known = recorded.get(id, [])
        numbers = _numbers(number, old, known)
        yield [_change(number, numbers, old, new, pair) for pair in _pairs(old, new)]


def _inputs(before: Timeline, after: Timeline) -> list[_Input]:
    """Return the inputs of both lines of play, in their order."""
    places: dict[str, tuple[int, int]] = {}
    numbers: dict[str, int | None] = {}
    for line in (before, after):
        last = -1
        for order, (number, body) in enumerate(line.input_log.inputs):
            last = last if number is None else number
            places.setdefault(body.id, (last, 0 if number is not None else 1 + order))
            numbers.setdefault(body.id, number)
    return [(numbers[id], id) for id in sorted(places, key=lambda id: places[id])]


def _numbers(
    number: int | None, events: Sequence[e.Event], recorded: Sequence[e.Event]
) -> list[int | None]:
    """Return the numbers of *events* in the record, where *recorded* is what follows *number*.

    An event that is not recorded has the number of its input.
    """
    if number is None:
        return [None] * len(events)
    numbers: list[int | None] = [number] * len(events)
    matcher = SequenceMatcher(None, _keys(events), _keys(recorded), autojunk=False)
    for start, recorded_start, length in matcher.get_matching_blocks():
        for step in range(length):
            numbers[start + step] = number + recorded_start + step
    return numbers


def _change(
    number: int | None,
    numbers: Sequence[int | None],
    old: Sequence[e.Event],
    new: Sequence[e.Event],
    pair: _Pair,
) -> EventChange:
    left, right, differs = pair
    return EventChange(
        number=number if left is None else numbers[left],
        before=None if left is None else old[left],
        after=None if right is None else new[right],
        differs=differs,
    )


def _pairs(old: Sequence[e.Event], new: Sequence[e.Event]) -> Iterator[_Pair]:
    """Yield the places of events that belong together, in order."""
    matcher = SequenceMatcher(None, _keys(old), _keys(new), autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            for place, at in zip(range(start, end), range(new_start, new_end), strict=True):
                yield place, at, False
        else:
            yield from _alike(old, new, range(start, end), range(new_start, new_end))


def _alike(
    old: Sequence[e.Event], new: Sequence[e.Event], places: range, new_places: range
) -> Iterator[_Pair]:
    """Yield the places of events that differ: those about the same in pairs, others alone."""
    waiting = list(new_places)
    for place in places:
        partner = _partner(old[place], new, waiting)
        if partner is not None:
            before = waiting[: waiting.index(partner)]
            yield from ((None, at, True) for at in before)
            del waiting[: len(before) + 1]
        yield place, partner, True
    yield from ((None, at, True) for at in waiting)


def _partner(event: e.Event, others: Sequence[e.Event], places: list[int]) -> int | None:
    """Return the first of *places* whose event is about the same as *event*.

    A payment between the same accounts comes before one to somebody else.
    """
    subject = _subject(event)
    alike = [place for place in places if _subject(others[place]) == subject]
    exact = (place for place in alike if _accounts(others[place]) == _accounts(event))
    return next(exact, alike[0] if alike else None)


def _accounts(event: e.Event) -> frozenset[str]:
    postings = event.postings if isinstance(event, e.Posted) else ()
    return frozenset(posting.account for posting in postings)


def _subject(event: e.Event) -> tuple[Any, ...]:
    """Return what *event* is about, so that two results of the same step have the same subject."""
    if isinstance(event, e.Posted):
        return type(event), frozenset(x.account for x in event.postings if x.amount < 0)
    if isinstance(event, e.Moved):
        return type(event), event.piece
    if isinstance(event, e.AttributeSet):
        return type(event), event.entity, event.attribute
    if isinstance(event, e.EntityCreated):
        return type(event), event.kind
    if isinstance(event, e.EntityDestroyed):
        return type(event), event.entity
    return (type(event),)


def _keys(events: Sequence[e.Event]) -> list[str]:
    """Return what is compared of each event, in a form that can be compared at once."""
    return [repr(compared_fields(event)) for event in events]
