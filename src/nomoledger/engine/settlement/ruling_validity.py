"""Rulings: which hold, what they are about, and which make no sense."""

from collections.abc import Sequence
from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.audiences import Audience, intersect
from nomoledger.engine.settlement.input_log import edit_input_log, edited_event
from nomoledger.engine.settlement.rerun import POLICIES
from nomoledger.engine.settlement.settlement import SETTLES
from nomoledger.errors import UnknownError, UsageError
from nomoledger.state.world import World

KINDS = ("answer", "uphold", "reject", "replace", "ratify", "correct")
#: Those that decide about what is recorded.
ON_THE_PAST = ("uphold", "ratify", "reject", "replace")
SCOPES = ("attempt", "period", "onwards", "precedent")


def rulings_in_force(
    world: World, *, before: int | None = None, overruling: Sequence[int] = ()
) -> list[e.RulingMade]:
    """The rulings that hold, in their order: those that none that holds has overruled.

    Only those made *before* that number count, where it is given, and as if one more were
    *overruling* some of them.
    """
    gone, found = {*overruling, *world.game.get("refused", ())}, []
    for ruling, _ in reversed(world.rulings.values()):
        if ruling.number not in gone and (before is None or ruling.number < before):
            found.append(ruling)
            gone.update(ruling.overrules)
    return found[::-1]


def edits_of(rulings: list[e.RulingMade]) -> list[e.Edit]:
    """All edits of the tape that *rulings* make."""
    return [edit for ruling in rulings for edit in ruling.edits]


def about(ruling: e.RulingMade) -> set[int]:
    """The events that *ruling* is about."""
    numbers = {edited_event(edit) for edit in ruling.edits if not isinstance(edit, e.TakenIn)}
    return {each for each in (*numbers, ruling.about) if each is not None}


def on_event(world: World, number: int) -> e.RulingMade | None:
    """The ruling on event *number* that holds, if there is one."""
    return next((each for each in rulings_in_force(world) if number in about(each)), None)


def check(world: World, entries: Sequence[e.Entry], fields: dict[str, Any]) -> None:
    """Turn down a ruling with *fields* that makes no sense beside what is recorded.

    Raises:
        UnknownError: it is about an event, or overrules a ruling, that is not there.
        UsageError: it says nothing, or contradicts an earlier ruling without overruling it.
    """
    overrules, edits = fields.get("overrules", ()), fields.get("edits", ())
    _check_says_something(fields)
    holding = {each.number for each in rulings_in_force(world)}
    for number in overrules:
        if number not in holding:
            known = ", ".join(map(str, sorted(holding))) or "none"
            raise UnknownError(f"there is no ruling {number} to overrule; in force: {known}")
    events = {edited_event(each) for each in edits if not isinstance(each, e.TakenIn)}
    for event in sorted(x for x in (*events, fields.get("about")) if x is not None):
        if not 0 <= event < len(entries):
            raise UnknownError(f"there is no event #{event}: the last is #{len(entries) - 1}")
        _check_contradicts_none(on_event(world, event), f"is about #{event}", overrules)
    for edit in edits:
        earlier = next((x for x in rulings_in_force(world) if edit in x.edits), None)
        _check_contradicts_none(earlier, "says so already", overrules)
    if edits:
        edit_input_log(entries, edits, 0)


def _check_says_something(fields: dict[str, Any]) -> None:
    kind, edits, overrules = fields["kind"], fields.get("edits"), fields.get("overrules")
    if kind not in ON_THE_PAST:
        raise UsageError(f"a ruling on what is past is one of {', '.join(ON_THE_PAST)}, not {kind}")
    if kind in ("uphold", "ratify") and edits:
        raise UsageError(
            f"to {kind} something changes nothing: without, replace or take in no more"
        )
    if kind == "ratify" and fields.get("about") is None:
        raise UsageError("ratify which event? say its number")
    if kind in ("reject", "replace") and not edits and not overrules:
        raise UsageError(f"{kind} what? say which event, and what it should have been")
    if edits and not overrules and all(isinstance(each, e.Answered) for each in edits):
        raise UsageError("an answer alone changes nothing: say what it follows from")
    if (settle := fields.get("settle") or "fitting") not in SETTLES:
        raise UsageError(f"settle {', '.join(SETTLES)}, not {settle}")
    if fields.get("questions", "stop") not in POLICIES:
        raise UsageError(f"new questions: {', '.join(POLICIES)}, not {fields['questions']}")


def _check_contradicts_none(
    earlier: e.RulingMade | None, what: str, overrules: tuple[int, ...]
) -> None:
    if earlier is not None and earlier.number not in overrules:
        raise UsageError(
            f"ruling {earlier.number} ({earlier.kind}) {what}:"
            f" to rule otherwise, overrule it with --overrule {earlier.number}"
        )


def audience(entries: Sequence[e.Entry], edits: Sequence[e.Edit]) -> Audience:
    """Who may see a ruling that makes *edits*: those who may see all that it speaks of."""
    seen: Audience = None
    secret = edit_input_log(entries, (), 0).secret
    for edit in edits:
        if isinstance(edit, e.TakenIn):
            seen = intersect(seen, (edit.by,) if edit.action in secret else None)
        elif (number := edited_event(edit)) is not None:
            seen = intersect(seen, entries[number].body.audience)
    return seen


def reaches_back(world: World, entries: Sequence[e.Entry], fields: dict[str, Any]) -> int | None:
    """The period from which a ruling with *fields* changes anything; None for from now on."""
    before = edits_of(rulings_in_force(world))
    after = edits_of(rulings_in_force(world, overruling=fields.get("overrules", ())))
    changed = [each for each in (*before, *after) if (each in before) != (each in after)]
    edits = [*fields.get("edits", ()), *changed]
    numbers = [number for each in edits if (number := edited_event(each)) is not None]
    return entries[min(numbers)].body.period if numbers else None


def first_edited_event(world: World) -> int | None:
    """The first event that any ruling edits, also one that is overruled by now."""
    edits = edits_of([ruling for ruling, _ in world.rulings.values()])
    return min(
        (number for each in edits if (number := edited_event(each)) is not None), default=None
    )
