"""Checks of requests before they are recorded: do they name what the rules and the game know?

A request that makes no sense is an error of the person who typed it, and is not recorded. Whether
the rules allow a request that makes sense is decided by the attempt, which is recorded.
"""

from typing import Any

from nomoledger.engine.statement_check import check_statement
from nomoledger.engine.statement_names import names_in
from nomoledger.engine.statements import Statement
from nomoledger.errors import UnknownError, UsageError
from nomoledger.events import Act
from nomoledger.intake.chosen_names import like, new_name
from nomoledger.language.host import Refused
from nomoledger.language.program import link
from nomoledger.language.resolve import named_arguments
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import World


def free_name(world: World, text: str) -> str:
    """Return *text* as the name of somebody new, in normal form.

    Raises:
        UsageError: it is no name, or it looks like the name of a thing or an account.
    """
    name = new_name(text)
    if name in world.kinds.get("player", ()):
        return name  # the rules say what it means to join twice
    accounts = (account for rule in world.ruleset.declaring for account in rule.accounts)
    if taken := like(name, (*world.entities, *accounts)):
        raise UsageError(f"{name!r} looks like {taken!r}, which is there already: choose another")
    return name


def check_submission(world: World, player: str, action: str, named: dict[str, Any]) -> None:
    """Check that *player* can ask for *action* with the arguments *named*.

    Raises:
        UnknownError: the rules define no such action.
        UsageError: the arguments do not fit.
    """
    operations = link(world.ruleset).links.operations
    if action not in operations or not operations[action].is_action:
        raise UnknownError(f"nobody can {action!r}; there is: {', '.join(actions(world.ruleset))}")
    check_arguments(world, action, (player,), named)


def check_arguments(
    world: World, operation: str, arguments: tuple[Any, ...], named: dict[str, Any]
) -> None:
    """Check that *operation*, if the rules define it, takes these arguments.

    What is on the agenda may make the things that the arguments name: then nothing is checked.

    Raises:
        UsageError: the arguments do not fit.
    """
    definition = link(world.ruleset).links.operations.get(operation)
    if world.agenda or definition is None or not definition.can_be_done:
        return
    try:
        named_arguments(world, definition, arguments, named)
    except Refused as error:
        raise UsageError(error.reasons[0].text) from None


def check_order(
    world: World, player: str, statements: tuple[str, ...], acts: tuple[Act, ...]
) -> None:
    """Check the *statements* and the *acts* of a standing order of *player*.

    Raises:
        UsageError: a statement cannot be read, is no truth value, or names something unknown.
        UnknownError, UsageError: an act makes no sense; see `check_submission`.
    """
    parsed = [Statement(statement) for statement in statements]
    names = names_in(world, link(world.ruleset).links)
    for statement in parsed:
        check_statement(statement, names)
    for act in acts:
        check_submission(world, player, act.action, act.arguments)


def parameter_types(world: World, operation: str) -> dict[str, str]:
    """Return the types of the parameters of *operation* by name; empty if no rule defines it."""
    defined = link(world.ruleset).links.operations.get(operation)
    parameters = () if defined is None or not defined.can_be_done else defined.parameters
    return {parameter.name: parameter.type for parameter in parameters}


def actions(ruleset: Ruleset) -> list[str]:
    """Return the names of all actions that the rules of *ruleset* define, sorted."""
    return sorted(name for name, item in link(ruleset).links.operations.items() if item.is_action)
