"""proposals: every proposal with its proposer, votes and verdict."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.game.open_things import open_things, undecided_proposals
from nomoledger.game.read_models import LedgerView, Table, View
from nomoledger.prose.labels import format_cell
from nomoledger.prose.time_format import format_time
from nomoledger.state.world import World

#: The kind of fact with which a hand-kept record states the result of a vote.
RESULT = "proposal-result"


class ProposalRow(msgspec.Struct):
    """A proposal. *verdict* is None while it is undecided.

    Attributes:
        number: The number of the proposal in its game.
        event: The number of the event that made the proposal.
        votes: The vote of each player.
        vote: The result, as a record states it or as counted.
        state: "undecided", the verdict, "waiting", "void", "refused" or "taken back".
        until: Until when votes or a verdict are possible, in words, if asked for and known.
    """

    number: int
    by: str
    text: str
    period: int
    event: int
    verdict: str | None = None
    votes: dict[str, str] = {}
    vote: str | None = None
    state: str = ""
    until: str | None = None


class Proposals(msgspec.Struct, frozen=True):
    """All proposals in the order in which they were made."""

    game: str
    period: int
    proposals: tuple[ProposalRow, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield one table."""
        if not self.proposals:
            yield "nothing has been proposed yet"
            return
        rows = tuple(
            (str(p.number), p.by, p.state, format_cell(p.vote), format_cell(p.until), p.text)
            for p in self.proposals
        )
        yield Table(("proposal", "by", "state", "votes", "until", "text"), rows)


def proposals(view: View, *, ends: bool = False) -> Proposals:
    """Return the proposals in *view*; if *ends*, with the time until which each is open."""
    book = ProposalBook()
    withdrawn = set()
    for entry in view.entries():
        book.apply(entry)
        if isinstance(entry.body, e.InputWithdrawn):
            withdrawn.add(entry.body.withdrawn)
    undecided = undecided_proposals(view)
    things = []
    if ends and isinstance(view, LedgerView) and not view.reading.is_closed:
        things = open_things(view.visible_world(), undecided)
    moments = {thing.proposal: thing.until for thing in things if thing.until is not None}
    for number, proposal in book.proposals.items():
        made = view.world.proposals.get(number)
        is_withdrawn = made is None or made.id in withdrawn
        proposal.state = (
            "taken back" if is_withdrawn else _state(view.world, proposal, number in undecided)
        )
        if number in moments:
            proposal.until = format_time(moments[number] - 1)
    return Proposals(view.game, view.period, tuple(book.proposals.values()))


def _state(world: World, proposal: ProposalRow, is_undecided: bool) -> str:
    if is_undecided:
        return "undecided"
    if proposal.number in world.game.get("voided", ()):
        return "void"
    if proposal.verdict is not None:
        return proposal.verdict
    made = world.proposals.get(proposal.number)
    waiting = {attempt.id.partition(">")[0] for attempt in world.agenda}
    return "waiting" if made is not None and made.id in waiting else "refused"


class ProposalBook:
    """The proposals so far, updated event by event."""

    #: The events that change a proposal.
    KINDS = (
        *(e.ProposalMade, e.VoteCast, e.ProposalJudged, e.FactRecorded),
        *(e.EntityCreated, e.AttributeSet),
    )

    def __init__(self) -> None:
        self.proposals: dict[int, ProposalRow] = {}
        self._things: dict[str, tuple[Any, Any]] = {}
        self._results: dict[Any, str] = {}

    def apply(self, entry: e.Entry) -> None:
        """Apply the next event."""
        body = entry.body
        if isinstance(body, e.ProposalMade):
            proposal = ProposalRow(body.number, body.by, body.text, body.period, entry.number)
            proposal.vote = self._results.get(body.number)
            self.proposals[body.number] = proposal
        elif isinstance(body, e.VoteCast) and body.proposal in self.proposals:
            self._add_vote(self.proposals[body.proposal], body)
        elif isinstance(body, e.ProposalJudged) and body.proposal in self.proposals:
            self.proposals[body.proposal].verdict = body.verdict
        elif isinstance(body, e.FactRecorded) and body.kind == RESULT:
            self._results[body.fields.get("number")] = format_cell(body.fields.get("vote")) or ""
        else:
            self._apply_state(body)

    def _add_vote(self, proposal: ProposalRow, body: e.VoteCast) -> None:
        proposal.votes = proposal.votes | {body.by: body.choice}
        choices = list(proposal.votes.values())
        counts = {choice: choices.count(choice) for choice in sorted(set(choices))}
        proposal.vote = ", ".join(f"{count} {choice}" for choice, count in counts.items())

    def _apply_state(self, body: e.Event) -> None:
        """Apply a verdict that rules give without a judge, by setting the proposal's state."""
        if isinstance(body, e.EntityCreated) and body.kind == "proposal":
            number, state = body.attributes.get("number"), body.attributes.get("state")
            self._things[body.entity] = number, state
        elif isinstance(body, e.AttributeSet) and body.attribute == "state":
            number, initial = self._things.get(body.entity, (None, None))
            if number in self.proposals:
                self.proposals[number].verdict = None if body.value == initial else body.value
