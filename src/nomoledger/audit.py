"""Judges a hand-kept record: each fact against what the rules in force make of the state before it.

A rule says in its data how a record speaks of what it does (`Speech`). A fact either sets an
operation going, with the dice that the record names, or states what came of it. Where the two
differ the record prevails, and play goes on from the record.
"""

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from nomoledger import events as e
from nomoledger.reducer import seconds
from nomoledger.rules.host import Frame, Host, Refused
from nomoledger.rules.program import linked
from nomoledger.rules.resolve import named_arguments
from nomoledger.rules.rule import Speech
from nomoledger.rules.values import amount
from nomoledger.tape import Oracle
from nomoledger.world import Attempt, World

if TYPE_CHECKING:
    from nomoledger.engine import Engine

RECORD = ("record",)
#: The kind of fact that says that a hand-kept record tells no more of a period.
PERIOD_ENDS = "period-ends"


def judge(engine: "Engine", fact: e.FactRecorded) -> list[e.Event]:
    """What follows from *fact*, which the world has just taken."""
    world, number = engine.world, engine.world.head
    program = linked(world.rules)
    host = program.host
    host.begin(world, _bookkeeping(fact, number))
    if fact.kind == PERIOD_ENDS:
        _call_off(host, number)
        return host.staged
    speech = next((r.facts[fact.kind] for r in program.rules if fact.kind in r.facts), None)
    if speech is None:
        _unexplained(host, number, f"no rule in force speaks of {fact.kind!r}")
        return host.staged
    if speech.attribute is not None:
        _compare_attribute(host, fact, number, speech)
    elif speech.paid is not None:
        _compare_paid(host, fact, number, speech)
    elif speech.asks is not None:
        _compare_value(host, fact, number, speech)
    if speech.attempt is None:
        return host.staged
    return [*host.staged, *_carry_out(engine, fact, number, speech)]


def _bookkeeping(fact: e.FactRecorded, number: int) -> Attempt:
    return Attempt(id=fact.id, operation="", cause=number, at=seconds(fact.received_at))


def _unexplained(host: Host, fact: int, why: str) -> None:
    host.emit(e.FactUnexplained, fact=fact, why=why)


# --- facts that set something going -------------------------------------------------------------


def _carry_out(
    engine: "Engine", fact: e.FactRecorded, number: int, speech: Speech
) -> list[e.Event]:
    world, operation = engine.world, str(speech.attempt)
    host = linked(world.rules).host
    host.begin(world, _bookkeeping(fact, number))
    given = tuple(fact.fields.get(name) for name in speech.given)
    dice = list(fact.fields.get(speech.dice, [])) if speech.dice else []
    attempt = _expected(world, operation, given)
    if attempt is None:
        if dice:  # that were not thrown for what waits for some
            _call_off(host, number)
        host.emit(
            e.Scheduled, attempt=f"{fact.id}>{operation}", operation=operation, arguments=given
        )
        host.emit(e.AttemptDone, attempt=fact.id)
        attempt = world.agenda[0]
    before = list(host.staged)
    after = engine.carry_out(attempt, _feeding(dice))
    host = linked(world.rules).host
    host.begin(world, _bookkeeping(fact, number))
    refusal = next((each for each in after if isinstance(each, e.AttemptRefused)), None)
    if refusal is not None:
        why = "; ".join(reason.text for reason in refusal.reasons)
        _prevail(host, number, str(given[0]), operation, "done", f"refused: {why}", refusal.rules)
    elif dice:
        _unexplained(host, number, f"dice left over: {', '.join(map(str, dice))}")
    return [*before, *after, *host.staged]


def _expected(world: World, operation: str, given: tuple[Any, ...]) -> Attempt | None:
    """The attempt that waits for just this fact, as an extra turn waits for its dice."""
    if world.waiting is None or world.agenda[0].operation != operation:
        return None
    arguments = tuple(world.label(each) for each in world.agenda[0].arguments)
    return world.agenda[0] if arguments[: len(given)] == given else None


def _call_off(host: Host, fact: int) -> None:
    """What the rules still wait for, but the record passes over, did not happen."""
    question = host.world.waiting
    if question is None:
        return
    attempt = host.world.agenda[0]
    subject = str(host.world.label(attempt.arguments[0])) if attempt.arguments else "game"
    _prevail(host, fact, subject, attempt.operation, None, question.text, question.rules)
    host.emit(e.Unscheduled, attempt=attempt.id)


def _feeding(dice: list[Any]) -> Oracle:
    """An oracle that takes what is asked for from *dice*, until they are used up."""

    def answer(question: e.QuestionRaised) -> list[Any] | None:
        count = len(question.options) if question.asks == "dice" else 1
        if question.asks not in ("dice", "draw") or len(dice) < count:
            return None
        values, dice[:] = dice[:count], dice[count:]
        return values

    return answer


# --- facts that state what came of it -----------------------------------------------------------


def _compare_value(host: Host, fact: e.FactRecorded, number: int, speech: Speech) -> None:
    world, program = host.world, host.program
    asked = program.links.operations[str(speech.asks)]
    given = tuple(fact.fields.get(name) for name in speech.given)
    recorded = fact.fields.get(str(speech.value))
    try:
        by_rules = program.call(asked.name, **named_arguments(world, asked, given, {}))
    except Refused as error:
        return _unexplained(host, number, error.reasons[0].text)
    rules = program.cite(tuple(number for number, _ in asked.definitions))
    if str(speech.value) not in fact.fields:  # it only says that there is such a thing
        recorded = None if by_rules is None else _labelled(world, by_rules)
        agrees = by_rules is not None
    else:
        agrees = _labelled(world, by_rules) == recorded
    if agrees:
        host.emit(e.FactConfirmed, fact=number, rules=rules)
        return None
    about = (*filter(None, [speech.subject]), *speech.given)
    subject = str(fact.fields.get(about[0])) if about else "game"
    _prevail(host, number, subject, fact.kind, recorded, _labelled(world, by_rules), rules)
    if speech.prevails is not None:
        host.frames = [Frame("", (), "record")]
        changed = program.links.operations[speech.prevails]
        program.call(changed.name, **named_arguments(world, changed, (*given, recorded), {}))
        host.frames = [Frame("", (), "engine")]
    return None


def _compare_paid(host: Host, fact: e.FactRecorded, number: int, speech: Speech) -> None:
    world, money = host.world, host.program.money
    called = str(fact.fields.get(str(speech.subject)))
    account = world.find("player", called) or called
    why = str(speech.paid).format_map(defaultdict(str, fact.fields))
    paid = [event for event in world.game.get("posted", ()) if event.why == why]
    postings = [p for event in paid for p in event.postings]
    units = sum(p.amount for p in postings if (p.account, p.commodity) == (account, money))
    by_rules = amount(units, host.program.commodities[money].places)
    recorded = fact.fields.get(str(speech.value))
    rules = paid[0].rules if paid else ("engine",)
    if by_rules == recorded:
        host.emit(e.FactConfirmed, fact=number, rules=rules)
        return
    _prevail(host, number, called, fact.kind, recorded, by_rules, rules)
    _pay_the_difference(host, account, paid, recorded, units)


def _pay_the_difference(
    host: Host, account: str, paid: list[e.Posted], recorded: Any, units: int
) -> None:
    """Bring the balances to what the record says was paid, from where the rules had it paid."""
    wanted, money = host.units(recorded, None)
    others = [p.account for event in paid for p in event.postings if p.account != account]
    other = others[0] if others else "mint"
    postings = (e.Posting(other, money, units - wanted), e.Posting(account, money, wanted - units))
    host.emit(e.Posted, postings=postings, why="as recorded", rules=RECORD)


def _labelled(world: World, value: Any) -> Any:
    return [world.label(each) for each in value] if isinstance(value, list) else world.label(value)


def _compare_attribute(host: Host, fact: e.FactRecorded, number: int, speech: Speech) -> None:
    world = host.world
    called = fact.fields.get(str(speech.subject))
    subject = next((f for kind in world.kinds if (f := world.find(kind, called))), None)
    if subject is None:
        return _unexplained(host, number, f"there is no {called!r}")
    attribute = str(speech.attribute)
    written = fact.fields.get(str(speech.value))
    recorded = _resolved(world, subject, attribute, written)
    if recorded is None:
        return _unexplained(host, number, f"there is no {attribute} {written!r}")
    by_rules = world.get(subject, attribute)
    rules = world.origins.get(subject, {}).get(attribute, ("engine",))
    if recorded == by_rules:
        host.emit(e.FactConfirmed, fact=number, rules=rules)
        return None
    _prevail(host, number, str(called), attribute, written, world.label(by_rules), rules)
    host.emit(
        e.AttributeSet,
        entity=subject,
        attribute=attribute,
        value=recorded,
        was=by_rules,
        rules=RECORD,
    )
    return None


def _resolved(world: World, subject: str, attribute: str, written: Any) -> Any:
    """The recorded value as the world keeps it: a square by its identity, not its number."""
    declared = world.declared(world.entities[subject]).get(attribute, "").removesuffix(" key")
    kind = declared.lower()
    return world.find(kind, written) if kind in world.kinds else written


def _prevail(
    host: Host,
    fact: int,
    subject: str,
    what: str,
    recorded: Any,
    by_rules: Any,
    rules: tuple[str, ...],
) -> None:
    earlier, attempt = host.world.game.get("diverged", (None, None))
    same = earlier is not None and attempt == host.world.game.get("last_attempt")
    host.emit(
        e.RecordPrevailed,
        fact=fact,
        subject=subject,
        what=what,
        recorded=recorded,
        by_rules=by_rules,
        follows=earlier if same else None,
        rules=rules,
    )
