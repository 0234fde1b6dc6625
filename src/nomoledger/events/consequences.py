"""Consequences: what the rules in force make of the inputs."""

from typing import Any

import msgspec
from msgspec import field

from nomoledger.events.event import Event
from nomoledger.events.rules import Rule


class DrawRecorded(Event, frozen=True, kw_only=True, tag="draw-recorded/1"):
    """Dice (or a choice by chance) derived from the period's seed and its own *address*.

    *sides* are those of each die, *options* what was chosen from: one of the two. *effective* is
    the earlier period whose seed it comes from, where a ruling reaches back to that.
    """

    address: str = field(name="address")
    values: tuple[Any, ...] = field(name="values")
    sides: tuple[int, ...] = field(default=(), name="sides")
    options: tuple[Any, ...] = field(default=(), name="options")
    effective: int | None = field(default=None, name="effective")


class RuleEnacted(Event, frozen=True, kw_only=True, tag="rule-enacted/1"):
    """*rule* is in force from the end of the attempt on. *source*: rulebook, proposal, ruling."""

    rule: Rule = field(name="rule")
    source: str = field(name="source")


class RuleAmended(Event, frozen=True, kw_only=True, tag="rule-amended/1"):
    """*rule* replaces the version before it."""

    rule: Rule = field(name="rule")
    source: str = field(name="source")


class RuleRepealed(Event, frozen=True, kw_only=True, tag="rule-repealed/1"):
    """Rule *number* is gone; *state* says what becomes of its attributes: keep, freeze, drop."""

    number: str = field(name="number")
    source: str = field(name="source")
    state: str = field(default="keep", name="state")


class RuleRenumbered(Event, frozen=True, kw_only=True, tag="rule-renumbered/1"):
    """Rule *number* is called *to* from now on."""

    number: str = field(name="number")
    to: str = field(name="to")
    source: str = field(name="source")


class Posting(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """*amount* smallest units of *commodity* into (or, negative, out of) *account*."""

    account: str
    commodity: str
    amount: int


class Posted(Event, frozen=True, kw_only=True, tag="posted/1"):
    """A balanced transfer: its postings sum to zero per commodity.

    *effective* is the earlier period that it puts right, where it does.
    """

    postings: tuple[Posting, ...] = field(name="postings")
    why: str = field(default="", name="why")
    effective: int | None = field(default=None, name="effective")


class Moved(Event, frozen=True, kw_only=True, tag="moved/1"):
    """*piece* went from square *left* over *passed* to *to*.

    *mode* is step, slide, jump, drive or place.
    """

    piece: str = field(name="piece")
    mode: str = field(name="mode")
    left: str | None = field(name="left")
    to: str = field(name="to")
    passed: tuple[str, ...] = field(default=(), name="passed")


class AttributeSet(Event, frozen=True, kw_only=True, tag="attribute-set/1"):
    """*attribute* of *entity* went from *was* to *value*.

    *until* is a time in seconds since 1970, "period" (the end of it), "use" (the next use), or
    None for good; afterwards it goes back to what it was.
    """

    entity: str = field(name="entity")
    attribute: str = field(name="attribute")
    value: Any = field(default=None, name="value")
    was: Any = field(default=None, name="was")
    until: int | str | None = field(default=None, name="until")


class EntityCreated(Event, frozen=True, kw_only=True, tag="entity-created/1"):
    """A thing of some *kind* exists from now on."""

    entity: str = field(name="entity")
    kind: str = field(name="kind")
    attributes: dict[str, Any] = field(default_factory=dict, name="attributes")


class EntityDestroyed(Event, frozen=True, kw_only=True, tag="entity-destroyed/1"):
    """The thing is gone, with its attributes."""

    entity: str = field(name="entity")


class Counted(Event, frozen=True, kw_only=True, tag="counted/1"):
    """One more use of something that is limited per *scope* (a period, or the game)."""

    key: str = field(name="key")
    scope: str = field(name="scope")


class Scheduled(Event, frozen=True, kw_only=True, tag="scheduled/1"):
    """*operation* will be attempted as *attempt*: at *due* (seconds), or next where due is None."""

    attempt: str = field(name="attempt")
    operation: str = field(name="operation")
    arguments: tuple[Any, ...] = field(default=(), name="arguments")
    due: int | None = field(default=None, name="due")
    by: str = field(default="", name="by")


class Unscheduled(Event, frozen=True, kw_only=True, tag="unscheduled/1"):
    """The attempt that was to come will not."""

    attempt: str = field(name="attempt")


class TimerFired(Event, frozen=True, kw_only=True, tag="timer-fired/1"):
    """A scheduled attempt fell due."""

    attempt: str = field(name="attempt")


class OrderFired(Event, frozen=True, kw_only=True, tag="order-fired/1"):
    """What a standing *order* waits for is so: it is carried out, or answers *question*."""

    order: str = field(name="order")
    question: str | None = field(default=None, name="question")


class OrderLapsed(Event, frozen=True, kw_only=True, tag="order-lapsed/1"):
    """What had to be so for the standing *order* no longer is; it is gone."""

    order: str = field(name="order")
    why: str = field(name="why")


class AttemptDone(Event, frozen=True, kw_only=True, tag="attempt-done/1"):
    """The attempt was carried out; what stands before it in its transaction is what it did."""

    attempt: str = field(name="attempt")


class Reason(msgspec.Struct, frozen=True, array_like=True):
    """Why something is refused: the *rule* that says so (or "engine") and its words."""

    rule: str
    text: str


class AttemptRefused(Event, frozen=True, kw_only=True, tag="attempt-refused/1"):
    """The game says no: nothing the attempt did has any effect. *operation* is what was asked."""

    attempt: str = field(name="attempt")
    operation: str = field(name="operation")
    reasons: tuple[Reason, ...] = field(name="reasons")


class QuestionRaised(Event, frozen=True, kw_only=True, tag="question-raised/1"):
    """An attempt cannot go on without an answer.

    Attributes:
        question: its address (see `nomoledger.engine.oracles`).
        asks: "dice", "draw", "choice", "ruling" or "conflict" (a ruling that decides a precedence).
        to: the player who is asked, or "admin".
        options: what may be answered; for dice, the number of sides of each.
    """

    question: str = field(name="question")
    asks: str = field(name="asks")
    to: str = field(name="to")
    text: str = field(name="text")
    options: tuple[Any, ...] = field(default=(), name="options")
    default: Any = field(default=None, name="default")


class RecordPrevailed(Event, frozen=True, kw_only=True, tag="record-prevailed/1"):
    """A recorded fact differs from what the rules give; the state follows the record.

    *subject* and *what* say where; *recorded* and *by_rules* are the two values as people write
    them, *follows* the number of an earlier divergence of the same attempt that explains it.
    """

    fact: int = field(name="fact")
    subject: str = field(name="subject")
    what: str = field(name="what")
    recorded: Any = field(default=None, name="recorded")
    by_rules: Any = field(default=None, name="by_rules")
    follows: int | None = field(default=None, name="follows")


class FactConfirmed(Event, frozen=True, kw_only=True, tag="fact-confirmed/1"):
    """A recorded fact agrees with what the rules give."""

    fact: int = field(name="fact")


class FactUnexplained(Event, frozen=True, kw_only=True, tag="fact-unexplained/1"):
    """No rule in force speaks of such a fact; it is kept, and listed apart."""

    fact: int = field(name="fact")
    why: str = field(name="why")


class Waiting(msgspec.Struct, frozen=True, omit_defaults=True):
    """An attempt that is to wait on the agenda from now on; see `nomoledger.state.world.Attempt`."""

    attempt: str = field(name="attempt")
    operation: str = field(name="operation")
    arguments: tuple[Any, ...] = field(default=(), name="arguments")
    named: dict[str, Any] = field(default_factory=dict, name="named")
    by: str = field(default="", name="by")
    cause: int = field(default=0, name="cause")
    at: int = field(default=0, name="at")
    audience: tuple[str, ...] | None = field(default=None, name="audience")


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

    ruling: int = field(name="ruling")
    tables: tuple[tuple[tuple[Any, ...], Any], ...] = field(default=(), name="tables")
    rulesets: dict[int, tuple[Rule, ...]] = field(default_factory=dict, name="rulesets")
    waiting: tuple[str | Waiting, ...] | None = field(default=None, name="waiting")
    past: tuple[tuple[int, str, str, int], ...] = field(default=(), name="past")


class PeriodClosed(Event, frozen=True, kw_only=True, tag="period-closed/1"):
    """The period is over: *digest* is the hash of the whole state, *seed* reveals its dice.

    *commitment* is the hash of the next period's seed.
    """

    digest: str = field(name="digest")
    seed: str = field(default="", name="seed")
    commitment: str = field(default="", name="commitment")


class GameEnded(Event, frozen=True, kw_only=True, tag="game-ended/1"):
    """The game is over; *winners* in order of rank."""

    why: str = field(name="why")
    winners: tuple[str, ...] = field(default=(), name="winners")
