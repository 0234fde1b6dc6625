"""What is found by way of snapshots is what is found without any."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis.strategies import sampled_from
from rulings.game import RuledGame, stored
from rulings.players import Mailer, Move
from rulings.test_properties import BOOK, MAIL, RULE, START, some
from test_snapshot_codec import tried, weeks
from test_standing_by_snapshots import only
from tiers import sample

from nomoledger.game.bisection.bisection import TurningPoint, bisect
from nomoledger.game.game import Game
from nomoledger.game.rebuild import rebuild
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.ledger import snapshots
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.sqlite import SqliteStore

SEASON = (
    "owner(18) == Cypher", "money(Jamie) < 9900", "square(Draven) == 10", "rent(18, Jamie) > 0",
    "period() == 4", "health(Jamie) < 3", "money(Jamie) < 1", "owner(3) == none",
    "money(Jamie) < money(Cypher) and period() > 2",
)  # fmt: skip
MAILS = ("money(Ann) < 900", "money(Bob) > 1000", "owner(8) == Ann", "period() == 3",
         "square(Ann) > 5", "money(Ann) < money(Bob)")  # fmt: skip


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    with Ledger.open(tmp_path_factory.mktemp("season") / "s.db", create=True) as ledger:
        desk = import_record(ledger, find("weekly-vote-season"))
        rebuild(ledger, desk.name)
        yield desk


def each_way(ledger: Ledger, game: str, text: str, every: bool = False) -> list[TurningPoint]:
    """What is found by all snapshots, by the last alone, by every other, and by none."""
    store, found = ledger.store, []
    kept = store.snapshots(game, snapshots.fold_version())
    with patch.object(snapshots, "LONG", 0):
        for there in (kept, kept[-1:], kept[::2], []):
            with patch.object(type(store), "snapshots", only(there)):
                found.append(bisect(ledger, game, text, every=every))
    return found


@pytest.mark.parametrize("text", sample(SEASON, 3))
def test_it_is_the_same_with_snapshots_and_without(season: Game, text: str) -> None:
    first, *others = each_way(season.ledger, season.name, text)
    assert [each for each in others if each != first] == []


def test_also_after_every_attempt(season: Game) -> None:
    first, *others = each_way(season.ledger, season.name, "square(Draven) == 10", every=True)
    assert first.event is not None
    assert [each for each in others if each != first] == []


@pytest.mark.slow
@settings(tried, max_examples=12)
@given(some(MAIL, 3, 6), some(RULE, 1, 2), some(MAIL, 1, 4), sampled_from(MAILS))
def test_also_where_rulings_reach_back(
    one: list[Move], ruling: list[Move], other: list[Move], text: str
) -> None:
    game = RuledGame(BOOK.rules)
    Mailer(game).play([*START[:2], *weeks(one, ruling, other, ruling)])
    with stored(game) as ledger:
        first, *others = each_way(ledger, "g", text)
        assert [each for each in others if each != first] == []


def test_only_the_stretch_in_which_it_changes_is_read(season: Game) -> None:
    read: list[tuple[int, int | None]] = []
    rows = SqliteStore.rows

    def noted(self: SqliteStore, game: str, after: int, upto: int) -> Iterator[object]:
        read.append((after, upto))
        return rows(self, game, after, upto)

    closes = [
        number for number, _ in season.ledger.store.snapshots(season.name, snapshots.fold_version())
    ]
    with patch.object(SqliteStore, "rows", noted), patch.object(snapshots, "LONG", 0):
        found = bisect(season.ledger, season.name, "owner(18) == Cypher")
    assert found.period == 3
    last = season.ledger.head(season.name).number
    assert {after for after, upto in read if upto == last} <= {-1, closes[1], closes[-1]}


def test_a_snapshot_that_was_altered_is_as_if_it_were_not_there(
    season: Game, tmp_path: Path
) -> None:
    file = tmp_path / "copy.db"
    with sqlite3.connect(season.ledger.store.location) as db, sqlite3.connect(file) as copy:
        db.backup(copy)
        copy.execute("UPDATE snapshot_parts SET part = x'00'")
    db.close()
    copy.close()
    with Ledger.open(file) as ledger, patch.object(snapshots, "LONG", 0):
        assert bisect(ledger, season.name, "owner(18) == Cypher").period == 3
