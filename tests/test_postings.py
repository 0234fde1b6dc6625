"""What an attempt has posted is kept until it is done, and can be taken back."""

from datetime import UTC, datetime

from nomoledger import events as e
from nomoledger.state.bitemporal import copy_world
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def paid(number: int) -> e.Posted:
    postings = (e.Posting("Ann", "$", -number), e.Posting("Bob", "$", number))
    return e.Posted(period=1, received_at=NOON, recorded_at=NOON, postings=postings, why="rent")


def done() -> e.AttemptDone:
    return e.AttemptDone(period=1, received_at=NOON, recorded_at=NOON, attempt="a")


def folded(world: World, count: int) -> World:
    for number in range(count):
        apply(world, paid(number))
    return world


def test_postings_are_available_when_the_attempt_is_done() -> None:
    world = folded(World(), 3)
    assert "posted" not in world.game
    apply(world, done())
    assert world.game["posted"] == tuple(map(paid, range(3)))
    assert world.game["posting"] == ()


def test_postings_are_rolled_back_mark_by_mark() -> None:
    world = folded(World(), 2)
    before = world.digest()
    outer = world.mark()
    folded(world, 2)
    between, inner = world.digest(), world.mark()
    folded(world, 2)
    apply(world, done())
    folded(world, 1)
    world.rollback(inner)
    assert world.digest() == between
    world.rollback(outer)
    assert world.digest() == before
    assert world.game["posting"] == [paid(0), paid(1)]


def test_a_copy_is_independent_of_its_original() -> None:
    world = folded(World(), 2)
    before = world.digest()
    folded(copy_world(world), 2)
    assert world.digest() == before


def test_the_digest_is_that_of_a_tuple() -> None:
    world, other = folded(World(), 2), folded(World(), 2)
    other.game["posting"] = tuple(other.game["posting"])
    assert world.digest() == other.digest()
