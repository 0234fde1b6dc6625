"""Inputs: the events that come from outside, and that nobody can compute."""

from typing import Any

import msgspec
from msgspec import field

from nomoledger.events.edits import Edit
from nomoledger.events.event import Event
from nomoledger.events.rules import Change


class Input(Event, frozen=True, kw_only=True):
    """The base of all inputs.

    Attributes:
        id: unique in the game; a request that is repeated under the same id is recorded once.
    """

    id: str = field(name="id")


class GameOpened(Input, frozen=True, kw_only=True, tag="game-opened/1"):
    """A game is opened. The period of this event is the first of the game.

    Attributes:
        game: name of the game.
        rulebook: name of its rulebook.
        dice: "seeded" (derived from a secret, see `nomoledger.engine.dice`), "players" (the same,
            with seeds of the players, see `nomoledger.state.player_seeds`) or "entered" (real
            dice).
        commitment: hash of the first period's seed; with seeds of the players, of the first two
            periods' seeds, divided by a space.
        settings: parameters of rules that are set at the start.
        level: the level of the game, which never changes (see `nomoledger.events.levels`).
        versions: versions of nomoledger and of the interpreter of rule code that opened the game.
    """

    game: str = field(name="game")
    rulebook: str = field(name="rulebook")
    dice: str = field(default="seeded", name="dice")
    commitment: str = field(default="", name="commitment")
    settings: dict[str, Any] = field(default_factory=dict, name="settings")
    level: int = field(default=0, name="level")
    # At most 15 fields: from 16 on, msgpack writes another header, which would change the bytes of
    # every opening of level 0.
    versions: dict[str, str] = field(default_factory=dict, name="versions")


class StateGiven(Input, frozen=True, kw_only=True, tag="state-given/1"):
    """The admin states the initial state of a game that is under way, or of a case.

    Attributes:
        players: attributes of each player by name (`square`, `money`, `items` by commodity, any
            other).
        squares: attributes of each square by name or number.
        accounts: amounts in accounts of no player, by account and commodity.
        things: entities of other kinds, by kind; `at` is when one was created, in seconds since
            1970.
        game: attributes of the game itself.
    """

    players: dict[str, dict[str, Any]] = field(default_factory=dict, name="players")
    squares: dict[str, dict[str, Any]] = field(default_factory=dict, name="squares")
    accounts: dict[str, dict[str, Any]] = field(default_factory=dict, name="accounts")
    things: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict, name="things")
    game: dict[str, Any] = field(default_factory=dict, name="game")


class JoinRequested(Input, frozen=True, kw_only=True, tag="join-requested/1"):
    """Somebody asks to join the game.

    Attributes:
        name: the name that they want to play under.
        details: further arguments of the rule for joining.
    """

    name: str = field(name="name")
    details: dict[str, Any] = field(default_factory=dict, name="details")


class LeaveRequested(Input, frozen=True, kw_only=True, tag="leave-requested/1"):
    """A player asks to leave the game.

    Attributes:
        by: the player.
    """

    by: str = field(name="by")


class SubmissionReceived(Input, frozen=True, kw_only=True, tag="submission-received/1"):
    """A player asks for an action.

    Attributes:
        by: the player, or "admin".
        action: name of the action.
        arguments: its arguments, named as in the rule that defines the action.
    """

    by: str = field(name="by")
    action: str = field(name="action")
    arguments: dict[str, Any] = field(default_factory=dict, name="arguments")


class ProposalMade(Input, frozen=True, kw_only=True, tag="proposal-made/1"):
    """A player proposes to change the rules.

    Attributes:
        by: the player, or "admin".
        number: number of the proposal in the game, from 1.
        text: the proposal in words.
        changes: the proposal as changes of rules and state.
        words_only: whether the admin left out the changes, as they do not fit the rules.
    """

    by: str = field(name="by")
    number: int = field(name="number")
    text: str = field(name="text")
    changes: tuple[Change, ...] = field(default=(), name="changes")
    words_only: bool = field(default=False, name="words_only")


class VoteCast(Input, frozen=True, kw_only=True, tag="vote-cast/1"):
    """A player votes on a proposal.

    Attributes:
        by: the player, or "admin".
        proposal: number of the proposal.
        choice: the vote, as the rules understand it.
    """

    by: str = field(name="by")
    proposal: int = field(name="proposal")
    choice: str = field(name="choice")


class ProposalJudged(Input, frozen=True, kw_only=True, tag="proposal-judged/1"):
    """The admin decides on a proposal.

    Attributes:
        proposal: number of the proposal.
        verdict: "accepted" or "rejected".
    """

    proposal: int = field(name="proposal")
    verdict: str = field(name="verdict")


class DrawEntered(Input, frozen=True, kw_only=True, tag="draw-entered/1"):
    """Real dice, or another random choice made by hand, are entered for an open question.

    Attributes:
        question: address of the question.
        values: the numbers on the dice, or the option chosen.
    """

    question: str = field(name="question")
    values: tuple[Any, ...] = field(name="values")


class ChoiceAnswered(Input, frozen=True, kw_only=True, tag="choice-answered/1"):
    """An open question is answered.

    Attributes:
        question: address of the question.
        value: the answer.
        by: the player who answered, or "admin".
    """

    question: str = field(name="question")
    value: Any = field(name="value")
    by: str = field(name="by")


class RulingMade(Input, frozen=True, kw_only=True, tag="ruling-made/1"):
    """The admin makes a ruling.

    Attributes:
        number: number of the ruling in the game, from 1.
        kind: "answer" (answers the open *question* with *value*), "correct" (applies *changes* from
            now on), "uphold" (confirms event *about* and its consequences), "ratify" (the same,
            although the rules say otherwise), "reject" or "replace" (makes *edits* in the recorded
            inputs), "void" (ends what *voids* names, whatever the rules say).
        text: the ruling in words.
        cites: rules (`VI.1`) and events (`#17`).
        question: address of the question that is answered.
        value: the answer.
        changes: changes of rules and state.
        basis: "ruling" (decided now) or "inferred" (known from earlier play).
        urgent: a correction that goes before everything due or on the agenda and runs no rule code:
            the way out if failing rule code holds up the game.
        by: who rules.
        scope: how long it applies: "attempt", "period", "onwards" (until further notice) or
            "precedent" (until the rule it interprets is amended).
        about: number of the event that it is about.
        edits: edits of the recorded inputs.
        overrules: numbers of earlier rulings that are no longer valid.
        effective: the period it reaches back to, if it reaches back.
        settle: how much of the correction to apply: "all", "money", "none", or "fitting" (all, if
            later play still fits).
        questions: how to answer new questions that nobody answered: "stop", "default" or "skip".
        closes: number of the dispute that it settles.
        voids: what is void, each as its kind and its name: `order 4f1c`, `timer 9a2>lapse(3)`,
            `question ID|…`, `request 77e0`, `proposal 3`.
        unlinked: an urgent correction that does not even link the rules: the way out if that fails
            or takes too long.
    """

    number: int = field(name="number")
    kind: str = field(name="kind")
    text: str = field(name="text")
    cites: tuple[str, ...] = field(default=(), name="cites")
    question: str | None = field(default=None, name="question")
    value: Any = field(default=None, name="value")
    changes: tuple[Change, ...] = field(default=(), name="changes")
    basis: str = field(default="ruling", name="basis")
    urgent: bool = field(default=False, name="urgent")
    by: str = field(default="admin", name="by")
    scope: str = field(default="attempt", name="scope")
    about: int | None = field(default=None, name="about")
    edits: tuple[Edit, ...] = field(default=(), name="edits")
    overrules: tuple[int, ...] = field(default=(), name="overrules")
    effective: int | None = field(default=None, name="effective")
    settle: str = field(default="all", name="settle")
    questions: str = field(default="stop", name="questions")
    closes: int | None = field(default=None, name="closes")
    voids: tuple[str, ...] = field(default=(), name="voids")
    unlinked: bool = field(default=False, name="unlinked")


class DisputeOpened(Input, frozen=True, kw_only=True, tag="dispute-opened/1"):
    """A player or the admin disputes an event, or all of a period.

    Attributes:
        number: number of the dispute in the game, from 1.
        by: the player, or "admin".
        disputed: the period in dispute.
        text: the dispute in words.
        about: number of the disputed event; None for all of the period.
    """

    number: int = field(name="number")
    by: str = field(name="by")
    disputed: int = field(name="disputed")
    text: str = field(name="text")
    about: int | None = field(default=None, name="about")


class DisputeArgued(Input, frozen=True, kw_only=True, tag="dispute-argued/1"):
    """An argument is added to a dispute.

    Attributes:
        dispute: number of the dispute.
        by: a player, "admin" or "engine".
        text: the argument in words.
        evidence: the JSON report of a replay or a what-if.
    """

    dispute: int = field(name="dispute")
    by: str = field(name="by")
    text: str = field(name="text")
    evidence: dict[str, Any] = field(default_factory=dict, name="evidence")


class FinalitySet(Input, frozen=True, kw_only=True, tag="finality-set/1"):
    """The admin sets when standings become final.

    Attributes:
        days: days after the close of a period without a dispute.
    """

    days: int = field(name="days")


class KeyPassed(Input, frozen=True, kw_only=True, tag="key-passed/1"):
    """The right to sign the seals of the game passes to another key.

    Attributes:
        key: the public key that signs from now on, 64 hexadecimal digits.
        previous: the public key that signed before; "" if it is not known.
        is_confirmed: whether the previous key signed this; otherwise the new key did so alone.
        sealed: the digest of the last seal, which the signature covers.
        fold: the version of the reducer in that seal.
        text: what whoever signed had to say.
        consent: the signature of the new key under its request.
        signature: the signature of the previous key, or of the new key alone, under all of this.
    """

    key: str = field(name="key")
    previous: str = field(name="previous")
    is_confirmed: bool = field(name="is_confirmed")
    sealed: str = field(name="sealed")
    fold: str = field(name="fold")
    consent: str = field(name="consent")
    signature: str = field(name="signature")
    text: str = field(default="", name="text")


class SeedCommitted(Input, frozen=True, kw_only=True, tag="seed-committed/1"):
    """A player commits to a seed for the dice of a later period.

    Attributes:
        by: the player.
        drawn_in: the period whose dice the seed will change.
        commitment: SHA-256 of the seed, in hexadecimal.
        by_admin: whether the admin chose the seed on behalf of the player.
    """

    by: str = field(name="by")
    drawn_in: int = field(name="drawn_in")
    commitment: str = field(name="commitment")
    by_admin: bool = field(default=False, name="by_admin")


class SeedRevealed(Input, frozen=True, kw_only=True, tag="seed-revealed/1"):
    """A player reveals the seed to which the player committed.

    Attributes:
        by: the player.
        drawn_in: the period whose dice the seed changes.
        seed: the seed, a text.
    """

    by: str = field(name="by")
    drawn_in: int = field(name="drawn_in")
    seed: str = field(name="seed")


class ClockAdvanced(Input, frozen=True, kw_only=True, tag="clock-advanced/1"):
    """Time has reached *received_at*; timers that are due by then fire."""


class CloseAsked(Input, frozen=True, kw_only=True, tag="close-asked/1"):
    """The admin asks to close the period."""


class Act(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request of a standing order; the fields are those of `SubmissionReceived`.

    Attributes:
        action: name of the action.
        arguments: its named arguments.
    """

    action: str = field(name="action")
    arguments: dict[str, Any] = field(default_factory=dict, name="arguments")


class OrderGiven(Input, frozen=True, kw_only=True, tag="order-given/1"):
    """A player gives a standing order.

    Attributes:
        by: the player.
        when: the statement that triggers the order (see `nomoledger.engine.statements`).
        holds: a statement that must stay true until then; otherwise the order lapses.
        acts: the requests to carry out, all or none of them.
        answer: the answer to the question put to *by*, instead of *acts*.
    """

    by: str = field(name="by")
    when: str = field(name="when")
    holds: str = field(default="", name="holds")
    acts: tuple[Act, ...] = field(default=(), name="acts")
    answer: Any = field(default=None, name="answer")


class InputWithdrawn(Input, frozen=True, kw_only=True, tag="input-withdrawn/1"):
    """The admin withdraws an input that is not carried out yet, or cancels a standing order.

    Attributes:
        withdrawn: id of the input.
        undoes: whether the input counts as never made (from level 4 on). The clock then goes back
            to *received_at*, which may be before the input.
    """

    withdrawn: str = field(name="withdrawn")
    undoes: bool = field(default=False, name="undoes")


class StepFailed(Input, frozen=True, kw_only=True, tag="step-failed/1"):
    """A step of play took too much time or memory, in two fresh sandboxes, and is dropped.

    What the machine could not do cannot be computed, so it is an input: a replay drops the same
    step, without trying it.

    Attributes:
        kind: "attempt" (of the agenda), "timer", "order" (the statements of a standing order) or
            "check" (a state-based check, which is suspended).
        step: id of the attempt, the timer or the order; the check as `X.1@2 check_debts`.
        attempt: id of the attempt that was under way when a check failed; "" for other steps.
        rule: number of the rule that acted last; "" if it is unknown.
        why: the reason, for people.
        alike: whether the attempts of the same operation that wait on the agenda are dropped, too,
            because several of them have failed already.
    """

    kind: str = field(name="kind")
    step: str = field(name="step")
    attempt: str = field(default="", name="attempt")
    rule: str = field(default="", name="rule")
    why: str = field(default="", name="why")
    alike: bool = field(default=False, name="alike")


class FactAhead(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A later line of a hand-kept record, which says where an attempt ends.

    Attributes:
        id: the id of that fact.
        kind: its kind.
        fields: its fields.
    """

    id: str = field(name="id")
    kind: str = field(name="kind")
    fields: dict[str, Any] = field(default_factory=dict, name="fields")


class FactRecorded(Input, frozen=True, kw_only=True, tag="fact-recorded/1"):
    """A line of a hand-kept record.

    Attributes:
        kind: the kind of fact.
        fields: the other fields of the line.
        ahead: the later line that says where the attempt of this one ends, if that is not where the
            rules alone lead.
        another: whether the line equals the line before it, but has another place in the text.
    """

    kind: str = field(name="kind")
    fields: dict[str, Any] = field(default_factory=dict, name="fields")
    ahead: FactAhead | None = field(default=None, name="ahead")
    another: bool = field(default=False, name="another")
