"""The host verbs that read: the world, its past, the rules, chance, and the answers of people."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from nomoledger import events as e
from nomoledger.events import rules as r
from nomoledger.language import values
from nomoledger.language.address_part import address_part
from nomoledger.language.draw_address import draw_address, operations_of
from nomoledger.language.host import Drawn, Host, Suspended, TrialOver
from nomoledger.language.host_verbs import host_verb
from nomoledger.language.restricted_reads import check_key, check_listing
from nomoledger.state.unknowns import EXISTENCE

DICE_MAX = 1000
SIDES_MAX = 10**9


@host_verb("read", wrapped=True, traced=True)
def get(host: Host, entity: str, attribute: str) -> Any:
    """Return an *attribute* of *entity*; None if it was never set."""
    if host.restricted:
        host.may_read(attribute)
    table = host.world.attributes.get(entity)
    return None if table is None else table.get(attribute)


def getter(host: Host, attribute: str) -> Callable[[str], Any]:
    """Return `get` for one *attribute*: a faster function for the most frequent of all reads."""
    if host.restricted:
        return partial(get, host, attribute=attribute)
    no_attributes: dict[str, Any] = {}
    return lambda entity: host.world.attributes.get(entity, no_attributes).get(attribute)


def by_position(read: Callable[..., Any], positions: dict[str | None, int]) -> Callable[..., int]:
    """Return *read* with the position of its result in *positions* as result; -1 if it has none."""

    def read_position(*arguments: Any) -> int:
        value = read(*arguments)
        return positions.get(value, -1) if value is None or type(value) is str else -1

    return read_position


@host_verb("read", traced=True)
def balance(host: Host, account: str, commodity: str | None = None) -> values.Number:
    """Return how much of a *commodity* (by default the game's money) *account* holds."""
    if host.restricted:
        host.may_read("balance")
    name, places = host.commodity(commodity)
    if host.world.watch is not None:
        host.world.watch.read(account, name)
    return values.from_units(host.world.balance(account, name), places)


@host_verb("read")
def holdings(host: Host, account: str) -> list[str]:
    """Return the commodities of which the *account* holds more or less than nothing."""
    if host.restricted:
        host.may_read("balance")
    if host.world.watch is not None:
        for name in host.program.commodities:
            host.world.watch.read(account, name)
    return [name for name in host.program.commodities if host.world.balance(account, name)]


@host_verb("read", name="all", wrapped=True)
def all_of(host: Host, kind: str) -> list[str]:
    """Return all things of *kind*, oldest first."""
    if host.restricts_everything:
        check_listing(host, kind)
    if host.world.watch is not None:
        host.world.watch.search(kind, EXISTENCE)
    return list(host.world.kinds.get(kind, ()))


def join_all(host: Host, kind: str) -> str | int:
    """Return `all_of` as one text, a line each: the interpreter receives lists slowly.

    Return 0 if there is nothing, or if a thing has a name of several lines.
    """
    things = all_of(host, kind)
    joined = "\n".join(things)
    return joined if joined.count("\n") == len(things) - 1 else 0


@host_verb("read", wrapped=True, traced=True)
def where(host: Host, kind: str, **attributes: Any) -> list[str]:
    """Return the things of *kind* whose attributes have these values, oldest first."""
    if host.restricted:
        for attribute in attributes:
            host.may_read(attribute)
    if host.restricts_everything:
        check_listing(host, kind)
    if not attributes:
        return all_of(host, kind)
    if host.world.watch is not None:
        for name in attributes:
            host.world.watch.search(kind, name)
    (first, value), *others = attributes.items()
    found = [
        entity
        for entity in host.world.where(kind, first, value)
        if all(host.world.get(entity, name) == value for name, value in others)
    ]
    if host.world.watch is not None:
        for entity in found:
            host.world.watch.read(entity, EXISTENCE)
    return found


@host_verb("read", since=3)
def count_all(host: Host, kind: str) -> int:
    """Return how many things of *kind* there are."""
    if host.world.watch is not None:
        host.world.watch.search(kind, EXISTENCE)
    return len(host.world.kinds.get(kind, ()))


@host_verb("read", since=3)
def alike(host: Host, kind: str, attribute: str, text: Any) -> list[str]:
    """Return the things of *kind* whose *attribute* is *text* in small or capital letters.

    They come oldest first.
    """
    if host.restricted:
        host.may_read(attribute)
    return host.world.index.alike(kind, attribute, text.lower()) if isinstance(text, str) else []


@host_verb("read", since=3)
def highest(host: Host, kind: str, attribute: str) -> values.Number:
    """Return the highest number that an *attribute* of a thing of *kind* is; at least 0."""
    if host.restricted:
        host.may_read(attribute)
    return host.world.index.highest(kind, attribute)


@host_verb("read", since=3)
def lowest_free(host: Host, kind: str, attribute: str) -> int:
    """Return the lowest number from 1 on that the *attribute* of no thing of *kind* is."""
    if host.restricted:
        host.may_read(attribute)
    return host.world.index.lowest_free(kind, attribute)


@host_verb("read", wrapped=True, traced=True)
def find(host: Host, kind: str, called: Any) -> str | None:
    """Return the thing of *kind* that people call *called*; None if there is none.

    The name is the value of its key, such as the name of a player or the number of a square.
    """
    if host.restricts_everything:
        check_listing(host, kind)
    return host.world.find(kind, called)


@host_verb("read")
def label(host: Host, entity: str) -> Any:
    """Return what people call *entity*: the value of its key."""
    if host.restricts_everything:
        check_key(host, entity)
    return host.world.label(entity)


@host_verb("read")
def kind(host: Host, entity: str) -> str | None:
    """Return the kind of *entity*."""
    kind = host.world.entities.get(entity)
    if kind is not None and host.restricts_everything:
        check_listing(host, kind)
    return kind


@host_verb("read")
def history(host: Host, period: int, entity: str, attribute: str) -> Any:
    """Return the value that an *attribute* had when that *period* closed."""
    if host.restricted:
        host.may_read(attribute)
    past = host.world.past.get(period)
    return None if past is None else past["attributes"].get(entity, {}).get(attribute)


@host_verb("read")
def mentioned(host: Host, entity: str) -> bool:
    """Return whether a rule in force lists *entity* under `mentions`."""
    if host.restricts_everything:
        check_key(host, entity)
        host.may_read("name")
    names = {host.world.label(entity), host.world.get(entity, "name")} - {None}
    return any(names & set(rule.mentions) for rule in host.program.ruleset.rules)


@host_verb("read", since=2)
def rules_about(host: Host, subject: str) -> list[list[str]]:
    """Return the rules in force that list *subject* under `subjects`, in their order.

    Each is a list `[number, title, prepared]`. What is prepared for the time when the subject is
    removed from the rules is `"amend"`, `"repeal"`, or `""` for nothing.
    """
    return [
        [rule.number, rule.title, _prepared(rule.subjects[subject])]
        for rule in host.world.rules
        if subject in rule.subjects
    ]


def _prepared(rewording: r.Rewording) -> str:
    if rewording.repeal:
        return "repeal"
    return "" if rewording == r.Rewording() else "amend"


@host_verb("read")
def proposed(host: Host, proposal: Any) -> list[list[Any]]:
    """Return what each change of a *proposal* does, as a list of pairs.

    The pairs, in the order of the changes, are `["enact", rule]`, and likewise `"amend"`,
    `"repeal"` and `"renumber"`, `["do", operation]`, `["set", attribute]` and `["post",
    commodity]`. The list is empty if there is no such proposal.
    """
    stored = host.world.proposals.get(proposal)
    return [] if stored is None else [_effect_of(change) for change in stored.changes]


def _effect_of(change: r.Change) -> list[Any]:
    if isinstance(change, r.Enact):
        return ["enact", change.rule.number]
    if isinstance(change, r.Do):
        return ["do", change.operation]
    if isinstance(change, r.Set):
        return ["set", change.attribute]
    if isinstance(change, r.Post):
        return ["post", change.commodity]
    return [str(change.__struct_config__.tag), change.number]


@host_verb("read", since=2)
def wording(host: Host, proposal: Any) -> str:
    """Return the words in which a *proposal* was made; no words if there is no such proposal."""
    stored = host.world.proposals.get(proposal)
    return "" if stored is None else stored.text


@host_verb("read")
def param(host: Host, number: str, name: str) -> Any:
    """Return a parameter of another rule. A rule uses its own parameters by name."""
    rule = host.rule(number)
    if name not in rule.parameters:
        host.fault(f"rule {number} has no parameter {name!r}")
    return rule.parameters[name]


@host_verb("read")
def now(host: Host) -> int:
    """Return the game's time, in seconds since 1970."""
    return host.attempt.at


@host_verb("read")
def period(host: Host) -> int:
    """Return the number of the open period."""
    return host.world.period


@host_verb("read", depends_on_caller=True)
def within(host: Host, operation: str) -> list[Any] | None:
    """Return the arguments of the innermost *operation* of this name under way, else None."""
    for frame in reversed(host.frames):
        if frame.operation == operation:
            return list(frame.arguments)
    return None


@host_verb("read")
def divide(host: Host, dividend: Any, divisor: Any) -> values.Number:
    """Return the exact quotient; an endless decimal is rounded half up at 12 places."""
    try:
        return values.from_fraction(values.to_fraction(dividend) / values.to_fraction(divisor))
    except (ValueError, ZeroDivisionError) as error:
        host.fault(str(error))


@host_verb("read")
def rounded(host: Host, value: Any) -> int:
    """Round *value* to a whole number, halves away from zero."""
    try:
        return values.round_half_up(values.to_fraction(value))
    except ValueError as error:
        host.fault(str(error))


# --- chance and people ----------------------------------------------------------------------------


@host_verb("ask", wrapped=True)
def roll(host: Host, dice: int, sides: int, for_: str = "roll") -> list[int]:
    """Roll *dice* dice with *sides* sides; return a list in the order they fell.

    *for_* labels the roll.
    """
    if not (0 <= dice <= DICE_MAX and 1 <= sides <= SIDES_MAX):
        host.fault(f"cannot roll {dice} dice of {sides} sides")
    text = f"roll {dice}d{sides} ({for_})"
    return _ask_oracle(host, "dice", "admin", for_, text, (sides,) * dice) if dice else []


@host_verb("ask")
def draw(host: Host, options: Sequence[Any], for_: str = "draw") -> Any:
    """Draw one of *options* at random, each equally likely. *for_* labels the draw."""
    if not options:
        host.fault(f"nothing to draw from for {for_!r}")
    return _ask_oracle(host, "draw", "admin", for_, f"draw {for_}", tuple(options))[0]


@host_verb("ask")
def ask(
    host: Host, player: str, question: str, options: Sequence[Any] = (), default: Any = None
) -> Any:
    """Ask *player* a *question* and return the answer.

    *default* is the answer to assume where nobody is asked, such as in a what-if.
    """
    return _ask_oracle(host, "choice", player, question, question, tuple(options), default)


@host_verb("ask")
def ruling(host: Host, question: str, options: Sequence[Any] = ()) -> Any:
    """Ask the admin a *question* and return the ruling."""
    return ask_ruling(host, question, options)


def ask_ruling(host: Host, question: str, options: Sequence[Any] = ()) -> Any:
    """Ask the admin a *question* and return the ruling, as the verb `ruling` does."""
    return _ask_oracle(host, "ruling", "admin", question, question, tuple(options))


def _ask_oracle(
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
    for word in (to, label, text):
        host.text(word, "a question")
    if asks != "dice":
        host.check_storable(list(options), default)
    address = "/".join(filter(None, (host.path(), address_part(label))))
    count = host.reads.get(address, 0)
    host.reads[address] = count + 1
    address = f"{address}#{count}"
    answers = host.world.answers.get(host.attempt.id)
    if answers is not None and address in answers:
        return answers[address]
    if asks == "ruling" and (precedent := _precedent(host, text, options)) is not None:
        host.is_altered = True
        host.frames[-1].altered.insert(0, f"ruling:{precedent['ruling']}")
        return precedent["value"]
    if host.trials:
        host.stop(TrialOver())
    question = e.QuestionRaised(
        period=host.world.period,
        received_at=host.received_at,
        recorded_at=host.recorded_at,
        cause=host.attempt.cause,
        rules=host.acting(),
        audience=host.audience,
        question=f"{host.attempt.id}|{address}",
        asks=asks,
        to=to,
        text=text,
        options=options,
        default=default,
    )
    if asks in ("dice", "draw") and not host.world.draws_by_request:
        operation = _operation(host)
        draw = draw_address(host.world, host.attempt, operation, label, host.audience)
        question = replace(question, draw=draw)
    answer = host.oracle(question)
    if isinstance(answer, Drawn):
        question, answer = replace(question, draw=answer.address), answer.values
    if answer is None:
        host.stop(Suspended(replace(question, draw="")))
    host.emit(e.DrawRecorded, **draw_fields(question, answer))
    return answer


def _operation(host: Host) -> str:
    """Return the operation of the attempt under way, or of the act of a standing order."""
    *acts, attempt = operations_of(host.attempt)
    return next((frame.operation for frame in host.frames if frame.operation in acts), attempt)


def draw_fields(question: e.QuestionRaised, values: Sequence[Any]) -> dict[str, Any]:
    """Return the fields of the `DrawRecorded` for *values* drawn to answer *question*."""
    fields: dict[str, Any] = {"address": question.question, "values": tuple(values)}
    if question.draw:
        fields |= {"address": question.draw, "asked": question.question}
    name = {"dice": "sides", "draw": "options"}.get(question.asks)
    return fields if name is None else fields | {name: question.options}


def _precedent(host: Host, text: str, options: tuple[Any, ...]) -> dict[str, Any] | None:
    """Return the earlier ruling of the admin that answers the question *text*, if there is one."""
    precedent = host.world.precedents.get(text)
    if precedent is None or (options and precedent["value"] not in options):
        return None
    asking_rule, earlier_rule = host.acting()[0], str(precedent["rule"])
    if precedent["scope"] == "precedent":
        return precedent if asking_rule == earlier_rule else None
    same_number = asking_rule.partition("@")[0] == earlier_rule.partition("@")[0]
    return precedent if same_number else None


def decide(host: Host, operation: str, rules: list[str], outcomes: list[Any]) -> str:
    """Return which of *rules* prevails on *operation*.

    `overrides`, earlier rulings and the value `precedence` decide; else the admin is asked to
    choose from *outcomes*.
    """
    strongest = [rule for rule in rules if all(_prevails(host, rule, other) for other in rules)]
    if strongest:
        return strongest[0]
    text = f"{operation}: " + " or ".join(
        f"{outcome!s:.200} by {rule}" for rule, outcome in zip(rules, outcomes, strict=True)
    )
    pure, host.pure = host.pure, 0
    label = f"{operation}: {' or '.join(rules)}"
    winner = str(_ask_oracle(host, "conflict", "admin", label, text, tuple(rules)))
    host.pure = pure
    return winner


def _prevails(host: Host, rule: str, other: str) -> bool:
    if rule == other or f"{rule}>{other}" in host.world.edges:
        return True
    if other in host.rule(rule).overrides:
        return True
    defined = host.program.links.operations.get("precedence")
    if defined is not None and defined.definitions:
        return bool(host.program.call("precedence", rule, other) == rule)
    return False
