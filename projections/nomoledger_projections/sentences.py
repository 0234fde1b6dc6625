"""Events as sentences for players: who did what, and the consequences."""

from collections.abc import Callable, Iterator, Sequence
from textwrap import shorten
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.game import evidence
from nomoledger.prose.descriptions import (
    corrected_periods,
    describe_disputed,
    describe_order,
    events_ruled_on,
    join_words,
    name_confirmation,
)
from nomoledger.prose.labels import format_cell
from nomoledger.prose.names import plain
from nomoledger.prose.payment_words import transfers
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World
from nomoledger_projections.proposals import ProposalBook

#: The maximum length of a proposal's text in the sentence of its verdict.
TEXT_MAX = 70
REFUSED = "this is refused"
#: The verb for each kind of ruling on events.
RULED = {
    "uphold": "upholds",
    "ratify": "ratifies",
    "reject": "rejects",
    "replace": "replaces",
}


class Phrase(NamedTuple):
    """A phrase: a predicate *text* with the subject *who*, or a whole sentence if *who* is None.

    A *fresh* phrase begins a new sentence. *granted* replaces the text of a request that is not
    refused.
    """

    who: str | None
    text: str
    fresh: bool = False
    granted: str = ""


def sentences(phrases: Sequence[Phrase]) -> str:
    """Return running text. Consecutive *phrases* with the same subject become one sentence."""
    is_refused = any(phrase.text.startswith(REFUSED) for phrase in phrases)
    groups: list[list[Phrase]] = []
    for phrase in phrases:
        if phrase.granted and not is_refused:
            phrase = phrase._replace(text=phrase.granted)
        last = groups[-1][-1] if groups else None
        same_subject = last is not None and last.who is not None and last.who == phrase.who
        if same_subject and not phrase.fresh:
            groups[-1].append(phrase)
        else:
            groups.append([phrase])
    return " ".join(" ".join(map(_sentence, groups)).split())


def _sentence(group: list[Phrase]) -> str:
    who, texts = group[0].who, [phrase.text for phrase in group]
    if who is None:
        text = texts[0][:1].upper() + texts[0][1:]
    else:
        listed = ", ".join(texts[:-1])
        text = f"{who} {listed} and {texts[-1]}" if listed else f"{who} {texts[-1]}"
    return text if text.rstrip("”").endswith((".", "!", "?")) else f"{text}."


class SentenceWriter:
    """Describes events in order, and remembers actors and questions."""

    def __init__(self) -> None:
        self._actors: dict[int, str] = {}
        self._questions: dict[str, e.QuestionRaised] = {}
        self._book = ProposalBook()
        self._start_events: set[int] = set()
        self._teller: Teller | None = None

    def describe(self, entry: e.Entry, world: World) -> Iterator[Phrase]:
        """Yield the phrases about the event in *entry*."""
        body, teller = entry.body, self._teller_of(world)
        self._book.apply(entry)
        self._remember(entry.number, body, world)
        told = teller.tell(body)
        if isinstance(body, e.DrawRecorded):
            yield self._draw(body.cause, body.values, teller)
        elif isinstance(body, e.DrawEntered):
            question = self._questions.get(body.question)
            yield self._draw(question.cause if question else None, body.values, teller)
        elif isinstance(body, e.ChoiceAnswered | e.RulingMade) and body.question is not None:
            yield from self._answer(body, teller)
        elif isinstance(body, e.ProposalJudged):
            yield Phrase(None, self._verdict(body))
        elif isinstance(body, _TOLD) and not self._is_omitted(body, teller):
            yield _told(told, teller)
        elif not self._is_omitted(body, teller):
            describer = _DESCRIBERS.get(type(body))
            phrases = () if describer is None else describer(body, teller)
            for phrase in phrases:
                yield phrase._replace(text=teller.without_identifiers(phrase.text))

    def _teller_of(self, world: World) -> Teller:
        if self._teller is None or self._teller.world is not world:
            self._teller = Teller(world)
        return self._teller

    def _remember(self, number: int, body: e.Event, world: World) -> None:
        """Remember what later events refer to."""
        actor = self._actors.get(body.cause) if body.cause is not None else None
        if isinstance(body, e.Scheduled):
            players = [
                value for value in body.arguments if world.entities.get(str(value)) == "player"
            ]
            actor = players[0] if players else body.by or actor
        elif isinstance(body, e.Input):
            actor = getattr(body, "by", getattr(body, "name", None))
        if actor:
            self._actors[number] = actor
        if isinstance(body, e.QuestionRaised):
            self._questions[body.question] = body
        if isinstance(body, e.GameOpened | e.StateGiven) or body.cause in self._start_events:
            self._start_events.add(number)

    def _is_omitted(self, body: e.Event, teller: Teller) -> bool:
        """Return whether *body* is part of the opening, or bookkeeping of the engine or a rule."""
        if body.cause in self._start_events or not teller.mentions(body):
            return True
        if isinstance(body, e.AttributeSet):
            is_verdict = (
                teller.world.entities.get(body.entity) == "proposal" and body.attribute == "state"
            )
            counts = body.until == "period" and type(body.value) is int
            return is_verdict or counts or body.rules in (("engine",), ("record",))
        return isinstance(body, e.EntityCreated) and body.kind in ("player", "proposal")

    def _draw(self, cause: int | None, values: tuple[Any, ...], teller: Teller) -> Phrase:
        actor = self._actors.get(cause) if cause is not None else None
        verb = "rolls" if all(type(value) is int for value in values) else "draws"
        who = None if actor in (None, "admin") else _called(teller, actor)
        results = " and ".join(_called(teller, value) for value in values)
        text = f"{verb} {results}" if who else f"the {verb[:-1]} is {results}"
        return Phrase(who, text, fresh=True)

    def _answer(self, body: e.ChoiceAnswered | e.RulingMade, teller: Teller) -> Iterator[Phrase]:
        question = self._questions.get(body.question or "")
        text = question.text if question is not None else "a question"
        value = _called(teller, body.value)
        if isinstance(body, e.RulingMade):
            ruling = f"Ruling {body.number} on “{text}”: {value}. {body.text}"
            yield Phrase(None, ruling + _notes(body))
        else:
            who = body.by if question is None or body.by != "admin" else question.to
            yield Phrase(_called(teller, who), f"is asked “{text}” and answers {value}", fresh=True)

    def _verdict(self, body: e.ProposalJudged) -> str:
        proposal = self._book.proposals.get(body.proposal)
        if proposal is None:
            return f"proposal {body.proposal} is {body.verdict}"
        vote = f" (vote {proposal.vote})" if proposal.vote else ""
        text = shorten(proposal.text, TEXT_MAX, placeholder=" …")
        made = f"proposal {proposal.number} by {proposal.by} (“{text}”)"
        return f"{made} is {body.verdict}{vote}"


# --- the kinds of events ------------------------------------------------------------------------


def _kind(teller: Teller, value: Any) -> str | None:
    return teller.world.entities.get(value) if isinstance(value, str) else None


def _called(teller: Teller, value: Any) -> str:
    """Return *value* as people call it; squares with their name, if any."""
    text = format_cell(value) if isinstance(value, bool) else str(teller.label(value))
    name = teller.world.get(value, "name") if _kind(teller, value) == "square" else None
    return text if name in (None, text) else f"{text} ({name})"


def _told(text: str, teller: Teller) -> Phrase:
    """Return a *text* of the rules. If it begins with a player, that is its subject."""
    for player in teller.world.kinds.get("player", ()):
        name = str(teller.world.label(player))
        if text.startswith(f"{name} "):
            return Phrase(name, text.removeprefix(f"{name} "))
    return Phrase(None, text)


def _notes(body: e.RulingMade) -> str:
    cites = f"cites {', '.join(body.cites)}" if body.cites else ""
    inferred = "inferred from how the game was played" if body.basis == "inferred" else ""
    notes = "; ".join(note for note in (inferred, cites) if note)
    return f" ({notes})" if notes else ""


def _whole(text: Callable[[Any, Teller], str]) -> Callable[[Any, Teller], Iterator[Phrase]]:
    return lambda body, teller: iter((Phrase(None, text(body, teller)),))


def _phrase(
    fields: Callable[[Any], tuple[Any, ...]],
) -> Callable[[Any, Teller], Iterator[Phrase]]:
    return lambda body, teller: iter((Phrase(*fields(body)),))


def _opened(body: e.GameOpened, teller: Teller) -> str:
    return f"the game {body.game} opens under the rules of {body.rulebook}"


def _given(body: e.StateGiven, teller: Teller) -> str:
    return f"it begins with {', '.join(body.players)}" if body.players else "its start is given"


def _in_words(body: e.ProposalMade) -> str:
    return " in words only" if body.words_only else ""


def _submitted(body: e.SubmissionReceived, teller: Teller) -> Iterator[Phrase]:
    pairs = (f"{plain(name)} {_called(teller, value)}" for name, value in body.arguments.items())
    arguments = f" ({', '.join(pairs)})" if body.arguments else ""
    yield Phrase(_called(teller, body.by), f"asks to {plain(body.action)}{arguments}")


def _ruled(body: e.RulingMade, teller: Teller) -> str:
    verb = RULED.get(body.kind, "")
    about = join_words([f"#{number}" for number in events_ruled_on(body)])
    effects = [
        f"{verb} {about}" if verb and about else "",
        f"overrules ruling {join_words(list(map(str, body.overrules)))}" if body.overrules else "",
        f"closes dispute {body.closes}" if body.closes is not None else "",
    ]
    effect = join_words(list(filter(None, effects)))
    return f"ruling {body.number}{effect and ' ' + effect}: {body.text}{_notes(body)}"


def _disputed(body: e.DisputeOpened, teller: Teller) -> Iterator[Phrase]:
    text = f"disputes {describe_disputed(body)} (dispute {body.number}): {body.text}"
    yield _by(body.by, text, teller)


def _by(who: str, text: str, teller: Teller) -> Phrase:
    return (
        Phrase(None, f"the admin {text}") if who == "admin" else Phrase(_called(teller, who), text)
    )


def _argued(body: e.DisputeArgued, teller: Teller) -> Iterator[Phrase]:
    if body.by == "engine":
        shown = "; ".join(evidence.describe_evidence(body.evidence))
        yield Phrase(None, f"{body.text}{shown and ': ' + shown}")
        return
    with_evidence = " (with a what-if)" if body.evidence else ""
    yield _by(body.by, f"says on dispute {body.dispute}{with_evidence}: {body.text}", teller)


def _settled(body: e.Settled, teller: Teller) -> Iterator[Phrase]:
    if periods := corrected_periods(body):
        plural = "s" if len(periods) > 1 else ""
        yield Phrase(None, f"what is known of period{plural} {join_words(periods)} is corrected")


def _moved(body: e.Moved, teller: Teller) -> Iterator[Phrase]:
    to = f"square {_called(teller, body.to)}"
    if body.left is None:
        text = f"starts on {to}"
    elif body.left == body.to:
        text = f"comes back to {to}"
    elif body.mode == "place":
        text = f"is put on {to}"
    else:
        text = f"goes from {_called(teller, body.left)} to {_called(teller, body.to)}"
    yield Phrase(_called(teller, body.piece), text)


def _posted(body: e.Posted, teller: Teller) -> Iterator[Phrase]:
    """Yield who pays whom. Several payers or receivers of a commodity get a phrase each."""
    why = f" ({body.why})" if body.why else ""
    for payer, receiver, amount in transfers(body, teller):
        if payer is None:
            yield Phrase(_called(teller, receiver), f"gets {amount}{why}")
        elif receiver is None:
            yield Phrase(_called(teller, payer), f"pays {amount}{why}")
        elif _kind(teller, payer) != "player" and _kind(teller, receiver) == "player":
            yield Phrase(
                _called(teller, receiver), f"gets {amount} from {_called(teller, payer)}{why}"
            )
        else:
            yield Phrase(
                _called(teller, payer), f"pays {amount} to {_called(teller, receiver)}{why}"
            )


def _refused(body: e.AttemptRefused, teller: Teller) -> str:
    reasons = (f"{reason.text} ({reason.rule.partition('@')[0]})" for reason in body.reasons)
    return f"{REFUSED}: {'; '.join(reasons)}"


def _prevailed(body: e.RecordPrevailed, teller: Teller) -> str:
    rules = f" ({', '.join(rule.partition('@')[0] for rule in body.rules)})" if body.rules else ""
    return (
        f"the record has {body.recorded} as the {body.what} of {body.subject}, where the rules"
        f" give {body.by_rules}{rules}; the record stands"
    )


def _ended(body: e.GameEnded, teller: Teller) -> str:
    winners = ", ".join(_called(teller, winner) for winner in body.winners)
    return f"the game is over: {body.why}" + (f"; the winner is {winners}" if winners else "")


#: Events that the rules may tell in words of their own.
_TOLD = (e.AttributeSet, e.EntityCreated, e.EntityDestroyed)
_DESCRIBERS: dict[type[e.Event], Callable[[Any, Teller], Iterator[Phrase]]] = {
    e.GameOpened: _whole(_opened),
    e.StateGiven: _whole(_given),
    e.JoinRequested: _phrase(lambda body: (body.name, "asks to join", False, "joins")),
    e.LeaveRequested: _phrase(lambda body: (body.by, "asks to leave", False, "leaves")),
    e.SubmissionReceived: _submitted,
    e.ProposalMade: _phrase(
        lambda body: (body.by, f"makes proposal {body.number} (“{body.text}”){_in_words(body)}")
    ),
    e.VoteCast: _phrase(lambda body: (body.by, f"votes {body.choice} on proposal {body.proposal}")),
    e.RulingMade: _whole(_ruled),
    e.Settled: _settled,
    e.DisputeOpened: _disputed,
    e.DisputeArgued: _argued,
    e.FinalitySet: _whole(lambda body, _: f"standings turn final {body.days} days after a close"),
    e.KeyPassed: _whole(
        lambda body, _: (
            f"the game passes to the key {body.key[:16]}…, {name_confirmation(body)}"
            + (f": {body.text}" if body.text else "")
        )
    ),
    e.SeedCommitted: _phrase(
        lambda body: (body.by, f"commits to a seed for the dice of period {body.drawn_in}")
    ),
    e.SeedRevealed: _phrase(
        lambda body: (body.by, f"reveals the seed for the dice of period {body.drawn_in}")
    ),
    e.OrderGiven: _phrase(lambda body: (body.by, f"orders: {describe_order(body)}")),
    e.OrderFired: _whole(lambda body, _: "a standing order is carried out"),
    e.OrderLapsed: _whole(lambda body, _: f"a standing order lapses: {body.why}"),
    e.InputWithdrawn: _whole(lambda body, _: "the last request is taken back"),
    e.StepFailed: _whole(lambda body, _: f"what took too long is dropped: {body.why}"),
    e.CheckSuspended: _whole(lambda body, _: f"{body.check} is suspended: {body.why}"),
    e.RuleEnacted: _whole(lambda body, _: f"rule {body.rule.number} {body.rule.title} is new"),
    e.RuleAmended: _whole(lambda body, _: f"rule {body.rule.number} {body.rule.title} is amended"),
    e.RuleRepealed: _whole(lambda body, _: f"rule {body.number} is repealed"),
    e.RuleRenumbered: _whole(lambda body, _: f"rule {body.number} is now {body.to}"),
    e.Posted: _posted,
    e.Moved: _moved,
    e.AttemptRefused: _whole(_refused),
    e.RecordPrevailed: _whole(_prevailed),
    e.FactUnexplained: _whole(lambda body, _: f"the record has more than the rules: {body.why}"),
    e.PeriodClosed: _whole(lambda body, _: f"period {body.period} is closed"),
    e.GameEnded: _whole(_ended),
}  # fmt: skip
