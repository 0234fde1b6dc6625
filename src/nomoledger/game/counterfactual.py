"""What would have been: play run again with something changed, beside what is recorded.

Nothing is written. Every other die, answer and submission is kept, by address; what does not fit
any more, and what is asked anew, is listed, never passed over.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.oracles import seeded_oracle
from nomoledger.engine.settlement.alternatives import rules_where_they_fit
from nomoledger.engine.settlement.rerun import NewQuestion, Orphan, Ruleset
from nomoledger.engine.settlement.ruling_validity import (
    edits_of,
    first_edited_event,
    rulings_in_force,
)
from nomoledger.engine.settlement.timeline import Collision, FirstDifference, Timeline
from nomoledger.errors import UnknownError
from nomoledger.events.rules import Change, Rule
from nomoledger.game.read_models import WorldView, projection
from nomoledger.game.rules_only_replay import differences
from nomoledger.language.host import Oracle, ask_people
from nomoledger.language.values import from_units
from nomoledger.ledger.as_of import as_of
from nomoledger.ledger.history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.descriptions import describe_event
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import stream_from_worker
from nomoledger.state.world import World


class WhatIfDifference(msgspec.Struct, frozen=True):
    """*what* of *subject* as recorded, and as it would be."""

    subject: str
    what: str
    recorded: Any
    rerun: Any


class PlaceInWhatIf(msgspec.Struct, frozen=True):
    """A player's money and rank as recorded, and as they would be; None where nobody plays."""

    player: str
    money: Any
    rank: int | None
    rerun_money: Any
    rerun_rank: int | None


class WhatIf(msgspec.Struct, frozen=True):
    """What differs, and what could not be carried over.

    Attributes:
        game, first, period: what was run again, from which event, to the close of which period (or
            to the present, in the period that is open).
        difference: the first event that differs. otherwise: all that differs in the end.
        places: money and rank of every player. winners: those recorded, and those of the re-run.
        orphans, collisions, asked: see the structs; stopped: why it went no further.
        throwaway: whether new dice came from a seed that is thrown away.
    """

    game: str
    first: int
    period: int
    difference: FirstDifference | None
    otherwise: tuple[WhatIfDifference, ...]
    places: tuple[PlaceInWhatIf, ...]
    winners: tuple[tuple[str, ...], tuple[str, ...]]
    orphans: tuple[Orphan, ...]
    collisions: tuple[Collision, ...]
    asked: tuple[NewQuestion, ...]
    stopped: str | None
    throwaway: bool


class WhatIfChanges(msgspec.Struct):
    """What is changed: *edits* of the tape, *overrules* of rulings, *rules* kept in force instead.

    *changes* are made to the rules of each period, wherever they fit.

    *since* and *until* are periods: from the opening of one to the close of the other.
    """

    edits: tuple[e.Edit, ...] = ()
    overrules: tuple[int, ...] = ()
    rules: tuple[Rule, ...] | None = None
    changes: tuple[Change, ...] = ()
    since: int | None = None
    until: int | None = None
    questions: str = "stop"


def what_if(
    ledger: Ledger,
    game: str,
    changed: WhatIfChanges,
    *,
    throwaway: bytes | None = None,
    limits: Limits | None = None,
    done: Callable[[int], Any] = lambda count: None,
    history: History | None = None,
) -> WhatIf:
    """Run *game* again with what is *changed*; *done* is told of each input.

    New dice of the open period come from the seed *throwaway*, where one is given.

    Raises:
        UnknownError: a period, event or ruling is not there.
        UsageError: an edit does not fit what it is about.
    """
    history = history or History(ledger, game)
    entries = list(_until(history, changed.until))
    course = _course(history, entries, changed, throwaway)

    def pieces() -> Iterator[bytes]:
        for _ in course.run():
            yield b""
        found = _told(game, course, throwaway is not None)
        yield msgspec.json.encode(found, enc_hook=str)

    for piece in stream_from_worker(pieces, limits):
        done(1)
        last = piece
    return msgspec.json.decode(last, type=WhatIf)


def _until(history: History, period: int | None) -> Iterator[e.Entry]:
    if period is not None:
        as_of(history.ledger, history.game, period)
    for entry in history.entries():
        yield entry
        if isinstance(entry.body, e.PeriodClosed) and entry.body.period == period:
            return


def _course(
    history: History,
    entries: Sequence[e.Entry],
    changed: WhatIfChanges,
    throwaway: bytes | None,
) -> Timeline:
    ledger, game, world = history.ledger, history.game, history.world()
    known = {each.number for each in rulings_in_force(world)}
    if unknown := [number for number in changed.overrules if number not in known]:
        raise UnknownError(f"there is no ruling {unknown[0]} in force")
    holding = rulings_in_force(world, overruling=changed.overrules)
    edits = [*edits_of(holding), *changed.edits]
    starts = [] if changed.since is None else [_opening_of(entries, changed.since)]
    if (first := first_edited_event(world)) is not None:
        starts.append(first)
    if not starts and not edits:
        starts.append(0)
    return Timeline(
        entries,
        edits,
        since=min(starts, default=None),
        oracle=_dice(ledger, game, world, throwaway),
        secret=ledger.secret(game),
        rules=_ruleset(changed),
        questions=changed.questions,
        describe=describe_event,
    )


def _ruleset(changed: WhatIfChanges) -> Ruleset | None:
    """What rules are in force in the other course, where they are not those of recorded play."""
    fixed, changes = changed.rules, changed.changes
    if fixed is None and not changes:
        return None
    return lambda rules: rules_where_they_fit(rules if fixed is None else fixed, changes)


def _opening_of(entries: Sequence[e.Entry], period: int) -> int:
    """The first event after the close of the period before."""
    for entry in entries:
        if entry.body.period == period:
            return entry.number
    raise UnknownError(f"there is no period {period}")


def _dice(ledger: Ledger, game: str, world: World, throwaway: bytes | None) -> Oracle:
    """What rolls new dice: closed periods from their own seeds, the open one from *throwaway*."""
    secret = ledger.secret(game)
    if secret is None or world.game["dice"] != "seeded":
        return ask_people
    known, new = seeded_oracle(secret), seeded_oracle(throwaway or secret)
    return lambda question: (new if question.period >= world.period else known)(question)


def _told(game: str, course: Timeline, is_throwaway: bool) -> WhatIf:
    one, other = course.recorded, course.world
    otherwise = (
        WhatIfDifference(x.subject, x.what, x.recorded, x.by_rules) for x in differences(one, other)
    )
    rolled = any(each.dealt == "rolled" for each in course.rerun.asked)
    return WhatIf(
        game=game,
        first=course.tape.first,
        period=course.entries[-1].body.period,
        difference=course.first_difference(),
        otherwise=(*otherwise, *_accounts(one, other)),
        places=tuple(_places(one, other)),
        winners=(_winners(one), _winners(other)),
        orphans=tuple(course.orphans()),
        collisions=tuple(course.collisions()),
        asked=tuple(course.rerun.asked),
        stopped=course.rerun.stopped,
        throwaway=rolled and is_throwaway,
    )


def _accounts(one: World, other: World) -> Iterator[WhatIfDifference]:
    """What differs in accounts that belong to no player."""
    known = {**one.entities, **other.entities}
    commodities = {**other.commodities(), **one.commodities()}
    for account in dict.fromkeys((*one.balances, *other.balances)):
        for name, commodity in commodities.items() if account not in known else ():
            was, new = (
                from_units(world.balance(account, name), commodity.places) for world in (one, other)
            )
            if was != new:
                yield WhatIfDifference(f"account {account}", name, was, new)


def _places(one: World, other: World) -> Iterator[PlaceInWhatIf]:
    both = [_standings(world) for world in (one, other)]
    for player in dict.fromkeys((*both[0], *both[1])):
        was, new = (each.get(player) for each in both)
        yield PlaceInWhatIf(
            player,
            was and was.money,
            was and was.rank,
            new and new.money,
            new and new.rank,
        )


def _standings(world: World) -> dict[str, Any]:
    """The standings, as whoever is installed to make them does."""
    model: Any = projection("standings")(WorldView(world))
    return {each.player: each for each in model.standings}


def _winners(world: World) -> tuple[str, ...]:
    return tuple(str(world.label(each)) for each in world.game.get("winners") or ())
