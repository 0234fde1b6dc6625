"""The postings that lead the accounts of one state to those of another, by the period put right."""

from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.audiences import Audience, Audiences, Deltas
from nomoledger.engine.settlement.settlement import Settlement

_NOTHING: dict[Any, Any] = {}


def compensate(s: Settlement) -> None:
    """Post what is more or less on one side, for each period apart, and before whom it was paid."""
    before: Deltas = {}
    last = _deltas(s.base.balances, s.target.balances)  # before anything is posted
    for period in sorted(s.base.past.keys() & s.target.past.keys()):
        one, other = (side.past[period]["balances"] for side in (s.base, s.target))
        deltas = _deltas(one, other)
        _pay(s, _less(deltas, before), period)
        before = deltas
    _pay(s, _less(last, before), s.world.period)


def past_units(s: Settlement) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """By how much accounts would have stood otherwise at each close: what of that comes of secret
    payments, and what everybody knows; see `Settled.past`."""
    secret: list[tuple[Any, ...]] = []
    known: list[tuple[Any, ...]] = []
    for period in sorted(s.base.past.keys() & s.target.past.keys()):
        deltas = _deltas(*(side.past[period]["balances"] for side in (s.base, s.target)))
        hidden = _less(_secret(s.knows[1], period), _secret(s.knows[0], period))
        secret += [(period, *key, units) for key, units in sorted(hidden.items())]
        rest = _less(deltas, hidden)
        known += [(period, *key, units) for key, units in sorted(rest.items())]
    return tuple(secret), tuple(known)


def _secret(knows: Audiences, period: int) -> Deltas:
    """What was paid in secret up to the close of *period*."""
    found: Deltas = {}
    for (_, paid_for), table in knows.posted.items():
        for key, units in table.items() if paid_for <= period else ():
            found[key] = found.get(key, 0) + units
    return found


def _pay(s: Settlement, deltas: Deltas, period: int) -> None:
    """Post *deltas*: what comes of secret payments before those who know of them."""
    one, other = (knows.posted for knows in s.knows)
    audiences = {audience for audience, of in (*one, *other) if of == period}
    for audience in sorted(audiences, key=str):
        key = audience, period
        secret = _less(other.get(key, _NOTHING), one.get(key, _NOTHING))
        _post(s, secret, period, audience)
        deltas = _less(deltas, secret)
    _post(s, deltas, period, None)


def _deltas(was: dict[str, Any], to: dict[str, Any]) -> Deltas:
    found = {}
    for account in dict.fromkeys((*was, *to)):
        one, other = was.get(account, _NOTHING), to.get(account, _NOTHING)
        for commodity in dict.fromkeys((*one, *other)):
            units = other.get(commodity, 0) - one.get(commodity, 0)
            if units:
                found[account, commodity] = units
    return found


def _less(deltas: Deltas, before: Deltas) -> Deltas:
    """What *deltas* have more than *before*."""
    keys = dict.fromkeys((*deltas, *before))
    found = {key: deltas.get(key, 0) - before.get(key, 0) for key in keys}
    return {key: units for key, units in found.items() if units}


def _post(s: Settlement, deltas: Deltas, period: int, audience: Audience) -> None:
    if deltas:
        postings = tuple(e.Posting(*key, units) for key, units in sorted(deltas.items()))
        why = f"settling {s.why}, for period {period}"
        s.emit(e.Posted, audience, postings=postings, why=why, effective=period)
