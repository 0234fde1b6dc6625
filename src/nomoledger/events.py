"""What can be recorded: inputs (what nobody can compute) and consequences (what rules make of it).

Every event is a frozen, tagged `msgspec.Struct`, named in the past tense where it states a fact
and as a request where the rules have still to say yes. The tag ends in the schema version
(`posted/1`); a breaking change gets a new tag and an upcast in `nomoledger.codec`.
"""

from datetime import datetime
from typing import Any

import msgspec

from nomoledger.rules.rule import Change, Rule


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="event"
):
    """What every event carries. Its number is its place in the ledger, kept by `Entry`.

    Attributes:
        period: the week or day it belongs to.
        received_at: when the input behind it reached the admin (UTC, whole seconds).
        recorded_at: when that input was written into the ledger (UTC, whole seconds).
        cause: number of the event that led to it; None for an input from outside.
        rules: the rules (`VIII.5@3`: number and version) or `ruling:4` or `engine` behind it.
        audience: who may see it: None is everybody, a tuple names players; the admin sees all.
    """

    period: int
    received_at: datetime
    recorded_at: datetime
    cause: int | None = None
    rules: tuple[str, ...] = ()
    audience: tuple[str, ...] | None = None


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An event in its place: *number* counts from 0 without gaps within *game*."""

    game: str
    number: int
    body: Event


# --- inputs: the tape -------------------------------------------------------------------------


class Input(Event, frozen=True, kw_only=True):
    """Something that came from outside. *id* is unique in the game and makes a retry harmless."""

    id: str


class GameOpened(Input, frozen=True, kw_only=True, tag="game-opened/1"):
    """The game begins: its rulebook by name, the parameters set at the start, and the dice.

    *dice* is "seeded" (derived from a secret, see `nomoledger.dice`) or "entered" (real dice).
    *commitment* is the hash of the first period's seed. Its period is where the game begins.
    """

    game: str
    rulebook: str
    dice: str = "seeded"
    commitment: str = ""
    settings: dict[str, Any] = {}


class StateGiven(Input, frozen=True, kw_only=True, tag="state-given/1"):
    """The admin states how things stand: what a game under way, or a case, starts from.

    *players* and *squares* say by name or number what is so of each (`square`, `money`, `items`
    by commodity, any attribute); *accounts* says what is in those that belong to no player, by
    commodity; *things* lists what there is of other kinds, by kind (with `at`, in seconds since
    1970, where it is older); *game* holds attributes of the game itself.
    """

    players: dict[str, dict[str, Any]] = {}
    squares: dict[str, dict[str, Any]] = {}
    accounts: dict[str, dict[str, Any]] = {}
    things: dict[str, tuple[dict[str, Any], ...]] = {}
    game: dict[str, Any] = {}


class JoinRequested(Input, frozen=True, kw_only=True, tag="join-requested/1"):
    """Somebody asks to join as *name*; *details* are what the rules want to know besides."""

    name: str
    details: dict[str, Any] = {}


class LeaveRequested(Input, frozen=True, kw_only=True, tag="leave-requested/1"):
    """Player *by* asks to leave."""

    by: str


class SubmissionReceived(Input, frozen=True, kw_only=True, tag="submission-received/1"):
    """Player *by* asks for *action* with *arguments* (named as in the rule that defines it)."""

    by: str
    action: str
    arguments: dict[str, Any] = {}


class ProposalMade(Input, frozen=True, kw_only=True, tag="proposal-made/1"):
    """Player *by* proposes *text*, which comes down to *changes*. *number* counts per game."""

    by: str
    number: int
    text: str
    changes: tuple[Change, ...] = ()


class VoteCast(Input, frozen=True, kw_only=True, tag="vote-cast/1"):
    """Player *by* votes *choice* on *proposal*."""

    by: str
    proposal: int
    choice: str


class ProposalJudged(Input, frozen=True, kw_only=True, tag="proposal-judged/1"):
    """The admin's *verdict* ("accepted" or "rejected") on *proposal*."""

    proposal: int
    verdict: str


class DrawEntered(Input, frozen=True, kw_only=True, tag="draw-entered/1"):
    """Real dice, or another random choice made by hand, for the open *question*."""

    question: str
    values: tuple[Any, ...]


class ChoiceAnswered(Input, frozen=True, kw_only=True, tag="choice-answered/1"):
    """Player *by* (or the admin for them) answers the open *question* with *value*."""

    question: str
    value: Any
    by: str


class RulingMade(Input, frozen=True, kw_only=True, tag="ruling-made/1"):
    """The admin rules. *number* counts rulings per game; *kind* is "answer" or "correct".

    An answer settles the open *question* with *value*. A correction carries *changes* out from
    now on. *cites* names rules (`VI.1`) and events (`#17`); *basis* says where it is known
    from: "ruling" (decided now) or "inferred" (known only from how the game was played).
    An *urgent* correction goes before all that is due or waiting, and asks no rule: the way out
    where rule code fails and holds up the game.
    """

    number: int
    kind: str
    text: str
    cites: tuple[str, ...] = ()
    question: str | None = None
    value: Any = None
    changes: tuple[Change, ...] = ()
    basis: str = "ruling"
    urgent: bool = False


class ClockAdvanced(Input, frozen=True, kw_only=True, tag="clock-advanced/1"):
    """Time has reached *received_at* and nothing else was asked: what is due falls due."""


class CloseAsked(Input, frozen=True, kw_only=True, tag="close-asked/1"):
    """The admin asks for the period to be carried out and closed."""


class Act(msgspec.Struct, frozen=True, omit_defaults=True):
    """An *action* to be asked for, with its *arguments*, as in `SubmissionReceived`."""

    action: str
    arguments: dict[str, Any] = {}


class OrderGiven(Input, frozen=True, kw_only=True, tag="order-given/1"):
    """Player *by* says what is to be done for them as soon as something is so.

    Attributes:
        when: the statement (see `nomoledger.statements`) that sets it going.
        holds: the statement that must be so from now until then; else the order lapses.
        acts: what is then asked for, all of it or nothing.
        answer: what is then answered to the question put to *by*, instead of *acts*.
    """

    by: str
    when: str
    holds: str = ""
    acts: tuple[Act, ...] = ()
    answer: Any = None


class InputWithdrawn(Input, frozen=True, kw_only=True, tag="input-withdrawn/1"):
    """The admin takes back the input called *withdrawn*, which is not carried out yet."""

    withdrawn: str


class FactRecorded(Input, frozen=True, kw_only=True, tag="fact-recorded/1"):
    """A line of a hand-kept record: what *kind* of thing it says happened, and its *fields*."""

    kind: str
    fields: dict[str, Any] = {}


# --- consequences -----------------------------------------------------------------------------


class DrawRecorded(Event, frozen=True, kw_only=True, tag="draw-recorded/1"):
    """Dice (or a choice by chance) derived from the period's seed and its own *address*."""

    address: str
    values: tuple[Any, ...]


class RuleEnacted(Event, frozen=True, kw_only=True, tag="rule-enacted/1"):
    """*rule* is in force from the end of the attempt on. *source*: rulebook, proposal, ruling."""

    rule: Rule
    source: str


class RuleAmended(Event, frozen=True, kw_only=True, tag="rule-amended/1"):
    """*rule* replaces the version before it."""

    rule: Rule
    source: str


class RuleRepealed(Event, frozen=True, kw_only=True, tag="rule-repealed/1"):
    """Rule *number* is gone; *state* says what becomes of its attributes: keep, freeze, drop."""

    number: str
    source: str
    state: str = "keep"


class RuleRenumbered(Event, frozen=True, kw_only=True, tag="rule-renumbered/1"):
    """Rule *number* is called *to* from now on."""

    number: str
    to: str
    source: str


class Posting(msgspec.Struct, frozen=True, array_like=True):
    """*amount* smallest units of *commodity* into (or, negative, out of) *account*."""

    account: str
    commodity: str
    amount: int


class Posted(Event, frozen=True, kw_only=True, tag="posted/1"):
    """A balanced transfer: its postings sum to zero per commodity."""

    postings: tuple[Posting, ...]
    why: str = ""


class Moved(Event, frozen=True, kw_only=True, tag="moved/1"):
    """*piece* went from square *left* over *passed* to *to*.

    *mode* is step, slide, jump, drive or place.
    """

    piece: str
    mode: str
    left: str | None
    to: str
    passed: tuple[str, ...] = ()


class AttributeSet(Event, frozen=True, kw_only=True, tag="attribute-set/1"):
    """*attribute* of *entity* went from *was* to *value*.

    *until* is a time in seconds since 1970, "period" (the end of it), "use" (the next use), or
    None for good; afterwards it goes back to what it was.
    """

    entity: str
    attribute: str
    value: Any = None
    was: Any = None
    until: int | str | None = None


class EntityCreated(Event, frozen=True, kw_only=True, tag="entity-created/1"):
    """A thing of some *kind* exists from now on."""

    entity: str
    kind: str
    attributes: dict[str, Any] = {}


class EntityDestroyed(Event, frozen=True, kw_only=True, tag="entity-destroyed/1"):
    """The thing is gone, with its attributes."""

    entity: str


class Counted(Event, frozen=True, kw_only=True, tag="counted/1"):
    """One more use of something that is limited per *scope* (a period, or the game)."""

    key: str
    scope: str


class Scheduled(Event, frozen=True, kw_only=True, tag="scheduled/1"):
    """*operation* will be attempted as *attempt*: at *due* (seconds), or next where due is None."""

    attempt: str
    operation: str
    arguments: tuple[Any, ...] = ()
    due: int | None = None
    by: str = ""


class Unscheduled(Event, frozen=True, kw_only=True, tag="unscheduled/1"):
    """The attempt that was to come will not."""

    attempt: str


class TimerFired(Event, frozen=True, kw_only=True, tag="timer-fired/1"):
    """A scheduled attempt fell due."""

    attempt: str


class OrderFired(Event, frozen=True, kw_only=True, tag="order-fired/1"):
    """What a standing *order* waits for is so: it is carried out, or answers *question*."""

    order: str
    question: str | None = None


class OrderLapsed(Event, frozen=True, kw_only=True, tag="order-lapsed/1"):
    """What had to be so for the standing *order* no longer is; it is gone."""

    order: str
    why: str


class AttemptDone(Event, frozen=True, kw_only=True, tag="attempt-done/1"):
    """The attempt was carried out; what stands before it in its transaction is what it did."""

    attempt: str


class Reason(msgspec.Struct, frozen=True, array_like=True):
    """Why something is refused: the *rule* that says so (or "engine") and its words."""

    rule: str
    text: str


class AttemptRefused(Event, frozen=True, kw_only=True, tag="attempt-refused/1"):
    """The game says no: nothing the attempt did has any effect. *operation* is what was asked."""

    attempt: str
    operation: str
    reasons: tuple[Reason, ...]


class QuestionRaised(Event, frozen=True, kw_only=True, tag="question-raised/1"):
    """An attempt cannot go on without an answer.

    Attributes:
        question: its address (see `nomoledger.tape`).
        asks: "dice", "draw", "choice", "ruling" or "conflict" (a ruling that decides a precedence).
        to: the player who is asked, or "admin".
        options: what may be answered; for dice, the number of sides of each.
    """

    question: str
    asks: str
    to: str
    text: str
    options: tuple[Any, ...] = ()
    default: Any = None


class RecordPrevailed(Event, frozen=True, kw_only=True, tag="record-prevailed/1"):
    """A recorded fact differs from what the rules give; the state follows the record.

    *subject* and *what* say where; *recorded* and *by_rules* are the two values as people write
    them, *follows* the number of an earlier divergence of the same attempt that explains it.
    """

    fact: int
    subject: str
    what: str
    recorded: Any = None
    by_rules: Any = None
    follows: int | None = None


class FactConfirmed(Event, frozen=True, kw_only=True, tag="fact-confirmed/1"):
    """A recorded fact agrees with what the rules give."""

    fact: int


class FactUnexplained(Event, frozen=True, kw_only=True, tag="fact-unexplained/1"):
    """No rule in force speaks of such a fact; it is kept, and listed apart."""

    fact: int
    why: str


class PeriodClosed(Event, frozen=True, kw_only=True, tag="period-closed/1"):
    """The period is over: *digest* is the hash of the whole state, *seed* reveals its dice.

    *commitment* is the hash of the next period's seed.
    """

    digest: str
    seed: str = ""
    commitment: str = ""


class GameEnded(Event, frozen=True, kw_only=True, tag="game-ended/1"):
    """The game is over; *winners* in order of rank."""

    why: str
    winners: tuple[str, ...] = ()


def events() -> dict[str, type[Event]]:
    """All event classes by tag."""

    def leaves(cls: type[Event]) -> list[type[Event]]:
        subclasses = cls.__subclasses__()
        return [cls] if not subclasses else [leaf for sub in subclasses for leaf in leaves(sub)]

    return {str(cls.__struct_config__.tag): cls for cls in leaves(Event)}
