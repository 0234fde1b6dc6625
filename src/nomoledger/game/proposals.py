"""Proposals of a game: tried before they are judged, and shown with their votes."""

from collections.abc import Callable
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import MisfitError, RulebookError, RuleFault, UnknownError
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Amend, Change, Enact, Renumber, Repeal, Rule
from nomoledger.game.counterfactual import WhatIf, WhatIfChanges
from nomoledger.game.readings import GameReadings
from nomoledger.rulebook.case_comparison import CaseComparison, compare_cases
from nomoledger.rulebook.change_check import ChangeCheck, LeftUndefined, check_changes
from nomoledger.rulebook.change_diff import ChangeDiff, diff_changes
from nomoledger.rulebook.changes import check_code
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.world import World

#: The authority of a proposal that is not made yet.
_NEW = "proposal"


class ProposalCheck(msgspec.Struct, frozen=True):
    """What changes would do to the rules of a game.

    Attributes:
        errors: why the changes do not fit the rules; the proposal is then refused.
        left_undefined: what rules would use, and no rule would define any more.
        mismatches: where the prose of a rule and its parameters would disagree.
        cases_failing: the cases that pass now and would fail, each with the first difference.
        cases_tried: how many cases were tried.
        cases_not_tried: how many were not, because time was up, or because there are errors.
        notes: what else the proposer should know.
        what_if: the last period played again with the changes; None unless it was asked for.
    """

    errors: tuple[str, ...] = ()
    left_undefined: tuple[LeftUndefined, ...] = ()
    mismatches: tuple[str, ...] = ()
    cases_failing: tuple[str, ...] = ()
    cases_tried: int = 0
    cases_not_tried: int = 0
    notes: tuple[str, ...] = ()
    what_if: WhatIf | None = None


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


def refuse_misfits(
    world: World, changes: tuple[Change, ...], source: str, limits: Limits | None
) -> None:
    """Check that *changes* fit the rules of *world*, before they are recorded.

    In games of a level that forgets rules, all is recorded whose code can be read.

    Raises:
        MisfitError: they do not fit.
    """
    if LEVELS[world.level].forgets_rules:
        try:
            call_in_sandbox(check_code, changes, kind=None, limits=limits)
        except RulebookError as error:
            raise MisfitError(str(error)) from None
    else:
        checked = _checked(world, changes, source, limits)
        if checked is not None and checked.errors:
            raise MisfitError(*checked.errors)


def _checked(
    world: World, changes: tuple[Change, ...], source: str, limits: Limits | None
) -> ChangeCheck | None:
    """Return what *changes* would do; None if the code of rules fails a ruling.

    Raises:
        MisfitError: the code of rules fails.
    """
    try:
        return call_in_sandbox(
            check_changes, world, changes, source, kind=ChangeCheck, limits=limits
        )
    except (RuleFault, RulebookError) as error:
        if source != _NEW:
            return None  # A ruling is the way out.
        raise MisfitError(str(error)) from None


def check_proposal(
    game: GameReadings,
    world: World,
    changes: tuple[Change, ...],
    *,
    seconds: float,
    with_what_if: bool,
    done: Callable[[int], Any],
) -> ProposalCheck:
    """Try *changes* in *game*, whose state is *world*. See `Game.check_proposal`."""
    try:
        checked = _checked(world, changes, _NEW, game.limits)
    except MisfitError as error:
        return ProposalCheck(errors=error.errors)
    assert checked is not None
    compared, notes = CaseComparison(), checked.notes
    if not checked.errors and checked.before != checked.after:
        texts = _copied_cases(game)
        arguments = (texts, str(world.game["rulebook"]), checked.before, checked.after)
        try:
            compared = compare_cases(*arguments, checked.numbers, seconds=seconds, done=done)
        except RulebookError as error:
            notes = (*notes, f"no case was tried: {error}")
    tried_again = None
    if with_what_if and not checked.errors:
        of_rules = tuple(x for x in changes if isinstance(x, Enact | Amend | Repeal | Renumber))
        period = _last_closed(world)
        tried_again = game.what_if(WhatIfChanges(changes=of_rules, since=period, until=period))
    return ProposalCheck(
        errors=checked.errors,
        left_undefined=checked.left_undefined,
        mismatches=checked.mismatches,
        cases_failing=compared.failing,
        cases_tried=compared.tried,
        cases_not_tried=compared.not_tried,
        notes=notes,
        what_if=tried_again,
    )


def _copied_cases(game: GameReadings) -> dict[str, bytes]:
    """Return the cases that were copied into *game* when it opened, compressed, by file."""
    for entry in game.ledger.read(game.name, after=0):
        if isinstance(entry.body, e.CasesCopied):
            return entry.body.texts
        if not isinstance(entry.body, e.RuleEnacted):
            break
    return {}


def _last_closed(world: World) -> int | None:
    """Return the last period that is closed; the open one, as None, if none is."""
    return max(world.past, default=None)


# --- one proposal -------------------------------------------------------------------------------


def show_proposal(game: GameReadings, number: int, reader: str | None) -> Proposal:
    """Return proposal *number* of *game* as *reader* may see it. See `Game.proposal`."""
    bodies = [entry.body for entry in game.history.entries() if _sees(reader, entry.body)]
    made = _find(bodies, number)
    if made is None:
        raise UnknownError(f"{game.name}: there is no proposal {number}")
    found = _Found(made)
    for body in bodies:
        found.apply(body)
    rules = tuple(found.rules.values())
    arguments = (rules, made.changes)
    changes = call_in_sandbox(diff_changes, *arguments, kind=list[ChangeDiff], limits=game.limits)
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
    )


def _sees(reader: str | None, body: e.Event) -> bool:
    return reader == "admin" or body.audience is None or reader in body.audience


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
        elif isinstance(body, e.AttemptRefused) and body.attempt in self._before:
            self.verdict, self.votes = self._before[body.attempt]
        elif isinstance(body, e.EntityCreated) and body.kind == "proposal":
            if body.attributes.get("number") == number:
                self._entity, self.state = body.entity, body.attributes.get("state")
                self._first_state = self.state
        elif isinstance(body, e.AttributeSet) and body.entity == self._entity:
            self.state = body.value if body.attribute == "state" else self.state
        elif isinstance(body, _RULE_EVENTS):
            self._apply_to_rules(body)

    def _apply_to_rules(self, body: e.Event) -> None:
        """Apply a change of the rules, unless the changes are compared with the rules before it."""
        assert isinstance(body, _RULE_EVENTS)
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


#: The events that change rules.
_RULE_EVENTS = (e.RuleEnacted, e.RuleAmended, e.RuleRepealed, e.RuleRenumbered)
