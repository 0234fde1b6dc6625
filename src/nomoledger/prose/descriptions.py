"""One-line descriptions of events, for logs, refusals and questions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nomoledger import events as e
from nomoledger.events.rules import Commodity
from nomoledger.language.values import from_units

Label = Callable[[Any], Any]
#: Events that lists of consequences leave out.
BOOKKEEPING = (
    *(e.AttemptDone, e.CasesCopied, e.Counted, e.Scheduled, e.Unscheduled, e.TimerFired),
    e.QuestionRaised,
)
#: Events that a log leaves out: they tell nothing of the game.
UNTOLD = (e.CasesCopied,)


def describe_event(
    event: e.Event, label: Label = str, commodities: Mapping[str, Commodity] | None = None
) -> str:
    """Describe *event* in one line.

    *label* returns the name of an entity. *commodities* says how many decimals an amount has.
    """
    if isinstance(event, e.Posted):
        return _describe_postings(event, label, commodities or {})
    describe = DESCRIBERS.get(type(event))
    return describe(event, label) if describe else type(event).__name__


def _format_fields(fields: dict[str, Any], label: Label) -> str:
    return ", ".join(f"{key} {label(value)}" for key, value in fields.items())


def _describe_postings(event: e.Posted, label: Label, commodities: Mapping[str, Commodity]) -> str:
    def describe(posting: e.Posting) -> str:
        places = commodities.get(posting.commodity, Commodity()).places
        sign = "+" if posting.amount > 0 else ""
        units = from_units(posting.amount, places)
        return f"{label(posting.account)} {sign}{units} {posting.commodity}"

    postings = sorted(event.postings, key=lambda posting: posting.amount > 0)
    return ", ".join(map(describe, postings)) + (f" ({event.why})" if event.why else "")


def _describe_move(event: e.Moved, label: Label) -> str:
    start = "" if event.left is None else f" from {label(event.left)}"
    over = ", ".join(str(label(square)) for square in event.passed)
    return f"{label(event.piece)} moves{start} to {label(event.to)}" + (over and f", over {over}")


def _describe_change(event: e.AttributeSet, label: Label) -> str:
    value = "nothing" if event.value is None else label(event.value)
    until = "" if event.until is None else f" until {event.until}"
    return f"{event.attribute} of {label(event.entity)} becomes {value}{until}"


def _describe_creation(event: e.EntityCreated, label: Label) -> str:
    attributes = _format_fields(event.attributes, label)
    name = str(label(event.entity))
    thing = event.kind if name.startswith(event.kind) else f"{event.kind} {name}"
    return f"there is a new {thing}" + (attributes and f" ({attributes})")


def _describe_proposal(event: e.ProposalMade, label: Label) -> str:
    how = " (in words only)" if event.words_only else ""
    return f"{event.by} makes proposal {event.number}{how}: {event.text}"


def _describe_refusal(event: e.AttemptRefused, label: Label) -> str:
    reasons = "; ".join(f"{reason.text} ({reason.rule})" for reason in event.reasons)
    return f"refused: {event.operation}: {reasons}"


def _describe_submission(event: e.SubmissionReceived, label: Label) -> str:
    arguments = _format_fields(event.arguments, str)
    return f"{event.by} asks to {event.action}" + (arguments and f": {arguments}")


def describe_order(order: e.OrderGiven) -> str:
    """Describe the conditions and the requests of a standing order."""
    acts = [act.action + _format_in_brackets(act.arguments) for act in order.acts]
    action = " and ".join(acts) or f"answer {order.answer}"
    condition = f", so long as {order.holds}" if order.holds else ""
    return f"when {order.when}{condition}: {action}"


def _format_in_brackets(arguments: dict[str, Any]) -> str:
    return f" ({_format_fields(arguments, str)})" if arguments else ""


def _describe_prevailing_record(event: e.RecordPrevailed, label: Label) -> str:
    return (
        f"the record prevails: {event.what} of {event.subject} is {event.recorded}, "
        f"by the rules {event.by_rules}"
    )


def _describe_fact(event: e.FactRecorded, label: Label) -> str:
    fields = _format_fields(event.fields, str)
    return f"recorded: {event.kind}" + (fields and f" ({fields})")


def describe_ruling(ruling: e.RulingMade) -> str:
    """Describe the kind of *ruling*, the events it decides about, and what it overrules."""
    about = join_words([f"#{number}" for number in events_ruled_on(ruling)])
    overrules = join_words([f"ruling {number}" for number in ruling.overrules])
    parts = [
        f"{ruling.kind} {about}".strip(),
        f"overrules {overrules}" if overrules else "",
        f"closes dispute {ruling.closes}" if ruling.closes is not None else "",
    ]
    return ", ".join(filter(None, parts))


def events_ruled_on(ruling: e.RulingMade) -> list[int]:
    """Return the numbers of the events that *ruling* decides about."""
    edited = [edit.event for edit in ruling.edits if isinstance(edit, e.Replaced | e.LeftOut)]
    return sorted({*edited, *([] if ruling.about is None else [ruling.about])})


def describe_disputed(dispute: e.DisputeOpened) -> str:
    """Describe the event or period that is disputed."""
    return f"period {dispute.disputed}" if dispute.about is None else f"#{dispute.about}"


def _describe_argument(event: e.DisputeArgued, label: Label) -> str:
    if event.by == "engine":
        return f"on dispute {event.dispute}: {event.text}"
    evidence = " (with a what-if)" if event.evidence else ""
    return f"{event.by} on dispute {event.dispute}: {event.text}{evidence}"


def corrected_periods(event: e.Settled) -> list[str]:
    """Return the closed periods that *event* corrects, in order."""
    periods = {int(path[1]) for path, _ in event.tables if path[0] == "past"}
    return [str(period) for period in sorted(periods | set(event.rulesets))]


def _describe_settlement(event: e.Settled, label: Label) -> str:
    periods = corrected_periods(event)
    if not periods:
        return f"settled by ruling {event.ruling}"
    plural = "s" if len(periods) > 1 else ""
    names = join_words(periods)
    return f"what is known of period{plural} {names} is corrected (ruling {event.ruling})"


def join_words(parts: Sequence[str]) -> str:
    """Join *parts* as in `a, b and c`.

    >>> join_words(["a", "b", "c"]), join_words(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def name_rulings(numbers: Sequence[int]) -> str:
    """Name rulings by their *numbers*.

    >>> name_rulings([7]), name_rulings([7, 9])
    ('ruling 7', 'rulings 7 and 9')
    """
    return f"ruling{'s' if len(numbers) > 1 else ''} {join_words(list(map(str, numbers)))}"


def _format_values(values: tuple[Any, ...], label: Label) -> str:
    return ", ".join(str(label(value)) for value in values)


#: The function that describes each kind of event, except `Posted`.
DESCRIBERS: dict[type[e.Event], Callable[[Any, Label], str]] = {
    e.GameOpened: lambda event, _: f"the game {event.game} opens under {event.rulebook}",
    e.StateGiven: lambda event, _: "the admin states how things stand",
    e.JoinRequested: lambda event, _: f"{event.name} asks to join",
    e.LeaveRequested: lambda event, _: f"{event.by} asks to leave",
    e.SubmissionReceived: _describe_submission,
    e.ProposalMade: _describe_proposal,
    e.VoteCast: lambda event, _: f"{event.by} votes {event.choice} on proposal {event.proposal}",
    e.ProposalJudged: lambda event, _: f"proposal {event.proposal} is {event.verdict}",
    e.DrawEntered: lambda event, label: f"rolled by hand: {_format_values(event.values, label)}",
    e.ChoiceAnswered: lambda event, label: f"{event.by} answers {label(event.value)}",
    e.RulingMade: lambda event, _: (
        f"ruling {event.number} ({describe_ruling(event)}): {event.text}"
    ),
    e.DisputeOpened: lambda event, _: (
        f"dispute {event.number}: {event.by} disputes {describe_disputed(event)}: {event.text}"
    ),
    e.DisputeArgued: _describe_argument,
    e.FinalitySet: lambda event, _: f"standings turn final {event.days} days after their close",
    e.ClockAdvanced: lambda event, _: f"the clock stands at {event.received_at:%Y-%m-%d %H:%M}",
    e.OrderGiven: lambda event, _: f"{event.by} orders: {describe_order(event)}",
    e.OrderFired: lambda event, _: "a standing order is carried out",
    e.OrderLapsed: lambda event, _: f"a standing order lapses: {event.why}",
    e.InputWithdrawn: lambda event, _: "the last request is taken back",
    e.CloseAsked: lambda event, _: "the admin closes the period",
    e.FactRecorded: _describe_fact,
    e.DrawRecorded: lambda event, label: f"rolled: {_format_values(event.values, label)}",
    e.RuleEnacted: lambda event, _: (
        f"rule {event.rule.number} {event.rule.title} is in force ({event.source})"
    ),
    e.CasesCopied: lambda event, _: "the cases of the rulebook are copied",
    e.RuleAmended: lambda event, _: f"rule {event.rule.number} is amended ({event.source})",
    e.RuleRepealed: lambda event, _: f"rule {event.number} is repealed ({event.source})",
    e.RuleRenumbered: lambda event, _: f"rule {event.number} is now {event.to} ({event.source})",
    e.Moved: _describe_move,
    e.AttributeSet: _describe_change,
    e.EntityCreated: _describe_creation,
    e.EntityDestroyed: lambda event, label: f"{label(event.entity)} is gone",
    e.Counted: lambda event, _: f"counted: {event.key}",
    e.Scheduled: lambda event, label: (
        f"to come: {event.operation} ({_format_values(event.arguments, label)})"
    ),
    e.Unscheduled: lambda event, _: f"called off: {event.attempt}",
    e.TimerFired: lambda event, _: f"due: {event.attempt}",
    e.AttemptDone: lambda event, _: "done",
    e.AttemptRefused: _describe_refusal,
    e.QuestionRaised: lambda event, _: f"{event.to} is asked: {event.text}",
    e.RecordPrevailed: _describe_prevailing_record,
    e.FactConfirmed: lambda event, _: "the record agrees",
    e.FactUnexplained: lambda event, _: f"unexplained: {event.why}",
    e.Settled: _describe_settlement,
    e.PeriodClosed: lambda event, _: f"period {event.period} is closed",
    e.GameEnded: lambda event, _: f"the game is over: {event.why}",
}
