"""The choices that a player has in a vote, found by trying them: rules say what a vote may be."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.errors import RulebookError, RuleFault
from nomoledger.events.rules import Rule
from nomoledger.language.code import parse_code, whole_code
from nomoledger.state.world import Attempt, World

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
    engine = Engine(world)
    candidates = dict.fromkeys(("yes", "no", *_texts_about_votes(world)))
    allowed = [text for text in candidates if _is_allowed(engine, world, by, proposal, text)]
    if not _is_allowed(engine, world, by, proposal, _ANYTHING):
        return VoteChoices(tuple(allowed))
    return VoteChoices(("yes", "no"), is_free=True)


def _texts_about_votes(world: World) -> list[str]:
    found: list[str] = []
    for rule in world.rules:
        if "_vote(" in rule.code and any(hook.operation == "vote" for hook in _hooks(rule)):
            found += _texts(list(rule.parameters.values()))
            found += (match[2] for match in _QUOTED.finditer(whole_code(rule)))
    return list(dict.fromkeys(found))[:CANDIDATES_MAX]


def _hooks(rule: Rule) -> Iterator[Any]:
    yield from parse_code(rule).hooks


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _is_allowed(engine: Engine, world: World, by: str, proposal: int, choice: str) -> bool:
    attempt = Attempt(
        id="trial",
        operation="vote",
        arguments=(by,),
        named={"proposal": proposal, "choice": choice},
        by=by,
        cause=world.head,
        at=world.game["now"],
    )
    mark = world.mark()
    try:
        events = engine.carry_out(attempt, may_fail=False)
    except (RuleFault, RulebookError):
        return False
    finally:
        world.rollback(mark)
    return not any(isinstance(event, e.AttemptRefused) for event in events)
