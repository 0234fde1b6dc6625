"""One proposal of a game, with its changes as a diff, its verdict and the votes."""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.events.rules import Rule
from nomoledger.ledger.event_history import History
from nomoledger.rulebook.change_diff import ChangeDiff, diff_changes
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import call_in_sandbox


class Proposal(msgspec.Struct, frozen=True):
    """One proposal, as a reader may see it.

    Attributes:
        number, by, text, period: as proposed.
        words_only: whether the admin left out its changes, as they do not fit the rules.
        verdict: what the judge said; None if there is no verdict.
        state: its state by the rules; None if the rules keep none.
        carried_out: whether its changes are carried out.
        changes: what it changes, from the rules at the time of its verdict; today's if it is open.
        votes: the vote of each player.
        is_open: whether the proposal is undecided.
        is_void: whether a ruling says that it is void.
    """

    number: int
    by: str
    text: str
    period: int
    words_only: bool = False
    verdict: str | None = None
    state: str | None = None
    carried_out: bool = False
    changes: tuple[ChangeDiff, ...] = ()
    votes: dict[str, str] = {}
    is_open: bool = False
    is_void: bool = False


def show_proposal(
    history: History, number: int, reader: str | None, limits: Limits | None
) -> Proposal:
    """Return proposal *number* as *reader* may see it. See `GameReadings.proposal`."""
    if reader not in (None, "admin"):
        player = history.world().find("player", reader)
        if player is None:
            raise UnknownError(f"{history.game}: there is no player {reader!r}")
        reader = player
    bodies = [entry.body for entry in history.entries() if e.may_see(reader, entry.body.audience)]
    made = _find(bodies, number)
    if made is None:
        raise UnknownError(f"{history.game}: there is no proposal {number}")
    found = _Found(made)
    withdrawn = {body.withdrawn for body in bodies if isinstance(body, e.InputWithdrawn)}
    for body in bodies:
        if not isinstance(body, e.RulingMade) or body.id not in withdrawn:
            found.apply(body)
    rules = tuple(found.rules.values())
    arguments = (rules, made.changes)
    changes = call_in_sandbox(diff_changes, *arguments, kind=list[ChangeDiff], limits=limits)
    return Proposal(
        number=number,
        by=made.by,
        text=made.text,
        period=made.period,
        words_only=made.words_only,
        verdict=found.verdict,
        state=found.state,
        carried_out=found.is_carried_out,
        changes=tuple(changes),
        votes=found.votes,
        is_open=found.is_open,
        is_void=found.is_void,
    )


def _find(bodies: list[e.Event], number: int) -> e.ProposalMade | None:
    """Return proposal *number*, unless it was taken back."""
    withdrawn = {body.withdrawn for body in bodies if isinstance(body, e.InputWithdrawn)}
    made = (
        body
        for body in bodies
        if isinstance(body, e.ProposalMade) and body.number == number and body.id not in withdrawn
    )
    return next(made, None)


class _Found:
    """What events tell about one proposal."""

    def __init__(self, made: e.ProposalMade) -> None:
        self.made = made
        self.state: Any = None
        self.verdict: str | None = None
        self.votes: dict[str, str] = {}
        self.is_carried_out = False
        self.is_void = False
        #: The rules that the changes are compared with.
        self.rules: dict[str, Rule] = {}
        self._entity: str | None = None
        self._first_state: Any = None
        self._is_made = False
        #: The votes and verdicts that may still be refused, with what held before, by id.
        self._before: dict[str, tuple[str | None, dict[str, str]]] = {}

    def apply(self, body: e.Event) -> None:
        """Apply the next event."""
        number = self.made.number
        if body is self.made:
            self._is_made = True
        elif isinstance(body, e.VoteCast) and body.proposal == number:
            self._before[body.id] = self.verdict, self.votes
            self.votes = self.votes | {body.by: body.choice}
        elif isinstance(body, e.ProposalJudged) and body.proposal == number:
            self._before[body.id] = self.verdict, self.votes
            self.verdict = body.verdict
        elif isinstance(body, e.RulingMade):
            self.is_void |= f"proposal {number}" in body.voids
        elif isinstance(body, e.AttemptRefused) and body.attempt in self._before:
            self.verdict, self.votes = self._before[body.attempt]
        elif isinstance(body, e.EntityCreated) and body.kind == "proposal":
            if body.attributes.get("number") == number:
                self._entity, self.state = body.entity, body.attributes.get("state")
                self._first_state = self.state
        elif isinstance(body, e.AttributeSet) and body.entity == self._entity:
            self._set_state(body)
        elif isinstance(body, e.RuleEvent):
            self._apply_to_rules(body)

    @property
    def is_open(self) -> bool:
        """Whether the proposal is undecided."""
        return self.verdict is None and self.state == self._first_state and not self.is_void

    def _set_state(self, body: e.AttributeSet) -> None:
        """Apply a change of the proposal itself; a ruling may undo the verdict."""
        if body.attribute == "state":
            self.state = body.value
            if body.value == self._first_state:
                self.verdict = None

    def _apply_to_rules(self, body: e.RuleEvent) -> None:
        """Apply a change of the rules, unless the changes are compared with the rules before it."""
        self.is_carried_out |= body.source == f"proposal {self.made.number}"
        is_decided = self.verdict is not None or self.state != self._first_state
        if self.is_carried_out or (self._is_made and is_decided):
            return
        if isinstance(body, e.RuleEnacted | e.RuleAmended):
            self.rules[body.rule.number] = body.rule
        elif isinstance(body, e.RuleRepealed):
            self.rules.pop(body.number, None)
        elif body.number in self.rules:
            rule = self.rules.pop(body.number)
            self.rules[body.to] = msgspec.structs.replace(rule, number=body.to)
