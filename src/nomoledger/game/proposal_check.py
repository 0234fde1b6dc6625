"""Proposals tried before they are judged: in a live game, with its copied cases."""

from collections.abc import Callable
from typing import Any

import msgspec

from nomoledger.errors import MisfitError, RulebookError, RuleFault
from nomoledger.events.rules import Amend, Change, Enact, Renumber, Repeal
from nomoledger.game.copied_cases import try_copied_cases
from nomoledger.game.counterfactual import WhatIf, WhatIfChanges, what_if
from nomoledger.ledger.event_history import History
from nomoledger.rulebook.case_comparison import CaseComparison
from nomoledger.rulebook.change_check import ChangeCheck, check_changes
from nomoledger.rulebook.changes import check_code
from nomoledger.rulebook.losses import LeftUndefined
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


def refuse_misfits(
    world: World, changes: tuple[Change, ...], source: str, limits: Limits | None
) -> None:
    """Check that *changes* fit the rules of *world*, before they are recorded.

    In games of a level that forgets rules, all is recorded whose code can be read.

    Raises:
        MisfitError: they do not fit.
    """
    if world.forgets_rules:
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
    history: History,
    changes: tuple[Change, ...],
    limits: Limits | None,
    *,
    seconds: float,
    with_what_if: bool,
    done: Callable[[int], Any],
) -> ProposalCheck:
    """Try *changes* in the game of *history*. See `GameReadings.check_proposal`."""
    world = history.world()
    try:
        checked = _checked(world, changes, _NEW, limits)
    except MisfitError as error:
        return ProposalCheck(errors=error.errors)
    assert checked is not None
    compared, notes = CaseComparison(), checked.notes
    if not checked.errors and checked.before != checked.after:
        try:
            compared = try_copied_cases(history, checked, seconds=seconds, done=done) or compared
        except RulebookError as error:
            notes = (*notes, f"no case was tried: {error}")
    tried_again = None
    if with_what_if and not checked.errors:
        of_rules = tuple(x for x in changes if isinstance(x, Enact | Amend | Repeal | Renumber))
        period = _last_closed(world)
        asked = WhatIfChanges(changes=of_rules, since=period, until=period)
        tried_again = what_if(
            history.ledger, history.game, asked, limits=limits, history=history, done=done
        )
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


def _last_closed(world: World) -> int | None:
    """Return the last closed period, or None if no period is closed."""
    return max(world.past, default=None)
