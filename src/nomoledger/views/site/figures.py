"""Single facts as they are shown: what is so, and the event that made it so."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from nomoledger.prose.labels import amount_held, describe_thing, format_cell, label_all
from nomoledger.views.site.names import Slugs
from nomoledger.views.site.public_view import PublicWorld
from nomoledger.views.site.statement_pages import Holding, StatementPage

#: What people call colours, of which the name alone can be shown as a swatch.
COLORS = frozenset(
    re.findall(
        r"\w+",
        """
        aqua azure beige black blue brown coral crimson cyan fuchsia gold gray green grey indigo
        ivory khaki lavender lime magenta maroon navy olive orange orchid pink plum purple red
        salmon sienna silver tan teal tomato turquoise violet white yellow
        """,
    )
)


class Figure(msgspec.Struct, frozen=True):
    """Something that is so, in words, and the *path* to why it is.

    *color* is a colour to show beside the words, *player* the slug of the player they speak of.
    """

    text: str
    path: str | None = None
    color: str | None = None
    player: str | None = None


class Person(msgspec.Struct, frozen=True):
    """A player on the site: *place* in the order of joining, which gives the colour."""

    name: str
    slug: str
    place: int
    entity: str


class Figures:
    """Looks things up in the public world, with why they are so.

    *statements* are the accounts by owner and commodity, in the period that is shown.
    """

    def __init__(self, public: PublicWorld, slugs: Slugs) -> None:
        self.public = public
        self.slugs = slugs
        self.places: dict[str, int] = {}
        self.statements: Mapping[Holding, StatementPage] = {}

    def turn_to(self, statements: Mapping[Holding, StatementPage]) -> None:
        """Show the period of these *statements*."""
        self.statements = statements

    @property
    def people(self) -> dict[str, Person]:
        """Who plays, by entity, in the order in which they joined."""
        return {each: self.person(each) for each in self.public.world.kinds.get("player", ())}

    def person(self, entity: str) -> Person:
        """The player that *entity* is."""
        name = str(self.public.world.label(entity))
        place = self.places.setdefault(entity, len(self.places))
        return Person(name, self.slugs.of(entity, name), place, entity)

    def attribute(self, entity: str, name: str) -> Figure | None:
        """What *name* of *entity* is; None where it was never set."""
        world = self.public.world
        value = world.get(entity, name)
        if value is None:
            return None
        why = self._why("set", entity, name)
        return Figure(
            format_cell(label_all(world, value)), why, _color(name, value), self._player(value)
        )

    def holding(self, account: str, commodity: str) -> Figure:
        """How much of *commodity* there is in *account*."""
        held = format_cell(amount_held(self.public.world, account, commodity))
        statement = self.statements.get((account, commodity))
        return Figure(held, None if statement is None else statement.path)

    def owned(self, player: str) -> tuple[Figure, ...]:
        """The squares that *player* owns, by what they are called."""
        world = self.public.world
        return tuple(
            Figure(str(world.label(each)), self._why("set", each, "owner"))
            for each in world.where("square", "owner", player)
        )

    def owned_count(self, player: str) -> Figure:
        """How many squares *player* owns."""
        return Figure(str(len(self.owned(player))), self._why("owns", player))

    def described(self, value: Any) -> str:
        """*value* in a sentence."""
        return str(describe_thing(self.public.world, value))

    def _why(self, *key: str) -> str | None:
        ref = self.public.setters.get(key)
        return None if ref is None else ref.why

    def _player(self, value: Any) -> str | None:
        is_player = isinstance(value, str) and self.public.world.entities.get(value) == "player"
        return self.person(value).slug if is_player else None


def _color(name: str, value: Any) -> str | None:
    is_color = name in ("color", "colour") and str(value).lower() in COLORS
    return str(value).lower() if is_color else None
