"""Read models: their protocols, the views they are made from, and how projections are found.

A projection is a function from a `View` of a game (and further arguments by name) to a `ReadModel`.
Projections live outside this package, and are found by the entry point group
`nomoledger.projections`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.events import EntityDestroyed, Entry, RuleAmended, RuleEnacted, may_see
from nomoledger.game.plugins import load_plugin, plugins
from nomoledger.ledger.as_of import Reading, as_known, worlds_at_closes
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup import Balances
from nomoledger.ledger.rollup_queries import posted_balances
from nomoledger.state.world import World

if TYPE_CHECKING:
    from nomoledger.sandbox.sandbox import Sandbox

GROUP = "nomoledger.projections"


class Table(msgspec.Struct, frozen=True):
    """Rows of text for people.

    Attributes:
        columns: the headings.
        rows: the cells of each row.
        grid: whether the cells lie beside each other as on a board, without headings.
        narrow: the table to show where a grid is too wide.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    grid: bool = False
    narrow: "Table | None" = None


class ReadModel(Protocol):
    """The result of a projection: a struct, for JSON, that can also show itself to people."""

    def show(self) -> Iterable[Table | str]:
        """Return tables and paragraphs in reading order."""


@runtime_checkable
class Sheet(Protocol):
    """A read model that is also a table of figures for a spreadsheet."""

    def sheet(self) -> Table:
        """Return one table with bare values in the cells."""


@runtime_checkable
class Drawing(Protocol):
    """A read model that can be drawn."""

    def drawn(self, kind: str) -> bytes:
        """Return the picture as a file of *kind*: svg or png."""


class View(Protocol):
    """A game at the close of a period (or now), as *reader* may see it.

    Attributes:
        game: name of the game.
        period: the period.
        world: the state, as known in the world `reading.later`.
        reading: the state as published and as known later.
        known: the period at whose close the state is known; None for as known now.
        reader: None for the public, a player's name, or "admin", who sees all.
    """

    game: str
    period: int
    world: World
    reading: Reading
    known: int | None
    reader: str | None

    @property
    def sees_all(self) -> bool:
        """Whether the reader may see every event of the game, also those after that moment."""

    def entries(self) -> Iterator[Entry]:
        """Return the events up to that moment that the reader may see."""

    def standing(self) -> Iterator[Reading]:
        """Return the state at the close of each period, and at that moment.

        The items share one world: finish with each item before advancing.
        """

    def posted(self) -> Balances:
        """Return the sums of all postings up to that period, as known then.

        They equal the balances of `world`, except where a ruling was settled without postings.
        """

    def values(self, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
        """Return the values of *operation* by the rules, for the arguments of each of the *calls*.

        None if no rule in force defines the operation, or if it depends on chance or on a person.
        """


Projection = Callable[..., ReadModel]


def projections() -> dict[str, Projection]:
    """Return all installed projections by name."""
    return {name: load_plugin(target) for name, target in plugins(GROUP).items()}


def projection(name: str) -> Projection:
    """Return the projection called *name*.

    Raises:
        UnknownError: no such projection is installed.
    """
    target = plugins(GROUP).get(name)
    if target is not None:
        installed: Projection = load_plugin(target)
        return installed
    raise UnknownError(f"no projection {name!r} is installed: install nomoledger anew")


#: Returns the values of an operation by the rules of a world, for each of some calls.
AskRules = Callable[[World, str, Sequence[tuple[Any, ...]]], list[Any] | None]


class WorldView:
    """A `View` of any world, also one that is not recorded. It has no events."""

    known = None
    sees_all = True

    def __init__(
        self, world: World, reader: str | None = "admin", ask: AskRules | None = None
    ) -> None:
        """View *world* as *reader*; *ask* asks the rules, by default in a sandbox."""
        self._ask = ask or ask_rules
        self.game = str(world.game.get("game", ""))
        self.period = world.period
        self.world = world
        self.reading = Reading(world.period, False, world, world)
        self.reader = reader

    def entries(self) -> Iterator[Entry]:
        """Return no events, because nothing is recorded."""
        return iter(())

    def standing(self) -> Iterator[Reading]:
        """Yield the one state."""
        yield self.reading

    def posted(self) -> Balances:
        """Return the balances of the world."""
        return self.world.balances

    def values(self, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
        """Return the values of *operation* by the rules of the world."""
        return self._ask(self.world, operation, calls)


class LedgerView:
    """A `View` of a game in a ledger.

    Raises:
        UnknownError: there is no such game, period or player.
        UsageError: the period was not over at the close of period *known*.
    """

    def __init__(
        self,
        ledger: Ledger,
        game: str,
        period: int | None = None,
        reader: str | None = None,
        known: int | None = None,
    ) -> None:
        """View *game* at the close of *period*, as known at the close of *known*."""
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
        """Return the events up to that moment that the reader may see.

        The admin sees the numbers of the ledger, and e-mail addresses; all others see public
        numbers, and stand-ins for addresses.
        """
        # Imported late, as below: most read models need no events.
        from nomoledger.proof.addresses import without_addresses
        from nomoledger.proof.public_stream import public_events

        entries = self.ledger.read(self.game, upto=self.world.head)
        if self.reader == "admin":
            return entries
        return without_addresses(public_events(entries, self.reader))

    @property
    def may_be_renumbered(self) -> bool:
        """Whether the reader's numbers may differ from those of the ledger.

        They may if a public rule has secret actions. Whether they do is a secret.
        """
        if self.reader == "admin":
            return False
        bodies = (entry.body for entry in self.ledger.read(self.game, upto=self.world.head))
        rules = (body for body in bodies if isinstance(body, RuleEnacted | RuleAmended))
        return any(body.rule.secret for body in rules if body.audience is None)

    @property
    def sees_all(self) -> bool:
        """Whether the reader may see every event of the game."""
        return all(self.sees(entry.body.audience) for entry in self.ledger.read(self.game))

    def visible_world(self) -> World:
        """Return the state that the reader may know: what the events make that the reader sees.

        If the reader may see every event, it has the addresses of players, too: code that a player
        wrote must not be tried on it.
        """
        from nomoledger.proof.public_stream import apply_public

        if self.sees_all:
            return self.world
        world = World()
        for entry in self.entries():
            apply_public(world, entry.body)
        return world

    def standing(self) -> Iterator[Reading]:
        """Yield the state at the close of each period, and at that moment."""
        later = self.reading.later
        for period, world in worlds_at_closes(self.ledger, self.game, self.world.head):
            if period is not None:
                yield Reading(period, True, world, later)
            elif not self.reading.is_closed:
                yield Reading(world.period, False, world, later)

    def posted(self) -> Balances:
        """Return the sums of all postings up to that period, as known then."""
        period = self.period if self.reading.is_closed else None
        return posted_balances(self.ledger, self.game, period, self.known)

    def sees(self, audience: tuple[str, ...] | None) -> bool:
        """Return whether the reader is in *audience* (None is everybody)."""
        return may_see(self.reader, audience)

    def values(self, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
        """Return the values of *operation* by the rules, for each of the *calls*."""
        return ask_rules(self.world, operation, calls)


def ask_rules(
    world: World,
    operation: str,
    calls: Sequence[tuple[Any, ...]],
    sandbox: "Sandbox | None" = None,
) -> list[Any] | None:
    """Return the values of *operation* by the rules of *world*; None as in `View.values`.

    The rules are asked in *sandbox*, or in one of their own.
    """
    codes = (text for rule in world.rules for text in (rule.code, *rule.mechanics.values()))
    if not any(operation in code for code in codes):
        return None  # Most rulesets do not define what most read models ask.
    # Imported late: rule code takes 0.1 s to import, and most read models need none.
    from nomoledger.language.queries import values_of
    from nomoledger.sandbox.sandbox import call_in_sandbox

    call = call_in_sandbox if sandbox is None else sandbox.call
    return call(values_of, world, operation, list(calls), kind=list[Any] | None)


# --- shared by several read models ---------------------------------------------------------------


def events_with_worlds(view: View) -> Iterator[tuple[Entry, World]]:
    """Yield each event that the reader may see, with a world for labels.

    The world holds only what the reader may see. It is the state after the event, or before the
    event if that destroys an entity.
    """
    from nomoledger.proof.public_stream import apply_public

    world = World()
    for entry in view.entries():
        if isinstance(entry.body, EntityDestroyed):
            yield entry, world
        apply_public(world, entry.body)
        if not isinstance(entry.body, EntityDestroyed):
            yield entry, world
