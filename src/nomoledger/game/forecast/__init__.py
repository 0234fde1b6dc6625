"""Forecasts: a game is played on from now under many seeds, with and without a change."""

from nomoledger.game.forecast.forecasting import Forecast, ForecastPlan, Scenario, forecast

__all__ = ["Forecast", "ForecastPlan", "Scenario", "forecast"]
