"""proposals: what was proposed, by whom, how it was voted on, and what became of it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.game.read_models import Table, View
from nomoledger.prose.labels import format_cell

#: The kind of fact by which a hand-kept record tells the vote on a proposal.
RESULT = "proposal-result"


class ProposalRow(msgspec.Struct):
    """A proposal; *verdict* is None while it is undecided.

    Attributes:
        number: counted per game. event: the number of the event that made it.
        votes: what each player voted. vote: the result as a record tells it, or counted.
    """

    number: int
    by: str
    text: str
    period: int
    event: int
    verdict: str | None = None
    votes: dict[str, str] = {}
    vote: str | None = None


class Proposals(msgspec.Struct, frozen=True):
    """All proposals in the order in which they were made."""

    game: str
    period: int
    proposals: tuple[ProposalRow, ...]

    def show(self) -> Iterator[Table | str]:
        """One table."""
        if not self.proposals:
            yield "nothing has been proposed yet"
            return
        rows = tuple(
            (str(p.number), p.by, format_cell(p.verdict), format_cell(p.vote), p.text)
            for p in self.proposals
        )
        yield Table(("proposal", "by", "verdict", "vote", "text"), rows)


def proposals(view: View) -> Proposals:
    """The proposals in *view*."""
    book = Book()
    for entry in view.entries():
        book.take(entry)
    return Proposals(view.game, view.period, tuple(book.proposals.values()))


class Book:
    """What is known of each proposal so far, event by event."""

    #: The events from which it learns anything.
    KINDS = (
        *(e.ProposalMade, e.VoteCast, e.ProposalJudged, e.FactRecorded),
        *(e.EntityCreated, e.AttributeSet),
    )

    def __init__(self) -> None:
        self.proposals: dict[int, ProposalRow] = {}
        self._things: dict[str, tuple[Any, Any]] = {}
        self._results: dict[Any, str] = {}

    def take(self, entry: e.Entry) -> None:
        """Learn from the next event."""
        body = entry.body
        if isinstance(body, e.ProposalMade):
            made = ProposalRow(body.number, body.by, body.text, body.period, entry.number)
            made.vote = self._results.get(body.number)
            self.proposals[body.number] = made
        elif isinstance(body, e.VoteCast) and body.proposal in self.proposals:
            self._vote(self.proposals[body.proposal], body)
        elif isinstance(body, e.ProposalJudged) and body.proposal in self.proposals:
            self.proposals[body.proposal].verdict = body.verdict
        elif isinstance(body, e.FactRecorded) and body.kind == RESULT:
            self._results[body.fields.get("number")] = format_cell(body.fields.get("vote")) or ""
        else:
            self._state(body)

    def _vote(self, proposal: ProposalRow, body: e.VoteCast) -> None:
        proposal.votes = proposal.votes | {body.by: body.choice}
        choices = list(proposal.votes.values())
        counts = {each: choices.count(each) for each in sorted(set(choices))}
        proposal.vote = ", ".join(f"{count} {choice}" for choice, count in counts.items())

    def _state(self, body: e.Event) -> None:
        """Where rules decide without a judge, the proposal's own state says how."""
        if isinstance(body, e.EntityCreated) and body.kind == "proposal":
            number, state = body.attributes.get("number"), body.attributes.get("state")
            self._things[body.entity] = number, state
        elif isinstance(body, e.AttributeSet) and body.attribute == "state":
            number, first = self._things.get(body.entity, (None, None))
            if number in self.proposals and body.value != first:
                self.proposals[number].verdict = body.value
