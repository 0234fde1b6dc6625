"""News for one reader: what waits for the reader, and what happened that concerns the reader."""

from collections.abc import Iterator

import msgspec

from nomoledger import events as e
from nomoledger.engine.possible_acts import PossibleAct, open_acts
from nomoledger.engine.vote_choices import vote_choices
from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.admin_desk import admin_desk
from nomoledger.game.desk.dispute_desk import disputes_for
from nomoledger.game.desk.happenings import Happening, happenings_of, requests_behind
from nomoledger.game.desk.player_desk import question_of, votes_seen
from nomoledger.game.desk.proposal_desk import proposal_for
from nomoledger.game.desk.seen_game import SeenView, seen_world
from nomoledger.game.game import Game
from nomoledger.game.open_things import undecided_proposals
from nomoledger.game.possible_requests import SOON
from nomoledger.game.read_models import LedgerView
from nomoledger.game.time_jump import rhythm
from nomoledger.prose.names import Names, plain
from nomoledger.state.world import World


class OpenForReader(msgspec.Struct, frozen=True):
    """Something that waits for the reader.

    Attributes:
        key: by which it is known again.
        what: what waits, in words.
        page: the page that it is about, below that of the game.
        since: since when, in seconds since 1970.
        until: until when; None if no timer that is set ends it.
    """

    key: str
    what: str
    page: str
    since: int
    until: int | None = None


class Decided(msgspec.Struct, frozen=True):
    """A proposal or dispute of the reader that was decided.

    Attributes:
        key: by which it is known again. what: what it is. outcome: what became of it. page: its
            page, below that of the game.
    """

    key: str
    what: str
    outcome: str
    page: str


class ReaderNews(msgspec.Struct, frozen=True):
    """What one reader is told, computed only from what the reader may see.

    Attributes:
        last: the number of the last event that the reader may see.
        period: the open period. ended: why the game is over; None if it is not.
        now: the time of the game, in seconds since 1970.
        rhythm: how far its time may move at once, in seconds (`nomoledger.game.time_jump.rhythm`).
        open: what waits for the reader.
        happened: the latest events that concern the reader, after a given one.
        happened_count: how many those are.
        requests: the ids of the requests behind the latest, by the numbers of the events.
        pending: the keys of the reader's proposals and disputes that are not decided.
        decided: those that were, of the ones that were asked about.
        closed: the periods that closed after that event.
    """

    last: int
    period: int
    ended: str | None
    now: int
    rhythm: int
    open: tuple[OpenForReader, ...] = ()
    happened: tuple[Happening, ...] = ()
    happened_count: int = 0
    requests: dict[int, str] = {}
    pending: tuple[str, ...] = ()
    decided: tuple[Decided, ...] = ()
    closed: tuple[int, ...] = ()


class _FoundOpen(msgspec.Struct, frozen=True):
    """What answers something open, and the proposals on which one may vote."""

    acts: list[PossibleAct]
    votes: list[int]


def player_news(game: Game, player: str, since: int, pending: tuple[str, ...] = ()) -> ReaderNews:
    """Return the news for *player* after the event *since*, and what became of *pending*.

    Raises:
        UnknownError: there is no such player.
    """
    view, world, id = seen_world(game, player)
    about, _ = happenings_of(view, player, since, world.period)
    own = _Own(game, player, view)
    asked_about = dict.fromkeys((*pending, *own.made_after(since)))
    return ReaderNews(
        last=world.head,
        period=world.period,
        ended=world.game["ended"],
        now=world.game["now"],
        rhythm=int(rhythm(game).total_seconds()),
        open=tuple(_open_for(view, world, player, id, own.undecided)),
        happened=about.latest,
        happened_count=about.count,
        requests=requests_behind(view, player, about.latest),
        pending=tuple(own.pending()),
        decided=tuple(own.decided(asked_about)),
        closed=_closed(view, since),
    )


def admin_news(game: Game, since: int) -> ReaderNews:
    """Return the news for the admin after the event *since*: what waits for the admin."""
    desk, world = admin_desk(game), game.world
    view = LedgerView(game.ledger, game.name, reader="admin")
    waiting = (
        OpenForReader(
            key=f"{item.kind} {item.event}",
            what=item.what if not item.by else f"{item.what} by {item.by}",
            page="admin",
            since=item.since,
            until=item.until,
        )
        for item in desk.waiting
        if "admin" in item.whom
    )
    return ReaderNews(
        last=world.head,
        period=world.period,
        ended=world.game["ended"],
        now=world.game["now"],
        rhythm=int(rhythm(game).total_seconds()),
        open=tuple(waiting),
        closed=_closed(view, since),
    )


def _closed(view: LedgerView, since: int) -> tuple[int, ...]:
    return tuple(
        entry.body.period
        for entry in view.entries()
        if entry.number > since and isinstance(entry.body, e.PeriodClosed)
    )


def _open_for(
    view: SeenView, world: World, player: str, id: str, undecided: tuple[int, ...]
) -> Iterator[OpenForReader]:
    """Yield what waits for *player*: a question, votes that the player has not cast, and things."""
    if world.game["ended"] is not None:
        return
    begun = _beginnings(view)
    now: int = world.game["now"]
    question = question_of(world)
    if question is not None and question.to == player:
        since = begun.get(f"question {question.id}", now)
        yield OpenForReader(f"question {question.id}", question.text, "play", since)
    try:
        found = view.seen.sandbox(SOON).call(_find_open, world, id, undecided, kind=_FoundOpen)
    except NomoledgerError:
        return  # The rules fail, which is said elsewhere.
    votes, names = votes_seen(view), Names(world)
    ends = {x.arguments["proposal"]: x.until for x in found.acts if x.action == "vote"}
    for number in found.votes:
        if player not in votes.get(number, {}):
            made = world.proposals[number]
            what = f"a vote on proposal {number} by {world.label(made.by)}"
            since = begun.get(f"proposal {number}", now)
            yield OpenForReader(
                f"vote {number}", what, f"proposals/{number}", since, ends.get(number)
            )
    acts = [act for act in found.acts if act.about is not None]
    for thing in dict.fromkeys(act.about for act in acts):
        mine = [act for act in acts if act.about == thing]
        moments = [act.until for act in mine]
        until = None if None in moments else max(x for x in moments if x is not None)
        words = " or ".join(dict.fromkeys(plain(act.action) for act in mine))
        since = begun.get(f"thing {thing}", now)
        what = f"{names.phrase(thing)}: you can {words}"
        yield OpenForReader(f"thing {thing}", what, "play", since, until)


def _find_open(world: World, by: str, proposals: tuple[int, ...]) -> _FoundOpen:
    acts = [act for act in open_acts(world, proposals) if act.by in ("", by)]
    votes = [number for number in proposals if vote_choices(world, by, number).choices]
    return _FoundOpen(acts, votes)


def _beginnings(view: SeenView) -> dict[str, int]:
    """Return when things began to wait, in seconds since 1970, by their keys."""
    begun: dict[str, int] = {}
    for entry in view.entries():
        body = entry.body
        if isinstance(body, e.QuestionRaised):
            key = f"question {body.question}"
        elif isinstance(body, e.ProposalMade):
            key = f"proposal {body.number}"
        elif isinstance(body, e.EntityCreated):
            key = f"thing {body.entity}"
        else:
            continue
        begun[key] = int(body.received_at.timestamp())
    return begun


class _Own:
    """The proposals and disputes of *player*, as the *view* of the player shows them."""

    def __init__(self, game: Game, player: str, view: SeenView) -> None:
        self._game, self._player, self._view = game, player, view
        self._made = view.visible_world().proposals
        self.undecided = tuple(undecided_proposals(view))
        self._disputes = {
            f"dispute {each.number}": each
            for each in disputes_for(game, player).disputes
            if each.by == player
        }

    def made_after(self, since: int) -> Iterator[str]:
        """Yield the keys of those that the player made after the event *since*."""
        for entry in self._view.entries():
            body = entry.body
            if entry.number <= since or getattr(body, "by", None) != self._player:
                continue
            if isinstance(body, e.ProposalMade):
                yield f"proposal {body.number}"
            elif isinstance(body, e.DisputeOpened):
                yield f"dispute {body.number}"

    def pending(self) -> Iterator[str]:
        """Yield the keys of those that are not decided."""
        own = (n for n in self.undecided if self._made[n].by == self._player)
        yield from (f"proposal {number}" for number in own)
        yield from (key for key, dispute in self._disputes.items() if dispute.is_open)

    def decided(self, keys: dict[str, None]) -> Iterator[Decided]:
        """Yield what became of those of *keys* that are decided."""
        left = set(self.pending())
        for key in keys:
            if key in left:
                continue
            number = int(key.rpartition(" ")[2])
            if key in self._disputes:
                ruling = self._disputes[key].ruling
                yield Decided(key, key, ruling or "closed", f"disputes/{number}")
            elif key.startswith("proposal "):
                outcome = proposal_for(self._game, self._player, number).state
                yield Decided(key, key, outcome, f"proposals/{number}")
