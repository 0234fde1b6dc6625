"""Validity of rulings: which are in force, and which are refused as inconsistent."""

from collections.abc import Sequence
from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.audiences import Audience, intersect
from nomoledger.engine.settlement.input_log import edit_input_log, edited_event
from nomoledger.engine.settlement.rerun import POLICIES
from nomoledger.engine.settlement.settlement import SETTLES
from nomoledger.errors import UnknownError, UsageError
from nomoledger.state.world import World

#: The kinds of rulings on recorded events.
ON_THE_PAST = ("uphold", "ratify", "reject", "replace")


def rulings_in_force(
    world: World, *, before: int | None = None, overruling: Sequence[int] = ()
) -> list[e.RulingMade]:
    """Return the rulings that no ruling in force overrules, oldest first.

    If *before* is given, only rulings with a lower number count. The numbers in *overruling* are
    treated as overruled.
    """
    overruled = {*overruling, *world.game.get("refused", ())}
    in_force = []
    for ruling, _ in reversed(world.rulings.values()):
        if ruling.number not in overruled and (before is None or ruling.number < before):
            in_force.append(ruling)
            overruled.update(ruling.overrules)
    return in_force[::-1]


def edits_of(rulings: list[e.RulingMade]) -> list[e.Edit]:
    """Return all edits of the input log that *rulings* make."""
    return [edit for ruling in rulings for edit in ruling.edits]


def _decided_events(ruling: e.RulingMade) -> set[int]:
    """Return the numbers of the events that *ruling* decides about."""
    numbers = {edited_event(edit) for edit in ruling.edits if not isinstance(edit, e.TakenIn)}
    return {number for number in (*numbers, ruling.about) if number is not None}


def ruling_on_event(world: World, number: int) -> e.RulingMade | None:
    """Return the ruling in force on event *number*, or None."""
    rulings = rulings_in_force(world)
    return next((ruling for ruling in rulings if number in _decided_events(ruling)), None)


def check_ruling(world: World, entries: Sequence[e.Entry], fields: dict[str, Any]) -> None:
    """Check that a ruling with *fields* is consistent with *entries* and with the rulings in force.

    Raises:
        UnknownError: the ruling names an event or overrules a ruling that does not exist.
        UsageError: the ruling changes nothing, or contradicts an earlier ruling without overruling
            it.
    """
    overrules, edits = fields.get("overrules", ()), fields.get("edits", ())
    _check_fields(fields)
    in_force = {ruling.number for ruling in rulings_in_force(world)}
    for number in overrules:
        if number not in in_force:
            known = ", ".join(map(str, sorted(in_force))) or "none"
            raise UnknownError(f"there is no ruling {number} to overrule; in force: {known}")
    events = {edited_event(edit) for edit in edits if not isinstance(edit, e.TakenIn)}
    for event in sorted(number for number in (*events, fields.get("about")) if number is not None):
        if not 0 <= event < len(entries):
            raise UnknownError(f"there is no event #{event}: the last is #{len(entries) - 1}")
        _check_overrules(ruling_on_event(world, event), f"is about #{event}", overrules)
        if event in events and isinstance(entries[event].body, e.KeyPassed):
            raise UsageError(
                f"#{event} passed the key of the game on, and no ruling takes that back:"
                " hand the game over again (nomoledger handover give)"
            )
    for edit in edits:
        earlier = next((x for x in rulings_in_force(world) if edit in x.edits), None)
        _check_overrules(earlier, "makes the same edit", overrules)
    if edits:
        edit_input_log(entries, edits, 0)


def _check_fields(fields: dict[str, Any]) -> None:
    kind, edits, overrules = fields["kind"], fields.get("edits"), fields.get("overrules")
    if kind not in ON_THE_PAST:
        raise UsageError(f"a ruling on what is past is one of {', '.join(ON_THE_PAST)}, not {kind}")
    if kind in ("uphold", "ratify") and edits:
        raise UsageError(
            f"to {kind} an event changes nothing: give no other edits, or use replace or reject"
        )
    if kind == "ratify" and fields.get("about") is None:
        raise UsageError("ratify which event? give its number")
    if kind in ("reject", "replace") and not edits and not overrules:
        raise UsageError(f"{kind} what? give the event and, to replace it, the correct value")
    if edits and not overrules and all(isinstance(edit, e.Answered) for edit in edits):
        raise UsageError(
            "an answer alone changes nothing: also give the edit that raises the question"
        )
    if (settle := fields.get("settle") or "fitting") not in SETTLES:
        raise UsageError(f"settle is one of {', '.join(SETTLES)}, not {settle}")
    if fields.get("questions", "stop") not in POLICIES:
        raise UsageError(f"questions is one of {', '.join(POLICIES)}, not {fields['questions']}")


def _check_overrules(earlier: e.RulingMade | None, what: str, overrules: tuple[int, ...]) -> None:
    """Raise UsageError if there is an *earlier* ruling that is not among the *overrules*."""
    if earlier is not None and earlier.number not in overrules:
        raise UsageError(
            f"ruling {earlier.number} ({earlier.kind}) {what}:"
            f" to rule otherwise, overrule it with --overrule {earlier.number}"
        )


def ruling_audience(entries: Sequence[e.Entry], edits: Sequence[e.Edit]) -> Audience:
    """Return who may see a ruling that makes *edits*: the readers who may see all edited events."""
    readers: Audience = None
    secret = edit_input_log(entries, (), 0).secret
    for edit in edits:
        if isinstance(edit, e.TakenIn):
            readers = intersect(readers, (edit.by,) if edit.action in secret else None)
        elif (number := edited_event(edit)) is not None:
            readers = intersect(readers, entries[number].body.audience)
    return readers


def first_changed_period(
    world: World, entries: Sequence[e.Entry], fields: dict[str, Any]
) -> int | None:
    """Return the first period that a ruling with *fields* changes; None if it edits nothing."""
    before = edits_of(rulings_in_force(world))
    after = edits_of(rulings_in_force(world, overruling=fields.get("overrules", ())))
    changed = [edit for edit in (*before, *after) if (edit in before) != (edit in after)]
    edits = [*fields.get("edits", ()), *changed]
    numbers = [number for edit in edits if (number := edited_event(edit)) is not None]
    return entries[min(numbers)].body.period if numbers else None


def first_edited_event(world: World) -> int | None:
    """Return the first event that any ruling edits, including rulings since overruled."""
    edits = edits_of([ruling for ruling, _ in world.rulings.values()])
    numbers = [number for edit in edits if (number := edited_event(edit)) is not None]
    return min(numbers, default=None)
