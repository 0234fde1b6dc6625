"""The reducer: `apply` applies one event to the state. It never refuses a recorded event."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from nomoledger import events as e
from nomoledger.state import disputes, draws, player_seeds, precedents, shares
from nomoledger.state.clock import to_seconds
from nomoledger.state.effects import EFFECTS
from nomoledger.state.stated_payments import keep_payments, mark_stated
from nomoledger.state.world import Attempt, Closing, Timer, World

#: Operations of the engine: the end of a close, urgent corrections, standing orders, settlement,
#: rulings that something is void.
CLOSING = "@closed"
URGENT = "@urgent"
ORDER = "@order"
SETTLE = "@settle"
VOID = "@void"
#: The operations of rulings that come before all that is due or on the agenda.
AT_ONCE = (URGENT, SETTLE, VOID)
#: The operations that rulings put on the agenda.
RULINGS = ("@ruling", *AT_ONCE)

_REDUCERS: dict[type[e.Event], Callable[[World, Any], None]] = dict(EFFECTS)


def apply(world: World, event: e.Event) -> None:
    """Apply *event* to *world* as event number `world.head + 1`."""
    world.head += 1
    world.closing = None
    if isinstance(event, e.Input):
        world.put(world.game, "now", to_seconds(event.received_at))
        world.put(world.game, "recorded_at", event.recorded_at)
        if not isinstance(event, e.StepFailed):  # which goes on with an earlier request
            world.put(world.game, "followed", 0)
            if shares.adds_up(world):
                shares.begin_request(world, event)
    reducer = _REDUCERS.get(type(event))
    if reducer is not None:
        reducer(world, event)


def _applies(cls: type[e.Event]) -> Callable[..., Any]:
    def register(reducer: Callable[[World, Any], None]) -> Callable[[World, Any], None]:
        _REDUCERS[cls] = reducer
        return reducer

    return register


# --- inputs, which put attempts on the agenda -------------------------------------------------


def _add_attempt(
    world: World,
    event: e.Input,
    operation: str,
    *arguments: Any,
    named: dict[str, Any] | None = None,
    by: str = "admin",
    urgent: bool = False,
    suffix: str = "",
) -> None:
    attempt = Attempt(
        id=event.id + suffix,
        operation=operation,
        arguments=arguments,
        named=named or {},
        by=by,
        cause=world.head,
        at=to_seconds(event.received_at),
        audience=event.audience,
    )
    agenda = world.agenda
    place = next((i for i, item in enumerate(agenda) if item.operation == CLOSING), len(agenda))
    place = 0 if urgent else place
    world.put(world.game, "agenda", (*agenda[:place], attempt, *agenda[place:]))


@_applies(e.GameOpened)
def _opened(world: World, event: e.GameOpened) -> None:
    world.put(world.game, "game", event.game)
    world.put(world.game, "rulebook", event.rulebook)
    world.put(world.game, "dice", event.dice)
    world.put(world.game, "settings", event.settings)
    world.put(world.game, "commitment", event.commitment)
    if event.level:  # the state of level 0 has no such key
        world.put(world.game, "level", event.level)
    world.put(world.game, "period", event.period)
    _add_attempt(world, event, "@enacted")


@_applies(e.StateGiven)
def _given(world: World, event: e.StateGiven) -> None:
    world.put(world.game, "given", event)
    _add_attempt(world, event, "@given")


@_applies(e.JoinRequested)
def _join(world: World, event: e.JoinRequested) -> None:
    _add_attempt(world, event, "join", named={"name": event.name, **event.details}, by=event.name)


@_applies(e.LeaveRequested)
def _leave(world: World, event: e.LeaveRequested) -> None:
    _add_attempt(world, event, "depart", event.by, by=event.by)


@_applies(e.SubmissionReceived)
def _submission(world: World, event: e.SubmissionReceived) -> None:
    _add_attempt(world, event, event.action, event.by, named=event.arguments, by=event.by)


@_applies(e.ProposalMade)
def _proposal(world: World, event: e.ProposalMade) -> None:
    world.put(world.proposals, event.number, event)
    _add_attempt(world, event, "propose", event.by, event.number, by=event.by)


@_applies(e.VoteCast)
def _vote(world: World, event: e.VoteCast) -> None:
    _add_attempt(world, event, "vote", event.by, event.proposal, event.choice, by=event.by)


@_applies(e.ProposalJudged)
def _judged(world: World, event: e.ProposalJudged) -> None:
    _add_attempt(world, event, "judge", event.proposal, event.verdict)


@_applies(e.CloseAsked)
def _close(world: World, event: e.CloseAsked) -> None:
    _add_attempt(world, event, "@close")
    _add_attempt(world, event, CLOSING, suffix=">closed")


@_applies(e.OrderGiven)
def _ordered(world: World, event: e.OrderGiven) -> None:
    world.put(world.orders, event.id, (event, world.head))


@_applies(e.InputWithdrawn)
def _withdrawn(world: World, event: e.InputWithdrawn) -> None:
    world.drop(world.orders, event.withdrawn)
    for attempt in world.agenda:
        if belongs_to_input(attempt.id, event.withdrawn):
            _leave_agenda(world, attempt.id)
    for number, proposal in list(world.proposals.items()):
        if proposal.id == event.withdrawn:
            world.drop(world.proposals, number)


def belongs_to_input(attempt: str, input_id: str) -> bool:
    """Return whether *attempt* carries out the input, or follows from it."""
    return attempt == input_id or attempt.startswith(input_id + ">")


@_applies(e.DrawEntered)
def _draw_entered(world: World, event: e.DrawEntered) -> None:
    _answer(world, event.question, list(event.values))


@_applies(e.ChoiceAnswered)
def _answered(world: World, event: e.ChoiceAnswered) -> None:
    _answer(world, event.question, event.value)


@_applies(e.RulingMade)
def _ruling(world: World, event: e.RulingMade) -> None:
    world.put(world.game, "rulings", max(event.number, world.game.get("rulings", 0)))
    world.put(world.rulings, event.number, (event, world.head))
    if event.effective is None:  # otherwise they apply until the ruling is settled
        precedents.end_precedents(world, event.overrules)
    disputes.close_dispute(world, event)
    if event.question is not None:
        precedents.add_precedent(world, event)
        _answer(world, event.question, event.value)
    elif event.effective is not None:
        _add_attempt(world, event, SETTLE, event.number, urgent=True)
    elif event.kind == "void":
        _add_attempt(world, event, VOID, event.number, urgent=True)
        _void_proposals(world, event)
    elif event.kind == "correct":
        _add_attempt(
            world, event, URGENT if event.urgent else "@ruling", event.number, urgent=event.urgent
        )


def _void_proposals(world: World, event: e.RulingMade) -> None:
    """Note the proposals that are void: whoever adopts one adopts nothing."""
    items = map(split_void, event.voids)
    numbers = {int(name) for kind, name in items if kind == "proposal" and name.isdecimal()}
    if numbers:
        voided = {*world.game.get("voided", ()), *numbers}
        world.put(world.game, "voided", tuple(sorted(voided)))


def split_void(item: str) -> tuple[str, str]:
    """Return the kind and the name of an *item* of `RulingMade.voids`.

    >>> split_void("timer 9a2>lapse(3)")
    ('timer', '9a2>lapse(3)')
    """
    kind, _, name = item.partition(" ")
    return kind, name


_applies(e.SeedCommitted)(player_seeds.commit_seed)
_applies(e.SeedRevealed)(player_seeds.reveal_seed)
_applies(e.DisputeOpened)(disputes.add_dispute)
_applies(e.DisputeArgued)(disputes.count_argument)


@_applies(e.FinalitySet)
def _finality(world: World, event: e.FinalitySet) -> None:
    world.put(world.game, "final_after", event.days)


@_applies(e.KeyPassed)
def _passed_key(world: World, event: e.KeyPassed) -> None:
    names = ("period", "key", "previous", "is_confirmed")
    passed = {name: getattr(event, name) for name in names}
    world.put(world.game, "keys", (*world.game.get("keys", ()), passed))


def _answer(world: World, question: str, value: Any) -> None:
    attempt, _, place = question.rpartition("|")
    world.put(world.inner(world.answers, attempt), place, value)
    world.drop(world.questions, question)


@_applies(e.DrawRecorded)
def _draw(world: World, event: e.DrawRecorded) -> None:
    draws.note_draw(world, event)
    if not draws.is_of_ruling(event):
        _answer(world, event.answers, list(event.values))


@_applies(e.QuestionRaised)
def _question(world: World, event: e.QuestionRaised) -> None:
    world.put(world.questions, event.question, event)


# --- the agenda -------------------------------------------------------------------------------


@_applies(e.Scheduled)
def _scheduled(world: World, event: e.Scheduled) -> None:
    rule = next((name for name in event.rules if not name.startswith("ruling:")), "engine")
    attempt = Attempt(
        id=event.attempt,
        operation=event.operation,
        arguments=event.arguments,
        by=event.by,
        cause=world.head,
        at=to_seconds(event.received_at) if event.due is None else event.due,
        audience=event.audience,
        rule="" if world.forgets_rules else rule,
    )
    if event.due is not None:
        timer = Timer(attempt, rule, world.head, event.follows)
        world.put(world.timers, event.attempt, timer)
        return
    world.put(world.game, "next", (*world.game.get("next", ()), attempt))


@_applies(e.Unscheduled)
def _unscheduled(world: World, event: e.Unscheduled) -> None:
    world.drop(world.timers, event.attempt)
    _leave_agenda(world, event.attempt)


@_applies(e.Rescheduled)
def _rescheduled(world: World, event: e.Rescheduled) -> None:
    timer = world.timers[event.attempt]
    attempt = replace(timer.attempt, at=event.due)
    world.put(world.timers, event.attempt, replace(timer, attempt=attempt))


@_applies(e.QuestionWithdrawn)
def _withdrawn_question(world: World, event: e.QuestionWithdrawn) -> None:
    world.drop(world.questions, event.question)


@_applies(e.TimerFired)
def _fired(world: World, event: e.TimerFired) -> None:
    timer = world.timers[event.attempt]
    world.drop(world.timers, event.attempt)
    world.put(world.game, "agenda", (timer.attempt, *world.agenda))


@_applies(e.OrderFired)
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


@_applies(e.OrderLapsed)
def _order_lapsed(world: World, event: e.OrderLapsed) -> None:
    world.drop(world.orders, event.order)


@_applies(e.CheckSuspended)
def _suspended(world: World, event: e.CheckSuspended) -> None:
    suspended = dict.fromkeys((*world.game.get("suspended", ()), event.check))
    world.put(world.game, "suspended", tuple(suspended))


@_applies(e.AttemptDone)
def _done(world: World, event: e.AttemptDone) -> None:
    draws.use_draws(world, event.cause)
    world.drop(world.game, "given")
    _carried_out(world, event)


@_applies(e.AttemptRefused)
def _refused(world: World, event: e.AttemptRefused) -> None:
    draws.return_draws(world, event.cause)
    _carried_out(world, event)
    if event.operation in RULINGS:
        _void_ruling_of(world, event.attempt)
    if event.operation == "@close":  # a close that the rules refuse closes nothing
        _leave_agenda(world, f"{event.attempt}>closed")


def _void_ruling_of(world: World, attempt: str) -> None:
    for number, (ruling, _) in world.rulings.items():
        if ruling.id == attempt:
            void_ruling(world, number)


def void_ruling(world: World, ruling: int) -> None:
    """Make *ruling*, which cannot be carried out, invalid; it closes no dispute."""
    refused = {*world.game.get("refused", ()), ruling}
    world.put(world.game, "refused", tuple(sorted(refused)))
    disputes.reopen_disputes(world, ruling)


def _carried_out(world: World, event: e.AttemptDone | e.AttemptRefused) -> None:
    attempt = event.attempt
    if event.used is not None:
        _add_use(world, attempt, event.used)
    world.put(world.game, "posted", tuple(world.game.get("posting", ())))
    world.put(world.game, "posting", ())
    world.put(world.game, "last_attempt", attempt)
    world.put(world.game, "followed", world.game["followed"] + 1)
    _leave_agenda(world, attempt)


def _add_use(world: World, attempt: str, used: tuple[int, int, int, int]) -> None:
    known = next((item for item in world.agenda if item.id == attempt), None)
    if known is not None:  # facts of hand-kept records are tried without one
        shares.add_use(world, known, shares.Use(*used, attempts=1))


def _leave_agenda(world: World, attempt: str) -> None:
    agenda = world.agenda
    places = [place for place, item in enumerate(agenda) if item.id == attempt]
    for place in reversed(places):
        draws.return_draws(world, agenda[place].cause)
        agenda = agenda[:place] + agenda[place + 1 :]
    world.put(world.game, "agenda", (*world.game.get("next", ()), *agenda))
    world.put(world.game, "next", ())
    world.drop(world.answers, attempt)
    for question in list(world.questions):
        if question.startswith(attempt + "|"):
            world.drop(world.questions, question)


# --- the record, periods and the end ----------------------------------------------------------


@_applies(e.RecordPrevailed)
def _prevailed(world: World, event: e.RecordPrevailed) -> None:
    mark_stated(world, event.payments, event.kind)
    if event.what == world.game.get("foreseen", (None, None))[1]:
        world.drop(world.game, "foreseen")
    if event.follows is None:
        world.put(world.game, "diverged", (world.head, world.game.get("last_attempt")))


@_applies(e.FactRecorded)
def _fact(world: World, event: e.FactRecorded) -> None:
    keep_payments(world)


@_applies(e.FactConfirmed)
def _confirmed(world: World, event: e.FactConfirmed) -> None:
    mark_stated(world, event.payments, event.kind)


@_applies(e.PeriodClosed)
def _closed(world: World, event: e.PeriodClosed) -> None:
    state = {
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
        dice=dict(world.dice) or None,
    )
    world.put(world.past, event.period, state)
    world.put(world.game, "commitment", event.commitment)
    world.put(world.game, "period", event.period + 1)
    world.drop(world.counts, "period")
    draws.end_period_draws(world)
    player_seeds.mix_seeds(world, event.period + 1)
    precedents.end_period_precedents(world)


@_applies(e.Settled)
def _settled(world: World, event: e.Settled) -> None:
    for path, value in event.tables:
        world.set_path(path, value)
    if event.ruling in world.rulings:
        precedents.end_precedents(world, world.rulings[event.ruling][0].overrules)
    for period, rules in event.rulesets.items():
        world.put(world.game if period == event.period else world.past[period], "rules", rules)
    if event.waiting is not None:
        _replace_agenda(world, event.waiting, event.audience is None)
    corrected = {path[1] for path, _ in event.tables if path[0] == "past"} | set(event.rulesets)
    corrected |= world.add_to_past(event.past)
    for period in sorted(corrected - {event.period}):
        past = world.past[period]
        ruled = dict.fromkeys((*past.get("ruled", ()), event.ruling))
        world.put(past, "ruled", tuple(ruled))
    world.forget_index()


def _replace_agenda(world: World, waiting: tuple[str | e.Waiting, ...], is_public: bool) -> None:
    """Make *waiting* the agenda, after rulings that are still to be settled.

    The public part of a settlement comes last and names public attempts only. Where the public
    part of the agenda is right already, the hidden attempts stay in their places.
    """
    present = {attempt.id: attempt for attempt in world.agenda}
    attempts = (
        _new_attempt(item) if isinstance(item, e.Waiting) else present.get(item) for item in waiting
    )
    agenda = tuple(attempt for attempt in attempts if attempt is not None)
    rulings = tuple(attempt for attempt in world.agenda if attempt.operation == SETTLE)
    public = tuple(attempt for attempt in world.agenda if attempt.audience is None)
    public = tuple(attempt for attempt in public if attempt not in rulings)
    if not (is_public and public == agenda):
        world.put(world.game, "agenda", (*rulings, *agenda))


def _new_attempt(waiting: e.Waiting) -> Attempt:
    return Attempt(
        id=waiting.attempt,
        operation=waiting.operation,
        arguments=waiting.arguments,
        named=waiting.named,
        by=waiting.by,
        cause=waiting.cause,
        at=waiting.at,
        audience=waiting.audience,
    )


@_applies(e.GameEnded)
def _ended(world: World, event: e.GameEnded) -> None:
    world.put(world.game, "ended", event.why)
    world.put(world.game, "ended_by", event.rules)
    world.put(world.game, "winners", event.winners)
    world.put(
        world.game, "agenda", tuple(item for item in world.agenda if item.cause == event.cause)
    )
    for table in (world.timers, world.orders):
        for key in list(table):
            world.drop(table, key)
    for question in list(world.questions):
        world.drop(world.questions, question)
