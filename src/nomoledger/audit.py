"""Judges a hand-kept record: each fact against what the rules in force make of the state before it.

A rule says in its data how a record speaks of what it does (`Speech`). A fact states something,
which is held against the rules (`nomoledger.facts`), or sets an operation going with the dice that
the record names. Play goes on from the record.
"""

from typing import TYPE_CHECKING, Any

from nomoledger import events as e
from nomoledger.facts import Fact
from nomoledger.reducer import seconds
from nomoledger.rules.rule import Speech
from nomoledger.tape import Oracle
from nomoledger.world import Attempt, World

if TYPE_CHECKING:
    from nomoledger.engine import Engine

#: The kind of fact that says that a hand-kept record tells no more of a period.
PERIOD_ENDS = "period-ends"


def judge(engine: "Engine", body: e.FactRecorded) -> list[e.Event]:
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
    if speech.attempt is None:
        return fact.host.staged
    return [*fact.host.staged, *_carry_out(engine, body, number, speech)]


def _begin(engine: "Engine", body: e.FactRecorded, number: int) -> Fact:
    """Get the host ready for bookkeeping about the fact."""
    world = engine.world
    host = engine.link(world.rules).host
    at = seconds(body.received_at)
    host.begin(world, Attempt(id=body.id, operation="", cause=number, at=at))
    return Fact(host, body, number, is_followed=engine.follows_record)


def _carry_out(
    engine: "Engine", body: e.FactRecorded, number: int, speech: Speech
) -> list[e.Event]:
    world, operation = engine.world, str(speech.attempt)
    fact = _begin(engine, body, number)
    given = tuple(fact.field(name) for name in speech.given)
    dice = list(fact.field(speech.dice) or []) if speech.dice else []
    attempt = _expected(world, operation, given)
    if attempt is None:
        if dice:  # that were not thrown for what waits for some
            _call_off(fact)
        called = f"{body.id}>{operation}"
        fact.host.emit(e.Scheduled, attempt=called, operation=operation, arguments=given)
        fact.host.emit(e.AttemptDone, attempt=body.id)
        attempt = world.agenda[0]
    before = list(fact.host.staged)
    after = engine.carry_out(attempt, _feeding(dice))
    fact = _begin(engine, body, number)
    refusal = next((each for each in after if isinstance(each, e.AttemptRefused)), None)
    if refusal is not None:
        why = "; ".join(reason.text for reason in refusal.reasons)
        fact.prevail(str(given[0]), operation, "done", f"refused: {why}", refusal.rules)
    elif dice:
        fact.unexplained(f"dice left over: {', '.join(map(str, dice))}")
    return [*before, *after, *fact.host.staged]


def _expected(world: World, operation: str, given: tuple[Any, ...]) -> Attempt | None:
    """The attempt that waits for just this fact, as an extra turn waits for its dice."""
    if world.waiting is None or world.agenda[0].operation != operation:
        return None
    arguments = tuple(world.label(each) for each in world.agenda[0].arguments)
    return world.agenda[0] if arguments[: len(given)] == given else None


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


def _feeding(dice: list[Any]) -> Oracle:
    """An oracle that takes what is asked for from *dice*, until they are used up."""

    def answer(question: e.QuestionRaised) -> list[Any] | None:
        count = len(question.options) if question.asks == "dice" else 1
        if question.asks not in ("dice", "draw") or len(dice) < count:
            return None
        values, dice[:] = dice[:count], dice[count:]
        return values

    return answer
