"""What many futures came to: exact sums over all of them, and a sample of fixed size for bands.

Sums and samples do not depend on the order in which futures arrive, so that the number of workers
changes nothing. The memory does not depend on the number of futures.
"""

import hashlib
from bisect import insort
from collections import Counter
from fractions import Fraction
from math import sqrt

import msgspec

from nomoledger.game.forecast.futures import PlayedFuture

#: From how many futures bands are taken at most.
SAMPLE_MAX = 2_000
#: The shares of futures that lie below the lines of a band.
QUANTILES = (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(9, 10))


class Standing(msgspec.Struct, frozen=True):
    """What a player has at the close of a period, over all futures.

    Attributes:
        money: the mean of the player's money.
        band: the money at the 10th, 25th, 50th, 75th and 90th percentile.
        rank: the mean rank; players with the same money share the best of their ranks.
        first: the share of futures in which the player has most, or has won where the game ended;
            a tie counts in equal parts.
        first_error: the standard error of this share.
        rank_band: the rank at the same percentiles.
    """

    money: float
    band: tuple[float, ...]
    rank: float
    first: float
    first_error: float
    rank_band: tuple[int, ...]


class FutureTally:
    """The futures of one scenario, added up."""

    def __init__(self, players: list[str], periods: int, units: int) -> None:
        """Add up futures of *periods* periods; *units* units are one piece of money."""
        self.count = 0
        self._units = units
        self.acted: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self._players = players
        cells = [(player, period) for player in players for period in range(periods)]
        self._money = dict.fromkeys(cells, 0)
        self._ranks = {cell: Counter[int]() for cell in cells}
        self._first = dict.fromkeys(cells, (Fraction(0), Fraction(0)))
        self._sample: list[tuple[bytes, list[dict[str, int]]]] = []

    def add(self, number: int, future: PlayedFuture) -> None:
        """Add *future*, which has that *number*."""
        self.count += 1
        self.acted.update(future.acted)
        if future.ended is not None:
            self.ended[future.ended] += 1
        if future.failed is not None:
            self.failed[future.failed] += 1
        for period, money in enumerate(future.money):
            for player in self._players:
                self._money[player, period] += money.get(player, 0)
                self._ranks[player, period][rank_of(player, money)] += 1
                if share := future.share_of_first(player, period):
                    total, squares = self._first[player, period]
                    self._first[player, period] = total + share, squares + share * share
        key = hashlib.sha256(str(number).encode()).digest()
        insort(self._sample, (key, future.money), key=lambda item: item[0])
        del self._sample[SAMPLE_MAX:]

    def standing(self, player: str, period: int) -> Standing:
        """Return what *player* has at the close of the *period*th period to come, from 0."""
        cell, count = (player, period), max(self.count, 1)
        values = sorted(money[period].get(player, 0) for _, money in self._sample)
        ranks = self._ranks[cell]
        first, error = _mean_and_error(*self._first[cell], self.count)
        return Standing(
            money=self._money[cell] / count / self._units,
            band=tuple(values[place] / self._units for place in _quantiles(len(values))),
            rank=sum(rank * often for rank, often in ranks.items()) / count,
            first=first,
            first_error=error,
            rank_band=tuple(_ranked(ranks, place) for place in _quantiles(ranks.total())),
        )


class EffectOnPlayer(msgspec.Struct, frozen=True):
    """What a change does to a player, at the close of the last period.

    Attributes:
        money: the mean of money with the change less money without it.
        money_error: the standard error of this mean.
        first: the same of the share of futures in which the player is first.
        first_error: the standard error of this share.
    """

    money: float
    money_error: float
    first: float
    first_error: float


class PairedTally:
    """Differences between futures of the same number, with and without a change."""

    def __init__(self, players: list[str], units: int) -> None:
        """Compare the futures of *players*; *units* units are one piece of money."""
        self.count = 0
        self._units = units
        self._money = dict.fromkeys(players, (0, 0))
        self._first = {player: (Fraction(0), Fraction(0)) for player in players}

    def add(self, without: PlayedFuture, with_: PlayedFuture) -> None:
        """Add a pair of futures."""
        self.count += 1
        last = len(without.money) - 1
        before, after = without.money[last], with_.money[last]
        for player, (total, squares) in self._money.items():
            gain = after.get(player, 0) - before.get(player, 0)
            self._money[player] = total + gain, squares + gain * gain
        for player, (share, squared) in self._first.items():
            won = with_.share_of_first(player, last) - without.share_of_first(player, last)
            self._first[player] = share + won, squared + won * won

    def difference(self, player: str) -> EffectOnPlayer:
        """Return what the change does to *player*."""
        money, error = _mean_and_error(*self._money[player], self.count)
        return EffectOnPlayer(
            money / self._units,
            error / self._units,
            *_mean_and_error(*self._first[player], self.count),
        )


def _quantiles(count: int) -> list[int]:
    """Return the places of the quantiles among *count* sorted values."""
    return [int(share * (count - 1)) for share in QUANTILES] if count else []


def _ranked(ranks: Counter[int], place: int) -> int:
    """Return the rank at *place* among all *ranks*, sorted."""
    for rank in sorted(ranks):
        if place < ranks[rank]:
            return rank
        place -= ranks[rank]
    raise IndexError(place)


def rank_of(player: str, money: dict[str, int]) -> int:
    """Return 1 and the number of players that have more *money* than *player*."""
    own = money.get(player, 0)
    return 1 + sum(other > own for other in money.values())


def _mean_and_error(
    total: int | Fraction, squares: int | Fraction, count: int
) -> tuple[float, float]:
    """Return the mean of *count* values and its standard error; *squares* is their sum squared."""
    if count == 0:
        return 0.0, 0.0
    mean = Fraction(total) / count
    if count == 1:
        return float(mean), 0.0
    variance = (Fraction(squares) - count * mean * mean) / (count - 1)
    return float(mean), sqrt(variance / count)
