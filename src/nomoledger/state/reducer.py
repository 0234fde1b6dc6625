"""`apply`: what each event does to the world. Total over recorded events; it never refuses."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.state import disputes, precedents
from nomoledger.state.world import Attempt, Closing, Timer, World

CLOSING = "@closed"
URGENT = "@urgent"
ORDER = "@order"
SETTLE = "@settle"
#: What rulings ask to be carried out.
RULINGS = ("@ruling", URGENT, SETTLE)

_REDUCERS: dict[type[e.Event], Callable[[World, Any], None]] = {}


def apply(world: World, event: e.Event) -> None:
    """Take *event* into *world* as the next one after `world.head`."""
    world.head += 1
    world.closing = None
    if isinstance(event, e.Input):
        world.put(world.game, "now", to_seconds(event.received_at))
        world.put(world.game, "recorded_at", event.recorded_at)
        world.put(world.game, "followed", 0)
    reducer = _REDUCERS.get(type(event))
    if reducer is not None:
        reducer(world, event)


def to_seconds(time: datetime) -> int:
    """A time as whole seconds since 1970 (UTC)."""
    return int(time.timestamp())


def from_seconds(at: int) -> datetime:
    """Seconds since 1970 as a time (UTC)."""
    return datetime.fromtimestamp(at, UTC)


def _on(cls: type[e.Event]) -> Callable[..., Any]:
    def register(reducer: Callable[[World, Any], None]) -> Callable[[World, Any], None]:
        _REDUCERS[cls] = reducer
        return reducer

    return register


# --- inputs put attempts on the agenda --------------------------------------------------------


def _ask(
    world: World,
    event: e.Input,
    operation: str,
    *arguments: Any,
    named: dict[str, Any] | None = None,
    by: str = "admin",
    urgent: bool = False,
    called: str = "",
) -> None:
    attempt = Attempt(
        id=event.id + called,
        operation=operation,
        arguments=arguments,
        named=named or {},
        by=by,
        cause=world.head,
        at=to_seconds(event.received_at),
        audience=event.audience,
    )
    agenda = world.agenda
    place = next((i for i, each in enumerate(agenda) if each.operation == CLOSING), len(agenda))
    place = 0 if urgent else place
    world.put(world.game, "agenda", (*agenda[:place], attempt, *agenda[place:]))


@_on(e.GameOpened)
def _opened(world: World, event: e.GameOpened) -> None:
    for key in ("game", "rulebook", "dice", "settings", "commitment"):
        world.put(world.game, key, getattr(event, key))
    if event.level:  # level 0 did not know of levels
        world.put(world.game, "level", event.level)
    world.put(world.game, "period", event.period)
    _ask(world, event, "@enacted")


@_on(e.StateGiven)
def _given(world: World, event: e.StateGiven) -> None:
    world.put(world.game, "given", event)
    _ask(world, event, "@given")


@_on(e.JoinRequested)
def _join(world: World, event: e.JoinRequested) -> None:
    _ask(world, event, "join", named={"name": event.name, **event.details}, by=event.name)


@_on(e.LeaveRequested)
def _leave(world: World, event: e.LeaveRequested) -> None:
    _ask(world, event, "depart", event.by, by=event.by)


@_on(e.SubmissionReceived)
def _submission(world: World, event: e.SubmissionReceived) -> None:
    _ask(world, event, event.action, event.by, named=event.arguments, by=event.by)


@_on(e.ProposalMade)
def _proposal(world: World, event: e.ProposalMade) -> None:
    world.put(world.proposals, event.number, event)
    _ask(world, event, "propose", event.by, event.number, by=event.by)


@_on(e.VoteCast)
def _vote(world: World, event: e.VoteCast) -> None:
    _ask(world, event, "vote", event.by, event.proposal, event.choice, by=event.by)


@_on(e.ProposalJudged)
def _judged(world: World, event: e.ProposalJudged) -> None:
    _ask(world, event, "judge", event.proposal, event.verdict)


@_on(e.CloseAsked)
def _close(world: World, event: e.CloseAsked) -> None:
    _ask(world, event, "@close")
    _ask(world, event, CLOSING, called=">closed")


@_on(e.OrderGiven)
def _ordered(world: World, event: e.OrderGiven) -> None:
    world.put(world.orders, event.id, (event, world.head))


@_on(e.InputWithdrawn)
def _withdrawn(world: World, event: e.InputWithdrawn) -> None:
    world.drop(world.orders, event.withdrawn)
    gone = [each.id for each in world.agenda if belongs_to_input(each.id, event.withdrawn)]
    for attempt in gone:
        _leave_agenda(world, attempt)
    for number in [n for n, made in world.proposals.items() if made.id == event.withdrawn]:
        world.drop(world.proposals, number)


def belongs_to_input(attempt: str, input_id: str) -> bool:
    """Whether an attempt is that of the input, or follows from it."""
    return attempt == input_id or attempt.startswith(input_id + ">")


@_on(e.DrawEntered)
def _draw_entered(world: World, event: e.DrawEntered) -> None:
    _answer(world, event.question, list(event.values))


@_on(e.ChoiceAnswered)
def _answered(world: World, event: e.ChoiceAnswered) -> None:
    _answer(world, event.question, event.value)


@_on(e.RulingMade)
def _ruling(world: World, event: e.RulingMade) -> None:
    world.put(world.game, "rulings", max(event.number, world.game.get("rulings", 0)))
    world.put(world.rulings, event.number, (event, world.head))
    if event.effective is None:  # else they hold until it is settled
        precedents.end_precedents(world, event.overrules)
    disputes.closed(world, event)
    if event.question is not None:
        precedents.answered(world, event)
        _answer(world, event.question, event.value)
    elif event.effective is not None:
        _ask(world, event, SETTLE, event.number, urgent=True)
    elif event.kind == "correct":
        _ask(world, event, URGENT if event.urgent else "@ruling", event.number, urgent=event.urgent)


_on(e.DisputeOpened)(disputes.opened)
_on(e.DisputeArgued)(disputes.argued)


@_on(e.FinalitySet)
def _finality(world: World, event: e.FinalitySet) -> None:
    world.put(world.game, "final_after", event.days)


def _answer(world: World, question: str, value: Any) -> None:
    attempt, _, place = question.rpartition("|")
    world.put(world.inner(world.answers, attempt), place, value)
    world.drop(world.questions, question)


@_on(e.DrawRecorded)
def _draw(world: World, event: e.DrawRecorded) -> None:
    is_of_another_course = event.rules[:1] and event.rules[0].startswith("ruling:")
    if not is_of_another_course:
        _answer(world, event.address, list(event.values))


@_on(e.QuestionRaised)
def _question(world: World, event: e.QuestionRaised) -> None:
    world.put(world.questions, event.question, event)


# --- the agenda -------------------------------------------------------------------------------


@_on(e.Scheduled)
def _scheduled(world: World, event: e.Scheduled) -> None:
    attempt = Attempt(
        id=event.attempt,
        operation=event.operation,
        arguments=event.arguments,
        by=event.by,
        cause=world.head,
        at=to_seconds(event.received_at) if event.due is None else event.due,
        audience=event.audience,
    )
    if event.due is not None:
        rule = next((x for x in event.rules if not x.startswith("ruling:")), "engine")
        world.put(world.timers, event.attempt, Timer(attempt, rule, world.head))
        return
    waiting = world.game.get("next", ())
    world.put(world.game, "next", (*waiting, attempt))


@_on(e.Unscheduled)
def _unscheduled(world: World, event: e.Unscheduled) -> None:
    world.drop(world.timers, event.attempt)
    _leave_agenda(world, event.attempt)


@_on(e.TimerFired)
def _fired(world: World, event: e.TimerFired) -> None:
    timer = world.timers[event.attempt]
    world.drop(world.timers, event.attempt)
    world.put(world.game, "agenda", (timer.attempt, *world.agenda))


@_on(e.OrderFired)
def _order_fired(world: World, event: e.OrderFired) -> None:
    order, number = world.orders[event.order]
    world.drop(world.orders, event.order)
    if event.question is not None:
        _answer(world, event.question, order.answer)
        return
    is_secret = all(any(act.action in rule.secret for rule in world.rules) for act in order.acts)
    attempt = Attempt(
        id=order.id,
        operation=ORDER,
        arguments=order.acts,
        by=order.by,
        cause=number,
        at=to_seconds(event.received_at),
        audience=order.audience if is_secret else None,
    )
    world.put(world.game, "agenda", (attempt, *world.agenda))


@_on(e.OrderLapsed)
def _order_lapsed(world: World, event: e.OrderLapsed) -> None:
    world.drop(world.orders, event.order)


@_on(e.AttemptDone)
def _done(world: World, event: e.AttemptDone) -> None:
    world.drop(world.game, "given")
    _carried_out(world, event.attempt)


@_on(e.AttemptRefused)
def _refused(world: World, event: e.AttemptRefused) -> None:
    _carried_out(world, event.attempt)
    if event.operation in RULINGS:
        _came_to_nothing(world, event.attempt)
    if event.operation == "@close":  # a close that the rules refuse closes nothing
        _leave_agenda(world, f"{event.attempt}>closed")


def _came_to_nothing(world: World, id: str) -> None:
    for number in [number for number, (each, _) in world.rulings.items() if each.id == id]:
        void_ruling(world, number)


def void_ruling(world: World, ruling: int) -> None:
    """A ruling that cannot be carried out does not hold, and closes no dispute."""
    refused = {*world.game.get("refused", ()), ruling}
    world.put(world.game, "refused", tuple(sorted(refused)))
    disputes.reopened(world, ruling)


def _carried_out(world: World, attempt: str) -> None:
    world.put(world.game, "posted", tuple(world.game.get("posting", ())))
    world.put(world.game, "posting", ())
    world.put(world.game, "last_attempt", attempt)
    world.put(world.game, "followed", world.game["followed"] + 1)
    _leave_agenda(world, attempt)


def _leave_agenda(world: World, attempt: str) -> None:
    rest = tuple(each for each in world.agenda if each.id != attempt)
    world.put(world.game, "agenda", (*world.game.get("next", ()), *rest))
    world.put(world.game, "next", ())
    world.drop(world.answers, attempt)
    for question in [q for q in world.questions if q.startswith(attempt + "|")]:
        world.drop(world.questions, question)


# --- rules ------------------------------------------------------------------------------------


@_on(e.RuleEnacted)
def _enacted(world: World, event: e.RuleEnacted) -> None:
    world.put(world.game, "rules", (*world.rules, event.rule))
    world.put(world.inner(world.game, "versions"), event.rule.number, event.rule.version)


@_on(e.RuleAmended)
def _amended(world: World, event: e.RuleAmended) -> None:
    _replace(world, event.rule.number, event.rule)
    world.put(world.inner(world.game, "versions"), event.rule.number, event.rule.version)


@_on(e.RuleRepealed)
def _repealed(world: World, event: e.RuleRepealed) -> None:
    rule = world.rule(event.number)
    _replace(world, event.number, None)
    declares = {} if rule is None else rule.declares
    for kind, attributes in declares.items():
        for attribute in attributes:
            if event.state == "drop":
                for entity in world.kinds.get(kind, ()):
                    _set(world, entity, attribute, None, event.rules)
            elif event.state == "freeze":
                frozen = world.inner(world.game, "frozen")
                world.put(frozen, f"{kind}.{attribute}", event.number)


@_on(e.RuleRenumbered)
def _renumbered(world: World, event: e.RuleRenumbered) -> None:
    rules = tuple(
        _renamed(rule, event.to) if rule.number == event.number else rule for rule in world.rules
    )
    world.put(world.game, "rules", rules)


def _renamed(rule: Rule, number: str) -> Rule:
    return msgspec.structs.replace(rule, number=number)


def _replace(world: World, number: str, new: Rule | None) -> None:
    rules = (new if rule.number == number else rule for rule in world.rules)
    world.put(world.game, "rules", tuple(rule for rule in rules if rule is not None))


# --- money and things -------------------------------------------------------------------------


@_on(e.Posted)
def _posted(world: World, event: e.Posted) -> None:
    world.append(world.game, "posting", event)
    for posting in event.postings:
        account = world.inner(world.balances, posting.account)
        units = account.get(posting.commodity, 0) + posting.amount
        world.put(account, posting.commodity, units)


@_on(e.Moved)
def _moved(world: World, event: e.Moved) -> None:
    _set(world, event.piece, "square", event.to, event.rules)


@_on(e.AttributeSet)
def _attribute(world: World, event: e.AttributeSet) -> None:
    ending = world.durations.get(event.entity, {})
    if event.until is not None:
        first = ending.get(event.attribute)
        back = event.was if first is None else first[1]
        table = world.inner(world.durations, event.entity)
        world.put(table, event.attribute, (event.until, back, world.head))
    elif event.attribute in ending:
        world.drop(ending, event.attribute)
    _set(world, event.entity, event.attribute, event.value, event.rules)


def _set(world: World, entity: str, attribute: str, value: Any, rules: tuple[str, ...]) -> None:
    table = world.inner(world.attributes, entity)
    if value is None:
        world.drop(table, attribute)
    else:
        world.put(table, attribute, value)
    world.put(world.inner(world.origins, entity), attribute, rules)
    world.forget_index(entity, attribute)


@_on(e.EntityCreated)
def _created(world: World, event: e.EntityCreated) -> None:
    world.put(world.entities, event.entity, event.kind)
    world.put(world.kinds, event.kind, (*world.kinds.get(event.kind, ()), event.entity))
    for attribute, value in event.attributes.items():
        _set(world, event.entity, attribute, value, event.rules)
    world.forget_kind(event.kind)


@_on(e.EntityDestroyed)
def _destroyed(world: World, event: e.EntityDestroyed) -> None:
    kind = world.entities[event.entity]
    rest = tuple(each for each in world.kinds[kind] if each != event.entity)
    world.drop(world.entities, event.entity)
    world.put(world.kinds, kind, rest)
    for table in (world.attributes, world.origins, world.durations):
        world.drop(table, event.entity)
    world.forget_kind(kind)


@_on(e.Counted)
def _counted(world: World, event: e.Counted) -> None:
    table = world.inner(world.counts, event.scope)
    world.put(table, event.key, table.get(event.key, 0) + 1)


# --- the record, periods and the end ----------------------------------------------------------


@_on(e.RecordPrevailed)
def _prevailed(world: World, event: e.RecordPrevailed) -> None:
    if event.follows is None:
        world.put(world.game, "diverged", (world.head, world.game.get("last_attempt")))


@_on(e.PeriodClosed)
def _closed(world: World, event: e.PeriodClosed) -> None:
    stood = {
        "attributes": {entity: dict(table) for entity, table in world.attributes.items()},
        "balances": {account: dict(table) for account, table in world.balances.items()},
        "entities": dict(world.entities),
        "kinds": dict(world.kinds),
        "rules": world.rules,
        "ended": world.game["ended"],
        "at": to_seconds(event.received_at),
    }
    world.closing = Closing(
        commitment=world.game.get("commitment"),
        counts=world.counts.get("period"),
        precedents=precedents.of_period(world),
    )
    world.put(world.past, event.period, stood)
    world.put(world.game, "commitment", event.commitment)
    world.put(world.game, "period", event.period + 1)
    world.drop(world.counts, "period")
    precedents.period_over(world)


@_on(e.Settled)
def _settled(world: World, event: e.Settled) -> None:
    for path, value in event.tables:
        world.bring_over(path, value)
    if event.ruling in world.rulings:
        precedents.end_precedents(world, world.rulings[event.ruling][0].overrules)
    for period, rules in event.rulesets.items():
        world.put(world.game if period == event.period else world.past[period], "rules", rules)
    if event.waiting is not None:
        _wait(world, event.waiting, event.audience is None)
    touched = {path[1] for path, _ in event.tables if path[0] == "past"} | set(event.rulesets)
    touched |= world.add_past(event.past)
    for period in sorted(touched - {event.period}):
        past = world.past[period]
        ruled = dict.fromkeys((*past.get("ruled", ()), event.ruling))
        world.put(past, "ruled", tuple(ruled))
    world.forget()


def _wait(world: World, waiting: tuple[str | e.Waiting, ...], is_public: bool) -> None:
    """Make *waiting* the agenda, behind rulings that are to be settled.

    What is *is_public* comes last and leaves out what is hidden: that is in place by then.
    """
    there = {each.id: each for each in world.agenda}
    rest = (_attempt(each) if isinstance(each, e.Waiting) else there.get(each) for each in waiting)
    wanted = tuple(each for each in rest if each is not None)
    rulings = tuple(each for each in world.agenda if each.operation == SETTLE)
    in_sight = tuple(each for each in world.agenda if each.audience is None)
    in_sight = tuple(each for each in in_sight if each not in rulings)
    if not (is_public and in_sight == wanted):
        world.put(world.game, "agenda", (*rulings, *wanted))


def _attempt(waiting: e.Waiting) -> Attempt:
    fields = {name: getattr(waiting, name) for name in waiting.__struct_fields__}
    return Attempt(id=fields.pop("attempt"), **fields)


@_on(e.GameEnded)
def _ended(world: World, event: e.GameEnded) -> None:
    world.put(world.game, "ended", event.why)
    world.put(world.game, "ended_by", event.rules)
    world.put(world.game, "winners", event.winners)
    world.put(world.game, "agenda", tuple(a for a in world.agenda if a.cause == event.cause))
    for table in (world.timers, world.orders):
        for each in list(table):
            world.drop(table, each)
    for question in list(world.questions):
        world.drop(world.questions, question)
