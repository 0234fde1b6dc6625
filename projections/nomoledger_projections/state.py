"""state: the whole state of a game by name: the attributes of all things, and all balances.

A thing has every attribute that the rules in force declare for its kind. The value is null if it
was never set.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number
from nomoledger.prose.labels import amount_held, format_cell, label_all
from nomoledger.prose.names import Names
from nomoledger.prose.time_format import format_time
from nomoledger.state.world import World
from nomoledger_projections.visible_state import VisibleState

Attributes = dict[str, Any]


class _Words(NamedTuple):
    """How values are shown: what things without a name are *called*, and which values are *times*.

    *called* is by id. *times* are the attributes with a time in seconds since 1970, by kind.
    """

    called: dict[str, str]
    times: dict[str, list[str]]


class State(msgspec.Struct, frozen=True, dict=True):
    """The state of a game.

    Attributes:
        name: The name of the game.
        players: The attributes of players by name, with `money`, and `items` for the other
            commodities.
        squares: The attributes of squares by key.
        things: The attributes of all other things, by kind.
        game: The attributes of the game itself.
        accounts: The balances of each account by commodity.
        waiting: The question that the game waits for.
        ended: Why the game is over.
        digest: The hash of the whole state. Equal states have equal digests.
    """

    name: str
    period: int
    players: dict[str, Attributes]
    squares: dict[str, Attributes]
    things: dict[str, list[Attributes]]
    game: Attributes
    accounts: dict[str, dict[str, Number]]
    waiting: str | None
    ended: str | None
    digest: str

    def with_words(self, words: "_Words") -> "State":
        """Return this state, which `show` shows with *words*; programs do not read them."""
        self.__dict__["words"] = words
        return self

    @property
    def words(self) -> "_Words":
        """The words for values in tables."""
        words: _Words = self.__dict__.get("words", _Words({}, {}))
        return words

    def with_hidden(self, hidden: str) -> "State":
        """Return this state, of which *hidden* says what is left out; programs do not read it."""
        self.__dict__["hidden"] = hidden
        return self

    @property
    def hidden(self) -> str:
        """What the reader may not see and is left out, in words; "" for nothing."""
        return str(self.__dict__.get("hidden", ""))

    def show(self) -> Iterator[Table | str]:
        """Yield a table per kind of thing."""
        yield f"{self.name}, period {self.period}"
        yield from self._table("player", [{"player": n, **a} for n, a in self.players.items()])
        yield from self._table("square", [{"square": n, **a} for n, a in self.squares.items()])
        for kind, things in self.things.items():
            yield from self._table(kind, things)
        if self.game:
            rows = tuple((name, self._cell("game", name, v)) for name, v in self.game.items())
            yield Table(("game", ""), rows)
        if self.waiting is not None:
            yield f"waiting: {self.waiting}"
        if self.ended is not None:
            yield f"over: {self.ended}"

    def _table(self, kind: str, things: list[Attributes]) -> Iterator[Table]:
        """Yield a table with a row per thing, without columns that are empty in all rows."""
        names = dict.fromkeys(name for thing in things for name in thing if name != "id")
        set_for_some = [name for name in names if any(thing.get(name) for thing in things)]
        columns = [
            name for name in set_for_some if name == kind or not _repeats(things, kind, name)
        ]
        rows = tuple(
            tuple(self._cell(kind, name, thing.get(name)) for name in columns) for thing in things
        )
        if rows and columns:
            yield Table(tuple(columns), rows)

    def _cell(self, kind: str, attribute: str, value: Any) -> str:
        """Return *value* as the text of a cell: things by name, times as times."""
        if isinstance(value, list):
            return ", ".join(self._cell(kind, attribute, item) for item in value)
        if type(value) is int and attribute in self.words.times.get(kind, ()):
            return format_time(value)
        return self.words.called.get(value, value) if isinstance(value, str) else shown_items(value)


def state(view: View) -> State:
    """Return the state of the game in *view*, as far as its reader may see it.

    `State.hidden` is how many values the reader may not see, and why.
    """
    if view.reader == "admin":
        return _state_of(view, view.world)
    visible = VisibleState(view)
    found = _state_of(view, visible.world)
    shown = msgspec.convert(visible.without_addresses(msgspec.to_builtins(found)), State)
    return shown.with_words(found.words).with_hidden(visible.hidden)


def _state_of(view: View, world: World) -> State:
    names = Names(world)
    money, *items = (*world.commodities(), "")
    players = {}
    for player in world.kinds.get("player", ()):
        held = {item: amount_held(world, player, item) for item in items if item}
        wealth = {"money": amount_held(world, player, money)} if money else {}
        players[str(world.label(player))] = (
            _attributes(world, "player", player) | wealth | {"items": held}
        )
    squares = {
        str(world.label(square)): _attributes(world, "square", square)
        for square in world.kinds.get("square", ())
    }
    return State(
        name=view.game,
        period=view.period,
        players=players,
        squares=squares,
        things={
            kind: [{"id": thing, **_attributes(world, kind, thing)} for thing in things]
            for kind, things in sorted(world.kinds.items())
            if kind not in ("player", "square") and things
        },
        game=_attributes(world, "game", "game"),
        accounts=_accounts(world),
        waiting=None if world.waiting is None else world.waiting.text,
        ended=world.game["ended"],
        digest=world.digest(),
    ).with_words(_Words(_called(names), _times(names)))


def _called(names: Names) -> dict[str, str]:
    """Return what people call the things that have no name, by id."""
    return {
        thing: names.phrase(thing)
        for kind, things in names.world.kinds.items()
        for thing in things
        if kind not in ("player", "square") and names.world.label(thing) == thing
    }


def _times(names: Names) -> dict[str, list[str]]:
    """Return the attributes that are times, by kind."""
    world = names.world
    times: dict[str, dict[str, None]] = {}
    for thing, attributes in world.attributes.items():
        kind = world.entities.get(thing, thing)
        declared = world.declared(kind)
        for name, value in attributes.items():
            values = value if isinstance(value, list) else [value]
            if any(names.is_time(declared.get(name, ""), item) for item in values):
                times.setdefault(kind, {})[name] = None
    return {kind: list(attributes) for kind, attributes in sorted(times.items())}


def _attributes(world: World, kind: str, entity: str) -> Attributes:
    declared = dict.fromkeys(world.declared(kind))
    return declared | {
        name: label_all(world, value) for name, value in world.attributes.get(entity, {}).items()
    }


def _accounts(world: World) -> dict[str, dict[str, Number]]:
    names = (*world.kinds.get("player", ()), *sorted(world.balances))
    return {
        str(world.label(account)): {
            commodity: amount_held(world, account, commodity) for commodity in world.commodities()
        }
        for account in dict.fromkeys(names)
    }


def _repeats(things: list[Attributes], kind: str, name: str) -> bool:
    """Return whether column *name* repeats the first column, which names the thing."""
    return all(kind in thing and str(thing.get(name)) == thing[kind] for thing in things)


def shown_items(value: Any) -> str:
    """Return *value* as the text of a cell; a mapping as amounts by commodity."""
    if isinstance(value, dict):
        return ", ".join(f"{held} {name}" for name, held in value.items() if held)
    return format_cell(value)
