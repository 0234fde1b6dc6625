"""Losses: what rules and people could do before a change of the rules, and not after it."""

from collections.abc import Iterator

import msgspec

from nomoledger.language.linker import DEFINING
from nomoledger.language.operations import Links
from nomoledger.rulebook.named_operations import called_in, operations_in

#: What the engine calls by itself.
_CALLED_BY_ENGINE = (
    *("join", "depart", "propose", "vote", "judge", "close_period"),
    *("choice_order", "precedence"),
)
#: What people ask for in every game, by the operation that the rules define.
_OF_PLAYERS = {"join": "join", "depart": "leave", "propose": "propose", "vote": "vote"}
_OF_ADMIN = {"judge": "judge"}


class LeftUndefined(msgspec.Struct, frozen=True):
    """An operation that no rule would define any more, and the rules that use it."""

    name: str
    used_by: tuple[str, ...]


class Losses(msgspec.Struct, frozen=True):
    """What would be lost.

    Attributes:
        left_undefined: what rules would use, and no rule would define any more.
        notes: which hooks would never run any more, and what people could no longer do.
    """

    left_undefined: tuple[LeftUndefined, ...]
    notes: tuple[str, ...]


NO_LOSSES = Losses((), ())


def losses_of(before: Links, after: Links) -> Losses:
    """Return what the rules *before* allow, and the rules *after* do not."""
    notes = (*_never_called(before, after), *_no_longer_done(before, after))
    return Losses(tuple(_left_undefined(before, after)), notes)


def _can_be_done(links: Links, name: str) -> bool:
    operation = links.operations.get(name)
    return operation is not None and operation.can_be_done


def _left_undefined(before: Links, after: Links) -> Iterator[LeftUndefined]:
    users = {rule.number: operations_in(after, rule) for rule in after.rules}
    for name in before.operations:
        used_by = tuple(number for number, used in users.items() if name in used)
        if used_by and _can_be_done(before, name) and not _can_be_done(after, name):
            yield LeftUndefined(name, used_by)


def _never_called(before: Links, after: Links) -> Iterator[str]:
    """Yield the operations with hooks that some rule calls in *before*, and none in *after*."""
    silent = _called(before) - _called(after)
    for name, operation in after.operations.items():
        hooks = [pair for pair in operation.hooks if pair[1].kind not in DEFINING]
        rules = ", ".join(dict.fromkeys(number for number, _ in hooks))
        if name in silent and rules and operation.can_be_done:
            yield f"no rule would call {name} any more, so the hooks on it would not run: {rules}"


def _called(links: Links) -> set[str]:
    actions = {name for name, operation in links.operations.items() if operation.is_action}
    by_rules = (called_in(links, rule) for rule in links.rules)
    return actions.union(_CALLED_BY_ENGINE, *by_rules)


def _no_longer_done(before: Links, after: Links) -> Iterator[str]:
    """Yield what people could no longer do."""
    players, admin = _actions(before)
    now = {name for names in _actions(after) for name in names}
    for who, could in (("players", players), ("the admin", admin)):
        gone = [name for name in could if name not in now]
        if gone:
            yield f"{who} could no longer: {', '.join(gone)}"


def _actions(links: Links) -> tuple[list[str], list[str]]:
    """Return what players can do, and what only the admin can do."""
    of_players = [word for name, word in _OF_PLAYERS.items() if _can_be_done(links, name)]
    of_admin = [word for name, word in _OF_ADMIN.items() if _can_be_done(links, name)]
    for name, operation in links.operations.items():
        for _, hook in operation.of("action"):
            is_admins = [each.name for each in hook.parameters[:1]] == ["admin"]
            (of_admin if is_admins else of_players).append(name)
    return list(dict.fromkeys(of_players)), list(dict.fromkeys(of_admin))
