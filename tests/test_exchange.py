"""Export and import: the same bytes and hashes, or nothing."""

import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tiers import examples

from nomoledger.errors import CorruptError, RecordError, UnknownError, UsageError
from nomoledger.events import (
    Event,
    FactRecorded,
    GameOpened,
    Moved,
    PeriodClosed,
    Posted,
    Posting,
    RuleRepealed,
    Scheduled,
    Settled,
    SubmissionReceived,
    TimerFired,
)
from nomoledger.game.exchange import export_ledger, import_ledger
from nomoledger.ledger.ledger import Ledger

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def fact(number: int, value: Any = 1) -> Event:
    fields = {"value": value}
    return FactRecorded(
        period=1, received_at=NOON, recorded_at=NOON, id=str(number), kind="fish", fields=fields
    )


def opened(game: str) -> Event:
    return GameOpened(
        period=1, received_at=NOON, recorded_at=NOON, id="opening", game=game, rulebook="fish"
    )


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "source.db", create=True) as ledger:
        for game, bodies in {
            "chess": [opened("chess"), *map(fact, range(2500))],
            "empty": [],
            "go": [opened("go"), fact(1), fact(2)],
        }.items():
            ledger.add_game(game)
            ledger.append(game, bodies, expected=-1)
        yield ledger


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "target.db", create=True) as ledger:
        yield ledger


def exported(ledger: Ledger, games: list[str] | None = None) -> bytes:
    file = io.BytesIO()
    heads = export_ledger(ledger, file, games)
    assert heads == {game: ledger.head(game) for game in games or ledger.games()}
    return file.getvalue()


def refused(ledger: Ledger, data: bytes) -> str:
    """Why *data* is not imported; checks that nothing was."""
    file = io.BytesIO(data)
    file.name = "games.jsonl"
    before = ledger.games()
    with pytest.raises(RecordError) as refusal:
        import_ledger(ledger, file)
    assert ledger.games() == before
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def test_an_export_has_the_documented_lines(source: Ledger) -> None:
    header, *records = map(json.loads, exported(source, ["go"]).splitlines())
    assert header == {
        "nomoledger": 1,
        "game": "go",
        "secret": source.secret("go").hex(),
        "records": 3,
        "head": str(source.head("go")),
        "following": 0,
    }
    assert [record["number"] for record in records] == [0, 1, 2]
    assert [record["body"]["event"] for record in records][:2] == [
        "game-opened/1",
        "fact-recorded/1",
    ]


def test_export_import_export_gives_the_same_bytes(source: Ledger, target: Ledger) -> None:
    data = exported(source)
    heads = import_ledger(target, io.BytesIO(data))
    assert heads == {game: source.head(game) for game in ("chess", "empty", "go")}
    assert exported(target) == data
    for game in heads:
        assert target.verify(game, source.head(game)).ok
        assert list(target.read(game)) == list(source.read(game))


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)  # fmt: skip


@examples(few=15, many=60)
@given(values=st.lists(anything, max_size=3))
def test_any_value_that_play_records_survives_export_and_import(
    values: list[Any], tmp_path: Path
) -> None:
    for name in ("one.db", "two.db"):
        (tmp_path / name).unlink(missing_ok=True)
    with Ledger.open(tmp_path / "one.db", create=True) as one:
        one.add_game("chess")
        facts = [fact(n, value) for n, value in enumerate(values)]
        one.append("chess", [opened("chess"), *facts], expected=-1)
        data = exported(one)
    with Ledger.open(tmp_path / "two.db", create=True) as two:
        import_ledger(two, io.BytesIO(data))
        assert exported(two) == data


@pytest.mark.parametrize(
    ("value", "plain"), [({"b": 1, "a": (2, "é")}, True), ({1: 2}, False), (b"x", False)]
)
def test_records_are_readable_unless_json_would_change_them(
    target: Ledger, value: Any, plain: bool
) -> None:
    target.add_game("go")
    target.append("go", [fact(0, value)], expected=-1)
    record = json.loads(exported(target).splitlines()[1])
    assert set(record) == ({"number", "body"} if plain else {"number", "topic", "state"})


common: dict[str, Any] = {"period": 1, "received_at": NOON, "recorded_at": NOON}


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (Settled(ruling=9, cause=0, **common), "there is no ruling 9"),
        (RuleRepealed(number="7", source="x", cause=0, **common), "there is no rule '7' in force"),
        (TimerFired(attempt="x", cause=0, **common), "it cannot follow|cannot follow from"),
        (fact(1, b"bytes"), "cannot be recorded in play"),
        (fact(1, float("nan")), "cannot be recorded in play"),
        (fact(1, NOON), "cannot be recorded in play"),
        (opened("odd"), "begins with one event that opens it"),
        (replace(fact(1), id="opening"), "is that of an earlier input"),
        (replace(fact(1), period=2), "it is of period 2, not 1"),
        (replace(fact(1), cause=0), "an input has no cause"),
        (replace(fact(1), received_at=NOON.replace(year=2025)), "received before the input"),
        (Moved(piece="Ann", mode="put", left=None, to="x", cause=0, **common), "there is no 'Ann'"),
        (
            Posted(postings=(Posting("a", "$", 1), Posting("b", "$", -1)), cause=0, **common),
            r"there is no commodity '\$'",
        ),
        (PeriodClosed(digest="x", cause=0, **common), "does not follow from the events before"),
        (Scheduled(attempt="x", operation="y", due=10**15, cause=0, **common), "is no time"),
        (SubmissionReceived(id="1", by="Zoe", action="buy", **common), "'Zoe' is no player"),
    ],
)
def test_an_event_that_play_cannot_have_recorded_is_refused_with_its_line(
    tmp_path: Path, target: Ledger, event: Event, why: str
) -> None:
    with Ledger.open(tmp_path / "odd.db", create=True) as ledger:
        ledger.add_game("odd")
        ledger.append("odd", [opened("odd"), event], expected=-1)
        assert re.search(
            f"^games.jsonl:3: record #1 was not .*{why}", refused(target, exported(ledger))
        )


def test_a_value_that_is_nested_too_deep_or_too_large_is_refused(
    source: Ledger, target: Ledger
) -> None:
    lines = exported(source, ["go"]).splitlines()
    for value in (b"[" * 5000 + b"]" * 5000, b"[" * 1001 + b"]" * 1001, b"1" * 30, b"1e999"):
        changed = [*lines[:2], lines[2].replace(b'"value":1', b'"value":' + value), lines[3]]
        message = refused(target, b"".join(line + b"\n" for line in changed))
        assert message.startswith("games.jsonl:3: ")


def test_a_damaged_or_unknown_game_is_not_exported(source: Ledger, target: Ledger) -> None:
    with pytest.raises(UsageError, match="nothing to export"):
        export_ledger(target, io.BytesIO())
    with pytest.raises(UsageError, match="each once"):
        export_ledger(source, io.BytesIO(), ["go", "go"])
    with pytest.raises(UnknownError, match="no game 'draughts'"):
        export_ledger(source, io.BytesIO(), ["draughts"])
    with source.store.writing() as writer:
        writer.insert("go", [(3, "posted/1", b"")], [])
    with pytest.raises(CorruptError, match="'go' cannot be exported: #3 is stored after the end"):
        export_ledger(source, io.BytesIO())


def test_a_game_is_not_imported_over_another(source: Ledger) -> None:
    assert refused(source, exported(source, ["go"])) == (
        "games.jsonl:1: there is a game 'go' already: choose another name"
    )


def test_a_game_is_not_imported_twice(source: Ledger, target: Ledger) -> None:
    data = exported(source, ["go"])
    twice = data.replace(b'"following":0', b'"following":1') + data
    assert refused(target, twice).startswith("games.jsonl:5: there is a game 'go' already")


def test_a_file_cut_off_anywhere_is_refused(source: Ledger, target: Ledger) -> None:
    data = exported(source, ["empty", "go"])
    for length in range(len(data)):
        assert refused(target, data[:length]).startswith("games.jsonl:")


def test_a_file_altered_anywhere_is_refused(source: Ledger, target: Ledger) -> None:
    data = exported(source, ["go"])
    for place in range(0, len(data), 3):
        if data[place : place + 1] not in b"\n{":
            other = b"7" if data[place : place + 1] != b"7" else b"8"
            refused(target, data[:place] + other + data[place + 1 :])


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda lines: [], r"games.jsonl:1: empty"),
        (lambda lines: [b"{}", *lines], r"games.jsonl:1: an export of format 1 begins"),
        (lambda lines: [b"\xff", *lines], r"games.jsonl:1: not the header"),
        (lambda lines: [b"[]", *lines], r"games.jsonl:1: not the header"),
        (lambda lines: [lines[0].replace(b'r":1', b'r":2'), *lines[1:]], r":1: an export of form"),
        (lambda lines: [b"game,number", *lines], r"games.jsonl:1: not the header"),
        (lambda lines: lines[1:], r"games.jsonl:1: an export of format 1 begins"),
        (lambda lines: [lines[0], *lines[2:]], r"games.jsonl:2: expected record #0 here, not #1"),
        (lambda lines: [*lines[:2], lines[1], *lines[2:]], r":3: expected record #1 here, not #0"),
        (lambda lines: [*lines[:2], b"{", *lines[3:]], r"games.jsonl:3: not a record"),
        (lambda lines: [*lines[:2], b"\xfe", *lines[3:]], r"games.jsonl:3: not a record"),
        (lambda lines: [*lines[:2], b"", *lines[3:]], r"games.jsonl:3: not a record"),
        (
            lambda lines: [*lines[:2], b'{"number":1}', *lines[3:]],
            r":3: not a record: a record has",
        ),
        (lambda lines: [*lines, b"{}"], r"games.jsonl:5: something follows"),
        (lambda lines: lines[:-1], r"games.jsonl:4: the file is cut off here"),
        (
            lambda lines: [*lines[:3], lines[3].replace(b'"value":1', b'"value":2')],
            r"games.jsonl:4: the events of game 'go' come to another head",
        ),
        (
            lambda lines: [lines[0].replace(b'"records":3', b'"records":2'), *lines[1:3]],
            r"games.jsonl:3: the events of game 'go' come to another head",
        ),
    ],
)
def test_an_error_in_an_export_names_its_line(
    source: Ledger, target: Ledger, act: Any, problem: str
) -> None:
    lines = act(exported(source, ["go"]).splitlines())
    message = refused(target, b"".join(line + b"\n" for line in lines))
    assert re.search(problem, message)


def test_a_game_missing_from_the_middle_is_noticed(source: Ledger, target: Ledger) -> None:
    lines = exported(source, ["go", "empty", "chess"]).splitlines(keepends=True)
    assert "games.jsonl:5: a game is missing" in refused(target, b"".join(lines[:4] + lines[5:]))


def test_a_refused_file_of_many_batches_leaves_nothing(source: Ledger, target: Ledger) -> None:
    data = exported(source, ["chess"])
    message = refused(target, data.replace(b'"id":"2400"', b'"id":"x2400"'))
    assert message.startswith("games.jsonl:2502: the events of game 'chess' come to another head")
