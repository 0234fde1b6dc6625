"""Actions carried out at once, also where the rules keep requests until later."""

from collections.abc import Iterable

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.possible_acts import ActTrials, PossibleAct
from nomoledger.language.program import link
from nomoledger.state.world import World

#: How many acts are tried at most.
TRIES_MAX = 600
#: What the engine notes of every attempt.
_BOOKS = (e.AttemptDone, e.Counted)


class UndelayedEngine(Engine):
    """An engine for trials: it runs an action itself, without the rules about all requests.

    Rules that keep what players ask for until later, such as until the close of a period, bend
    `act`. The engine leaves `act` out, and so finds out what the rules say of the action.
    """

    goes_through_act = False


def kept_acts(world: World, acts: Iterable[PossibleAct]) -> dict[str, tuple[e.Reason, ...]]:
    """Return which of *acts*, all possible, the rules would keep until later, by `key_of`.

    The values are the reasons why the rules would refuse each of them if it were carried out as
    things are; nothing if they would not.
    """
    act = link(world.ruleset).links.operations.get("act")
    if act is None or not act.of("instead"):
        return {}
    now, later = ActTrials(world), ActTrials(world, UndelayedEngine(world))
    kept: dict[str, tuple[e.Reason, ...]] = {}
    for each in [act for act in acts if not act.chosen][:TRIES_MAX]:
        done = later.carried_out(each)
        if done is None:
            continue  # The rules fail: nobody knows what they would do.
        refusal = next((event for event in done if isinstance(event, e.AttemptRefused)), None)
        if refusal is not None:
            kept[key_of(each)] = refusal.reasons
            continue
        happens = now.carried_out(each) or []
        if any(event not in happens for event in done if not isinstance(event, _BOOKS)):
            kept[key_of(each)] = ()
    return kept


def key_of(act: PossibleAct) -> str:
    """Return what tells *act* from other acts of the same player."""
    return repr((act.action, sorted(act.arguments.items())))
