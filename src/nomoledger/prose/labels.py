"""Labels and cells: values as tables and programs read them."""

from typing import Any

from nomoledger.language.values import Number, from_units
from nomoledger.state.world import World


def label_all(world: World, value: Any) -> Any:
    """Return *value* with every id in it replaced by its label."""
    if isinstance(value, list | tuple):
        return [label_all(world, item) for item in value]
    return world.label(value)


def amount_held(world: World, account: str, commodity: str) -> Number:
    """Return the balance of *account* in *commodity*, in whole units with decimals."""
    places = world.commodities()[commodity].places
    return from_units(world.balance(account, commodity), places)


def format_cell(value: Any) -> str:
    """Format *value* for a table cell; None becomes an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(format_cell(item) for item in value)
    return str(value)
