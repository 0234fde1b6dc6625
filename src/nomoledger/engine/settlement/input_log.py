"""The tape with something changed: a die, a submission, a verdict, one more or one less."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.settlement.replacements import replace_draw, replace_input
from nomoledger.errors import UnknownError, UsageError


class InputLog(msgspec.Struct):
    """What comes from outside from event *first* on, after all edits.

    Attributes:
        inputs: with their numbers as recorded; None for what was taken in.
        draws: the draws made as they were asked for, by address. answers: those given later.
        edited: ids of the inputs, and addresses of the draws, that are not as recorded.
        asked: the questions that were put. settled: the rulings that were settled.
        secret: the actions that were ever secret. closed: by period, the input that closed it.
    """

    first: int
    inputs: list[tuple[int | None, e.Input]]
    draws: dict[str, list[Any]]
    answers: dict[str, Any]
    edited: set[str]
    asked: dict[str, e.QuestionRaised]
    settled: set[int]
    secret: set[str]
    closed: dict[int, int]


def edited_event(edit: e.Edit) -> int | None:
    """The number of the event that *edit* is about; None for the answer to a new question."""
    if isinstance(edit, e.Answered):
        return None
    return edit.after if isinstance(edit, e.TakenIn) else edit.event


def edit_input_log(entries: Sequence[e.Entry], edits: Iterable[e.Edit], first: int) -> InputLog:
    """The inputs of *entries* from the one behind event *first* on, after all *edits*.

    Raises:
        UnknownError: an edit is about an event that is not there.
        UsageError: it is about one that did not come from outside, or does not fit it.
    """
    edits = list(edits)
    changes = _changes(entries, edits)
    missed = overlooked(edits)
    starts = [each.number for each in entries if isinstance(each.body, e.Input)]
    begin = max(start for start in starts if start <= max(first, 0))
    tape = InputLog(begin, [], {}, {}, set(), {}, set(), set(), {})
    last = 0
    for entry in entries:
        last = entry.number if isinstance(entry.body, e.Input) else last
        _note(tape, entry.body, last)
    for entry in entries:
        body, edit = entry.body, changes.get(entry.number)
        if isinstance(body, e.DrawRecorded) and body.address not in tape.asked:
            _put_draw(tape, body, edit)
        elif isinstance(body, e.Input) and entry.number >= begin:
            _put(tape, entry.number, body, edit)
        for id, taken_in in missed.items():
            if taken_in.after == entry.number:
                _take_in(tape, entry.body, taken_in, id)
    tape.answers = {each.question: each.value for each in edits if isinstance(each, e.Answered)}
    return tape


def _changes(entries: Sequence[e.Entry], edits: list[e.Edit]) -> dict[int, e.Replaced | e.LeftOut]:
    """What becomes of the inputs, by number, if all of it makes sense."""
    for number in (edited_event(each) for each in edits):
        if number is not None and not 0 <= number < len(entries):
            raise UnknownError(f"there is no event #{number}: the last is #{len(entries) - 1}")
    changes: dict[int, e.Replaced | e.LeftOut] = {}
    for edit in edits:
        if isinstance(edit, e.Replaced | e.LeftOut):
            if edit.event in changes:
                raise UsageError(f"#{edit.event} can be edited once, not twice")
            _check_is_input(entries, edit.event)
            changes[edit.event] = edit
    return changes


def _note(tape: InputLog, body: e.Event, last: int) -> None:
    """Keep what has to be known of *body*, which followed from input number *last*."""
    if isinstance(body, e.QuestionRaised):
        tape.asked[body.question] = body
    elif isinstance(body, e.Settled):
        tape.settled.add(body.ruling)
    elif isinstance(body, e.PeriodClosed):
        tape.closed[body.period] = last
    elif isinstance(body, e.RuleEnacted | e.RuleAmended):
        tape.secret.update(body.rule.secret)


def _put_draw(tape: InputLog, body: e.DrawRecorded, edit: e.Replaced | e.LeftOut | None) -> None:
    tape.draws[body.address] = list(body.values) if edit is None else replace_draw(body, edit)
    if edit is not None:
        tape.edited.add(body.address)


def _put(tape: InputLog, number: int, body: e.Input, edit: Any) -> None:
    if isinstance(edit, e.LeftOut):
        tape.edited.add(body.id)
        if isinstance(body, e.ProposalMade):
            tape.inputs.append((number, body))
        return
    if isinstance(edit, e.Replaced):
        tape.edited.add(body.id)
        question = tape.asked.get(str(getattr(body, "question", None)))
        body = replace_input(body, edit.value, question)
    tape.inputs.append((number, body))


def overlooked(edits: list[e.Edit]) -> dict[str, e.TakenIn]:
    """What is to be taken in, by an id that no other edit changes, as dice hang on it."""
    found: dict[str, e.TakenIn] = {}
    times: Counter[bytes] = Counter()
    for edit in edits:
        if isinstance(edit, e.TakenIn):
            said = msgspec.json.encode(edit, order="deterministic", enc_hook=str)
            times[said] += 1
            digest = hashlib.sha256(said + b"#%d" % times[said]).hexdigest()[:8]
            found[f"taken-in-{edit.after}-{digest}"] = edit
    return found


def _take_in(tape: InputLog, beside: e.Event, edit: e.TakenIn, id: str) -> None:
    """What is to be taken in after *beside*, as if it had been received at the same time."""
    body = _asked_for(edit, id, beside)
    if edit.action in tape.secret:
        body = msgspec.structs.replace(body, audience=(edit.by,))
    tape.edited.add(id)
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


def _check_is_input(entries: Sequence[e.Entry], number: int) -> None:
    body = entries[number].body
    if isinstance(body, e.RulingMade) and body.effective is not None:
        raise UsageError(f"ruling {body.number} is overruled, not edited: --overrule {body.number}")
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
