"""What is open on the front page: for whom, until when, and what each player may do."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from nomoledger.game.open_things import OpenThing, falling_due, open_question, open_things
from nomoledger.game.possible_requests import MayDo, chosen_in_words, may_do
from nomoledger.prose.descriptions import join_words
from nomoledger.prose.names import plain
from nomoledger.sandbox.limits import AGAIN
from nomoledger.state.clock import from_seconds
from nomoledger.state.world import World
from nomoledger.views.site.figures import PlayerLink

#: How many possible arguments of an action are listed.
_LISTED_MAX = 6


class OpenEntry(msgspec.Struct, frozen=True):
    """Something open: *what* it is, until when, and the page that it is about.

    What *is_due* happens at that time by itself.
    """

    what: str
    until: datetime | None = None
    path: str | None = None
    is_due: bool = False


class OpenForPlayer(msgspec.Struct, frozen=True):
    """What waits for a player, and what else the player *may* do; None stands for the game."""

    person: PlayerLink | None
    entries: tuple[OpenEntry, ...]
    may: tuple[OpenEntry, ...] = ()


class OpenOnPage(msgspec.Struct, frozen=True):
    """What is open in a game.

    Attributes:
        players: What is open for each player; last, what concerns nobody or everybody.
        every: What every player may do, besides what waits for players.
        free: What every player may try, with values to choose.
    """

    players: tuple[OpenForPlayer, ...]
    every: tuple[OpenEntry, ...] = ()
    free: tuple[OpenEntry, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything is open for anybody."""
        return bool(self.players or self.every or self.free)


def open_on_page(
    world: World, people: Mapping[str, PlayerLink], undecided: Sequence[int], *, is_tried: bool
) -> OpenOnPage:
    """Return what is open in *world* for *people*, given by id, with the *undecided* proposals.

    Only what *world* holds is used: a public world gives what the public may know. Unless acts are
    tried (*is_tried*), the result has only what waits or falls due.
    """
    if world.head < 0 or world.game["ended"] is not None:
        return OpenOnPage(())
    answerable = open_things(world, undecided, AGAIN) if is_tried else []
    judged = {thing.proposal for thing in answerable}
    things = sorted((*answerable, *falling_due(world, besides=answerable)), key=_order)
    entries: dict[str | None, list[OpenEntry]] = {}
    for player, entry in _question(world):
        entries.setdefault(player, []).append(entry)
    for thing in things:
        for player in thing.players:
            name = str(world.label(player))
            entries.setdefault(player, []).append(_entry(thing, _acts_for(thing, name)))
        if not thing.players or "admin" in thing.who:
            entries.setdefault(None, []).append(_entry_of_game(thing))
    for number in undecided:
        if number not in judged:
            entries.setdefault(None, []).append(_undecided(number))
    acts = may_do(world, list(people), AGAIN) if is_tried else {}
    rest = {
        player: tuple(_acts_beyond(acts.get(player, ()), link.name, answerable))
        for player, link in people.items()
    }
    return _grouped(people, entries, rest)


def _grouped(
    people: Mapping[str, PlayerLink],
    entries: Mapping[str | None, list[OpenEntry]],
    rest: Mapping[str, tuple[tuple[bool, OpenEntry], ...]],
) -> OpenOnPage:
    """Return everything by player; acts that all players may do stand once."""
    shared = [act for act in next(iter(rest.values()), ()) if all(act in x for x in rest.values())]
    players = []
    for player, person in people.items():
        may = tuple(entry for is_free, entry in rest[player] if (is_free, entry) not in shared)
        if player in entries or may:
            players.append(OpenForPlayer(person, tuple(entries.get(player, ())), may))
    if None in entries:
        players.append(OpenForPlayer(None, tuple(entries[None])))
    return OpenOnPage(
        tuple(players),
        tuple(entry for is_free, entry in shared if not is_free),
        tuple(entry for is_free, entry in shared if is_free),
    )


def _order(thing: OpenThing) -> float:
    return float("inf") if thing.until is None else thing.until


def _question(world: World) -> Iterator[tuple[str | None, OpenEntry]]:
    question = open_question(world)
    if question is not None:
        to = "" if question.player else f"{question.to}: "
        yield question.player, OpenEntry(f"{to}answer the question “{question.text}”")


def _entry(thing: OpenThing, acts: Sequence[str]) -> OpenEntry:
    what = f"{join_words(acts, 'or')}: {thing.what}" if acts else thing.what
    path = None if thing.proposal is None else f"proposals.html#p{thing.proposal}"
    return OpenEntry(what, _moment(thing.until), path, is_due=not thing.answers)


def _entry_of_game(thing: OpenThing) -> OpenEntry:
    """Return *thing* as it is open to the admin or to any player, or falls due for nobody."""
    if thing.proposal is not None:
        entry = _undecided(thing.proposal)
    else:
        entry = _entry(thing, ())
    who = "the admin" if "admin" in thing.who else "any player"
    acts = _acts_for(thing, "admin")
    may = f": {who} may {join_words(acts, 'or')}" if acts else ""
    return msgspec.structs.replace(entry, what=entry.what + may, until=_moment(thing.until))


def _acts_for(thing: OpenThing, name: str) -> list[str]:
    """Return what the player or admin called *name* may do with *thing*, in words."""
    acts = (answer.action for answer in thing.answers if answer.by in (None, name))
    return list(dict.fromkeys(acts))


def _undecided(number: int) -> OpenEntry:
    return OpenEntry(f"proposal {number} is undecided", None, f"proposals.html#p{number}")


def _acts_beyond(
    acts: Sequence[MayDo], player: str, things: Sequence[OpenThing]
) -> Iterator[tuple[bool, OpenEntry]]:
    """Yield the *acts* of *player* that answer none of *things*; and whether values are free."""
    answers = [answer for thing in things for answer in thing.answers]
    for act in acts:
        beyond = act.beyond(player, answers)
        if beyond is not None:
            yield bool(act.chosen), OpenEntry(_act_in_words(beyond), _moment(act.until))


def _act_in_words(act: MayDo) -> str:
    listed = [
        ", ".join(f"{plain(name)} {value}" for name, value in arguments.items())
        for arguments in act.arguments[:_LISTED_MAX]
    ]
    more = len(act.arguments) - _LISTED_MAX
    listed += [f"and {more} more"] if more > 0 else []
    said = chosen_in_words(act.chosen) or "; ".join(listed)
    return plain(act.action) + (f" ({said})" if said else "")


def _moment(until: int | None) -> datetime | None:
    return None if until is None else from_seconds(until)
