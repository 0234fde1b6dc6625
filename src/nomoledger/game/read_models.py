"""Read models: what they are given, what they give back, and where they are found.

A projection is a function from a `View` of a game (and what else is asked, by name) to a
`ReadModel`. They live outside this package and are found by the entry point group
`nomoledger.projections`, ours and other people's alike.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.events import EntityDestroyed, Entry
from nomoledger.events.rules import Rule
from nomoledger.ledger.as_of import Reading, as_known, worlds_at_closes
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup import Balances
from nomoledger.ledger.rollup_queries import posted_balances
from nomoledger.proof.public_stream import apply_public, public_events
from nomoledger.state.world import Attempt, World

GROUP = "nomoledger.projections"


class Table(msgspec.Struct, frozen=True):
    """Rows of text for people; *grid* asks for lines between the cells, as on a board."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    grid: bool = False


class ReadModel(Protocol):
    """What a projection gives: a struct, for JSON, that can also show itself to people."""

    def show(self) -> Iterable[Table | str]:
        """Tables and paragraphs, in the order in which they are to be read."""


@runtime_checkable
class Sheet(Protocol):
    """A read model that is also a sheet of figures, for a spreadsheet."""

    def sheet(self) -> Table:
        """One row a figure or more, nothing but the bare values in the cells."""


@runtime_checkable
class Drawing(Protocol):
    """A read model that can be drawn."""

    def drawn(self, kind: str) -> bytes:
        """The picture, as a file of that *kind*: svg or png."""


class View(Protocol):
    """A game as it stood at the close of a period (or stands now), as *reader* may see it.

    Attributes:
        game: its name. period: the period asked for.
        world: everything that is so, as it is known in the world `reading.later`.
        reading: how it stood, as published and as known later.
        known: the period at whose close that is known; None for as known now.
        reader: None for the public, a player's name, or "admin" who sees all.
    """

    game: str
    period: int
    world: World
    reading: Reading
    known: int | None
    reader: str | None

    def entries(self) -> Iterator[Entry]:
        """The events that the reader may see, up to that moment."""

    def standing(self) -> Iterator[Reading]:
        """How it stood at the close of each period, and at last at that moment.

        They share one world that goes on: each is to be read before the next is asked for.
        """

    def posted(self) -> Balances:
        """What all postings come to for the periods up to that one, as known then.

        It is what `world` says, but where a ruling was settled without any posting.
        """

    def values(self, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
        """What the rules give for *operation*, for the arguments of each of the *calls*.

        None where no rule in force defines it, or where it depends on chance or on somebody.
        """


Projection = Callable[..., ReadModel]


def projections() -> dict[str, Projection]:
    """All projections that are installed, by name."""
    return {each.name: each.load() for each in entry_points(group=GROUP)}


def projection(name: str) -> Projection:
    """The projection called *name*.

    Raises:
        UnknownError: none of that name is installed.
    """
    for each in entry_points(group=GROUP, name=name):
        found: Projection = each.load()
        return found
    raise UnknownError(f"no projection {name!r} is installed: install nomoledger anew")


class WorldView:
    """A `View` of a world that may not be any that is recorded: it has no events."""

    known = None

    def __init__(self, world: World, reader: str | None = "admin") -> None:
        self.game = str(world.game.get("game", ""))
        self.period = world.period
        self.world = world
        self.reading = Reading(world.period, False, world, world)
        self.reader = reader

    def entries(self) -> Iterator[Entry]:
        """None: nothing of it is recorded."""
        return iter(())

    def standing(self) -> Iterator[Reading]:
        """That world alone."""
        yield self.reading

    def posted(self) -> Balances:
        """What that world says."""
        return self.world.balances

    def values(self, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
        """What the rules give, asked of the rules of that world."""
        return ask_rules(self.world, operation, calls)


class LedgerView:
    """A `View` of a game in a ledger.

    Raises:
        UnknownError: there is no such period or player.
        UsageError: the period was not over at the close of the one in which it is to be known.
    """

    def __init__(
        self,
        ledger: Ledger,
        game: str,
        period: int | None = None,
        reader: str | None = None,
        known: int | None = None,
    ) -> None:
        self.ledger = ledger
        self.game = game
        self.reader = reader
        self.known = known
        self.reading = as_known(ledger, game, period, known)
        self.world = self.reading.known
        self.period = self.reading.period
        if reader not in (None, "admin") and self.world.find("player", reader) is None:
            raise UnknownError(f"{game}: there is no player {reader!r}")

    def entries(self) -> Iterator[Entry]:
        """The events that the reader may see, up to that moment, in numbers of the reader's own.

        The admin sees them as they are in the ledger.
        """
        entries = self.ledger.read(self.game, upto=self.world.head)
        return entries if self.reader == "admin" else public_events(entries, self.reader)

    @property
    def is_renumbered(self) -> bool:
        """Whether the reader's numbers are not the ledger's, as something is kept from them."""
        entries = self.ledger.read(self.game, upto=self.world.head)
        return not all(self.sees(entry.body.audience) for entry in entries)

    def standing(self) -> Iterator[Reading]:
        """How it stood at the close of each period, and at last at that moment."""
        later = self.reading.later
        for period, world in worlds_at_closes(self.ledger, self.game, self.world.head):
            if period is not None:
                yield Reading(period, True, world, later)
            elif not self.reading.is_closed:
                yield Reading(world.period, False, world, later)

    def posted(self) -> Balances:
        """What all postings come to for the periods up to that one, as known then: the roll-up."""
        period = self.period if self.reading.is_closed else None
        return posted_balances(self.ledger, self.game, period, self.known)

    def sees(self, audience: tuple[str, ...] | None) -> bool:
        """Whether the reader is among *audience*, which is everybody where None."""
        return self.reader == "admin" or audience is None or self.reader in audience

    def values(self, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
        """What the rules give for *operation*, for the arguments of each of the *calls*."""
        return ask_rules(self.world, operation, calls)


def ask_rules(world: World, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
    """What the rules in force in *world* give for *operation*; None as in `View.values`."""
    if not any(_defines(rule, operation) for rule in world.rules):
        return None
    from nomoledger.language.host import Refused, Suspended
    from nomoledger.language.program import link
    from nomoledger.sandbox.worker import call_in_worker

    def make() -> list[Any] | None:
        program = link(world.rules)
        attempt = Attempt(id="query", operation=operation, at=world.game["now"])
        program.host.begin(world, attempt)
        try:
            return [program.call(operation, *arguments) for arguments in calls]
        except (Refused, Suspended):
            return None

    return call_in_worker(make, list[Any] | None)


def _defines(rule: Rule, operation: str) -> bool:
    from nomoledger.language.code import parse_code

    kinds = ("define", "value")
    return any(h.operation == operation and h.kind in kinds for h in parse_code(rule).hooks)


# --- what several read models do in the same way -------------------------------------------------


def events_with_worlds(view: View) -> Iterator[tuple[Entry, World]]:
    """Each event that the reader may see, and a world in which things have their names.

    It is the world after the event, or before it where something goes; and it is made of nothing
    but what the reader may see.
    """
    world = World()
    for entry in view.entries():
        if isinstance(entry.body, EntityDestroyed):
            yield entry, world
        apply_public(world, entry.body)
        if not isinstance(entry.body, EntityDestroyed):
            yield entry, world
