"""The rules of a game at one moment, with what former rules declared."""

from collections.abc import Iterator
from functools import cached_property

import msgspec

from nomoledger.events.levels import LEVELS, NEWEST
from nomoledger.events.rules import Commodity, Rule


class Ruleset(msgspec.Struct, frozen=True, dict=True):
    """The rules of a game at one moment, with all that decides what they mean.

    Attributes:
        rules: the rules in force, in the order in which they were enacted.
        former: earlier versions of rules that were repealed, or whose names were amended. What they
            declared outlives them.
        level: the level of the game (see `nomoledger.events.levels`).
        money: the name of the game's money; "" for the first commodity that is declared.
    """

    rules: tuple[Rule, ...]
    former: tuple[Rule, ...] = ()
    level: int = NEWEST
    money: str = ""

    @property
    def forgets_rules(self) -> bool:
        """Whether what a rule declares ends with the rule (see `nomoledger.events.levels`)."""
        return LEVELS[self.level].forgets_rules

    @property
    def declaring(self) -> Iterator[Rule]:
        """All rules whose declarations hold: the former ones, then those in force."""
        yield from self.former
        yield from self.rules

    @cached_property
    def states_payments(self) -> bool:
        """Whether facts of hand-kept records state single payments (see `FactMapping.payer`)."""
        return any(fact.payer for rule in self.rules for fact in rule.facts.values())

    @cached_property
    def commodities(self) -> dict[str, Commodity]:
        """What can be owned in quantity; the first is the money of the game."""
        declared = {
            name: item for rule in self.declaring for name, item in rule.commodities.items()
        }
        return {name: declared[name] for name in (self.money, *declared) if name in declared}
