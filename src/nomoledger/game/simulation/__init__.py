"""Simulation: whole seasons played by bots, through the real ledger, to test a rulebook.

Bots know no game. They request actions that the rules define, with arguments of the types that the
rules state, and avoid requests that a trial shows to be refused. They propose other values for
parameters, vote, and answer every question. The same seed gives the same season.
"""

from nomoledger.game.simulation.season import Plan, Season, simulate

__all__ = ["Plan", "Season", "simulate"]
