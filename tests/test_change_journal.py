"""A rollback restores the state, and takes memory in proportion to what changed."""

import sys
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nomoledger.state.world import World

KEYS = ("a", "b")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put"] * 4 + ["grow"] * 6 + ["drop", "append"] + ["mark"] * 3
                        + ["rollback", "rollback", "release", "release"]),
        st.sampled_from(KEYS),
        st.integers(0, 40),
    ),
    max_size=60,
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(STEPS)
def test_a_rollback_restores_every_table_through_nested_marks(
    steps: list[tuple[str, str, int]],
) -> None:
    world = World()
    table: dict[Any, Any] = world.counts
    marks: list[tuple[tuple[int, int], dict[Any, Any]]] = []
    for what, key, size in steps:
        if what == "put":
            world.put(table, key, tuple(range(size)))
        elif what == "grow" and not isinstance(table.get(key), list):
            world.put(table, key, (*table.get(key, ()), *range(size)))
        elif what == "append":
            world.append(table, key, size)
        elif what == "drop":
            world.drop(table, key)
        elif what == "mark":
            marks.append((world.mark(), deepcopy(table)))
        elif what == "rollback" and marks:
            mark, before = marks.pop()
            world.rollback(mark)
            assert table == before
        elif what == "release" and marks:
            mark, _ = marks.pop()
            world.release(mark)
    while marks:
        mark, before = marks.pop()
        world.rollback(mark)
        assert table == before


def test_a_tuple_that_grows_one_by_one_is_kept_once_while_marks_nest() -> None:
    world = World()
    outer = world.mark()
    for number in range(2000):
        inner = world.mark()
        world.put(world.kinds, "square", (*world.kinds.get("square", ()), f"s{number}"))
        world.release(inner)
    kept = [old for _, _, old in world._journal._changes if isinstance(old, tuple)]
    assert sum(map(sys.getsizeof, kept)) < 10_000
    world.rollback(outer)
    assert world.kinds == {}
