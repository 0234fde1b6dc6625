"""players and player: where players stand, what waits for them, what they may do, what happened."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from shlex import quote
from typing import Any

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.game.event_filter import EventChoice, EventFilter, NamesOfEvents
from nomoledger.game.open_things import (
    OpenThing,
    open_things,
    possible_answers,
    undecided_proposals,
)
from nomoledger.game.read_models import LedgerView, Table, events_with_worlds
from nomoledger.intake.nearest import meant
from nomoledger.language.values import Number
from nomoledger.proof.addresses import is_stand_in
from nomoledger.prose.descriptions import BOOKKEEPING, UNTOLD
from nomoledger.prose.labels import amount_held, format_cell
from nomoledger.prose.names import Names, plain
from nomoledger.prose.teller import Teller
from nomoledger.prose.time_format import format_time
from nomoledger.state.world import World
from nomoledger_projections.standings import StandingRow, ranked

#: How many possible values of an act are listed.
_VALUES_MAX = 6


class WaitingFor(msgspec.Struct, frozen=True):
    """Something that waits for a player.

    Attributes:
        what: what waits, in words.
        until: until when, in words; None if no timer that is set ends that.
        requests: the commands that answer: `nomoledger submit LEDGER Ann buy square=8`.
    """

    what: str
    until: str | None
    requests: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.what + (f" (until {self.until})" if self.until else "")


class PlayerRow(msgspec.Struct, frozen=True):
    """A player in the list: the place by money, where the player stands, and what waits."""

    rank: int
    player: str
    square: str
    money: Number | None
    squares: int
    waiting: tuple[WaitingFor, ...]


class PlayerList(msgspec.Struct, frozen=True):
    """All players, the richest first."""

    game: str
    period: int
    players: tuple[PlayerRow, ...]
    money: str = ""

    def show(self) -> Iterator[Table | str]:
        """Yield one table."""
        if not self.players:
            yield "nobody plays yet"
            return
        rows = tuple(
            (
                str(row.rank),
                row.player,
                row.square,
                format_cell(row.money),
                str(row.squares),
                "\n".join(map(str, row.waiting)),
            )
            for row in self.players
        )
        yield Table(
            ("place", "player", "stands on", self.money or "money", "owns", "waits for"), rows
        )


class MayDo(msgspec.Struct, frozen=True):
    """An action that a player may take now.

    Attributes:
        action: the name of the action.
        with_: the possible arguments, as one types them; none if the action takes none.
        chosen: what the player chooses freely; such an action was not tried.
        until: until when, in words; None if no timer that is set ends that.
    """

    action: str
    with_: tuple[str, ...] = msgspec.field(default=(), name="with")
    chosen: tuple[str, ...] = ()
    until: str | None = None

    def __str__(self) -> str:
        shown = "; ".join(self.with_[:_VALUES_MAX])
        more = len(self.with_) - _VALUES_MAX
        words = f"{self.action} {shown}".strip() + (f" and {more} more" if more > 0 else "")
        words += "".join(f" {name}={name.upper()}" for name in self.chosen)
        return words + (f" (until {self.until})" if self.until else "")


class Happened(msgspec.Struct, frozen=True):
    """An event that concerns the player: its number, when its request came, and what it was."""

    event: int
    at: datetime
    told: str

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.told} (#{self.event})"


class PlayerPage(msgspec.Struct, frozen=True):
    """All about one player that the reader may see.

    Attributes:
        rank, of: the place by money among so many players.
        attributes: what the rules keep of the player, in words, by name.
        holds: the amounts that the player holds of everything but money.
        things: what else the rules keep that names the player, in words.
        since: the time from which *happened* tells; None for the beginning.
    """

    game: str
    period: int
    now: datetime
    player: str
    rank: int
    of: int
    square: str
    money: Number | None
    currency: str
    owned: tuple[str, ...]
    holds: dict[str, Number]
    attributes: dict[str, str]
    things: tuple[str, ...]
    waiting: tuple[WaitingFor, ...]
    may: tuple[MayDo, ...]
    since: datetime | None
    happened: tuple[Happened, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield what a player asks first: where, what waits, what is possible, what happened."""
        yield f"{self.player}, place {self.rank} of {self.of}, period {self.period}"
        if self.square:
            yield f"stands on {self.square}"
        yield f"has {self._possessions()}"
        for name, value in self.attributes.items():
            yield f"{plain(name)}: {value}"
        waiting = [item.what for item in self.waiting]
        for thing in self.things:
            if thing not in waiting:
                yield f"also: {thing}"
        for item in self.waiting:
            yield f"waits for {self.player}: {item}"
            yield from (f"  {request}" for request in item.requests)
        if not self.waiting:
            yield f"nothing waits for {self.player}"
        yield from self._shown_acts()
        since = f"since {self.since:%Y-%m-%d %H:%M}" if self.since else f"in period {self.period}"
        yield f"{since}:" + ("" if self.happened else f" nothing happened to {self.player}")
        yield from (f"  {event}" for event in self.happened)

    def _possessions(self) -> str:
        money = [] if self.money is None else [f"{self.money} {self.currency}"]
        held = [f"{amount} {name}" for name, amount in self.holds.items()]
        squares = [f"the squares {', '.join(self.owned)}"] if len(self.owned) > 1 else []
        squares = squares or [f"the square {square}" for square in self.owned]
        return ", ".join([*money, *held, *squares]) or "nothing"

    def _shown_acts(self) -> Iterator[str]:
        tried = [act for act in self.may if not act.chosen]
        untried = [act for act in self.may if act.chosen]
        if tried:
            yield f"{self.player} may:"
        yield from (f"  {act}" for act in tried)
        if untried:
            yield f"{self.player} may also try, with values to choose:"
        yield from (f"  {act}" for act in untried)


def players(view: LedgerView) -> PlayerList:
    """Return the players of *view* with what waits for each."""
    world = view.visible_world()
    things = open_things(world, undecided_proposals(view))
    rows = tuple(
        PlayerRow(
            row.rank,
            row.player,
            _square_of(world, row.player),
            row.money,
            row.squares,
            tuple(_waiting(view, world, things, row.player)),
        )
        for row in ranked(world)
    )
    money = next(iter(world.commodities()), "")
    return PlayerList(view.game, view.period, rows, money)


def player(view: LedgerView, *, called: str, since: datetime | None = None) -> PlayerPage:
    """Return all about the player *called* so that the reader of *view* may see.

    What happened to the player is told from *since* on; without *since*, in the open period.

    Raises:
        UnknownError: There is no such player.
    """
    world = view.visible_world()
    standings = ranked(world)
    place = _place(view, standings, called)
    id = world.find("player", called)
    assert id is not None
    money, *items = (*world.commodities(), "")
    held = {item: amount_held(world, id, item) for item in items if item}
    return PlayerPage(
        game=view.game,
        period=view.period,
        now=datetime.fromtimestamp(world.game["now"], UTC),
        player=place.player,
        rank=place.rank,
        of=len(standings),
        square=_square_of(world, called),
        money=place.money,
        currency=money,
        owned=tuple(map(str, place.owned)),
        holds={item: amount for item, amount in held.items() if amount},
        attributes=_attributes(world, id, is_admin=view.reader == "admin"),
        things=tuple(_things(world, id)),
        waiting=tuple(
            _waiting(view, world, open_things(world, undecided_proposals(view)), place.player)
        ),
        may=tuple(_may_do(world, id)),
        since=since,
        happened=tuple(_happened(view, place.player, since)),
    )


def _place(view: LedgerView, standings: list[StandingRow], name: str) -> StandingRow:
    for row in standings:
        if row.player == name:
            return row
    names = [row.player for row in standings]
    hint = meant(name, names) or f"; there is: {', '.join(names) or 'nobody'}"
    raise UnknownError(f"{view.game}: there is no player {name!r:.80}{hint}")


def _square_of(world: World, name: str) -> str:
    square = world.get(world.find("player", name) or "", "square")
    return "" if square is None else Names(world).phrase(square)


def _attributes(world: World, player: str, *, is_admin: bool) -> dict[str, str]:
    """Return the attributes of *player* that are set, in words; addresses for the admin only."""
    names = Names(world)
    shown = {}
    for attribute, value in world.attributes.get(player, {}).items():
        is_address = isinstance(value, str) and ("@" in value or is_stand_in(value))
        is_set = value not in (None, False, "", [], ())
        if attribute in ("square", "name") or not is_set or (is_address and not is_admin):
            continue
        shown[attribute] = names.cell_of("player", attribute, value)
    return shown


def _things(world: World, player: str) -> Iterator[str]:
    """Yield the things that name *player* in an attribute, but for squares and proposals."""
    names = Names(world)
    for thing, kind in world.entities.items():
        if kind in ("player", "square", "proposal", "vote"):
            continue
        if player in world.attributes.get(thing, {}).values():
            yield names.phrase(thing)


def _waiting(
    view: LedgerView, world: World, things: list[OpenThing], name: str
) -> Iterator[WaitingFor]:
    """Yield what waits for the player called *name*."""
    question = world.waiting
    if question is not None and str(world.label(question.to)) == name:
        text = Teller(world).without_identifiers(question.text)
        command = f"nomoledger answer LEDGER VALUE --by {quote(name)}"
        yield WaitingFor(text, None, (command,))
    for thing in things:
        if name in thing.who or not thing.who:
            own = [answer for answer in thing.answers if answer.by in (None, name)]
            requests = tuple(answer.command_of(name) for answer in own)
            yield WaitingFor(thing.what, _until(thing.until), requests)


def _until(moment: int | None) -> str | None:
    """Return the last second before *moment* in words."""
    return None if moment is None else format_time(moment - 1)


def _may_do(world: World, player: str) -> Iterator[MayDo]:
    """Yield what *player* may do now; the arguments of one action until one time together."""
    answers = possible_answers(world, player)
    for (action, until, chosen), group in groupby(
        answers, lambda pair: (pair[0].action, pair[0].until, pair[0].chosen)
    ):
        with_ = tuple(_arguments(world, act.arguments) for act, _ in group)
        yield MayDo(action, tuple(filter(None, with_)), chosen, _until(until))


def _arguments(world: World, arguments: dict[str, Any]) -> str:
    return " ".join(f"{name}={world.label(value)}" for name, value in arguments.items())


def _happened(view: LedgerView, name: str, since: datetime | None) -> Iterator[Happened]:
    """Yield the events that concern the player called *name*, from *since* on."""
    period = view.period if since is None else None
    known = NamesOfEvents(view.game, view.world, view.entries())
    wanted = EventFilter(EventChoice(players=(name,), since=since, period=period), known)
    teller = None
    for entry, world in events_with_worlds(view):
        teller = teller or Teller(world)
        body = entry.body
        is_told = not isinstance(body, (*UNTOLD, *BOOKKEEPING)) and teller.mentions(body)
        if wanted.wants(body, world) and is_told:
            yield Happened(entry.number, body.received_at, teller.tell(body))
        else:
            teller.follow(body)
