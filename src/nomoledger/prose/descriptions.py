"""Events in words, for logs, refusals and questions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nomoledger import events as e
from nomoledger.events.rules import Commodity
from nomoledger.language.values import from_units

Label = Callable[[Any], Any]
#: What is not worth a line of its own where it is told what came of something.
BOOKKEEPING = (e.AttemptDone, e.Counted, e.Scheduled, e.Unscheduled, e.TimerFired, e.QuestionRaised)


def describe_event(
    event: e.Event, label: Label = str, commodities: Mapping[str, Commodity] | None = None
) -> str:
    """One line on *event*.

    *label* says what people call an entity; *commodities* how many decimals an amount has.
    """
    if isinstance(event, e.Posted):
        return _posted(event, label, commodities or {})
    teller = _TELLERS.get(type(event))
    return teller(event, label) if teller else type(event).__name__


def _named(values: dict[str, Any], label: Label) -> str:
    return ", ".join(f"{key} {label(value)}" for key, value in values.items())


def _posted(event: e.Posted, label: Label, commodities: Mapping[str, Commodity]) -> str:
    def told(posting: e.Posting) -> str:
        places = commodities.get(posting.commodity, Commodity()).places
        sign = "+" if posting.amount > 0 else ""
        units = from_units(posting.amount, places)
        return f"{label(posting.account)} {sign}{units} {posting.commodity}"

    postings = sorted(event.postings, key=lambda posting: posting.amount > 0)
    return ", ".join(map(told, postings)) + (f" ({event.why})" if event.why else "")


def _moved(event: e.Moved, label: Label) -> str:
    left = "" if event.left is None else f" from {label(event.left)}"
    over = ", ".join(str(label(each)) for each in event.passed)
    return f"{label(event.piece)} moves{left} to {label(event.to)}" + (over and f", over {over}")


def _set(event: e.AttributeSet, label: Label) -> str:
    value = "nothing" if event.value is None else label(event.value)
    until = "" if event.until is None else f" until {event.until}"
    return f"{event.attribute} of {label(event.entity)} becomes {value}{until}"


def _created(event: e.EntityCreated, label: Label) -> str:
    attributes = _named(event.attributes, label)
    called = str(label(event.entity))
    what = event.kind if called.startswith(event.kind) else f"{event.kind} {called}"
    return f"there is a new {what}" + (attributes and f" ({attributes})")


def _proposed(event: e.ProposalMade, label: Label) -> str:
    return f"{event.by} makes proposal {event.number}: {event.text}"


def _refused(event: e.AttemptRefused, label: Label) -> str:
    reasons = "; ".join(f"{reason.text} ({reason.rule})" for reason in event.reasons)
    return f"refused: {event.operation}: {reasons}"


def _submitted(event: e.SubmissionReceived, label: Label) -> str:
    arguments = _named(event.arguments, str)
    return f"{event.by} asks to {event.action}" + (arguments and f": {arguments}")


def describe_order(order: e.OrderGiven) -> str:
    """What a standing order says, in words."""
    acts = [f"{act.action}" + _in_brackets(act.arguments) for act in order.acts]
    then = " and ".join(acts) or f"answer {order.answer}"
    unless = f", so long as {order.holds}" if order.holds else ""
    return f"when {order.when}{unless}: {then}"


def _in_brackets(arguments: dict[str, Any]) -> str:
    return f" ({_named(arguments, str)})" if arguments else ""


def _prevailed(event: e.RecordPrevailed, label: Label) -> str:
    return (
        f"the record prevails: {event.what} of {event.subject} is {event.recorded}, "
        f"by the rules {event.by_rules}"
    )


def _fact(event: e.FactRecorded, label: Label) -> str:
    fields = _named(event.fields, str)
    return f"recorded: {event.kind}" + (fields and f" ({fields})")


def describe_ruling(ruling: e.RulingMade) -> str:
    """What kind of ruling it is, and what it is about."""
    about = join_words([f"#{number}" for number in events_ruled_on(ruling)])
    overrules = join_words([f"ruling {number}" for number in ruling.overrules])
    notes = [
        f"{ruling.kind} {about}".strip(),
        f"overrules {overrules}" if overrules else "",
        f"closes dispute {ruling.closes}" if ruling.closes is not None else "",
    ]
    return ", ".join(filter(None, notes))


def events_ruled_on(ruling: e.RulingMade) -> list[int]:
    """The events that *ruling* is about."""
    edited = [edit.event for edit in ruling.edits if isinstance(edit, e.Replaced | e.LeftOut)]
    return sorted({*edited, *([] if ruling.about is None else [ruling.about])})


def describe_disputed(dispute: e.DisputeOpened) -> str:
    """What is disputed."""
    return f"period {dispute.disputed}" if dispute.about is None else f"#{dispute.about}"


def _argued(event: e.DisputeArgued, label: Label) -> str:
    if event.by == "engine":
        return f"on dispute {event.dispute}: {event.text}"
    shown = " (with a what-if)" if event.evidence else ""
    return f"{event.by} on dispute {event.dispute}: {event.text}{shown}"


def corrected_periods(event: e.Settled) -> list[str]:
    """The closed periods that are known otherwise from now on."""
    periods = {int(path[1]) for path, _ in event.tables if path[0] == "past"}
    return [str(each) for each in sorted(periods | set(event.rulesets))]


def _settled(event: e.Settled, label: Label) -> str:
    periods = corrected_periods(event)
    if not periods:
        return f"settled by ruling {event.ruling}"
    many = "s" if len(periods) > 1 else ""
    return (
        f"what is known of period{many} {join_words(periods)} is corrected (ruling {event.ruling})"
    )


def join_words(parts: Sequence[str]) -> str:
    """*parts* in words: `a, b and c`.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def name_rulings(numbers: Sequence[int]) -> str:
    """Rulings by their *numbers*.

    >>> rulings_named([7]), rulings_named([7, 9])
    ('ruling 7', 'rulings 7 and 9')
    """
    return f"ruling{'s' if len(numbers) > 1 else ''} {join_words(list(map(str, numbers)))}"


def _values(values: tuple[Any, ...], label: Label) -> str:
    return ", ".join(str(label(value)) for value in values)


_TELLERS: dict[type[e.Event], Callable[[Any, Label], str]] = {
    e.GameOpened: lambda x, _: f"the game {x.game} opens under {x.rulebook}",
    e.StateGiven: lambda x, _: "the admin states how things stand",
    e.JoinRequested: lambda x, _: f"{x.name} asks to join",
    e.LeaveRequested: lambda x, _: f"{x.by} asks to leave",
    e.SubmissionReceived: _submitted,
    e.ProposalMade: _proposed,
    e.VoteCast: lambda x, _: f"{x.by} votes {x.choice} on proposal {x.proposal}",
    e.ProposalJudged: lambda x, _: f"proposal {x.proposal} is {x.verdict}",
    e.DrawEntered: lambda x, label: f"rolled by hand: {_values(x.values, label)}",
    e.ChoiceAnswered: lambda x, label: f"{x.by} answers {label(x.value)}",
    e.RulingMade: lambda x, _: f"ruling {x.number} ({describe_ruling(x)}): {x.text}",
    e.DisputeOpened: lambda x, _: (
        f"dispute {x.number}: {x.by} disputes {describe_disputed(x)}: {x.text}"
    ),
    e.DisputeArgued: _argued,
    e.FinalitySet: lambda x, _: f"standings turn final {x.days} days after their close",
    e.ClockAdvanced: lambda x, _: f"the clock stands at {x.received_at:%Y-%m-%d %H:%M}",
    e.OrderGiven: lambda x, _: f"{x.by} orders: {describe_order(x)}",
    e.OrderFired: lambda x, _: "a standing order is carried out",
    e.OrderLapsed: lambda x, _: f"a standing order lapses: {x.why}",
    e.InputWithdrawn: lambda x, _: "the last request is taken back",
    e.CloseAsked: lambda x, _: "the admin closes the period",
    e.FactRecorded: _fact,
    e.DrawRecorded: lambda x, label: f"rolled: {_values(x.values, label)}",
    e.RuleEnacted: lambda x, _: f"rule {x.rule.number} {x.rule.title} is in force ({x.source})",
    e.RuleAmended: lambda x, _: f"rule {x.rule.number} is amended ({x.source})",
    e.RuleRepealed: lambda x, _: f"rule {x.number} is repealed ({x.source})",
    e.RuleRenumbered: lambda x, _: f"rule {x.number} is now {x.to} ({x.source})",
    e.Moved: _moved,
    e.AttributeSet: _set,
    e.EntityCreated: _created,
    e.EntityDestroyed: lambda x, label: f"{label(x.entity)} is gone",
    e.Counted: lambda x, _: f"counted: {x.key}",
    e.Scheduled: lambda x, label: f"to come: {x.operation} ({_values(x.arguments, label)})",
    e.Unscheduled: lambda x, _: f"called off: {x.attempt}",
    e.TimerFired: lambda x, _: f"due: {x.attempt}",
    e.AttemptDone: lambda x, _: "done",
    e.AttemptRefused: _refused,
    e.QuestionRaised: lambda x, _: f"{x.to} is asked: {x.text}",
    e.RecordPrevailed: _prevailed,
    e.FactConfirmed: lambda x, _: "the record agrees",
    e.FactUnexplained: lambda x, _: f"unexplained: {x.why}",
    e.Settled: _settled,
    e.PeriodClosed: lambda x, _: f"period {x.period} is closed",
    e.GameEnded: lambda x, _: f"the game is over: {x.why}",
}
