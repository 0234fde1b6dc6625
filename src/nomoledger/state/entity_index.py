"""The index of entities by the values of their attributes, which follows every change."""

from bisect import bisect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from nomoledger.state.world import World

#: For one kind and attribute: the entities that have each value, in order of creation.
ByValue = dict[Any, list[str]]


class Place(NamedTuple):
    """The *place* of an entity in the order of creation, according to *places*."""

    places: dict[str, int]
    place: int


class EntityIndex:
    """The entities of each kind by attribute and value.

    A kind and attribute is indexed when it is asked for the first time. From then on, `add`,
    `remove` and `move` follow the changes, so that a lookup does not read every entity again.
    """

    def __init__(self, world: "World") -> None:
        """Begin with nothing indexed of *world*."""
        self._world = world
        self._indexed: dict[str, dict[str, ByValue]] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._next_places: dict[str, int] = {}

    def find_all(self, kind: str, attribute: str, value: Any) -> Sequence[str]:
        """Return the entities of *kind* whose *attribute* is *value*, in order of creation.

        The result may change with the next change to the world.
        """
        indexed = self._indexed.get(kind)
        by_value = None if indexed is None else indexed.get(attribute)
        if by_value is None:
            by_value = self._build(kind, attribute)
        return by_value.get(_key(value), ())

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

    def _insert_all(self, kind: str, entity: str) -> None:
        for attribute in tuple(self._indexed[kind]):
            self._insert(kind, entity, attribute, self._world.get(entity, attribute))

    def _build(self, kind: str, attribute: str) -> ByValue:
        by_value: ByValue = {}
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
        except (KeyError, TypeError):  # The value cannot be looked up, or the entity is unknown.
            self._indexed[kind].pop(attribute)

    def _take_out(self, kind: str, entity: str, attribute: str, value: Any) -> None:
        by_value = self._indexed.get(kind, {}).get(attribute)
        if by_value is None:
            return
        try:
            entities = by_value[_key(value)]
            place = bisect(entities, self._places[kind][entity], key=self._places[kind].get) - 1
            if place < 0 or entities[place] != entity:
                raise KeyError(entity)
            del entities[place]
            if not entities:
                del by_value[_key(value)]
        except (KeyError, TypeError):
            self._indexed[kind].pop(attribute)


def _key(value: Any) -> Any:
    return value if not isinstance(value, list) else tuple(value)
