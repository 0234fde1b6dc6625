"""What people call the things of a game, and values in words."""

import re
from collections import ChainMap
from collections.abc import Callable, MutableMapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.events.durations import SECONDS
from nomoledger.events.rules import Rule
from nomoledger.events.templates import Field, parts
from nomoledger.prose.time_format import format_duration, format_time
from nomoledger.state.world import World

#: An identifier that is not a name: it was made up from where the thing was created.
_MADE_UP = re.compile(r"\b[A-Za-z_]\w*:[0-9a-f]{10}\b")
#: A text such as the name of an operation, which rules write in place of words.
_WORD_OF_CODE = re.compile(r"[a-z]+(_[a-z]+)+")
#: In rules of before there was a type for times, a number this close to the time of the game, in
#: seconds, is taken for a time.
_NEAR = 366 * SECONDS["days"]
#: How deep labels may contain labels.
_NESTED_MAX = 4


#: The operation and the arguments of a timer.
Timer = tuple[str, tuple[Any, ...]]


class Thing(NamedTuple):
    """A thing of the game: its *kind* and *attributes*."""

    kind: str
    attributes: MutableMapping[str, Any]


class Names:
    """The names of the things in *world*, which may change meanwhile.

    Things that are gone keep the names that they had when `keep` or `learn` was called.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._gone: MutableMapping[str, Thing] = {}
        self._timers: MutableMapping[str, Timer] = {}
        self._earlier: dict[str, dict[str, Any]] = {}
        self._depth = 0

    # --- things

    def keep(self, entity: str) -> None:
        """Remember the thing with the id *entity* as it is now."""
        thing = self.thing(entity)
        if thing is not None:
            self._gone[entity] = Thing(thing.kind, dict(thing.attributes))

    def keep_all(self) -> None:
        """Remember all things and timers as they are now."""
        for entity in self.world.entities:
            self.keep(entity)
        for id, timer in self.world.timers.items():
            self._timers[id] = timer.attempt.operation, timer.attempt.arguments

    def keep_timer(self, timer: str) -> None:
        """Remember the timer with the id *timer*, if it runs."""
        if timer in self.world.timers:
            attempt = self.world.timers[timer].attempt
            self._timers[timer] = attempt.operation, attempt.arguments

    def follow(self, event: e.Event) -> None:
        """Remember what ends with *event*, which is about to be applied to the world."""
        if isinstance(event, e.EntityDestroyed):
            self.keep(event.entity)
        elif isinstance(event, e.Scheduled):
            self.learn([event])

    def ended(self) -> tuple[MutableMapping[str, Thing], MutableMapping[str, Timer]]:
        """Return the things and the timers that are remembered, by id."""
        return self._gone, self._timers

    def restore(
        self, things: MutableMapping[str, Thing], timers: MutableMapping[str, Timer]
    ) -> None:
        """Remember these *things* and *timers*, as `ended` returned them."""
        self._gone, self._timers = things, timers

    def learn(self, events: Sequence[e.Event]) -> None:
        """Learn of the things and timers of *events*, which may be gone."""
        for event in events:
            if isinstance(event, e.EntityCreated):
                self._gone[event.entity] = Thing(event.kind, dict(event.attributes))
            elif isinstance(event, e.AttributeSet) and event.entity in self._gone:
                self._gone[event.entity].attributes[event.attribute] = event.value
            elif isinstance(event, e.Scheduled):
                self._timers[event.attempt] = event.operation, event.arguments

    def thing(self, entity: Any) -> Thing | None:
        """Return the thing with the id *entity*, which may be gone; None if it is no thing."""
        if not isinstance(entity, str):
            return None
        kind = self.world.entities.get(entity)
        thing = self._gone.get(entity)
        if kind is not None:
            thing = Thing(kind, self.world.attributes.get(entity, {}))
        if thing is None or entity not in self._earlier:
            return thing
        return Thing(thing.kind, ChainMap(self._earlier[entity], thing.attributes))

    # --- names

    def label(self, value: Any, at: datetime | None = None) -> Any:
        """Return *value* as it reads in a list: players by name, squares by number.

        *at* is the moment from which a time is told.
        """
        thing = self.thing(value)
        if thing is not None and thing.kind in ("player", "square"):
            called = thing.attributes.get(self.world.key_of(thing.kind))
            return value if called is None else called
        if thing is not None or isinstance(value, list | tuple):
            return self.phrase(value, at)
        return self.phrase(value, at) if self.is_time("", value) else value

    def phrase(self, value: Any, at: datetime | None = None) -> str:
        """Return *value* as it reads in a sentence: squares by name, or as `square 4`."""
        thing = self.thing(value)
        if thing is not None:
            return self._call(value, thing, at)
        if isinstance(value, list | tuple):
            return ", ".join(self.phrase(item, at) for item in value) or "nothing"
        if value is None:
            return "nothing"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return format_time(value, at) if self.is_time("", value) else str(value)

    def value(self, kind: str, attribute: str, value: Any, at: datetime | None = None) -> str:
        """Return the *value* of an *attribute* of a thing of *kind*, by its declared type."""
        declared = self.world.declared(kind).get(attribute, "")
        if self.is_time(declared, value):
            return format_time(value, at)
        if declared == "Duration" and type(value) is int:
            return format_duration(value)
        if declared == "Text" and isinstance(value, str) and _WORD_OF_CODE.fullmatch(value):
            return plain(value)
        if declared == "Text key" and isinstance(value, str):
            return value  # a thing can be called by its own key
        return str(value) if type(value) is int else self.phrase(value, at)

    def cell(self, entity: str, attribute: str) -> str:
        """Return an attribute of *entity* for a table; nothing is an empty text."""
        return self.cell_of(
            self.world.entities.get(entity, entity), attribute, self.world.get(entity, attribute)
        )

    def cell_of(self, kind: str, attribute: str, value: Any) -> str:
        """Return a *value* of an *attribute* of *kind* for a table; nothing is an empty text."""
        if value is None:
            return ""
        if isinstance(value, list | tuple):
            return ", ".join(self.cell_of(kind, attribute, item) for item in value)
        thing = self.thing(value)
        if thing is not None and thing.kind in ("player", "square"):
            return str(self.label(value))
        return self.value(kind, attribute, value)

    def is_time(self, declared: str, value: Any) -> bool:
        """Return whether *value*, of the type *declared*, is a time."""
        if type(value) is not int:
            return False
        is_near = value > _NEAR and abs(value - self.world.game["now"]) < _NEAR
        return declared == "Time" or (declared in ("", "Number", "List") and is_near)

    def scheduled(self, attempt: str) -> str:
        """Return what a scheduled attempt is to do."""
        timer = self.world.timers.get(attempt)
        if timer is not None:
            operation, arguments = timer.attempt.operation, timer.attempt.arguments
        elif attempt in self._timers:
            operation, arguments = self._timers[attempt]
        else:
            return "something"
        given = ", ".join(map(self.phrase, arguments))
        return plain(operation.lstrip("@")) + (given and f" ({given})")

    def without_identifiers(self, text: str) -> str:
        """Return *text* with the identifiers of things replaced by what people call them."""
        return _MADE_UP.sub(lambda match: self._named(match[0]), text)

    def _named(self, entity: str) -> str:
        return self.phrase(entity) if self.thing(entity) else plain(entity.partition(":")[0])

    def _call(self, entity: str, thing: Thing, at: datetime | None) -> str:
        """Return what people call *thing*, whose id is *entity*."""
        kind, attributes = thing
        called = attributes.get(self.world.key_of(kind))
        if self._depth >= _NESTED_MAX:
            return plain(kind)
        self._depth += 1
        try:
            told = self.fill(kind, "label", kind, lambda name: attributes.get(name), at)
            if told:
                return told
            if kind == "square":
                return str(
                    attributes.get("name") or f"square {entity if called is None else called}"
                )
            if kind == "player":
                return str(entity if called is None else called)
            if called is not None:
                return f"{plain(kind)} {called}"
            if not _MADE_UP.fullmatch(entity):
                return entity
            return self.describe_new(thing, at)
        finally:
            self._depth -= 1

    def describe_new(self, thing: Thing, at: datetime | None = None, *, times: bool = False) -> str:
        """Describe *thing* by its attributes: `an option of Ann on square 4`.

        Numbers and lists are left out, and times too, unless *times*.
        """
        owner, place, rest = "", "", []
        for name, declared in self.world.declared(thing.kind).items():
            value = thing.attributes.get(name)
            other = self.thing(value)
            if value is None or declared in ("Duration", "List") or isinstance(value, list):
                continue
            words = self.value(thing.kind, name, value, at)
            if other is not None and other.kind == "player" and not owner:
                owner = f" of {words}"
            elif other is not None and other.kind != "player" and not place:
                place = f" on {words}"
            elif self.is_time(declared, value):
                rest += [f"{plain(name)} {words}"] if times else []
            elif declared not in ("Number", "Flag"):
                rest.append(f"{plain(name)} {words}")
        word = plain(thing.kind)
        article = "an" if word[:1] in "aeio" else "a"
        return f"{article} {word}{owner}{place}" + (f" ({', '.join(rest)})" if rest else "")

    # --- templates

    def template(self, subject: str, *keys: str) -> str | None:
        """Return the text of the rules for *subject* and the first of *keys* that has one."""
        told = self.world.told()
        found = (told[subject, key][1] for key in keys if (subject, key) in told)
        return next(found, None)

    def fill(
        self,
        subject: str,
        key: str,
        kind: str,
        values: Callable[[str], Any],
        at: datetime | None = None,
        texts: dict[str, str] | None = None,
    ) -> str | None:
        """Return the text of the rules for *subject* and *key*, with *values* in place of names.

        *texts* are values that are in words already. The result is None if there is no text, or
        no value for a name in it.
        """
        if (subject, key) not in self.world.told():
            return None
        rule, template = self.world.told()[subject, key]
        words = []
        try:
            pieces = parts(template)
        except ValueError:  # A rule of a proposal is not compared with the other rules.
            return None
        for piece in pieces:
            if isinstance(piece, str):
                words.append(piece)
                continue
            filled = (texts or {}).get(piece.name) or self._filled(piece, kind, values, rule, at)
            if filled is None:
                return None
            words.append(filled)
        return "".join(words)

    def _filled(
        self,
        field: Field,
        kind: str,
        values: Callable[[str], Any],
        rule: Rule,
        at: datetime | None,
    ) -> str | None:
        value = values(field.name)
        if field.added is None:
            value = rule.parameters.get(field.name) if value is None else value
            return None if value is None else self.value(kind, field.name, value, at)
        added = values(field.added)
        added = rule.parameters.get(field.added) if added is None else added
        if type(value) is not int or type(added) is not int:
            return None
        return format_time(value + added * SECONDS[field.unit or "seconds"], at)


def plain(word: str) -> str:
    """Return a name of the rules as words: `hit_points` as `hit points`."""
    return word.replace("_", " ")
