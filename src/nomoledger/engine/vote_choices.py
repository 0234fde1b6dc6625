"""The choices that a player has in a vote, found by trying them: rules say what a vote may be."""

import re

import msgspec

from nomoledger.engine.possible_acts import ActTrials, PossibleAct, texts_in
from nomoledger.language.code import parse_code, whole_code
from nomoledger.state.world import World

#: How many texts of the rules are tried as choices of a vote.
CANDIDATES_MAX = 24
_QUOTED = re.compile(r"""(["'])([^"'\n%{}]{1,40})\1""")
#: What nobody means: where this is no mistake, anything can be voted.
_ANYTHING = "any choice at all"


class VoteChoices(msgspec.Struct, frozen=True):
    """What a player may vote: the *choices* that the rules name; *is_free* if also anything."""

    choices: tuple[str, ...] = ()
    is_free: bool = False


def vote_choices(world: World, by: str, proposal: int) -> VoteChoices:
    """Return what *by* may vote on *proposal* by the rules in *world*; nothing if nothing."""
    trials = ActTrials(world)

    def is_allowed(choice: str) -> bool:
        return trials.allow(PossibleAct(by, "vote", {"proposal": proposal, "choice": choice}))

    candidates = dict.fromkeys(("yes", "no", *_texts_about_votes(world)))
    allowed = tuple(filter(is_allowed, candidates))
    if not is_allowed(_ANYTHING):
        return VoteChoices(allowed)
    return VoteChoices(("yes", "no"), is_free=True)


def _texts_about_votes(world: World) -> list[str]:
    found: list[str] = []
    for rule in world.rules:
        if "_vote(" in rule.code and any(
            hook.operation == "vote" for hook in parse_code(rule).hooks
        ):
            found += texts_in(list(rule.parameters.values()))
            found += (match[2] for match in _QUOTED.finditer(whole_code(rule)))
    return list(dict.fromkeys(found))[:CANDIDATES_MAX]
