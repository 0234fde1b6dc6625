"""Compares accounts and payments with what a case says of them."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.language.program import link
from nomoledger.language.values import from_units
from nomoledger.rulebook.cases.matching import format_plain, is_match
from nomoledger.rulebook.cases.picture import PictureRow, holdings
from nomoledger.rulebook.cases.query import labelled
from nomoledger.rulebook.cases.spelling import spelled
from nomoledger.state.world import World

_PAYMENT = ("from", "to", "amount", "commodity", "why")


def compare_accounts(world: World, named: dict[Any, Any]) -> Iterator[str]:
    """Differences between what is in accounts and what is *named*."""
    program = link(world.rules)
    players = {str(world.label(each)): each for each in world.kinds.get("player", ())}
    things = {name: name for name in world.entities if ":" not in name}  # which have a name
    known = {name: name for name in program.accounts} | things | players
    for account, stated in named.items():
        name = spelled(account, known, "there is no account")
        held = holdings(world, known[name])
        wanted = stated if isinstance(stated, dict) else {program.money: stated}
        for commodity, wanted_amount in wanted.items():
            found = held[spelled(commodity, held, "there is no commodity")]
            if not is_match(found, wanted_amount):
                yield f"account {name} holds {found} {commodity}, expected {format_plain(wanted_amount)}"


def compare_payments(
    world: World, wanted: list[PictureRow], events: list[e.Event]
) -> Iterator[str]:
    """Differences between the payments among *events*, in order, and those *wanted*."""
    program = link(world.rules)
    paid = [each for event in events if isinstance(event, e.Posted) for each in _paid(world, event)]
    for number, row in enumerate(wanted, 1):
        names = {spelled(key, _PAYMENT, "a payment has no"): each for key, each in row.items()}
        stated = {"commodity": program.money} | names
        if number > len(paid):
            yield f"there are {len(paid)} payments, expected payment {number}: {format_plain(row)}"
            return
        found = {key: paid[number - 1][key] for key in stated}
        if not is_match(found, stated):
            yield f"payment {number} is {format_plain(paid[number - 1])}, expected {format_plain(stated)}"
    if len(paid) > len(wanted):
        yield f"there is a payment that the case does not name: {format_plain(paid[len(wanted)])}"


def _paid(world: World, event: e.Posted) -> Iterator[PictureRow]:
    """A transfer as payments from one to one; what several gave, each gave in turn."""
    givers = [p for p in event.postings if p.amount < 0]
    left = [-giver.amount for giver in givers]
    for posting in (p for p in event.postings if p.amount > 0):
        missing = posting.amount
        for i, giver in enumerate(givers):
            part = min(missing, left[i]) if giver.commodity == posting.commodity else 0
            if part:
                left[i] -= part
                missing -= part
                yield _payment(world, giver.account, posting, part, event.why)


def _payment(world: World, giver: str, posting: e.Posting, part: int, why: str) -> PictureRow:
    places = link(world.rules).commodities[posting.commodity].places
    return {
        "from": labelled(world, giver),
        "to": labelled(world, posting.account),
        "amount": from_units(part, places),
        "commodity": posting.commodity,
        "why": why,
    }
