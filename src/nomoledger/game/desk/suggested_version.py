"""A version of a proposal that somebody suggests to its author: checked, and compared with it."""

import msgspec

from nomoledger.errors import UsageError
from nomoledger.game.desk.drafts import WrittenProposal, refuse_misfit_draft, written_proposal
from nomoledger.game.desk.proposal_desk import SeenProposal, proposal_for
from nomoledger.game.game import Game
from nomoledger.intake.bounded_diff import diff_lines
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import call_in_sandbox

_LIMITS = Limits(cpu_seconds=5.0, wall_seconds=20.0)


class SuggestedVersion(msgspec.Struct, frozen=True):
    """What a suggestion changes: the *lines* of a unified diff from *version* of the proposal."""

    lines: tuple[str, ...]
    version: str


def suggested_version(
    game: Game, player: str, number: int, text: str, changes: str
) -> SuggestedVersion:
    """Return how *text* and *changes*, in YAML, differ from proposal *number*.

    The changes are checked by what *player* may see, as if the player proposed them.

    Raises:
        UnknownError: there is no such proposal that the player may see.
        UsageError: it is decided, it is the player's own, or nothing differs.
        RulebookError: the changes cannot be read. MisfitError: they do not fit the rules.
    """
    check_amendable(proposal_for(game, player, number))
    if not text.strip():
        raise UsageError("a proposal says in words what it wants: the text is empty")
    refuse_misfit_draft(game, player, changes)
    made = written_proposal(game, number)
    given = _lines(made), _lines(WrittenProposal(text, changes))
    lines = call_in_sandbox(diff_lines, *given, kind=tuple[str, ...], limits=_LIMITS)[2:]
    if not lines:
        raise UsageError(f"this is proposal {number} as it is: change something")
    return SuggestedVersion(lines, made.version)


def check_amendable(seen: SeenProposal) -> None:
    """Check that the reader who sees this proposal can suggest another version of it.

    Raises:
        UsageError: it is decided, or it is the reader's own.
    """
    if not seen.is_open:
        raise UsageError(f"proposal {seen.number} is decided: nobody can amend it any more")
    if seen.is_own:
        raise UsageError(f"proposal {seen.number} is your own: replace it by another")


def _lines(written: WrittenProposal) -> list[str]:
    """Return the lines of the words, and those of the changes after them."""
    lines = written.text.strip().split("\n")
    return [*lines, "", *written.changes.strip().split("\n")] if written.changes.strip() else lines
