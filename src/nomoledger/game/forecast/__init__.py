"""Forecasts: a game is played on from now under many seeds, with and without a change."""

from nomoledger.game.forecast.forecasting import (
    Forecast,
    ForecastPlan,
    Scenario,
    forecast,
    shown_periods,
)
from nomoledger.game.forecast.saved_forecast import decode_forecast, encode_forecast
from nomoledger.game.forecast.tally import Standing

__all__ = [
    "Forecast",
    "ForecastPlan",
    "Scenario",
    "Standing",
    "decode_forecast",
    "encode_forecast",
    "forecast",
    "shown_periods",
]
