"""Single facts as they are shown: what is so, and the event that made it so."""

import re
from typing import Any

import msgspec

from nomoledger.projecting import called, described, holding, shown
from nomoledger.site.names import Ref, Slugs
from nomoledger.site.public import PublicWorld

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


class Fact(msgspec.Struct, frozen=True):
    """Something that is so, in words, and the event that last set it.

    *color* is a colour to show beside the words, *player* the slug of the player they speak of.
    """

    text: str
    ref: Ref | None = None
    color: str | None = None
    player: str | None = None


class Person(msgspec.Struct, frozen=True):
    """A player on the site: *place* in the order of joining, which gives the colour."""

    name: str
    slug: str
    place: int
    entity: str


class Facts:
    """Looks things up in the public world, with who set them."""

    def __init__(self, public: PublicWorld, slugs: Slugs) -> None:
        self.public = public
        self.slugs = slugs
        self.places: dict[str, int] = {}

    @property
    def people(self) -> dict[str, Person]:
        """Who plays, by entity, in the order in which they joined."""
        return {each: self.person(each) for each in self.public.world.kinds.get("player", ())}

    def person(self, entity: str) -> Person:
        """The player that *entity* is."""
        name = str(self.public.world.label(entity))
        place = self.places.setdefault(entity, len(self.places))
        return Person(name, self.slugs.of(entity, name), place, entity)

    def attribute(self, entity: str, name: str) -> Fact | None:
        """What *name* of *entity* is; None where it was never set."""
        world = self.public.world
        value = world.get(entity, name)
        if value is None:
            return None
        ref = self.public.setters.get(("set", entity, name))
        return Fact(shown(called(world, value)), ref, _color(name, value), self._player(value))

    def holding(self, account: str, commodity: str) -> Fact:
        """How much of *commodity* there is in *account*."""
        held = shown(holding(self.public.world, account, commodity))
        return Fact(held, self.public.setters.get(("has", account, commodity)))

    def owned(self, player: str) -> tuple[Fact, ...]:
        """The squares that *player* owns, by what they are called."""
        world = self.public.world
        return tuple(
            Fact(str(world.label(each)), self.public.setters.get(("set", each, "owner")))
            for each in world.where("square", "owner", player)
        )

    def owned_count(self, player: str) -> Fact:
        """How many squares *player* owns."""
        return Fact(str(len(self.owned(player))), self.public.setters.get(("owns", player)))

    def described(self, value: Any) -> str:
        """*value* in a sentence."""
        return str(described(self.public.world, value))

    def _player(self, value: Any) -> str | None:
        is_player = isinstance(value, str) and self.public.world.entities.get(value) == "player"
        return self.person(value).slug if is_player else None


def _color(name: str, value: Any) -> str | None:
    is_color = name in ("color", "colour") and str(value).lower() in COLORS
    return str(value).lower() if is_color else None
