"""Events as sentences that players like to read: who did what, and what came of it."""

from collections.abc import Callable, Iterator, Sequence
from textwrap import shorten
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.events.rules import Commodity
from nomoledger.game import evidence
from nomoledger.language.values import from_units
from nomoledger.prose.descriptions import (
    corrected_periods,
    describe_disputed,
    describe_event,
    describe_order,
    events_ruled_on,
    join_words,
)
from nomoledger.prose.labels import describe_thing, format_cell
from nomoledger.state.world import World
from nomoledger_projections.proposals import Book

#: How much of a proposal's words is said again with its verdict.
TEXT_MAX = 70
REFUSED = "this is refused"
#: What a ruling does to the events it is about.
RULED = {
    "uphold": "upholds",
    "ratify": "ratifies",
    "reject": "rejects",
    "replace": "replaces",
}


class Said(NamedTuple):
    """*text* about *who*, or a sentence of its own; a *fresh* one begins a new sentence.

    What was asked for and is not refused is told as *granted*, where that is given.
    """

    who: str | None
    text: str
    fresh: bool = False
    granted: str = ""


def sentences(said: Sequence[Said]) -> str:
    """All of it as running text: what is said of the same person in turn is one sentence."""
    is_refused = any(each.text.startswith(REFUSED) for each in said)
    groups: list[list[Said]] = []
    for each in said:
        if each.granted and not is_refused:
            each = each._replace(text=each.granted)
        last = groups[-1][-1] if groups else None
        if last is not None and last.who is not None and last.who == each.who and not each.fresh:
            groups[-1].append(each)
        else:
            groups.append([each])
    return " ".join(" ".join(map(_sentence, groups)).split())


def _sentence(group: list[Said]) -> str:
    who, texts = group[0].who, [each.text for each in group]
    if who is None:
        text = texts[0][:1].upper() + texts[0][1:]
    else:
        listed = ", ".join(texts[:-1])
        text = f"{who} {listed} and {texts[-1]}" if listed else f"{who} {texts[-1]}"
    return text if text.rstrip("”").endswith((".", "!", "?")) else f"{text}."


class SentenceWriter:
    """Tells one event after the other, and knows who acts and what was asked."""

    def __init__(self) -> None:
        self._actors: dict[int, str] = {}
        self._asked: dict[str, e.QuestionRaised] = {}
        self._book = Book()
        self._start: set[int] = set()

    def tell(self, entry: e.Entry, world: World) -> Iterator[Said]:
        """What there is to say about the event in *entry*."""
        body = entry.body
        self._book.take(entry)
        self._follow(entry.number, body, world)
        if isinstance(body, e.DrawRecorded):
            yield self._rolled(body.cause, body.values, world)
        elif isinstance(body, e.DrawEntered):
            asked = self._asked.get(body.question)
            yield self._rolled(asked.cause if asked else None, body.values, world)
        elif isinstance(body, e.ChoiceAnswered | e.RulingMade) and body.question is not None:
            yield from self._answered(body, world)
        elif isinstance(body, e.ProposalJudged):
            yield Said(None, self._judged(body))
        elif not self._is_told(body, world):
            teller = _TELLERS.get(type(body))
            yield from teller(body, world) if teller is not None else ()

    def _follow(self, number: int, body: e.Event, world: World) -> None:
        """Note what later events refer to."""
        actor = self._actors.get(body.cause) if body.cause is not None else None
        if isinstance(body, e.Scheduled):
            players = [each for each in body.arguments if _kind(world, each) == "player"]
            actor = players[0] if players else body.by or actor
        elif isinstance(body, e.Input):
            actor = getattr(body, "by", getattr(body, "name", None))
        if actor:
            self._actors[number] = actor
        if isinstance(body, e.QuestionRaised):
            self._asked[body.question] = body
        if isinstance(body, e.GameOpened | e.StateGiven) or body.cause in self._start:
            self._start.add(number)

    def _is_told(self, body: e.Event, world: World) -> bool:
        """Whether *body* belongs to the opening, or to the engine's or a rule's own bookkeeping."""
        if body.cause in self._start:
            return True
        if isinstance(body, e.AttributeSet):
            is_verdict = _kind(world, body.entity) == "proposal" and body.attribute == "state"
            counts = body.until == "period" and type(body.value) is int
            return is_verdict or counts or body.rules in (("engine",), ("record",))
        return isinstance(body, e.EntityCreated) and body.kind in ("player", "proposal")

    def _rolled(self, cause: int | None, values: tuple[Any, ...], world: World) -> Said:
        actor = self._actors.get(cause) if cause is not None else None
        verb = "rolls" if all(type(each) is int for each in values) else "draws"
        who = None if actor in (None, "admin") else _called(world, actor)
        drawn = " and ".join(_called(world, each) for each in values)
        return Said(who, f"{verb} {drawn}" if who else f"the {verb[:-1]} is {drawn}", fresh=True)

    def _answered(self, body: e.ChoiceAnswered | e.RulingMade, world: World) -> Iterator[Said]:
        asked = self._asked.get(body.question or "")
        text = asked.text if asked is not None else "a question"
        value = _called(world, body.value)
        if isinstance(body, e.RulingMade):
            ruled = f"Ruling {body.number} on “{text}”: {value}. {body.text}"
            yield Said(None, ruled + _notes(body))
        else:
            who = body.by if asked is None or body.by != "admin" else asked.to
            yield Said(_called(world, who), f"is asked “{text}” and answers {value}", fresh=True)

    def _judged(self, body: e.ProposalJudged) -> str:
        made = self._book.proposals.get(body.proposal)
        if made is None:
            return f"proposal {body.proposal} is {body.verdict}"
        vote = f" (vote {made.vote})" if made.vote else ""
        words = shorten(made.text, TEXT_MAX, placeholder=" …")
        return f"proposal {made.number} by {made.by} (“{words}”) is {body.verdict}{vote}"


# --- one kind of event after the other ----------------------------------------------------------


def _kind(world: World, value: Any) -> str | None:
    return world.entities.get(value) if isinstance(value, str) else None


def _called(world: World, value: Any) -> str:
    """What people call *value*, squares with their name where they have one."""
    text = format_cell(value) if isinstance(value, bool) else str(describe_thing(world, value))
    name = world.get(value, "name") if _kind(world, value) == "square" else None
    return text if name in (None, text) else f"{text} ({name})"


def _thing(world: World, entity: str) -> str:
    """A thing with what kind of thing it is."""
    kind = _kind(world, entity)
    return f"{kind} {describe_thing(world, entity)}" if kind == "square" else _called(world, entity)


def _notes(body: e.RulingMade) -> str:
    cites = f"cites {', '.join(body.cites)}" if body.cites else ""
    inferred = "inferred from how the game was played" if body.basis == "inferred" else ""
    notes = "; ".join(each for each in (inferred, cites) if each)
    return f" ({notes})" if notes else ""


def _alone(text: Callable[[Any, World], str]) -> Callable[[Any, World], Iterator[Said]]:
    return lambda body, world: iter((Said(None, text(body, world)),))


def _of(said: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, World], Iterator[Said]]:
    return lambda body, world: iter((Said(*said(body)),))


def _opened(body: e.GameOpened, world: World) -> str:
    return f"the game {body.game} opens under the rules of {body.rulebook}"


def _given(body: e.StateGiven, world: World) -> str:
    return f"it begins with {', '.join(body.players)}" if body.players else "its start is given"


def _submitted(body: e.SubmissionReceived, world: World) -> Iterator[Said]:
    pairs = (f"{name} {_called(world, value)}" for name, value in body.arguments.items())
    given = f" ({', '.join(pairs)})" if body.arguments else ""
    yield Said(_called(world, body.by), f"asks to {body.action.replace('_', ' ')}{given}")


def _ruled(body: e.RulingMade, world: World) -> str:
    verb = RULED.get(body.kind, "")
    about = join_words([f"#{number}" for number in events_ruled_on(body)])
    does = [
        f"{verb} {about}" if verb and about else "",
        f"overrules ruling {join_words(list(map(str, body.overrules)))}" if body.overrules else "",
        f"closes dispute {body.closes}" if body.closes is not None else "",
    ]
    done = join_words(list(filter(None, does)))
    return f"ruling {body.number}{done and ' ' + done}: {body.text}{_notes(body)}"


def _disputed(body: e.DisputeOpened, world: World) -> Iterator[Said]:
    text = f"disputes {describe_disputed(body)} (dispute {body.number}): {body.text}"
    yield _by(body.by, text, world)


def _by(who: str, text: str, world: World) -> Said:
    return Said(None, f"the admin {text}") if who == "admin" else Said(_called(world, who), text)


def _argued(body: e.DisputeArgued, world: World) -> Iterator[Said]:
    if body.by == "engine":
        found = "; ".join(evidence.describe_evidence(body.evidence))
        yield Said(None, f"{body.text}{found and ': ' + found}")
        return
    shown = " (with a what-if)" if body.evidence else ""
    yield _by(body.by, f"says on dispute {body.dispute}{shown}: {body.text}", world)


def _settled(body: e.Settled, world: World) -> Iterator[Said]:
    if periods := corrected_periods(body):
        many = "s" if len(periods) > 1 else ""
        yield Said(None, f"what is known of period{many} {join_words(periods)} is corrected")


def _moved(body: e.Moved, world: World) -> Iterator[Said]:
    to = f"square {_called(world, body.to)}"
    if body.left is None:
        text = f"starts on {to}"
    elif body.left == body.to:
        text = f"comes back to {to}"
    elif body.mode == "place":
        text = f"is put on {to}"
    else:
        text = f"goes from {_called(world, body.left)} to {_called(world, body.to)}"
    yield Said(_called(world, body.piece), text)


def _posted(body: e.Posted, world: World) -> Iterator[Said]:
    """Who pays what to whom; several at once one by one, as far as they can be told apart."""
    why = f" ({body.why})" if body.why else ""
    for commodity in dict.fromkeys(each.commodity for each in body.postings):
        these = [each for each in body.postings if each.commodity == commodity]
        payers = [each for each in these if each.amount < 0]
        takers = [each for each in these if each.amount > 0]
        if len(payers) == len(takers) == 1:
            yield _paid(payers[0], takers[0], world, why)
            continue
        for each in (*payers, *takers):
            verb = "pays" if each.amount < 0 else "gets"
            told = f"{verb} {_amount(world, commodity, abs(each.amount))}{why}"
            yield Said(_called(world, each.account), told)


def _paid(payer: e.Posting, taker: e.Posting, world: World, why: str) -> Said:
    what = _amount(world, taker.commodity, taker.amount)
    if _kind(world, payer.account) != "player" and _kind(world, taker.account) == "player":
        giver = _called(world, payer.account)
        return Said(_called(world, taker.account), f"gets {what} from {giver}{why}")
    to = _called(world, taker.account)
    return Said(_called(world, payer.account), f"pays {what} to {to}{why}")


def _amount(world: World, commodity: str, units: int) -> str:
    figure = from_units(units, world.commodities().get(commodity, Commodity()).places)
    is_sign = not any(each.isalnum() for each in commodity)
    return f"{commodity}{figure}" if is_sign else f"{figure} {commodity}"


def _set(body: e.AttributeSet, world: World) -> Iterator[Said]:
    thing = _thing(world, body.entity)
    if body.attribute == "owner" and body.value is not None:
        yield Said(_called(world, body.value), f"now owns {thing}")
    elif body.attribute == "name" and body.value is not None:
        yield Said(None, f"{thing} is now called “{body.value}”")
    else:
        yield Said(None, describe_event(body, lambda value: _called(world, value)))


def _refused(body: e.AttemptRefused, world: World) -> str:
    reasons = (f"{each.text} ({each.rule.partition('@')[0]})" for each in body.reasons)
    return f"{REFUSED}: {'; '.join(reasons)}"


def _prevailed(body: e.RecordPrevailed, world: World) -> str:
    rules = f" ({', '.join(each.partition('@')[0] for each in body.rules)})" if body.rules else ""
    return (
        f"the record has {body.recorded} as the {body.what} of {body.subject}, where the rules"
        f" give {body.by_rules}{rules}; the record stands"
    )


def _ended(body: e.GameEnded, world: World) -> str:
    winners = ", ".join(_called(world, each) for each in body.winners)
    return f"the game is over: {body.why}" + (f"; the winner is {winners}" if winners else "")


_TELLERS: dict[type[e.Event], Callable[[Any, World], Iterator[Said]]] = {
    e.GameOpened: _alone(_opened),
    e.StateGiven: _alone(_given),
    e.JoinRequested: _of(lambda body: (body.name, "asks to join", False, "joins")),
    e.LeaveRequested: _of(lambda body: (body.by, "asks to leave", False, "leaves")),
    e.SubmissionReceived: _submitted,
    e.ProposalMade: _of(lambda body: (body.by, f"makes proposal {body.number} (“{body.text}”)")),
    e.VoteCast: _of(lambda body: (body.by, f"votes {body.choice} on proposal {body.proposal}")),
    e.RulingMade: _alone(_ruled),
    e.Settled: _settled,
    e.DisputeOpened: _disputed,
    e.DisputeArgued: _argued,
    e.FinalitySet: _alone(lambda body, _: f"standings turn final {body.days} days after a close"),
    e.OrderGiven: _of(lambda body: (body.by, f"orders: {describe_order(body)}")),
    e.OrderFired: _alone(lambda body, _: "a standing order is carried out"),
    e.OrderLapsed: _alone(lambda body, _: f"a standing order lapses: {body.why}"),
    e.InputWithdrawn: _alone(lambda body, _: "the last request is taken back"),
    e.RuleEnacted: _alone(lambda body, _: f"rule {body.rule.number} {body.rule.title} is new"),
    e.RuleAmended: _alone(lambda body, _: f"rule {body.rule.number} {body.rule.title} is amended"),
    e.RuleRepealed: _alone(lambda body, _: f"rule {body.number} is repealed"),
    e.RuleRenumbered: _alone(lambda body, _: f"rule {body.number} is now {body.to}"),
    e.Posted: _posted,
    e.Moved: _moved,
    e.AttributeSet: _set,
    e.EntityCreated: _alone(lambda body, world: f"there is a new {_thing(world, body.entity)}"),
    e.EntityDestroyed: _alone(lambda body, world: f"the {_thing(world, body.entity)} is gone"),
    e.AttemptRefused: _alone(_refused),
    e.RecordPrevailed: _alone(_prevailed),
    e.FactUnexplained: _alone(lambda body, _: f"the record has more than the rules: {body.why}"),
    e.PeriodClosed: _alone(lambda body, _: f"period {body.period} is closed"),
    e.GameEnded: _alone(_ended),
}  # fmt: skip
