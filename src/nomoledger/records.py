"""Imports a hand-kept record: a header, then one fact a line, as JSON.

    {"game": "my-season", "rulebook": "NAME_OR_FILE", "parameters": {}, "period": 1,
     "opening": {"players": {"Ann": {"square": 3}}}, "start": "2001-03-05"}
    {"week": 1, "rules": "week-1.md", "text": "how week 1 was played", "basis": "inferred"}
    {"week": 1, "kind": "roll", "player": "Ann", "dice": [2, 4]}
    {"week": 1, "kind": "land", "player": "Ann", "square": 9}
    {"week": 1, "proposal": 7, "by": "Ann", "text": "rent", "rules": "7.md", "verdict": "accepted"}

What each kind of fact means, a rule in force says (`facts` in its data). A `rules` line brings
rules in by a ruling, from a Markdown file beside the record or as changes written in place. A new
week closes the one before it. All is imported, or nothing.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.audit import PERIOD_ENDS
from nomoledger.changes import read_changes
from nomoledger.desk import Desk
from nomoledger.engine import Batch, Engine
from nomoledger.errors import NomoledgerError, RecordError
from nomoledger.ledger import Ledger
from nomoledger.rules.rule import Amend, Change, Enact
from nomoledger.rules.rulebook import load, parse, shipped
from nomoledger.start import open_game
from nomoledger.world import World

PERIOD_NAMES = ("week", "day", "period")
_ORDER = ("text_order", "sub")


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a record.

    Attributes:
        rulebook: a shipped one by name, or a file beside the record.
        game: what to call the game. source: where the record comes from, for people.
        parameters: parameters of the rules that the game set at its start.
        opening: the state it starts from, as in `StateGiven`; players may be a mere list.
        period: where the record begins. start: the day of its beginning (YYYY-MM-DD).
        days: how many days a period has.
        open: whether the last period of the record goes on.
    """

    rulebook: str
    game: str = "game"
    source: str = ""
    parameters: dict[str, Any] = {}
    opening: dict[str, Any] = {}
    period: int = 1
    start: str = "2000-01-03"
    days: int = 7
    open: bool = False
    record: int = 1


class Line(msgspec.Struct, frozen=True):
    """One line after the header: its *place* in the file, its *period*, and what it says."""

    place: str
    period: int
    says: dict[str, Any]


def is_record(path: str | Path) -> bool:
    """Whether the file at *path* begins like a hand-kept record."""
    try:
        with open(path, encoding="utf-8") as file:
            first = json.loads(file.readline())
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and "rulebook" in first and "nomoledger" not in first


def import_record(
    ledger: Ledger, path: str | Path, game: str | None = None, *, until: int | None = None
) -> Desk:
    """A new game in *ledger* (called *game*, or as the record says) from the record at *path*.

    Periods after *until* are left out.

    Raises:
        RecordError: the record cannot be read; says file and line, and nothing is stored.
        RulebookError, UnknownError, UsageError: its rulebook or opening is wrong.
    """
    path = Path(path)
    header, lines = read_record(path)
    lines = [line for line in lines if until is None or line.period <= until]
    rulebook = header.rulebook
    if rulebook not in shipped() and (path.parent / rulebook).is_file():
        rulebook = str(path.parent / rulebook)
    return open_game(
        ledger,
        game or header.game,
        load(rulebook),
        settings=header.parameters,
        given=_given(header.opening),
        dice_from="entered",
        period=header.period,
        at=_time(header, header.period),
        then=lambda engine: _Importer(engine, header, path).run(lines),
    )


def read_record(path: Path) -> tuple[Header, list[Line]]:
    """The header and the lines of the record at *path*.

    Raises:
        RecordError: a line is no JSON, or says no period; says file and line.
    """
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None
    if not texts:
        raise RecordError(f"{path}: is empty; a record begins with a header line")
    try:
        header = msgspec.json.decode(texts[0], type=Header)
    except msgspec.MsgspecError as error:
        raise RecordError(f"{path}:1: not the header of a record: {error}") from None
    lines = [
        _line(f"{path.name}:{place}", text)
        for place, text in enumerate(texts[1:], start=2)
        if text.strip()
    ]
    return header, lines


def _line(place: str, text: str) -> Line:
    try:
        says = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise RecordError(f"{place}: not a line of JSON: {error}") from None
    period = next((says[name] for name in PERIOD_NAMES if name in says), None)
    if not isinstance(period, int):
        raise RecordError(f'{place}: says no week: add one, as in "week": 1')
    if not {"kind", "rules", "proposal"} & set(says):
        raise RecordError(f"{place}: says neither what kind of fact it is, nor rules")
    if not isinstance(says.get("proposal", 0), int):
        raise RecordError(f"{place}: a proposal has a number, not {says['proposal']!r}")
    return Line(place, period, says)


def _given(opening: dict[str, Any]) -> dict[str, Any]:
    given = dict(opening)
    players = given.get("players", {})
    if isinstance(players, list):
        given["players"] = {name: {} for name in players}
    return given


def _time(header: Header, period: int) -> datetime:
    try:
        start = datetime.fromisoformat(header.start).replace(tzinfo=UTC)
    except ValueError:
        raise RecordError(f"start is a day like 2001-03-05, not {header.start!r}") from None
    return start + timedelta(days=header.days * (period - header.period))


class _Importer:
    """Turns the lines of a record into inputs, one after the other."""

    def __init__(self, engine: Engine, header: Header, path: Path) -> None:
        self.engine = engine
        self.world: World = engine.world
        self.header = header
        self.path = path

    def run(self, lines: list[Line]) -> Iterator[Batch]:
        """All that follows from *lines*."""
        for line in lines:
            yield from self._reach(line)
            try:
                for event in self._inputs(line):
                    yield from self.engine.take(event)
            except NomoledgerError as error:
                raise RecordError(f"{line.place}: {error}") from None
        if lines and not self.header.open:
            yield from self._close()

    def _reach(self, line: Line) -> Iterator[Batch]:
        if line.period < self.world.period:
            raise RecordError(
                f"{line.place}: week {line.period} after week {self.world.period} began"
            )
        while self.world.period < line.period:
            yield from self._close()

    def _close(self) -> Iterator[Batch]:
        period = self.world.period
        ends = e.FactRecorded(**self._common(f"w{period}-ends"), kind=PERIOD_ENDS)
        yield from self.engine.take(ends)
        yield from self.engine.take(e.CloseAsked(**self._common(f"w{period}-close")))

    def _common(self, called: str) -> dict[str, Any]:
        period = self.world.period
        return {
            "id": called,
            "period": period,
            "received_at": _time(self.header, period),
            "recorded_at": self.world.game["recorded_at"],
        }

    def _inputs(self, line: Line) -> Iterator[e.Input]:
        common = self._common(f"line-{line.place.rpartition(':')[2]}")
        says = {k: v for k, v in line.says.items() if k not in (*PERIOD_NAMES, *_ORDER)}
        if "proposal" in says:
            yield from self._proposal(common, says)
        elif "rules" in says:
            yield e.RulingMade(
                **common,
                number=self.world.game.get("rulings", 0) + 1,
                kind="correct",
                text=str(says.get("text", "rules brought in")),
                basis=str(says.get("basis", "ruling")),
                changes=self._changes(says["rules"]),
            )
        else:
            kind = str(says.pop("kind"))
            yield e.FactRecorded(**common, kind=kind, fields=says)

    def _proposal(self, common: dict[str, Any], says: dict[str, Any]) -> Iterator[e.Input]:
        """A proposal that the record has, with its verdict."""
        number = says["proposal"]
        yield e.ProposalMade(
            **common,
            by=str(says.get("by", "admin")),
            number=number,
            text=str(says.get("text", "")),
            changes=self._changes(says.get("rules", [])),
        )
        verdict = str(says.get("verdict", "accepted"))
        judged = common | {"id": f"{common['id']}-verdict"}
        yield e.ProposalJudged(**judged, proposal=number, verdict=verdict)

    def _changes(self, rules: Any) -> tuple[Change, ...]:
        if not isinstance(rules, str):
            return read_changes(rules)
        file = self.path.parent / rules
        try:
            brought = parse(file.read_text(encoding="utf-8"), file.name)
        except OSError as error:
            raise RecordError(f"the rules {rules}: {error.strerror or error}") from None
        in_force = {rule.number for rule in self.world.rules}
        return tuple(
            Amend(rule.number, rule.title, rule.prose, rule.code, rule.parameters)
            if rule.number in in_force
            else Enact(rule)
            for rule in brought.rules
        )
