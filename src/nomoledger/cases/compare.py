"""The first difference between how things stand and what a case says, in words."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.cases.format import Pending, Then
from nomoledger.cases.picture import Picture, Row, holdings, picture
from nomoledger.cases.query import ask_value, labelled
from nomoledger.cases.same import same, shown
from nomoledger.cases.spelling import singular, spelled
from nomoledger.cases.start import attributes_of
from nomoledger.errors import RulebookError
from nomoledger.rules.program import linked
from nomoledger.rules.rule import Rule
from nomoledger.world import World

Before = tuple[Picture, tuple[Rule, ...]]


def compare(
    world: World,
    then: Then,
    events: list[e.Event],
    before: Before | None = None,
    judged: set[int] | None = None,
) -> str | None:
    """The first difference between *world* and *then*; None if there is none.

    With *before* (how things stood), what *then* does not name of players and squares must be as
    it was. *events* is what happened meanwhile; *judged* the proposals that have a verdict.
    """
    return next(_differences(world, then, events, before, judged or set()), None)


def _differences(
    world: World, then: Then, events: list[e.Event], before: Before | None, judged: set[int]
) -> Iterator[str]:
    now = picture(world)
    was = before[0] if before else None
    known = {kind: attributes_of(world, kind) for kind in ("player", "square")}
    yield from _rows("player", now.players, then.players, was and was.players, known["player"])
    squares = dict(then.squares)
    if then.board is not None:
        if len(now.squares) != then.board:
            yield f"the board has {len(now.squares)} squares, expected {then.board}"
        named = {str(name) for name in squares}
        fresh = [name for name in now.squares if was and name not in was.squares]
        squares |= {name: {} for name in fresh if name not in named}
        gone = [name for name in (was.squares if was else ()) if name not in now.squares]
        squares |= {name: "absent" for name in gone if name not in named}
    yield from _rows("square", now.squares, squares, was and was.squares, known["square"])
    yield from _accounts(world, then)
    if then.payments is not None:
        yield from _payments(world, then.payments, events)
    for value in then.values:
        found = ask_value(world, value.value, value.with_)
        if not same(found, value.is_):
            given = ", ".join(f"{name} {shown(each)}" for name, each in value.with_.items())
            of = f" ({given})" if given else ""
            yield f"{value.value}{of} is {shown(found)}, expected {shown(value.is_)}"
    yield from _rules(world, then.rules, before[1] if before else None)
    yield from _game(world, then.game, whole=before is not None)
    yield from _things(world, then.things)
    if then.pending is not None:
        yield from _pending(world, then.pending, judged)


# --- players and squares ----------------------------------------------------------------------


def _rows(
    kind: str,
    now: dict[str, Row],
    named: dict[Any, Any],
    was: dict[str, Row] | None,
    known: list[str],
) -> Iterator[str]:
    expected = {str(name): each for name, each in named.items()}
    for name, row in expected.items():
        if row in (None, "absent"):
            if name in now:
                yield f"there is {_called(kind, name)}, expected to be gone"
            continue
        if name not in now:
            yield f"there is no {kind} {name}; there is: {', '.join(now) or 'nobody'}"
            return
        stated = {spelled(key, known, f"a {kind} has no"): each for key, each in row.items()}
        yield from _row(_called(kind, name), now[name], stated)
    if was is None:
        return
    for name in {**was, **now}:
        if expected.get(name, "") in (None, "absent"):
            continue
        if name not in now:
            yield f"{_called(kind, name)} is gone, and the case does not say so"
            return
        if name not in was:
            if name not in expected:
                yield f"there is a new {kind} {name}, and the case does not say so"
            continue
        stated = {spelled(key, known, "") for key in expected.get(name, {})}
        stated |= {kind == "square" and "number" or ""}
        yield from _unchanged(_called(kind, name), was[name], now[name], stated, expected)


def _row(subject: str, now: Row, stated: Row) -> Iterator[str]:
    for attribute, value in stated.items():
        found = now.get(attribute)
        if attribute == "items":
            value = dict(value or {})
            found = {name: (found or {}).get(name, 0) for name in value}
        if not same(found, value):
            yield f"{subject}'s {attribute} is {shown(found)}, expected {shown(value)}"


def _unchanged(
    subject: str, was: Row, now: Row, stated: set[str], expected: dict[str, Any]
) -> Iterator[str]:
    for attribute in {**was, **now}:
        old, new = was.get(attribute), now.get(attribute)
        if attribute == "items":
            named = set((_named(expected, subject).get("items")) or {})
            old = {key: each for key, each in (old or {}).items() if key not in named}
            new = {key: each for key, each in (new or {}).items() if key not in named}
        elif attribute in stated:
            continue
        if not same(new, old):
            yield (
                f"{subject}'s {attribute} is {shown(new)}, expected {shown(old)} as before "
                "(the case does not name it)"
            )


def _named(expected: dict[str, Any], subject: str) -> Row:
    found: Row = expected.get(subject) or {}
    return found


def _called(kind: str, name: str) -> str:
    return name if kind == "player" else f"{kind} {name}"


# --- money ------------------------------------------------------------------------------------


def _accounts(world: World, then: Then) -> Iterator[str]:
    program = linked(world.rules)
    players = {str(world.label(each)): each for each in world.kinds.get("player", ())}
    known = {name: name for name in program.accounts} | players
    for account, stated in then.accounts.items():
        name = spelled(account, known, "there is no account")
        held = holdings(world, known[name])
        wanted = stated if isinstance(stated, dict) else {program.money: stated}
        for commodity, amount in wanted.items():
            found = held[spelled(commodity, held, "there is no commodity")]
            if not same(found, amount):
                yield f"account {name} holds {found} {commodity}, expected {shown(amount)}"


def _payments(world: World, wanted: list[Row], events: list[e.Event]) -> Iterator[str]:
    program = linked(world.rules)
    paid = [each for event in events if isinstance(event, e.Posted) for each in _paid(world, event)]
    for number, row in enumerate(wanted, 1):
        names = {spelled(key, _PAYMENT, "a payment has no"): each for key, each in row.items()}
        stated = {"commodity": program.money} | names
        if number > len(paid):
            yield f"there are {len(paid)} payments, expected payment {number}: {shown(row)}"
            return
        found = {key: paid[number - 1][key] for key in stated}
        if not same(found, stated):
            yield f"payment {number} is {shown(paid[number - 1])}, expected {shown(stated)}"
    if len(paid) > len(wanted):
        yield f"there is a payment that the case does not name: {shown(paid[len(wanted)])}"


_PAYMENT = ("from", "to", "amount", "commodity", "why")


def _paid(world: World, event: e.Posted) -> Iterator[Row]:
    """A transfer as payments from one to one; what several gave, each gave in turn."""
    givers = [[p.account, p.commodity, -p.amount] for p in event.postings if p.amount < 0]
    for posting in (p for p in event.postings if p.amount > 0):
        missing = posting.amount
        for giver in givers:
            part = min(missing, giver[2]) if giver[1] == posting.commodity else 0
            if part:
                giver[2] -= part
                missing -= part
                yield _payment(world, giver[0], posting, part, event.why)


def _payment(world: World, giver: str, posting: e.Posting, part: int, why: str) -> Row:
    from nomoledger.rules.values import amount

    places = linked(world.rules).commodities[posting.commodity].places
    return {
        "from": labelled(world, giver),
        "to": labelled(world, posting.account),
        "amount": amount(part, places),
        "commodity": posting.commodity,
        "why": why,
    }
