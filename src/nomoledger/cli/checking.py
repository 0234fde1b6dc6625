"""Checking a rulebook together with the cases that stand beside it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nomoledger.rules.check import Coverage


def coverage_of(rulebook: str, blank: bool) -> "Coverage":
    """What checking *rulebook* finds; one that cannot even be read is an error like any other."""
    raise NotImplementedError
