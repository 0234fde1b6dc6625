"""The payments of a period, and which of them a hand-kept record has stated."""

from collections.abc import Iterator, Sequence

import msgspec

from nomoledger.events.consequences import Posted
from nomoledger.state.world import World

#: The key in `World.game` of the payments as tuples, after the period that they belong to.
PAYMENTS = "payments"


class Payment(msgspec.Struct, frozen=True, array_like=True):
    """A payment of *units* of a commodity, and the kinds of facts that have stated it."""

    payer: str
    payee: str
    units: int
    commodity: str
    why: str
    rules: tuple[str, ...]
    stated: tuple[str, ...] = ()


def payments_in(world: World) -> list[Payment]:
    """Return the payments of the open period, as far as they are kept."""
    period, payments = world.game.get(PAYMENTS, (0, ()))
    return [msgspec.convert(item, Payment) for item in payments if period == world.period]


def keep_payments(world: World) -> None:
    """Keep the payments of the open period from now on, if facts can state them."""
    is_kept = world.game.get(PAYMENTS, (0,))[0] == world.period
    if world.ruleset.states_payments and not is_kept:
        world.put(world.game, PAYMENTS, (world.period, ()))


def note_posted(world: World, event: Posted) -> None:
    """Note the payments of *event*, if payments are kept."""
    period, payments = world.game.get(PAYMENTS, (0, ()))
    if period == world.period:
        added = map(msgspec.structs.astuple, _payments(event))
        world.put(world.game, PAYMENTS, (period, (*payments, *added)))


def mark_stated(world: World, places: Sequence[int], kind: str) -> None:
    """Note that a fact of *kind* has stated the payments at *places*."""
    if places:
        payments = payments_in(world)
        for place in places:
            payment = payments[place]
            stated = (*payment.stated, kind)
            payments[place] = msgspec.structs.replace(payment, stated=stated)
        plain = tuple(map(msgspec.structs.astuple, payments))
        world.put(world.game, PAYMENTS, (world.period, plain))


def _payments(event: Posted) -> Iterator[Payment]:
    """Yield who paid whom in *event*: one account paid, or one was paid, in each commodity."""
    for commodity in dict.fromkeys(posting.commodity for posting in event.postings):
        postings = [each for each in event.postings if each.commodity == commodity]
        givers = [posting for posting in postings if posting.amount < 0]
        takers = [posting for posting in postings if posting.amount > 0]
        if len(givers) == 1 or len(takers) == 1:
            for giver in givers:
                for taker in takers:
                    units = min(-giver.amount, taker.amount)
                    yield Payment(
                        giver.account, taker.account, units, commodity, event.why, event.rules
                    )
