"""Proposals with their votes and verdicts, rulings, and disputes, as the site shows them."""

import re
from datetime import datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events import rules as r
from nomoledger.prose.descriptions import events_ruled_on
from nomoledger.prose.labels import format_cell
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World
from nomoledger.views.site.dispute_pages import DisputePages
from nomoledger.views.site.rule_pages import Link, RulePages
from nomoledger.views.site.ruling_pages import EditOnPage, FindEvent, edits_on_page
from nomoledger.views.site.site_paths import Ref

UNDECIDED = "undecided"


class ChangeOnPage(msgspec.Struct, frozen=True):
    """A requested change as a sentence, with the prose and code of the new rule version."""

    text: str
    prose: str | None = None
    code: str | None = None


class Vote(msgspec.Struct, frozen=True):
    """The vote of one player."""

    by: str
    choice: str
    ref: Ref


class ProposalOnPage(msgspec.Struct, frozen=True):
    """A proposal and its verdict. *decided* is the event of the verdict."""

    number: int
    by: str
    text: str
    ref: Ref
    at: datetime
    changes: tuple[ChangeOnPage, ...]
    votes: tuple[Vote, ...] = ()
    verdict: str = UNDECIDED
    decided: Ref | None = None


class RulingOnPage(msgspec.Struct, frozen=True):
    """A ruling of the admin.

    Attributes:
        cites: The rules and events that the ruling cites.
        about: The events that the ruling decides on.
        asked: The rule whose question the ruling answers.
        effective: The earlier period from which the ruling takes effect, if any.
        at: When the ruling was made.
        settle: How much of a correction was applied.
        edits: What the ruling changed in what was recorded.
    """

    number: int
    kind: str
    text: str
    basis: str
    ref: Ref
    question: str | None
    value: str | None
    cites: tuple[Link, ...]
    changes: tuple[ChangeOnPage, ...]
    about: tuple[Link, ...]
    asked: Link | None
    effective: int | None
    overrules: tuple[int, ...]
    closes: int | None
    by: str
    at: datetime
    scope: str
    settle: str
    edits: tuple[EditOnPage, ...]
    overruled_by: int | None = None
    refused: bool = False

    @property
    def is_in_force(self) -> bool:
        """Whether the ruling was applied and is not overruled."""
        return self.overruled_by is None and not self.refused

    def interprets(self, path: str) -> bool:
        """Return whether the ruling interprets the rule whose page is at *path*."""
        links = (*self.cites, *([] if self.asked is None else [self.asked]))
        return any((link.path or "").partition("#")[0] == path for link in links)


#: What stands in place of the changes of a proposal that do not fit the rules.
IN_WORDS_ONLY = "in words only: its changes are left out"
#: The events that proposals, rulings and disputes consist of.
_NOTED = frozenset({
    e.AttemptRefused, e.DisputeArgued, e.DisputeOpened, e.EntityCreated, e.ProposalJudged,
    e.ProposalMade, e.RulingMade, e.VoteCast,
})  # fmt: skip


class Decisions:
    """The proposals, rulings and disputes so far."""

    def __init__(self, ruleset: RulePages, teller: Teller, find: FindEvent) -> None:
        """Link to rules of *ruleset*. *find* returns the event with a number."""
        self.ruleset = ruleset
        self._teller = teller
        self._find = find
        self.proposals: dict[int, ProposalOnPage] = {}
        self.rulings: dict[int, RulingOnPage] = {}
        self.disputes = DisputePages()
        self._initial_states: dict[str, Any] = {}
        self._ruling_numbers: dict[str, int] = {}

    def apply(self, ref: Ref, body: e.Event, world: World, refs: dict[int, Ref]) -> None:
        """Apply the next event. *world* is the state before it."""
        if type(body) not in _NOTED:
            return
        self.disputes.apply(ref, body, refs)
        if isinstance(body, e.ProposalMade):
            changes = tuple(map(describe_change, body.changes))
            changes += (ChangeOnPage(IN_WORDS_ONLY),) if body.words_only else ()
            proposal = ProposalOnPage(
                body.number, body.by, body.text, ref, body.received_at, changes
            )
            self.proposals[body.number] = proposal
        elif isinstance(body, e.VoteCast):
            self._add_vote(Vote(body.by, body.choice, ref), body.proposal)
        elif isinstance(body, e.ProposalJudged):
            self._update_proposal(body.proposal, verdict=body.verdict, decided=ref)
        elif isinstance(body, e.EntityCreated) and body.kind == "proposal":
            self._initial_states[body.entity] = body.attributes.get("state")
        elif isinstance(body, e.RulingMade):
            self._add_ruling(body, self._ruling(body, ref, world, refs))
        elif isinstance(body, e.AttemptRefused) and body.attempt in self._ruling_numbers:
            self._refuse(self._ruling_numbers[body.attempt])

    def _add_ruling(self, body: e.RulingMade, ruling: RulingOnPage) -> None:
        self._ruling_numbers[body.id] = body.number
        self.rulings[body.number] = ruling
        for number in body.overrules:
            self._overrule(number, body.number)

    def _refuse(self, number: int) -> None:
        """Mark ruling *number* as refused. A refused ruling overrules nothing."""
        self._update_ruling(number, refused=True)
        for other in self.rulings[number].overrules:
            self._overrule(other, None)

    def _overrule(self, number: int, by: int | None) -> None:
        """Overrule ruling *number*, or reinstate it if *by* is None, and so on down the chain."""
        self._update_ruling(number, overruled_by=by)
        for other in self.rulings[number].overrules if number in self.rulings else ():
            if other < number:
                self._overrule(other, None if by is not None else number)

    def _update_ruling(self, number: int, **fields: Any) -> None:
        if number in self.rulings:
            self.rulings[number] = msgspec.structs.replace(self.rulings[number], **fields)

    def _add_vote(self, vote: Vote, number: int) -> None:
        if number in self.proposals:
            self._update_proposal(number, votes=(*self.proposals[number].votes, vote))

    def _update_proposal(self, number: int, **fields: Any) -> None:
        if number in self.proposals:
            updated = msgspec.structs.replace(self.proposals[number], **fields)
            self.proposals[number] = updated

    def _ruling(
        self, body: e.RulingMade, ref: Ref, world: World, refs: dict[int, Ref]
    ) -> RulingOnPage:
        question = world.questions.get(body.question) if body.question else None

        def cite(number: int) -> Link:
            return self._cite(f"#{number}", refs)

        return RulingOnPage(
            number=body.number,
            kind=body.kind,
            text=body.text,
            basis=body.basis,
            ref=ref,
            question=None if question is None else question.text,
            value=None if body.value is None else format_cell(body.value),
            cites=tuple(self._cite(citation, refs) for citation in body.cites),
            changes=tuple(map(describe_change, body.changes)),
            about=tuple(map(cite, events_ruled_on(body))),
            asked=None if question is None else self._asked(question),
            effective=body.effective,
            overrules=body.overrules,
            closes=body.closes,
            by=body.by,
            at=body.received_at,
            scope=body.scope,
            settle=body.settle,
            edits=tuple(edits_on_page(body, self._find, cite, self._teller)),
        )

    def _asked(self, question: e.QuestionRaised) -> Link | None:
        return next(filter(None, map(self.ruleset.find, question.rules)), None)

    def _cite(self, citation: str, refs: dict[int, Ref]) -> Link:
        if match := re.fullmatch(r"#([0-9]{1,15})", citation):
            ref = refs.get(int(match[1]))
            return Link(citation, ref.path if ref else None)
        return self.ruleset.find(citation) or Link(citation)

    def proposals_in(
        self, world: World, setters: dict[tuple[str, ...], Ref]
    ) -> list[ProposalOnPage]:
        """Return all proposals, with the verdict that the rules have set in *world*."""
        return [self._with_state(p, world, setters) for p in self.proposals.values()]

    def _with_state(
        self, proposal: ProposalOnPage, world: World, setters: dict[tuple[str, ...], Ref]
    ) -> ProposalOnPage:
        entity = world.find("proposal", proposal.number)
        state = None if entity is None else world.get(entity, "state")
        if entity is None or state is None or state == self._initial_states.get(entity):
            return proposal
        decided = setters.get(("set", entity, "state"), proposal.decided)
        return msgspec.structs.replace(proposal, verdict=str(state), decided=decided)


def describe_change(change: r.Change) -> ChangeOnPage:
    """Return *change* as a sentence."""
    if isinstance(change, r.Enact):
        rule = change.rule
        return ChangeOnPage(f"enact rule {rule.number} {rule.title}", rule.prose, rule.code)
    if isinstance(change, r.Amend):
        return ChangeOnPage(
            f"amend rule {change.number}{_amended(change)}", change.prose, change.code
        )
    if isinstance(change, r.Repeal):
        return ChangeOnPage(f"repeal rule {change.number}")
    if isinstance(change, r.Renumber):
        return ChangeOnPage(f"call rule {change.number} {change.to}")
    if isinstance(change, r.Do):
        return ChangeOnPage(f"{change.operation} ({_listed(change.arguments)})")
    if isinstance(change, r.Post):
        return ChangeOnPage(f"post {_listed(change.amounts)}")
    thing = change.kind if change.kind == "game" else f"{change.kind} {change.entity}"
    value = "nothing" if change.value is None else format_cell(change.value)
    return ChangeOnPage(f"{change.attribute} of {thing} becomes {value}")


def _amended(change: r.Amend) -> str:
    title = [] if change.title is None else [f"its title becomes {change.title}"]
    values = [f"{name} becomes {format_cell(value)}" for name, value in change.parameters.items()]
    return ": " + ", ".join(title + values) if title or values else ""


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {format_cell(value)}" for name, value in values.items())
