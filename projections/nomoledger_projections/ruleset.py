"""ruleset: every change to the rules in order, and on whose authority; what history is made of."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

import msgspec

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.game.read_models import Table, View
from nomoledger_projections.proposals import Book

RuleEvent = e.RuleEnacted | e.RuleAmended | e.RuleRepealed | e.RuleRenumbered
DONE: dict[type[e.Event], str] = {
    e.RuleEnacted: "enacted",
    e.RuleAmended: "amended",
    e.RuleRepealed: "repealed",
    e.RuleRenumbered: "renumbered",
}
RULEBOOK = "rulebook"


class Authority(msgspec.Struct, frozen=True):
    """What a change rests on.

    Attributes:
        source: "rulebook", "proposal 4", "ruling 2", or the rule whose code made the change.
        event: number of the proposal or ruling. by: who proposed, or "admin". text: its words.
        verdict, vote: of a proposal. cites: of a ruling.
        inferred: whether it is known only from how the game was played.
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
        judged = ", ".join(each for each in (self.verdict, vote) if each)
        cites = f"cites {', '.join(self.cites)}" if self.cites else ""
        inferred = "inferred from play" if self.inferred else ""
        notes = "; ".join(each for each in (judged, inferred, cites) if each)
        said = f": {self.text}" if self.text else ""
        return f"{self.source}{by}" + (f" ({notes})" if notes else "") + said


class RuleChange(msgspec.Struct, frozen=True):
    """One change to one rule.

    Attributes:
        event: its number. done: enacted, amended, repealed or renumbered.
        life: number of the event that enacted the rule, whatever it was called since.
        was, now: the rule before and after; None where there was or is none.
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
        """The rule as it is now, or as it was last."""
        found = self.now or self.was
        assert found is not None
        return found

    def __str__(self) -> str:
        return f"#{self.event} period {self.period}, {self.at:%Y-%m-%d}: {self._what()}"

    def _what(self) -> str:
        number = self.rule.number
        if self.done == "renumbered" and self.was is not None:
            number = f"{self.was.number} (now {number})"
        return f"rule {number} {self.rule.title} is {self.done} by {self.authority}"


class RulesetModel(msgspec.Struct, frozen=True):
    """All changes to the rules of a game that the reader may know of, in order."""

    game: str
    period: int
    changes: tuple[RuleChange, ...]

    def show(self) -> Iterator[Table | str]:
        """A line a change; what the rulebook brought in at the start is one line."""
        for source, group in groupby(self.changes, lambda each: each.authority.source):
            changes = list(group)
            if source == RULEBOOK and len(changes) > 1:
                yield _opening(changes)
            else:
                yield from map(str, changes)

    def until(self, period: int) -> tuple[RuleChange, ...]:
        """The changes made by the close of *period*.

        By the close of the period before the first, the rulebook was enacted and nothing else.
        """
        opening = bool(self.changes) and period < self.changes[0].period
        if opening:
            return tuple(each for each in self.changes if each.authority.source == RULEBOOK)
        return tuple(each for each in self.changes if each.period <= period)

    def at(self, period: int) -> dict[int, Rule]:
        """The rules in force at the close of *period*, each by the number of its enactment."""
        found: dict[int, Rule] = {}
        for change in self.until(period):
            if change.now is None:
                found.pop(change.life, None)
            else:
                found[change.life] = change.now
        return found


def _opening(changes: list[RuleChange]) -> str:
    first, last = changes[0], changes[-1]
    when = f"period {first.period}, {first.at:%Y-%m-%d}"
    return f"#{first.event} to #{last.event} {when}: {len(changes)} rules enacted by {RULEBOOK}"


def ruleset(view: View) -> RulesetModel:
    """The history of the rules in *view*."""
    changes = RuleChangeList()
    found = tuple(change for entry in view.entries() for change in changes.take(entry))
    return RulesetModel(view.game, view.period, found)


class RuleChangeList:
    """The changes to the rules, event by event, with what each rests on."""

    #: The events from which it learns anything.
    KINDS: tuple[type[e.Event], ...] = (*DONE, e.RulingMade, *Book.KINDS)

    def __init__(self) -> None:
        self._book = Book()
        self._rulings: dict[int, tuple[int, e.RulingMade]] = {}
        self._in_force: dict[str, tuple[int, Rule]] = {}

    def take(self, entry: e.Entry) -> Iterator[RuleChange]:
        """The change that the next event is, if it is one."""
        body = entry.body
        self._book.take(entry)
        if isinstance(body, e.RulingMade):
            self._rulings[body.number] = entry.number, body
        if isinstance(body, RuleEvent):
            authority = _authority(body.source, self._book, self._rulings)
            change = _change(entry, body, self._in_force, authority)
            if change is not None:
                yield change


def _change(
    entry: e.Entry, body: RuleEvent, in_force: dict[str, tuple[int, Rule]], authority: Authority
) -> RuleChange | None:
    """The change that *body* is; None where the reader has never seen the rule that it is about."""
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


def _authority(source: str, book: Book, rulings: dict[int, tuple[int, e.RulingMade]]) -> Authority:
    word, _, number = source.partition(" ")
    if word == "proposal" and number.isdecimal() and int(number) in book.proposals:
        made = book.proposals[int(number)]
        verdict, vote = made.verdict, made.vote
        return Authority(source, made.event, made.by, made.text, verdict=verdict, vote=vote)
    if word == "ruling" and number.isdecimal() and int(number) in rulings:
        event, ruling = rulings[int(number)]
        inferred = ruling.basis == "inferred"
        return Authority(source, event, "admin", ruling.text, cites=ruling.cites, inferred=inferred)
    return Authority(source)
