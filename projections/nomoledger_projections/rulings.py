"""rulings: the admin's rulings, what each is about, and whether it is in force."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, get_args

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.read_models import Table, View, events_with_worlds
from nomoledger.prose.descriptions import events_ruled_on, join_words
from nomoledger.prose.teller import Teller
from nomoledger.state.reducer import RULINGS
from nomoledger.state.world import World

IN_FORCE = "in force"


class RulingRow(msgspec.Struct):
    """A ruling, with the fields of `RulingMade`.

    Attributes:
        event: The number of the ruling's event.
        period: The period in which the ruling was made.
        effective: The period from which the ruling takes effect.
        about: The events that the ruling decides on.
        cites: The citations as written.
        rules: The current numbers of the rules that the ruling interprets: the rules that it
            cites, and the rule whose question it answers.
        changes: The number of changes that the ruling makes.
        state: "in force", "overruled", "lapsed" (its scope has ended) or "refused" (it could not
            be applied).
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
        """Return one line, as it is listed under a rule."""
        if self.state != IN_FORCE:
            return f"ruling {self.number} is {self.state_text}"
        answer = "" if self.question is None else f"{self.question} {self.value}. "
        return f"ruling {self.number} ({self.what}): {answer}{self.text}"

    @property
    def what(self) -> str:
        """The kind of the ruling, and the events that it is about."""
        return f"{self.kind} {join_words([f'#{number}' for number in self.about])}".strip()

    @property
    def state_text(self) -> str:
        """The state of the ruling, and the ruling that overruled it."""
        by = "" if self.overruled_by is None else f" by ruling {self.overruled_by}"
        return self.state + by


class RulingList(msgspec.Struct, frozen=True):
    """The rulings in the order in which they were made."""

    game: str
    period: int
    rulings: tuple[RulingRow, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield one table."""
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
        ruling.state_text,
        ruling.text,
    )


def rulings(view: View, *, rule: str | None = None) -> RulingList:
    """Return the rulings that the reader of *view* may see, or only those that interpret *rule*.

    Raises:
        UnknownError: No rule ever had this number.
    """
    docket = read_docket(view)
    if rule is not None:
        if rule not in docket.numbers:
            raise UnknownError(f"{view.game}: there is no rule {rule!r}")
        return RulingList(view.game, view.period, tuple(docket.on(rule)))
    return RulingList(view.game, view.period, tuple(docket.rulings.values()))


def read_docket(view: View) -> "Docket":
    """Return all rulings in *view* and the rules that they interpret."""
    docket = Docket()
    for entry, world in events_with_worlds(view):
        docket.apply(entry, world)
    docket.finish(view.period)
    return docket


class Docket:
    """The rulings so far. The number of its enactment identifies a rule.

    Attributes:
        rulings: The rulings by number.
        numbers: For each rule number, the rule that has it, or had it last.
    """

    #: The events that it applies.
    KINDS = (
        *get_args(e.RuleEvent),
        *(e.QuestionRaised, e.RulingMade, e.AttemptRefused),
    )

    def __init__(self) -> None:
        self.rulings: dict[int, RulingRow] = {}
        self.numbers: dict[str, int] = {}
        self._in_force: dict[str, int] = {}
        self._numbers_now: dict[int, str] = {}
        self._versions: dict[int, int] = {}
        self._questions: dict[str, e.QuestionRaised] = {}
        self._interpreted: dict[int, list[tuple[int, int | None]]] = {}
        self._ids: dict[str, int] = {}

    def apply(self, entry: e.Entry, world: World) -> None:
        """Apply the next event. *world* is the state after it."""
        body = entry.body
        if isinstance(body, e.RuleEnacted | e.RuleAmended):
            life = self._in_force.get(body.rule.number, entry.number)
            self._versions[life] = body.rule.version
            self._set_number(life, body.rule.number)
        elif isinstance(body, e.RuleRepealed):
            self._versions.pop(self._in_force.pop(body.number, -1), None)
        elif isinstance(body, e.RuleRenumbered) and body.number in self._in_force:
            self._set_number(self._in_force.pop(body.number), body.to)
        elif isinstance(body, e.QuestionRaised):
            self._questions[body.question] = body
        elif isinstance(body, e.RulingMade):
            self._add(entry.number, body, world)
        elif isinstance(body, e.AttemptRefused) and body.operation in RULINGS:
            self._refuse(self._ids.get(body.attempt))

    def _set_number(self, life: int, number: str) -> None:
        self._numbers_now[life] = number
        self._in_force[number] = self.numbers[number] = life

    def on(self, rule: str) -> list[RulingRow]:
        """Return the rulings that interpret the rule that has number *rule*, or had it last."""
        life = self.numbers.get(rule)
        return [
            ruling
            for number, ruling in self.rulings.items()
            if any(life == interpreted for interpreted, _ in self._interpreted[number])
        ]

    def finish(self, period: int) -> None:
        """Set the fields that depend on all events, as of *period*."""
        for number, ruling in self.rulings.items():
            lives = self._interpreted[number]
            ruling.rules = tuple(dict.fromkeys(self._numbers_now[life] for life, _ in lives))
            if ruling.state == IN_FORCE and self._has_lapsed(ruling, period):
                ruling.state = "lapsed"

    def _has_lapsed(self, ruling: RulingRow, period: int) -> bool:
        if ruling.scope == "period":
            return period > ruling.period
        first = self._interpreted[ruling.number][:1] if ruling.scope == "precedent" else []
        return any(self._versions.get(life) != version for life, version in first)

    def _add(self, event: int, body: e.RulingMade, world: World) -> None:
        question = self._questions.get(body.question or "")
        self._ids[body.id] = body.number
        self._interpreted[body.number] = list(self._interprets(body, question))
        self.rulings[body.number] = _ruling(event, body, question, world)
        for number in body.overrules:
            self._overrule(number, body.number)

    def _overrule(self, number: int, by: int | None) -> None:
        """Overrule ruling *number*, or reinstate it if *by* is None, and so on down the chain."""
        ruling = self.rulings.get(number)
        if ruling is not None:
            ruling.state, ruling.overruled_by = IN_FORCE if by is None else "overruled", by
            for other in ruling.overrules:
                if other < number:
                    self._overrule(other, None if by is not None else number)

    def _interprets(
        self, body: e.RulingMade, question: e.QuestionRaised | None
    ) -> Iterator[tuple[int, int | None]]:
        """Yield the rules that *body* interprets, with their current versions."""
        for citation in (*(question.rules if question is not None else ()), *body.cites):
            life = self.numbers.get(citation.partition("@")[0])
            if life is not None:
                yield life, self._versions.get(life)

    def _refuse(self, number: int | None) -> None:
        if number is None:
            return
        self.rulings[number].state = "refused"
        for other in self.rulings[number].overrules:
            self._overrule(other, None)


def _ruling(
    event: int, body: e.RulingMade, question: e.QuestionRaised | None, world: World
) -> RulingRow:
    answer: Any = None if body.value is None else Teller(world).phrase(body.value)
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
        question=None if question is None else question.text,
        value=answer,
        cites=body.cites,
        rules=(),
        changes=len(body.changes),
        settle=None if body.effective is None else body.settle.replace("fitting", "all"),
        overrules=body.overrules,
        closes=body.closes,
    )
