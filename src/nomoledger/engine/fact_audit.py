"""The audit of a hand-kept record: each fact is compared with what the rules in force compute.

The data of a rule maps the facts of a record to its operations (`FactMapping`). A fact either
states a value, which is compared with the rules (`nomoledger.engine.facts`), or starts an operation
with the dice that the record names. Play continues from the record.
"""

from collections.abc import Callable
from typing import Any, Protocol

from nomoledger import events as e
from nomoledger.engine.facts import RECORD, Fact, FollowsRecord, find_called
from nomoledger.engine.foreseen_end import End, beginnings, effects, foreseen_end, is_done, sets
from nomoledger.engine.oracles import is_possible_draw
from nomoledger.engine.unknown_facts import KINDS, state_unknown_or_known
from nomoledger.errors import RuleFault
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import FactMapping
from nomoledger.language.address_part import address_part
from nomoledger.language.host import Oracle
from nomoledger.language.program import Program
from nomoledger.state.clock import to_seconds
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.reducer import CLOSING
from nomoledger.state.stated_payments import payments_in
from nomoledger.state.unknowns import EXISTENCE, unknown_since
from nomoledger.state.world import Attempt, World

#: The kind of the fact that marks the end of a period in a hand-kept record.
PERIOD_ENDS = "period-ends"
#: The kind of the fact that marks its beginning, where rules have something begin with it.
PERIOD_BEGINS = "period-begins"


class AuditEngine(Protocol):
    """The part of `nomoledger.engine.agenda.Engine` that an audit uses."""

    world: World
    follows_record: FollowsRecord | bool

    @property
    def link(self) -> Callable[[Ruleset], Program]:
        """The function that links rules into the program that runs them."""

    def carry_out(
        self, attempt: Attempt, oracle: Oracle | None = None, *, may_fail: bool = True
    ) -> list[e.Event]:
        """Carry out *attempt*, with answers from *oracle*."""


def audit_fact(engine: AuditEngine, body: e.FactRecorded) -> list[e.Event]:
    """Return the events that follow from the fact *body*, which was just applied to the world."""
    number = engine.world.head
    fact = _begin(engine, body, number)
    if body.kind == PERIOD_ENDS:
        _end_record(fact)
        return fact.host.staged
    speech = fact_mapping(engine.world, body.kind)
    if speech is None and body.kind in KINDS and LEVELS[engine.world.level].audits_closely:
        state_unknown_or_known(fact)
        return fact.host.staged
    if speech is None:
        fact.mark_unexplained(f"no rule in force speaks of {body.kind!r}")
        return fact.host.staged
    fact.compare(speech)
    if speech.attempt is None or fact.is_unexplained:
        return fact.host.staged
    compared = list(fact.host.staged)
    end = foreseen_end(engine.world, body, fact_mapping)
    if end is None:
        return [*compared, *_carry_out(engine, fact, speech)]
    return [*compared, *_carry_out_to(engine, fact, speech, end)]


def _carry_out_to(engine: AuditEngine, fact: Fact, speech: FactMapping, end: End) -> list[e.Event]:
    """Carry out the operation that *fact* states so that it ends as the record says.

    It begins where it has to. If nothing else depends on that, or if no beginning leads there, the
    rules alone decide, and a later fact corrects the end.
    """
    world = engine.world
    if unknown_since(world, end.entity, end.attribute) is not None:
        return _carry_out_from_unknown(engine, fact, speech, end)
    mark = world.mark()
    alone = _carry_out(engine, fact, speech)
    by_rules = world.get(end.entity, end.attribute)
    is_final = by_rules == end.value or not is_done(alone)
    if is_final or not _is_followed(engine.follows_record, end, world.label(by_rules)):
        world.release(mark)
        return alone
    world.rollback(mark)
    rules = next((x.rules for x in reversed(alone) if sets(x, end)), ("engine",))
    for beginning in beginnings(world, end):
        mark = world.mark()
        staged = _begin_from(engine, fact, end, beginning, by_rules=by_rules, rules=rules)
        events = _carry_out(engine, fact, speech)
        if world.get(end.entity, end.attribute) == end.value and is_done(events):
            if effects(events, end) != effects(alone, end):
                world.release(mark)
                return [*staged, *events]
            world.rollback(mark)
            break
        world.rollback(mark)
    return _carry_out(engine, fact, speech)


def _begin_from(
    engine: AuditEngine, fact: Fact, end: End, beginning: Any, **foreseen: Any
) -> list[e.Event]:
    """Let the attempt begin from *beginning*; *foreseen* are fields of `EndForeseen`."""
    start = _begin(engine, fact.body, fact.number, fact.first_difference)
    start.set_attribute(end.entity, end.attribute, beginning)
    start.host.emit(e.EndForeseen, entity=end.entity, attribute=end.attribute, **foreseen)
    return list(start.host.staged)


def _carry_out_from_unknown(
    engine: AuditEngine, fact: Fact, speech: FactMapping, end: End
) -> list[e.Event]:
    """Carry out the operation from where it has to begin: nobody knows where it did.

    If no beginning leads to the end that the record states, the attempt is in doubt.
    """
    world, since = engine.world, unknown_since(engine.world, end.entity, end.attribute)
    now = world.get(end.entity, end.attribute)
    for beginning in (*beginnings(world, end, is_known=False), now):
        mark = world.mark()
        staged = _begin_from(engine, fact, end, beginning, since=since, rules=RECORD)
        events = _carry_out(engine, fact, speech)
        if world.get(end.entity, end.attribute) == end.value and is_done(events):
            world.release(mark)
            return [*staged, *events]
        world.rollback(mark)
    return _carry_out(engine, fact, speech)


def _is_followed(follows: FollowsRecord | bool, end: End, by_rules: Any) -> bool:
    """Return whether play goes on from the end that the record states."""
    return follows if isinstance(follows, bool) else follows(end.fact, end.attribute, by_rules)


def fact_mapping(world: World, kind: str) -> FactMapping | None:
    """Return how the rules in force of *world* speak of facts of *kind*; None if they do not."""
    return next((rule.facts[kind] for rule in world.rules if kind in rule.facts), None)


def _end_record(fact: Fact) -> None:
    """End the record of the period; the close goes on without facts.

    If the rules map the end of a period to a note, an attempt that waits in the close is skipped,
    and is no difference.
    """
    world = fact.world
    is_closing = any(attempt.operation == CLOSING for attempt in world.agenda)
    speech = fact_mapping(world, PERIOD_ENDS)
    if is_closing and speech is not None and speech.note:
        if world.waiting is not None:
            fact.host.emit(e.Unscheduled, attempt=world.agenda[0].id)
        return
    _cancel_waiting_attempt(fact)
    if not is_closing:
        kinds = {kind: each for rule in world.rules for kind, each in rule.facts.items()}
        fact.note_unstated_payments({k: each for k, each in kinds.items() if each.payer})


def _begin(
    engine: AuditEngine, body: e.FactRecorded, number: int, first_difference: int | None = None
) -> Fact:
    """Make the host ready to emit events about the fact *body*, and return its comparison."""
    world = engine.world
    host = engine.link(world.ruleset).host
    at = to_seconds(body.received_at)
    host.begin(world, Attempt(id=body.id, operation="", cause=number, at=at))
    return Fact(
        host, body, number, follows=engine.follows_record, first_difference=first_difference
    )


def _carry_out(engine: AuditEngine, compared: Fact, speech: FactMapping) -> list[e.Event]:
    """Carry out the operation that the fact states, with its dice; return all events."""
    world, operation, body = engine.world, str(speech.attempt), compared.body
    fact = _begin(engine, body, compared.number, compared.first_difference)
    values = tuple(fact.field(name) for name in speech.given)
    dice = _as_list(fact.field(speech.dice)) if speech.dice else []
    attempt = _waiting_attempt(world, operation, values)
    if attempt is None and dice:  # these dice do not belong to the attempt that waits for some
        _cancel_waiting_attempt(fact)
        attempt = _next_attempt(world, operation, values)
    if attempt is None:
        by, values = _with_actor(fact, operation, values)
        id, arguments = f"{body.id}>{operation}", _without_missing(values)
        fact.host.emit(e.Scheduled, attempt=id, operation=operation, arguments=arguments, by=by)
        fact.host.emit(e.AttemptDone, attempt=body.id)
        attempt = world.agenda[0]
    before, paid = list(fact.host.staged), len(payments_in(world))
    try:
        after = engine.carry_out(attempt, _recorded_dice(dice), may_fail=False)
    except RuleFault as fault:  # the values of a record are not checked, as those of requests are
        fact = _begin(engine, body, compared.number, compared.first_difference)
        fact.mark_unexplained(f"a rule fails on it: {fault}")
        fact.host.emit(e.Unscheduled, attempt=attempt.id)
        return [*before, *fact.host.staged]
    fact = _begin(engine, body, compared.number, compared.first_difference)
    fact.in_doubt = next((x.since for x in after if isinstance(x, e.MadeUnknown)), None)
    refusal = next((event for event in after if isinstance(event, e.AttemptRefused)), None)
    if refusal is not None:
        why = "; ".join(reason.text for reason in refusal.reasons)
        subject = next((str(value) for value in values if value is not None), "game")
        fact.note_difference(subject, operation, "done", f"refused: {why}", refusal.rules)
    elif dice:
        fact.mark_unexplained(f"dice left over: {', '.join(map(str, dice))}")
    elif speech.dice is None and body.kind != PERIOD_BEGINS and len(payments_in(world)) > paid:
        fact.state_payments_since(paid)
    return [*before, *after, *fact.host.staged]


def _with_actor(fact: Fact, operation: str, values: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Return who does the *operation* of *fact*, and its arguments.

    An action is done by the player whom its first field names, or by the admin if it names nobody.
    """
    world = fact.world
    defined = fact.host.program.links.operations.get(operation)
    if defined is None or not defined.is_action or not LEVELS[world.level].audits_closely:
        return "", values
    if not values or values[0] is None:
        return "admin", ("admin", *values[1:])
    return find_called(world, "player", values[0]) or str(values[0]), values


def _waiting_attempt(world: World, operation: str, values: tuple[Any, ...]) -> Attempt | None:
    """Return the attempt that waits for exactly this fact, as an extra turn waits for its dice.

    It may wait within *operation*, as an operation of another name that takes a turn.
    """
    question = world.waiting
    if question is None:
        return None
    attempt = world.agenda[0]
    if attempt.operation != operation:
        is_within = LEVELS[world.level].audits_closely and _is_within(question, operation, values)
        return attempt if is_within else None
    if LEVELS[world.level].audits_closely:
        values = _without_missing(values)
    arguments = tuple(world.label(argument) for argument in attempt.arguments)
    return attempt if arguments[: len(values)] == values else None


def _is_within(question: e.QuestionRaised, operation: str, values: tuple[Any, ...]) -> bool:
    """Return whether *question* was raised within *operation*, called with *values* first."""
    if question.asks not in ("dice", "draw") or not values:
        return False
    steps = "/" + question.question.rpartition("|")[2]
    call = f"/{operation}({','.join(map(address_part, values))}"
    return f"{call})" in steps or f"{call}," in steps


def _next_attempt(world: World, operation: str, values: tuple[Any, ...]) -> Attempt | None:
    """Return the next attempt if this fact starts it, as a further turn after a missed answer."""
    if not world.agenda or not LEVELS[world.level].audits_closely:
        return None
    attempt = world.agenda[0]
    arguments = tuple(world.label(argument) for argument in attempt.arguments)
    is_meant = attempt.operation == operation and arguments[: len(values)] == values
    return attempt if is_meant else None


def _without_missing(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return *values* without missing values at its end, where the defaults apply."""
    count = max((place for place, value in enumerate(values, 1) if value is not None), default=0)
    return values[:count]


def _cancel_waiting_attempt(fact: Fact) -> None:
    """Cancel the attempt that waits for an answer: the record goes on without one."""
    world = fact.world
    question = world.waiting
    if question is None:
        return
    attempt = world.agenda[0]
    subject = str(world.label(attempt.arguments[0])) if attempt.arguments else "game"
    compared, fact.in_doubt = fact.in_doubt, unknown_since(world, attempt.id, EXISTENCE)
    fact.note_difference(subject, attempt.operation, None, question.text, question.rules)
    fact.in_doubt = compared
    fact.host.emit(e.Unscheduled, attempt=attempt.id)


def _as_list(dice: Any) -> list[Any]:
    """Return the *dice* of a fact as a list; a record may state a single draw as a bare value."""
    if dice is None:
        return []
    return list(dice) if isinstance(dice, list) else [dice]


def _recorded_dice(dice: list[Any]) -> Oracle:
    """Return an oracle that answers from the front of *dice* and removes what it used."""

    def answer(question: e.QuestionRaised) -> list[Any] | None:
        if question.asks not in ("dice", "draw"):
            return None
        count = len(question.options) if question.asks == "dice" else 1
        values = dice[:count]
        if not is_possible_draw(question, values):
            return None
        del dice[:count]
        return values

    return answer
