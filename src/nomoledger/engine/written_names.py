"""Accounts and things as people write their names in a hand-kept record."""

from typing import Any

from nomoledger.state.world import World


def find_written(world: World, name: Any) -> str | None:
    """Return the account or thing that a record calls *name*: "the bank" is the Bank.

    None if there is none, or if it could be several.
    """
    if not isinstance(name, str):
        return None
    for kind in world.kinds:
        if thing := world.find(kind, name):
            return thing
    known = {account: account for rule in world.rules for account in rule.accounts}
    for things in world.kinds.values():
        known |= {str(world.label(thing)): thing for thing in things}
    found = {account for called, account in known.items() if bare(called) == bare(name)}
    return found.pop() if len(found) == 1 else None


def bare(name: str) -> str:
    """Return *name* without capital letters, and without an article.

    >>> bare("The  Bank")
    'bank'
    """
    return " ".join(name.casefold().split()).removeprefix("the ")
