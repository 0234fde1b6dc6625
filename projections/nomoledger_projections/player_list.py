"""players and player: where players stand, what waits for them, what they may do, what happened."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from shlex import quote

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.game.event_filter import EventChoice, EventFilter, NamesOfEvents
from nomoledger.game.open_things import (
    OpenThing,
    falling_due,
    open_question,
    open_things,
    undecided_proposals,
)
from nomoledger.game.possible_requests import chosen_in_words, may_do
from nomoledger.game.read_models import LedgerView, Table, events_with_worlds
from nomoledger.intake.nearest import meant
from nomoledger.language.values import Number
from nomoledger.proof.addresses import is_stand_in
from nomoledger.prose.descriptions import BOOKKEEPING, UNTOLD
from nomoledger.prose.labels import amount_held, format_cell
from nomoledger.prose.names import Names, plain
from nomoledger.prose.teller import Teller
from nomoledger.prose.time_format import format_time
from nomoledger.prose.types_in_words import type_in_words
from nomoledger.state.world import World
from nomoledger_projections.standings import StandingRow, ranked

#: How many possible values of an act are listed.
_VALUES_MAX = 6


class WaitingFor(msgspec.Struct, frozen=True):
    """Something that waits for a player.

    Attributes:
        what: what waits, in words.
        until: until when, in words; None if no timer that is set ends that.
        requests: the commands that answer: `nomoledger submit g.db Ann buy square=8`.
        explained: what the words in capitals of each command stand for; "" if it has none.
    """

    what: str
    until: str | None
    requests: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.what + (f" (until {self.until})" if self.until else "")

    def shown_requests(self) -> Iterator[str]:
        """Yield a line for each command."""
        for request, explained in zip(self.requests, self.explained, strict=True):
            yield f"  {request}" + (f" ({explained})" if explained else "")


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


class PossibleAction(msgspec.Struct, frozen=True):
    """An action that a player may take now.

    Attributes:
        action: the name of the action.
        with_: the possible arguments, as one types them; none if the action takes none.
        chosen: what the player chooses freely, with the type of each value in words; such an
            action was not tried.
        until: until when, in words; None if no timer that is set ends that.
    """

    action: str
    with_: tuple[str, ...] = msgspec.field(default=(), name="with")
    chosen: dict[str, str] = {}
    until: str | None = None

    def __str__(self) -> str:
        shown = "; ".join(self.with_[:_VALUES_MAX])
        more = len(self.with_) - _VALUES_MAX
        words = f"{self.action} {shown}".strip() + (f" and {more} more" if more > 0 else "")
        words += "".join(f" {name}={name.upper()}" for name in self.chosen)
        said = [f"{plain(name)}: {type_}" for name, type_ in self.chosen.items()]
        said += [f"until {self.until}"] if self.until else []
        return words + (f" ({', '.join(said)})" if said else "")


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
        may: what the player may do now.
        submit: the command for that, without the action.
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
    may: tuple[PossibleAction, ...]
    submit: str
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
            yield from item.shown_requests()
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
        """Yield the acts that do not answer what waits for the player: those stand there."""
        requests = " ".join(request for item in self.waiting for request in item.requests)
        others = [act for act in self.may if not self._is_answer(act, requests)]
        tried = [act for act in others if not act.chosen]
        untried = [act for act in others if act.chosen]
        if tried:
            yield f"{self.player} may also ({self.submit} ACTION):"
        yield from (f"  {act}" for act in tried)
        if untried:
            yield f"{self.player} may try these, with values to choose ({self.submit} ACTION):"
        yield from (f"  {act}" for act in untried)

    def _is_answer(self, act: PossibleAction, requests: str) -> bool:
        written = (f" {act.action} {quote(words)} " for words in act.with_)
        return bool(act.with_) and all(words in f"{requests} " for words in written)


#: Returns the command that a verb and its words make: `submit`, `Ann buy square=8`.
Command = Callable[[str, str], str]


def _plain_command(verb: str, words: str) -> str:
    return f"nomoledger {verb} LEDGER {words}"


def players(view: LedgerView) -> PlayerList:
    """Return the players of *view* with what waits for each."""
    world = view.visible_world()
    things = _open_or_due(view, world)
    rows = tuple(
        PlayerRow(
            row.rank,
            row.player,
            _square_of(world, row.player),
            row.money,
            row.squares,
            tuple(_waiting(world, things, row.player, _plain_command)),
        )
        for row in ranked(world)
    )
    money = next(iter(world.commodities()), "")
    return PlayerList(view.game, view.period, rows, money)


def player(
    view: LedgerView,
    *,
    called: str,
    since: datetime | None = None,
    command: Command = _plain_command,
) -> PlayerPage:
    """Return all about the player *called* so that the reader of *view* may see.

    What happened to the player is told from *since* on; without *since*, in the open period.
    *command* makes the commands that the page names; without it they say LEDGER for the ledger.

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
        waiting=tuple(_waiting(world, _open_or_due(view, world), place.player, command)),
        may=tuple(_acts(world, id)),
        submit=command("submit", quote(place.player)),
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


def _open_or_due(view: LedgerView, world: World) -> list[OpenThing]:
    """Return what requests can answer, and whatever else falls due for players."""
    things = open_things(world, undecided_proposals(view))
    return [*things, *(due for due in falling_due(world, besides=things) if due.players)]


def _waiting(
    world: World, things: list[OpenThing], name: str, command: Command
) -> Iterator[WaitingFor]:
    """Yield what waits for the player called *name*."""
    question = open_question(world)
    if question is not None and question.to == name:
        answer = command(question.answer.verb, question.answer.words)
        yield WaitingFor(question.text, None, (answer,), (question.explained,))
    for thing in things:
        if name in thing.who or not thing.who:
            own = [answer for answer in thing.answers if answer.by in (None, name)]
            requests = tuple(command(answer.verb, answer.words_of(name)) for answer in own)
            explained = tuple(chosen_in_words(answer.chosen) for answer in own)
            yield WaitingFor(thing.what, _until(thing.until), requests, explained)


def _until(moment: int | None) -> str | None:
    """Return the last second before *moment* in words."""
    return None if moment is None else format_time(moment - 1)


def _acts(world: World, player: str) -> Iterator[PossibleAction]:
    """Yield what *player* may do now."""
    for act in may_do(world, [player]).get(player, ()):
        with_ = tuple(
            " ".join(f"{name}={value}" for name, value in arguments.items())
            for arguments in act.arguments
        )
        chosen = {value.name: type_in_words(value.type) for value in act.chosen}
        yield PossibleAction(act.action, with_, chosen, _until(act.until))


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
