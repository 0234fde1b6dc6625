"""Proposals with their votes and verdicts, the admin's rulings, and disputes."""

import re
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events import rules as r
from nomoledger.prose.descriptions import events_ruled_on
from nomoledger.prose.labels import format_cell
from nomoledger.state.world import World
from nomoledger.views.site.dispute_pages import DisputePages
from nomoledger.views.site.names import Ref
from nomoledger.views.site.rule_pages import Link, RulePages

UNDECIDED = "undecided"


class ChangeTold(msgspec.Struct, frozen=True):
    """One change that is asked for, in a sentence, with the words and code it brings."""

    text: str
    prose: str | None = None
    code: str | None = None


class Vote(msgspec.Struct, frozen=True):
    """How somebody voted."""

    by: str
    choice: str
    ref: Ref


class ProposalOnPage(msgspec.Struct, frozen=True):
    """A proposal, and what became of it; *decided* is the event that settled it."""

    number: int
    by: str
    text: str
    ref: Ref
    changes: tuple[ChangeTold, ...]
    votes: tuple[Vote, ...] = ()
    verdict: str = UNDECIDED
    decided: Ref | None = None


class RulingOnPage(msgspec.Struct, frozen=True):
    """What the admin ruled; *cites* the rules and events it speaks of.

    Attributes:
        about: the events it decides on. asked: the rule whose question it answers.
        effective: the earlier period that it reaches back to, where it does.
        holds: whether it could be carried out and no other has overruled it.
    """

    number: int
    kind: str
    text: str
    basis: str
    ref: Ref
    question: str | None
    value: str | None
    cites: tuple[Link, ...]
    changes: tuple[ChangeTold, ...]
    about: tuple[Link, ...]
    asked: Link | None
    effective: int | None
    overrules: tuple[int, ...]
    closes: int | None
    overruled_by: int | None = None
    refused: bool = False

    @property
    def holds(self) -> bool:
        """Whether it is still to be followed."""
        return self.overruled_by is None and not self.refused

    def speaks_of(self, path: str) -> bool:
        """Whether it interprets the rule whose page is at *path*."""
        links = (*self.cites, *([] if self.asked is None else [self.asked]))
        return any((each.path or "").partition("#")[0] == path for each in links)


class Decisions:
    """The proposals, rulings and disputes so far."""

    def __init__(self, ruleset: RulePages) -> None:
        self.ruleset = ruleset
        self.proposals: dict[int, ProposalOnPage] = {}
        self.rulings: dict[int, RulingOnPage] = {}
        self.disputes = DisputePages()
        self._first: dict[str, Any] = {}
        self._made: dict[str, int] = {}

    def take(self, ref: Ref, body: e.Event, world: World, refs: dict[int, Ref]) -> None:
        """Take in what an event says; *world* is as it was before."""
        self.disputes.take(ref, body, refs)
        if isinstance(body, e.ProposalMade):
            changes = tuple(map(change_told, body.changes))
            made = ProposalOnPage(body.number, body.by, body.text, ref, changes)
            self.proposals[body.number] = made
        elif isinstance(body, e.VoteCast):
            self._vote(Vote(body.by, body.choice, ref), body.proposal)
        elif isinstance(body, e.ProposalJudged):
            self._change(body.proposal, verdict=body.verdict, decided=ref)
        elif isinstance(body, e.EntityCreated) and body.kind == "proposal":
            self._first[body.entity] = body.attributes.get("state")
        elif isinstance(body, e.RulingMade):
            self._rule(body, self._ruling(body, ref, world, refs))
        elif isinstance(body, e.AttemptRefused) and body.attempt in self._made:
            self._refuse(self._made[body.attempt])

    def _rule(self, body: e.RulingMade, ruling: RulingOnPage) -> None:
        self._made[body.id] = body.number
        self.rulings[body.number] = ruling
        for number in body.overrules:
            self._overrule(number, body.number)

    def _refuse(self, number: int) -> None:
        """It could not be carried out: it overrules nothing."""
        self._turn(number, refused=True)
        for other in self.rulings[number].overrules:
            self._overrule(other, None)

    def _overrule(self, number: int, by: int | None) -> None:
        """Ruling *number* no longer holds, or holds again; so what it overruled itself turns."""
        self._turn(number, overruled_by=by)
        for other in self.rulings[number].overrules if number in self.rulings else ():
            if other < number:
                self._overrule(other, None if by is not None else number)

    def _turn(self, number: int, **fields: Any) -> None:
        if number in self.rulings:
            self.rulings[number] = msgspec.structs.replace(self.rulings[number], **fields)

    def _vote(self, vote: Vote, number: int) -> None:
        if number in self.proposals:
            self._change(number, votes=(*self.proposals[number].votes, vote))

    def _change(self, number: int, **fields: Any) -> None:
        if number in self.proposals:
            replaced = msgspec.structs.replace(self.proposals[number], **fields)
            self.proposals[number] = replaced

    def _ruling(
        self, body: e.RulingMade, ref: Ref, world: World, refs: dict[int, Ref]
    ) -> RulingOnPage:
        question = world.questions.get(body.question) if body.question else None
        return RulingOnPage(
            number=body.number,
            kind=body.kind,
            text=body.text,
            basis=body.basis,
            ref=ref,
            question=None if question is None else question.text,
            value=None if body.value is None else format_cell(body.value),
            cites=tuple(self._cite(each, refs) for each in body.cites),
            changes=tuple(map(change_told, body.changes)),
            about=tuple(self._cite(f"#{number}", refs) for number in events_ruled_on(body)),
            asked=None if question is None else self._asked(question),
            effective=body.effective,
            overrules=body.overrules,
            closes=body.closes,
        )

    def _asked(self, question: e.QuestionRaised) -> Link | None:
        return next(filter(None, map(self.ruleset.find, question.rules)), None)

    def _cite(self, cite: str, refs: dict[int, Ref]) -> Link:
        if match := re.fullmatch(r"#([0-9]{1,15})", cite):
            found = refs.get(int(match[1]))
            return Link(cite, found.path if found else None)
        return self.ruleset.find(cite) or Link(cite)

    def proposals_in(
        self, world: World, setters: dict[tuple[str, ...], Ref]
    ) -> list[ProposalOnPage]:
        """All proposals, with the state in which the rules have them in *world*."""
        return [self._standing(each, world, setters) for each in self.proposals.values()]

    def _standing(
        self, proposal: ProposalOnPage, world: World, setters: dict[tuple[str, ...], Ref]
    ) -> ProposalOnPage:
        entity = world.find("proposal", proposal.number)
        state = None if entity is None else world.get(entity, "state")
        if entity is None or state is None or state == self._first.get(entity):
            return proposal
        decided = setters.get(("set", entity, "state"), proposal.decided)
        return msgspec.structs.replace(proposal, verdict=str(state), decided=decided)


def change_told(change: r.Change) -> ChangeTold:
    """*change* in words."""
    if isinstance(change, r.Enact):
        rule = change.rule
        return ChangeTold(f"enact rule {rule.number} {rule.title}", rule.prose, rule.code)
    if isinstance(change, r.Amend):
        return ChangeTold(
            f"amend rule {change.number}{_amended(change)}", change.prose, change.code
        )
    if isinstance(change, r.Repeal):
        return ChangeTold(f"repeal rule {change.number}")
    if isinstance(change, r.Renumber):
        return ChangeTold(f"call rule {change.number} {change.to}")
    if isinstance(change, r.Do):
        return ChangeTold(f"{change.operation} ({_listed(change.arguments)})")
    if isinstance(change, r.Post):
        return ChangeTold(f"post {_listed(change.amounts)}")
    thing = change.kind if change.kind == "game" else f"{change.kind} {change.entity}"
    value = "nothing" if change.value is None else format_cell(change.value)
    return ChangeTold(f"{change.attribute} of {thing} becomes {value}")


def _amended(change: r.Amend) -> str:
    titled = [] if change.title is None else [f"its title becomes {change.title}"]
    given = [f"{name} becomes {format_cell(value)}" for name, value in change.parameters.items()]
    return ": " + ", ".join(titled + given) if titled or given else ""


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {format_cell(value)}" for name, value in values.items())
