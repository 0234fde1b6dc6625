"""What rulings changed after the fact: in closed periods as they are known now, and at present.

A ruling that reaches back corrects closed periods with the event `Settled`, and the present with
payments and other events. The site reads both, and says of each figure which ruling changed it.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.settlement.rerun import is_retroactive
from nomoledger.events.rules import Rule
from nomoledger.language.values import Number
from nomoledger.prose.names import Names
from nomoledger.state.bitemporal import world_as_known
from nomoledger.state.world import World
from nomoledger.views.site.player_standings import standings_in

#: An account and a commodity in it.
Holding = tuple[str, str]


class CorrectedPeriod(msgspec.Struct, frozen=True):
    """How rulings corrected a closed period.

    Attributes:
        rulings: The numbers of the rulings.
        units: What each ruling added to accounts: ruling, account, commodity, units.
        tables: What else each ruling changed: ruling, path in the state of the period, new value.
        rules: The rulings that changed which rules were in force, with those rules.
    """

    rulings: tuple[int, ...] = ()
    units: tuple[tuple[int, str, str, int], ...] = ()
    tables: tuple[tuple[int, tuple[Any, ...], Any], ...] = ()
    rules: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def units_by(self, account: str, commodity: str) -> dict[int, int]:
        """Return how many units each ruling added to *account*."""
        units: dict[int, int] = {}
        for ruling, of_account, of_commodity, added in self.units:
            if (of_account, of_commodity) == (account, commodity):
                units[ruling] = units.get(ruling, 0) + added
        return {ruling: added for ruling, added in units.items() if added}

    def rulings_on(self, *path: str) -> tuple[int, ...]:
        """Return the rulings that changed what is at *path*, or all if none of them did alone."""
        exact = dict.fromkeys(r for r, changed, _ in self.tables if changed[: len(path)] == path)
        return tuple(exact) or self.rulings


class RuledStanding(msgspec.Struct, frozen=True):
    """The money, rank and number of squares of a player."""

    money: Number | None
    rank: int
    squares: int


class StandingChange(msgspec.Struct, frozen=True):
    """The standing of a player before and after a ruling; None if the player was not there.

    *period* is the closed period that was corrected, or None for the time of the ruling.
    """

    player: str
    name: str
    period: int | None
    before: RuledStanding | None
    after: RuledStanding | None


class ThingChange(msgspec.Struct, frozen=True):
    """An attribute of a thing in *periods*, before and after a ruling."""

    thing: str
    attribute: str
    before: str
    after: str
    periods: tuple[int, ...]


class RulingEffect(msgspec.Struct):
    """What a ruling changed in the standings and in things, and whether it was settled at all."""

    standings: list[StandingChange] = []
    things: list[ThingChange] = []
    periods: tuple[int, ...] = ()
    is_settled: bool = False


class Corrections:
    """What rulings changed after the fact, from public events.

    Attributes:
        later: The public state now.
        periods: The corrected periods, by number.
        effects: The effect of each ruling that reached back, by number.
        paid: The units that such rulings added to accounts, by the period in which the ruling was
            made: `paid[period][account, commodity][ruling]`.
    """

    def __init__(self, world: World) -> None:
        """Follow *world*, to which the caller applies the events."""
        self.later = world
        self.periods: dict[int, CorrectedPeriod] = {}
        self.effects: dict[int, RulingEffect] = {}
        self.paid: dict[int, dict[Holding, dict[int, int]]] = {}
        self._names = Names(world)
        self._present: dict[str, RuledStanding] = {}
        self._past: dict[int, dict[str, RuledStanding]] = {}

    def before(self, body: e.Event) -> None:
        """Take an event that is about to be applied."""
        self._names.follow(body)
        if isinstance(body, e.RulingMade) and is_retroactive(body):
            self.effects.setdefault(body.number, RulingEffect())
            self._present = _standings(self.later)
        elif isinstance(body, e.Posted) and body.rules:
            self._pay(body)
        elif isinstance(body, e.Settled):
            self._past = {period: self._standings_of(period) for period in _periods_of(body)}
            effect = self.effects.setdefault(body.ruling, RulingEffect())
            effect.things += _joined(self._changed_things(body))

    def after(self, body: e.Event) -> None:
        """Take an event that was just applied."""
        if not isinstance(body, e.Settled):
            return
        effect = self.effects[body.ruling]
        effect.is_settled = True
        effect.periods = tuple(sorted({*effect.periods, *self._past}))
        for period, standings in self._past.items():
            self._correct(period, body)
            effect.standings += self._changes(period, standings, self._standings_of(period))
        if body.audience is None and self._present:
            effect.standings += self._changes(None, self._present, _standings(self.later))
        self._present, self._past = {}, {}

    def known(self, period: int, published: World) -> World:
        """Return the closed *period* as it is known now; *published* is its state as published."""
        return world_as_known(self.later, published, period)

    def _pay(self, body: e.Posted) -> None:
        for number in self.effects:
            if f"ruling:{number}" in body.rules:
                holdings = self.paid.setdefault(body.period, {})
                for posting in body.postings:
                    added = holdings.setdefault((posting.account, posting.commodity), {})
                    added[number] = added.get(number, 0) + posting.amount

    def _correct(self, period: int, body: e.Settled) -> None:
        known, ruling = self.periods.get(period, CorrectedPeriod()), body.ruling
        rules = body.rulesets.get(period)
        self.periods[period] = CorrectedPeriod(
            rulings=tuple(dict.fromkeys((*known.rulings, ruling))),
            units=(*known.units, *((ruling, *u[1:]) for u in body.past if u[0] == period)),
            tables=(*known.tables, *((ruling, path, v) for path, v in _of_period(body, period))),
            rules=known.rules if rules is None else (*known.rules, (ruling, _named(rules))),
        )

    def _standings_of(self, period: int) -> dict[str, RuledStanding]:
        """Return the standings at the close of *period* as known at present."""
        past, world = self.later.past[period], World()
        world.attributes, world.balances = past["attributes"], past["balances"]
        world.entities, world.kinds = past["entities"], past["kinds"]
        world.game = {**self.later.game, "rules": past["rules"]}
        return _standings(world)

    def _changes(
        self,
        period: int | None,
        before: dict[str, RuledStanding],
        after: dict[str, RuledStanding],
    ) -> Iterator[StandingChange]:
        for player in dict.fromkeys((*after, *before)):
            was, now = before.get(player), after.get(player)
            if was != now:
                yield StandingChange(player, str(self._names.label(player)), period, was, now)

    def _changed_things(self, body: e.Settled) -> Iterator[ThingChange]:
        for path, value in body.tables:
            if path[0] != "past" or path[2] != "attributes" or len(path) != 5:
                continue
            thing, name = path[3:]
            old = self.later.past[path[1]]["attributes"].get(thing, {}).get(name)
            kind = self.later.past[path[1]]["entities"].get(thing, thing)
            called = self._names.phrase(thing)
            if self._names.without_identifiers(called) != called:
                continue  # People do not call it anything.
            was, now = (self._names.cell_of(kind, name, each) for each in (old, value))
            yield ThingChange(called, name, was, now, (path[1],))


def _standings(world: World) -> dict[str, RuledStanding]:
    return {
        player: RuledStanding(row.money, row.rank, row.squares)
        for player, row in standings_in(world).items()
    }


def _periods_of(body: e.Settled) -> list[int]:
    """Return the closed periods that *body* corrects."""
    corrected = {path[1] for path, _ in body.tables if path[0] == "past"}
    corrected |= {period for period, *_ in body.past} | set(body.rulesets)
    return sorted(corrected - {body.period})


def _of_period(body: e.Settled, period: int) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the changes of tables in *period*, with paths in the state of that period."""
    for path, value in body.tables:
        if path[:2] == ("past", period):
            yield tuple(path[2:]), value


def _named(rules: tuple[Rule, ...]) -> tuple[str, ...]:
    return tuple(rule.name for rule in rules)


def _joined(changes: Iterator[ThingChange]) -> list[ThingChange]:
    """Return *changes*, those that are the same in several periods as one."""
    periods: dict[tuple[str, str, str, str], list[int]] = {}
    for change in changes:
        key = (change.thing, change.attribute, change.before, change.after)
        periods.setdefault(key, []).extend(change.periods)
    return [ThingChange(*key, tuple(sorted(found))) for key, found in periods.items()]
