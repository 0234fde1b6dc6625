"""Engines for games: they describe events in words and carry out rulings that reach back."""

from typing import Any

from nomoledger.engine.agenda import Engine
from nomoledger.engine.settlement.ruling_attempt import settle_ruling
from nomoledger.language.host import Oracle
from nomoledger.prose.teller import describe_event
from nomoledger.state.world import World


def new_engine(world: World, oracle: Oracle, secret: bytes | None = None, **options: Any) -> Engine:
    """Return an engine that plays on *world*; *options* are those of `Engine`."""
    return Engine(world, oracle, secret, describe=describe_event, settle=settle_ruling, **options)
