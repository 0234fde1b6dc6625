"""The tables equal the read models, as of any period and as known at any period."""

import json
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tiers import sample

from nomoledger import events as e
from nomoledger.game.read_models import LedgerView
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.game.simulation import Plan, simulate
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_stream import public_events
from nomoledger.views.sql import runner
from nomoledger.views.sql.databases import default_location, open_views
from nomoledger.views.sql.sql_views import reset_tables
from nomoledger.views.sql.table import find_tables
from nomoledger_projections.balances import balances
from nomoledger_projections.board import board
from nomoledger_projections.history import history
from nomoledger_projections.ruleset import ruleset
from nomoledger_projections.rulings import rulings
from nomoledger_projections.standings import standings
from tables.table_tools import Rows, all_rows, ask, copy_in_pieces, synchronise

#: The condition of a reading: as of the first value, as known at the second and third.
AT = "FROM {}%s WHERE period = ? AND known <= ? AND (until IS NULL OR until > ?) ORDER BY place"
SEEDS = (3, 11)
#: The periods of the season whose standings were corrected, and when.
CORRECTED = [(3, 6), (4, 6), (4, 7), (5, 6), (5, 7), (6, 7)]


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A real season of five weeks, in which two rulings correct a landing of week 3."""
    with Ledger.open(tmp_path_factory.mktemp("season") / "s.db", create=True) as ledger:
        desk = import_record(ledger, find("weekly-vote-season"))
        before = tuple[int, ...]()
        for square in (20, 7):
            edits = (e.Replaced(event=496, value={"square": square}),)
            desk.rule_on("replace", "misread", edits=edits, settle="all", overrules=before)
            desk.close()
            before = (max(desk.world.rulings),)
        yield ledger


@pytest.fixture(scope="module", params=sample(["mail-opening", "weekly-vote"], 1))
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A game played by bots."""
    file = tmp_path_factory.mktemp(request.param) / "s.db"
    with Ledger.open(file, create=True) as ledger:
        periods = 6 if request.param == "mail-opening" else 2
        simulate(ledger, request.param, Plan(players=3, periods=periods, requests=2, seed=5))
        yield ledger


def check(ledger: Ledger, location: str) -> int:
    """Check every reading of every period against the read models, and return their number."""
    (game,) = ledger.games()
    last, readings = world_of(ledger, game).period, 0
    for period in range(1, last + 1):
        known: list[int | None] = [None, *range(period, last)]
        for at in known if period < last else [None]:
            view = LedgerView(ledger, game, period, "admin", at)
            assert tables_at(location, period, at or last) == models_in(view), (period, at)
            readings += 1
        view = LedgerView(ledger, game, period, "admin")
        check_facts(view, location, period)
    return readings


def tables_at(location: str, period: int, known: int) -> dict[str, Rows]:
    when = (period, known, known)
    columns = {
        "standings": "rank, player, money, squares",
        "board": "square, name, owner, east, north",
        "ruleset": "number, version, title, prose",
    }
    found = {name: ask(location, f"SELECT {x} {AT % name}", when) for name, x in columns.items()}
    query = f"SELECT account, commodity, amount {AT % 'balances'}".partition(" ORDER")[0]
    return found | {"balances": sorted(ask(location, query, when))}


def models_in(view: LedgerView) -> dict[str, Rows]:
    money = balances(view).accounts.items()
    return {
        "standings": [
            (x.rank, x.player, number(x.money), x.squares) for x in standings(view).standings
        ],
        "board": [
            (str(x.square), text(x.name), text(x.owner), *(x.place or (None, None)))
            for x in board(view).squares
        ],
        "ruleset": [(x.number, x.version, x.title, x.prose) for x in view.world.rules],
        "balances": sorted((a, c, number(x)) for a, held in money for c, x in held.items()),
    }


def check_facts(view: LedgerView, location: str, period: int) -> None:
    """Check the facts up to the close of *period*."""
    paragraphs = [
        (paragraph.events[-1], chapter.period, paragraph.text)
        for chapter in history(view).chapters
        for paragraph in chapter.paragraphs
    ]
    query = (
        "SELECT last_event, period, text FROM {}history WHERE period <= ? ORDER BY period, event"
    )
    assert ask(location, query, (period,)) == paragraphs
    changes = [
        (x.event, x.done, x.rule.number, x.authority.source) for x in ruleset(view).until(period)
    ]
    query = (
        "SELECT event, done, number, source FROM {}rule_changes WHERE period <= ? ORDER BY event"
    )
    assert ask(location, query, (period,)) == changes
    ruled = [(x.number, x.state, x.overruled_by, list(x.rules)) for x in rulings(view).rulings]
    query = """SELECT number, state, overruled_by, rules FROM {}rulings
        WHERE known <= ? AND (until IS NULL OR until > ?) ORDER BY number"""
    rows = ask(location, query, (period, period))
    assert [(*row[:3], listed(row[3])) for row in rows] == ruled
    query = "SELECT account, commodity, sum(amount) FROM {}postings WHERE period <= ? GROUP BY 1, 2"
    paid = {(a, c): x for a, c, x in ask(location, query, (period,)) if x}
    held = balances(LedgerView(view.ledger, view.game, period, "admin", *known_at(view))).accounts
    assert paid == {(a, c): number(x) for a, h in held.items() for c, x in h.items() if x}


def known_at(view: LedgerView) -> list[int]:
    return [view.period] if view.reading.is_closed else []


def number(value: Any) -> float | None:
    return None if value is None else float(value)


def text(value: Any) -> str | None:
    return None if value is None else str(value)


def listed(cell: Any) -> Any:
    return json.loads(cell) if isinstance(cell, str) else cell


# --- content -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.slow_with("postgres")
def test_tables_equal_the_read_models(played: Ledger, location: str, copied: Any) -> None:
    ledger = copied(played, location)
    synchronise(ledger, location)
    assert check(ledger, location) >= 3


@pytest.mark.slow
def test_tables_equal_the_read_models_after_corrections(
    season: Ledger, location: str, copied: Any
) -> None:
    ledger = copied(season, location)
    synchronise(ledger, location)
    assert check(ledger, location) == 36
    query = "SELECT DISTINCT period, known FROM {}standings WHERE known > period ORDER BY 1, 2"
    assert ask(location, query) == CORRECTED


def test_the_last_change_of_an_attribute_is_its_present_value(
    played: Ledger, tmp_path: Path, copied: Any
) -> None:
    place = str(tmp_path / "g.db")
    ledger = copied(played, place)
    synchronise(ledger, place, ["attributes"])
    (game,) = ledger.games()
    world = world_of(ledger, game)
    query = "SELECT id, value FROM {}attributes WHERE attribute = ? ORDER BY event, place"
    last: dict[Any, Any] = dict(ask(place, query, ("owner",)))
    owners = {x: world.label(world.get(x, "owner")) for x in world.kinds["square"]}
    assert {x: listed(last.get(x)) for x in owners} == owners


# --- rebuilding ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_grown_tables_equal_rebuilt_ones(
    season: Ledger, location: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows do not depend on the pages in which events arrive."""
    chance = random.Random(seed)
    monkeypatch.setattr(runner, "PAGE", chance.choice([7, 50, 400]))
    sizes = iter(lambda: chance.choice([1, 13, 150, 400]), 0)
    with Ledger.open(location, create=True) as ledger:
        for _ in copy_in_pieces(season, ledger, sizes):
            if chance.random() < 0.5:
                synchronise(
                    ledger, location, chance.choice([(), ("standings", "rulings"), ("board",)])
                )
        synchronise(ledger, location)
        grown = all_rows(location)
        monkeypatch.undo()
        with closing(open_views(default_location(location, False), False)) as views:
            reset_tables(views, find_tables(), None)
        synchronise(ledger, location)
    assert all_rows(location) == grown
    assert all(grown.values())


@pytest.mark.slow
def test_an_unchanged_row_is_not_written_again(season: Ledger, tmp_path: Path, copied: Any) -> None:
    place = str(tmp_path / "g.db")
    synchronise(copied(season, place), place)
    query = "SELECT count(until), count(*) FROM {}board WHERE period BETWEEN 3 AND 5"
    ((ended, all_of_them),) = ask(place, query)
    assert 0 < 2 * ended < all_of_them


# --- public tables -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.slow_with("postgres")
def test_public_tables_hold_public_events(season: Ledger, location: str, copied: Any) -> None:
    ledger = copied(season, location)
    (game,) = ledger.games()
    synchronise(ledger, location, public=True)
    public = {x.number: x.body for x in public_events(ledger.read(game))}
    for name in ("attributes", "postings", "rule_changes"):
        rows = ask(location, f"SELECT event FROM {{}}{name}", public=True)
        assert rows
        assert {x for (x,) in rows} <= set(public)
    query = "SELECT event FROM {}periods ORDER BY period"
    closes = [x for x, body in public.items() if isinstance(body, e.PeriodClosed)]
    assert [x for (x,) in ask(location, query, public=True)] == closes
    view = LedgerView(ledger, game, 1)
    texts = [p.text for chapter in history(view).chapters for p in chapter.paragraphs]
    query = "SELECT text FROM {}history WHERE period = 1 ORDER BY event"
    assert [x for (x,) in ask(location, query, public=True)] == texts
