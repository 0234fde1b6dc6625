"""Whole seasons played by bots, through the real ledger: to see that a rulebook holds.

Bots know no game. They ask for what the rules say can be asked for, with arguments of the types
that the rules state, keep to what a trial shows would not be refused, propose other values for
parameters, vote, and answer whatever they are asked. The same seed gives the same season.
"""

from nomoledger.game.simulation.season import Plan, Season, simulate

__all__ = ["Plan", "Season", "simulate"]
