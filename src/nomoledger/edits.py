"""The tape with something changed: a die, a submission, a verdict, one more or one less."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError, UsageError

#: Where what is replaced stands, in the inputs that say one thing only.
_SAID = {
    e.DrawEntered: "values",
    e.ChoiceAnswered: "value",
    e.RulingMade: "value",
    e.ProposalJudged: "verdict",
    e.VoteCast: "choice",
}
#: Where the things that are replaced stand by name, in the others.
_NAMED = {e.SubmissionReceived: "arguments", e.FactRecorded: "fields", e.JoinRequested: "details"}


class Tape(msgspec.Struct):
    """What comes from outside from event *first* on, after all edits.

    Attributes:
        inputs: with their numbers as recorded; None for what was taken in.
        draws: the draws made as they were asked for, by address. answers: those given later.
        edited: ids of the inputs that are not as recorded.
    """

    first: int
    inputs: list[tuple[int | None, e.Input]]
    draws: dict[str, list[Any]]
    answers: dict[str, Any]
    edited: set[str]


def touched(edit: e.Edit) -> int | None:
    """The number of the event that *edit* is about; None for the answer to a new question."""
    if isinstance(edit, e.Answered):
        return None
    return edit.after if isinstance(edit, e.TakenIn) else edit.event


def edited_tape(entries: Sequence[e.Entry], edits: Iterable[e.Edit], first: int) -> Tape:
    """The inputs of *entries* from the one behind event *first* on, after all *edits*.

    Raises:
        UnknownError: an edit is about an event that is not there.
        UsageError: it is about one that did not come from outside, or does not fit it.
    """
    edits = list(edits)
    starts = [each.number for each in entries if isinstance(each.body, e.Input)]
    begin = max(start for start in starts if start <= max(first, 0))
    tape = Tape(begin, [], {}, {}, set())
    changes = {touched(each): each for each in edits if isinstance(each, e.Replaced | e.LeftOut)}
    for number in (touched(each) for each in edits):
        if number is not None and not 0 <= number < len(entries):
            raise UnknownError(f"there is no event #{number}: the last is #{len(entries) - 1}")
    for number in changes:
        _check_is_input(entries, number)
    raised = {x.body.question for x in entries if isinstance(x.body, e.QuestionRaised)}
    for entry in entries:
        body, edit = entry.body, changes.get(entry.number)
        if isinstance(body, e.DrawRecorded) and body.address not in raised:
            draw = list(body.values) if edit is None else _drawn(body, edit)
            tape.draws[body.address] = draw
        elif isinstance(body, e.Input) and entry.number >= begin:
            _put(tape, entry.number, body, edit)
        _take_in(tape, entry, [each for each in edits if isinstance(each, e.TakenIn)])
    tape.answers = {each.question: each.value for each in edits if isinstance(each, e.Answered)}
    return tape


def _put(tape: Tape, number: int, body: e.Input, edit: Any) -> None:
    if isinstance(edit, e.LeftOut):
        tape.edited.add(body.id)
        return
    if isinstance(edit, e.Replaced):
        tape.edited.add(body.id)
        body = replaced(body, edit.value)
    tape.inputs.append((number, body))


def _take_in(tape: Tape, entry: e.Entry, edits: list[e.TakenIn]) -> None:
    """What is to be taken in after *entry*, as if it had been received at the same time."""
    for place, edit in enumerate(edits):
        if edit.after == entry.number:
            body = _asked_for(edit, f"taken-in-{edit.after}-{place}", entry.body)
            tape.edited.add(body.id)
            tape.inputs.append((None, body))


def _asked_for(edit: e.TakenIn, id: str, beside: e.Event) -> e.Input:
    """What was overlooked, as the input it would have been at the time of *beside*."""
    fields: dict[str, Any] = {
        "id": id,
        "by": edit.by,
        "period": beside.period,
        "received_at": beside.received_at,
        "recorded_at": beside.recorded_at,
    }
    if edit.action == "vote":
        known = {"proposal", "choice"}
        if set(edit.arguments) != known:
            raise UsageError("a vote that was overlooked says proposal=N choice=WORD")
        return e.VoteCast(**fields, **edit.arguments)
    if edit.action == "leave":
        return e.LeaveRequested(**fields)
    return e.SubmissionReceived(action=edit.action, arguments=edit.arguments, **fields)


def replaced(body: e.Input, value: Any) -> e.Input:
    """*body* as it should have been.

    Raises:
        UsageError: an input of that kind cannot be replaced, or not by this.
    """
    kind = type(body)
    if kind in _SAID:
        field = _SAID[kind]
        if field == "values":
            value = tuple(value) if isinstance(value, list | tuple) else (value,)
        if kind is e.RulingMade and getattr(body, "question", None) is None:
            raise UsageError("a ruling that answered nothing is overruled, not replaced")
        return msgspec.structs.replace(body, **{field: value})
    if kind not in _NAMED:
        raise UsageError(
            f"a {kind.__name__} can be left out, but there is nothing in it to replace"
        )
    if not isinstance(value, dict):
        raise UsageError(f"say what is replaced by name, like {{square: 20}}, not {value!r}")
    field = _NAMED[kind]
    if kind is e.JoinRequested and "name" in value:
        body = msgspec.structs.replace(body, name=str(value["name"]))
        value = {key: each for key, each in value.items() if key != "name"}
    return msgspec.structs.replace(body, **{field: getattr(body, field) | value})


def _drawn(body: e.DrawRecorded, edit: e.Replaced | e.LeftOut) -> list[Any]:
    if isinstance(edit, e.LeftOut):
        raise UsageError("a roll cannot be left out, only be replaced: it was asked for")
    values = list(edit.value) if isinstance(edit.value, list | tuple) else [edit.value]
    if len(values) != len(body.values) or not all(isinstance(each, int) for each in values):
        raise UsageError(f"there were {len(body.values)} dice: give as many numbers")
    return values


def _check_is_input(entries: Sequence[e.Entry], number: int | None) -> None:
    assert number is not None
    body = entries[number].body
    if isinstance(body, e.GameOpened):
        raise UsageError("the opening of the game cannot be edited: open another game")
    if not isinstance(body, e.Input | e.DrawRecorded):
        raise UsageError(
            f"#{number} is what came of #{_source(entries, number)}: that is what can be ruled on"
        )


def _source(entries: Sequence[e.Entry], number: int) -> int:
    """The input behind event *number*."""
    while (cause := entries[number].body.cause) is not None:
        number = cause
    return number
