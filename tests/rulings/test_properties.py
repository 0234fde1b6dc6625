"""Settlements of random games equal the same games played correctly from the start."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import tiers
from hypothesis import given, settings
from hypothesis import strategies as st

from nomoledger import events as e
from nomoledger.engine.oracles import ReplayOracle, recorded_draws
from nomoledger.engine.settlement.ruling_validity import (
    edits_of,
    first_edited_event,
    rulings_in_force,
)
from nomoledger.engine.settlement.timeline import Timeline
from nomoledger.game.engines import new_engine
from nomoledger.rulebook.loading import load
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

from .game import SECRET, RuledGame, folded, played_right, unlike
from .players import Mailer, Move, Player, editable, some_edit
from .rules import RULES

PLAY = (
    "go", "go", "go", "buy", "steal", "plot", "propose", "propose", "correct", "answer", "answer",
    "answer", "wait", "close", "join", "leave", "finish",
)  # fmt: skip
MAIL = (
    "propose",
    "propose",
    "trade",
    "trade",
    "deal",
    "correct",
    "answer",
    "wait",
    "close",
    "join",
)
RULE = ("ruling", "ruling", "ruling", "overlooked", "overrule")
START: list[Move] = [("join", 0, 0), ("join", 1, 0), ("join", 2, 0)]
BOOK = load("mail-opening")


def some(names: Sequence[str], least: int, most: int) -> st.SearchStrategy[list[Move]]:
    move = st.tuples(st.sampled_from(names), st.integers(0, 999), st.integers(0, 999))
    return st.lists(move, min_size=least, max_size=most)


#: Dice mode, moves, rulings, and the moves after each ruling.
Script = tuple[str, list[Move], list[Move], list[Move]]
some_games = given(
    st.tuples(
        st.sampled_from(["seeded", "seeded", "entered"]),
        some(PLAY, 4, 16),
        some(RULE, 1, 3),
        some(PLAY, 0, 4),
    )
)


def tried(examples: int) -> settings:
    """Return settings for that many *examples* in a slow run, and a twelfth of them by default."""
    return tiers.examples(few=max(3, examples // 12), many=examples)


def played(script: Script, salt: str = "", settles: Sequence[str] = ("all",)) -> RuledGame:
    """Return a game after the moves and rulings of *script*."""
    dice, moves, rulings, later = script
    game = RuledGame(RULES, dice)
    player = Player(game, salt, settles)
    player.play([*START, ("go", 0, 0), *moves])
    for ruling in rulings:
        player.play([ruling, *later])
    return game


def replays_exactly(game: RuledGame) -> bool:
    """Return whether the replay of the rulings in force had no orphans and nothing to decide."""
    edits, first = edits_of(rulings_in_force(game.world)), first_edited_event(game.world)
    timeline = Timeline(game.entries, edits, since=first, secret=SECRET)
    for _ in timeline.run():
        pass
    rerun = timeline.rerun
    decided = [x for x in rerun.asked if x.dealt not in ("rolled", "open")]
    return not any((decided, rerun.orphans, rerun.stopped, rerun.engine.has_held_back))


def settlements(game: RuledGame) -> Iterator[tuple[World, list[e.Event]]]:
    """Yield the world before each retroactive ruling, and the events of its settlement."""
    for number, (ruling, at) in game.world.rulings.items():
        if ruling.effective is not None:
            cited = f"ruling:{number}"
            events = [x.body for x in game.entries if x.body.rules[:1] == (cited,)]
            yield folded(game.entries[:at]), events


# --- the present, and the past -------------------------------------------------------------------


@tried(120)
@some_games
def test_the_settled_present_equals_the_game_played_correctly(script: Script) -> None:
    game = played(script)
    if replays_exactly(game):
        edits = edits_of(rulings_in_force(game.world))
        assert unlike(game.world, played_right(game.entries, edits)) == []


@tried(25)
@given(some(MAIL, 3, 9), some(RULE[:3], 1, 2), some(MAIL, 0, 2))
def test_the_settled_present_under_mail_opening_equals_the_game_played_correctly(
    moves: list[Move], rulings: list[Move], later: list[Move]
) -> None:
    game = RuledGame(BOOK.rules)
    mailer = Mailer(game)
    mailer.play([*START[:2], ("propose", 1, 0), *moves])
    for ruling in rulings:
        mailer.play([ruling, *later])
    if replays_exactly(game):
        edits = edits_of(rulings_in_force(game.world))
        assert unlike(game.world, played_right(game.entries, edits)) == []


@tried(40)
@some_games
def test_overruling_restores_the_present(script: Script) -> None:
    game = played(script)
    player = Player(game)
    while any(x.effective is not None for x in rulings_in_force(game.world)):
        holding = len(rulings_in_force(game.world))
        player.play([("overrule", 0, 0)])
        if len(rulings_in_force(game.world)) == holding:
            return  # the ruling cannot be overruled
    if replays_exactly(game):
        assert unlike(game.world, played_right(game.entries, [])) == []


@tried(40)
@some_games
def test_overruling_with_the_same_settle_restores_the_present(script: Script) -> None:
    dice, moves, (ruling, *_), _ = script
    for settle in ("money", "none"):
        game = played((dice, moves, [], []))
        before, player = len(game.entries), Player(game, settles=[settle])
        player.play([ruling])
        if last := [x.number for x in rulings_in_force(game.world) if x.effective is not None]:
            player.rule_on(overrules=(last[-1],))
            if settled_alone([entry.body for entry in game.entries[before:]]):
                assert unlike(game.world, folded(game.entries[:before])) == []


def settled_alone(events: list[e.Event]) -> bool:
    """Return whether two rulings led to two settlements and nothing else."""
    others = (e.AttemptRefused, e.TimerFired, e.PeriodClosed)
    settled = {body.ruling for body in events if isinstance(body, e.Settled)}
    return len(settled) == 2 and not any(isinstance(body, others) for body in events)


# --- the invariants -------------------------------------------------------------------------------


@tried(40)
@some_games
def test_every_commodity_sums_to_zero_and_the_state_is_a_fold(script: Script) -> None:
    game, world = played(script, settles=("all", "money", "none")), World()
    for entry in game.entries:
        apply(world, entry.body)
        for commodity in ("$", "paint"):
            assert sum(table.get(commodity, 0) for table in world.balances.values()) == 0
            for past in world.past.values() if isinstance(entry.body, e.AttemptDone) else ():
                assert sum(x.get(commodity, 0) for x in past["balances"].values()) == 0
    assert world.digest() == game.world.digest()


@tried(25)
@some_games
def test_every_input_replays_byte_for_byte(script: Script) -> None:
    game, world = played(script, settles=("all", "money", "none")), World()
    oracle = ReplayOracle(recorded_draws(game.entries))
    for number, entry in enumerate(game.entries):
        body = entry.body
        if isinstance(body, e.Input) and number:
            mark = world.mark()
            engine = new_engine(world, oracle, SECRET, recorded=game.entries)
            replayed = [event for batch in engine.process(body) for event in batch]
            world.rollback(mark)
            recorded = [x.body for x in game.entries[number : number + len(replayed)]]
            assert list(map(msgspec.json.encode, replayed)) == list(
                map(msgspec.json.encode, recorded)
            )
        apply(world, body)


@tried(30)
@some_games
def test_every_event_of_a_settlement_has_an_input_as_its_cause(script: Script) -> None:
    game = played(script)
    for _, events in settlements(game):
        for event in events:
            assert event.cause is not None
            assert isinstance(game.entries[event.cause].body, e.Input)


# --- unaffected state -----------------------------------------------------------------------------


@tried(40)
@some_games
def test_a_settlement_mentions_only_what_it_changes(script: Script) -> None:
    game = played(script)
    for before, events in settlements(game):
        after = folded(game.entries[: before.head + 2 + len(events)])
        for event in events:
            thing = getattr(event, "entity", getattr(event, "piece", None))
            if isinstance(event, e.Moved | e.AttributeSet):
                assert about(before, thing) != about(after, thing)
            for posting in event.postings if isinstance(event, e.Posted) else ():
                assert owned(before, posting) != owned(after, posting)


def about(world: World, thing: Any) -> Any:
    ends = {name: ending[:2] for name, ending in world.durations.get(thing, {}).items()}
    return world.entities.get(thing), world.attributes.get(thing), ends


def owned(world: World, posting: e.Posting) -> list[int]:
    tables = [past["balances"] for past in world.past.values()] + [world.balances]
    return [table.get(posting.account, {}).get(posting.commodity, 0) for table in tables]


@tried(40)
@given(some(PLAY, 4, 16), st.integers(0, 999), st.integers(0, 999))
def test_one_changed_die_changes_no_other(moves: list[Move], which: int, values: int) -> None:
    game = played(("seeded", moves, [], []))
    rolls = [entry for entry in editable(game) if isinstance(entry.body, e.DrawRecorded)]
    chosen = rolls[which % len(rolls)]
    edit = some_edit(chosen, values)
    timeline = Timeline(
        game.entries, [edit], oracle=ReplayOracle({}), secret=SECRET, questions="default"
    )
    for _ in timeline.run():
        pass
    was = {x.body.answers: x.body.values for x in rolls if isinstance(x.body, e.DrawRecorded)}
    for event in (event for batch in timeline.rerun.events.values() for event in batch):
        if isinstance(event, e.DrawRecorded) and event.answers in was:
            is_chosen = event.answers == getattr(chosen.body, "answers", None)
            assert is_chosen or tuple(event.values) == was[event.answers]


# --- secrets --------------------------------------------------------------------------------------


@tried(40)
@some_games
def test_public_events_depend_on_no_secret(script: Script) -> None:
    short, long = (played(script, salt) for salt in ("a", "another plan"))
    assert public_events(short) == public_events(long)


def public_events(game: RuledGame) -> list[tuple[int, bytes]]:
    seen = []
    for number, entry in enumerate(game.entries):
        body = entry.body
        if isinstance(body, e.PeriodClosed):
            body = msgspec.structs.replace(body, digest="")
        if body.audience is None:
            seen.append((number, msgspec.json.encode(body)))
    return seen
