"""The input log of a game with edits: inputs and draws replaced, left out or added."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import field

from nomoledger import events as e
from nomoledger.engine.settlement.hypotheses import Hypothesis, hypothetical_inputs
from nomoledger.engine.settlement.replacements import replace_draw, replace_input
from nomoledger.engine.undone import undone_inputs
from nomoledger.errors import UnknownError, UsageError
from nomoledger.state.draws import is_of_ruling
from nomoledger.state.reducer import SETTLE


class InputLog(msgspec.Struct):
    """The inputs from event *first* on and the draws, after all edits.

    Attributes:
        inputs: the inputs with their recorded numbers; None for inputs that an edit added.
        draws: the draws that were answered at once, by the address of the question.
        addresses: the addresses of these draws, where they are not those of the questions.
        answers: the answers that edits give to new questions, by address.
        edited: the ids of the inputs, and the addresses of the questions of the draws, that differ
            from the record.
        asked: the recorded questions, by address.
        settled: the numbers of the rulings that were settled.
        secret: the names of the actions that were ever secret.
        closed: the number of the input that closed each period.
        undone: the ids of the inputs that are left out because they were taken back.
        supposed: what to call each ruling that nobody made so, by id.
    """

    first: int
    inputs: list[tuple[int | None, e.Input]] = field(default_factory=list)
    draws: dict[str, list[Any]] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    edited: set[str] = field(default_factory=set)
    asked: dict[str, e.QuestionRaised] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)
    secret: set[str] = field(default_factory=set)
    closed: dict[int, int] = field(default_factory=dict)
    undone: frozenset[str] = frozenset()
    supposed: dict[str, str] = field(default_factory=dict)


def edited_event(edit: e.Edit) -> int | None:
    """Return the number of the event that *edit* concerns; None for an answer to a new question."""
    if isinstance(edit, e.Answered):
        return None
    return edit.after if isinstance(edit, e.TakenIn) else edit.event


def edit_input_log(
    entries: Sequence[e.Entry],
    edits: Iterable[e.Edit],
    first: int,
    hypotheses: Iterable[Hypothesis] = (),
) -> InputLog:
    """Apply *edits* to the inputs and draws of *entries*, from the input that led to event *first*.

    The rulings of *hypotheses* are added, or take the place of those that were made.

    Raises:
        UnknownError: an edit concerns an event that does not exist.
        UsageError: an edit concerns an event that is not an input or a draw, or does not fit it.
    """
    edits = list(edits)
    edit_of = _edits_by_event(entries, edits)
    rulings, ruled_otherwise = hypothetical_inputs(entries, hypotheses)
    added = overlooked(edits)
    numbers = [entry.number for entry in entries if isinstance(entry.body, e.Input)]
    first = min([first, *_foreseeing(entries, edit_of)])
    log = InputLog(first=max(number for number in numbers if number <= max(first, 0)))
    log.undone = undone_inputs(entry.body for entry in entries[log.first :])
    last_input, void = 0, _refused_rulings(entries)
    for entry in entries:
        last_input = entry.number if isinstance(entry.body, e.Input) else last_input
        _note_consequence(log, entry.body, last_input)
    for entry in entries:
        _add_rulings(log, rulings.get(entry.number, ()), f"the ruling before #{entry.number}")
        body, edit = entry.body, edit_of.get(entry.number)
        if isinstance(body, e.DrawRecorded) and body.answers not in log.asked:
            if not (body.asked and is_of_ruling(body) and body.cause in void):
                _add_draw(log, body, edit)
        elif isinstance(body, e.Input) and entry.number >= log.first and body.id not in log.undone:
            if entry.number in ruled_otherwise:
                body = ruled_otherwise[entry.number]
                log.supposed[body.id] = f"ruling {body.number}"
                log.edited.add(body.id)
            _add_input(log, entry.number, body, edit)
        for id, addition in added.items():
            if addition.after == entry.number:
                _add_overlooked(log, entry.body, addition, id)
    _add_rulings(log, rulings.get(len(entries), ()), "the ruling at the end")
    log.answers = {edit.question: edit.value for edit in edits if isinstance(edit, e.Answered)}
    return log


def _edits_by_event(
    entries: Sequence[e.Entry], edits: list[e.Edit]
) -> dict[int, e.Replaced | e.LeftOut]:
    """Return the replacements and omissions by event number, after checking all *edits*."""
    for number in map(edited_event, edits):
        if number is not None and not 0 <= number < len(entries):
            raise UnknownError(f"there is no event #{number}: the last is #{len(entries) - 1}")
        if number is not None:
            _check_is_not_undone(entries, number)
    edit_of: dict[int, e.Replaced | e.LeftOut] = {}
    for edit in edits:
        if isinstance(edit, e.Replaced | e.LeftOut):
            if edit.event in edit_of:
                raise UsageError(f"#{edit.event} can be edited once, not twice")
            _check_is_input(entries, edit.event)
            edit_of[edit.event] = edit
    return edit_of


def _foreseeing(
    entries: Sequence[e.Entry], edit_of: dict[int, e.Replaced | e.LeftOut]
) -> Iterator[int]:
    """Yield the numbers of the facts whose attempts end where an edited fact says."""
    edited = {body.id for n in edit_of if isinstance(body := entries[n].body, e.FactRecorded)}
    for entry in entries if edited else ():
        ahead = entry.body.ahead if isinstance(entry.body, e.FactRecorded) else None
        if ahead is not None and ahead.id in edited:
            yield entry.number


def _note_consequence(log: InputLog, body: e.Event, last_input: int) -> None:
    """Note questions, settlements, closes and secret actions; *body* follows from *last_input*."""
    if isinstance(body, e.QuestionRaised):
        log.asked[body.question] = body
    elif isinstance(body, e.Settled):
        log.settled.add(body.ruling)
    elif isinstance(body, e.PeriodClosed):
        log.closed[body.period] = last_input
    elif isinstance(body, e.RuleEnacted | e.RuleAmended):
        log.secret.update(body.rule.secret)


def _refused_rulings(entries: Sequence[e.Entry]) -> set[int | None]:
    """Return the numbers of the rulings that could not be settled; their draws were not used."""
    bodies = (entry.body for entry in entries)
    refusals = (body for body in bodies if isinstance(body, e.AttemptRefused))
    return {refusal.cause for refusal in refusals if refusal.operation == SETTLE}


def _add_draw(log: InputLog, body: e.DrawRecorded, edit: e.Replaced | e.LeftOut | None) -> None:
    log.draws[body.answers] = list(body.values) if edit is None else replace_draw(body, edit)
    if body.asked:
        log.addresses[body.asked] = body.address
    if edit is not None:
        log.edited.add(body.answers)


def _add_input(log: InputLog, number: int, body: e.Input, edit: Any) -> None:
    if isinstance(edit, e.LeftOut):
        log.edited.add(body.id)
        if isinstance(body, e.FactRecorded):
            _forget(log, body)
        if isinstance(body, e.ProposalMade):  # replayed as void, so that it keeps its number
            log.inputs.append((number, body))
        return
    if isinstance(edit, e.Replaced):
        log.edited.add(body.id)
        question = log.asked.get(str(getattr(body, "question", None)))
        body = replace_input(body, edit.value, question)
    if edit is not None and isinstance(body, e.FactRecorded):
        _foresee(log, body)
    log.inputs.append((number, body))


def _add_rulings(log: InputLog, rulings: Iterable[e.RulingMade], called: str) -> None:
    """Add *rulings* that nobody made, each to be *called* so in messages."""
    for ruling in rulings:
        log.supposed[ruling.id] = called
        log.inputs.append((None, ruling))


def _forget(log: InputLog, fact: e.FactRecorded) -> None:
    """Have no attempt end where *fact* says, which is left out."""
    for place, (number, before) in enumerate(log.inputs):
        ahead = before.ahead if isinstance(before, e.FactRecorded) else None
        if ahead is not None and ahead.id == fact.id:
            log.inputs[place] = number, msgspec.structs.replace(before, ahead=None)


def _foresee(log: InputLog, fact: e.FactRecorded) -> None:
    """Have the attempt that foresees *fact* end where *fact* says now."""
    for place in reversed(range(len(log.inputs))):
        number, before = log.inputs[place]
        if not isinstance(before, e.FactRecorded) or before.period != fact.period:
            return
        if before.ahead is not None and before.ahead.id == fact.id:
            ahead = e.FactAhead(fact.id, fact.kind, fact.fields)
            log.inputs[place] = number, msgspec.structs.replace(before, ahead=ahead)
            return


def overlooked(edits: list[e.Edit]) -> dict[str, e.TakenIn]:
    """Return the overlooked inputs that *edits* add, by id.

    An id depends on nothing but its own edit, because the dice of the input depend on its id.
    """
    inputs: dict[str, e.TakenIn] = {}
    counts: Counter[bytes] = Counter()
    for edit in edits:
        if isinstance(edit, e.TakenIn):
            encoded = msgspec.json.encode(edit, order="deterministic", enc_hook=str)
            counts[encoded] += 1
            digest = hashlib.sha256(encoded + b"#%d" % counts[encoded]).hexdigest()[:8]
            inputs[f"taken-in-{edit.after}-{digest}"] = edit
    return inputs


def _add_overlooked(log: InputLog, after: e.Event, edit: e.TakenIn, id: str) -> None:
    """Add an overlooked input as if it had been received at the time of the event *after*."""
    body = _overlooked_input(edit, id, after)
    if edit.action in log.secret:
        body = msgspec.structs.replace(body, audience=(edit.by,))
    log.edited.add(id)
    log.inputs.append((None, body))


def _overlooked_input(edit: e.TakenIn, id: str, after: e.Event) -> e.Input:
    fields: dict[str, Any] = {
        "id": id,
        "by": edit.by,
        "period": after.period,
        "received_at": after.received_at,
        "recorded_at": after.recorded_at,
    }
    if edit.action == "vote":
        if set(edit.arguments) != {"proposal", "choice"}:
            raise UsageError("an overlooked vote needs proposal=N choice=WORD")
        return e.VoteCast(**fields, **edit.arguments)
    if edit.action == "leave":
        return e.LeaveRequested(**fields)
    return e.SubmissionReceived(action=edit.action, arguments=edit.arguments, **fields)


def _check_is_not_undone(entries: Sequence[e.Entry], number: int) -> None:
    body = entries[_source(entries, number)].body
    if isinstance(body, e.Input) and body.id in undone_inputs(entry.body for entry in entries):
        raise UsageError(f"#{number} was taken back, so it does not count anyway")


def _check_is_input(entries: Sequence[e.Entry], number: int) -> None:
    body = entries[number].body
    if isinstance(body, e.RulingMade) and body.effective is not None:
        raise UsageError(f"ruling {body.number} is overruled, not edited: --overrule {body.number}")
    if isinstance(body, e.GameOpened):
        raise UsageError("the opening of the game cannot be edited: open another game")
    if not isinstance(body, e.Input | e.DrawRecorded):
        raise UsageError(
            f"#{number} follows from #{_source(entries, number)}: rule on that event instead"
        )


def _source(entries: Sequence[e.Entry], number: int) -> int:
    """Return the number of the input that led to event *number*."""
    while (cause := entries[number].body.cause) is not None:
        number = cause
    return number
