"""Public tables of two games that differ in what is secret alone: nobody can tell them apart."""

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
from nomoledger.views.sql import runner
from nomoledger.views.sql import sync as keeping
from nomoledger.views.sql.databases import beside, open_views
from nomoledger.views.sql.sql_views import empty, prepare
from nomoledger.views.sql.table import chosen
from tables.kept import Rows, again_in_pieces, ask, bring_up

#: At the end a secret, of which nothing public has come yet; and what is asked after that.
MOVES: tuple[Move, ...] = (*PLAIN, ("submit", ["Bob", "plot", {"plan": "sleep"}], 90))
LATER: tuple[Move, ...] = (*MOVES, ("submit", ["Ann", "go"], 100))


def every_row(location: str) -> dict[str, Rows]:
    """All that stands in the public database, whatever it is for."""
    place = beside(location, True)
    if is_postgres(location):
        with psycopg.connect(place) as connection:
            query = b"SELECT tablename FROM pg_tables WHERE schemaname = 'nomoledger_public'"
            names = [x for (x,) in connection.execute(query)]
    else:
        with closing(sqlite3.connect(place)) as file:
            query = b"SELECT name FROM sqlite_master WHERE type = 'table'"
            names = [x for (x,) in file.execute(query.decode())]
    assert {"heads", "tracking", "made", *(each.name for each in chosen())} <= set(names)
    return {
        name: sorted(ask(location, f"SELECT * FROM {{}}{name}", public=True), key=repr)
        for name in names
    }


def project(ledger: Ledger, location: str) -> dict[str, Rows]:
    """What stands at *location* when the public tables of *ledger* are made anew there."""
    with closing(open_views(beside(location, True), True)) as views:
        empty(views, chosen(), None)
    go_on(ledger, location)
    return every_row(location)


def go_on(ledger: Ledger, location: str) -> list[keeping.SyncResult]:
    with closing(open_views(beside(location, True), True)) as views:
        prepare(views, chosen())
        games = ledger.games()
        return list(keeping.sync_tables(ledger, views, chosen(), games, lambda count: None))


@pytest.mark.parametrize("moves", [MOVES, LATER], ids=["at the end", "later"])
@pytest.mark.slow_with("postgres", "later")
def test_a_secret_request_appears_in_no_public_table(
    location: str, moves: tuple[Move, ...], tmp_path: Path
) -> None:
    found, counts = [], []
    for plotting in (True, False):
        file = played(tmp_path / f"{plotting}.db", moves, with_secrets=plotting)
        with Ledger.open(file) as ledger:
            found.append(project(ledger, location))
            counts.append(ledger.head("plots").number)
    assert counts[0] > counts[1]
    for name, rows in found[0].items():
        assert rows == found[1][name], name
    tables = ("attributes", "balances", "history", "periods", "postings", "standings", "ruleset")
    assert all(found[0][name] for name in tables)


@pytest.mark.slow
def test_a_retroactive_ruling_reveals_no_secret_in_public_tables(tmp_path: Path) -> None:
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
            found.append(project(ledger, place))
    assert found[0] == found[1]
    assert len(found[0]["rulings"]) == 1
    assert any(row[1] < row[2] for row in found[0]["balances"])  # corrected: known later


@pytest.mark.parametrize("page", [1, 20])
@pytest.mark.slow
def test_public_tables_are_the_same_in_whatever_pages_they_grow(
    tmp_path: Path, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it is told, in whatever pages: the same rows stand as when it is told at once."""
    file = played(tmp_path / "whole.db", LATER)
    with Ledger.open(played(tmp_path / "none.db", LATER, with_secrets=False)) as ledger:
        expected = project(ledger, str(tmp_path / "none.db"))
    monkeypatch.setattr(runner, "PAGE", page)
    place = str(tmp_path / "g.db")
    sizes = iter(lambda: 30, 0)
    with Ledger.open(file) as whole, Ledger.open(place, create=True) as ledger:
        for count, _ in enumerate(again_in_pieces(whole, ledger, sizes)):
            bring_up(ledger, place, ("periods", "standings")[: count % 3], public=True)
        go_on(ledger, place)
        assert go_on(ledger, place)[0].new == 0
    assert every_row(place) == expected


def test_a_secret_event_writes_nothing_to_public_tables(tmp_path: Path) -> None:
    """Who looks at the file all the time does not see when somebody plots."""
    place = str(tmp_path / "g.db")
    with Ledger.open(place, create=True) as ledger:
        make(open_plots(ledger), PLAIN)
        (kept,) = go_on(ledger, place)
        before, head = every_row(place), ledger.head("plots")
        assert kept.events == ask(place, "SELECT max(number) FROM {}heads", public=True)[0][0] + 1
        assert kept.events < head.number
        make(Game(ledger), MOVES)
        assert ledger.head("plots").number > head.number
        (kept,) = go_on(ledger, place)
        assert kept.new == 0
    assert every_row(place) == before


@pytest.mark.slow
def test_public_tables_of_another_game_are_refused(tmp_path: Path) -> None:
    place = str(tmp_path / "g.db")
    with Ledger.open(played(tmp_path / "g.db")) as ledger:
        go_on(ledger, place)
    other = (*PLAIN[:1], ("join", ["Eve"], 1), *LATER[2:])
    other = tuple(x for x in other if "Bob" not in x[1])
    other = (*other, *(3 * (LATER[-1],)))
    for moves, said in ((other, "were not made from"), (PLAIN[:3], "ends at public #")):
        file = played(tmp_path / f"{len(moves)}.db", moves)
        with Ledger.open(file) as ledger, pytest.raises(UsageError, match=said):
            go_on(ledger, place)
