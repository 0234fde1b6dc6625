"""What a host needs of the program that it serves."""

from typing import Any, Protocol

from nomoledger.events.rules import Commodity, Rule
from nomoledger.language.operations import Links
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import World


class LinkedRules(Protocol):
    """The program that a host serves; see `nomoledger.language.program.Program`."""

    ruleset: Ruleset
    by_number: dict[str, Rule]
    links: Links
    commodities: dict[str, Commodity]
    money: str
    accounts: set[str]

    def begin(self, world: World) -> None:
        """Prepare for an attempt on *world*."""

    def name(self, number: str) -> str:
        """Return number and version of the rule *number*."""

    def cite(self, numbers: tuple[str, ...]) -> tuple[str, ...]:
        """Return number and version of each rule."""

    def call(self, operation: str, *arguments: Any, **named: Any) -> Any:
        """Carry out *operation* and return its result."""

    def hook(self, number: str, name: str) -> None:
        """Call the hook *name* of rule *number*, which takes no arguments."""

    def settle(self) -> None:
        """Run the state-based checks until none changes anything."""
