"""How a game stands at one moment: at the close of a period, or now."""

from datetime import datetime
from typing import Any

import msgspec

from nomoledger.events.rules import Rule
from nomoledger.prose.labels import describe_thing
from nomoledger.state.reducer import from_seconds
from nomoledger.views.site.board_page import BoardPage, board_of
from nomoledger.views.site.decisions import UNDECIDED, Decisions, ProposalOnPage, RulingOnPage
from nomoledger.views.site.dispute_pages import DisputePage
from nomoledger.views.site.figures import Figure, Figures, Person
from nomoledger.views.site.narration import StoryGroup
from nomoledger.views.site.public_view import PublicView, model_of
from nomoledger.views.site.rule_pages import RulePages, kind_of
from nomoledger.views.site.statement_pages import StatementPage, by_account
from nomoledger.views.site.why import Why


class StandingThen(msgspec.Struct, frozen=True):
    """A player's place."""

    rank: int
    player: Person
    money: Figure | None
    worth: float
    squares: Figure
    owned: tuple[Figure, ...]


class AccountThen(msgspec.Struct, frozen=True):
    """What is in an account, by commodity; *player* is whose it is."""

    name: str
    player: Person | None
    held: tuple[Figure, ...]


class RuleThen(msgspec.Struct, frozen=True):
    """A rule in force; *path* leads to that version of it, with its history."""

    rule: Rule
    kind: str
    path: str


class DueThen(msgspec.Struct, frozen=True):
    """Something that falls due: *what* will be done then, to what it is *about*."""

    at: datetime
    what: str
    about: str


class PlayerThen(msgspec.Struct, frozen=True):
    """A player: what is so of them, what they have, and other *things* that name them."""

    person: Person
    attributes: dict[str, Figure]
    held: dict[str, Figure]
    owned: tuple[Figure, ...]
    things: tuple[tuple[str, Figure | None], ...]
    statements: tuple[StatementPage, ...]


class Moment(msgspec.Struct, frozen=True):
    """Everything that the pages of a period show."""

    period: int
    is_open: bool
    now: datetime
    money: str
    standings: tuple[StandingThen, ...]
    board: BoardPage
    commodities: tuple[str, ...]
    accounts: tuple[AccountThen, ...]
    players: tuple[PlayerThen, ...]
    proposals: tuple[ProposalOnPage, ...]
    rulings: tuple[RulingOnPage, ...]
    disputes: tuple[DisputePage, ...]
    rules: tuple[RuleThen, ...]
    groups: tuple[StoryGroup, ...]
    whys: tuple[Why, ...]
    statements: tuple[StatementPage, ...]
    waiting: str | None
    due: tuple[DueThen, ...]
    ended: str | None

    @property
    def undecided(self) -> tuple[ProposalOnPage, ...]:
        """The proposals that nobody has decided."""
        return tuple(each for each in self.proposals if each.verdict == UNDECIDED)

    @property
    def standing_of(self) -> dict[str, StandingThen]:
        """Each player's standing, by slug."""
        return {each.player.slug: each for each in self.standings}

    @property
    def place_of(self) -> dict[str, int]:
        """Each player's place in the order of joining, by slug."""
        return {each.person.slug: each.person.place for each in self.players}

    @property
    def events_count(self) -> int:
        """How many events the log of the period has."""
        return sum(1 for group in self.groups for _ in group.all())


def moment_of(
    view: PublicView,
    period: int,
    facts: Figures,
    decisions: Decisions,
    groups: list[StoryGroup],
    whys: tuple[Why, ...],
) -> Moment:
    """How things stand in *view*, where *period* is over, or is the open one."""
    world = facts.public.world
    commodities = tuple(world.commodities())
    people = facts.people  # asked for first: their places are those of their joining
    return Moment(
        period=period,
        is_open=period == world.period,
        now=from_seconds(world.game["now"]),
        money=commodities[0] if commodities else "",
        standings=tuple(_standing(each, facts) for each in model_of("standings", view).standings),
        board=board_of(view, facts),
        commodities=commodities,
        accounts=tuple(_accounts(facts, commodities)),
        players=tuple(_player(each, facts, commodities) for each in people.values()),
        proposals=tuple(decisions.proposals_in(world, facts.public.setters)),
        rulings=tuple(decisions.rulings.values()),
        disputes=tuple(decisions.disputes.found.values()),
        rules=tuple(_rule(rule, decisions.ruleset) for rule in world.rules),
        groups=tuple(groups),
        whys=whys,
        statements=tuple(by_account(facts.statements, _names(facts))),
        waiting=_waiting(facts),
        due=tuple(_due(facts)),
        ended=world.game["ended"],
    )


def _standing(model: Any, facts: Figures) -> StandingThen:
    world = facts.public.world
    player = world.find("player", model.player) or model.player
    money = next(iter(world.commodities()), None)
    return StandingThen(
        rank=model.rank,
        player=facts.person(player),
        money=None if money is None else facts.holding(player, money),
        worth=float(model.money or 0),
        squares=facts.owned_count(player),
        owned=facts.owned(player),
    )


def _accounts(facts: Figures, commodities: tuple[str, ...]) -> list[AccountThen]:
    world, people = facts.public.world, facts.people
    return [
        AccountThen(
            name=str(world.label(each)),
            player=people.get(each),
            held=tuple(facts.holding(each, commodity) for commodity in commodities),
        )
        for each in _names(facts)
    ]


def _names(facts: Figures) -> list[str]:
    """All accounts: the players in the order they joined, then the others by name."""
    return list(dict.fromkeys((*facts.people, *sorted(facts.public.world.balances))))


def _rule(rule: Rule, ruleset: RulePages) -> RuleThen:
    link = ruleset.find(rule.name)
    return RuleThen(rule, kind_of(rule), "" if link is None or link.path is None else link.path)


def _player(person: Person, facts: Figures, commodities: tuple[str, ...]) -> PlayerThen:
    world = facts.public.world
    names = [*world.declared("player"), *world.attributes.get(person.entity, {})]
    key = world.key_of("player")
    found = {n: facts.attribute(person.entity, n) for n in dict.fromkeys(names) if n != key}
    return PlayerThen(
        person=person,
        attributes={name: fact for name, fact in found.items() if fact is not None},
        held={each: facts.holding(person.entity, each) for each in commodities},
        owned=facts.owned(person.entity),
        things=tuple(_things(person.entity, facts)),
        statements=tuple(by_account(facts.statements, [person.entity])),
    )


def _things(player: str, facts: Figures) -> list[tuple[str, Figure | None]]:
    """What else there is that names *player*: an option, a patent, a debt."""
    world = facts.public.world
    found = []
    for kind, things in world.kinds.items():
        if kind in ("player", "square", "proposal"):
            continue
        for each in things:
            naming = [n for n, v in world.attributes.get(each, {}).items() if v == player]
            if naming:
                found.append((str(describe_thing(world, each)), facts.attribute(each, naming[0])))
    return found


def _waiting(facts: Figures) -> str | None:
    question = facts.public.world.waiting
    return None if question is None else f"{facts.described(question.to)}: {question.text}"


def _due(facts: Figures) -> list[DueThen]:
    timers = sorted(facts.public.world.timers.values(), key=lambda each: each.order)
    return [
        DueThen(
            at=from_seconds(each.attempt.at),
            what=each.attempt.operation.lstrip("@").replace("_", " "),
            about="; ".join(map(facts.described, each.attempt.arguments)),
        )
        for each in timers
    ]
