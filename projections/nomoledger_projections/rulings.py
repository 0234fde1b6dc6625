"""rulings: what the admin ruled, what each ruling is about, and whether it still holds."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.read_models import Table, View, events_with_worlds
from nomoledger.prose.descriptions import events_ruled_on, join_words
from nomoledger.prose.labels import describe_thing, format_cell
from nomoledger.state.reducer import RULINGS
from nomoledger.state.world import World

IN_FORCE = "in force"


class RulingRow(msgspec.Struct):
    """A ruling, as `RulingMade` has it.

    Attributes:
        event: its number in the ledger. period: in which it was made.
        effective: the period from which it takes effect.
        about: the events it decides on. cites: what it cites, as written.
        rules: the rules that it interprets, as they are called now: those it cites, and that whose
            question it answers.
        changes: how many things it puts right from now on.
        state: "in force", "overruled", "lapsed" (what it was to hold for is over), or "refused" (it
            could not be carried out).
    """

    number: int
    event: int
    kind: str
    text: str
    by: str
    scope: str
    basis: str
    period: int
    effective: int
    received_at: datetime
    recorded_at: datetime
    about: tuple[int, ...]
    question: str | None
    value: str | None
    cites: tuple[str, ...]
    rules: tuple[str, ...]
    changes: int
    settle: str | None
    overrules: tuple[int, ...]
    closes: int | None
    overruled_by: int | None = None
    state: str = IN_FORCE

    def __str__(self) -> str:
        """One line, to stand under a rule."""
        if self.state != IN_FORCE:
            return f"ruling {self.number} is {self.stands}"
        answer = "" if self.question is None else f"{self.question} {self.value}. "
        return f"ruling {self.number} ({self.what}): {answer}{self.text}"

    @property
    def what(self) -> str:
        """Its kind, and what it is about."""
        return f"{self.kind} {join_words([f'#{number}' for number in self.about])}".strip()

    @property
    def stands(self) -> str:
        """Its state, and which ruling overruled it."""
        by = "" if self.overruled_by is None else f" by ruling {self.overruled_by}"
        return self.state + by


class RulingList(msgspec.Struct, frozen=True):
    """The rulings in the order in which they were made."""

    game: str
    period: int
    rulings: tuple[RulingRow, ...]

    def show(self) -> Iterator[Table | str]:
        """One table."""
        if not self.rulings:
            yield "nothing has been ruled"
            return
        columns = ("ruling", "kind", "scope", "from", "recorded", "cites", "by", "state", "text")
        yield Table(columns, tuple(map(_row, self.rulings)))


def _row(ruling: RulingRow) -> tuple[str, ...]:
    closes = "" if ruling.closes is None else f", closes dispute {ruling.closes}"
    return (
        str(ruling.number),
        ruling.what + closes,
        ruling.scope,
        f"period {ruling.effective}",
        f"{ruling.recorded_at:%Y-%m-%d}",
        ", ".join(ruling.cites),
        ruling.by,
        ruling.stands,
        ruling.text,
    )


def rulings(view: View, *, rule: str | None = None) -> RulingList:
    """The rulings that the reader of *view* may know of; with *rule*, those that interpret it.

    Raises:
        UnknownError: there never was a rule of that number.
    """
    found = listed_in(view)
    if rule is not None:
        if rule not in found.numbers:
            raise UnknownError(f"{view.game}: there is no rule {rule!r}")
        return RulingList(view.game, view.period, tuple(found.on(rule)))
    return RulingList(view.game, view.period, tuple(found.rulings.values()))


def listed_in(view: View) -> "Docket":
    """All rulings in *view*, and what they interpret."""
    docket = Docket()
    for entry, world in events_with_worlds(view):
        docket.take(entry, world)
    docket.finish(view.period)
    return docket


class Docket:
    """The rulings so far. A rule is known by the event that enacted it, whatever it is called.

    Attributes:
        rulings: by number. numbers: which rule has, or last had, each number.
    """

    #: The events from which it learns anything.
    KINDS = (
        *(e.RuleEnacted, e.RuleAmended, e.RuleRepealed, e.RuleRenumbered),
        *(e.QuestionRaised, e.RulingMade, e.AttemptRefused),
    )

    def __init__(self) -> None:
        self.rulings: dict[int, RulingRow] = {}
        self.numbers: dict[str, int] = {}
        self._in_force: dict[str, int] = {}
        self._called: dict[int, str] = {}
        self._versions: dict[int, int] = {}
        self._asked: dict[str, e.QuestionRaised] = {}
        self._lives: dict[int, list[tuple[int, int | None]]] = {}
        self._ids: dict[str, int] = {}

    def take(self, entry: e.Entry, world: World) -> None:
        """The next event; *world* is as it is after it."""
        body = entry.body
        if isinstance(body, e.RuleEnacted | e.RuleAmended):
            life = self._in_force.get(body.rule.number, entry.number)
            self._versions[life] = body.rule.version
            self._call(life, body.rule.number)
        elif isinstance(body, e.RuleRepealed):
            self._versions.pop(self._in_force.pop(body.number, -1), None)
        elif isinstance(body, e.RuleRenumbered) and body.number in self._in_force:
            self._call(self._in_force.pop(body.number), body.to)
        elif isinstance(body, e.QuestionRaised):
            self._asked[body.question] = body
        elif isinstance(body, e.RulingMade):
            self._ruled(entry.number, body, world)
        elif isinstance(body, e.AttemptRefused) and body.operation in RULINGS:
            self._refused(self._ids.get(body.attempt))

    def _call(self, life: int, number: str) -> None:
        self._called[life] = number
        self._in_force[number] = self.numbers[number] = life

    def on(self, rule: str) -> list[RulingRow]:
        """The rulings that interpret the rule that has (or last had) that number."""
        life = self.numbers.get(rule)
        return [
            ruling
            for number, ruling in self.rulings.items()
            if any(life == each for each, _ in self._lives[number])
        ]

    def finish(self, period: int) -> None:
        """All is taken in, and *period* is the one to be shown."""
        for number, ruling in self.rulings.items():
            lives = self._lives[number]
            ruling.rules = tuple(dict.fromkeys(self._called[life] for life, _ in lives))
            if ruling.state == IN_FORCE and self._has_lapsed(ruling, period):
                ruling.state = "lapsed"

    def _has_lapsed(self, ruling: RulingRow, period: int) -> bool:
        if ruling.scope == "period":
            return period > ruling.period
        first = self._lives[ruling.number][:1] if ruling.scope == "precedent" else []
        return any(self._versions.get(life) != version for life, version in first)

    def _ruled(self, event: int, body: e.RulingMade, world: World) -> None:
        asked = self._asked.get(body.question or "")
        self._ids[body.id] = body.number
        self._lives[body.number] = list(self._interprets(body, asked))
        self.rulings[body.number] = _ruling(event, body, asked, world)
        for number in body.overrules:
            self._overrule(number, body.number)

    def _overrule(self, number: int, by: int | None) -> None:
        """Ruling *number* no longer holds, or holds again; so what it overruled itself turns."""
        ruling = self.rulings.get(number)
        if ruling is not None:
            ruling.state, ruling.overruled_by = IN_FORCE if by is None else "overruled", by
            for other in ruling.overrules:
                if other < number:
                    self._overrule(other, None if by is not None else number)

    def _interprets(
        self, body: e.RulingMade, asked: e.QuestionRaised | None
    ) -> Iterator[tuple[int, int | None]]:
        """The rules that *body* speaks of, in the versions they have."""
        for cite in (*(asked.rules if asked is not None else ()), *body.cites):
            life = self.numbers.get(cite.partition("@")[0])
            if life is not None:
                yield life, self._versions.get(life)

    def _refused(self, number: int | None) -> None:
        if number is None:
            return
        self.rulings[number].state = "refused"
        for other in self.rulings[number].overrules:
            self._overrule(other, None)


def _ruling(
    event: int, body: e.RulingMade, asked: e.QuestionRaised | None, world: World
) -> RulingRow:
    answer: Any = None if body.value is None else format_cell(describe_thing(world, body.value))
    return RulingRow(
        number=body.number,
        event=event,
        kind=body.kind,
        text=body.text,
        by=body.by,
        scope=body.scope,
        basis=body.basis,
        period=body.period,
        effective=body.period if body.effective is None else body.effective,
        received_at=body.received_at,
        recorded_at=body.recorded_at,
        about=tuple(events_ruled_on(body)),
        question=None if asked is None else asked.text,
        value=answer,
        cites=body.cites,
        rules=(),
        changes=len(body.changes),
        settle=None if body.effective is None else body.settle.replace("fitting", "all"),
        overrules=body.overrules,
        closes=body.closes,
    )
