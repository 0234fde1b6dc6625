"""Figures on a page: a value as text, with a link to its explanation."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from nomoledger.language.values import from_units
from nomoledger.prose.labels import amount_held, format_cell
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World
from nomoledger.views.site.corrections import CorrectedPeriod, Holding
from nomoledger.views.site.public_view import PublicWorld
from nomoledger.views.site.site_paths import Slugs
from nomoledger.views.site.statement_pages import StatementPage

#: What stands in the place of a value that there is not.
NOTHING = "nothing"
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


class RuledMark(msgspec.Struct, frozen=True):
    """The mark of a figure that *rulings* changed: what they changed, as *text*."""

    text: str
    rulings: tuple[int, ...]


class Figure(msgspec.Struct, frozen=True):
    """A value as *text*, with the *path* of its explanation.

    Attributes:
        color: A colour to show next to the text.
        player: The slug of the player in the text.
        mark: How rulings changed the figure, if any did.
    """

    text: str
    path: str | None = None
    color: str | None = None
    player: str | None = None
    mark: RuledMark | None = None


class PlayerLink(msgspec.Struct, frozen=True):
    """A link to a player. *place* in the order of joining selects the player's colour."""

    name: str
    slug: str
    place: int
    entity: str


class Figures:
    """Looks up values in a public world, together with their explanations.

    Attributes:
        public: The state as published.
        world: The state that is shown: as published, or as it is known now.
        teller: Names the things of *world*.
        statements: The account statements of the current page's period.
    """

    def __init__(self, public: PublicWorld, slugs: Slugs) -> None:
        self.public = public
        self.world: World = public.world
        self.teller: Teller = public.teller
        self.corrected: CorrectedPeriod | None = None
        self.paid: Mapping[Holding, Mapping[int, int]] = {}
        self.slugs = slugs
        self.places: dict[str, int] = {}
        self.statements: Mapping[Holding, StatementPage] = {}
        self.shown: Mapping[tuple[str, str], Any] = {}
        self._owned: dict[str, tuple[Figure, ...]] | None = None
        self._by_account: dict[str, list[StatementPage]] = {}

    def use_world(
        self,
        world: World,
        corrected: CorrectedPeriod | None,
        paid: Mapping[Holding, Mapping[int, int]],
    ) -> None:
        """Show *world* from now on, the state as published or as *corrected* by rulings.

        *paid* are the units that rulings made in the period added to accounts.
        """
        self.world, self.corrected, self.paid = world, corrected, paid
        self.teller = self.public.teller
        if world is not self.public.world:
            self.teller = Teller(world)
            self.teller.restore(*self.public.teller.ended())

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
        players = self.world.kinds.get("player", ())
        return {player: self.person(player) for player in players}

    def person(self, entity: str) -> PlayerLink:
        """Return the link to the player *entity*."""
        name = str(self.world.label(entity))
        place = self.places.setdefault(entity, len(self.places))
        return PlayerLink(name, self.slugs.of(entity, name), place, entity)

    def attribute(self, entity: str, name: str) -> Figure | None:
        """Return attribute *name* of *entity*, or None if it was never set."""
        world = self.world
        stored = world.get(entity, name)
        value = self.shown.get((entity, name), stored)
        mark = self._attribute_mark(entity, name, stored) if self.corrected else None
        if value is None and mark is None:
            return None
        why = self._why("set", entity, name) if value == stored and mark is None else None
        text = self.teller.cell_of(world.entities.get(entity, entity), name, value)
        text = NOTHING if value is None else text
        return Figure(text, why, _color(name, value), self._player(value), mark)

    def _attribute_mark(self, entity: str, name: str, value: Any) -> RuledMark | None:
        published = self.public.world
        was = published.get(entity, name)
        if self.corrected is None or was == value:
            return None
        text = self.public.teller.cell_of(published.entities.get(entity, entity), name, was)
        rulings = self.corrected.rulings_on("attributes", entity, name)
        return RuledMark(f"was {text or NOTHING},", rulings)

    def value(self, name: str, value: Any) -> Figure:
        """Return a *value* called *name*, which the rules compute."""
        text = self.teller.cell_of("", name, value)
        return Figure(text, None, _color(name, value), self._player(value))

    def holding(self, account: str, commodity: str) -> Figure:
        """Return the balance of *account* in *commodity*."""
        held = format_cell(amount_held(self.world, account, commodity))
        statement = self.statements.get((account, commodity))
        path = None if statement is None else statement.path
        return Figure(held, path, mark=self._holding_mark(account, commodity))

    def _holding_mark(self, account: str, commodity: str) -> RuledMark | None:
        was, now = (w.balance(account, commodity) for w in (self.public.world, self.world))
        places = self.world.commodities()[commodity].places
        if self.corrected is not None and was != now:
            rulings = tuple(self.corrected.units_by(account, commodity))
            text = format_cell(from_units(was, places))
            return RuledMark(f"was {text},", rulings or self.corrected.rulings)
        paid = self.paid.get((account, commodity), {})
        if units := sum(paid.values()):
            sign = "+" if units > 0 else ""
            return RuledMark(f"{sign}{format_cell(from_units(units, places))} by", tuple(paid))
        return None

    def compared(self, now: Any, published: Any) -> Figure:
        """Return the value *now* with a mark if it was *published* differently."""
        rulings = () if self.corrected is None else self.corrected.rulings
        is_changed = bool(rulings) and now != published
        mark = RuledMark(f"was {format_cell(published) or NOTHING},", rulings)
        return Figure(format_cell(now), mark=mark if is_changed else None)

    def owned(self, player: str) -> tuple[Figure, ...]:
        """Return the keys of the squares that *player* owns."""
        if self._owned is None:
            self._owned = self._squares_by_owner()
        return self._owned.get(player, ())

    def _squares_by_owner(self) -> dict[str, tuple[Figure, ...]]:
        world = self.world
        owned: dict[str, list[Figure]] = {}
        for square in world.kinds.get("square", ()):
            owner = self.shown.get((square, "owner"), world.get(square, "owner"))
            if isinstance(owner, str):
                figure = Figure(str(world.label(square)), self._why("set", square, "owner"))
                owned.setdefault(owner, []).append(figure)
        return {owner: tuple(figures) for owner, figures in owned.items()}

    def owned_count(self, player: str) -> Figure:
        """Return the number of squares that *player* owns."""
        count = len(self.owned(player))
        before = self.public.world.where("square", "owner", player)
        if self.corrected is not None and not self.shown and len(before) != count:
            return self.compared(count, len(before))
        return Figure(str(count), self._why("owns", player))

    def described(self, value: Any) -> str:
        """Return *value* as a phrase within a sentence."""
        return self.teller.phrase(value)

    def _why(self, *key: str) -> str | None:
        ref = self.public.setters.get(key)
        return None if ref is None else ref.why

    def _player(self, value: Any) -> str | None:
        is_player = isinstance(value, str) and self.world.entities.get(value) == "player"
        return self.person(value).slug if is_player else None


def _color(name: str, value: Any) -> str | None:
    is_color = name in ("color", "colour") and str(value).lower() in COLORS
    return str(value).lower() if is_color else None
