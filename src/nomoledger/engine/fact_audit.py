"""Judges a hand-kept record: each fact against what the rules in force make of the state before it.

A rule says in its data how a record speaks of what it does (`Speech`). A fact states something,
which is held against the rules (`nomoledger.engine.facts`), or sets an operation going with the dice that
the record names. Play goes on from the record.
"""

from collections.abc import Callable
from typing import Any, Protocol

from nomoledger import events as e
from nomoledger.engine.facts import Fact, Follows
from nomoledger.errors import RuleFault
from nomoledger.events.rules import Rule, Speech
from nomoledger.language.host import Oracle
from nomoledger.language.program import Program
from nomoledger.state.reducer import to_seconds
from nomoledger.state.world import Attempt, World

#: The kind of fact that says that a hand-kept record tells no more of a period.
PERIOD_ENDS = "period-ends"


class Auditing(Protocol):
    """The engine, as far as an audit needs it; see `nomoledger.engine.agenda.Engine`."""

    world: World
    follows_record: Follows | bool

    @property
    def link(self) -> Callable[[tuple[Rule, ...]], Program]:
        """Link rules into the program that runs them."""

    def carry_out(self, attempt: Attempt, oracle: Oracle | None = None) -> list[e.Event]:
        """Carry out *attempt*, with answers from *oracle*."""


def judge(engine: Auditing, body: e.FactRecorded) -> list[e.Event]:
    """What follows from the fact *body*, which the world has just taken."""
    number = engine.world.head
    fact = _begin(engine, body, number)
    if body.kind == PERIOD_ENDS:
        _call_off(fact)
        return fact.host.staged
    rules = fact.host.program.rules
    speech = next((rule.facts[body.kind] for rule in rules if body.kind in rule.facts), None)
    if speech is None:
        fact.unexplained(f"no rule in force speaks of {body.kind!r}")
        return fact.host.staged
    fact.hold(speech)
    if speech.attempt is None or fact.is_unexplained:
        return fact.host.staged
    return [*fact.host.staged, *_carry_out(engine, fact, speech)]


def _begin(engine: Auditing, body: e.FactRecorded, number: int, differs: int | None = None) -> Fact:
    """Get the host ready for bookkeeping about the fact."""
    world = engine.world
    host = engine.link(world.rules).host
    at = to_seconds(body.received_at)
    host.begin(world, Attempt(id=body.id, operation="", cause=number, at=at))
    return Fact(host, body, number, follows=engine.follows_record, differs=differs)


def _carry_out(engine: Auditing, held: Fact, speech: Speech) -> list[e.Event]:
    world, operation, body = engine.world, str(speech.attempt), held.body
    fact = _begin(engine, body, held.number, held.differs)
    given = tuple(fact.field(name) for name in speech.given)
    dice = _thrown(fact.field(speech.dice)) if speech.dice else []
    attempt = _expected(world, operation, given)
    if attempt is None:
        if dice:  # that were not thrown for what waits for some
            _call_off(fact)
        called, said = f"{body.id}>{operation}", _without_missing(given)
        fact.host.emit(e.Scheduled, attempt=called, operation=operation, arguments=said)
        fact.host.emit(e.AttemptDone, attempt=body.id)
        attempt = world.agenda[0]
    before = list(fact.host.staged)
    try:
        after = engine.carry_out(attempt, _feeding(dice))
    except RuleFault as fault:  # nobody checked what a record says, as requests are checked
        fact = _begin(engine, body, held.number, held.differs)
        fact.unexplained(f"a rule fails on it: {fault}")
        fact.host.emit(e.Unscheduled, attempt=attempt.id)
        return [*before, *fact.host.staged]
    fact = _begin(engine, body, held.number, held.differs)
    refusal = next((each for each in after if isinstance(each, e.AttemptRefused)), None)
    if refusal is not None:
        why = "; ".join(reason.text for reason in refusal.reasons)
        subject = next((str(each) for each in given if each is not None), "game")
        fact.prevail(subject, operation, "done", f"refused: {why}", refusal.rules)
    elif dice:
        fact.unexplained(f"dice left over: {', '.join(map(str, dice))}")
    return [*before, *after, *fact.host.staged]


def _expected(world: World, operation: str, given: tuple[Any, ...]) -> Attempt | None:
    """The attempt that waits for just this fact, as an extra turn waits for its dice."""
    if world.waiting is None or world.agenda[0].operation != operation:
        return None
    arguments = tuple(world.label(each) for each in world.agenda[0].arguments)
    return world.agenda[0] if arguments[: len(given)] == given else None


def _without_missing(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a fact gives, without what it leaves unsaid at the end: there defaults stand."""
    said = max((place for place, each in enumerate(given, 1) if each is not None), default=0)
    return given[:said]


def _call_off(fact: Fact) -> None:
    """What the rules still wait for, but the record passes over, did not happen."""
    world = fact.world
    question = world.waiting
    if question is None:
        return
    attempt = world.agenda[0]
    subject = str(world.label(attempt.arguments[0])) if attempt.arguments else "game"
    fact.prevail(subject, attempt.operation, None, question.text, question.rules)
    fact.host.emit(e.Unscheduled, attempt=attempt.id)


def _thrown(stated: Any) -> list[Any]:
    """The dice of a fact as a list; a single thing drawn may stand alone."""
    if stated is None:
        return []
    return list(stated) if isinstance(stated, list) else [stated]


def _feeding(dice: list[Any]) -> Oracle:
    """An oracle that takes what is asked for from *dice*, as far as they can be an answer."""

    def answer(question: e.QuestionRaised) -> list[Any] | None:
        count = len(question.options) if question.asks == "dice" else 1
        values = dice[:count]
        if len(values) < count or not _can_answer(question, values):
            return None
        del dice[:count]
        return values

    return answer


def _can_answer(question: e.QuestionRaised, values: list[Any]) -> bool:
    if question.asks == "dice":
        pairs = zip(values, question.options, strict=True)
        return all(type(pips) is int and 1 <= pips <= sides for pips, sides in pairs)
    return question.asks == "draw" and values[0] in question.options
