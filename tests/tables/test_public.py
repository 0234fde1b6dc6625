"""Public tables of two games that differ only in secrets are equal."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from proof.plots import NOON, PLAIN, Move, make, open_plots, played, stopped_at

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.views.sql import runner, sync
from nomoledger.views.sql.databases import default_location, open_views
from nomoledger.views.sql.sql_views import create_tables, reset_tables
from nomoledger.views.sql.table import find_tables
from tables.table_tools import Rows, ask, copy_in_pieces, synchronise

#: At the end a secret, of which nothing public has come yet; and what is asked after that.
MOVES: tuple[Move, ...] = (*PLAIN, ("submit", ["Bob", "plot", {"plan": "sleep"}], 90))
LATER: tuple[Move, ...] = (*MOVES, ("submit", ["Ann", "go"], 100))


def every_row(location: str) -> dict[str, Rows]:
    """Return the rows of all tables of the public database, including its bookkeeping."""
    place = default_location(location, True)
    if is_postgres(location):
        with psycopg.connect(place) as connection:
            query = b"SELECT tablename FROM pg_tables WHERE schemaname = 'nomoledger_public'"
            names = [x for (x,) in connection.execute(query)]
    else:
        with closing(sqlite3.connect(place)) as file:
            query = b"SELECT name FROM sqlite_master WHERE type = 'table'"
            names = [x for (x,) in file.execute(query.decode())]
    assert {"heads", "tracking", "made", *(table.name for table in find_tables())} <= set(names)
    return {
        name: sorted(ask(location, f"SELECT * FROM {{}}{name}", public=True), key=repr)
        for name in names
    }


def rebuild_public(ledger: Ledger, location: str) -> dict[str, Rows]:
    """Rebuild the public tables of *ledger* at *location* and return their rows."""
    with closing(open_views(default_location(location, True), True)) as views:
        reset_tables(views, find_tables(), None)
    synchronise_public(ledger, location)
    return every_row(location)


def synchronise_public(ledger: Ledger, location: str) -> list[sync.SyncResult]:
    with closing(open_views(default_location(location, True), True)) as views:
        create_tables(views, find_tables())
        games = ledger.games()
        return list(sync.sync_tables(ledger, views, find_tables(), games, lambda count: None))


@pytest.mark.parametrize("moves", [MOVES, LATER], ids=["at the end", "later"])
@pytest.mark.slow_with("postgres", "later")
def test_a_secret_request_shows_in_no_table(
    location: str, moves: tuple[Move, ...], tmp_path: Path
) -> None:
    found, counts = [], []
    for plotting in (True, False):
        file = played(tmp_path / f"{plotting}.db", moves, with_secrets=plotting)
        with Ledger.open(file) as ledger:
            found.append(rebuild_public(ledger, location))
            counts.append(ledger.head("plots").number)
    assert counts[0] > counts[1]
    for name, rows in found[0].items():
        assert rows == found[1][name], name
    tables = ("attributes", "balances", "history", "periods", "postings", "standings", "ruleset")
    assert all(found[0][name] for name in tables)


@pytest.mark.slow
def test_a_secret_request_shows_in_no_table_after_a_ruling_on_the_past(tmp_path: Path) -> None:
    found = []
    for plotting in (True, False):
        place = str(tmp_path / f"{plotting}.db")
        with Ledger.open(place, create=True) as ledger:
            desk = open_plots(ledger)
            make(desk, LATER, plotting)
            drawn = [x for x in ledger.read("plots") if isinstance(x.body, e.DrawRecorded)]
            first = next(x for x in drawn if x.body.audience is None)
            edits = (e.Replaced(first.number, [1, 1]),)
            at = NOON + timedelta(days=2)
            desk.clock = stopped_at(at)
            desk.rule_on("replace", "misread", edits=edits, settle="all", at=at, id="ruled")
            desk.close(at=at, id="closed")
            found.append(rebuild_public(ledger, place))
    assert found[0] == found[1]
    assert len(found[0]["rulings"]) == 1
    assert any(row[1] < row[2] for row in found[0]["balances"])  # corrected: known later


@pytest.mark.parametrize("page", [1, 20])
@pytest.mark.slow
def test_a_secret_request_shows_in_no_table_that_grows_in_pieces(
    tmp_path: Path, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows do not depend on the pages in which events arrive."""
    file = played(tmp_path / "whole.db", LATER)
    with Ledger.open(played(tmp_path / "none.db", LATER, with_secrets=False)) as ledger:
        expected = rebuild_public(ledger, str(tmp_path / "none.db"))
    monkeypatch.setattr(runner, "PAGE", page)
    place = str(tmp_path / "g.db")
    sizes = iter(lambda: 30, 0)
    with Ledger.open(file) as whole, Ledger.open(place, create=True) as ledger:
        for count, _ in enumerate(copy_in_pieces(whole, ledger, sizes)):
            synchronise(ledger, place, ("periods", "standings")[: count % 3], public=True)
        synchronise_public(ledger, place)
        assert synchronise_public(ledger, place)[0].new == 0
    assert every_row(place) == expected


def test_a_secret_request_writes_nothing(tmp_path: Path) -> None:
    """An observer of the file cannot see when a player plots."""
    place = str(tmp_path / "g.db")
    with Ledger.open(place, create=True) as ledger:
        make(open_plots(ledger), PLAIN)
        (result,) = synchronise_public(ledger, place)
        before, head = every_row(place), ledger.head("plots")
        assert result.events == ask(place, "SELECT max(number) FROM {}heads", public=True)[0][0] + 1
        assert result.events < head.number
        make(Game(ledger), MOVES)
        assert ledger.head("plots").number > head.number
        (result,) = synchronise_public(ledger, place)
        assert result.new == 0
    assert every_row(place) == before


@pytest.mark.slow
def test_public_tables_of_another_game_are_refused(tmp_path: Path) -> None:
    place = str(tmp_path / "g.db")
    with Ledger.open(played(tmp_path / "g.db")) as ledger:
        synchronise_public(ledger, place)
    other = (*PLAIN[:1], ("join", ["Eve"], 1), *LATER[2:])
    other = tuple(x for x in other if "Bob" not in x[1])
    other = (*other, *(3 * (LATER[-1],)))
    for moves, message in ((other, "were not made from"), (PLAIN[:3], "ends at public #")):
        file = played(tmp_path / f"{len(moves)}.db", moves)
        with Ledger.open(file) as ledger, pytest.raises(UsageError, match=message):
            synchronise_public(ledger, place)
