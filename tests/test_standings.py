"""Standings by period, as table, sheet and chart."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nomoledger.errors import UsageError
from nomoledger.game.game import Game
from nomoledger.game.read_models import Drawing, LedgerView, Sheet
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger_projections.standings import standings
from nomoledger_projections.standings_by_period import standings_by_period
from nomoledger_projections.standings_chart import ChartLine, ChartPeriods, draw

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    """A game with two closed periods. Ann plays from the first, Bob from the second."""
    with Ledger.open(tmp_path / "g.db", create=True) as ledger:
        game = open_game(ledger, "g", load("mail-opening"), at=NOON)
        game.join("Ann", {"email": "a@x.org"}, at=NOON)
        game.close(at=NOON)
        game.join("Bob", {"email": "b@x.org"}, at=NOON)
        game.close(at=NOON)
        yield game


def test_every_period_equals_its_own_standings(game: Game) -> None:
    found = standings_by_period(LedgerView(game.ledger, "g"))
    assert (found.periods, found.open) == ((1, 2, 3), 3)
    for period in found.periods:
        then = standings(LedgerView(game.ledger, "g", period)).standings
        places = {
            (course.player, place.rank, place.money)
            for course in found.players
            for place in course.places
            if place.period == period
        }
        assert places == {(each.player, each.rank, each.money) for each in then}


def test_a_period_in_the_past_ends_the_table(game: Game) -> None:
    found = standings_by_period(LedgerView(game.ledger, "g", 2))
    assert (found.periods, found.open) == ((1, 2), None)
    (table,) = found.show()
    assert table.columns == ("player", "1", "2")  # type: ignore[union-attr]
    assert table.rows == (("Ann", "1000 (1)", "1000 (1)"), ("Bob", "", "1000 (1)"))  # type: ignore[union-attr]


def test_the_sheet_holds_bare_figures(game: Game) -> None:
    found = standings_by_period(LedgerView(game.ledger, "g"))
    assert isinstance(found, Sheet)
    sheet = found.sheet()
    assert sheet.columns == (
        *("player", "period", "open", "disputed", "final"),
        *("rank", "$", "squares"),
    )
    assert sheet.rows[-1] == ("Bob", "3", "yes", "no", "no", "1", "1000", "0")


@pytest.mark.slow
def test_the_chart_is_the_same_every_time(game: Game) -> None:
    found = standings_by_period(LedgerView(game.ledger, "g"))
    assert isinstance(found, Drawing)
    svg = found.drawn("svg")
    assert svg == found.drawn("svg")
    assert b"<dc:date>" not in svg
    assert found.drawn("png").startswith(b"\x89PNG")
    texts = {each.text for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("text")}
    assert {"Ann", "Bob", "rank", "$", "period (3 is still open)"} <= texts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["_Ann", "$x$ and $y$", "A" * 300, "A\x1b[31m", "安妮", "<&>"])
def test_a_chart_shows_any_name(name: str) -> None:
    svg = draw("g", "$", ChartPeriods([1, 2]), [ChartLine(name, [1, 2], [1, 1], [5.0, 6.0])], "svg")
    texts = {each.text for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("text")}
    assert any(text and text.strip().startswith(name[:1]) for text in texts)


def test_a_chart_without_players_is_valid() -> None:
    assert draw("g", "money", ChartPeriods([1], 1), [], "png").startswith(b"\x89PNG")


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"pip install 'nomoledger\[charts\]'"):
        draw("g", "$", ChartPeriods([1]), [], "svg")


def test_matplotlib_is_loaded_for_a_chart_only() -> None:
    script = (
        "import sys, nomoledger_projections.standings_by_period\n"
        "assert not {'matplotlib', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
