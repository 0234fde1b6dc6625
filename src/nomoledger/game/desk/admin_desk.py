"""The desk of the admin: what waits, for whom and until when, and what the admin may do."""

import msgspec

from nomoledger.game.desk.acts import Act, acts_for
from nomoledger.game.desk.player_desk import AskedQuestion, OpenProposal, question_of
from nomoledger.game.game import Game
from nomoledger.game.open_things import open_things, undecided_proposals
from nomoledger.game.read_models import LedgerView
from nomoledger.prose.teller import Teller
from nomoledger.state.disputes import open_disputes


class WaitingItem(msgspec.Struct, frozen=True):
    """Something that waits: *what*, for *whom*, *until* when in seconds since 1970, if ever."""

    what: str
    whom: tuple[str, ...]
    until: int | None


class DueTimer(msgspec.Struct, frozen=True):
    """A timer: the time *at* which it is due in seconds since 1970, *what* it does, its *rule*."""

    at: int
    what: str
    rule: str


class DisputeLine(msgspec.Struct, frozen=True):
    """An open dispute: its *number*, who opened it, and what it says."""

    number: int
    by: str
    text: str


class AdminDesk(msgspec.Struct, frozen=True):
    """All that the admin has to look at.

    Attributes:
        last: the number of the last event.
        now: the time of the game, in seconds since 1970.
        question: what play waits for.
        waiting: what else is open.
        acts: what the rules let the admin ask for.
        interrupted: whether something is on the agenda that an interrupted process left.
    """

    game: str
    rulebook: str
    period: int
    last: int
    now: int
    ended: str | None
    question: AskedQuestion | None
    waiting: tuple[WaitingItem, ...]
    timers: tuple[DueTimer, ...]
    proposals: tuple[OpenProposal, ...]
    disputes: tuple[DisputeLine, ...]
    acts: tuple[Act, ...]
    players: tuple[str, ...]
    interrupted: bool


def admin_desk(game: Game) -> AdminDesk:
    """Return the desk of the admin of *game*."""
    view = LedgerView(game.ledger, game.name, reader="admin")
    world, teller = view.world, Teller(view.world)
    undecided = tuple(undecided_proposals(view))
    timers = sorted(world.timers.values(), key=lambda timer: timer.order)
    return AdminDesk(
        game=game.name,
        rulebook=world.game["rulebook"],
        period=world.period,
        last=world.head,
        now=world.game["now"],
        ended=world.game["ended"],
        question=question_of(world),
        waiting=tuple(
            WaitingItem(thing.what, thing.who, thing.until)
            for thing in open_things(world, undecided)
        ),
        timers=tuple(
            DueTimer(timer.attempt.at, teller.scheduled(timer.attempt.id), timer.rule)
            for timer in timers
        ),
        proposals=tuple(
            OpenProposal(number, world.proposals[number].by, world.proposals[number].text)
            for number in undecided
        ),
        disputes=tuple(
            DisputeLine(dispute["number"], str(dispute["by"]), str(dispute["text"]))
            for dispute in open_disputes(world)
        ),
        acts=tuple(acts_for(world, "admin", undecided)),
        players=tuple(str(world.label(player)) for player in world.kinds.get("player", ())),
        interrupted=world.waiting is None and bool(world.agenda),
    )
