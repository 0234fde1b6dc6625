"""Statements that many orders need, made from what the rules declare, for lists in forms."""

import re

import msgspec

from nomoledger.engine.statements import MONEY
from nomoledger.errors import UsageError
from nomoledger.game.desk.seen_game import seen_world
from nomoledger.game.game import Game
from nomoledger.language.operations import kind_type
from nomoledger.language.program import link
from nomoledger.prose.names import plain
from nomoledger.sandbox.limits import Limits
from nomoledger.state.world import World

#: What stands in a statement, and in its label, for the value that a player fills in.
GAP = "…"
#: How many statements are offered at most in each group.
GROUP_MAX = 40
_NUMBERS = ("Number", "Money")
#: Things of these kinds are what players make, and belong to nobody else.
_MADE = ("player", "proposal", "vote")
_LIMITS = Limits(cpu_seconds=20.0, wall_seconds=60.0)
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class CommonStatement(msgspec.Struct, frozen=True):
    """A statement with or without a `GAP`: its *group*, its *label* in words, and its *text*."""

    group: str
    label: str
    text: str


class OfferedStatements(msgspec.Struct, frozen=True):
    """The *statements* that the forms of orders offer to a player."""

    statements: tuple[CommonStatement, ...]


def offered_statements(game: Game, player: str) -> OfferedStatements:
    """Return the statements that the forms of orders offer to *player*.

    Raises:
        UnknownError: there is no such player.
        RuleFault: the rules cannot be linked.
    """
    view, world, id = seen_world(game, player)
    sandbox = view.seen.sandbox(_LIMITS)
    found = sandbox.call(common_statements, world, id, kind=list[CommonStatement])
    return OfferedStatements(tuple(found))


def filled(text: str, value: str) -> str:
    """Return the statement *text* with *value* in place of its `GAP`, if it has one.

    >>> filled("money(Ann) >= …", "400"), filled("owner(…) == none", "Old Mill")
    ('money(Ann) >= 400', "owner('Old Mill') == none")

    Raises:
        UsageError: the value is lacking.
    """
    if GAP not in text:
        return text
    if not value:
        raise UsageError(f"{text!r:.80} lacks a value: say what {GAP} stands for")
    is_plain = _NUMBER.fullmatch(value) or value.isidentifier()
    return text.replace(GAP, value if is_plain else repr(value))


def common_statements(world: World, by: str) -> list[CommonStatement]:
    """Return the statements that an order of the player *by* may often need in *world*."""
    name = str(world.label(by))
    me = name if name.isidentifier() else repr(name)
    groups = (
        ("The period", [("the period is about to close", "closing()")]),
        ("What I have", _holdings(world, me)),
        ("What is true of me", _own(world, by, me)),
        ("Whose something is", _owned(world, me)),
    )
    return [
        CommonStatement(group, label, text)
        for group, statements in groups
        for label, text in statements[:GROUP_MAX]
    ]


def _holdings(world: World, me: str) -> list[tuple[str, str]]:
    found = []
    for place, commodity in enumerate(world.commodities()):
        name = MONEY if place == 0 else commodity
        if name.isidentifier():
            found += [
                (f"I have at least {GAP} {commodity}", f"{name}({me}) >= {GAP}"),
                (f"I have at most {GAP} {commodity}", f"{name}({me}) <= {GAP}"),
            ]
    return found


def _own(world: World, by: str, me: str) -> list[tuple[str, str]]:
    """Return statements on the attributes of the player, and on what rules say of players."""
    found = []
    kind = world.entities.get(by, "player")
    kinds = {kind_type(each) for each in world.known_kinds()}
    for name, type_ in world.declared(kind).items():
        if type_ in _NUMBERS:
            found += [
                (f"my {plain(name)} is at least {GAP}", f"{name}({me}) >= {GAP}"),
                (f"my {plain(name)} is at most {GAP}", f"{name}({me}) <= {GAP}"),
            ]
        elif type_ == "Flag":
            found += _truth(name, me)
        elif kinds & set(type_.split(" | ")):
            found.append((f"my {plain(name)} is {GAP}", f"{name}({me}) == {GAP}"))
    for name, operation in sorted(link(world.ruleset).links.operations.items()):
        types = [parameter.type for parameter in operation.parameters]
        if operation.is_value and operation.returns == "Flag" and types == [kind_type(kind)]:
            found += _truth(name, me)
    return found


def _truth(name: str, me: str) -> list[tuple[str, str]]:
    said = f"true of me: {plain(name)}"
    return [(said, f"{name}({me})"), (f"not {said}", f"not {name}({me})")]


def _owned(world: World, me: str) -> list[tuple[str, str]]:
    """Return statements on the players that things have as attributes, such as their owners."""
    found = []
    for kind in world.known_kinds():
        is_called = any(type_.endswith(" key") for type_ in world.declared(kind).values())
        for name, type_ in world.declared(kind).items():
            if is_called and kind not in _MADE and "Player" in type_.split(" | "):
                of = f"{plain(name)} of {plain(kind)} {GAP}"
                found += [
                    (f"the {of} is nobody", f"{name}({GAP}) == none"),
                    (f"the {of} is me", f"{name}({GAP}) == {me}"),
                ]
    return found
