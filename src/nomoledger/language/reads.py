"""The words of rule code that look: at the world, its past, the rules, chance and people."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nomoledger import events as e
from nomoledger.events import rules as r
from nomoledger.language import values
from nomoledger.language.host import Host, Suspended, TrialOver, address_part

DICE_MAX = 1000
SIDES_MAX = 10**9


def get(host: Host, entity: str, attribute: str) -> Any:
    """`get(entity, attribute)`: its value, None where it was never set."""
    if host.restricted:
        host.may_read(attribute)
    table = host.world.attributes.get(entity)
    return None if table is None else table.get(attribute)


def getter(host: Host, attribute: str) -> Callable[[str], Any]:
    """`get` for one *attribute*; nothing is looked at as often."""
    if host.restricted:
        return partial(get, host, attribute=attribute)
    nothing: dict[str, Any] = {}
    return lambda entity: host.world.attributes.get(entity, nothing).get(attribute)


def placed(look: Callable[..., Any], places: dict[str | None, int]) -> Callable[..., int]:
    """*look*, giving the place of what it finds among *places*: -1 where it has none."""

    def found(*given: Any) -> int:
        value = look(*given)
        return places.get(value, -1) if value is None or type(value) is str else -1

    return found


def balance(host: Host, account: str, commodity: str | None = None) -> values.Number:
    """`balance(account, commodity)`: how much there is; of the game's money by default."""
    if host.restricted:
        host.may_read("balance")
    name, places = host.commodity(commodity)
    return values.from_units(host.world.balance(account, name), places)


def holdings(host: Host, account: str) -> list[str]:
    """`holdings(account)`: every commodity of which there is more or less than nothing there."""
    if host.restricted:
        host.may_read("balance")
    return [name for name in host.program.commodities if host.world.balance(account, name)]


def all_of(host: Host, kind: str) -> list[str]:
    """`all(kind)`: everything of that kind, in order of creation."""
    return list(host.world.kinds.get(kind, ()))


def where(host: Host, kind: str, **attributes: Any) -> list[str]:
    """`where(kind, attribute = value, …)`: everything of that kind that fits, oldest first."""
    if host.restricted:
        for attribute in attributes:
            host.may_read(attribute)
    if not attributes:
        return all_of(host, kind)
    (first, value), *rest = attributes.items()
    found = host.world.where(kind, first, value)
    return [x for x in found if all(host.world.get(x, name) == value for name, value in rest)]


def find(host: Host, kind: str, called: Any) -> str | None:
    """`find(kind, called)`: the thing of that kind that people call so (a square by number)."""
    return host.world.find(kind, called)


def label(host: Host, entity: str) -> Any:
    """`label(entity)`: what people call it."""
    return host.world.label(entity)


def kind(host: Host, entity: str) -> str | None:
    """`kind(entity)`: what kind of thing it is."""
    return host.world.entities.get(entity)


def history(host: Host, period: int, entity: str, attribute: str) -> Any:
    """`history(period, entity, attribute)`: its value when that period closed."""
    if host.restricted:
        host.may_read(attribute)
    past = host.world.past.get(period)
    return None if past is None else past["attributes"].get(entity, {}).get(attribute)


def mentioned(host: Host, entity: str) -> bool:
    """`mentioned(entity)`: whether a rule in force names it, by number or by name."""
    called = {host.world.label(entity), host.world.get(entity, "name")} - {None}
    return any(called & set(rule.mentions) for rule in host.program.rules)


def proposed(host: Host, proposal: Any) -> list[list[Any]]:
    """`proposed(proposal)`: what each of its changes does, and to which rule, thing or operation.

    Pairs, in order: "enact", "amend", "repeal" or "renumber" with the number of the rule, "do"
    with the operation, "set" with the attribute, "post" with the commodity.
    Empty where there is no such proposal.
    """
    made = host.world.proposals.get(proposal)
    return [] if made is None else [_told(change) for change in made.changes]


def _told(change: r.Change) -> list[Any]:
    if isinstance(change, r.Enact):
        return ["enact", change.rule.number]
    if isinstance(change, r.Do):
        return ["do", change.operation]
    if isinstance(change, r.Set):
        return ["set", change.attribute]
    if isinstance(change, r.Post):
        return ["post", change.commodity]
    return [str(change.__struct_config__.tag), change.number]


def param(host: Host, number: str, name: str) -> Any:
    """`param(rule, name)`: a parameter of another rule."""
    rule = host.rule(number)
    if name not in rule.parameters:
        host.fault(f"rule {number} has no parameter {name!r}")
    return rule.parameters[name]


def now(host: Host) -> int:
    """`now()`: the game's time, in seconds."""
    return host.attempt.at


def period(host: Host) -> int:
    """`period()`: the number of the period that is open."""
    return host.world.period


def within(host: Host, operation: str) -> list[Any] | None:
    """`within(operation)`: the arguments of the innermost such operation under way, or None."""
    for frame in reversed(host.frames):
        if frame.operation == operation:
            return list(frame.arguments)
    return None


def divide(host: Host, dividend: Any, divisor: Any) -> values.Number:
    """`divide(a, b)`: exact where it ends, else rounded half up at the twelfth decimal."""
    try:
        return values.number(values.fraction(dividend) / values.fraction(divisor))
    except (ValueError, ZeroDivisionError) as error:
        host.fault(str(error))


# --- oracle reads -----------------------------------------------------------------------------


def roll(host: Host, dice: int, sides: int, for_: str = "roll") -> list[int]:
    """`roll(dice, sides, for_)`: that many dice, in the order they fell."""
    if not (0 <= dice <= DICE_MAX and 1 <= sides <= SIDES_MAX):
        host.fault(f"cannot roll {dice} dice of {sides} sides")
    text = f"roll {dice}d{sides} ({for_})"
    return _read(host, "dice", "admin", for_, text, (sides,) * dice) if dice else []


def draw(host: Host, options: Sequence[Any], for_: str = "draw") -> Any:
    """`draw(options, for_)`: one of them, each equally likely."""
    if not options:
        host.fault(f"nothing to draw from for {for_!r}")
    return _read(host, "draw", "admin", for_, f"draw {for_}", tuple(options))[0]


def ask(
    host: Host, player: str, question: str, options: Sequence[Any] = (), default: Any = None
) -> Any:
    """`ask(player, question, options, default)`: what the player says."""
    return _read(host, "choice", player, question, question, tuple(options), default)


def ruling(host: Host, question: str, options: Sequence[Any] = ()) -> Any:
    """`ruling(question, options)`: what the admin rules."""
    return _read(host, "ruling", "admin", question, question, tuple(options))


def _read(
    host: Host,
    asks: str,
    to: str,
    label: str,
    text: str,
    options: tuple[Any, ...],
    default: Any = None,
) -> Any:
    if host.pure:
        host.fault(f"{host.frames[-1].operation} states something, so it may not {asks}")
    for each in (to, label, text):
        host.text(each, "a question")
    if asks != "dice":
        host.keep(list(options), default)
    place = "/".join(filter(None, (host.path(), address_part(label))))
    count = host.reads.get(place, 0)
    host.reads[place] = count + 1
    place = f"{place}#{count}"
    answers = host.world.answers.get(host.attempt.id)
    if answers is not None and place in answers:
        return answers[place]
    if asks == "ruling" and (held := _precedent(host, text, options)) is not None:
        host.is_altered = True
        host.frames[-1].altered.insert(0, f"ruling:{held['ruling']}")
        return held["value"]
    if host.trials:
        host.stop(TrialOver())
    question = e.QuestionRaised(
        period=host.world.period,
        received_at=host.received_at,
        recorded_at=host.recorded_at,
        cause=host.attempt.cause,
        rules=host.acting(),
        audience=host.audience,
        question=f"{host.attempt.id}|{place}",
        asks=asks,
        to=to,
        text=text,
        options=options,
        default=default,
    )
    found = host.oracle(question)
    if found is None:
        host.stop(Suspended(question))
    host.emit(e.DrawRecorded, **draw_fields(question, found))
    return found


def draw_fields(question: e.QuestionRaised, values: Sequence[Any]) -> dict[str, Any]:
    """The fields of the event that *values* were drawn for *question*."""
    of = {"dice": "sides", "draw": "options"}.get(question.asks)
    fields: dict[str, Any] = {"address": question.question, "values": tuple(values)}
    return fields if of is None else fields | {of: question.options}


def _precedent(host: Host, text: str, options: tuple[Any, ...]) -> dict[str, Any] | None:
    """An earlier answer of the admin to the same question that was to hold on."""
    held = host.world.precedents.get(text)
    if held is None or (options and held["value"] not in options):
        return None
    asking, asked = host.acting()[0], str(held["rule"])
    if held["scope"] == "precedent":
        return held if asking == asked else None
    return held if asking.partition("@")[0] == asked.partition("@")[0] else None


def decide(host: Host, operation: str, rules: list[str], outcomes: list[Any]) -> str:
    """Which of the *rules* prevails on *operation*, by claims, edges, a rule, or a ruling."""
    best = [rule for rule in rules if all(_beats(host, rule, other) for other in rules)]
    if best:
        return best[0]
    text = f"{operation}: " + " or ".join(
        f"{outcome!s:.200} by {rule}" for rule, outcome in zip(rules, outcomes, strict=True)
    )
    pure, host.pure = host.pure, 0
    label = f"{operation}: {' or '.join(rules)}"
    winner = str(_read(host, "conflict", "admin", label, text, tuple(rules)))
    host.pure = pure
    return winner


def _beats(host: Host, rule: str, other: str) -> bool:
    if rule == other or f"{rule}>{other}" in host.world.edges:
        return True
    if other in host.rule(rule).overrides:
        return True
    if "precedence" in host.program.links.operations:
        return bool(host.program.call("precedence", rule, other) == rule)
    return False
