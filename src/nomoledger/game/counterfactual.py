"""What-if: play run again with a change, and compared with the recorded play.

Nothing is written. All other dice, answers and submissions are kept, by address. Inputs that no
longer fit, and new questions, are listed.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.oracles import oracle_of
from nomoledger.engine.settlement.alternatives import apply_fitting_changes
from nomoledger.engine.settlement.hypotheses import AddedRuling, ChangedRuling, Hypothesis
from nomoledger.engine.settlement.input_log import edited_event
from nomoledger.engine.settlement.rerun import NewQuestion, Orphan, RulesOverride
from nomoledger.engine.settlement.ruling_validity import (
    ON_THE_PAST,
    edits_of,
    first_edited_event,
    rulings_in_force,
)
from nomoledger.engine.settlement.timeline import (
    Collision,
    ExplainedFact,
    FirstDifference,
    Timeline,
)
from nomoledger.errors import UnknownError
from nomoledger.events.rules import Change, Rule
from nomoledger.game.read_models import Projection, WorldView, projection
from nomoledger.game.rules_only_replay import differences
from nomoledger.language.values import from_units
from nomoledger.ledger.as_of import as_of
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.teller import describe_event
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.world import World


class WhatIfDifference(msgspec.Struct, frozen=True):
    """A value that differs between recorded play and the what-if.

    Attributes:
        subject: the entity, or "account NAME".
        what: the attribute or commodity.
        recorded: the recorded value.
        rerun: the value in the what-if.
    """

    subject: str
    what: str
    recorded: Any
    rerun: Any


class PlaceInWhatIf(msgspec.Struct, frozen=True):
    """Money and rank of a player, as recorded and in the what-if; None where the player is absent.

    Attributes:
        player: name of the player.
        money: money as recorded.
        rank: rank as recorded, from 1.
        rerun_money: money in the what-if.
        rerun_rank: rank in the what-if.
    """

    player: str
    money: Any
    rank: int | None
    rerun_money: Any
    rerun_rank: int | None


class WhatIf(msgspec.Struct, frozen=True):
    """The result of a what-if.

    Attributes:
        game: name of the game.
        first: number of the first event that was run again.
        period: the last period that was run again: to its close, or to the present if it is open.
        difference: the first event that differs.
        otherwise: all that differs at the end.
        places: money and rank of every player.
        winners: the recorded winners, and those of the what-if.
        orphans: recorded inputs that no longer fit.
        collisions: recorded inputs that mean something else now.
        asked: questions that recorded play did not ask.
        stopped: why the run stopped early; None if it did not.
        throwaway: whether new dice came from a throwaway seed.
        explained: facts of a hand-kept record that differ from the rules no longer.
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
    explained: tuple[ExplainedFact, ...] = ()


class WhatIfChanges(msgspec.Struct):
    """What a what-if changes.

    Attributes:
        edits: edits of the recorded inputs.
        overrules: numbers of rulings to leave out.
        rules: the rules in force instead of the recorded ones.
        changes: changes made to the rules of each period, wherever they fit.
        since: the period at whose start to begin.
        until: the period at whose close to stop.
        questions: how to answer new questions: "stop", "default" or "skip".
        ruling: changes of rules and state that a ruling makes once, which nobody made.
        after: the event that this ruling comes after; None for the start of the replay.
        instead: recorded rulings that make other changes than they did.
    """

    edits: tuple[e.Edit, ...] = ()
    overrules: tuple[int, ...] = ()
    rules: tuple[Rule, ...] | None = None
    changes: tuple[Change, ...] = ()
    since: int | None = None
    until: int | None = None
    questions: str = "stop"
    ruling: tuple[Change, ...] = ()
    after: int | None = None
    instead: tuple[ChangedRuling, ...] = ()


class SavedWhatIf(WhatIf, frozen=True, kw_only=True):
    """A result with the *changes* that gave it, so that it can be computed again."""

    changes: WhatIfChanges


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
    """Run *game* again with the changes *changed*; *done* is called after each input.

    New dice of the open period come from the seed *throwaway*, if there is one.

    Raises:
        UnknownError: a period, event or ruling does not exist.
        UsageError: an edit does not fit its event.
    """
    history = history or History(ledger, game)
    entries, world = history.entries(), history.world()
    if changed.until is not None:
        as_of(ledger, game, changed.until)
    secret = ledger.secret(game)
    return run_again(
        game, entries, world, secret, changed, throwaway=throwaway, limits=limits, done=done
    )


def run_again(
    game: str,
    entries: Sequence[e.Entry],
    world: World,
    secret: bytes,
    changed: WhatIfChanges,
    *,
    throwaway: bytes | None = None,
    limits: Limits | None = None,
    done: Callable[[int], Any] = lambda count: None,
) -> WhatIf:
    """Do what `what_if` does with the game of these *entries*, after which its state is *world*."""
    entries = list(_until(entries, changed.until))
    standings = projection("standings")
    arguments = (game, entries, world, secret, changed, throwaway, standings)
    for piece in stream_from_sandbox(_stream_report, *arguments, limits=limits or AGAIN):
        done(1)
        report_json = piece
    report = msgspec.json.decode(report_json, type=WhatIf)
    if changed.until is None:
        return report
    return msgspec.structs.replace(report, period=changed.until)


def _stream_report(
    game: str,
    entries: Sequence[e.Entry],
    world: World,
    secret: bytes,
    changed: WhatIfChanges,
    throwaway: bytes | None,
    standings: Projection,
) -> Iterator[bytes]:
    """Yield a piece for each input that is run again, and then the report as JSON."""
    timeline = _timeline(entries, world, secret, changed, throwaway)
    for _ in timeline.run():
        yield b""
    report = _report(game, timeline, standings, throwaway is not None)
    yield msgspec.json.encode(report, enc_hook=str)


def _until(entries: Sequence[e.Entry], period: int | None) -> Iterator[e.Entry]:
    """Yield all of *entries*; if *period* is given, up to all that follows from its close."""
    is_closed = False
    for entry in entries:
        if is_closed and isinstance(entry.body, e.Input):
            return
        yield entry
        is_closed |= isinstance(entry.body, e.PeriodClosed) and entry.body.period == period


def _timeline(
    entries: Sequence[e.Entry],
    world: World,
    secret: bytes,
    changed: WhatIfChanges,
    throwaway: bytes | None,
) -> Timeline:
    known = {ruling.number for ruling in rulings_in_force(world)}
    if unknown := [number for number in changed.overrules if number not in known]:
        raise UnknownError(f"there is no ruling {unknown[0]} in force")
    instead = tuple(ruling.number for ruling in changed.instead)
    if unknown := [number for number in instead if number not in known]:
        raise UnknownError(f"there is no ruling {unknown[0]} in force")
    rulings = rulings_in_force(world, overruling=(*changed.overrules, *instead))
    edits = [*edits_of(rulings), *changed.edits]
    starts = [] if changed.since is None else [_first_event_of(entries, changed.since)]
    if (first := first_edited_event(world)) is not None:
        starts.append(first)
    hypotheses: list[Hypothesis] = [*changed.instead, *_without_changes(world, changed.overrules)]
    if changed.ruling:
        hypotheses.append(AddedRuling(_place_of_ruling(entries, changed, edits), changed.ruling))
    if not starts and not edits and not hypotheses:
        starts.append(0)
    return Timeline(
        entries,
        edits,
        since=min(starts, default=None),
        oracle=oracle_of(world, secret, throwaway),
        secret=secret,
        rules=_ruleset(changed),
        questions=changed.questions,
        hypotheses=hypotheses,
        describe=describe_event,
    )


def _without_changes(world: World, numbers: Sequence[int]) -> Iterator[ChangedRuling]:
    """Yield the rulings *numbers*, so that they change nothing.

    Rulings on the past are left out with their edits; those that confirm an event change nothing.
    """
    for number in numbers:
        ruling, _ = world.rulings[number]
        if ruling.kind not in ON_THE_PAST:
            yield ChangedRuling(number, ())


def _place_of_ruling(
    entries: Sequence[e.Entry], changed: WhatIfChanges, edits: Sequence[e.Edit]
) -> int:
    """Return the number of the event that the ruling of *changed* comes before."""
    if changed.after is not None:
        if not 0 <= changed.after < len(entries):
            raise UnknownError(
                f"there is no event #{changed.after}: the last is #{len(entries) - 1}"
            )
        return changed.after + 1
    if changed.since is not None:
        return _first_event_of(entries, changed.since)
    numbers = [number for edit in edits if (number := edited_event(edit)) is not None]
    return max(min(numbers, default=1), 1)


def _ruleset(changed: WhatIfChanges) -> RulesOverride | None:
    """Return a function from recorded rules to the rules of the timeline; None for no change."""
    fixed, changes = changed.rules, changed.changes
    if fixed is None and not changes:
        return None
    return lambda rules: apply_fitting_changes(rules if fixed is None else fixed, changes)


def _first_event_of(entries: Sequence[e.Entry], period: int) -> int:
    """Return the number of the first event of *period*."""
    for entry in entries:
        if entry.body.period == period:
            return entry.number
    raise UnknownError(f"there is no period {period}")


def _report(game: str, timeline: Timeline, standings: Projection, is_throwaway: bool) -> WhatIf:
    recorded, rerun = timeline.recorded, timeline.world
    otherwise = (
        WhatIfDifference(item.subject, item.what, item.recorded, item.by_rules)
        for item in differences(recorded, rerun)
    )
    rolled = any(question.dealt == "rolled" for question in timeline.rerun.asked)
    return WhatIf(
        game=game,
        first=timeline.input_log.first,
        period=timeline.entries[-1].body.period,
        difference=timeline.first_difference(),
        otherwise=(*otherwise, *_account_differences(recorded, rerun)),
        places=tuple(_places(recorded, rerun, standings)),
        winners=(_winners(recorded), _winners(rerun)),
        orphans=tuple(timeline.orphans()),
        collisions=tuple(timeline.collisions()),
        asked=tuple(timeline.rerun.asked),
        stopped=timeline.rerun.stopped,
        throwaway=rolled and is_throwaway,
        explained=tuple(timeline.explained_facts()),
    )


def _account_differences(recorded: World, rerun: World) -> Iterator[WhatIfDifference]:
    """Yield what differs in accounts that belong to no player."""
    entities = {**recorded.entities, **rerun.entities}
    commodities = {**rerun.commodities(), **recorded.commodities()}
    for account in dict.fromkeys((*recorded.balances, *rerun.balances)):
        for name, commodity in commodities.items() if account not in entities else ():
            before, after = (
                from_units(world.balance(account, name), commodity.places)
                for world in (recorded, rerun)
            )
            if before != after:
                yield WhatIfDifference(f"account {account}", name, before, after)


def _places(recorded: World, rerun: World, standings: Projection) -> Iterator[PlaceInWhatIf]:
    tables = [_standings(world, standings) for world in (recorded, rerun)]
    for player in dict.fromkeys((*tables[0], *tables[1])):
        before, after = (table.get(player) for table in tables)
        yield PlaceInWhatIf(
            player,
            before and before.money,
            before and before.rank,
            after and after.money,
            after and after.rank,
        )


def _standings(world: World, standings: Projection) -> dict[str, Any]:
    """Return the standings by player, as the installed projection computes them."""
    model: Any = standings(WorldView(world))
    return {place.player: place for place in model.standings}


def _winners(world: World) -> tuple[str, ...]:
    return tuple(str(world.label(winner)) for winner in world.game.get("winners") or ())
