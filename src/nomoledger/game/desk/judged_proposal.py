"""A proposal before its verdict: what it would change, and what was tried with its changes."""

from nomoledger.game.game import Game
from nomoledger.game.proposal_check import ProposalCheck
from nomoledger.game.proposal_view import Proposal

#: For how many seconds a proposal is tried with the cases of the rulebook.
CASES_SECONDS = 8.0


def proposal_of(game: Game, number: int, reader: str | None) -> Proposal:
    """Return proposal *number* as *reader* may see it.

    Raises:
        UnknownError: there is no such proposal.
    """
    return game.proposal(number, reader=reader)


def checked_proposal(game: Game, number: int, with_what_if: bool) -> ProposalCheck:
    """Return what the changes of proposal *number* would do to the rules.

    *with_what_if* also plays the last closed period again with them.

    Raises:
        UnknownError: there is no such proposal.
    """
    game.proposal(number)
    changes = game.world.proposals[number].changes
    return game.check_proposal(changes, with_what_if=with_what_if, seconds=CASES_SECONDS)
