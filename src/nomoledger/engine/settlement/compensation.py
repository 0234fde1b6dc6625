"""Compensating postings: the differences in the accounts, by the period that is corrected."""

from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.audiences import Audience, Audiences, Deltas
from nomoledger.engine.settlement.settlement import Settlement

_EMPTY: dict[Any, Any] = {}


def compensate(settlement: Settlement) -> None:
    """Post the differences in all accounts, one posting for each period and audience."""
    posted: Deltas = {}
    final = _deltas(settlement.base.balances, settlement.target.balances)  # before any posting
    for period in _common_periods(settlement):
        deltas = _deltas_at_close(settlement, period)
        _post_by_audience(settlement, _subtract(deltas, posted), period)
        posted = deltas
    _post_by_audience(settlement, _subtract(final, posted), settlement.world.period)


def past_units(settlement: Settlement) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return by how many units the accounts differ at each close, as in `Settled.past`.

    The first tuple holds the differences that come from secret payments, the second the others.
    """
    secret: list[tuple[Any, ...]] = []
    public: list[tuple[Any, ...]] = []
    base, target = settlement.audiences
    for period in _common_periods(settlement):
        deltas = _deltas_at_close(settlement, period)
        hidden = _subtract(_secret_units(target, period), _secret_units(base, period))
        secret += [(period, *key, units) for key, units in sorted(hidden.items())]
        visible = _subtract(deltas, hidden)
        public += [(period, *key, units) for key, units in sorted(visible.items())]
    return tuple(secret), tuple(public)


def _common_periods(settlement: Settlement) -> list[int]:
    return sorted(settlement.base.past.keys() & settlement.target.past.keys())


def _deltas_at_close(settlement: Settlement, period: int) -> Deltas:
    base, target = settlement.base.past[period], settlement.target.past[period]
    return _deltas(base["balances"], target["balances"])


def _secret_units(audiences: Audiences, period: int) -> Deltas:
    """Return the units posted in secret up to the close of *period*."""
    total: Deltas = {}
    for (_, posted_for), table in audiences.secret_postings.items():
        for key, units in table.items() if posted_for <= period else ():
            total[key] = total.get(key, 0) + units
    return total


def _post_by_audience(settlement: Settlement, deltas: Deltas, period: int) -> None:
    """Post *deltas*; the share of secret payments is visible only to their audiences."""
    base, target = (audiences.secret_postings for audiences in settlement.audiences)
    audiences = {audience for audience, posted_for in (*base, *target) if posted_for == period}
    for audience in sorted(audiences, key=str):
        key = audience, period
        secret = _subtract(target.get(key, _EMPTY), base.get(key, _EMPTY))
        _post(settlement, secret, period, audience)
        deltas = _subtract(deltas, secret)
    _post(settlement, deltas, period, None)


def _deltas(old: dict[str, Any], new: dict[str, Any]) -> Deltas:
    deltas = {}
    for account in dict.fromkeys((*old, *new)):
        old_units, new_units = old.get(account, _EMPTY), new.get(account, _EMPTY)
        for commodity in dict.fromkeys((*old_units, *new_units)):
            units = new_units.get(commodity, 0) - old_units.get(commodity, 0)
            if units:
                deltas[account, commodity] = units
    return deltas


def _subtract(deltas: Deltas, other: Deltas) -> Deltas:
    """Return *deltas* minus *other*, without zeros."""
    keys = dict.fromkeys((*deltas, *other))
    result = {key: deltas.get(key, 0) - other.get(key, 0) for key in keys}
    return {key: units for key, units in result.items() if units}


def _post(settlement: Settlement, deltas: Deltas, period: int, audience: Audience) -> None:
    if deltas:
        postings = tuple(e.Posting(*key, units) for key, units in sorted(deltas.items()))
        why = f"settling {settlement.why}, for period {period}"
        settlement.emit(e.Posted, audience, postings=postings, why=why, effective=period)
