"""Carries out a ruling that reaches back: plays on from what it edits, and settles the present."""

from collections.abc import Iterator, Sequence

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.settlement.audiences import Audiences
from nomoledger.engine.settlement.correction import correct_present
from nomoledger.engine.settlement.rerun import is_retroactive
from nomoledger.engine.settlement.ruling_validity import (
    edits_of,
    first_edited_event,
    rulings_in_force,
)
from nomoledger.engine.settlement.settlement import Settlement, Side
from nomoledger.engine.settlement.timeline import Collision, Timeline
from nomoledger.engine.settlement.unfinished import find_misfit
from nomoledger.errors import RuleFault
from nomoledger.language.host import Frame, Host, Refused
from nomoledger.language.reads import draw_fields
from nomoledger.state.world import Attempt, World


def carry_out(
    engine: Engine, host: Host, ruling: e.RulingMade, number: int, attempt: Attempt
) -> None:
    """Bring the present to what it would have been, had *ruling* held from the start.

    *number* is that of the event that made it, *attempt* what *host* is to carry out.

    Raises:
        Refused: the other course of play cannot be followed to the present, or later play does not
            fit it and the ruling does not say how to settle that.
    """
    world, entries = engine.world, engine.tape[:number]
    if len(entries) < number:
        raise RuleFault(f"ruling {ruling.number} reaches back to what is not at hand here")
    course = _followed(engine, entries, rulings_in_force(world), ruling)
    course.rerun.rule(ruling, holds=True)
    earlier = _earlier(engine, entries, ruling)
    host.begin(world, attempt, engine.oracle)  # the other courses were played by the same host
    host.frames = [Frame("", (), f"ruling:{ruling.number}")]
    target = Side(course.world, course.audiences())
    settlement = Settlement(host, _base(world, entries, earlier, ruling), target, ruling)
    _record_rolls(settlement, [course] if earlier is None else [course, earlier])
    host.audience = attempt.audience
    if trouble := list(_misfits(settlement, course, earlier)):
        raise Refused([e.Reason(f"ruling:{ruling.number}", each) for each in trouble])
    correct_present(settlement)


def _followed(
    engine: Engine, entries: Sequence[e.Entry], rulings: list[e.RulingMade], ruling: e.RulingMade
) -> Timeline:
    """Play as it would have gone had just *rulings* held, from the first that any ruling edits."""
    course = Timeline(
        entries,
        edits_of(rulings),
        since=first_edited_event(engine.world),
        oracle=engine.oracle,
        secret=engine.secret,
        questions=ruling.questions,
        describe=engine.describe,
    )
    for _ in course.run():
        pass
    return course


def _earlier(engine: Engine, entries: Sequence[e.Entry], ruling: e.RulingMade) -> Timeline | None:
    """Play as earlier rulings had it, where that is not how the ledger has it."""
    before = rulings_in_force(engine.world, before=ruling.number)
    if not any(is_retroactive(each) for each in before):
        return None
    return _followed(engine, entries, before, ruling)


def _base(
    world: World, entries: Sequence[e.Entry], earlier: Timeline | None, ruling: e.RulingMade
) -> Side:
    """What is led to the target: the present; or the course that other rulings had it take.

    The latter where one of those that still hold was settled in part: the rest stays as it is.
    """
    others = [each for each in rulings_in_force(world) if each.number != ruling.number]
    in_part = any(is_retroactive(x) and x.settle in ("money", "none") for x in others)
    if earlier is None or not in_part:
        return Side(world, Audiences(entry.body for entry in entries))
    return Side(earlier.world, earlier.audiences())


def _record_rolls(settlement: Settlement, courses: list[Timeline]) -> None:
    """The new dice of *courses*, so that a replay has them too."""
    rolled = {each[0].question: each for course in courses for each in course.rerun.rolled}
    for question, values in rolled.values():
        is_earlier = question.period != settlement.world.period
        effective = question.period if is_earlier else None
        fields = draw_fields(question, values) | {"effective": effective}
        settlement.emit(e.DrawRecorded, question.audience, **fields)


# --- what stands in the way -----------------------------------------------------------------------


def _misfits(s: Settlement, course: Timeline, earlier: Timeline | None) -> Iterator[str]:
    """Why *course* cannot take the place of the present, if it cannot."""
    other = course.world
    if course.rerun.stopped is not None:
        is_hidden = other.waiting is not None and other.waiting.audience is not None
        told = "there is a new question to somebody" if is_hidden else course.rerun.stopped
        yield f"it cannot be followed to the present: {told}"
        return
    if other.period != s.world.period:
        yield f"it would be period {other.period} by now, not {s.world.period}"
    if s.ruling.settle in ("all", "fitting"):
        why = find_misfit(s.world, s.base, other)
        yield from [] if why is None else [why]
    if s.ruling.settle == "fitting":
        known = [] if earlier is None else earlier.collisions()
        for each in course.collisions():
            if each not in known:
                yield f"later play does not fit: {_told(course, each)}"


def _told(course: Timeline, collision: Collision) -> str:
    if collision.event is None:
        return f"{collision.what}: {collision.why}"
    if course.entries[collision.event].body.audience is not None:
        return f"#{collision.event}, which not everybody saw"
    return f"#{collision.event} {collision.what}: {collision.why}"
