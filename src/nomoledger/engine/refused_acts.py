"""Why the rules refuse what somebody may ask for at other times: tried with the engine's code."""

from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.possible_acts import (
    ActTrials,
    PossibleAct,
    actions_for,
    domain_of,
    needed_parameters,
)
from nomoledger.state.world import World

#: How many requests of one action are tried, and of all actions together.
TRIES_OF_ACTION_MAX, TRIES_MAX = 6, 120


class RefusedAct(msgspec.Struct, frozen=True):
    """An action that the rules refuse now, whatever it is asked for with.

    Attributes:
        action: its name.
        reasons: why, each with the number of the rule.
    """

    action: str
    reasons: tuple[tuple[str, str], ...]


def refused_acts(world: World, by: str, actions: Iterable[str]) -> list[RefusedAct]:
    """Return why each of *actions* is refused to *by*, a player's id or "admin", in *world*.

    Left out are actions that somebody could ask for in many ways, or that different reasons refuse.
    """
    trials, wanted = ActTrials(world), set(actions)
    trials.renew(TRIES_MAX)
    found = []
    for operation in actions_for(world, by):
        if operation.name not in wanted:
            continue
        parameters = needed_parameters(operation)
        names = [parameter.name for parameter in parameters]
        domains = [domain_of(world, parameter) for parameter in parameters]
        given = _combinations(domains)
        acts = [PossibleAct(by, operation.name, dict(zip(names, x, strict=True))) for x in given]
        reasons = {in_short(trials.refusal(act)) for act in acts if trials.can_try(1)}
        if len(reasons) == 1 and () not in reasons:
            found.append(RefusedAct(operation.name, reasons.pop()))
    return found


def _combinations(domains: list[tuple[Any, ...] | None]) -> Iterator[tuple[Any, ...]]:
    """Yield the values to try for *domains*; nothing if they are too many, or free."""
    known = [domain for domain in domains if domain is not None]
    if len(known) < len(domains):
        return
    found = list(islice(product(*known), TRIES_OF_ACTION_MAX + 1))
    if len(found) <= TRIES_OF_ACTION_MAX:
        yield from found


def in_short(reasons: Iterable[e.Reason]) -> tuple[tuple[str, str], ...]:
    """Return the texts of *reasons*, each with the number of its rule."""
    return tuple((reason.text, reason.rule.partition("@")[0]) for reason in reasons)
