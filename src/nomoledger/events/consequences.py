"""Consequences: what the rules in force make of the inputs."""

from typing import Any

import msgspec

from nomoledger.events.event import Event
from nomoledger.events.rules import Rule


class DrawRecorded(Event, frozen=True, kw_only=True, tag="draw-recorded/1"):
    """Dice (or a choice by chance) derived from the period's seed and its own *address*.

    *sides* are those of each die, *options* what was chosen from: one of the two. *effective* is
    the earlier period whose seed it comes from, where a ruling reaches back to that.
    """

    address: str
    values: tuple[Any, ...]
    sides: tuple[int, ...] = ()
    options: tuple[Any, ...] = ()
    effective: int | None = None


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


class Posting(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """*amount* smallest units of *commodity* into (or, negative, out of) *account*."""

    account: str
    commodity: str
    amount: int


class Posted(Event, frozen=True, kw_only=True, tag="posted/1"):
    """A balanced transfer: its postings sum to zero per commodity.

    *effective* is the earlier period that it puts right, where it does.
    """

    postings: tuple[Posting, ...]
    why: str = ""
    effective: int | None = None


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
        question: its address (see `nomoledger.engine.oracles`).
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


class Waiting(msgspec.Struct, frozen=True, omit_defaults=True):
    """An attempt that is to wait on the agenda from now on; see `nomoledger.state.world.Attempt`."""

    attempt: str
    operation: str
    arguments: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    by: str = ""
    cause: int = 0
    at: int = 0
    audience: tuple[str, ...] | None = None


class Settled(Event, frozen=True, kw_only=True, tag="settled/1"):
    """The present, and the past as it is now known, are what *ruling* makes of them.

    What people see stands in events of its own before this one. The rest is here.

    Attributes:
        tables: what is to stand in the state at each path (None: nothing).
        rulesets: the rules at the close of earlier periods, where they are others than recorded;
            those of the open period, where they come in another order.
        waiting: the agenda, where it is another: ids of what waits already, and what is new on it.
        past: how many units more there were at the close of a period: period, account, commodity.
    """

    ruling: int
    tables: tuple[tuple[tuple[Any, ...], Any], ...] = ()
    rulesets: dict[int, tuple[Rule, ...]] = {}
    waiting: tuple[str | Waiting, ...] | None = None
    past: tuple[tuple[int, str, str, int], ...] = ()


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
