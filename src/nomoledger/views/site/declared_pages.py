"""The pages that rules declare: accounts, values and tables of things."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from nomoledger.events.rules import HOLDINGS, PageContent, PageTable
from nomoledger.prose.labels import label_all
from nomoledger.state.world import World
from nomoledger.views.site.figures import Figure, Figures
from nomoledger.views.site.site_paths import Slugs
from nomoledger.views.site.values_by_rules import ValuesByRules


class TableOnPage(msgspec.Struct, frozen=True):
    """A table of things of a *kind*: what each is called, and a cell per column."""

    title: str
    kind: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Figure | None, ...]], ...]


class DeclaredPage(msgspec.Struct, frozen=True):
    """A page that rules declare. *name* is its path in the folder of the period, without ending."""

    name: str
    title: str
    held: tuple[tuple[str, Figure], ...] | None
    values: tuple[tuple[str, Figure], ...]
    tables: tuple[TableOnPage, ...]


def declared_pages(
    figures: Figures, pages: Mapping[str, PageContent], values: ValuesByRules, slugs: Slugs
) -> list[DeclaredPage]:
    """Return what is on the declared *pages*, which are given by title."""
    return [
        DeclaredPage(
            name=page_path(slugs, title),
            title=title,
            held=None if page.account is None else tuple(_held(figures, page.account)),
            values=tuple(_values(figures, values, page)),
            tables=tuple(_table(figures, values, *item) for item in page.tables.items()),
        )
        for title, page in pages.items()
    ]


def page_path(slugs: Slugs, title: str) -> str:
    """Return the path of a declared page in the folder of its period, without ending."""
    return f"pages/{slugs.of(title, title)}"


def pages_in(world: World) -> dict[str, PageContent]:
    """Return the declared pages by title. What several rules declare is one page."""
    pages: dict[str, PageContent] = {}
    for rule in world.rules:
        for title, page in rule.pages.items():
            known = pages.get(title, PageContent())
            pages[title] = PageContent(
                account=known.account if page.account is None else page.account,
                values=known.values | page.values,
                tables=known.tables | page.tables,
            )
    return pages


def _held(figures: Figures, account: str) -> Iterator[tuple[str, Figure]]:
    """Yield what *account* holds, by commodity."""
    world = figures.world
    for commodity in world.commodities():
        if world.balance(account, commodity):
            yield commodity, figures.holding(account, commodity)


def _values(
    figures: Figures, values: ValuesByRules, page: PageContent
) -> Iterator[tuple[str, Figure]]:
    for title, name in page.values.items():
        value = values.of(name)
        if value is not None:
            yield title, figures.value(name, value)


def _table(figures: Figures, values: ValuesByRules, title: str, table: PageTable) -> TableOnPage:
    world = figures.world
    things = [
        thing
        for thing in world.kinds.get(table.kind, ())
        if all(_is(world, values.of(name, thing), value) for name, value in table.where.items())
    ]
    key = world.key_of(table.kind)
    rows = tuple(
        (
            figures.described(thing) if world.get(thing, key) is None else str(world.label(thing)),
            tuple(_cell(figures, values, thing, name) for name in table.columns.values()),
        )
        for thing in sorted(things, key=lambda thing: _order(world.get(thing, key)))
    )
    return TableOnPage(title, table.kind, tuple(table.columns), rows)


def _order(key: Any) -> tuple[bool, int]:
    """Return the place of a thing with this *key*: by number, others in the order of making."""
    return (False, key) if type(key) is int else (True, 0)


def _is(world: World, value: Any, wanted: Any) -> bool:
    return bool(value == wanted or label_all(world, value) == wanted)


def _cell(figures: Figures, values: ValuesByRules, thing: str, name: str) -> Figure | None:
    world = figures.world
    if name in world.declared(world.entities[thing]):
        return figures.attribute(thing, name)
    if name in world.commodities():
        return figures.holding(thing, name)
    if name == HOLDINGS:
        held = [f"{figure.text} {title}" for title, figure in _held(figures, thing)]
        return Figure(", ".join(held))
    value = values.of(name, thing)
    return None if value is None else figures.value(name, value)
