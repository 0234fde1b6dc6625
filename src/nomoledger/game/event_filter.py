"""Choosing the events of a game by players, rules, kinds, squares and times."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.intake.nearest import meant
from nomoledger.state.world import World

#: The fields of events that name neither players nor squares.
_NO_NAMES = ("audience", "rules", "event", "rule", "changes", "text", "why")
#: The fields with an address of operations and their arguments, and what divides its parts.
_ADDRESSES = ("attempt", "question")
_PARTS = re.compile("[(),/|]")
#: At most so many names are listed where somebody asks for a name that there is not.
_LISTED_MAX = 12


class EventChoice(msgspec.Struct, frozen=True):
    """Which events are wanted; an empty choice is all of them.

    An event of any of several *players* is wanted, and likewise for the other fields. An event must
    be wanted in every respect.

    Attributes:
        players: names of players whom the event concerns.
        rules: numbers of rules, perhaps with a version (`X.1@2`), that the event is based on, or
            that it changes.
        kinds: kinds of events, such as `posted`.
        squares: numbers or names of squares that the event concerns.
        since: the earliest time at which the request behind the event was received.
        period: the period of the event.
    """

    players: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    squares: tuple[str, ...] = ()
    since: datetime | None = None
    period: int | None = None


class EventFilter:
    """Takes the events of a game in their order, and tells which of them are wanted."""

    def __init__(self, choice: EventChoice, known: "NamesOfEvents") -> None:
        """Filter by *choice*.

        Raises:
            UnknownError: *choice* names a player, rule, kind or square that the game never had.
        """
        self._choice = choice
        self._players = {word for name in choice.players for word in known.player(name)}
        self._squares = {known.square(name) for name in choice.squares}
        self._rules = {known.rule(name) for name in choice.rules}
        self._kinds = {known.kind(name) for name in choice.kinds}
        #: The ids of requests that concern the players, or the squares.
        self._requests: tuple[set[str], set[str]] = set(), set()

    def wants(self, body: e.Event, world: World) -> bool:
        """Return whether the next event, *body*, is wanted; *world* has the things that it names.

        Call it for every event: what follows from the request of a player concerns the player.
        """
        choice = self._choice
        words = _words_of(body, world) if self._players or self._squares else set[str]()
        concerned = [
            self._concerns(body, names, words, world, requests)
            for names, requests in zip((self._players, self._squares), self._requests, strict=True)
        ]
        return (
            all(concerned)
            and (not self._kinds or kind_of(body) in self._kinds)
            and (not self._rules or not self._rules.isdisjoint(_rules_of(body)))
            and (choice.since is None or body.received_at >= choice.since)
            and choice.period in (None, body.period)
        )

    def _concerns(
        self, body: e.Event, names: set[str], words: set[str], world: World, requests: set[str]
    ) -> bool:
        """Return whether *body* concerns one of *names*; remember its request if so."""
        if not names:
            return True
        attempt = getattr(body, "attempt", "").partition(">")[0]
        is_own = isinstance(body, e.AttemptRefused | e.StepFailed) and attempt in requests
        found = is_own or not names.isdisjoint(words)
        found = found or any(not names.isdisjoint(_words_about(world, word)) for word in words)
        if found and isinstance(body, e.Input):
            requests.add(body.id)
        return found


def kind_of(body: e.Event) -> str:
    """Return the kind of *body*: its tag without a version.

    >>> kind_of(e.PeriodClosed(period=1, received_at=None, recorded_at=None, digest=""))
    'period-closed'
    """
    return str(body.__struct_config__.tag).partition("/")[0]


def _words_of(body: e.Event, world: World) -> set[str]:
    """Return the texts in *body*, and the ids of squares that it names by number."""
    fields = msgspec.to_builtins(body, enc_hook=str)
    kept = [value for name, value in fields.items() if name not in _NO_NAMES]
    addresses = (fields.get(name) or "" for name in _ADDRESSES)
    named = (part for text in addresses for part in _PARTS.split(text.rpartition(">")[2]))
    return {*_words(kept, world), *named}


def _words(value: Any, world: World) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _words(item, world)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield str(name)
            yield from _words(item, world)
            if "square" in str(name):
                yield from _squares(item, world)


def _squares(value: Any, world: World) -> Iterator[str]:
    """Yield the squares that *value* names by number, as people write it in a request."""
    for item in value if isinstance(value, list | tuple) else (value,):
        number = int(item) if isinstance(item, str) and item.isdecimal() else item
        square = world.find("square", number) if isinstance(number, int | str) else None
        if square is not None:
            yield square


def _words_about(world: World, thing: str) -> Iterator[str]:
    """Yield the texts in the attributes of *thing*, unless it is a player, who is somewhere."""
    if world.entities.get(thing) not in (None, "player"):
        yield from _words(list(world.attributes.get(thing, {}).values()), world)


def _rules_of(body: e.Event) -> Iterator[str]:
    """Yield the numbers of the rules of *body*, alone and with their versions."""
    named = list(body.rules)
    if isinstance(body, e.RuleEnacted | e.RuleAmended):
        named.append(body.rule.name)
    elif isinstance(body, e.RuleRepealed | e.RuleRenumbered):
        named += [body.number, getattr(body, "to", body.number)]
    elif isinstance(body, e.RulingMade):
        named += body.cites
    for name in named:
        yield from (name, name.partition("@")[0])


class NamesOfEvents:
    """The names that events of a game have: players, squares, rules and kinds of events."""

    def __init__(self, game: str, world: World, entries: Iterable[e.Entry]) -> None:
        """Learn the names of *game* from its *entries*; *world* is the state after them."""
        self._game = game
        self._world = world
        self._things: dict[str, dict[str, str]] = {"player": {}, "square": {}}
        self._rules: dict[str, None] = {}
        self._kinds: dict[str, None] = {}
        for entry in entries:
            self.learn(entry.body)

    def learn(self, body: e.Event) -> None:
        """Learn the names that the next event brings."""
        self._kinds[kind_of(body)] = None
        if isinstance(body, e.EntityCreated) and body.kind in self._things:
            called = body.attributes.get(self._world.key_of(body.kind), body.entity)
            names = {str(called), body.entity, str(body.attributes.get("name") or called)}
            self._things[body.kind] |= dict.fromkeys(names, body.entity)
        elif isinstance(body, e.AttributeSet) and isinstance(body.value, str):
            for kind, things in self._things.items():
                is_name = body.attribute in ("name", self._world.key_of(kind))
                if is_name and body.entity in things.values():
                    things[body.value] = body.entity
        elif isinstance(body, e.RuleEnacted | e.RuleAmended):
            self._rules |= dict.fromkeys((body.rule.number, body.rule.name))
        elif isinstance(body, e.RuleRenumbered):
            self._rules[body.to] = None

    def player(self, name: str) -> set[str]:
        """Return the id and all names of the player called *name*, who may have left."""
        id = self._thing("player", name)
        return {id, *(called for called, other in self._things["player"].items() if other == id)}

    def square(self, name: str) -> str:
        """Return the square with the number or the name *name*."""
        return self._thing("square", name)

    def rule(self, name: str) -> str:
        """Return *name*, the number of a rule, perhaps with a version."""
        return self._one_of("rule", name, tuple(self._rules))

    def kind(self, name: str) -> str:
        """Return *name*, the kind of an event; spaces and underscores stand for hyphens."""
        written = name.replace(" ", "-").replace("_", "-")
        return self._one_of("kind of event", written, tuple(sorted(self._kinds)))

    def _thing(self, kind: str, name: str) -> str:
        names = self._things[kind]
        return names[self._one_of(kind, name, tuple(names))]

    def _one_of(self, what: str, name: str, known: Sequence[str]) -> str:
        if name in known:
            return name
        hint = meant(name, known)
        listed = [word for word in known if ":" not in word]
        if not hint and listed:
            more = f" and {len(listed) - _LISTED_MAX} more" if len(listed) > _LISTED_MAX else ""
            hint = f"; there is: {', '.join(listed[:_LISTED_MAX])}{more}"
        raise UnknownError(f"{self._game}: there was never a {what} {name!r:.80}{hint}")
