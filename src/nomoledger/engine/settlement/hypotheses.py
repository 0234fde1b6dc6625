"""Hypotheses: rulings as nobody made them, which a what-if carries out among the recorded ones."""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import field

from nomoledger import events as e
from nomoledger.errors import UnknownError, UsageError
from nomoledger.events.rules import Change


class AddedRuling(msgspec.Struct, frozen=True):
    """A ruling that nobody made.

    Attributes:
        before: number of the event that the ruling comes before, with all of its input. The number
            after the last event puts the ruling at the end.
        changes: the changes of rules and state that the ruling makes.
    """

    before: int = field(name="before")
    changes: tuple[Change, ...] = field(name="changes")


class ChangedRuling(msgspec.Struct, frozen=True):
    """A recorded ruling that makes other changes.

    Attributes:
        number: number of the ruling.
        changes: the changes that it makes in place of its own; empty if it is left out.
    """

    number: int = field(name="number")
    changes: tuple[Change, ...] = field(name="changes")


Hypothesis = AddedRuling | ChangedRuling


def hypothetical_inputs(
    entries: Sequence[e.Entry], hypotheses: Iterable[Hypothesis]
) -> tuple[dict[int, list[e.RulingMade]], dict[int, e.RulingMade]]:
    """Return the rulings to add, and those that take the place of recorded rulings.

    Both are by event number: of the input that a ruling comes before (the number after the last
    event for the end), and of the recorded ruling.

    Raises:
        UnknownError: there is no such event or ruling.
        UsageError: a ruling answered a question, or is changed twice.
    """
    added: dict[int, list[e.RulingMade]] = {}
    changed: dict[int, e.RulingMade] = {}
    for place, hypothesis in enumerate(hypotheses):
        if isinstance(hypothesis, AddedRuling):
            number = _next_input(entries, hypothesis.before)
            added.setdefault(number, []).append(_added_ruling(entries, hypothesis, number, place))
        else:
            entry = find_ruling(entries, hypothesis.number)
            if entry.number in changed:
                raise UsageError(f"ruling {hypothesis.number} can be changed once, not twice")
            changed[entry.number] = _changed_ruling(entry, hypothesis)
    return added, changed


def find_ruling(entries: Sequence[e.Entry], number: int) -> e.Entry:
    """Return the event of ruling *number*.

    Raises:
        UnknownError: there is no such ruling.
    """
    for entry in entries:
        if isinstance(entry.body, e.RulingMade) and entry.body.number == number:
            return entry
    raise UnknownError(f"there is no ruling {number} up to #{len(entries) - 1}")


def _next_input(entries: Sequence[e.Entry], number: int) -> int:
    """Return the number of the first input from event *number* on; else the one after the last."""
    for entry in entries[number:]:
        if isinstance(entry.body, e.Input):
            return entry.number
    return len(entries)


def _added_ruling(
    entries: Sequence[e.Entry], added: AddedRuling, number: int, place: int
) -> e.RulingMade:
    """Return the ruling before input *number*, as if received at the time of the event before.

    Its number is 0 or less, which no recorded ruling has.
    """
    before = entries[number - 1].body
    period = before.period + isinstance(before, e.PeriodClosed)
    return e.RulingMade(
        id=f"supposed-{number}-{place}",
        period=entries[number].body.period if number < len(entries) else period,
        received_at=before.received_at,
        recorded_at=before.recorded_at,
        number=-place,
        kind="correct",
        text=f"supposed before #{number}",
        changes=added.changes,
    )


def _changed_ruling(entry: e.Entry, changed: ChangedRuling) -> e.RulingMade:
    ruling = entry.body
    assert isinstance(ruling, e.RulingMade)
    if ruling.question is not None:
        raise UsageError(
            f"ruling {ruling.number} answered a question: --replace {entry.number}=ANSWER"
        )
    is_of_past = ruling.effective is not None
    return msgspec.structs.replace(
        ruling,
        kind="correct",
        text="other changes are supposed" if changed.changes else "no changes are supposed",
        changes=changed.changes,
        about=None,
        edits=(),
        voids=(),
        overrules=() if is_of_past else ruling.overrules,
        effective=None,
        urgent=ruling.urgent and not is_of_past,
    )
