"""Payments in words: who paid whom, or would have."""

from collections.abc import Iterator
from typing import NamedTuple

from nomoledger.events import Posted
from nomoledger.events.rules import Commodity
from nomoledger.language.values import from_units
from nomoledger.prose.names import Names


class PayingVerbs(NamedTuple):
    """The verbs of a payment: of the one who *pays*, and of the one who *gets* something."""

    pays: str
    gets: str


class Transfer(NamedTuple):
    """An *amount* in words, and the accounts of payer and receiver; None stands for several."""

    payer: str | None
    receiver: str | None
    amount: str


PAST = PayingVerbs("paid", "got")
CONDITIONAL = PayingVerbs("would have paid", "would have got")


def tell_payment(event: Posted, names: Names, verbs: PayingVerbs) -> str:
    """Return who pays whom, what and why, as in "Bob paid Ann $12 (rent)"."""
    told = "; ".join(_in_words(transfer, names, verbs) for transfer in transfers(event, names))
    return f"{told} ({names.without_identifiers(event.why)})" if event.why else told


def tell_no_payment(event: Posted, names: Names, verbs: PayingVerbs) -> str:
    """Return that *event* did not come about: "Bob paid nobody"."""
    posting = next((x for x in event.postings if x.amount < 0), None)
    if posting is not None and _is_player(posting.account, names):
        return f"{names.label(posting.account)} {verbs.pays} nobody"
    receipts = [x for x in event.postings if x.amount > 0 and _is_player(x.account, names)]
    if receipts:
        return f"{names.label(receipts[0].account)} {verbs.gets} nothing"
    return f"{names.label(event.postings[0].account)} {verbs.pays} nobody"


def amount_of(units: int, commodity: str, names: Names) -> str:
    """Return an amount of *commodity*, as people write it.

    >>> from nomoledger.state.world import World
    >>> amount_of(12, "$", Names(World())), amount_of(3, "bricks", Names(World()))
    ('$12', '3 bricks')
    """
    figure = from_units(units, names.world.commodities().get(commodity, Commodity()).places)
    is_sign = not any(character.isalnum() for character in commodity)
    return f"{commodity}{figure}" if is_sign else f"{figure} {commodity}"


def transfers(event: Posted, names: Names) -> Iterator[Transfer]:
    """Yield who pays whom, by commodity. Several payers or receivers have a transfer each."""
    for commodity in dict.fromkeys(posting.commodity for posting in event.postings):
        postings = [posting for posting in event.postings if posting.commodity == commodity]
        payments = [posting for posting in postings if posting.amount < 0]
        receipts = [posting for posting in postings if posting.amount > 0]
        if len(payments) == len(receipts) == 1:
            amount = amount_of(receipts[0].amount, commodity, names)
            yield Transfer(payments[0].account, receipts[0].account, amount)
            continue
        for posting in payments:
            yield Transfer(posting.account, None, amount_of(-posting.amount, commodity, names))
        for posting in receipts:
            yield Transfer(None, posting.account, amount_of(posting.amount, commodity, names))


def _in_words(transfer: Transfer, names: Names, verbs: PayingVerbs) -> str:
    payer, receiver, amount = transfer
    if payer is None:
        return f"{names.label(receiver)} {verbs.gets} {amount}"
    if receiver is None:
        return f"{names.label(payer)} {verbs.pays} {amount}"
    if not _is_player(payer, names) and _is_player(receiver, names):
        return f"{names.label(receiver)} {verbs.gets} {amount} from {names.label(payer)}"
    return f"{names.label(payer)} {verbs.pays} {names.label(receiver)} {amount}"


def _is_player(account: str, names: Names) -> bool:
    thing = names.thing(account)
    return thing is not None and thing.kind == "player"
