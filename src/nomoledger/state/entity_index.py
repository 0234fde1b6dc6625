"""The index of entities by the values of their attributes, which follows every change."""

from bisect import bisect
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

Number = int | Decimal


class ByValue(dict[Any, list[str]]):
    """For one kind and attribute: the entities that have each value, in order of creation.

    Attributes:
        free_from: a number below which an entity has every number from 1 on.
        highest: the highest number that an entity has, at least 0; None before it is searched.
    """

    free_from: int = 1
    highest: Number | None = None
    _spellings: dict[str, dict[str, None]] | None = None

    def spellings(self) -> dict[str, dict[str, None]]:
        """Return the texts that entities have, by the same text in small letters."""
        if self._spellings is None:
            self._spellings = {}
            for value in self:
                if isinstance(value, str):
                    self._spellings.setdefault(value.lower(), {})[value] = None
        return self._spellings

    def added(self, value: Any) -> None:
        """Follow that an entity has *value*."""
        if self._spellings is not None and isinstance(value, str):
            self._spellings.setdefault(value.lower(), {})[value] = None
        if self.highest is not None and isinstance(value, Number) and value > self.highest:
            self.highest = value

    def gone(self, value: Any) -> None:
        """Follow that no entity has *value* any more."""
        if self._spellings is not None and isinstance(value, str):
            self._spellings[value.lower()].pop(value, None)
        if isinstance(value, Number):
            if value < self.free_from:
                self.free_from = 1
            if value == self.highest:
                self.highest = None


class Place(NamedTuple):
    """The *place* of an entity in the order of creation, according to *places*."""

    places: dict[str, int]
    place: int


class Entities(Protocol):
    """What is indexed: the entities of each kind, and their attributes (see `World`)."""

    kinds: dict[str, tuple[str, ...]]

    def get(self, entity: str, attribute: str) -> Any:
        """Return an *attribute* of *entity*."""


class EntityIndex:
    """The entities of each kind by attribute and value.

    A kind and attribute is indexed when it is asked for the first time. From then on, `add`,
    `remove` and `move` follow the changes, so that a lookup does not read every entity again.
    """

    def __init__(self, world: Entities) -> None:
        """Begin with nothing indexed of *world*."""
        self._world = world
        self._indexed: dict[str, dict[str, ByValue]] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._next_places: dict[str, int] = {}

    def find_all(self, kind: str, attribute: str, value: Any) -> Sequence[str]:
        """Return the entities of *kind* whose *attribute* is *value*, in order of creation.

        The result may change with the next change to the world.
        """
        return self._by_value(kind, attribute).get(_key(value), ())

    def lowest_free(self, kind: str, attribute: str) -> int:
        """Return the lowest number from 1 on that *attribute* of no entity of *kind* is."""
        by_value = self._by_value(kind, attribute)
        while by_value.free_from in by_value:
            by_value.free_from += 1
        return by_value.free_from

    def highest(self, kind: str, attribute: str) -> Number:
        """Return the highest number that *attribute* of an entity of *kind* is, at least 0."""
        by_value = self._by_value(kind, attribute)
        if by_value.highest is None:
            numbers = (value for value in by_value if isinstance(value, Number))
            by_value.highest = max(numbers, default=0)
        highest = max(by_value.highest, 0)
        return int(highest) if highest == int(highest) else highest

    def add(self, kind: str, entity: str) -> None:
        """Add *entity*, which is new."""
        if kind in self._indexed:
            self._places[kind][entity] = self._next_places[kind]
            self._next_places[kind] += 1
            self._insert_all(kind, entity)

    def restore(self, kind: str, entity: str, was: Place | None) -> None:
        """Add *entity* again, after `remove` returned its place."""
        if kind not in self._indexed:
            return
        if was is None or was.places is not self._places[kind]:
            self.forget(kind)
            return
        was.places[entity] = was.place
        self._insert_all(kind, entity)

    def remove(self, kind: str, entity: str) -> Place | None:
        """Remove *entity*, which still has its attributes; return its place for `restore`."""
        if kind not in self._indexed:
            return None
        for attribute in tuple(self._indexed[kind]):
            self._take_out(kind, entity, attribute, self._world.get(entity, attribute))
        places = self._places[kind]
        return Place(places, places[entity]) if entity in places else None

    def move(self, kind: str, entity: str, attribute: str, old: Any, new: Any) -> None:
        """Follow the change of *attribute* of *entity* from *old* to *new*."""
        indexed = self._indexed.get(kind)
        if indexed is not None and attribute in indexed:
            self._take_out(kind, entity, attribute, old)
            self._insert(kind, entity, attribute, new)

    def forget(self, kind: str | None = None) -> None:
        """Forget what is indexed of *kind*, or of every kind."""
        if kind is None:
            self._indexed.clear()
        else:
            self._indexed.pop(kind, None)

    def alike(self, kind: str, attribute: str, lower: str) -> list[str]:
        """Return the entities of *kind* whose *attribute* is *lower* in any letters, in order."""
        by_value = self._by_value(kind, attribute)
        places = self._places[kind]
        values = by_value.spellings().get(lower, ())
        found = [entity for value in values for entity in by_value[value]]
        return sorted(found, key=places.__getitem__)

    def _insert_all(self, kind: str, entity: str) -> None:
        for attribute in tuple(self._indexed[kind]):
            self._insert(kind, entity, attribute, self._world.get(entity, attribute))

    def _by_value(self, kind: str, attribute: str) -> ByValue:
        by_value = self._indexed.get(kind, {}).get(attribute)
        return self._build(kind, attribute) if by_value is None else by_value

    def _build(self, kind: str, attribute: str) -> ByValue:
        by_value = ByValue()
        entities = self._world.kinds.get(kind, ())
        for entity in entities:
            by_value.setdefault(_key(self._world.get(entity, attribute)), []).append(entity)
        if kind not in self._indexed:
            self._indexed[kind] = {}
            self._places[kind] = {entity: place for place, entity in enumerate(entities)}
            self._next_places[kind] = len(entities)
        self._indexed[kind][attribute] = by_value
        return by_value

    def _insert(self, kind: str, entity: str, attribute: str, value: Any) -> None:
        by_value = self._indexed.get(kind, {}).get(attribute)
        if by_value is None:
            return
        places = self._places[kind]
        try:
            entities = by_value.setdefault(_key(value), [])
            if entities and places[entities[-1]] > places[entity]:
                entities.insert(bisect(entities, places[entity], key=places.__getitem__), entity)
            else:
                entities.append(entity)
            by_value.added(value)
        except (KeyError, TypeError):  # The value cannot be looked up, or the entity is unknown.
            self._indexed[kind].pop(attribute)

    def _take_out(self, kind: str, entity: str, attribute: str, value: Any) -> None:
        by_value = self._indexed.get(kind, {}).get(attribute)
        if by_value is None:
            return
        try:
            entities = by_value[_key(value)]
            places = self._places[kind]
            place = bisect(entities, places[entity], key=lambda each: places[each]) - 1
            if place < 0 or entities[place] != entity:
                raise KeyError(entity)
            del entities[place]
            if not entities:
                del by_value[_key(value)]
                by_value.gone(value)
        except (KeyError, TypeError):
            self._indexed[kind].pop(attribute)


def _key(value: Any) -> Any:
    """Return *value* as something that can be looked up: rules store lists, also within lists."""
    if isinstance(value, list | tuple):
        return tuple(map(_key, value))
    return value
