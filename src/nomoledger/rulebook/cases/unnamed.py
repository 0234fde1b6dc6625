"""What a case does not name, where its `then` says that it is the whole."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger.rulebook.cases.format import Then
from nomoledger.rulebook.cases.matching import format_plain
from nomoledger.rulebook.cases.picture import holdings
from nomoledger.rulebook.cases.query import labelled
from nomoledger.rulebook.cases.spelling import singular
from nomoledger.state.world import World


class Unnamed(msgspec.Struct, frozen=True):
    """Accounts, things of other kinds, timers and rules, at some time.

    Attributes:
        accounts: what is in each account that is no player's, by commodity.
        things: the attributes of the things of each kind.
        timers: the operations that are to come, with their times.
        rules: the rules in force, by number and version.
    """

    accounts: dict[str, dict[str, Any]]
    things: dict[str, list[dict[str, Any]]]
    timers: list[str]
    rules: list[str]


def unnamed_in(world: World) -> Unnamed:
    """Return what there is in *world* besides players and squares."""
    others = {kind for kind in world.kinds if kind not in ("player", "square")}
    return Unnamed(
        accounts={
            str(world.label(account)): {k: v for k, v in holdings(world, account).items() if v}
            for account in world.balances
            if account != "mint" and world.entities.get(account) != "player"
        },
        things={
            kind: [
                {name: labelled(world, value) for name, value in world.attributes[each].items()}
                for each in world.kinds[kind]
            ]
            for kind in sorted(others)
        },
        timers=sorted(
            f"{timer.attempt.operation} at {timer.attempt.at}" for timer in world.timers.values()
        ),
        rules=sorted(rule.name for rule in world.rules),
    )


def compare_unnamed(world: World, then: Then, before: Unnamed) -> Iterator[str]:
    """Yield what has changed since *before* and is not named in *then*."""
    now = unnamed_in(world)
    for account in sorted({*before.accounts, *now.accounts} - set(map(str, then.accounts))):
        old, new = before.accounts.get(account) or None, now.accounts.get(account) or None
        if old != new:
            yield _changed(f"account {account}", new, old)
    kinds = {kind for rule in world.rules for kind in rule.declares} | set(world.kinds)
    named = {singular(plural, kinds) for plural in then.things}
    for kind in sorted({*before.things, *now.things} - named):
        old_things, new_things = before.things.get(kind, []), now.things.get(kind, [])
        if old_things != new_things:
            yield _changed(f"every {kind}", new_things, old_things)
    if before.timers != now.timers and (then.pending is None or then.pending.timers is None):
        yield _changed("what is to come", now.timers, before.timers)
    changed = {name.partition("@")[0] for name in {*before.rules} ^ {*now.rules}}
    for number in sorted(changed - set(map(str, then.rules))):
        yield f"rule {number} has changed, and the case does not say so"


def _changed(what: str, new: Any, old: Any) -> str:
    return (
        f"{what} is {format_plain(new)}, expected {format_plain(old)} as before"
        " (the case does not name it)"
    )
