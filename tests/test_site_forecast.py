"""The page of a forecast on the published site: from a saved file, and only of this game."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from cli.commands import ok, wrong
from forecasts.tossing import START, played

from nomoledger.events.rules import Amend
from nomoledger.game.forecast import Forecast, ForecastPlan, encode_forecast, forecast
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger
from nomoledger.parallel import open_pool
from nomoledger.views.site import publish

TWICE = (Amend(number="2", parameters={"prize": 20}),)


def saved(ledger: Ledger, **plan: Any) -> Forecast:
    """Return a forecast of 40 futures."""
    with open_pool(1) as pool:
        return forecast(ledger, "tosses", ForecastPlan(futures=40, **plan), pool)


def page(ledger: Ledger, made: Forecast, folder: Path) -> str:
    """Return the text of the page of *made*."""
    publish(ledger, "tosses", folder, forecast=made)
    return (folder / "forecast.html").read_text("utf-8")


def test_the_page_shows_chances_bands_and_what_the_change_does(tmp_path: Path) -> None:
    ledger = played(tmp_path / "t.db", "Ann", "Bob <b>")
    made = saved(ledger, periods=2, changes=TWICE)
    text = page(ledger, made, tmp_path / "site")
    first = made.without.standings["Ann"][-1]
    assert f"{first.first:.1%} ± {first.first_error:.1%}" in text
    gain = made.differences["Ann"]
    assert f"{gain.money:+,.1f} ± {gain.money_error:,.1f}" in text
    assert "amend rule 2: prize becomes 20" in text
    assert "Bob &lt;b&gt;" in text
    assert "Bob <b>" not in text
    assert text.count('<g class="curve') == 2 * 2 * 2  # players, periods, scenarios
    assert f'log.html#e{made.event}">#{made.event}</a>' in text
    assert "out of date" not in text
    assert 'href="forecast.html"' in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_a_forecast_is_out_of_date_once_the_game_has_moved_on(tmp_path: Path) -> None:
    ledger = played(tmp_path / "t.db", "Ann", "Bob")
    made = saved(ledger)
    Game(ledger).submit("Ann", "wish", {"text": "a six"}, at=START + timedelta(days=8))
    assert "out of date" not in page(ledger, made, tmp_path / "site")  # a secret wish says nothing
    Game(ledger).submit("Ann", "toss", {}, at=START + timedelta(days=8))
    assert "out of date" in page(ledger, made, tmp_path / "site")


def test_a_forecast_of_another_game_is_refused(tmp_path: Path) -> None:
    made = saved(played(tmp_path / "a.db", "Ann", "Bob"))
    Path(tmp_path / "f.json").write_bytes(encode_forecast(made))
    ok("init", str(tmp_path / "b.db"), "--rulebook", "mail-opening", "--game", "tosses")
    words = ("publish", str(tmp_path / "b.db"), str(tmp_path / "site"), "--forecast")
    assert "the forecast is of another ledger" in wrong(*words, str(tmp_path / "f.json"))
    assert "cannot be read" in wrong(*words, str(tmp_path / "missing.json"))
    Path(tmp_path / "f.json").write_text("[]")
    assert "is no saved forecast" in wrong(*words, str(tmp_path / "f.json"))
    assert not (tmp_path / "site").exists()


def test_without_a_forecast_there_is_no_page(tmp_path: Path) -> None:
    ledger = played(tmp_path / "t.db", "Ann")
    page(ledger, saved(ledger), tmp_path / "site")
    publish(ledger, "tosses", tmp_path / "site")
    assert not (tmp_path / "site" / "forecast.html").exists()
    assert "forecast.html" not in (tmp_path / "site" / "index.html").read_text("utf-8")
