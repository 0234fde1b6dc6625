"""The state of a game at one moment: the close of a period, or now."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property, partial
from itertools import chain, starmap
from typing import Any

import msgspec

from nomoledger.events.rules import Rule
from nomoledger.language.values import Number
from nomoledger.state.clock import from_seconds
from nomoledger.views.site.board_page import BoardPage, board_of
from nomoledger.views.site.decisions import UNDECIDED, Decisions, ProposalOnPage, RulingOnPage
from nomoledger.views.site.declared_pages import DeclaredPage, declared_pages, pages_in
from nomoledger.views.site.dispute_pages import DisputePage
from nomoledger.views.site.event_log import EventGroup
from nomoledger.views.site.explanations import GroupExplanation
from nomoledger.views.site.figures import Figure, Figures, PlayerLink
from nomoledger.views.site.linked_chart import Point
from nomoledger.views.site.open_on_page import OpenOnPage, open_on_page
from nomoledger.views.site.player_standings import by_player, standings_in
from nomoledger.views.site.public_view import PublicView, model_of
from nomoledger.views.site.rule_pages import RulePages, kind_of
from nomoledger.views.site.site_paths import Slugs
from nomoledger.views.site.statement_pages import StatementPage
from nomoledger.views.site.values_by_rules import ValuesByRules


class StandingEntry(msgspec.Struct, frozen=True):
    """The standing of one player."""

    rank: Figure
    player: PlayerLink
    money: Figure | None
    squares: Figure
    owned: tuple[Figure, ...]


class PastStanding(msgspec.Struct, frozen=True):
    """What the pages of later periods show of the standing of one player.

    *place* and *worth* are rank and money for the charts.
    """

    rank: Figure
    player: PlayerLink
    money: Figure | None
    place: Point
    worth: Point


class PastMoment(msgspec.Struct, frozen=True, dict=True):
    """What the pages of later periods show of a period.

    Attributes:
        began: When the first event of the period was received; None if there is no event.
        now: The time of the close, or the present time.
        events_count: The number of events in the log of the period.
    """

    period: int
    is_open: bool
    began: datetime | None
    now: datetime
    events_count: int
    standings: tuple[PastStanding, ...]

    @cached_property
    def standing_of(self) -> dict[str, PastStanding]:
        """The standings of the players, by slug."""
        return {standing.player.slug: standing for standing in self.standings}


class AccountEntry(msgspec.Struct, frozen=True):
    """The balances of an account by commodity, and the *player* who owns it."""

    name: str
    player: PlayerLink | None
    held: tuple[Figure, ...]


class RuleEntry(msgspec.Struct, frozen=True):
    """A rule in force. *path* leads to this version on the page of the rule."""

    rule: Rule
    kind: str
    path: str


class TimerEntry(msgspec.Struct, frozen=True):
    """A timer: its *id*, *what* it will do, and the things it is *about*."""

    id: str
    at: datetime
    what: str
    about: str


class PlayerEntry(msgspec.Struct, frozen=True):
    """A player: attributes, balances, squares, and other *things* that name the player."""

    person: PlayerLink
    attributes: dict[str, Figure]
    held: dict[str, Figure]
    owned: tuple[Figure, ...]
    things: tuple[tuple[str, Figure | None], ...]
    statements: tuple[StatementPage, ...]


class Moment(msgspec.Struct, frozen=True):
    """Everything that the pages of one moment show."""

    period: int
    is_open: bool
    now: datetime
    money: str
    standings: tuple[StandingEntry, ...]
    board: BoardPage
    commodities: tuple[str, ...]
    accounts: tuple[AccountEntry, ...]
    players: tuple[PlayerEntry, ...]
    proposals: tuple[ProposalOnPage, ...]
    rulings: tuple[RulingOnPage, ...]
    disputes: tuple[DisputePage, ...]
    rules: tuple[RuleEntry, ...]
    groups: tuple[EventGroup, ...]
    explanations: tuple[GroupExplanation, ...]
    statements: tuple[StatementPage, ...]
    open: OpenOnPage
    due: tuple[TimerEntry, ...]
    ended: str | None
    declared: tuple[DeclaredPage, ...]

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the pages that rules declare, by name."""
        return {page.name: page.title for page in self.declared}

    @property
    def standing_of(self) -> dict[str, StandingEntry]:
        """The standings of the players, by slug."""
        return {standing.player.slug: standing for standing in self.standings}

    @property
    def place_of(self) -> dict[str, int]:
        """The place of each player in the order of joining, by slug."""
        return {player.person.slug: player.person.place for player in self.players}


def past_moment_of(
    view: PublicView, period: int, figures: Figures, began: datetime | None, events_count: int
) -> PastMoment:
    """Return what later pages show of *period* in *view*. This gives new players their places."""
    world = figures.world
    _ = figures.people  # This assigns places in the order of joining.
    published = _published(figures)
    return PastMoment(
        period=period,
        is_open=period == world.period,
        began=began,
        now=from_seconds(world.game["now"]),
        events_count=events_count,
        standings=tuple(starmap(partial(_past, figures, published), _ranked(view))),
    )


def moment_of(
    view: PublicView,
    period: int,
    figures: Figures,
    decisions: Decisions,
    groups: list[EventGroup],
    explanations: tuple[GroupExplanation, ...],
    slugs: Slugs,
) -> Moment:
    """Return the state in *view* at the close of *period*, or now if it is open.

    *slugs* are the file names of the pages that rules declare.
    """
    world = figures.world
    pages = pages_in(world)
    values = ValuesByRules(world, pages.values(), view.sandbox)
    figures.show(values.instead_of_attributes)
    commodities = tuple(world.commodities())
    people = figures.people  # This comes first: it assigns places in the order of joining.
    proposals = tuple(decisions.proposals_in(world, figures.public.setters))
    published = _published(figures)
    return Moment(
        period=period,
        is_open=period == world.period,
        now=from_seconds(world.game["now"]),
        money=commodities[0] if commodities else "",
        standings=tuple(starmap(partial(_standing, figures, published), _ranked(view))),
        board=board_of(view, figures),
        commodities=commodities,
        accounts=tuple(_accounts(figures, commodities)),
        players=tuple(_players(people, figures, commodities)),
        proposals=proposals,
        rulings=tuple(decisions.rulings.values()),
        disputes=tuple(decisions.disputes.by_number.values()),
        rules=tuple(_rule(rule, decisions.ruleset) for rule in world.rules),
        groups=tuple(groups),
        explanations=explanations,
        statements=tuple(chain.from_iterable(map(figures.statements_of, _account_ids(figures)))),
        open=open_on_page(
            world,
            people,
            [proposal.number for proposal in proposals if proposal.verdict == UNDECIDED],
            is_tried=period == world.period,
        ),
        due=tuple(_due(figures)),
        ended=world.game["ended"],
        declared=tuple(declared_pages(figures, pages, values, slugs)),
    )


def _ranked(view: PublicView) -> Iterator[tuple[str, Any]]:
    """Yield each player with the row of the standings."""
    return by_player(view.world, model_of("standings", view).standings)


def _past(figures: Figures, published: Mapping[str, Any], player: str, row: Any) -> PastStanding:
    money = next(iter(figures.world.commodities()), None)
    was = published.get(player, row)
    return PastStanding(
        rank=figures.compared(row.rank, was.rank),
        player=figures.person(player),
        money=None if money is None else figures.holding(player, money),
        place=_point(row.rank, was.rank),
        worth=_point(row.money or 0, was.money or 0),
    )


def _point(value: Number, published: Number) -> Point:
    return Point(float(value), None if published == value else float(published))


def _standing(
    figures: Figures, published: Mapping[str, Any], player: str, row: Any
) -> StandingEntry:
    past = _past(figures, published, player, row)
    return StandingEntry(
        rank=past.rank,
        player=past.player,
        money=past.money,
        squares=figures.owned_count(player),
        owned=figures.owned(player),
    )


def _published(figures: Figures) -> dict[str, Any]:
    """Return the standings as published by player, if rulings have changed them since."""
    return {} if figures.corrected is None else standings_in(figures.public.world)


def _accounts(figures: Figures, commodities: tuple[str, ...]) -> list[AccountEntry]:
    world, people = figures.world, figures.people
    return [
        AccountEntry(
            name=str(world.label(account)),
            player=people.get(account),
            held=tuple(figures.holding(account, commodity) for commodity in commodities),
        )
        for account in _account_ids(figures)
    ]


def _account_ids(figures: Figures) -> list[str]:
    """Return all accounts: the players in the order of joining, then the others by name."""
    return list(dict.fromkeys((*figures.people, *sorted(figures.world.balances))))


def _rule(rule: Rule, ruleset: RulePages) -> RuleEntry:
    link = ruleset.find(rule.name)
    return RuleEntry(rule, kind_of(rule), "" if link is None or link.path is None else link.path)


def _players(
    people: dict[str, PlayerLink], figures: Figures, commodities: tuple[str, ...]
) -> Iterator[PlayerEntry]:
    things = _things(figures)
    for player, person in people.items():
        yield _player(person, figures, commodities, tuple(things.get(player, ())))


def _player(
    person: PlayerLink,
    figures: Figures,
    commodities: tuple[str, ...],
    things: tuple[tuple[str, Figure | None], ...],
) -> PlayerEntry:
    world = figures.world
    names = [*world.declared("player"), *world.attributes.get(person.entity, {})]
    key = world.key_of("player")
    attributes = {n: figures.attribute(person.entity, n) for n in dict.fromkeys(names) if n != key}
    return PlayerEntry(
        person=person,
        attributes={name: figure for name, figure in attributes.items() if figure is not None},
        held={name: figures.holding(person.entity, name) for name in commodities},
        owned=figures.owned(person.entity),
        things=things,
        statements=figures.statements_of(person.entity),
    )


def _things(figures: Figures) -> dict[str, list[tuple[str, Figure | None]]]:
    """Return other things that name a player, by player: an option, a patent, a debt.

    Things that the rules make without mentioning it are bookkeeping, and are left out.
    """
    world = figures.world
    related: dict[str, list[tuple[str, Figure | None]]] = {}
    for kind, things in world.kinds.items():
        if kind in ("player", "square", "proposal"):
            continue
        for thing in things:
            naming: dict[str, str] = {}
            for name, value in world.attributes.get(thing, {}).items():
                if isinstance(value, str) and world.entities.get(value) == "player":
                    naming.setdefault(value, name)
            for player, name in naming.items():
                figure = figures.attribute(thing, name)
                if figure is not None and figure.path is not None:
                    related.setdefault(player, []).append((figures.described(thing), figure))
    return related


def _due(figures: Figures) -> list[TimerEntry]:
    timers = sorted(figures.world.timers.values(), key=lambda timer: timer.order)
    return [
        TimerEntry(
            id=timer.attempt.id,
            at=from_seconds(timer.attempt.at),
            what=timer.attempt.operation.lstrip("@").replace("_", " "),
            about="; ".join(map(figures.described, timer.attempt.arguments)),
        )
        for timer in timers
    ]
