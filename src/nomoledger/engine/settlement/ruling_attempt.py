"""The attempt of a retroactive ruling: replay from its first edit, then settle the present."""

from collections.abc import Iterator, Sequence
from typing import Any

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
from nomoledger.events.levels import LEVELS
from nomoledger.language.host import Frame, Host, Refused
from nomoledger.language.reads import draw_fields
from nomoledger.state.world import Attempt, World


def settle_ruling(
    engine: Engine, host: Host, ruling: e.RulingMade, number: int, attempt: Attempt
) -> None:
    """Bring the present in line with *ruling*, as if the ruling had been in force from the start.

    *number* is the number of the event that recorded the ruling. *attempt* is the attempt that
    *host* carries out.

    Raises:
        Refused: the timeline of the ruling does not reach the present, or later play collides with
            it and the ruling does not say how to settle collisions.
    """
    world, entries = engine.world, engine.recorded[:number]
    if len(entries) < number:
        raise RuleFault(f"ruling {ruling.number} is retroactive: it needs the recorded events")
    timeline = _replay_rulings(engine, entries, rulings_in_force(world), ruling)
    timeline.rerun.apply_ruling(ruling, is_in_force=True)
    earlier = _replay_earlier_rulings(engine, entries, ruling, timeline.rerun.new_draws)
    host.begin(world, attempt, engine.oracle)  # the replays used the same host
    host.frames = [Frame("", (), f"ruling:{ruling.number}")]
    target = Side(timeline.world, timeline.audiences())
    settlement = Settlement(host, _base_side(world, entries, earlier, ruling), target, ruling)
    _record_new_draws(settlement, [timeline] if earlier is None else [timeline, earlier])
    host.audience = attempt.audience
    if reasons := list(_obstacles(settlement, timeline, earlier)):
        raise Refused([e.Reason(f"ruling:{ruling.number}", reason) for reason in reasons])
    correct_present(settlement)


def _replay_rulings(
    engine: Engine,
    entries: Sequence[e.Entry],
    rulings: list[e.RulingMade],
    ruling: e.RulingMade,
    draws: Sequence[tuple[e.QuestionRaised, list[Any]]] = (),
) -> Timeline:
    """Return the timeline in which exactly *rulings* are in force, replayed to the present.

    The replay starts at the first event that any ruling edits. *draws* were made before, and count
    as recorded.
    """
    timeline = Timeline(
        entries,
        edits_of(rulings),
        since=first_edited_event(engine.world),
        oracle=engine.oracle,
        secret=engine.secret,
        questions=ruling.questions,
        describe=engine.describe,
    )
    for question, values in draws:
        if question.draw:
            timeline.input_log.draws.setdefault(question.question, values)
            timeline.input_log.addresses.setdefault(question.question, question.draw)
    for _ in timeline.run():
        pass
    return timeline


def _replay_earlier_rulings(
    engine: Engine,
    entries: Sequence[e.Entry],
    ruling: e.RulingMade,
    draws: Sequence[tuple[e.QuestionRaised, list[Any]]],
) -> Timeline | None:
    """Return the timeline of the rulings before *ruling*; None if none of them is retroactive."""
    before = rulings_in_force(engine.world, before=ruling.number)
    if not any(is_retroactive(earlier) for earlier in before):
        return None
    return _replay_rulings(engine, entries, before, ruling, draws)


def _base_side(
    world: World, entries: Sequence[e.Entry], earlier: Timeline | None, ruling: e.RulingMade
) -> Side:
    """Return the side that the target is compared with.

    The base is the present. If another ruling in force was settled only in part, the base is the
    timeline of the *earlier* rulings instead, so that their unsettled part stays unsettled.
    """
    others = [other for other in rulings_in_force(world) if other.number != ruling.number]
    is_partial = any(is_retroactive(x) and x.settle in ("money", "none") for x in others)
    if earlier is None or not is_partial:
        return Side(world, Audiences(entry.body for entry in entries))
    return Side(earlier.world, earlier.audiences())


def _record_new_draws(settlement: Settlement, timelines: list[Timeline]) -> None:
    """Emit the new draws of *timelines*, so that a replay gets the same values."""
    draws = {
        question.question: (question, values)
        for timeline in timelines
        for question, values in timeline.rerun.new_draws
    }
    for question, values in draws.values():
        is_earlier = question.period != settlement.world.period
        effective = question.period if is_earlier else None
        fields = draw_fields(question, values) | {"effective": effective}
        settlement.emit(e.DrawRecorded, question.audience, **fields)


# --- reasons to refuse --------------------------------------------------------------------------


def _obstacles(
    settlement: Settlement, timeline: Timeline, earlier: Timeline | None
) -> Iterator[str]:
    """Yield why *timeline* cannot take the place of the present."""
    target, ruling = timeline.world, settlement.ruling
    if timeline.rerun.stopped is not None:
        is_hidden = target.waiting is not None and target.waiting.audience is not None
        why = "there is a new question to somebody" if is_hidden else timeline.rerun.stopped
        yield f"it cannot be followed to the present: {why}"
        return
    if target.period != settlement.world.period:
        yield f"it would be period {target.period} by now, not {settlement.world.period}"
    if ruling.settle in ("all", "fitting"):
        misfit = find_misfit(settlement.world, settlement.base, target)
        yield from [] if misfit is None else [misfit]
    if ruling.settle == "fitting":
        known = [] if earlier is None else earlier.collisions()
        for collision in timeline.collisions():
            if collision not in known:
                yield f"later play does not fit: {_describe_collision(timeline, collision)}"


def _describe_collision(timeline: Timeline, collision: Collision) -> str:
    if collision.event is None:
        return f"{collision.what}: {collision.why}"
    body = timeline.entries[collision.event].body
    if body.audience is not None:
        return f"#{collision.event}, which not everybody saw"
    level = LEVELS[timeline.recorded.level]
    if level.cites_in_place and isinstance(body, e.RulingMade):  # Its description has numbers.
        return f"#{collision.event}, a ruling: {collision.why}"
    return f"#{collision.event} {collision.what}: {collision.why}"
