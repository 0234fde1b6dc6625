"""The values that the rules compute for the pages of one moment."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nomoledger.events.rules import HOLDINGS, PageContent
from nomoledger.language.queries import values_of_all
from nomoledger.prose.labels import amount_held
from nomoledger.sandbox.sandbox import Sandbox
from nomoledger.state.world import World

#: A value of the rules, and the thing that it is asked for, if any.
Asked = tuple[str, tuple[str, ...]]


class ValuesByRules:
    """Attributes of things, and values of the rules in *world*, all asked at once."""

    def __init__(self, world: World, pages: Iterable[PageContent], sandbox: Sandbox) -> None:
        """Ask for everything that *pages* and the rules in force show, in the *sandbox*."""
        self.world = world
        self._shown = {path: name for rule in world.rules for path, name in rule.shown.items()}
        self._known: dict[Asked, Any] = {}
        asked: dict[str, dict[tuple[str, ...], None]] = {}
        for name, things in (*self._on_pages(pages), *self._instead()):
            asked.setdefault(name, {}).update(dict.fromkeys(things))
        calls = [(name, list(things)) for name, things in asked.items()]
        kind = list[list[Any] | None]
        found = sandbox.call(values_of_all, world, calls, kind=kind) if calls else []
        for (name, things), values in zip(calls, found, strict=True):
            self._known |= {(name, thing): values[i] for i, thing in enumerate(things) if values}

    @property
    def instead_of_attributes(self) -> Mapping[tuple[str, str], Any]:
        """The values that are shown instead of attributes, by thing and attribute."""
        return {
            (thing, path.rpartition(".")[2]): self._known[name, (thing,)]
            for path, name in self._shown.items()
            for thing in self.world.kinds.get(path.partition(".")[0], ())
            if (name, (thing,)) in self._known
        }

    def of(self, name: str, *things: str) -> Any:
        """Return what is called *name*: an attribute or holding of a thing, or else a value."""
        for thing in things:
            if name in self.world.declared(self.world.entities[thing]):
                return self.world.get(thing, name)
            if name in self.world.commodities():
                return amount_held(self.world, thing, name)
        return self._known.get((name, things))

    def _on_pages(
        self, pages: Iterable[PageContent]
    ) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        for page in pages:
            for name in page.values.values():
                yield name, [()]
            for table in page.tables.values():
                known = {*self.world.declared(table.kind), *self.world.commodities(), HOLDINGS}
                for name in (*table.where, *table.columns.values()):
                    if name not in known:
                        yield name, [(thing,) for thing in self.world.kinds.get(table.kind, ())]

    def _instead(self) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        for path, name in self._shown.items():
            kind = path.partition(".")[0]
            yield name, [(thing,) for thing in self.world.kinds.get(kind, ())]
