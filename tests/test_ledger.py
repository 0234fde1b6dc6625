"""The ledger: appending, reading, finding, retrying."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nomoledger.errors import ConflictError, CorruptError, UnknownError, UsageError
from nomoledger.events import ClockAdvanced, Entry, Event, Posted, Posting
from nomoledger.ledger.chain import origin
from nomoledger.ledger.ledger import Head, Ledger

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def posted(amount: int) -> Event:
    postings = (Posting("bank", "dollar", -amount), Posting("ann", "dollar", amount))
    return Posted(period=1, received_at=NOON, recorded_at=NOON, cause=0, postings=postings)


def clock(name: str) -> Event:
    return ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id=name)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "games.db", create=True) as opened:
        opened.add_game("chess", b"secret of 16 bytes")
        yield opened


def numbers(ledger: Ledger, after: int = -1, upto: int | None = None) -> list[int]:
    return [entry.number for entry in ledger.read("chess", after, upto)]


def test_a_new_game_is_empty(ledger: Ledger) -> None:
    assert ledger.games() == ["chess"]
    assert ledger.secret("chess") == b"secret of 16 bytes"
    assert ledger.head("chess") == Head(-1, origin("chess").hex())
    assert numbers(ledger) == []
    assert ledger.verify("chess").ok


def test_a_game_without_a_secret_gets_one(ledger: Ledger) -> None:
    ledger.add_game("draughts")
    assert len(ledger.secret("draughts")) == 32


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\x00", "\udc80"])
def test_a_name_is_a_line_of_text(ledger: Ledger, name: str) -> None:
    with pytest.raises(UsageError, match="is not a valid name of a game"):
        ledger.add_game(name)


def test_a_game_is_created_once_and_with_a_secret_that_nobody_can_guess(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="there is a game 'chess' already"):
        ledger.add_game("chess")
    for short in (b"", b"short", b"s" * 15):
        with pytest.raises(UsageError, match=r"secret of game 'go' has .* it can be guessed"):
            ledger.add_game("go", short)
    ledger.add_game("go", b"s" * 16)


def test_an_unknown_game_is_refused(ledger: Ledger) -> None:
    calls = [ledger.head, ledger.secret, ledger.read, ledger.verify]
    for call in calls:
        with pytest.raises(UnknownError, match=r"no game 'go' in .*games\.db"):
            call("go")
    with pytest.raises(UnknownError):
        ledger.find_input("go", "1")
    with pytest.raises(UnknownError):
        ledger.append("go", [posted(1)], expected=-1)


def test_appended_events_are_read_back(ledger: Ledger) -> None:
    bodies = [clock("1"), posted(1), posted(2)]
    head = ledger.append("chess", bodies, expected=-1)
    assert head.number == 2
    assert ledger.head("chess") == head
    entries = [Entry("chess", number, body) for number, body in enumerate(bodies)]
    assert list(ledger.read("chess")) == entries
    assert list(ledger.read("chess", 0, 1)) == entries[1:2]
    assert list(ledger.read("chess", after=2)) == list(ledger.read("chess", upto=-1)) == []
    assert list(ledger.read("chess", upto=99)) == entries


def test_the_head_depends_on_the_whole_history(ledger: Ledger) -> None:
    ledger.add_game("go", b"secret of 16 bytes")
    heads = {
        str(ledger.append(game, [posted(amount), posted(3)], expected=ledger.head(game).number))
        for game, amount in [("chess", 1), ("go", 1), ("chess", 2), ("go", 2)]
    }
    assert len(heads) == 4


def test_batches_lead_to_the_same_head_as_single_events(ledger: Ledger) -> None:
    with Ledger.open(Path(ledger.store.location).with_name("other.db"), create=True) as other:
        other.add_game("chess", b"secret of 16 bytes")
        for amount in range(5):
            other.append("chess", [posted(amount)], expected=amount - 1)
        ledger.append("chess", [posted(amount) for amount in range(5)], expected=-1)
        assert ledger.head("chess") == other.head("chess")


def test_reading_ignores_events_appended_meanwhile(ledger: Ledger) -> None:
    ledger.append("chess", [posted(0), posted(1)], expected=-1)
    for entry in ledger.read("chess"):
        ledger.append("chess", [entry.body], expected=ledger.head("chess").number)
    assert numbers(ledger) == [0, 1, 2, 3]


@pytest.mark.parametrize("expected", [-1, 0, 2, 7])
def test_appending_requires_the_current_head(ledger: Ledger, expected: int) -> None:
    ledger.append("chess", [posted(0), posted(1)], expected=-1)
    with pytest.raises(ConflictError, match=rf"'chess' is at #1, not at #{expected}"):
        ledger.append("chess", [posted(0), posted(1)], expected=expected)
    assert numbers(ledger) == [0, 1]


def test_the_same_batch_from_an_input_is_stored_once(ledger: Ledger) -> None:
    first = ledger.append("chess", [clock("1"), posted(1)], expected=-1)
    assert ledger.append("chess", [clock("1"), posted(1)], expected=-1) == first
    ledger.append("chess", [clock("2")], expected=1)
    assert ledger.append("chess", [clock("1"), posted(1)], expected=-1) == first
    assert numbers(ledger) == [0, 1, 2]


@pytest.mark.parametrize(
    "bodies",
    [
        [clock("2"), posted(1)],
        [clock("1"), posted(2)],
        [clock("1"), posted(1), posted(1)],
        [posted(1)],
        [],
    ],
)
def test_another_batch_at_the_same_number_is_a_conflict(
    ledger: Ledger, bodies: list[Event]
) -> None:
    ledger.append("chess", [clock("1"), posted(1)], expected=-1)
    with pytest.raises(ConflictError):
        ledger.append("chess", bodies, expected=-1)


def test_an_empty_batch_changes_nothing(ledger: Ledger) -> None:
    head = ledger.append("chess", [posted(1)], expected=-1)
    assert ledger.append("chess", [], expected=0) == head


def test_a_failing_transaction_stores_nothing(ledger: Ledger) -> None:
    def act() -> None:
        with ledger.transaction() as transaction:
            transaction.add_game("go")
            transaction.append("go", [posted(1)], expected=-1)
            transaction.append("chess", [posted(1)], expected=-1)
            transaction.append("draughts", [posted(1)], expected=-1)

    with pytest.raises(UnknownError, match="no game 'draughts'"):
        act()
    assert ledger.games() == ["chess"]
    assert ledger.head("chess").number == -1


def test_a_batch_that_fails_halfway_stores_nothing(ledger: Ledger) -> None:
    ledger.append("chess", [posted(1)], expected=-1)
    with ledger.store.writing() as writer:
        writer.insert("chess", [(3, "posted/1", b"planted")], [])
    with pytest.raises(CorruptError, match="a record behind the end of its chain"):
        ledger.append("chess", [posted(2), posted(3), posted(4)], expected=0)
    assert [number for number, _, _ in ledger.store.rows("chess", -1, 9)] == [0, 3]
    assert ledger.head("chess").number == 0


def test_inputs_are_found_by_id(ledger: Ledger) -> None:
    ledger.append("chess", [clock("first"), posted(1), clock("fir"), clock("é")], expected=-1)
    found = [ledger.find_input("chess", name) for name in ("first", "fir", "é", "irst", "dollar")]
    assert found == [0, 2, 3, None, None]


def test_reading_stops_at_a_gap(ledger: Ledger) -> None:
    ledger.append("chess", [posted(n) for n in range(4)], expected=-1)
    with ledger.store.writing() as writer:
        writer._cursor.execute(  # type: ignore[attr-defined]
            "DELETE FROM stored_events WHERE originator_version=2"
        )
    entries = ledger.read("chess")
    assert [next(entries).number, next(entries).number] == [0, 1]
    with pytest.raises(CorruptError, match="'chess' has no record #2"):
        next(entries)


@pytest.mark.parametrize(
    ("topic", "state"), [("posted/1", b"\xc1"), ("posted/1", "text"), ("chess/9", b"")]
)
def test_reading_stops_at_an_unreadable_record(ledger: Ledger, topic: str, state: bytes) -> None:
    ledger.append("chess", [posted(1)], expected=-1)
    with ledger.store.writing() as writer:
        writer.insert("chess", [(1, topic, state)], [(1, b"", b"")])
    with pytest.raises(CorruptError, match=r"^game 'chess', #1: "):
        numbers(ledger)


def test_the_script_of_the_documentation_recomputes_the_head(ledger: Ledger) -> None:
    head = ledger.append("chess", [clock("1"), posted(1)], expected=-1)
    document = (Path(__file__).parents[1] / "docs" / "ledger-file.md").read_text("utf-8")
    script = document.split("```python\n")[1].split("```")[0]
    arguments = [sys.executable, "-c", script, ledger.store.location, "chess"]
    assert subprocess.check_output(arguments, text=True).strip() == str(head)
