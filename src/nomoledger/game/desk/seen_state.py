"""The state of a game as a reader may see it, for programs: standings, balances, board, rules.

Everything is computed from the events that the reader may see. A reader is a player, "admin", or
None for everybody.
"""

from functools import partial
from typing import Any, TypeVar

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.game import Game
from nomoledger.game.possible_requests import SOON
from nomoledger.game.read_models import LedgerView, WorldView, ask_rules, projection
from nomoledger.ledger.as_of import Reading
from nomoledger.state.world import World

Model = TypeVar("Model", bound=msgspec.Struct)
#: A whole number, or a number with decimal places as text, so that nothing of it is lost.
Amount = int | str


class GameSummary(msgspec.Struct, frozen=True):
    """A game and how far it has gone.

    Attributes:
        name: its name.
        rulebook: the rulebook with which it began.
        period: the open period.
        now: its time, in seconds since 1970.
        ended: why it is over; null if it goes on.
        last: the number of the last event that the reader may see.
        players: the players in the order of joining.
        commodities: what can be owned in quantity; money comes first.
    """

    name: str
    rulebook: str
    period: int
    now: int
    ended: str | None
    last: int
    players: tuple[str, ...]
    commodities: tuple[str, ...]


class SeenStanding(msgspec.Struct, frozen=True):
    """The standing of a player. Players with equal money share a rank.

    Attributes:
        rank: the rank by money.
        player: the player.
        money: how much of the first commodity the player has; null if there is none.
        squares: how many squares the player owns.
        owned: the squares that the player owns.
    """

    rank: int
    player: str
    money: Amount | None
    squares: int
    owned: tuple[int | str, ...] = ()


class SeenStandings(msgspec.Struct, frozen=True):
    """All players, the richest first.

    Attributes:
        period: the open period.
        money: the name of the first commodity.
        standings: the players.
    """

    period: int
    money: str
    standings: tuple[SeenStanding, ...]


class SeenBalances(msgspec.Struct, frozen=True):
    """The amount of each commodity in each account. The amounts of a commodity sum to zero.

    Attributes:
        period: the open period.
        commodities: what can be owned in quantity.
        accounts: the amounts, by account and commodity.
    """

    period: int
    commodities: tuple[str, ...]
    accounts: dict[str, dict[str, Amount]]


class SeenSquare(msgspec.Struct, frozen=True):
    """A square of the board.

    Attributes:
        square: the key of the square.
        name: its name; null if it has none.
        owner: who owns it; null if nobody does.
        standing: who and what stands there.
        place: the position as east and north; null if it has none.
    """

    square: int | str
    name: Any = None
    owner: Any = None
    standing: tuple[str, ...] = ()
    place: tuple[Amount, Amount] | None = None


class SeenBoard(msgspec.Struct, frozen=True):
    """The board.

    Attributes:
        period: the open period.
        squares: the squares in their order.
    """

    period: int
    squares: tuple[SeenSquare, ...]


class SeenRule(msgspec.Struct, frozen=True):
    """A rule in force.

    Attributes:
        number: its number. version: its version.
        title: its title.
        kind: "executable", "text only" or "by ruling".
        prose: its words.
        code: its code; "" if it has none.
        parameters: the values of its parameters.
        rulings: the rulings that interpret it, one line each.
    """

    number: str
    version: int
    title: str
    kind: str
    prose: str
    code: str
    parameters: dict[str, Any]
    rulings: tuple[str, ...] = ()


class SeenRules(msgspec.Struct, frozen=True):
    """The rules in force, in their order.

    Attributes:
        period: the open period.
        rules: the rules.
    """

    period: int
    rules: tuple[SeenRule, ...]


class SeenState(msgspec.Struct, frozen=True):
    """The state of a game, as `nomoledger state --json` prints it.

    Attributes:
        period: the open period.
        players: the attributes of players, with "money", and "items" for the other commodities.
        squares: the attributes of squares by key.
        things: the attributes of all other things, by kind.
        game: the attributes of the game itself.
        waiting: the question that play waits for; null if there is none.
        ended: why the game is over; null if it goes on.
    """

    period: int
    players: dict[str, dict[str, Any]]
    squares: dict[str, dict[str, Any]]
    things: dict[str, list[dict[str, Any]]]
    game: dict[str, Any]
    waiting: str | None
    ended: str | None


def game_summary(game: Game, reader: str | None) -> GameSummary:
    """Return how far *game* has gone, as far as *reader* may know.

    Raises:
        UnknownError: there is no such player.
    """
    world = _world(game, reader)
    return GameSummary(
        name=game.name,
        rulebook=world.game["rulebook"],
        period=world.period,
        now=world.game["now"],
        ended=world.game["ended"],
        last=world.head,
        players=tuple(str(world.label(player)) for player in world.kinds.get("player", ())),
        commodities=tuple(world.commodities()),
    )


def seen_standings(game: Game, reader: str | None) -> SeenStandings:
    """Return the standings of *game* now, by what *reader* may see."""
    return _shown(game, reader, "standings", SeenStandings)


def seen_balances(game: Game, reader: str | None) -> SeenBalances:
    """Return the balances of *game* now, by what *reader* may see."""
    return _shown(game, reader, "balances", SeenBalances)


def seen_board(game: Game, reader: str | None) -> SeenBoard:
    """Return the board of *game* now, by what *reader* may see."""
    return _shown(game, reader, "board", SeenBoard)


def seen_rules(game: Game, reader: str | None) -> SeenRules:
    """Return the rules of *game* that are in force and that *reader* may see."""
    return _as(projection("rules")(_KnownView(game, reader)), SeenRules)


def seen_rule(game: Game, reader: str | None, number: str) -> SeenRule:
    """Return the rule with that *number* that is in force and that *reader* may see.

    Raises:
        UnknownError: there is none.
    """
    for rule in seen_rules(game, reader).rules:
        if rule.number == number:
            return rule
    raise UnknownError(f"{game.name}: there is no rule {number!r:.60} in force")


def seen_state(game: Game, reader: str | None) -> SeenState:
    """Return the state of *game* now, by what *reader* may see."""
    view = LedgerView(game.ledger, game.name, reader=reader)
    return _as(projection("state")(view), SeenState)


class _KnownView(SeenView):
    """What a reader may see, with a state that is made of nothing else."""

    def __init__(self, game: Game, reader: str | None) -> None:
        super().__init__(game, reader)
        if reader != "admin":
            self.world = self.visible_world()
            self.reading = Reading(self.period, False, self.world, self.world)


def _world(game: Game, reader: str | None) -> World:
    return SeenView(game, reader).visible_world()


def _shown(game: Game, reader: str | None, name: str, kind: type[Model]) -> Model:
    """Return what the projection *name* makes of the state that *reader* knows."""
    seen = SeenView(game, reader)
    ask = partial(ask_rules, sandbox=seen.seen.sandbox(SOON))
    return _as(projection(name)(WorldView(seen.visible_world(), reader, ask)), kind)


def _as(model: Any, kind: type[Model]) -> Model:
    """Return *model* as a struct of *kind*, which has some of its fields."""
    return msgspec.convert(msgspec.to_builtins(model, enc_hook=str), kind)
