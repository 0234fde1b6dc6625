"""The state that a game starts from, where it does not start from nothing.

What is stated goes through the rules as far as they have a word for it: a player joins, an option
is opened. What is stated beyond that (a square, an amount, an attribute) is then put right.
"""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.language.code import Parameter
from nomoledger.language.host import Host, Refused
from nomoledger.language.program import Program
from nomoledger.language.resolve import named_arguments, resolve
from nomoledger.language.values import to_units

_AMOUNTS = ("money", "items", "at")


def give_state(program: Program, given: e.StateGiven) -> None:
    """Bring the world into the state *given*, within the attempt that the host is at."""
    for name in given.players:
        _join(program, name, given.players[name])
    for number, stated in given.squares.items():
        square = _square(program.host, number)
        _put_right(program.host, "square", square, stated)
    for name, stated in given.players.items():
        _put_right(program.host, "player", name, stated)
    for kind, things in given.things.items():
        for stated in things:
            _thing(program, kind, stated)
    for account, holdings in given.accounts.items():
        if account not in program.accounts and account not in program.host.world.entities:
            known = ", ".join(sorted(program.accounts))
            text = f"there is no account {account!r}; there is {known}"
            raise Refused([e.Reason("engine", text)])
        for commodity, amount in holdings.items():
            _put_amount(program.host, account, commodity, amount)
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
    wanted = {parameter.name for parameter in join.definitions[0][1].parameters}
    details = dict.fromkeys(wanted) | {k: v for k, v in stated.items() if k in wanted}
    program.call("join", **(details | {"name": name}))


def _square(host: Host, number: str) -> str:
    called: Any = int(number) if number.lstrip("-").isdigit() else number
    found = host.world.find("square", called)
    if found is not None:
        return found
    created: str = host.program.call("create", "square", {"number": called})
    return created


def _put_right(host: Host, kind: str, thing: str, stated: dict[str, Any]) -> None:
    for attribute, value in stated.items():
        if attribute not in _AMOUNTS:
            _put_attribute(host, kind, thing, attribute, value)
    holdings = dict(stated.get("items", {}))
    if "money" in stated:
        holdings[host.program.money] = stated["money"]
    for commodity, amount in holdings.items():
        _put_amount(host, thing, commodity, amount)


def _put_attribute(host: Host, kind: str, thing: str, attribute: str, value: Any) -> None:
    declared = host.world.declared(kind)
    if attribute not in declared:
        known = ", ".join(sorted(declared)) or "nothing"
        raise Refused([e.Reason("engine", f"a {kind} has no {attribute!r}; it has {known}")])
    type_ = declared[attribute].removesuffix(" key")
    value = resolve(host.world, Parameter(attribute, type_), value)
    if attribute == "square" and kind == "player":
        if host.world.get(thing, "square") != value:
            host.program.call("move", thing, value, "place")
        return
    host.program.call("set", thing, attribute, value)


def _put_amount(host: Host, account: str, commodity: str, amount: Any) -> None:
    if commodity not in host.program.commodities:
        raise Refused([e.Reason("engine", f"no rule declares the commodity {commodity!r}")])
    if isinstance(amount, str):
        amount = resolve(host.world, Parameter(commodity, "Money"), amount)
    wanted = to_units(amount, host.program.commodities[commodity].places)
    missing = wanted - host.world.balance(account, commodity)
    if missing:
        postings = (e.Posting("mint", commodity, -missing), e.Posting(account, commodity, missing))
        host.emit(e.Posted, postings=postings, why="as stated")


def _thing(program: Program, kind: str, stated: dict[str, Any]) -> None:
    host, attempt = program.host, program.host.attempt
    opener = program.links.operations.get(f"open_{kind}")
    if "at" in stated:
        host.attempt = msgspec.structs.replace(attempt, at=int(stated["at"]))
    if opener is not None and opener.definitions:
        wanted = {parameter.name for parameter in opener.definitions[0][1].parameters}
        named = {key: value for key, value in stated.items() if key in wanted}
        thing = program.call(opener.name, **named_arguments(host.world, opener, (), named))
        rest = {k: v for k, v in stated.items() if k not in wanted}
    else:
        key = host.world.key_of(kind)
        named = {key: stated[key]} if key in stated else {}
        thing, rest = program.call("create", kind, named), stated
    host.attempt = attempt
    if isinstance(thing, str):
        _put_right(host, kind, thing, rest)
