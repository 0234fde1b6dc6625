"""The log in words: what was asked for, and under it what came of it."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.prose.descriptions import describe_event
from nomoledger.prose.labels import describe_thing
from nomoledger.state.world import World
from nomoledger.views.site.names import Ref
from nomoledger.views.site.rule_pages import Link, RulePages

#: The engine's own bookkeeping, told in small print.
QUIET = (
    e.AttemptDone, e.ClockAdvanced, e.Counted, e.FactConfirmed, e.Scheduled, e.Settled,
    e.TimerFired, e.Unscheduled,
)  # fmt: skip


class StoryLine(msgspec.Struct, frozen=True):
    """One event; *about* are the players it has to do with, *quiet* is mere bookkeeping."""

    ref: Ref
    text: str
    cause: Ref | None
    rules: tuple[Link, ...]
    about: frozenset[str]
    quiet: bool = False
    refused: bool = False


class StoryGroup(msgspec.Struct):
    """What came from outside (*head*), and what followed from it, up to the next such thing."""

    at: datetime
    head: StoryLine | None
    lines: list[StoryLine] = []

    def all(self) -> Iterator[StoryLine]:
        """The head and what followed."""
        if self.head is not None:
            yield self.head
        yield from self.lines

    def told(self) -> list[StoryLine]:
        """What followed and is more than bookkeeping."""
        return [line for line in self.lines if not line.quiet]


class Story:
    """The log of each period."""

    def __init__(self, ruleset: RulePages) -> None:
        self.ruleset = ruleset
        self.groups: dict[int, list[StoryGroup]] = {}
        self._by: dict[int, frozenset[str]] = {}
        self._to_come: dict[str, str] = {}

    def take(self, entry: e.Entry, world: World, refs: dict[int, Ref], stands_apart: bool) -> None:
        """Tell an event, in a *world* in which what it speaks of has its name."""
        line = self._line(entry, world, refs)
        groups = self.groups.setdefault(entry.body.period, [])
        if isinstance(entry.body, e.Input):
            groups.append(StoryGroup(entry.body.received_at, line, []))
        elif not groups or stands_apart:
            groups.append(StoryGroup(entry.body.received_at, None, [line]))
        else:
            groups[-1].lines.append(line)

    def _line(self, entry: e.Entry, world: World, refs: dict[int, Ref]) -> StoryLine:
        body = entry.body
        about = _players_in(body, world)
        if isinstance(body, e.Input):
            self._by[entry.number] = about
        elif isinstance(body, e.AttemptRefused) and body.cause is not None:
            about = about | self._by.get(body.cause, frozenset())
        return StoryLine(
            ref=refs[entry.number],
            text=self._text(body, world),
            cause=None if body.cause is None else refs.get(body.cause),
            rules=self.ruleset.cited(body.rules),
            about=about,
            quiet=isinstance(body, QUIET),
            refused=isinstance(body, e.AttemptRefused),
        )

    def _text(self, body: e.Event, world: World) -> str:
        """*body* in words; what is called off or falls due as it was told when it was set."""
        if isinstance(body, e.Unscheduled | e.TimerFired):
            what = self._to_come.get(body.attempt, "something")
            return f"{'due' if isinstance(body, e.TimerFired) else 'called off'}: {what}"
        text = describe_event(body, partial(describe_thing, world), world.commodities())
        if isinstance(body, e.Scheduled):
            self._to_come[body.attempt] = text.removeprefix("to come: ")
        return text


def _players_in(body: e.Event, world: World) -> frozenset[str]:
    """The players that *body* names in any of its fields."""
    if isinstance(body, QUIET):
        return frozenset()
    players = world.kinds.get("player", ())
    if isinstance(body, e.DisputeArgued):  # whose evidence names everybody
        body = msgspec.structs.replace(body, evidence={})
    named = set(_texts(msgspec.to_builtins(body)))
    return frozenset(each for each in players if each in named or world.label(each) in named)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
