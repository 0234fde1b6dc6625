"""Proposals as a player may see them: a list, and each with its diff, votes and successors."""

import re

import msgspec

from nomoledger.game.desk.drafts import shown_diff
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.game import Game
from nomoledger.game.open_things import undecided_proposals
from nomoledger.rulebook.change_diff import ChangeDiff

#: How a proposal names the one that it replaces, at the beginning of its text.
REPLACES = re.compile(r"Replaces proposal ([0-9]{1,9})\b")
#: How much of the text of a proposal a list shows.
_EXCERPT = 200


class ProposalLine(msgspec.Struct, frozen=True):
    """A proposal in a list: its *number*, who made it, its *period*, and the start of its *text*.

    *is_open* says whether it is undecided.
    """

    number: int
    by: str
    period: int
    text: str
    is_open: bool


class ProposalLines(msgspec.Struct, frozen=True):
    """Proposals, the newest first."""

    lines: tuple[ProposalLine, ...]


class SeenProposal(msgspec.Struct, frozen=True):
    """A proposal as its reader may see it.

    Attributes:
        number, by, text, period: as proposed.
        state: what became of it, in words.
        is_open: whether it is undecided.
        changes: what it changes, as differences.
        votes: the votes that the reader may see, by voter.
        replaced_by: the proposals whose texts say that they replace this one.
    """

    number: int
    by: str
    text: str
    period: int
    state: str
    is_open: bool
    changes: tuple[ChangeDiff, ...]
    votes: dict[str, str]
    replaced_by: tuple[int, ...]


def proposal_lines(game: Game, player: str) -> ProposalLines:
    """Return the proposals of *game* that *player* may see."""
    view = SeenView(game, player)
    world, undecided = view.visible_world(), undecided_proposals(view)
    lines = (
        ProposalLine(n, made.by, made.period, made.text[:_EXCERPT], n in undecided)
        for n, made in world.proposals.items()
    )
    return ProposalLines(tuple(reversed(list(lines))))


def proposal_for(game: Game, player: str, number: int) -> SeenProposal:
    """Return proposal *number* as *player* may see it.

    Raises:
        UnknownError: there is no such proposal that the player may see.
    """
    seen = game.proposal(number, reader=player)
    world = SeenView(game, player).visible_world()
    known = (seen.state, seen.verdict, "carried out" if seen.carried_out else None)
    state = ", ".join(dict.fromkeys(str(word) for word in known if word)) or "undecided"
    return SeenProposal(
        number=number,
        by=seen.by,
        text=seen.text,
        period=seen.period,
        state=f"{state}, in words only" if seen.words_only else state,
        is_open=seen.is_open,
        changes=tuple(map(shown_diff, seen.changes)),
        votes=seen.votes,
        replaced_by=tuple(
            other
            for other, made in world.proposals.items()
            if (match := REPLACES.match(made.text)) is not None and int(match[1]) == number
        ),
    )
