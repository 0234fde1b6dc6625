"""Which single fact would explain a difference: found by trying.

A candidate is another owner of a square, another die, or another square that the player was on
before. The lines of the attempt are played again with it. It explains a difference if the
difference is gone, and nothing else differs instead.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.fact_audit import fact_mapping
from nomoledger.engine.facts import find_called
from nomoledger.errors import NomoledgerError
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: How many candidates are tried for the lines of one attempt, and for one period.
TRIALS_MAX = 200
PERIOD_TRIALS_MAX = 2_000
_DIE_MAX = 6


class Candidate(NamedTuple):
    """A fact to try: what it says, and how it changes the state or the lines."""

    text: str
    change: Callable[[World], None]
    dice: list[Any] | None = None


def candidates(world: World, lines: Sequence[e.Input], who: str | None) -> Iterator[Candidate]:
    """Yield what could be different before *lines*, which differ about the player *who*."""
    facts = [line for line in lines if isinstance(line, e.FactRecorded)]
    squares = [find_called(world, "square", fact.fields.get("square")) for fact in facts]
    for square in dict.fromkeys(filter(None, squares)):
        for name, declared in world.declared("square").items():
            if declared == "Player":
                yield from _owners(world, facts[0], str(square), name)
    yield from _dice(world, facts[0])
    player = world.find("player", who) if who else None
    for square in world.kinds.get("square", ()) if player else ():
        if square != world.get(str(player), "square"):
            text = f"{who} had been on {world.label(square)}"
            yield Candidate(text, _setting(facts[0], str(player), "square", square))


def _owners(world: World, fact: e.FactRecorded, square: str, name: str) -> Iterator[Candidate]:
    called = world.label(square)
    for owner in (*world.kinds.get("player", ()), None):
        if owner != world.get(square, name):
            whose = "nobody" if owner is None else world.label(owner)
            text = f"{whose} owned {called}"
            if name != "owner":
                text = f"the {name} of {called} were {whose}"
            yield Candidate(text, _setting(fact, square, name, owner))


def _dice(world: World, fact: e.FactRecorded) -> Iterator[Candidate]:
    speech = fact_mapping(world, fact.kind)
    dice = fact.fields.get(str(speech.dice)) if speech is not None else None
    if not isinstance(dice, list) or not all(type(die) is int for die in dice):
        return
    for place, rolled in enumerate(dice):
        for die in range(1, _DIE_MAX + 1):
            if die != rolled:
                others = [*dice[:place], die, *dice[place + 1 :]]
                text = f"the dice were {' and '.join(map(str, others))}"
                yield Candidate(text, lambda world: None, others)


def _setting(
    fact: e.FactRecorded, entity: str, attribute: str, value: str | None
) -> Callable[[World], None]:
    def change(world: World) -> None:
        was = world.get(entity, attribute)
        event = e.AttributeSet(
            period=fact.period,
            received_at=fact.received_at,
            recorded_at=fact.recorded_at,
            entity=entity,
            attribute=attribute,
            value=value,
            was=was,
        )
        apply(world, event)

    return change


def differing(
    engine: Engine, lines: Sequence[e.Input], candidate: Candidate, *, may_wait: bool
) -> list[tuple[str, str]] | None:
    """Return the ids of the facts among *lines* that differ with *candidate*, and in what.

    Nothing is kept. None if the lines cannot be played so, or unless *may_wait* if a question is
    then open.
    """
    world = engine.world
    mark = world.mark()
    found: list[tuple[str, str]] = []
    try:
        candidate.change(world)
        for place, line in enumerate(lines):
            if isinstance(line, e.FactRecorded):
                line = _with_dice(world, line, candidate if place == 0 else None)
            for batch in engine.process(line):
                if any(map(_is_no_comparison, batch)):
                    return None
                prevailed = (x for x in batch if isinstance(x, e.RecordPrevailed))
                found += ((line.id, event.what) for event in prevailed)
        if world.waiting is not None and not may_wait:
            return None
    except NomoledgerError:
        return None
    finally:
        world.rollback(mark)
    return found


def _is_no_comparison(event: e.Event) -> bool:
    """Return whether by *event* a fact can no longer be compared."""
    is_left_alone = isinstance(event, e.FactNotCompared) and not event.sets
    return is_left_alone or isinstance(event, e.FactUnexplained)


def _with_dice(world: World, fact: e.FactRecorded, candidate: Candidate | None) -> e.FactRecorded:
    fact = replace(fact, ahead=None)
    speech = fact_mapping(world, fact.kind)
    if candidate is None or candidate.dice is None or speech is None:
        return fact
    return replace(fact, fields={**fact.fields, str(speech.dice): candidate.dice})
