"""Figures on a page: a value as text, with a link to its explanation."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from nomoledger.prose.labels import amount_held, format_cell
from nomoledger.views.site.public_view import PublicWorld
from nomoledger.views.site.site_paths import Slugs
from nomoledger.views.site.statement_pages import Holding, StatementPage

#: The names of colours that a page can show as a swatch.
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
    """A value as *text*, with the *path* of its explanation.

    *color* is a colour to show next to the text, *player* the slug of the player in it.
    """

    text: str
    path: str | None = None
    color: str | None = None
    player: str | None = None


class PlayerLink(msgspec.Struct, frozen=True):
    """A link to a player. *place* in the order of joining selects the player's colour."""

    name: str
    slug: str
    place: int
    entity: str


class Figures:
    """Looks up values in the public world, together with their explanations.

    *statements* are the account statements of the current page's period.
    """

    def __init__(self, public: PublicWorld, slugs: Slugs) -> None:
        self.public = public
        self.slugs = slugs
        self.places: dict[str, int] = {}
        self.statements: Mapping[Holding, StatementPage] = {}
        self.shown: Mapping[tuple[str, str], Any] = {}
        self._owned: dict[str, tuple[Figure, ...]] | None = None
        self._by_account: dict[str, list[StatementPage]] = {}

    def use_statements(self, statements: Mapping[Holding, StatementPage]) -> None:
        """Link amounts to these *statements* from now on."""
        self.statements = statements
        self._by_account = {}
        for (account, _), statement in statements.items():
            self._by_account.setdefault(account, []).append(statement)

    def statements_of(self, account: str) -> tuple[StatementPage, ...]:
        """Return the statements of *account*, one for each commodity."""
        return tuple(self._by_account.get(account, ()))

    def show(self, values: Mapping[tuple[str, str], Any]) -> None:
        """Show these *values* instead of attributes, by thing and attribute, from now on.

        Call this whenever the world has changed.
        """
        self.shown = values
        self._owned = None

    @property
    def people(self) -> dict[str, PlayerLink]:
        """The players by entity, in the order in which they joined."""
        players = self.public.world.kinds.get("player", ())
        return {player: self.person(player) for player in players}

    def person(self, entity: str) -> PlayerLink:
        """Return the link to the player *entity*."""
        name = str(self.public.world.label(entity))
        place = self.places.setdefault(entity, len(self.places))
        return PlayerLink(name, self.slugs.of(entity, name), place, entity)

    def attribute(self, entity: str, name: str) -> Figure | None:
        """Return attribute *name* of *entity*, or None if it was never set."""
        world = self.public.world
        stored = world.get(entity, name)
        value = self.shown.get((entity, name), stored)
        if value is None:
            return None
        why = self._why("set", entity, name) if value == stored else None
        text = self.public.teller.cell_of(world.entities.get(entity, entity), name, value)
        return Figure(text, why, _color(name, value), self._player(value))

    def value(self, name: str, value: Any) -> Figure:
        """Return a *value* called *name*, which the rules compute."""
        text = self.public.teller.cell_of("", name, value)
        return Figure(text, None, _color(name, value), self._player(value))

    def holding(self, account: str, commodity: str) -> Figure:
        """Return the balance of *account* in *commodity*."""
        held = format_cell(amount_held(self.public.world, account, commodity))
        statement = self.statements.get((account, commodity))
        return Figure(held, None if statement is None else statement.path)

    def owned(self, player: str) -> tuple[Figure, ...]:
        """Return the keys of the squares that *player* owns."""
        if self._owned is None:
            self._owned = self._squares_by_owner()
        return self._owned.get(player, ())

    def _squares_by_owner(self) -> dict[str, tuple[Figure, ...]]:
        world = self.public.world
        owned: dict[str, list[Figure]] = {}
        for square in world.kinds.get("square", ()):
            owner = self.shown.get((square, "owner"), world.get(square, "owner"))
            if isinstance(owner, str):
                figure = Figure(str(world.label(square)), self._why("set", square, "owner"))
                owned.setdefault(owner, []).append(figure)
        return {owner: tuple(figures) for owner, figures in owned.items()}

    def owned_count(self, player: str) -> Figure:
        """Return the number of squares that *player* owns."""
        return Figure(str(len(self.owned(player))), self._why("owns", player))

    def described(self, value: Any) -> str:
        """Return *value* as a phrase within a sentence."""
        return self.public.teller.phrase(value)

    def _why(self, *key: str) -> str | None:
        ref = self.public.setters.get(key)
        return None if ref is None else ref.why

    def _player(self, value: Any) -> str | None:
        is_player = isinstance(value, str) and self.public.world.entities.get(value) == "player"
        return self.person(value).slug if is_player else None


def _color(name: str, value: Any) -> str | None:
    is_color = name in ("color", "colour") and str(value).lower() in COLORS
    return str(value).lower() if is_color else None
