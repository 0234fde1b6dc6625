"""Proposals as a player may see them: a list, and each with its diff, votes and successors."""

import re

import msgspec

from nomoledger.game.desk.drafts import shown_diff
from nomoledger.game.desk.request_outcome import can_undo
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.game import Game
from nomoledger.game.open_things import undecided_proposals
from nomoledger.rulebook.change_diff import ChangeDiff
from nomoledger.state.world import World

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
        replaced_by: the proposals of the same author whose texts say that they replace this one.
        is_own: whether the reader made it.
        replaces: the proposal of the same author that its text says it replaces; None if none.
        both_stand: whether this proposal and the one that it replaces are both undecided.
        request: the id of the request, if the reader can take it back; "" otherwise.
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
    is_own: bool = False
    replaces: int | None = None
    both_stand: bool = False
    request: str = ""


def proposal_lines(game: Game, player: str) -> ProposalLines:
    """Return the proposals of *game* that *player* may see."""
    view = SeenView(game, player)
    world, undecided = view.visible_world(), undecided_proposals(view)
    lines = (
        ProposalLine(n, made.by, made.period, made.text[:_EXCERPT], n in undecided)
        for n, made in world.proposals.items()
    )
    return ProposalLines(tuple(reversed(list(lines))))


def proposal_for(game: Game, player: str | None, number: int) -> SeenProposal:
    """Return proposal *number* as *player* may see it; None: as everybody may.

    Raises:
        UnknownError: there is no such proposal that the player may see.
    """
    seen = game.proposal(number, reader=player)
    view = SeenView(game, player)
    world = view.visible_world()
    made = world.proposals[number]
    states = {"carried out": seen.carried_out, "void": seen.is_void}
    known = (seen.state, seen.verdict, *(word for word, holds in states.items() if holds))
    state = ", ".join(dict.fromkeys(str(word) for word in known if word)) or "undecided"
    replaces = replaced_in(world, number)
    is_own = player is not None and made.by == world.find("player", player)
    return SeenProposal(
        number=number,
        by=seen.by,
        text=seen.text,
        period=seen.period,
        state=f"{state}, in words only" if seen.words_only else state,
        is_open=seen.is_open,
        changes=tuple(map(shown_diff, seen.changes)),
        votes=seen.votes,
        replaced_by=tuple(n for n in world.proposals if replaced_in(world, n) == number),
        is_own=is_own,
        replaces=replaces,
        both_stand=seen.is_open and replaces in undecided_proposals(view),
        request=made.id if is_own and seen.is_open and can_undo(view, made.id) else "",
    )


def replaced_in(world: World, number: int) -> int | None:
    """Return which proposal of the same author proposal *number* says it replaces; None if none."""
    made = world.proposals[number]
    match = REPLACES.match(made.text)
    other = world.proposals.get(int(match[1])) if match is not None else None
    is_earlier = other is not None and other.number < number and other.by == made.by
    return other.number if other is not None and is_earlier else None
