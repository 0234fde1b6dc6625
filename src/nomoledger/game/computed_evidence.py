"""What is attached to disputes: replays and what-ifs, computed from what the readers may see.

Whoever may see the dispute may see every event behind its evidence. The evidence therefore depends
on nothing sealed, and on nothing that a player or the admin has made up.
"""

from hashlib import sha256
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import RuleFault, UnknownError, UsageError
from nomoledger.game.counterfactual import WhatIf, WhatIfChanges, run_again
from nomoledger.game.visible_record import VisibleRecord, replay_visible
from nomoledger.ledger.event_history import History
from nomoledger.proof.public_numbering import SEALED
from nomoledger.proof.translation import map_event_numbers
from nomoledger.sandbox.limits import Limits

#: Who may see something: these players and the admin; None is everybody.
Audience = tuple[str, ...] | None

_NEEDS_MORE = (
    "this what-if cannot be attached: recorded play does not follow from the events alone that"
    " everybody who sees the dispute may see; give the argument in words"
)


class _Saved(msgspec.Struct, frozen=True):
    """What counts of a saved what-if: the game, and what was changed."""

    game: str
    changes: WhatIfChanges


def replay_evidence(
    history: History, period: int, audience: Audience, limits: Limits | None = None
) -> dict[str, Any]:
    """Return the text and the evidence of a replay of *period*, for a dispute of this *audience*.

    Only the record that the audience may see is replayed.
    """
    text = f"replay of period {period}"
    record = VisibleRecord(history, audience)
    secret = history.ledger.secret(history.game)
    try:
        report = replay_visible(record, secret, period, limits)
    except RuleFault as fault:
        return {"text": f"{text}: {fault}", "evidence": {}}
    return {"text": text, "evidence": _recorded(to_plain_values(report), record)}


def what_if_evidence(
    history: History, changed: WhatIfChanges, audience: Audience, limits: Limits | None = None
) -> dict[str, Any]:
    """Return the what-if of what *changed*, as evidence in a dispute of this *audience*.

    Raises:
        UsageError: an edit refers to an event that the audience may not see; or recorded play
            cannot be played again from the events that the audience may see.
    """
    record = VisibleRecord(history, audience)
    if changed.until is not None and changed.until >= history.world().period:
        raise UnknownError(f"{history.game}: period {changed.until} is not closed")
    changed = _in_visible_terms(record, changed)
    result = _run(history, record, changed, limits)
    if not _follows(history, record, result.first, changed.until, limits):
        raise UsageError(_NEEDS_MORE)
    return _recorded(to_plain_values(result) | {"computed": True}, record)


def what_if_for(
    history: History, changed: WhatIfChanges, player: str, limits: Limits | None = None
) -> WhatIf:
    """Return the what-if of what *changed*, computed from the events that *player* may see.

    Raises:
        UsageError: recorded play cannot be played again from those events alone.
    """
    record = VisibleRecord(history, (player,))
    result = _run(history, record, changed, limits)
    if not _follows(history, record, result.first, changed.until, limits):
        raise UsageError("recorded play does not follow from what you may see alone")
    return result


def _follows(
    history: History, record: VisibleRecord, first: int, until: int | None, limits: Limits | None
) -> bool:
    """Return whether play from event *first* to the close of *until* follows from *record*.

    It does if it comes out as recorded when it is played again. With a ruling on the past it
    cannot: then each request has to lead to what is recorded, from the state before it.
    """
    entries = record.entries[first:]
    since = record.entries[first].body.period
    again = _run(history, record, WhatIfChanges(since=since, until=until), limits)
    if not (again.difference or again.otherwise or again.orphans or again.stopped):
        return True
    rulings = (x.body for x in record.entries if isinstance(x.body, e.RulingMade))
    is_of_past = any(ruling.effective is not None for ruling in rulings)
    if not is_of_past or any(entry.body.cause == SEALED for entry in entries):
        return False
    secret = history.ledger.secret(history.game)
    last = record.entries[-1].body.period if until is None else until
    periods = range(since, last + 1)
    return all(replay_visible(record, secret, x, limits).beyond is None for x in periods)


def _run(
    history: History, record: VisibleRecord, changed: WhatIfChanges, limits: Limits | None
) -> WhatIf:
    """Return the what-if on *record*. New dice of the open period come from a seed of no value."""
    world = record.world()
    if world is None:
        raise UsageError(_NEEDS_MORE)
    secret = history.ledger.secret(history.game)
    throwaway = sha256(b"what-if " + msgspec.json.encode(changed, enc_hook=str)).digest()
    try:
        return run_again(
            record.game, record.entries, world, secret, changed, throwaway=throwaway, limits=limits
        )
    except RuleFault as fault:
        raise UsageError(f"{_NEEDS_MORE} ({fault})") from None


def _in_visible_terms(record: VisibleRecord, changed: WhatIfChanges) -> WhatIfChanges:
    """Return *changed* with the numbers that the readers of *record* know."""
    edits = tuple(_edit_in_visible_terms(record, edit) for edit in changed.edits)
    overrules = tuple(map(record.terms.rulings.of, changed.overrules))
    instead = tuple(
        msgspec.structs.replace(ruling, number=record.terms.rulings.of(ruling.number))
        for ruling in changed.instead
    )
    if SEALED in (*overrules, *(ruling.number for ruling in instead)):
        raise UsageError("what-if: not everybody who sees the dispute may know of that ruling")
    after = None if changed.after is None else _visible_number(record, changed.after)
    return msgspec.structs.replace(
        changed, edits=edits, overrules=overrules, instead=instead, after=after
    )


def _edit_in_visible_terms(record: VisibleRecord, edit: e.Edit) -> e.Edit:
    if isinstance(edit, e.Answered):
        return edit
    name = "after" if isinstance(edit, e.TakenIn) else "event"
    number = _visible_number(record, getattr(edit, name))
    return msgspec.structs.replace(edit, **{name: number})


def _visible_number(record: VisibleRecord, recorded: int) -> int:
    """Return the number that the readers of *record* know event number *recorded* by."""
    number = record.visible_number(recorded)
    if number is None:
        raise UnknownError(
            f"there is no event #{recorded} that everybody who sees the dispute may see"
        )
    return number


def _recorded(evidence: dict[str, Any], record: VisibleRecord) -> dict[str, Any]:
    """Return *evidence* with the numbers of the ledger; each reader's numbers come from these."""
    evidence = map_event_numbers(evidence, record.recorded_number)
    assert isinstance(evidence, dict)
    return evidence


def to_plain_values(report: Any) -> dict[str, Any]:
    """Return a struct as plain values, for JSON."""
    encoded = msgspec.json.encode(report, enc_hook=str)
    return msgspec.json.decode(encoded, type=dict[str, Any])


def read_what_if(text: bytes, game: str) -> WhatIfChanges:
    """Return what the what-if of *game* changed that was saved as *text*.

    The results in *text* are not read: they are computed again.

    Raises:
        UsageError: *text* is not a what-if, or belongs to another game.
    """
    try:
        saved = msgspec.json.decode(text, type=_Saved)
    except (msgspec.MsgspecError, ArithmeticError, RecursionError, ValueError) as error:
        raise UsageError(f"not a what-if: {error}; save one with what-if --save FILE") from None
    if saved.game != game:
        raise UsageError(f"a what-if of the game {saved.game}, not of {game}")
    return saved.changes
