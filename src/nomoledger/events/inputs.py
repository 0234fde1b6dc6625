"""Inputs, the tape: what comes from outside, and nobody can compute."""

from typing import Any

import msgspec
from msgspec import field

from nomoledger.events.edits import Edit
from nomoledger.events.event import Event
from nomoledger.events.rules import Change


class Input(Event, frozen=True, kw_only=True):
    """Something that came from outside. *id* is unique in the game and makes a retry harmless."""

    id: str = field(name="id")


class GameOpened(Input, frozen=True, kw_only=True, tag="game-opened/1"):
    """The game begins: its rulebook by name, the parameters set at the start, and the dice.

    *dice* is "seeded" (derived from a secret, see `nomoledger.engine.dice`) or "entered" (real dice).
    *commitment* is the hash of the first period's seed. Its period is where the game begins.
    *level* is kept for good (see `nomoledger.events.levels`); *versions* are
    those of nomoledger and of the interpreter of the rule language that opened the game.
    """

    game: str = field(name="game")
    rulebook: str = field(name="rulebook")
    dice: str = field(default="seeded", name="dice")
    commitment: str = field(default="", name="commitment")
    settings: dict[str, Any] = field(default_factory=dict, name="settings")
    level: int = field(default=0, name="level")
    # No more than 15 names: from 16 on, msgspec writes another header, and every opening of level 0
    # would have other bytes.
    versions: dict[str, str] = field(default_factory=dict, name="versions")


class StateGiven(Input, frozen=True, kw_only=True, tag="state-given/1"):
    """The admin states how things stand: what a game under way, or a case, starts from.

    *players* and *squares* say by name or number what is so of each (`square`, `money`, `items`
    by commodity, any attribute); *accounts* says what is in those that belong to no player, by
    commodity; *things* lists what there is of other kinds, by kind (with `at`, in seconds since
    1970, where it is older); *game* holds attributes of the game itself.
    """

    players: dict[str, dict[str, Any]] = field(default_factory=dict, name="players")
    squares: dict[str, dict[str, Any]] = field(default_factory=dict, name="squares")
    accounts: dict[str, dict[str, Any]] = field(default_factory=dict, name="accounts")
    things: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict, name="things")
    game: dict[str, Any] = field(default_factory=dict, name="game")


class JoinRequested(Input, frozen=True, kw_only=True, tag="join-requested/1"):
    """Somebody asks to join as *name*; *details* are what the rules want to know besides."""

    name: str = field(name="name")
    details: dict[str, Any] = field(default_factory=dict, name="details")


class LeaveRequested(Input, frozen=True, kw_only=True, tag="leave-requested/1"):
    """Player *by* asks to leave."""

    by: str = field(name="by")


class SubmissionReceived(Input, frozen=True, kw_only=True, tag="submission-received/1"):
    """Player *by* asks for *action* with *arguments* (named as in the rule that defines it)."""

    by: str = field(name="by")
    action: str = field(name="action")
    arguments: dict[str, Any] = field(default_factory=dict, name="arguments")


class ProposalMade(Input, frozen=True, kw_only=True, tag="proposal-made/1"):
    """Player *by* proposes *text*, which comes down to *changes*. *number* counts per game."""

    by: str = field(name="by")
    number: int = field(name="number")
    text: str = field(name="text")
    changes: tuple[Change, ...] = field(default=(), name="changes")


class VoteCast(Input, frozen=True, kw_only=True, tag="vote-cast/1"):
    """Player *by* votes *choice* on *proposal*."""

    by: str = field(name="by")
    proposal: int = field(name="proposal")
    choice: str = field(name="choice")


class ProposalJudged(Input, frozen=True, kw_only=True, tag="proposal-judged/1"):
    """The admin's *verdict* ("accepted" or "rejected") on *proposal*."""

    proposal: int = field(name="proposal")
    verdict: str = field(name="verdict")


class DrawEntered(Input, frozen=True, kw_only=True, tag="draw-entered/1"):
    """Real dice, or another random choice made by hand, for the open *question*."""

    question: str = field(name="question")
    values: tuple[Any, ...] = field(name="values")


class ChoiceAnswered(Input, frozen=True, kw_only=True, tag="choice-answered/1"):
    """Player *by* (or the admin for them) answers the open *question* with *value*."""

    question: str = field(name="question")
    value: Any = field(name="value")
    by: str = field(name="by")


class RulingMade(Input, frozen=True, kw_only=True, tag="ruling-made/1"):
    """The admin rules. *number* counts rulings per game.

    Attributes:
        kind: "answer" (settles the open *question* with *value*), "correct" (carries *changes* out
            from now on), "uphold" or "ratify" (what came of event *about* stands; ratify: though
            the rules say otherwise), "reject" or "replace" (*edits* of the tape, back then).
        cites: rules (`VI.1`) and events (`#17`).
        basis: where it is known from: "ruling" (decided now) or "inferred" (from play).
        urgent: a correction that goes before all that is due or waiting, and asks no rule: the way
            out where rule code fails and holds up the game.
        by: who rules.
        scope: what it holds for: "attempt", "period", "onwards" (until further notice) or
            "precedent" (while the rule it interprets is in the version it now has).
        overrules: numbers of earlier rulings that no longer hold.
        effective: the period it reaches back to, where it does.
        settle: what is put right now: "all", "money" or "none"; "fitting" is all, if later play
            fits it.
        questions: what is done with new questions that nobody answered: "stop", "default", "skip".
        closes: number of the dispute that it settles.
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


class DisputeOpened(Input, frozen=True, kw_only=True, tag="dispute-opened/1"):
    """*by* (a player or the admin) disputes event *about*, or all of a *disputed* period."""

    number: int = field(name="number")
    by: str = field(name="by")
    disputed: int = field(name="disputed")
    text: str = field(name="text")
    about: int | None = field(default=None, name="about")


class DisputeArgued(Input, frozen=True, kw_only=True, tag="dispute-argued/1"):
    """*by* says *text* on a *dispute*; *evidence* is a replay or a what-if, as their JSON."""

    dispute: int = field(name="dispute")
    by: str = field(name="by")
    text: str = field(name="text")
    evidence: dict[str, Any] = field(default_factory=dict, name="evidence")


class FinalitySet(Input, frozen=True, kw_only=True, tag="finality-set/1"):
    """Standings turn final when *days* have gone by after their close without a dispute."""

    days: int = field(name="days")


class ClockAdvanced(Input, frozen=True, kw_only=True, tag="clock-advanced/1"):
    """Time has reached *received_at* and nothing else was asked: what is due falls due."""


class CloseAsked(Input, frozen=True, kw_only=True, tag="close-asked/1"):
    """The admin asks for the period to be carried out and closed."""


class Act(msgspec.Struct, frozen=True, omit_defaults=True):
    """An *action* to be asked for, with its *arguments*, as in `SubmissionReceived`."""

    action: str = field(name="action")
    arguments: dict[str, Any] = field(default_factory=dict, name="arguments")


class OrderGiven(Input, frozen=True, kw_only=True, tag="order-given/1"):
    """Player *by* says what is to be done for them as soon as something is so.

    Attributes:
        when: the statement (see `nomoledger.engine.statements`) that sets it going.
        holds: the statement that must be so from now until then; else the order lapses.
        acts: what is then asked for, all of it or nothing.
        answer: what is then answered to the question put to *by*, instead of *acts*.
    """

    by: str = field(name="by")
    when: str = field(name="when")
    holds: str = field(default="", name="holds")
    acts: tuple[Act, ...] = field(default=(), name="acts")
    answer: Any = field(default=None, name="answer")


class InputWithdrawn(Input, frozen=True, kw_only=True, tag="input-withdrawn/1"):
    """The admin takes back the input called *withdrawn*, which is not carried out yet."""

    withdrawn: str = field(name="withdrawn")


class FactRecorded(Input, frozen=True, kw_only=True, tag="fact-recorded/1"):
    """A line of a hand-kept record: what *kind* of thing it says happened, and its *fields*."""

    kind: str = field(name="kind")
    fields: dict[str, Any] = field(default_factory=dict, name="fields")
