"""What a record does not know in a period, and how many facts are not compared on that account."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from nomoledger import events as e
from nomoledger.game.audit.what_facts_state import line_of
from nomoledger.state.unknowns import Key, unknowns
from nomoledger.state.world import World


class UnknownFact(msgspec.Struct, frozen=True):
    """A fact that says that something is unknown from there on.

    Attributes:
        event: number of the fact.
        period: its period.
        line: its line in the record; None if the opening does not say it.
        keys: what is unknown.
    """

    event: int
    period: int
    line: int | None
    keys: tuple[Key, ...]


class UnknownPart(msgspec.Struct, frozen=True):
    """What is unknown in a period on account of one fact.

    Attributes:
        event, period, line: as in `UnknownFact`.
        what: what is unknown, such as "square of Ann".
        known_again: the lines that state it again in this period.
        not_compared: the number of facts of this period that are not compared on that account.
    """

    event: int
    period: int
    line: int | None
    what: tuple[str, ...]
    known_again: tuple[int, ...]
    not_compared: int


def unknown_facts_behind(world: World, entries: Iterable[e.Entry]) -> tuple[UnknownFact, ...]:
    """Return the facts among *entries* on account of which something is unknown in *world*."""
    numbers = {*unknowns(world).values()}
    bodies = {entry.number: entry.body for entry in entries if entry.number <= world.head}
    return tuple(_unknown_facts(bodies, numbers))


def unknown_parts(
    world: World, bodies: Sequence[e.Event], first: int, earlier: Sequence[UnknownFact]
) -> Iterator[UnknownPart]:
    """Yield what is unknown in a period, by the facts that say so.

    *bodies* are the events of the period, the first of which is event *first*; *earlier* are the
    facts behind what is unknown before it, and *world* the state after it.
    """
    numbered = dict(enumerate(bodies, first))
    said = {x.since for x in bodies if isinstance(x, e.MadeUnknown)}
    counts = Counter(body.since for body in bodies if isinstance(body, e.FactNotCompared))
    for fact in dict.fromkeys((*earlier, *_unknown_facts(numbered, said))):
        states = (each for each in map(_stated_by, bodies) if each is not None)
        lines = [
            _line(numbered, number)
            for number, since, keys in states
            if since == fact.event or {*keys} & {*fact.keys}
        ]
        yield UnknownPart(
            event=fact.event,
            period=fact.period,
            line=fact.line,
            what=tuple(f"{name} of {world.label(subject)}" for subject, name in fact.keys),
            known_again=tuple(dict.fromkeys(line for line in lines if line is not None)),
            not_compared=counts[fact.event],
        )


def _unknown_facts(bodies: dict[int, e.Event], numbers: set[int]) -> Iterator[UnknownFact]:
    for body in bodies.values():
        if not isinstance(body, e.MadeUnknown) or body.attempt:
            continue
        if body.since in numbers & bodies.keys():
            line = _line(bodies, body.since)
            yield UnknownFact(body.since, body.period, line, body.keys)


def _stated_by(body: e.Event) -> tuple[int, int | None, tuple[Key, ...]] | None:
    """Return which fact states something again by *body*, since when it was unknown, and what."""
    match body:
        case e.FactNotCompared(sets=True):
            return body.fact, body.since, ()
        case e.MadeKnown():
            return body.fact, None, body.keys
    return None


def _line(bodies: dict[int, e.Event], number: int) -> int | None:
    body = bodies.get(number)
    return line_of(body) if isinstance(body, e.Input) else None
