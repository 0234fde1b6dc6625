"""What a hand-kept record does not know: attributes and holdings that are unknown from a fact on.

What is unknown still has a value, with which play goes on, but no fact is compared that depends on
it. A `Watch` finds out which facts do.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from nomoledger.events.consequences import (
    AttributeSet,
    EntityCreated,
    Moved,
    Posted,
    QuestionRaised,
    Scheduled,
)
from nomoledger.events.event import Event
from nomoledger.state.world import ReadingWatch, World

#: The key in `World.game` of what is unknown: the entity or account, the attribute or commodity,
#: and the number of the fact since which it is.
UNKNOWN = "unknown"
#: The key in `World.game` of the last attempt that depended on something unknown.
IN_DOUBT = "in_doubt"
#: Instead of an attribute: whether there is such a thing, or such an attempt, at all.
EXISTENCE = "*"

Key = tuple[str, str]


def unknowns(world: World) -> dict[Key, int]:
    """Return what is unknown, each with the number of the fact since which it is."""
    return {(subject, name): since for subject, name, since, _ in world.game.get(UNKNOWN, ())}


def unknown_since(world: World, subject: str, name: str) -> int | None:
    """Return the number of the fact since which *name* of *subject* is unknown, or None."""
    return unknowns(world).get((subject, name))


def doubt_about_last_attempt(world: World) -> int | None:
    """Return since which fact the last attempt is in doubt; None if it is not."""
    attempt, since = world.game.get(IN_DOUBT, (None, None))
    is_last = since is not None and attempt == world.game.get("last_attempt")
    return since if is_last else None


def make_unknown(world: World, keys: Sequence[Key], since: int, *, is_stated: bool) -> None:
    """Note that *keys* are unknown since the fact *since*, unless they have been so before.

    *is_stated* says whether that fact says so itself, rather than that an attempt is in doubt.
    """
    known = unknowns(world)
    added = ((*key, since, is_stated) for key in dict.fromkeys(keys) if key not in known)
    world.put(world.game, UNKNOWN, (*world.game.get(UNKNOWN, ()), *added))


def make_known(world: World, keys: Sequence[Key]) -> None:
    """Note that *keys* are known.

    If an attempt read something unknown, what it changed is unknown, too. Attributes that it set
    are known again once everything is known that the fact behind the doubt called unknown. What the
    attempt created and paid stays unknown.
    """
    items = [item for item in world.game.get(UNKNOWN, ()) if tuple(item[:2]) not in {*keys}]
    open_facts = {since for _, _, since, is_stated in items if is_stated}
    doubtful = {subject for subject, name, _, _ in items if name == EXISTENCE}
    kept = {*world.commodities()}
    left = [
        item for item in items if item[2] in open_facts or item[0] in doubtful or item[1] in kept
    ]
    if left:
        world.put(world.game, UNKNOWN, tuple(left))
    else:
        world.drop(world.game, UNKNOWN)


def changed_by(events: Sequence[Event]) -> Iterator[Key]:
    """Yield what *events* have changed."""
    for event in events:
        match event:
            case AttributeSet():
                yield event.entity, event.attribute
            case Moved():
                yield event.piece, "square"
            case EntityCreated():
                yield event.entity, EXISTENCE
            case Posted():
                yield from ((each.account, each.commodity) for each in event.postings)
            case Scheduled():
                yield event.attempt, EXISTENCE
            case QuestionRaised():
                yield event.question.rpartition("|")[0], EXISTENCE


class Watch:
    """Notes which of the unknown things rules read.

    Attributes:
        since: the number of the earliest fact since which something that was read is unknown; None
            if everything that was read is known.
        head: the number of the last event before something unknown was read.
    """

    def __init__(self, world: World) -> None:
        """Watch what is unknown in *world*."""
        self._world = world
        self._unknown = unknowns(world)
        self.since: int | None = None
        self.head: int | None = None

    def read(self, subject: str, name: str) -> None:
        """Note that *name* of *subject* is read."""
        self.note(self._unknown.get((subject, name)))

    def search(self, kind: str, name: str) -> None:
        """Note that the things of *kind* are searched by *name*, or counted."""
        for (subject, unknown), since in self._unknown.items():
            if unknown == name and self._world.entities.get(subject) == kind:
                self.note(since)

    def note(self, since: int | None) -> None:
        """Note that something is read that is unknown since the fact *since*."""
        if since is not None:
            self.since = since if self.since is None else min(since, self.since)
            self.head = self._world.head if self.head is None else min(self._world.head, self.head)


class _WatchedAttributes(dict[str, Any]):
    """The attributes of one entity, which tell a watch when rules read them."""

    def __init__(self, attributes: dict[str, Any], watch: Watch, entity: str) -> None:
        super().__init__(attributes)
        self._watch, self._entity = watch, entity

    def get(self, name: str, default: Any = None) -> Any:
        self._watch.read(self._entity, name)
        return super().get(name, default)


def watching(world: World) -> AbstractContextManager[ReadingWatch]:
    """Watch what rules read of *world*; where somebody watches already, that goes on.

    Most games have nothing to watch: everything is known there.
    """
    if world.watch is not None or UNKNOWN not in world.game:
        return nullcontext(world.watch or Watch(world))
    return _watching(world, Watch(world))


@contextmanager
def _watching(world: World, watch: Watch) -> Iterator[Watch]:
    """Let *watch* know what rules read of *world*."""
    entities = {subject for subject, _ in unknowns(world)} & world.attributes.keys()
    for entity in entities:
        watched = _WatchedAttributes(world.attributes[entity], watch, entity)
        world.put(world.attributes, entity, watched)
    world.watch = watch
    try:
        yield watch
    finally:
        world.watch = None
        for entity in entities:
            if isinstance(table := world.attributes.get(entity), _WatchedAttributes):
                world.put(world.attributes, entity, dict(table))
