"""The initial state of a game that does not start from nothing.

The stated players and things are created by the operations of the rules where there are any: a
player joins, an option is opened. The remaining statements (squares, amounts, attributes) are then
set directly.
"""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.written_names import find_written
from nomoledger.language.code import Parameter
from nomoledger.language.host import Host, Refused
from nomoledger.language.operations import kind_type
from nomoledger.language.program import Program
from nomoledger.language.resolve import WHOLE, named_arguments, resolve
from nomoledger.language.values import to_units

_AMOUNTS = ("money", "items", "at")


def give_state(program: Program, given: e.StateGiven) -> None:
    """Bring the world into the state *given*, as part of the host's current attempt.

    Raises:
        Refused: *given* names an account, attribute or commodity that the rules do not declare.
    """
    for name in given.players:
        _join(program, name, given.players[name])
    for number, stated in given.squares.items():
        square = _find_or_create_square(program.host, number)
        _set_state(program.host, "square", square, stated)
    for name, stated in given.players.items():
        _set_state(program.host, "player", name, stated)
    for kind, things in given.things.items():
        for stated in things:
            _create_thing(program, kind, stated)
    for name, holdings in given.accounts.items():
        is_known = name in program.accounts or name in program.host.world.entities
        account = name if is_known else find_written(program.host.world, name)
        if account is None:
            known = ", ".join(sorted(program.accounts))
            text = f"there is no account {name!r}; there is {known}"
            raise Refused([e.Reason("engine", text)])
        for commodity, amount in holdings.items():
            of_money = program.money if commodity == "money" else commodity
            _set_amount(program.host, account, of_money, amount)
    for attribute, value in given.game.items():
        program.call("set", "game", attribute, value)


def _join(program: Program, name: str, stated: dict[str, Any]) -> None:
    host = program.host
    if name in host.world.entities:
        return
    join = program.links.operations.get("join")
    if join is None or not join.definitions:
        program.call("create", "player", {"name": name}, name)
        return
    parameters = {parameter.name for parameter in join.definitions[0][1].parameters}
    details = dict.fromkeys(parameters) | {k: v for k, v in stated.items() if k in parameters}
    program.call("join", **(details | {"name": name}))


def _find_or_create_square(host: Host, text: str) -> str:
    number: Any = int(text) if WHOLE.fullmatch(text) else text
    square = host.world.find("square", number)
    if square is not None:
        return square
    created: str = host.program.call("create", "square", {"number": number})
    return created


def _set_state(host: Host, kind: str, thing: str, stated: dict[str, Any]) -> None:
    for attribute, value in stated.items():
        if attribute not in _AMOUNTS:
            _set_attribute(host, kind, thing, attribute, value)
    holdings = dict(stated.get("items", {}))
    if "money" in stated:
        holdings[host.program.money] = stated["money"]
    for commodity, amount in holdings.items():
        _set_amount(host, thing, commodity, amount)


def _set_attribute(host: Host, kind: str, thing: str, attribute: str, value: Any) -> None:
    declared = host.world.declared(kind)
    if attribute not in declared:
        known = ", ".join(sorted(declared)) or "nothing"
        raise Refused([e.Reason("engine", f"a {kind} has no {attribute!r}; it has {known}")])
    type_ = declared[attribute].removesuffix(" key")
    names_things = {kind_type(kind) for kind in host.world.known_kinds()} & set(type_.split(" | "))
    if names_things and isinstance(value, str):
        value = find_written(host.world, value) or value
    value = resolve(host.world, Parameter(attribute, type_), value)
    if attribute == "square" and kind == "player":
        if host.world.get(thing, "square") != value:
            host.program.call("move", thing, value, "place")
        return
    host.program.call("set", thing, attribute, value)


def _set_amount(host: Host, account: str, commodity: str, amount: Any) -> None:
    if commodity not in host.program.commodities:
        raise Refused([e.Reason("engine", f"no rule declares the commodity {commodity!r}")])
    if isinstance(amount, str):
        amount = resolve(host.world, Parameter(commodity, "Money"), amount)
    units = to_units(amount, host.program.commodities[commodity].places)
    missing = units - host.world.balance(account, commodity)
    if missing:
        postings = (e.Posting("mint", commodity, -missing), e.Posting(account, commodity, missing))
        host.emit(e.Posted, postings=postings, why="as stated")


def _create_thing(program: Program, kind: str, stated: dict[str, Any]) -> None:
    host, attempt = program.host, program.host.attempt
    opener = program.links.operations.get(f"open_{kind}")
    if "at" in stated:
        host.attempt = msgspec.structs.replace(attempt, at=int(stated["at"]))
    if opener is not None and opener.definitions:
        parameters = {parameter.name for parameter in opener.definitions[0][1].parameters}
        named = {key: value for key, value in stated.items() if key in parameters}
        thing = program.call(opener.name, **named_arguments(host.world, opener, (), named))
        remaining = {k: v for k, v in stated.items() if k not in parameters}
    else:
        key = host.world.key_of(kind)
        named = {key: stated[key]} if key in stated else {}
        thing, remaining = program.call("create", kind, named), stated
    host.attempt = attempt
    if isinstance(thing, str):
        _set_state(host, kind, thing, remaining)
