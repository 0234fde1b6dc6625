"""Consequences: the events that the engine and the rules in force compute from the inputs."""

from typing import Any

import msgspec
from msgspec import field

from nomoledger.events.event import Event
from nomoledger.events.rules import Rule


class DrawRecorded(Event, frozen=True, kw_only=True, tag="draw-recorded/1"):
    """Dice, or a choice by chance, were derived from the period's seed and *address*.

    Attributes:
        address: address of the draw (see `nomoledger.language.draw_address`); up to level 2, and
            where the answer is no draw, the address of the question.
        values: the numbers on the dice, or the option chosen.
        sides: number of sides of each die; empty for a choice.
        options: what was chosen from; empty for dice.
        effective: the earlier period whose seed was used, if a ruling reaches back to that period.
        asked: the address of the question, if it is not *address*.
    """

    address: str = field(name="address")
    values: tuple[Any, ...] = field(name="values")
    sides: tuple[int, ...] = field(default=(), name="sides")
    options: tuple[Any, ...] = field(default=(), name="options")
    effective: int | None = field(default=None, name="effective")
    asked: str = field(default="", name="asked")

    @property
    def answers(self) -> str:
        """The address of the question that the draw answers, unique within the game."""
        return self.asked or self.address


class RuleEnacted(Event, frozen=True, kw_only=True, tag="rule-enacted/1"):
    """A new rule is in force from the end of the attempt on.

    Attributes:
        rule: the rule as enacted.
        source: "rulebook", or what enacted it: `proposal 4`, `ruling 2`.
    """

    rule: Rule = field(name="rule")
    source: str = field(name="source")


class CasesCopied(Event, frozen=True, kw_only=True, tag="cases-copied/1"):
    """The cases of the rulebook are copied when the game opens; the state stays as it is.

    Proposals are tried with these cases, whatever is installed by then.

    Attributes:
        texts: the YAML of each file, compressed with zlib, by the name of the file.
    """

    texts: dict[str, bytes] = field(name="texts")


class RuleAmended(Event, frozen=True, kw_only=True, tag="rule-amended/1"):
    """A new version of a rule replaces the one before.

    Attributes:
        rule: the new version, in full.
        source: what amended it: `proposal 4`, `ruling 2`.
    """

    rule: Rule = field(name="rule")
    source: str = field(name="source")


class RuleRepealed(Event, frozen=True, kw_only=True, tag="rule-repealed/1"):
    """A rule is no longer in force.

    Attributes:
        number: number of the rule.
        source: what repealed it: `proposal 4`, `ruling 2`.
        state: what happens to the attributes that the rule declared: "keep", "freeze" or "drop".
        skipped: why `on_repeal` of the rule was undone, for people; "" if it was not.
    """

    number: str = field(name="number")
    source: str = field(name="source")
    state: str = field(default="keep", name="state")
    skipped: str = field(default="", name="skipped")


class RuleRenumbered(Event, frozen=True, kw_only=True, tag="rule-renumbered/1"):
    """A rule has a new number.

    Attributes:
        number: the old number.
        to: the new number.
        source: what renumbered it: `proposal 4`, `ruling 2`.
    """

    number: str = field(name="number")
    to: str = field(name="to")
    source: str = field(name="source")


#: An event that changes the rules in force.
RuleEvent = RuleEnacted | RuleAmended | RuleRepealed | RuleRenumbered


class Posting(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One line of a transfer.

    Attributes:
        account: the account credited, or debited if *amount* is negative.
        commodity: what is transferred.
        amount: in smallest units of *commodity*.
    """

    account: str
    commodity: str
    amount: int


class Posted(Event, frozen=True, kw_only=True, tag="posted/1"):
    """A balanced transfer: its postings sum to zero per commodity.

    Attributes:
        postings: the lines of the transfer.
        why: the reason that players see.
        effective: the earlier period that the transfer corrects, if it corrects one.
    """

    postings: tuple[Posting, ...] = field(name="postings")
    why: str = field(default="", name="why")
    effective: int | None = field(default=None, name="effective")


class Moved(Event, frozen=True, kw_only=True, tag="moved/1"):
    """A piece moved to another square.

    Attributes:
        piece: id of the piece, usually a player.
        mode: "step", "slide", "jump", "drive" or "place".
        left: the square it left; None if it was on no square.
        to: the square it reached.
        passed: the squares in between, in order.
    """

    piece: str = field(name="piece")
    mode: str = field(name="mode")
    left: str | None = field(name="left")
    to: str = field(name="to")
    passed: tuple[str, ...] = field(default=(), name="passed")


class AttributeSet(Event, frozen=True, kw_only=True, tag="attribute-set/1"):
    """An attribute of an entity has a new value.

    Attributes:
        entity: id of the entity.
        attribute: name of the attribute.
        value: the new value; None removes the attribute.
        was: the value before.
        until: when the attribute reverts: a time in seconds since 1970, "period" (at its end),
            "use" (after the next use), or None for never.
    """

    entity: str = field(name="entity")
    attribute: str = field(name="attribute")
    value: Any = field(default=None, name="value")
    was: Any = field(default=None, name="was")
    until: int | str | None = field(default=None, name="until")


class EntityCreated(Event, frozen=True, kw_only=True, tag="entity-created/1"):
    """A new entity exists.

    Attributes:
        entity: its id.
        kind: its kind, as a rule declares it.
        attributes: its attributes at the start.
    """

    entity: str = field(name="entity")
    kind: str = field(name="kind")
    attributes: dict[str, Any] = field(default_factory=dict, name="attributes")


class EntityDestroyed(Event, frozen=True, kw_only=True, tag="entity-destroyed/1"):
    """An entity is removed, with its attributes.

    Attributes:
        entity: its id.
    """

    entity: str = field(name="entity")


class Counted(Event, frozen=True, kw_only=True, tag="counted/1"):
    """One more use of something limited was counted.

    Attributes:
        key: what was used.
        scope: what the limit applies to: "period" or "game".
    """

    key: str = field(name="key")
    scope: str = field(name="scope")


class Scheduled(Event, frozen=True, kw_only=True, tag="scheduled/1"):
    """An attempt is scheduled.

    Attributes:
        attempt: id of the attempt.
        operation: name of the operation to attempt.
        arguments: its arguments by position.
        due: when, in seconds since 1970; None for right after the current attempt.
        by: the player (or "admin") behind it.
        follows: the number of a rule and its parameter: the attempt is due later or earlier when
            the parameter is amended. None if the time is fixed.
    """

    attempt: str = field(name="attempt")
    operation: str = field(name="operation")
    arguments: tuple[Any, ...] = field(default=(), name="arguments")
    due: int | None = field(default=None, name="due")
    by: str = field(default="", name="by")
    follows: tuple[str, str] | None = field(default=None, name="follows")


class Rescheduled(Event, frozen=True, kw_only=True, tag="rescheduled/1"):
    """A scheduled attempt is due at another time, as the parameter that it follows was amended.

    Attributes:
        attempt: id of the attempt.
        due: the new time, in seconds since 1970.
    """

    attempt: str = field(name="attempt")
    due: int = field(name="due")


class Unscheduled(Event, frozen=True, kw_only=True, tag="unscheduled/1"):
    """A scheduled attempt was cancelled.

    Attributes:
        attempt: id of the attempt.
    """

    attempt: str = field(name="attempt")


class TimerFired(Event, frozen=True, kw_only=True, tag="timer-fired/1"):
    """A scheduled attempt fell due and is on the agenda.

    Attributes:
        attempt: id of the attempt.
    """

    attempt: str = field(name="attempt")


class OrderFired(Event, frozen=True, kw_only=True, tag="order-fired/1"):
    """The condition of a standing order became true.

    Attributes:
        order: id of the order.
        question: the question that it answers; None if its requests are carried out.
    """

    order: str = field(name="order")
    question: str | None = field(default=None, name="question")


class OrderLapsed(Event, frozen=True, kw_only=True, tag="order-lapsed/1"):
    """A standing order ended without being carried out.

    Attributes:
        order: id of the order.
        why: the reason, for people.
    """

    order: str = field(name="order")
    why: str = field(name="why")


class CheckSuspended(Event, frozen=True, kw_only=True, tag="check-suspended/1"):
    """A state-based check failed, and does not run any more until its rule is amended.

    Attributes:
        check: the check, as `X.1@2 check_debts`.
        why: the reason, for people.
    """

    check: str = field(name="check")
    why: str = field(name="why")


class AttemptDone(Event, frozen=True, kw_only=True, tag="attempt-done/1"):
    """An attempt succeeded. The events before this one in its transaction are its effects.

    Attributes:
        attempt: id of the attempt.
        used: the operations, changes, bytes and changes of rules that the attempt used; None in
            games whose level does not add up limits, and in public terms.
    """

    attempt: str = field(name="attempt")
    used: tuple[int, int, int, int] | None = field(default=None, name="used")


class Reason(msgspec.Struct, frozen=True, array_like=True):
    """Why an attempt is refused.

    Attributes:
        rule: the rule that refuses, or "engine".
        text: the reason in words.
    """

    rule: str
    text: str


class AttemptRefused(Event, frozen=True, kw_only=True, tag="attempt-refused/1"):
    """The game refused an attempt, which has no effect.

    Attributes:
        attempt: id of the attempt.
        operation: the operation attempted.
        reasons: every reason that was found.
        used: as in `AttemptDone`.
    """

    attempt: str = field(name="attempt")
    operation: str = field(name="operation")
    reasons: tuple[Reason, ...] = field(name="reasons")
    used: tuple[int, int, int, int] | None = field(default=None, name="used")


class QuestionRaised(Event, frozen=True, kw_only=True, tag="question-raised/1"):
    """An attempt is suspended until a question is answered.

    Attributes:
        question: address of the question (see `nomoledger.engine.oracles`).
        asks: "dice", "draw", "choice", "ruling" or "conflict" (a ruling that decides a precedence).
        to: the player who is asked, or "admin".
        text: the question in words.
        options: the valid answers; for dice, the number of sides of each.
        default: the default answer; None if the question has none.
        draw: the address of the draw, while the answer is being drawn; never recorded.
    """

    question: str = field(name="question")
    asks: str = field(name="asks")
    to: str = field(name="to")
    text: str = field(name="text")
    options: tuple[Any, ...] = field(default=(), name="options")
    default: Any = field(default=None, name="default")
    draw: str = field(default="", name="draw")


class QuestionWithdrawn(Event, frozen=True, kw_only=True, tag="question-withdrawn/1"):
    """A question is no longer asked, as the rule that asks it is gone or was amended.

    Attributes:
        question: address of the question.
    """

    question: str = field(name="question")


class Waiting(msgspec.Struct, frozen=True, omit_defaults=True):
    """An attempt that a ruling puts on the agenda.

    The fields are those of `nomoledger.state.world.Attempt`; *attempt* is its id.
    """

    attempt: str = field(name="attempt")
    operation: str = field(name="operation")
    arguments: tuple[Any, ...] = field(default=(), name="arguments")
    named: dict[str, Any] = field(default_factory=dict, name="named")
    by: str = field(default="", name="by")
    cause: int = field(default=0, name="cause")
    at: int = field(default=0, name="at")
    audience: tuple[str, ...] | None = field(default=None, name="audience")


class Settled(Event, frozen=True, kw_only=True, tag="settled/1"):
    """A ruling was settled: the state and the known past are as the ruling makes them.

    Visible corrections are separate events before this one. This event holds everything else.

    Attributes:
        ruling: number of the ruling.
        tables: pairs of a path in the state and its new value; None removes it.
        rulesets: per earlier period, the rules at its close if they differ from the record; for the
            open period, its rules if their order differs.
        waiting: the new agenda, if it differs: the ids of attempts that wait already, and new
            attempts.
        past: units added to accounts at the close of a period: period, account, commodity, amount.
    """

    ruling: int = field(name="ruling")
    tables: tuple[tuple[tuple[Any, ...], Any], ...] = field(default=(), name="tables")
    rulesets: dict[int, tuple[Rule, ...]] = field(default_factory=dict, name="rulesets")
    waiting: tuple[str | Waiting, ...] | None = field(default=None, name="waiting")
    past: tuple[tuple[int, str, str, int], ...] = field(default=(), name="past")


class PeriodClosed(Event, frozen=True, kw_only=True, tag="period-closed/1"):
    """A period is closed.

    Attributes:
        digest: SHA-256 of the whole state before the close.
        seed: seed of the period's dice, now revealed.
        commitment: hash of the next period's seed; with seeds of the players, of the seed of the
            period after that.
    """

    digest: str = field(name="digest")
    seed: str = field(default="", name="seed")
    commitment: str = field(default="", name="commitment")


class GameEnded(Event, frozen=True, kw_only=True, tag="game-ended/1"):
    """The game is over.

    Attributes:
        why: the reason, in words.
        winners: the winners in order of rank.
    """

    why: str = field(name="why")
    winners: tuple[str, ...] = field(default=(), name="winners")
