"""The log of a game in words: each input with its consequences."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from nomoledger import events as e
from nomoledger.events.texts import texts_in
from nomoledger.prose.descriptions import UNTOLD
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World
from nomoledger.views.site.rule_pages import Link, RulePages
from nomoledger.views.site.site_paths import Ref

#: The engine's own bookkeeping, shown in small print.
QUIET = (
    e.AttemptDone, e.ClockAdvanced, e.Counted, e.FactConfirmed, e.Scheduled, e.Settled,
    e.TimerFired, e.Unscheduled,
)  # fmt: skip


class EventLine(msgspec.Struct, frozen=True):
    """One event. *about* are the players it concerns. *quiet* marks bookkeeping."""

    ref: Ref
    text: str
    cause: Ref | None
    rules: tuple[Link, ...]
    about: frozenset[str]
    quiet: bool = False
    refused: bool = False


class EventGroup(msgspec.Struct):
    """An input (*head*) and its consequences, up to the next input."""

    at: datetime
    head: EventLine | None
    lines: list[EventLine] = []

    def all(self) -> Iterator[EventLine]:
        """Yield the head and its consequences."""
        if self.head is not None:
            yield self.head
        yield from self.lines

    def shown(self) -> list[EventLine]:
        """Return the consequences without bookkeeping."""
        return [line for line in self.lines if not line.quiet]


class EventLog:
    """The log, as groups of events by period."""

    def __init__(self, ruleset: RulePages, teller: Teller) -> None:
        self.ruleset = ruleset
        self.teller = teller
        self.groups: dict[int, list[EventGroup]] = {}
        self._inputs: dict[int, e.Input] = {}

    def note(self, entry: e.Entry) -> None:
        """Remember an event, whether it is told or not, if a later one may have to do with it."""
        if isinstance(entry.body, e.Input):
            self._inputs[entry.number] = entry.body

    def forget_before(self, period: int) -> None:
        """Forget what was told of the periods before *period*."""
        self.groups = {known: groups for known, groups in self.groups.items() if known >= period}

    def append(
        self, entry: e.Entry, world: World, refs: dict[int, Ref], stands_apart: bool
    ) -> None:
        """Append an event. *world* must hold the things that the event names."""
        if isinstance(entry.body, UNTOLD):
            return
        line = self.line(entry, world, refs)
        groups = self.groups.setdefault(entry.body.period, [])
        if isinstance(entry.body, e.Input):
            groups.append(EventGroup(entry.body.received_at, line, []))
        elif not groups or stands_apart:
            groups.append(EventGroup(entry.body.received_at, None, [line]))
        else:
            groups[-1].lines.append(line)

    def line(self, entry: e.Entry, world: World, refs: dict[int, Ref]) -> EventLine:
        """Return the line of an event. *world* must hold the things that the event names."""
        body = entry.body
        about = _players_in(body, world)
        if isinstance(body, e.AttemptRefused) and body.cause in self._inputs:
            about = about | _players_in(self._inputs[body.cause], world)
        return EventLine(
            ref=refs[entry.number],
            text=self.teller.tell(body),
            cause=None if body.cause is None else refs.get(body.cause),
            rules=self.ruleset.cited(body.rules),
            about=about,
            quiet=isinstance(body, QUIET) or not self.teller.mentions(body),
            refused=isinstance(body, e.AttemptRefused),
        )


def _players_in(body: e.Event, world: World) -> frozenset[str]:
    """Return the players that *body* names in any of its fields."""
    if isinstance(body, QUIET):
        return frozenset()
    if isinstance(body, e.DisputeArgued):  # Its evidence names all players.
        body = msgspec.structs.replace(body, evidence={})
    players: set[str] = set()
    for text in set(texts_in(msgspec.to_builtins(body))):
        if world.entities.get(text) == "player":
            players.add(text)
        players.update(world.where("player", world.key_of("player"), text))
    return frozenset(players)
