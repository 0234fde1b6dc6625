"""Comparison of accounts and payments with what a case expects."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.language.program import link
from nomoledger.language.values import from_units
from nomoledger.rulebook.cases.matching import format_plain, included, is_match
from nomoledger.rulebook.cases.picture import PictureRow, holdings
from nomoledger.rulebook.cases.query import labelled
from nomoledger.rulebook.cases.spelling import spelled
from nomoledger.state.world import World

_PAYMENT = ("from", "to", "amount", "commodity", "why")


def compare_accounts(world: World, named: dict[Any, Any]) -> Iterator[str]:
    """Yield the differences between the balances of accounts and those *named*."""
    program = link(world.ruleset)
    players = {str(world.label(player)): player for player in world.kinds.get("player", ())}
    things = {name: name for name in world.entities if ":" not in name}  # entities with a name
    known = {name: name for name in program.accounts} | things | players
    for account, stated in named.items():
        name = spelled(account, known, "there is no account")
        held = holdings(world, known[name])
        expected = stated if isinstance(stated, dict) else {program.money: stated}
        for commodity, amount in expected.items():
            actual = held[spelled(commodity, held, "there is no commodity")]
            if not is_match(actual, amount):
                yield f"account {name} holds {actual} {commodity}, expected {format_plain(amount)}"


def compare_payments(world: World, expected: Any, events: list[e.Event]) -> Iterator[str]:
    """Yield the differences between the payments in *events*, in order, and those *expected*.

    With `{includes: [...]}`, other payments may come between those that are expected.
    """
    program = link(world.ruleset)
    posted = [event for event in events if isinstance(event, e.Posted)]
    paid = [payment for event in posted for payment in _payments(world, event)]
    part = included(expected)
    if part is not None:
        yield from _some_payments(program.money, paid, part)
        return
    for number, row in enumerate(expected, 1):
        names = {spelled(key, _PAYMENT, "a payment has no"): value for key, value in row.items()}
        stated = {"commodity": program.money} | names
        if number > len(paid):
            yield f"there are {len(paid)} payments, expected payment {number}: {format_plain(row)}"
            return
        actual = paid[number - 1]
        if not is_match({key: actual[key] for key in stated}, stated):
            yield f"payment {number} is {format_plain(actual)}, expected {format_plain(stated)}"
    if len(paid) > len(expected):
        yield f"there is a payment that the case does not name: {format_plain(paid[len(expected)])}"


def _some_payments(money: str, paid: list[PictureRow], expected: list[PictureRow]) -> Iterator[str]:
    rest = iter(paid)
    for row in expected:
        names = {spelled(key, _PAYMENT, "a payment has no"): value for key, value in row.items()}
        stated = {"commodity": money} | names
        if not any(is_match({key: each[key] for key in stated}, stated) for each in rest):
            listed = "; ".join(map(format_plain, paid)) or "none"
            yield f"there is no such payment, in this order: {format_plain(stated)}; paid: {listed}"
            return


def _payments(world: World, event: e.Posted) -> Iterator[PictureRow]:
    """Split a transfer into payments from one payer to one payee, in the order of the postings."""
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
    places = link(world.ruleset).commodities[posting.commodity].places
    return {
        "from": labelled(world, giver),
        "to": labelled(world, posting.account),
        "amount": from_units(part, places),
        "commodity": posting.commodity,
        "why": why,
    }
