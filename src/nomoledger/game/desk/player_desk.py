"""The desk of a player: what waits for the player, what is possible, and what happened."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.desk.acts import Act, Choice, acts_for
from nomoledger.game.event_filter import EventChoice, EventFilter, NamesOfEvents
from nomoledger.game.game import Game
from nomoledger.game.open_things import undecided_proposals
from nomoledger.game.read_models import LedgerView, events_with_worlds
from nomoledger.prose.choices import ask_in_words, label_options
from nomoledger.prose.descriptions import BOOKKEEPING, UNTOLD, describe_order
from nomoledger.prose.labels import amount_held
from nomoledger.prose.names import Names, plain
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World


class AskedQuestion(msgspec.Struct, frozen=True):
    """The question that play waits for, as the reader may see it.

    Attributes:
        to: the player who is asked, or "admin".
        asks: "dice", "draw", "choice", "ruling" or "conflict".
        text: the question in words. options: the answers. default: that of the rules, or "".
        sides: the number of sides of each die.
    """

    to: str
    asks: str
    text: str
    options: tuple[Choice, ...] = ()
    default: str = ""
    sides: tuple[int, ...] = ()


class OpenProposal(msgspec.Struct, frozen=True):
    """An undecided proposal: its *number*, who made it, its *text*, and the reader's *vote*."""

    number: int
    by: str
    text: str
    vote: str = ""


class StandingOrder(msgspec.Struct, frozen=True):
    """A standing order of the reader: its *id*, and what it *says*."""

    id: str
    says: str


class Happening(msgspec.Struct, frozen=True):
    """An event that concerns the player: its public number, when, what, and by which rule."""

    event: int
    at: int
    told: str


class PlayerDesk(msgspec.Struct, frozen=True):
    """What one player sees and may do.

    Attributes:
        last: the number of the last event that the player may see.
        now: the time of the game, in seconds since 1970.
        place: where the player stands in words; "" if nowhere.
        holds: what the player has, as amount and commodity.
        facts: what else the rules keep of the player, in words, by name.
        question: what play waits for, if the player may see it.
        acts: what the player may ask for now.
        happened: what happened to the player after event *since*.
    """

    game: str
    player: str
    period: int
    last: int
    now: int
    ended: str | None
    place: str
    holds: tuple[tuple[str, str], ...]
    facts: dict[str, str]
    question: AskedQuestion | None
    acts: tuple[Act, ...]
    proposals: tuple[OpenProposal, ...]
    orders: tuple[StandingOrder, ...]
    since: int
    happened: tuple[Happening, ...]


def player_desk(game: Game, player: str, since: int = -1) -> PlayerDesk:
    """Return the desk of *player*, computed only from what the player may see.

    Raises:
        UnknownError: there is no such player.
    """
    view = LedgerView(game.ledger, game.name, reader=player)
    world = view.visible_world()
    id = world.find("player", player)
    if id is None:
        raise UnknownError(f"{game.name}: there is no player {player!r}")
    undecided = tuple(undecided_proposals(view))
    names = Names(world)
    return PlayerDesk(
        game=game.name,
        player=player,
        period=world.period,
        last=world.head,
        now=world.game["now"],
        ended=world.game["ended"],
        place=_place(names, id),
        holds=tuple(_holdings(world, id)),
        facts=_facts(names, id),
        question=question_of(world),
        acts=tuple(acts_for(world, id, undecided)),
        proposals=tuple(_proposals(world, id, undecided, view)),
        orders=tuple(
            StandingOrder(order.id, describe_order(order))
            for order, _ in world.orders.values()
            if order.by == player
        ),
        since=since,
        happened=tuple(_happened(view, player, since)),
    )


def _place(names: Names, player: str) -> str:
    square = names.world.get(player, "square")
    return "" if square is None else names.phrase(square)


def _holdings(world: World, player: str) -> Iterator[tuple[str, str]]:
    for commodity in world.commodities():
        amount = amount_held(world, player, commodity)
        if amount:
            yield str(amount), commodity


def _facts(names: Names, player: str) -> dict[str, str]:
    shown = {}
    for attribute, value in names.world.attributes.get(player, {}).items():
        is_address = isinstance(value, str) and "@" in value
        if attribute in ("square", "name") or value in (None, False, "", [], ()) or is_address:
            continue
        shown[plain(attribute)] = names.cell_of("player", attribute, value)
    return shown


def question_of(world: World) -> AskedQuestion | None:
    """Return the question that play waits for in *world*; None if there is none."""
    question = world.waiting
    if question is None:
        return None
    teller = Teller(world)
    options: tuple[Choice, ...] = ()
    if question.asks != "dice":
        options = tuple(Choice(label, label) for label in label_options(teller, question))
    default = "" if question.default is None else str(teller.label(question.default))
    sides = tuple(question.options) if question.asks == "dice" else ()
    to = str(world.label(question.to))
    return AskedQuestion(to, question.asks, ask_in_words(teller, question), options, default, sides)


def _proposals(
    world: World, player: str, undecided: tuple[int, ...], view: LedgerView
) -> Iterator[OpenProposal]:
    votes: dict[int, str] = {}
    for entry in view.entries():
        if isinstance(entry.body, e.VoteCast) and entry.body.by == view.reader:
            votes[entry.body.proposal] = entry.body.choice
    for number in undecided:
        made = world.proposals[number]
        yield OpenProposal(number, made.by, made.text, votes.get(number, ""))


def _happened(view: LedgerView, name: str, since: int) -> Iterator[Happening]:
    """Yield the events that concern the player called *name*, after the event *since*."""
    known = NamesOfEvents(view.game, view.world, view.entries())
    wanted = EventFilter(EventChoice(players=(name,)), known)
    teller: Any = None
    for entry, world in events_with_worlds(view):
        teller = teller or Teller(world)
        body = entry.body
        is_told = not isinstance(body, (*UNTOLD, *BOOKKEEPING)) and teller.mentions(body)
        if entry.number > since and is_told and wanted.wants(body, world):
            yield Happening(entry.number, int(body.received_at.timestamp()), teller.tell(body))
        else:
            teller.follow(body)
