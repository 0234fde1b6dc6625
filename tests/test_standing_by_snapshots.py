"""How a game stood at each close is the same by way of snapshots and without any."""

from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from rulings.game import RuledGame, stored
from rulings.players import Mailer, Move
from rulings.test_properties import BOOK, MAIL, RULE, START, some
from test_snapshot_codec import tried, weeks

from nomoledger.game.read_models import LedgerView
from nomoledger.game.rebuild import rebuild
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.ledger import snapshots
from nomoledger.ledger.as_of import worlds_at_closes
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.sqlite import SqliteStore
from nomoledger.ledger.stores.store import Place, Store
from nomoledger.state.bitemporal import copy_world
from nomoledger.state.snapshot_codec import encode_snapshot
from nomoledger_projections.standings_history import standings_history


def standing(ledger: Ledger, game: str, upto: int) -> list[object]:
    """All that stood at each close, as published."""
    return [
        (period, encode_snapshot(copy_world(world)).root)
        for period, world in worlds_at_closes(ledger, game, upto)
    ]


def only(there: list[Place]) -> Callable[..., list[Place]]:
    """Stands for `Store.snapshots` where there are none but these."""

    def snapshots(
        store: Store,
        game: str,
        fold: str,
        upto: int | None = None,
        period: int | None = None,
        count: int | None = None,
    ) -> list[Place]:
        limits = [float("inf") if each is None else each for each in (upto, period)]
        found = [place for place in there if place[0] <= limits[0] and place[1] <= limits[1]]
        return found if count is None else found[-count:]

    return snapshots


def check_each_way(ledger: Ledger, game: str, upto: int) -> None:
    """All snapshots, every other, and none: the same worlds."""
    kept = ledger.store.snapshots(game, snapshots.fold_version())
    with patch.object(type(ledger.store), "snapshots", lambda *_: []):
        expected = standing(ledger, game, upto)
    with patch.object(snapshots, "LONG", 0):
        for there in (kept, kept[::2]):
            with patch.object(type(ledger.store), "snapshots", only(there)):
                assert standing(ledger, game, upto) == expected


@pytest.mark.slow
@settings(tried, max_examples=8)
@given(some(MAIL, 3, 6), some(RULE, 1, 2), some(MAIL, 1, 4))
def test_it_is_the_same_with_snapshots_and_without(
    one: list[Move], ruling: list[Move], other: list[Move]
) -> None:
    game = RuledGame(BOOK.rules)
    Mailer(game).play([*START[:2], *weeks(one, ruling, other, ruling)])
    with stored(game) as ledger:
        check_each_way(ledger, "g", len(game.entries) - 1)


@pytest.mark.parametrize("period", [None, 2])
def test_a_projection_shows_the_same_and_reads_the_open_period_alone(
    tmp_path: Path, period: int | None
) -> None:
    read: list[int] = []
    rows = SqliteStore.rows

    def noted(self: SqliteStore, game: str, after: int, upto: int) -> object:
        read.append(after)
        return rows(self, game, after, upto)

    with Ledger.open(tmp_path / "s.db", create=True) as ledger:
        game = import_record(ledger, find("weekly-vote-season")).name
        view = LedgerView(ledger, game, period)
        expected = standings_history(view)
        rebuild(ledger, game)
        with patch.object(SqliteStore, "rows", noted), patch.object(snapshots, "LONG", 0):
            assert standings_history(view) == expected
        last = ledger.store.snapshots(game, snapshots.fold_version())[-1][0]
        assert set(read) <= {last}
