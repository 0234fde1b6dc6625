"""What players are waited for: questions, timers that concern them, and proposals to decide."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from nomoledger.prose.names import Names
from nomoledger.state.clock import from_seconds
from nomoledger.state.world import World

#: Rules with an operation about votes let players vote.
_VOTES = re.compile(r"\bdef \w+_vote\(")


class AwaitedAct(msgspec.Struct, frozen=True):
    """Something that waits for somebody, or falls due.

    Attributes:
        player: The player whom it concerns, by id; None if it concerns nobody or everybody.
        what: What may be done, or what falls due, in words.
        until: When it falls due or lapses; None if no timer ends it.
        proposal: The number of the proposal that is to be decided, if it is one.
    """

    player: str | None
    what: str
    until: datetime | None = None
    proposal: int | None = None


def awaited_acts(world: World, undecided: Iterable[int] = ()) -> list[AwaitedAct]:
    """Return what *world* waits for, what falls due first, then the *undecided* proposals.

    Only what *world* holds is used: a public world gives what the public may know.
    """
    if world.game["ended"] is not None:
        return []
    acts = [*_question(world), *_timers(world), *_proposals(world, undecided)]
    return sorted(acts, key=lambda act: _order(act.until))


def _order(until: datetime | None) -> float:
    return float("inf") if until is None else until.timestamp()


def _question(world: World) -> Iterator[AwaitedAct]:
    question, names = world.waiting, Names(world)
    if question is not None:
        text = names.without_identifiers(question.text)
        player = question.to if world.entities.get(question.to) == "player" else None
        to = "" if player else f"{names.phrase(question.to)}: "
        yield AwaitedAct(player, f"{to}answer the question “{text}”")


def _timers(world: World) -> Iterator[AwaitedAct]:
    names = Names(world)
    for timer in sorted(world.timers.values(), key=lambda timer: timer.order):
        attempt = timer.attempt
        about = "; ".join(map(names.phrase, attempt.arguments))
        what = attempt.operation.lstrip("@").replace("_", " ")
        text = f"{about}: {what}" if about else what
        players = list(dict.fromkeys(_players_in(world, attempt.arguments)))
        until = from_seconds(attempt.at)
        if not players:
            yield AwaitedAct(None, text, until)
        yield from (AwaitedAct(player, text, until) for player in players)


def _players_in(world: World, values: Iterable[object]) -> Iterator[str]:
    """Yield the players among *values*, and those whom the things among them name."""
    for value in values:
        if not isinstance(value, str):
            continue
        if world.entities.get(value) == "player":
            yield value
        elif value in world.entities:
            named = world.attributes.get(value, {}).values()
            yield from (x for x in named if isinstance(x, str) and _is_player(world, x))


def _is_player(world: World, thing: str) -> bool:
    return world.entities.get(thing) == "player"


def _proposals(world: World, undecided: Iterable[int]) -> Iterator[AwaitedAct]:
    may_vote = any(_VOTES.search(rule.code or "") for rule in world.rules)
    for number in undecided:
        what = f"vote on proposal {number}" if may_vote else f"proposal {number} is undecided"
        yield AwaitedAct(None, what, None, number)
