"""The index behind `find` and `where` says the same as a look at every entity."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nomoledger import events as e
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
COMMON: dict[str, Any] = {"period": 1, "received_at": NOON, "recorded_at": NOON}
THINGS = [f"thing{number}" for number in range(6)]
VALUES = [None, 1, 2, "red", ["a", "b"], {"a": 1}]
COLORS = ("color", "size")


def searched(world: World, attribute: str, value: Any) -> tuple[str, ...]:
    """The entities that have the value, found by a look at each."""
    things = world.kinds.get("thing", ())
    return tuple(thing for thing in things if world.get(thing, attribute) == value)


def assert_index_is_right(world: World) -> None:
    for attribute in COLORS:
        for value in [*VALUES[:-1], "never"]:
            try:
                found = world.where("thing", attribute, value)
            except TypeError:  # A value that cannot be looked up, as before there was an index.
                continue
            assert found == searched(world, attribute, value)


def change(world: World, step: tuple[Any, ...]) -> None:
    """Carry out a step that suits the world; leave out one that does not."""
    what, thing, attribute, value = step
    exists = thing in world.entities
    if what == "create" and not exists:
        attributes = {} if value is None else {attribute: value}
        apply(world, e.EntityCreated(entity=thing, kind="thing", attributes=attributes, **COMMON))
    elif what == "destroy" and exists:
        apply(world, e.EntityDestroyed(entity=thing, **COMMON))
    elif what == "set" and exists:
        was = world.get(thing, attribute)
        event = e.AttributeSet(entity=thing, attribute=attribute, value=value, was=was, **COMMON)
        apply(world, event)
    elif what == "look":
        assert_index_is_right(world)
    elif what == "forget":
        world.forget_index()


def values_for(steps: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[Any, ...]]:
    things, attributes = st.sampled_from(THINGS), st.sampled_from(COLORS)
    return st.tuples(steps, things, attributes, st.sampled_from(VALUES))


STEPS = st.lists(
    values_for(
        st.sampled_from(
            ["create"] * 4 + ["set"] * 6 + ["destroy"] * 2 + ["look"] * 3
            + ["mark"] * 2 + ["rollback"] * 2 + ["release", "forget"]
        )
    ),
    max_size=60,
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(STEPS)
def test_index_follows_changes_and_their_rollback(steps: list[tuple[Any, ...]]) -> None:
    world = World()
    marks: list[tuple[int, int]] = []
    for step in steps:
        if step[0] == "mark":
            marks.append(world.mark())
        elif step[0] == "rollback" and marks:
            world.rollback(marks.pop())
            assert_index_is_right(world)
        elif step[0] == "release" and marks:
            world.release(marks.pop())
        else:
            change(world, step)
    assert_index_is_right(world)


def test_lookup_while_a_board_grows_does_not_read_every_square_again() -> None:
    world = World()
    reads = 0

    class Counting(dict[str, Any]):
        def get(self, *arguments: Any) -> Any:
            nonlocal reads
            reads += 1
            return super().get(*arguments)

    world.attributes = Counting()
    for number in range(1, 501):
        attributes = {"number": number}
        created = e.EntityCreated(
            entity=f"s{number}", kind="square", attributes=attributes, **COMMON
        )
        apply(world, created)
        assert world.where("square", "number", number) == (f"s{number}",)
    assert reads < 10 * 500


def test_entity_that_is_created_twice_does_not_break_the_index() -> None:
    world = World()
    for color in ("red", "blue"):
        attributes = {"color": color}
        event = e.EntityCreated(entity="a", kind="thing", attributes=attributes, **COMMON)
        apply(world, event)
        found = world.where("thing", "color", color)
        assert set(found) == {"a"}


@pytest.mark.parametrize("value", [{"a": 1}, [["a"]]])
def test_value_that_cannot_be_looked_up_is_set_all_the_same(value: Any) -> None:
    world = World()
    apply(world, e.EntityCreated(entity="a", kind="thing", attributes={"color": 1}, **COMMON))
    assert world.where("thing", "color", 1) == ("a",)
    event = e.AttributeSet(entity="a", attribute="color", value=value, was=1, **COMMON)
    apply(world, event)
    assert world.get("a", "color") == value
