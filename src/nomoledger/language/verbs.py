"""The host verbs that change the game. Each emits the event that makes its change."""

import hashlib
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from msgspec.structs import replace

from nomoledger import events as e
from nomoledger.events.durations import SECONDS
from nomoledger.events.levels import LEVELS
from nomoledger.language import values
from nomoledger.language.address_part import address_part
from nomoledger.language.host import Host, Refused
from nomoledger.language.host_verbs import host_verb
from nomoledger.language.operations import Operation
from nomoledger.language.resolve import named_arguments, positional_arguments
from nomoledger.language.restricted_reads import check_counts
from nomoledger.state.shares import adds_up

MODES = ("step", "slide", "jump", "drive", "place")
TIME_MAX = 253_402_300_799  # The last second of the year 9999.
#: How many attempts may be scheduled at a time.
TO_COME_MAX = 5_000
#: How many characters of an attempt's address stay as they are; see `_shorten_address`.
ADDRESS_MAX = 300


# --- payments ---------------------------------------------------------------------------------


def _post(host: Host, why: str, *postings: tuple[str, str, int]) -> None:
    not_zero = tuple(e.Posting(*posting) for posting in postings if posting[2])
    if not_zero:
        host.emit(e.Posted, postings=not_zero, why=host.text(why, "the reason of a payment"))


def _account(host: Host, account: Any) -> str:
    if isinstance(account, str) and (
        account in host.world.entities or account in host.program.accounts
    ):
        return account
    host.fault(f"there is no account {account!r:.60}")


@host_verb("change", hookable=True)
def pay(
    host: Host,
    payer: str,
    payee: str,
    amount: Any,
    why: str = "",
    commodity: str | None = None,
) -> None:
    """Pay *amount* from one account to another, in one balanced posting.

    The *commodity* is the game's money unless another is named.
    """
    host.permit("pay", payer)
    units, name = host.units(amount, commodity)
    payer, payee = _account(host, payer), _account(host, payee)
    if payer != payee:
        _post(host, why, (payer, name, -units), (payee, name, units))


@host_verb("change", hookable=True)
def give(host: Host, giver: str, taker: str, quantity: Any, commodity: str, why: str = "") -> None:
    """Give a *quantity* of a *commodity*, such as an item, from one account to another."""
    host.permit("give", giver)
    units, name = host.units(quantity, commodity)
    giver, taker = _account(host, giver), _account(host, taker)
    if giver != taker:
        _post(host, why, (giver, name, -units), (taker, name, units))


@host_verb("change", hookable=True)
def mint(
    host: Host, account: str, amount: Any, why: str = "", commodity: str | None = None
) -> None:
    """Create *amount* and add it to *account*. The account `mint` pays for it."""
    host.permit("mint", account)
    units, name = host.units(amount, commodity)
    _post(host, why, ("mint", name, -units), (_account(host, account), name, units))


@host_verb("change", hookable=True)
def burn(
    host: Host, account: str, amount: Any, why: str = "", commodity: str | None = None
) -> None:
    """Remove *amount* from *account*. The account `mint` receives it."""
    host.permit("burn", account)
    units, name = host.units(amount, commodity)
    _post(host, why, (_account(host, account), name, -units), ("mint", name, units))


@host_verb("change", hookable=True)
def split(
    host: Host,
    payer: str,
    shares: Sequence[Sequence[Any]],
    amount: Any,
    remainder_to: str,
    why: str = "",
    commodity: str | None = None,
) -> None:
    """Pay *amount* to several accounts, in proportion to their weights.

    *shares* is a list of `[payee, weight]`. Each share is rounded down, and *remainder_to* gets
    the rest.
    """
    host.permit("split", payer)
    units, name = host.units(amount, commodity)
    total = sum(weight for _, weight in shares)
    if total <= 0 or any(weight < 0 or type(weight) is not int for _, weight in shares):
        host.fault("split needs shares with whole weights, not negative, more than nothing in all")
    postings = [(_account(host, who), name, units * weight // total) for who, weight in shares]
    remainder = units - sum(posting[2] for posting in postings)
    postings.append((_account(host, remainder_to), name, remainder))
    _post(host, why, (_account(host, payer), name, -units), *postings)


# --- things -----------------------------------------------------------------------------------


@host_verb("change", hookable=True)
def move(host: Host, piece: str, square: str, mode: str = "step") -> int:
    """Move *piece* to *square*; return how many squares its walk has passed.

    *mode* is `"step"`, `"slide"`, `"jump"`, `"drive"` or `"place"`. Consecutive steps or slides
    are one walk.
    """
    if host.pure or host.restricted:
        host.permit("move", piece)
    world = host.world
    if piece not in world.entities or square not in world.entities:
        host.fault(f"cannot move {piece!r} to {square!r}: there is no such thing")
    if mode not in MODES:
        host.fault(f"{mode!r} is no way to move: {', '.join(MODES)}")
    rules = host.acting()
    last = host.staged[-1] if host.staged else None
    if (
        mode in ("step", "slide")
        and isinstance(last, e.Moved)
        and (last.piece, last.mode, last.rules) == (piece, mode, rules)
    ):
        host.staged.pop()
        world.head -= 1
        passed = (*last.passed, last.to)
        host.record(replace(last, passed=passed, to=square, audience=host.audience))
        return len(passed) + 1
    left = world.get(piece, "square")
    left = left if isinstance(left, str) else None  # rules can set the attribute to anything
    host.emit(e.Moved, piece=piece, mode=mode, left=left, to=square, rules=rules)
    return 1


@host_verb("change", name="set", hookable=True)
def set_attribute(
    host: Host, entity: str, attribute: str, value: Any, until: int | str | None = None
) -> None:
    """Set an *attribute* of *entity*, which may be `"game"`.

    The value is permanent, or lasts *until* a time in seconds, `"period"` (the period closes)
    or `"use"` (its next `use`).
    """
    host.permit("set", entity, attribute)
    host.check_storable(value)
    host.text(attribute, "an attribute")
    if entity != "game" and entity not in host.world.entities:
        host.fault(f"cannot set {attribute} of {entity!r:.60}: there is no such thing")
    if until is not None and until not in ("period", "use"):
        _check_time(host, until)
    frozen = host.world.game.get("frozen", {})
    if (declared := f"{host.world.entities.get(entity)}.{attribute}") in frozen:
        text = f"{declared} is frozen since rule {frozen[declared]} was repealed"
        host.stop(Refused([e.Reason(host.acting()[0], text)]))
    was = host.world.get(entity, attribute)
    if was == value and until is None and type(was) is type(value):
        return
    host.emit(e.AttributeSet, entity=entity, attribute=attribute, value=value, was=was, until=until)
    if isinstance(until, int):
        _schedule(host, "@expire", (entity, attribute, host.world.head), until, in_address=2)


@host_verb("change", hookable=True)
def create(host: Host, kind: str, attributes: dict[str, Any], name: str | None = None) -> str:
    """Create a thing of *kind* and return its identifier.

    *attributes* is a table `{attribute: value}`. *name* fixes the identifier.
    """
    host.permit("create", kind)
    host.check_storable(*attributes.values())
    for word in (kind, *attributes):
        host.text(word, "a kind or an attribute")
    entity = host.text(name or _new_identifier(host, kind, attributes), "a name")
    if kind == "player":
        _check_not_account(host, entity)
    if entity in host.world.entities or entity in ("mint", "admin", "game", "engine"):
        host.stop(Refused([e.Reason(host.acting()[0], f"there is a {entity!r:.60} already")]))
    not_none = {key: value for key, value in attributes.items() if value is not None}
    host.emit(e.EntityCreated, entity=entity, kind=kind, attributes=not_none)
    return entity


def _check_not_account(host: Host, entity: str) -> None:
    """Refuse a name that an account has, in large letters or small; both would be one account."""
    accounts = () if host.forgets_rules else host.program.accounts
    if any(account.casefold() == entity.casefold() for account in accounts):
        text = f"{entity!r:.60} is the name of an account: choose another name"
        host.stop(Refused([e.Reason(host.acting()[0], text)]))


def _new_identifier(host: Host, kind: str, attributes: dict[str, Any]) -> str:
    """Return the identifier of a new thing: from its key, else from where it is created."""
    key = attributes.get(host.world.key_of(kind))
    if key is not None and f"{kind}:{key}" not in host.world.entities:
        return f"{kind}:{key}"
    place = f"{host.attempt.id}|{host.path()}/{kind}"
    count = host.reads[place] = host.reads.get(place, 0) + 1
    return f"{kind}:{hashlib.sha256(f'{place}#{count}'.encode()).hexdigest()[:10]}"


@host_verb("change", hookable=True)
def destroy(host: Host, entity: str) -> None:
    """Remove *entity* and its attributes from the game."""
    host.permit("destroy", entity)
    if entity not in host.world.entities:
        host.fault(f"cannot destroy {entity!r:.60}: there is no such thing")
    host.emit(e.EntityDestroyed, entity=entity)


@host_verb("change")
def use(host: Host, entity: str, attribute: str) -> Any:
    """Return an attribute; if the value was set until its next use, restore the old one."""
    if host.restricts_everything:
        host.may_read(attribute)
    value = host.world.get(entity, attribute)
    duration = host.world.durations.get(entity, {}).get(attribute)
    if duration is not None and duration[0] == "use":
        host.permit("set", entity, attribute)
        host.emit(e.AttributeSet, entity=entity, attribute=attribute, value=duration[1], was=value)
    return value


@host_verb("change", hookable=True)
def act(host: Host, player: str, action: str, arguments: list[Any]) -> Any:
    """Carry out an *action* that *player* submitted.

    Every submitted action goes through `act`, so `forbid_act` can refuse any of them. An action
    that no rule in force defines is refused, and so are arguments that it does not take.
    """
    operation = host.program.links.operations.get(action)
    if not host.forgets_rules:
        if operation is None:
            text = f"no rule in force says how to {action!r:.60}"
            host.stop(Refused([e.Reason("engine", text)]))
        elif operation.is_action:
            arguments = _fitting_arguments(host, operation, arguments)
    return host.program.call(action, *arguments)


def _fitting_arguments(host: Host, operation: Operation, arguments: list[Any]) -> list[Any]:
    if len(arguments) > len(operation.parameters):
        names = ", ".join(parameter.name for parameter in operation.parameters)
        host.stop(Refused([e.Reason("engine", f"{operation.name} takes only {names}")]))
    try:
        named = named_arguments(host.world, operation, tuple(arguments), {})
    except Refused as refused:
        host.stop(refused)
    return positional_arguments(operation, named)


@host_verb("change")
def reveal(host: Host, *players: str) -> None:
    """Show the rest of a secret attempt to these players too; `reveal()` shows it to everybody."""
    if LEVELS[host.program.ruleset.level].restricts_everything:
        host.permit("reveal")
    if not players:
        host.audience = None
    elif host.audience is not None:
        host.audience = tuple(dict.fromkeys((*host.audience, *players)))


# --- time, limits and the end -----------------------------------------------------------------


@host_verb("change", wrapped=True)
def schedule(
    host: Host,
    operation: str,
    *arguments: Any,
    due: int | None = None,
    follows: str | None = None,
) -> None:
    """Schedule an *operation* as an attempt of its own.

    It runs at the time *due*, or right after the current attempt. The time is fixed, unless the
    timer *follows* a parameter of the rule: when the duration in this parameter is amended, the
    timer moves with it. An operation that no rule in force defines is not scheduled.
    """
    host.permit("schedule", arguments[0] if arguments else None)
    defined = host.program.links.operations.get(operation)
    if defined is None and host.forgets_rules:
        host.fault(f"cannot schedule {operation!r:.60}: no rule in force says what it is")
    host.check_storable(*arguments)
    if due is not None:
        due = _rounded_time(host, due)
        _check_time(host, due)
    if host.forgets_rules or (defined is not None and defined.happens):
        _schedule(host, operation, arguments, due, follows=_followed(host, follows))


def _rounded_time(host: Host, time: Any) -> Any:
    """Return *time* in whole seconds. Where rules are forgotten, a decimal is no time."""
    is_decimal = isinstance(time, Decimal) and not host.forgets_rules
    return values.round_half_up(values.to_fraction(time)) if is_decimal else time


def _followed(host: Host, parameter: str | None) -> tuple[str, str] | None:
    """Return the acting rule and its *parameter* that a timer follows."""
    if parameter is None:
        return None
    number = host.frames[-1].rule
    rule = host.program.by_number.get(number)
    if rule is None or rule.units.get(parameter) not in SECONDS:
        host.fault(f"a timer follows a parameter in {', '.join(SECONDS)}, not {parameter!r:.60}")
    return number, parameter


def _check_time(host: Host, time: Any) -> None:
    if type(time) is not int or not 0 <= time <= TIME_MAX:  # yes and no are whole numbers, too
        host.fault(f"{time!r:.60} is no time in seconds since 1970")


def _check_to_come(host: Host) -> None:
    """Refuse the attempt if too many are still to come, of all or of one player."""
    world, by = host.world, host.attempt.by
    if world.to_come >= TO_COME_MAX:
        text = f"more than {TO_COME_MAX} attempts are still to come"
        host.stop(Refused([e.Reason("engine", text)]))
    is_scarce = world.to_come >= TO_COME_MAX // 2 and adds_up(world)
    if is_scarce and world.entities.get(by) == "player":
        own = sum(timer.attempt.by == by for timer in world.timers.values())
        if own >= TO_COME_MAX // 4:
            text = f"of {TO_COME_MAX} places for what is to come, half are taken, {own} by {by}"
            host.stop(Refused([e.Reason("engine", text)]))


def _schedule(
    host: Host,
    operation: str,
    arguments: tuple[Any, ...],
    due: int | None,
    *,
    in_address: int | None = None,
    follows: tuple[str, str] | None = None,
) -> None:
    """Schedule an attempt. Its address has the first *in_address* of *arguments*, or all."""
    _check_to_come(host)
    inner = "/".join(filter(None, (host.path(), operation)))
    subjects = ",".join(map(address_part, arguments[:in_address]))
    address = f"{_shorten_address(host.attempt.id)}>{inner}({subjects})"
    count = host.reads[address] = host.reads.get(address, 0) + 1
    attempt = address if count == 1 else f"{address}#{count}"
    by = host.attempt.by
    host.emit(
        e.Scheduled,
        attempt=attempt,
        operation=operation,
        arguments=arguments,
        due=due,
        by=by,
        follows=follows,
    )


def _shorten_address(attempt: str) -> str:
    """Return the address *attempt*; if it is long, with the end replaced by a hash.

    Addresses grow, as the address of a scheduled attempt contains that of the attempt behind it.
    """
    if len(attempt) <= ADDRESS_MAX:
        return attempt
    start, _, end = attempt.partition(">")
    return f"{start}>%{hashlib.sha256(end.encode()).hexdigest()[:16]}"


@host_verb("change")
def cancel(host: Host, operation: str, *arguments: Any) -> None:
    """Cancel every scheduled attempt of *operation* with exactly these arguments."""
    host.permit("cancel", arguments[0] if arguments else None)
    timers = [
        timer
        for timer in host.world.timers.values()
        if timer.attempt.operation == operation and tuple(timer.attempt.arguments) == arguments
    ]
    for timer in sorted(timers, key=lambda timer: timer.order):
        host.emit(e.Unscheduled, attempt=timer.attempt.id)


@host_verb("change")
def once(host: Host, label: str, *key: Any, per: str = "period", times: int = 1) -> bool:
    """Return True for the first *times* calls with this label and these keys, then False.

    The count restarts with each period. *per* may also be `"game"` or an operation under way.
    """
    name = host.text("|".join(map(str, (label, *key))), "what happens once")
    if per in ("period", "game"):
        host.permit("once")
        if host.world.counts.get(per, {}).get(name, 0) >= times:
            return False
        host.emit(e.Counted, key=name, scope=per)
        return True
    frame = next((frame for frame in reversed(host.frames) if frame.operation == per), None)
    if frame is None:
        host.fault(f"once per {per}, but no {per} is being carried out")
    frame.counts = frame.counts or {}
    frame.counts[name] = frame.counts.get(name, 0) + 1
    return frame.counts[name] <= times


@host_verb("change", since=2)
def tally(host: Host, label: str, *key: Any, per: str = "period") -> None:
    """Count one more for this *label* and these keys; `tallied` returns the count.

    The count restarts with each period, or never if *per* is `"game"`.
    """
    host.permit("tally")
    host.emit(e.Counted, key=_count_key(host, label, key), scope=_count_scope(host, per))


@host_verb("read", since=2)
def tallied(host: Host, label: str, *key: Any, per: str = "period") -> int:
    """Return how often `tally` counted this *label* and these keys."""
    if host.restricts_everything:
        check_counts(host)
    scope = _count_scope(host, per)
    return host.world.counts.get(scope, {}).get(_count_key(host, label, key), 0)


def _count_key(host: Host, label: str, key: tuple[Any, ...]) -> str:
    return host.text("|".join(map(str, (label, *key))), "what is counted")


def _count_scope(host: Host, per: str) -> str:
    if per not in ("period", "game"):
        host.fault(f'{per!r:.60}: tallies are per = "period" or per = "game"')
    return per


@host_verb("change")
def refuse(host: Host, text: str) -> None:
    """Refuse the attempt and undo everything it did. *text* is the reason."""
    host.stop(Refused([e.Reason(host.acting()[0], host.text(text, "a reason"))]))


@host_verb("change")
def settle(host: Host) -> None:
    """Run the `check_` hooks now, until none of them changes anything.

    Checks may call this within each other, up to 20 deep.
    """
    if host.restricts_everything:
        host.permit("settle")
    host.program.settle()


@host_verb("change")
def end_game(host: Host, why: str, winners: Sequence[str] = ()) -> None:
    """End the game. *why* is the reason, and *winners* is a list in order of rank."""
    host.permit("end_game")
    ranked = tuple(host.text(winner, "a winner") for winner in winners)
    host.emit(e.GameEnded, why=host.text(why, "a reason"), winners=ranked)
