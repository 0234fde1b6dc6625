"""Rulings: which hold, what they are about, and how one that reaches back is carried out."""

from collections.abc import Iterator, Sequence
from typing import Any

from nomoledger import events as e
from nomoledger.course import Course
from nomoledger.edits import edited_tape, touched
from nomoledger.engine import Engine
from nomoledger.errors import RuleFault, UnknownError, UsageError
from nomoledger.rerun import is_retroactive
from nomoledger.rules.host import Frame, Host, Refused
from nomoledger.settle import settle
from nomoledger.world import Attempt, World

KINDS = ("answer", "uphold", "reject", "replace", "ratify", "correct")
SCOPES = ("attempt", "period", "onwards", "precedent")


def in_force(world: World) -> list[e.RulingMade]:
    """The rulings that none has overruled, in their order."""
    rulings = [ruling for ruling, _ in world.rulings.values()]
    overruled = {number for ruling in rulings for number in ruling.overrules}
    return [ruling for ruling in rulings if ruling.number not in overruled]


def edits_of(rulings: list[e.RulingMade]) -> list[e.Edit]:
    """All edits of the tape that *rulings* make."""
    return [edit for ruling in rulings for edit in ruling.edits]


def about(ruling: e.RulingMade) -> set[int]:
    """The events that *ruling* is about."""
    numbers = {touched(edit) for edit in ruling.edits if not isinstance(edit, e.TakenIn)}
    return {each for each in (*numbers, ruling.about) if each is not None}


def on_event(world: World, number: int) -> e.RulingMade | None:
    """The ruling on event *number* that holds, if there is one."""
    return next((each for each in in_force(world) if number in about(each)), None)


def check(world: World, entries: Sequence[e.Entry], fields: dict[str, Any]) -> None:
    """Turn down a ruling with *fields* that makes no sense beside what is recorded.

    Raises:
        UnknownError: it is about an event, or overrules a ruling, that is not there.
        UsageError: it contradicts an earlier ruling without overruling it.
    """
    overrules, edits = fields.get("overrules", ()), fields.get("edits", ())
    holding = {each.number for each in in_force(world)}
    for number in overrules:
        if number not in holding:
            known = ", ".join(map(str, sorted(holding))) or "none"
            raise UnknownError(f"there is no ruling {number} to overrule; in force: {known}")
    events = {touched(each) for each in edits} | {fields.get("about")}
    for event in sorted(each for each in events if each is not None):
        if not 0 <= event < len(entries):
            raise UnknownError(f"there is no event #{event}: the last is #{len(entries) - 1}")
        earlier = on_event(world, event)
        if earlier is not None and earlier.number not in overrules:
            raise UsageError(
                f"ruling {earlier.number} ({earlier.kind}) is about #{event}:"
                f" to rule otherwise, overrule it with --overrule {earlier.number}"
            )
    if edits:
        edited_tape(entries, edits, 0)


def reaches_back(world: World, entries: Sequence[e.Entry], fields: dict[str, Any]) -> int | None:
    """The period from which a ruling with *fields* changes anything; None for from now on."""
    undone = [world.rulings[number][0] for number in fields.get("overrules", ())]
    edits = [*fields.get("edits", ()), *edits_of(undone)]
    numbers = [number for each in edits if (number := touched(each)) is not None]
    return entries[min(numbers)].body.period if numbers else None


def carry_out(
    engine: Engine, host: Host, ruling: e.RulingMade, number: int, attempt: Attempt
) -> None:
    """Bring the present to what it would have been, had *ruling* held from the start.

    *number* is that of the event that made it, *attempt* what *host* is to carry out.

    Raises:
        Refused: the other course of play cannot be followed to the present.
    """
    world = engine.world
    entries = engine.tape[:number]
    if len(entries) < number:
        raise RuleFault(f"ruling {ruling.number} reaches back to what is not at hand here")
    now = in_force(world)
    course = _followed(engine, entries, now, ruling)
    base = world
    before = _before(world, ruling)
    if any(is_retroactive(each) and each.settle != "all" for each in before):
        base = _followed(engine, entries, before, ruling).world
    host.begin(world, attempt, engine.oracle)  # the other course was played by the same host
    host.frames = [Frame("", (), f"ruling:{ruling.number}")]
    if trouble := list(misfits(course, world)):
        raise Refused([e.Reason(f"ruling:{ruling.number}", each) for each in trouble])
    for asked in course.rerun.asked:
        if asked.dealt == "rolled":
            host.emit(e.DrawRecorded, address=asked.question, values=tuple(asked.value))
    settle(host, base, course.world, ruling.number, ruling.settle)


def _followed(
    engine: Engine, entries: Sequence[e.Entry], rulings: list[e.RulingMade], ruling: e.RulingMade
) -> Course:
    """Play as it would have gone had just *rulings* held, from the first that any ruling edits."""
    course = Course(
        entries,
        edits_of(rulings),
        since=first_edited(engine.world),
        oracle=engine.oracle,
        secret=engine.secret,
        questions=ruling.questions,
    )
    for _ in course.run():
        pass
    return course


def first_edited(world: World) -> int | None:
    """The first event that any ruling edits, also one that is overruled by now."""
    edits = edits_of([ruling for ruling, _ in world.rulings.values()])
    return min((number for each in edits if (number := touched(each)) is not None), default=None)


def _before(world: World, ruling: e.RulingMade) -> list[e.RulingMade]:
    """The rulings that held before *ruling* was made."""
    earlier = [each for each, _ in world.rulings.values() if each.number < ruling.number]
    overruled = {number for each in earlier for number in each.overrules}
    return [each for each in earlier if each.number not in overruled]


def misfits(course: Course, world: World) -> Iterator[str]:
    """Why *course* cannot take the place of the present, if it cannot."""
    other = course.world
    if course.rerun.stopped is not None:
        yield f"it cannot be followed to the present: {course.rerun.stopped}"
        return
    if other.period != world.period:
        yield f"it would be period {other.period} by now, not {world.period}"
    waits = [each.id for each in world.agenda if not each.operation.startswith("@settle")]
    if [each.id for each in other.agenda] != waits or set(other.questions) != set(world.questions):
        waiting = other.waiting
        yield f"play would wait for something else: {waiting.text if waiting else 'nothing'}"
    if set(other.orders) != set(world.orders):
        yield "other standing orders would be left"
