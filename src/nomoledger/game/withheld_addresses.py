"""Statements of players about e-mail addresses, which nobody but the admin may know."""

from collections.abc import Iterable

from nomoledger.engine.statements import Statement
from nomoledger.errors import UsageError
from nomoledger.proof.addresses import is_address
from nomoledger.state.world import World


def refuse_addresses(world: World, statements: Iterable[str]) -> None:
    """Check that no order of a player waits for one of *statements* about addresses in *world*.

    When the order is carried out, the player would learn that the statement is true.

    Raises:
        UsageError: a statement names an attribute that is an address of somebody.
    """
    names = {name for text in statements for name in Statement(text).names()}
    for attributes in world.attributes.values():
        for name in names & attributes.keys():
            if is_address(attributes[name]):
                raise UsageError(f"{name}: only the admin knows addresses; an order cannot name it")
