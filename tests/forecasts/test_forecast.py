"""Forecasts: answers that can be worked out by hand, and what they may depend on."""

import os
import signal
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from nomoledger.errors import MisfitError, UnknownError, UsageError
from nomoledger.events.rules import Amend, Enact, Repeal, Rule
from nomoledger.game.forecast import Forecast, ForecastPlan, forecast
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.parallel import open_pool
from nomoledger.rulebook.loading import load

from .tossing import RULEBOOK, START, played

FUTURES = 400
#: More than four standard errors of a mean of FUTURES prizes of 10, won once in six tosses.
FAR = 4 * 10 * (5 / 36) ** 0.5 / FUTURES**0.5


#: A rule that pays a wage at each close.
WAGE = """
def define_close_period():
    for player in all("player"):
        mint(player, 5, "wage")
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return played(tmp_path / "tosses.db", "Ann", "Bob")


def forecast_of(ledger: Ledger, *, workers: int = 1, **plan: Any) -> Forecast:
    with open_pool(workers) as pool:
        return forecast(ledger, "tosses", ForecastPlan(**({"futures": FUTURES} | plan)), pool)


def gains(result: Forecast, period: int = -1) -> dict[str, float]:
    return {
        name: standings[period].money - result.now[name]
        for name, standings in result.without.standings.items()
    }


def test_a_toss_wins_ten_sixths_on_average(ledger: Ledger) -> None:
    for gain in gains(forecast_of(ledger)).values():
        assert gain == pytest.approx(10 / 6, abs=FAR)


@pytest.mark.slow
def test_three_periods_win_three_times_as_much(ledger: Ledger) -> None:
    result = forecast_of(ledger, periods=3)
    for gain in gains(result).values():
        assert gain == pytest.approx(30 / 6, abs=2 * FAR)
    for gain in gains(result, 0).values():
        assert gain == pytest.approx(10 / 6, abs=FAR)


def test_the_leader_stays_first_as_often_as_the_dice_say(tmp_path: Path) -> None:
    """Ann has a prize more. She shares the first place only if she wins nothing and others do."""
    ledger = played(tmp_path / "t.db", "Ann", "Bob", "Cleo")
    result = forecast_of(ledger)
    assert result.now == {"Ann": 110, "Bob": 100, "Cleo": 100}
    shares = {name: ends[-1].first for name, ends in result.without.standings.items()}
    nobody, one, both = 25 / 36, 10 / 36, 1 / 36
    assert shares["Ann"] == pytest.approx(1 / 6 + 5 / 6 * (nobody + one / 2 + both / 3), abs=0.07)
    assert sum(shares.values()) == pytest.approx(1)


def test_players_who_do_the_same_have_the_same_chance(tmp_path: Path) -> None:
    """Each is first half the time, as far as the stated error says, which is known, too."""
    ledger = played(tmp_path / "t.db", "Ann", "Bob", secret=b"2" * 32)
    result = forecast_of(ledger)
    assert result.now == {"Ann": 100, "Bob": 100}
    for (end,) in result.without.standings.values():
        assert end.first == pytest.approx(1 / 2, abs=4 * end.first_error)
        one_wins = 10 / 36  # and then the share is 0 or 1, not a half
        assert end.first_error == pytest.approx((one_wins / 4 / FUTURES) ** 0.5, rel=0.15)
    assert sum(end.first for (end,) in result.without.standings.values()) == pytest.approx(1)


def test_who_can_only_lose_loses_at_the_known_rate(tmp_path: Path) -> None:
    """Ann has paid 3 dollars, and pays again each period. Bob is new and does what Ann does."""
    ledger = played(tmp_path / "t.db", "Ann", "Bob", act="pay_dues")
    result = forecast_of(ledger, futures=30, periods=4)
    ann, bob = result.without.standings["Ann"], result.without.standings["Bob"]
    assert [end.money for end in ann] == [94, 91, 88, 85]
    assert [end.money for end in bob] == [97, 94, 91, 88]
    assert [(end.band, end.rank_band) for end in ann[:1]] == [((94,) * 5, (2,) * 5)]
    assert {(end.rank, end.first, end.first_error) for end in bob} == {(1, 1, 0)}


def test_a_change_that_pays_five_a_period_pays_exactly_that(ledger: Ledger) -> None:
    wage = Rule(number="5", title="Wages", code=WAGE)
    for periods in (1, 3):
        result = forecast_of(ledger, futures=40, periods=periods, changes=(Enact(rule=wage),))
        for change in result.differences.values():
            assert (change.money, change.money_error) == (5 * periods, 0)


def test_who_has_won_is_first_whatever_the_money(ledger: Ledger) -> None:
    end = "def define_close_period():\n    if period() == 3: end_game('it is over', ['Bob'])\n"
    last_week = Rule(number="5", title="The end", code=end)
    result = forecast_of(ledger, futures=30, periods=3, changes=(Enact(rule=last_week),))
    assert result.with_change is not None
    assert result.with_change.ended == {"it is over": 30}
    assert [end.first for end in result.with_change.standings["Bob"]][1:] == [1, 1]
    assert result.with_change.standings["Bob"][0].first < 1


@pytest.mark.slow
def test_a_change_is_measured_on_the_same_dice(ledger: Ledger) -> None:
    """With 5 as well, a toss wins ten sixths more: exactly where the same die shows a 5."""
    result = forecast_of(ledger, changes=(Amend(number="2", parameters={"lowest": 5}),))
    for name, change in result.differences.items():
        assert change.money == pytest.approx(10 / 6, abs=FAR)
        assert change.money_error < FAR
        assert result.with_change is not None
        with_change, without = (
            scenario.standings[name][-1].money for scenario in (result.with_change, result.without)
        )
        assert change.money == pytest.approx(with_change - without)


@pytest.mark.slow
def test_a_change_that_changes_nothing_differs_nowhere(ledger: Ledger) -> None:
    result = forecast_of(ledger, changes=(Amend(number="2", parameters={"lowest": 6}),))
    for change in result.differences.values():
        assert (change.money, change.money_error, change.first, change.first_error) == (0, 0, 0, 0)


def test_rules_that_acted_are_counted(ledger: Ledger) -> None:
    result = forecast_of(ledger, futures=40, changes=(Repeal("2"),))
    assert result.without.acted["2"] == 1
    assert result.with_change is not None
    assert "2" not in result.with_change.acted


@pytest.mark.slow
def test_a_proposal_is_forecast_as_if_it_passed_now(ledger: Ledger) -> None:
    at = START + timedelta(days=8)
    change = Amend(number="2", parameters={"prize": 20})
    Game(ledger).propose("Ann", "Win twice", (change,), at=at)
    of_proposal = forecast_of(ledger, proposal=1)
    of_change = forecast_of(ledger, changes=(change,))
    assert of_proposal.differences == of_change.differences


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(ledger: Ledger) -> None:
    assert forecast_of(ledger, futures=90) == forecast_of(ledger, futures=90, workers=3)


def test_another_seed_gives_other_futures(ledger: Ledger) -> None:
    assert forecast_of(ledger, futures=60) != forecast_of(ledger, futures=60, seed=2)


def test_nothing_is_recorded(ledger: Ledger) -> None:
    before = ledger.head("tosses")
    forecast_of(ledger, futures=20)
    assert ledger.head("tosses") == before


def test_what_is_sealed_changes_no_forecast(ledger: Ledger) -> None:
    before = forecast_of(ledger, futures=60)
    Game(ledger).submit("Ann", "wish", {"text": "a six"}, at=START + timedelta(days=7, hours=1))
    assert forecast_of(ledger, futures=60) == before


def test_the_dice_of_a_forecast_are_not_those_of_the_game(tmp_path: Path) -> None:
    """Games that differ only in their secret have the same forecast, and other dice."""
    results = []
    for secret in (b"1" * 32, b"2" * 32):
        ledger = Ledger.open(str(tmp_path / f"{secret[:1].decode()}.db"), create=True)
        game = open_game(ledger, "tosses", load(str(RULEBOOK)), at=START, secret=secret)
        game.join("Ann", at=START)
        game.submit("Ann", "toss", {}, at=START)
        game.close(at=START + timedelta(days=7))
        results.append(gains(forecast_of(ledger, futures=60)))
    assert results[0] == results[1]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_forecast_shows_the_futures_played_so_far(
    ledger: Ledger, workers: int
) -> None:
    def interrupt(count: int) -> None:
        counts.append(count)
        if len(counts) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    counts: list[int] = []
    plan = ForecastPlan(futures=FUTURES)
    with open_pool(workers) as pool:
        result = forecast(ledger, "tosses", plan, pool, done=interrupt)
    assert result.futures == sum(counts) < result.asked == FUTURES
    assert sum(ends[-1].first for ends in result.without.standings.values()) == pytest.approx(1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_stops_at_once(ledger: Ledger) -> None:
    def interrupt(count: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), open_pool(1) as pool:
        forecast(ledger, "tosses", ForecastPlan(futures=FUTURES), pool, done=interrupt)


def test_changes_that_cannot_take_force_are_errors(ledger: Ledger) -> None:
    with pytest.raises(MisfitError, match="there is no rule 9"):
        forecast_of(ledger, changes=(Repeal("9"),))
    with pytest.raises(UnknownError, match="there is no proposal 4; there is: none"):
        forecast_of(ledger, proposal=4)


def test_a_game_without_a_closed_period_has_nothing_to_repeat(tmp_path: Path) -> None:
    ledger = Ledger.open(str(tmp_path / "new.db"), create=True)
    open_game(ledger, "tosses", load(str(RULEBOOK)), at=START, secret=b"1" * 32)
    with pytest.raises(UsageError, match="play and close one first"):
        forecast_of(ledger)


def test_memory_does_not_grow_with_the_number_of_futures() -> None:
    from nomoledger.game.forecast.futures import PlayedFuture
    from nomoledger.game.forecast.tally import SAMPLE_MAX, FutureTally

    tally = FutureTally(["Ann"], 1, 1)
    for number in range(SAMPLE_MAX + 500):
        tally.add(number, PlayedFuture([{"Ann": number}], []))
    assert len(tally._sample) == SAMPLE_MAX
    assert tally.standing("Ann", 0).band[2] == pytest.approx(SAMPLE_MAX / 2 + 250, rel=0.1)


@pytest.mark.slow
def test_the_real_season_goes_on(season_file: Path) -> None:
    with Ledger.open(str(season_file)) as ledger, open_pool(2) as pool:
        result = forecast(ledger, "weekly-vote-season", ForecastPlan(futures=40), pool)
    assert result.patterns == [3, 4, 5]
    assert not result.without.failed
    assert result.without.acted["X.3"] == 1  # somebody pays rent
