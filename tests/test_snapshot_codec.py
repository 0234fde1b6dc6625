"""A decoded snapshot equals the encoded world, and folding on from it gives the same state."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import given
from rulings.game import RuledGame
from rulings.players import Mailer, Move, Player
from rulings.rules import RULES
from rulings.test_properties import BOOK, MAIL, PLAY, RULE, START, some
from tiers import examples

from nomoledger import events as e
from nomoledger.errors import CorruptError
from nomoledger.events.rules import Rule
from nomoledger.ledger.snapshots import REDUCER_PACKAGES
from nomoledger.state.reducer import apply
from nomoledger.state.snapshot_codec import BLOCK, check_parts, decode_snapshot, encode_snapshot
from nomoledger.state.world import World

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
Fetch = Callable[[Sequence[bytes]], dict[bytes, bytes]]


def tables(world: World) -> list[Any]:
    """Return all tables of *world* with order and types, for an exact comparison."""
    state = vars(world).items()
    return [(name, typed(x)) for name, x in state if name[0] != "_" and name != "index"]


def typed(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, typed(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [typed(item) for item in value]
    return type(value), value


def fetching(parts: dict[bytes, bytes]) -> Fetch:
    return lambda keys: {key: parts[key] for key in keys if key in parts}


def check_every_close(entries: Sequence[e.Entry]) -> int:
    """Continue from a decoded snapshot after each close, and return the number of closes."""
    folded, restored, parts, closes = World(), World(), dict[bytes, bytes](), 0
    for entry in entries:
        apply(folded, entry.body)
        apply(restored, entry.body)
        if isinstance(entry.body, e.PeriodClosed):
            snapshot = encode_snapshot(restored)
            parts |= snapshot.parts
            restored = decode_snapshot(snapshot.root, fetching(parts))
            assert tables(restored) == tables(folded)
            assert restored.digest() == folded.digest()
            assert encode_snapshot(folded).root == snapshot.root
            closes += 1
    assert tables(restored) == tables(folded)
    return closes


tried = examples(few=6, many=25)


def weeks(*moves: Sequence[Move]) -> Iterator[Move]:
    for week in moves:
        yield from (*week, ("close", 0, 0), ("answer", 0, 0), ("answer", 0, 0))


@pytest.mark.slow
@tried
@given(some(PLAY, 3, 8), some(RULE, 1, 2), some(PLAY, 3, 8))
def test_a_snapshot_and_the_tail_give_the_folded_world(
    first: list[Move], ruling: list[Move], second: list[Move]
) -> None:
    game = RuledGame(RULES)
    Player(game).play([*START, ("go", 0, 0), *weeks(first, first, ruling, second)])
    assert check_every_close(game.entries) >= len(game.world.past) > 0


@pytest.mark.slow
@tried
@given(some(MAIL, 3, 6), some(RULE[:3], 1, 1), some(MAIL, 1, 4))
def test_snapshots_under_mail_opening_give_the_folded_world(
    first: list[Move], ruling: list[Move], second: list[Move]
) -> None:
    game = RuledGame(BOOK.rules)
    Mailer(game).play([*START[:2], *weeks(first, ruling, second)])
    check_every_close(game.entries)


# --- values --------------------------------------------------------------------------------------

VALUES: tuple[Any, ...] = (
    0, -1, 2**63 - 1, -(2**63), 2**63, -(10**40), True, None, 1.5, "", "é\0", b"\xff", (), ((),),
    [], [()], {}, {1: (2,), "1": [2], "": {}}, (1, [2, (3,)], {"a": (None,)}), NOON,
)  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_every_value_survives_encoding_and_decoding(value: Any) -> None:
    world = World()
    world.attributes["thing"] = {"value": value, "large": [value] * 60}
    world.game["value"] = value
    snapshot = encode_snapshot(world)
    assert tables(decode_snapshot(snapshot.root, fetching(snapshot.parts))) == tables(world)


def test_a_value_that_no_event_can_set_is_refused() -> None:
    world = World()
    world.game["value"] = {1, 2}
    with pytest.raises(TypeError, match="a world cannot hold"):
        encode_snapshot(world)


def closed(world: World, periods: int) -> None:
    for period in range(1, periods + 1):
        body = e.PeriodClosed(
            period=period, received_at=NOON, recorded_at=NOON, digest="", seed="", commitment=""
        )
        world.attributes["thing"] = {"text": f"{period} " * 100}
        apply(world, body)


def test_each_period_is_encoded_once() -> None:
    world, sizes = World(), []
    world.game["rules"] = tuple(
        Rule(number=str(n), prose=f"rule {n} " * 200, code="pass\n") for n in range(50)
    )
    stored: dict[bytes, bytes] = {}
    for period in range(1, 4 * BLOCK):
        body = e.PeriodClosed(
            period=period, received_at=NOON, recorded_at=NOON, digest="", seed="", commitment=""
        )
        world.attributes["thing"] = {"text": f"{period} " * 100}
        apply(world, body)
        new = {key: part for key, part in encode_snapshot(world).parts.items() if key not in stored}
        stored |= new
        sizes.append(sum(map(len, new.values())))
    assert max(sizes[1:]) < 20_000 < sizes[0]
    assert max(sizes[3 * BLOCK :]) < 2 * max(sizes[2:BLOCK])


def test_a_corrected_period_is_encoded_again() -> None:
    world = World()
    closed(world, 3)
    before = encode_snapshot(world)
    tables_of = (("past", 2, "attributes", "thing", "text"), "else")
    settled = e.Settled(period=4, received_at=NOON, recorded_at=NOON, ruling=1, tables=(tables_of,))
    apply(world, settled)
    after = encode_snapshot(world)
    back = decode_snapshot(after.root, fetching(before.parts | after.parts))
    assert tables(back) == tables(world)
    assert back.past[2]["attributes"] == {"thing": {"text": "else"}}


# --- damage --------------------------------------------------------------------------------------


def test_a_damaged_part_is_an_error() -> None:
    world = World()
    closed(world, 2)
    snapshot = encode_snapshot(world)
    for key, part in snapshot.parts.items():
        for altered in (None, part[:-1], part[:-1] + bytes([part[-1] ^ 1]), b"", "text"):
            parts: dict[bytes, Any] = snapshot.parts | {key: altered}
            if altered is None:
                del parts[key]
            with pytest.raises(CorruptError, match="a part of a snapshot is"):
                decode_snapshot(snapshot.root, fetching(parts))
            with pytest.raises(CorruptError, match="a part of a snapshot is"):
                check_parts(snapshot.root, fetching(parts), set())


def test_a_part_with_other_content_is_an_error() -> None:
    content = msgspec.msgpack.encode(((), ["no world"]))
    key = sha256(content).digest()
    with pytest.raises(CorruptError, match="a snapshot cannot be read"):
        decode_snapshot(key, fetching({key: content}))


# --- versions ------------------------------------------------------------------------------------


def test_the_version_of_the_reducer_covers_all_that_it_imports() -> None:
    code = (
        "import sys, nomoledger.state.reducer\n"
        "print(*sorted(name for name in sys.modules if name.startswith('nomoledger.')))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = {name.removeprefix("nomoledger.") for name in printed.stdout.split()}
    packages = {name.partition(".")[0] for name in loaded}
    assert packages - {"errors"} == set(REDUCER_PACKAGES)
