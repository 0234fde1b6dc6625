"""ruleset: every change to the rules in order, with its authority."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

import msgspec

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.game.read_models import Table, View
from nomoledger_projections.proposals import ProposalBook

DONE: dict[type[e.Event], str] = {
    e.RuleEnacted: "enacted",
    e.RuleAmended: "amended",
    e.RuleRepealed: "repealed",
    e.RuleRenumbered: "renumbered",
}
RULEBOOK = "rulebook"


class Authority(msgspec.Struct, frozen=True):
    """The authority of a change.

    Attributes:
        source: "rulebook", "proposal 4", "ruling 2", or the rule whose code made the change.
        event: The number of the event of the proposal or ruling.
        by: The proposer, or "admin".
        text: The text of the proposal or ruling.
        verdict: The verdict on the proposal.
        vote: The result of the vote on the proposal.
        cites: The rules and events that the ruling cites.
        inferred: Whether the change is only inferred from how the game was played.
    """

    source: str
    event: int | None = None
    by: str | None = None
    text: str = ""
    verdict: str | None = None
    vote: str | None = None
    cites: tuple[str, ...] = ()
    inferred: bool = False

    def __str__(self) -> str:
        by = f" by {self.by}" if self.by not in (None, "admin") else ""
        vote = f"vote {self.vote}" if self.vote else ""
        judged = ", ".join(part for part in (self.verdict, vote) if part)
        cites = f"cites {', '.join(self.cites)}" if self.cites else ""
        inferred = "inferred from play" if self.inferred else ""
        notes = "; ".join(note for note in (judged, inferred, cites) if note)
        text = f": {self.text}" if self.text else ""
        return f"{self.source}{by}" + (f" ({notes})" if notes else "") + text


class RuleChange(msgspec.Struct, frozen=True):
    """One change to one rule.

    Attributes:
        event: The number of the event.
        done: enacted, amended, repealed or renumbered.
        life: The number of the event that enacted the rule. Renumbering does not change it.
        was: The rule before the change, or None.
        now: The rule after the change, or None.
    """

    event: int
    period: int
    at: datetime
    done: str
    life: int
    was: Rule | None
    now: Rule | None
    authority: Authority

    @property
    def rule(self) -> Rule:
        """The rule after the change, or its last version."""
        rule = self.now or self.was
        assert rule is not None
        return rule

    def __str__(self) -> str:
        return f"#{self.event} period {self.period}, {self.at:%Y-%m-%d}: {self._what()}"

    def _what(self) -> str:
        number = self.rule.number
        if self.done == "renumbered" and self.was is not None:
            number = f"{self.was.number} (now {number})"
        return f"rule {number} {self.rule.title} is {self.done} by {self.authority}"


class RulesetModel(msgspec.Struct, frozen=True):
    """All changes to the rules of a game that the reader may see, in order."""

    game: str
    period: int
    changes: tuple[RuleChange, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield a line per change. The rules of the rulebook share one line."""
        for source, group in groupby(self.changes, lambda change: change.authority.source):
            changes = list(group)
            if source == RULEBOOK and len(changes) > 1:
                yield _rulebook_line(changes)
            else:
                yield from map(str, changes)

    def until(self, period: int) -> tuple[RuleChange, ...]:
        """Return the changes made by the close of *period*.

        The period before the first has the changes of the rulebook only.
        """
        is_before_start = bool(self.changes) and period < self.changes[0].period
        if is_before_start:
            return tuple(c for c in self.changes if c.authority.source == RULEBOOK)
        return tuple(change for change in self.changes if change.period <= period)

    def at(self, period: int) -> dict[int, Rule]:
        """Return the rules in force at the close of *period*, by `RuleChange.life`."""
        rules: dict[int, Rule] = {}
        for change in self.until(period):
            if change.now is None:
                rules.pop(change.life, None)
            else:
                rules[change.life] = change.now
        return rules


def _rulebook_line(changes: list[RuleChange]) -> str:
    first, last = changes[0], changes[-1]
    when = f"period {first.period}, {first.at:%Y-%m-%d}"
    return f"#{first.event} to #{last.event} {when}: {len(changes)} rules enacted by {RULEBOOK}"


def ruleset(view: View) -> RulesetModel:
    """Return the history of the rules in *view*."""
    changes = RuleChangeList()
    applied = tuple(change for entry in view.entries() for change in changes.apply(entry))
    return RulesetModel(view.game, view.period, applied)


class RuleChangeList:
    """The changes to the rules, event by event, with their authorities."""

    #: The events that it applies.
    KINDS: tuple[type[e.Event], ...] = (*DONE, e.RulingMade, *ProposalBook.KINDS)

    def __init__(self) -> None:
        self._book = ProposalBook()
        self._rulings: dict[int, tuple[int, e.RulingMade]] = {}
        self._in_force: dict[str, tuple[int, Rule]] = {}

    def apply(self, entry: e.Entry) -> Iterator[RuleChange]:
        """Apply the next event, and yield the change that it makes, if any."""
        body = entry.body
        self._book.apply(entry)
        if isinstance(body, e.RulingMade):
            self._rulings[body.number] = entry.number, body
        if isinstance(body, e.RuleEvent):
            authority = _authority(body.source, self._book, self._rulings)
            change = _change(entry, body, self._in_force, authority)
            if change is not None:
                yield change


def _change(
    entry: e.Entry, body: e.RuleEvent, in_force: dict[str, tuple[int, Rule]], authority: Authority
) -> RuleChange | None:
    """Return the change that *body* makes, or None if the reader has never seen the rule."""
    number = body.rule.number if isinstance(body, e.RuleEnacted | e.RuleAmended) else body.number
    life, was = in_force.pop(number, (entry.number, None))
    now = None
    if isinstance(body, e.RuleEnacted | e.RuleAmended):
        now = body.rule
    elif isinstance(body, e.RuleRenumbered) and was is not None:
        now = msgspec.structs.replace(was, number=body.to)
    if now is not None:
        in_force[now.number] = life, now
    if now is None and was is None:
        return None
    common = (entry.number, body.period, body.received_at, DONE[type(body)])
    return RuleChange(*common, life, was, now, authority)


def _authority(
    source: str, book: ProposalBook, rulings: dict[int, tuple[int, e.RulingMade]]
) -> Authority:
    word, _, number = source.partition(" ")
    if word == "proposal" and number.isdecimal() and int(number) in book.proposals:
        proposal = book.proposals[int(number)]
        verdict, vote = proposal.verdict, proposal.vote
        described = (source, proposal.event, proposal.by, proposal.text)
        return Authority(*described, verdict=verdict, vote=vote)
    if word == "ruling" and number.isdecimal() and int(number) in rulings:
        event, ruling = rulings[int(number)]
        inferred = ruling.basis == "inferred"
        return Authority(source, event, "admin", ruling.text, cites=ruling.cites, inferred=inferred)
    return Authority(source)
