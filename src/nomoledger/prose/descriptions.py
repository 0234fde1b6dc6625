"""One-line descriptions of events, for logs, refusals and questions."""

from collections.abc import Callable, Sequence
from typing import Any

from nomoledger import events as e
from nomoledger.events.rules import Commodity
from nomoledger.language.values import from_units
from nomoledger.prose.names import Names, Thing, plain
from nomoledger.prose.time_format import format_time
from nomoledger.state.world import ALWAYS

#: The ends of a value that is set until then.
ENDS = {"period": "the period closes", "use": "it is used"}
#: Events that lists of consequences leave out.
BOOKKEEPING = (
    *(e.AttemptDone, e.CasesCopied, e.Counted, e.Scheduled, e.Unscheduled, e.TimerFired),
    e.QuestionRaised,
)
#: Events that a log leaves out: they tell nothing of the game.
UNTOLD = (e.CasesCopied,)


def _format_fields(fields: dict[str, Any]) -> str:
    return ", ".join(f"{plain(key)} {_format_field(value)}" for key, value in fields.items())


def _format_field(value: Any) -> str:
    """Format a value as people gave it: `Ann and Bob` for a list, with brackets for lists in it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, list | tuple):
        return str(value)
    if not value:
        return "none"
    return join_words([
        f"({', '.join(map(_format_field, item))})" if isinstance(item, list | tuple) else str(item)
        for item in value
    ])  # fmt: skip


def _describe_postings(event: e.Posted, names: Names) -> str:
    def describe(posting: e.Posting) -> str:
        places = names.world.commodities().get(posting.commodity, Commodity()).places
        sign = "+" if posting.amount > 0 else ""
        units = from_units(posting.amount, places)
        return f"{names.label(posting.account)} {sign}{units} {posting.commodity}"

    postings = sorted(event.postings, key=lambda posting: posting.amount > 0)
    return ", ".join(map(describe, postings)) + (f" ({event.why})" if event.why else "")


def _describe_move(event: e.Moved, names: Names) -> str:
    start = "" if event.left is None else f" from {names.label(event.left)}"
    over = ", ".join(str(names.label(square)) for square in event.passed)
    moves = f"{names.label(event.piece)} moves{start} to {names.label(event.to)}"
    return moves + (over and f", over {over}")


def _describe_count(event: e.Counted, names: Names) -> str:
    what, *subjects = event.key.split("|")
    of = f" of {', '.join(map(names.phrase, subjects))}" if subjects else ""
    return f"“{what}”{of} is counted once more in this {event.scope}"


def _describe_change(event: e.AttributeSet, names: Names) -> str:
    """Describe the change of an attribute: by the rules' own words, or plainly."""
    thing = names.thing(event.entity)
    kind, attributes = thing or Thing(event.entity, {})
    at, attribute = event.received_at, plain(event.attribute)
    texts = {"it": names.phrase(event.entity)}
    value, was = (names.value(kind, event.attribute, x, at) for x in (event.value, event.was))
    texts |= {} if event.value is None else {"value": value}
    texts |= {} if event.was is None else {"was": was}
    until = _describe_until(event, names)
    texts |= {"until": until.removeprefix(" until ")} if until else {}
    subject = f"{kind}.{event.attribute}"
    for key in keys_of_change(event):
        if told := names.fill(subject, key, kind, attributes.get, at, texts):
            return told
    who = "the game" if event.entity == "game" else texts["it"]
    if event.attribute == "owner" and event.value is not None:
        return f"{value} now owns {who}{until}"
    if event.attribute == "name" and event.value is not None:
        before = f"square {names.label(event.entity)}" if kind == "square" else who
        return f"{before} is now called “{value}”{until}"
    if event.value is True:
        return f"{who} {_state(event.attribute, 'now')}{until}"
    was_flag = event.was is True or names.world.declared(kind).get(event.attribute) == "Flag"
    if event.value is False or (event.value is None and was_flag):
        return f"{who} {_state(event.attribute, 'no longer')}{until}"
    if event.value == []:
        return f"nothing is among {who}'s {attribute} {'any more' if event.was else 'yet'}{until}"
    if event.value is None:
        return f"{who}'s {attribute} is {'no longer set' if event.was else 'not set'}{until}"
    other = names.thing(event.value)
    value = str(names.label(event.value)) if other and other.kind == event.attribute else value
    return f"{attribute} of {who} becomes {value}{until}"


def _state(flag: str, when: str) -> str:
    """Return the predicate of a flag: `speeding` as `is now speeding`."""
    if flag.startswith("has_"):
        return f"has {when} {plain(flag[4:])}"
    return f"is {when} {plain(flag.removeprefix('is_'))}"


def keys_of_change(event: e.AttributeSet) -> list[str]:
    """Return the keys under which the rules may tell *event*, the most particular first."""
    if event.value is None or event.value == []:
        return ["none", "no"]
    if event.value is False:
        return ["no", "none"]
    if event.value is True:
        return ["yes", "set", ALWAYS]
    return [str(event.value), "set", ALWAYS] if isinstance(event.value, str) else ["set", ALWAYS]


def _describe_until(event: e.AttributeSet, names: Names) -> str:
    if event.until is None:
        return ""
    if isinstance(event.until, int):
        return f" until {format_time(event.until, event.received_at)}"
    return f" until {ENDS.get(event.until, event.until)}"


def _describe_creation(event: e.EntityCreated, names: Names) -> str:
    """Describe a creation: by the rules' own words, or by the attributes of the new thing."""
    thing, at = Thing(event.kind, event.attributes), event.received_at
    texts = {"it": names.phrase(event.entity, at)}
    if told := names.fill(event.kind, "created", event.kind, thing.attributes.get, at, texts):
        return told
    named = without_article(texts["it"])
    if names.template(event.kind, "label") is None:
        plainly = without_article(names.describe_new(thing, at, times=True))
        unnamed = texts["it"] == names.describe_new(thing, at)
        named = plainly if unnamed else named
    kind = plain(event.kind)
    return f"there is a new {named if kind in named else f'{kind} {named}'}"


def _describe_destruction(event: e.EntityDestroyed, names: Names) -> str:
    thing, at = names.thing(event.entity), event.received_at
    called = names.phrase(event.entity, at)
    if thing is not None:
        told = names.fill(
            thing.kind, "destroyed", thing.kind, thing.attributes.get, at, {"it": called}
        )
        if told:
            return told
    return f"{called} is gone"


def without_article(label: str) -> str:
    """Return *label* without the article that it begins with.

    >>> without_article("the option of Ann"), without_article("Ann")
    ('option of Ann', 'Ann')
    """
    article, _, rest = label.partition(" ")
    return rest if rest and article in ("a", "an", "the") else label


def _describe_proposal(event: e.ProposalMade, names: Names) -> str:
    how = " (in words only)" if event.words_only else ""
    return f"{event.by} makes proposal {event.number}{how}: {event.text}"


def _describe_refusal(event: e.AttemptRefused, names: Names) -> str:
    reasons = "; ".join(f"{reason.text} ({reason.rule})" for reason in event.reasons)
    return f"refused: {plain(event.operation.lstrip('@'))}: {reasons}"


def _describe_submission(event: e.SubmissionReceived, names: Names) -> str:
    return describe_request(event.by, event.action, event.arguments)


def describe_request(by: str, action: str, arguments: dict[str, Any]) -> str:
    """Describe a request of *by* for an action with *arguments*, by the labels of its form.

    >>> describe_request("Ann", "name_square", {"square": 8, "new_name": "Mill"})
    'Ann asks to name square: square 8, new name Mill'
    """
    fields = _format_fields(arguments)
    return f"{by} asks to {plain(action)}" + (fields and f": {fields}")


def describe_order(order: e.OrderGiven) -> str:
    """Describe the conditions and the requests of a standing order."""
    acts = [describe_act(act) for act in order.acts]
    action = " and ".join(acts) or f"answer {order.answer}"
    condition = f", so long as {order.holds}" if order.holds else ""
    return f"when {order.when}{condition}: {action}"


def describe_act(act: e.Act) -> str:
    """Describe a request of a standing order."""
    return plain(act.action) + _format_in_brackets(act.arguments)


def _format_in_brackets(arguments: dict[str, Any]) -> str:
    return f" ({_format_fields(arguments)})" if arguments else ""


def _describe_foreseen(event: e.EndForeseen, names: Names) -> str:
    subject, value = names.phrase(event.entity), names.label(event.by_rules)
    return f"the record ends otherwise than {event.attribute} {value} of {subject}"


def _describe_keys(keys: Sequence[tuple[str, str]], names: Names) -> str:
    told = [
        names.phrase(subject) if name == "*" else f"{name} of {names.phrase(subject)}"
        for subject, name in keys
    ]
    return join_words(told) or "what follows"


def _describe_prevailing_record(event: e.RecordPrevailed, names: Names) -> str:
    return (
        f"the record prevails: {event.what} of {event.subject} is {event.recorded}, "
        f"by the rules {event.by_rules}"
    )


def _describe_fact(event: e.FactRecorded, names: Names) -> str:
    fields = _format_fields(event.fields)
    return f"recorded: {event.kind}" + (fields and f" ({fields})")


def _name_step(event: e.StepFailed, names: Names) -> str:
    """Name the step of play that failed."""
    if event.kind == "order":
        return "a standing order"
    return f"the check {event.step}" if event.kind == "check" else names.scheduled(event.step)


def describe_ruling(ruling: e.RulingMade) -> str:
    """Describe the kind of *ruling*, the events it decides about, and what it overrules."""
    about = join_words([f"#{number}" for number in events_ruled_on(ruling)])
    overrules = join_words([f"ruling {number}" for number in ruling.overrules])
    parts = [
        f"{ruling.kind} {about}".strip(),
        f"overrules {overrules}" if overrules else "",
        f"closes dispute {ruling.closes}" if ruling.closes is not None else "",
        *ruling.voids,
    ]
    return ", ".join(filter(None, parts))


def events_ruled_on(ruling: e.RulingMade) -> list[int]:
    """Return the numbers of the events that *ruling* decides about."""
    edited = [edit.event for edit in ruling.edits if isinstance(edit, e.Replaced | e.LeftOut)]
    return sorted({*edited, *([] if ruling.about is None else [ruling.about])})


def name_confirmation(event: e.KeyPassed) -> str:
    """Say whether the old key confirmed that the game passes to another key."""
    return "confirmed by the old key" if event.is_confirmed else "not confirmed by the old key"


def describe_disputed(dispute: e.DisputeOpened) -> str:
    """Describe the event or period that is disputed."""
    return f"period {dispute.disputed}" if dispute.about is None else f"#{dispute.about}"


def _describe_argument(event: e.DisputeArgued, names: Names) -> str:
    if event.by == "engine":
        return f"on dispute {event.dispute}: {event.text}"
    evidence = " (with a what-if)" if event.evidence else ""
    return f"{event.by} on dispute {event.dispute}: {event.text}{evidence}"


def corrected_periods(event: e.Settled) -> list[str]:
    """Return the closed periods that *event* corrects, in order."""
    periods = {int(path[1]) for path, _ in event.tables if path[0] == "past"}
    return [str(period) for period in sorted(periods | set(event.rulesets))]


def _describe_settlement(event: e.Settled, _: Names) -> str:
    periods = corrected_periods(event)
    if not periods:
        return f"settled by ruling {event.ruling}"
    plural = "s" if len(periods) > 1 else ""
    listed = join_words(periods)
    return f"what is known of period{plural} {listed} is corrected (ruling {event.ruling})"


def join_words(parts: Sequence[str], last: str = "and") -> str:
    """Join *parts* as in `a, b and c`, with the word *last* before the last one.

    >>> join_words(["a", "b", "c"]), join_words(["a"]), join_words(["a", "b"], "or")
    ('a, b and c', 'a', 'a or b')
    """
    return f" {last} ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def name_rulings(numbers: Sequence[int]) -> str:
    """Name rulings by their *numbers*.

    >>> name_rulings([7]), name_rulings([7, 9])
    ('ruling 7', 'rulings 7 and 9')
    """
    return f"ruling{'s' if len(numbers) > 1 else ''} {join_words(list(map(str, numbers)))}"


def _format_values(values: tuple[Any, ...], names: Names) -> str:
    return ", ".join(str(names.label(value)) for value in values)


#: The function that describes each kind of event.
DESCRIBERS: dict[type[e.Event], Callable[[Any, Names], str]] = {
    e.Posted: _describe_postings,
    e.GameOpened: lambda event, _: f"the game {event.game} opens under {event.rulebook}",
    e.StateGiven: lambda event, _: "the admin states how things stand",
    e.JoinRequested: lambda event, _: f"{event.name} asks to join",
    e.LeaveRequested: lambda event, _: f"{event.by} asks to leave",
    e.SubmissionReceived: _describe_submission,
    e.ProposalMade: _describe_proposal,
    e.VoteCast: lambda event, _: f"{event.by} votes {event.choice} on proposal {event.proposal}",
    e.ProposalJudged: lambda event, _: f"proposal {event.proposal} is {event.verdict}",
    e.DrawEntered: lambda event, names: f"rolled by hand: {_format_values(event.values, names)}",
    e.ChoiceAnswered: lambda event, names: f"{event.by} answers {names.label(event.value)}",
    e.RulingMade: lambda event, _: (
        f"ruling {event.number} ({describe_ruling(event)}): {event.text}"
    ),
    e.DisputeOpened: lambda event, _: (
        f"dispute {event.number}: {event.by} disputes {describe_disputed(event)}: {event.text}"
    ),
    e.DisputeArgued: _describe_argument,
    e.FinalitySet: lambda event, _: f"standings turn final {event.days} days after their close",
    e.KeyPassed: lambda event, _: (
        f"the game passes to the key {event.key}, {name_confirmation(event)}"
        + (f": {event.text}" if event.text else "")
    ),
    e.SeedCommitted: lambda event, _: (
        f"{event.by} commits to a seed for the dice of period {event.drawn_in}"
        + (", chosen by the admin" if event.by_admin else "")
    ),
    e.SeedRevealed: lambda event, _: (
        f"{event.by} reveals the seed for the dice of period {event.drawn_in}: {event.seed}"
    ),
    e.ClockAdvanced: lambda event, _: f"the clock stands at {event.received_at:%Y-%m-%d %H:%M}",
    e.OrderGiven: lambda event, _: f"{event.by} orders: {describe_order(event)}",
    e.OrderFired: lambda event, _: "a standing order is carried out",
    e.OrderLapsed: lambda event, _: f"a standing order lapses: {event.why}",
    e.InputWithdrawn: lambda event, _: "the last request is taken back",
    e.CloseAsked: lambda event, _: "the admin closes the period",
    e.FactRecorded: _describe_fact,
    e.StepFailed: lambda event, names: f"{_name_step(event, names)} is dropped: {event.why}",
    e.CheckSuspended: lambda event, _: f"the check {event.check} is suspended: {event.why}",
    e.DrawRecorded: lambda event, names: (
        f"{'drawn' if event.options else 'rolled'}: {_format_values(event.values, names)}"
    ),
    e.RuleEnacted: lambda event, _: (
        f"rule {event.rule.number} {event.rule.title} is in force ({event.source})"
    ),
    e.CasesCopied: lambda event, _: "the cases of the rulebook are copied",
    e.RuleAmended: lambda event, _: f"rule {event.rule.number} is amended ({event.source})",
    e.RuleRepealed: lambda event, _: (
        f"rule {event.number} is repealed ({event.source})"
        + (f"; its own code at the end was undone: {event.skipped}" if event.skipped else "")
    ),
    e.RuleRenumbered: lambda event, _: f"rule {event.number} is now {event.to} ({event.source})",
    e.Moved: _describe_move,
    e.AttributeSet: _describe_change,
    e.EntityCreated: _describe_creation,
    e.EntityDestroyed: _describe_destruction,
    e.Counted: _describe_count,
    e.Scheduled: lambda event, names: f"to come: {names.scheduled(event.attempt)}",
    e.Unscheduled: lambda event, names: f"called off: {names.scheduled(event.attempt)}",
    e.Rescheduled: lambda event, names: (
        f"{names.scheduled(event.attempt)} is now due "
        f"{format_time(event.due, event.received_at)}, as the rule was amended"
    ),
    e.TimerFired: lambda event, names: f"due: {names.scheduled(event.attempt)}",
    e.AttemptDone: lambda event, _: "done",
    e.AttemptRefused: _describe_refusal,
    e.QuestionRaised: lambda event, _: f"{event.to} is asked: {event.text}",
    e.QuestionWithdrawn: lambda event, _: "a question is withdrawn, as its rule has changed",
    e.RecordPrevailed: _describe_prevailing_record,
    e.FactConfirmed: lambda event, _: "the record agrees",
    e.EndForeseen: _describe_foreseen,
    e.MadeUnknown: lambda event, names: f"unknown from here: {_describe_keys(event.keys, names)}",
    e.MadeKnown: lambda event, names: f"known from here: {_describe_keys(event.keys, names)}",
    e.FactNotCompared: lambda event, _: f"not compared: something is unknown since #{event.since}",
    e.FactUnexplained: lambda event, _: f"unexplained: {event.why}",
    e.Settled: _describe_settlement,
    e.PeriodClosed: lambda event, _: f"period {event.period} is closed",
    e.GameEnded: lambda event, _: f"the game is over: {event.why}",
}
