"""Disputes as a player may see them: what is disputed, the arguments, and what is attached."""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.evidence import describe_evidence
from nomoledger.game.game import Game
from nomoledger.game.read_models import events_with_worlds
from nomoledger.game.visible_record import VisibleRecord
from nomoledger.game.writer import Outcome
from nomoledger.prose.teller import Teller
from nomoledger.state.disputes import is_open

#: How many lines of an attached replay are shown.
LINES_MAX = 40


class SeenArgument(msgspec.Struct, frozen=True):
    """An argument of a player, of "admin" or, if it was attached, of "engine".

    *shows* has the lines of what is attached.
    """

    by: str
    at: int
    text: str
    shows: tuple[str, ...] = ()


class SeenDispute(msgspec.Struct, frozen=True):
    """A dispute.

    Attributes:
        number: its number. by: who opened it. at: when, in seconds since 1970. text: why.
        period: the disputed period. about: the disputed event in words; "" for all of the period.
        is_open: whether no ruling has closed it. ruling: the words of the ruling that did.
        arguments: the arguments in their order.
    """

    number: int
    by: str
    at: int
    text: str
    period: int
    about: str
    is_open: bool
    ruling: str
    arguments: tuple[SeenArgument, ...]


class SeenDisputes(msgspec.Struct, frozen=True):
    """Disputes, the newest first, and the open *period* of the game."""

    disputes: tuple[SeenDispute, ...]
    period: int


class SeenEvent(msgspec.Struct, frozen=True):
    """An event in words, with its *period*."""

    told: str
    period: int


def disputes_for(game: Game, player: str) -> SeenDisputes:
    """Return the disputes that *player* may know of."""
    view = SeenView(game, player)
    world = view.visible_world()
    opened: dict[int, e.DisputeOpened] = {}
    arguments: dict[int, list[SeenArgument]] = {}
    rulings: dict[int, str] = {}
    for entry in view.entries():
        body = entry.body
        if isinstance(body, e.DisputeOpened):
            opened[body.number] = body
        elif isinstance(body, e.DisputeArgued):
            arguments.setdefault(body.dispute, []).append(_argument(body))
        elif isinstance(body, e.RulingMade) and body.closes is not None:
            rulings[body.closes] = body.text
    told = _told(view, {body.about for body in opened.values() if body.about is not None})
    found = []
    for number, body in reversed(opened.items()):
        if number not in world.disputes:
            continue
        still = is_open(world.disputes[number])
        found.append(
            SeenDispute(
                number=number,
                by=body.by,
                at=int(body.received_at.timestamp()),
                text=body.text,
                period=body.disputed,
                about="" if body.about is None else told.get(body.about, f"#{body.about}"),
                is_open=still,
                ruling="" if still else rulings.get(number, ""),
                arguments=tuple(arguments.get(number, ())),
            )
        )
    return SeenDisputes(tuple(found), world.period)


def _argument(body: e.DisputeArgued) -> SeenArgument:
    shows = tuple(describe_evidence(body.evidence))[:LINES_MAX]
    return SeenArgument(body.by, int(body.received_at.timestamp()), body.text, shows)


def _told(view: SeenView, wanted: set[int]) -> dict[int, str]:
    """Return the *wanted* events in words, by the numbers that the reader knows."""
    told: dict[int, str] = {}
    teller: Any = None
    for entry, world in events_with_worlds(view):
        teller = teller or Teller(world)
        if entry.number in wanted:
            told[entry.number] = teller.tell(entry.body)
        else:
            teller.follow(entry.body)
    return told


def event_for(game: Game, player: str, number: int) -> SeenEvent:
    """Return the event that *player* knows as *number*, in words.

    Raises:
        UnknownError: there is none.
    """
    view = SeenView(game, player)
    body = next((x.body for x in view.entries() if x.number == number), None)
    if body is None:
        raise UnknownError(f"{game.name}: you know of no event #{number}")
    return SeenEvent(_told(view, {number})[number], body.period)


def dispute_seen(
    game: Game, player: str, text: str, period: int | None, event: int | None, **fields: Any
) -> Outcome:
    """Open a dispute of *player* about *period*, or about the event that the player knows so.

    Raises:
        UnknownError: there is no such event or period. UsageError: the period is final.
    """
    game.catch_up()
    about = None
    if event is not None:
        record = VisibleRecord(game.history, (player,))
        if not 0 <= event < len(record.entries):
            raise UnknownError(f"{game.name}: you know of no event #{event}")
        about = record.recorded_number(event)
    return game.dispute(player, text, period=period, about=about, **fields)


def argue_seen(game: Game, player: str, number: int, text: str, **fields: Any) -> Outcome:
    """Add *text* of *player* to the open dispute with that *number*.

    Raises:
        UnknownError: there is no such dispute that the player may know of.
        UsageError: the dispute is closed.
    """
    before = game.again(fields.get("id"))
    if before is not None:
        return before
    game.catch_up()
    numbers = VisibleRecord(game.history, (player,)).terms.disputes
    recorded = next((n for n in game.world.disputes if numbers.of(n) == number), None)
    if recorded is None:
        raise UnknownError(f"{game.name}: you know of no dispute {number}")
    return game.argue(recorded, player, text, **fields)
