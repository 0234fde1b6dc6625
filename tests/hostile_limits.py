"""Smaller limits, so that hostile rules reach them soon: for a fork server that imports this."""

import sys

from nomoledger.engine import agenda
from nomoledger.language import host, verbs

if "pytest" not in sys.modules:  # The tests themselves keep the limits as they are.
    agenda.FOLLOWING_MAX = 40
    verbs.TO_COME_MAX = 60
    host.OPERATIONS_MAX = 5_000
    host.CHANGES_MAX = 2_000


def nothing(descriptor: int) -> None:
    """Do nothing: the server has imported this module, which is all there is to do."""
