"""Imports a hand-kept record: a header, then one fact a line, as JSON.

    {"game": "my-season", "rulebook": "NAME_OR_FILE", "parameters": {}, "period": 1,
     "opening": {"players": {"Ann": {"square": 3}}}, "start": "2001-03-05"}
    {"week": 1, "rules": "week-1.md", "text": "how week 1 was played", "basis": "inferred"}
    {"week": 1, "kind": "roll", "player": "Ann", "dice": [2, 4]}
    {"week": 1, "kind": "land", "player": "Ann", "square": 9}
    {"week": 1, "proposal": 7, "by": "Ann", "text": "rent", "rules": "7.md", "verdict": "accepted"}

What each kind of fact means, a rule in force says (`facts` in its data). A `rules` line brings
rules in by a ruling, from a Markdown file beside the record or as changes written in place. A new
week closes the one before it. A record whose header names no rulebook, or that has no header, goes
on with a game that is there. All is imported, or nothing.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.batches import stream_batches
from nomoledger.engine.fact_audit import PERIOD_ENDS
from nomoledger.engine.oracles import seeded_oracle
from nomoledger.errors import NomoledgerError, RecordError
from nomoledger.events.rules import Amend, Change, Enact, Rule
from nomoledger.game.commit import Commit
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.language.host import ask_people
from nomoledger.ledger.as_of import only_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.loading import load, parse, shipped
from nomoledger.state.world import World

PERIOD_NAMES = ("week", "day", "period")
FIRST_DAY = "2000-01-03"
_SAYS = ("kind", "rules", "proposal")
_ORDER = ("text_order", "sub")
VERDICTS = ("accepted", "rejected")
#: How many periods a record may leave out between two lines, and how often one can be left waiting.
_GAP_MAX = 100
_WAITING_MAX = 100
_BEGINS_A_GAME = ("rulebook", "parameters", "opening", "period")


class RecordHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a record.

    Attributes:
        rulebook: a shipped one by name, or a file beside the record; without one, the record goes
            on with a game that is there.
        game: what to call the game. source: where the record comes from, for people.
        parameters: parameters of the rules that the game set at its start.
        opening: the state it starts from, as in `StateGiven`; players may be a mere list.
        period: where the record begins. start: the day of its beginning (YYYY-MM-DD).
        days: how many days a period has.
        open: whether the last period of the record goes on.
    """

    rulebook: str = ""
    game: str = ""
    source: str = ""
    parameters: dict[str, Any] = {}
    opening: dict[str, Any] = {}
    period: int = 1
    start: str = ""
    days: int = 7
    open: bool = False
    record: int = 1


class RecordLine(msgspec.Struct, frozen=True):
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
    return isinstance(first, dict) and "nomoledger" not in first


def import_record(
    ledger: Ledger, path: str | Path, game: str | None = None, *, until: int | None = None
) -> Game:
    """A new game in *ledger* (called *game*, or as the record says) from the record at *path*.

    A record that names no rulebook goes on with the game that is there. Periods after *until* are
    left out.

    Raises:
        RecordError: the record cannot be read; says file and line, and nothing is stored.
        RulebookError, UnknownError, UsageError: its rulebook, opening or game is wrong.
    """
    path = Path(path)
    header, lines = read_record(path)
    lines = [line for line in lines if until is None or line.period <= until]
    if not header.rulebook:
        if not ledger.games():
            raise RecordError(f"{path}:1: names no rulebook, and there is no game to go on with")
        return _go_on(ledger, game or header.game or only_game(ledger), header, lines, path)
    calendar = Calendar(_day(header.start or FIRST_DAY), header.period, header.days)
    rulebook = header.rulebook
    if rulebook not in shipped() and (path.parent / rulebook).exists():
        rulebook = str(path.parent / rulebook)
    return open_game(
        ledger,
        game or header.game or "game",
        load(rulebook),
        settings=header.parameters,
        given=_given(header.opening),
        dice_from="entered",
        period=header.period,
        at=calendar.begins(header.period),
        then=lambda engine: _Importer(engine, header, calendar, path).run(lines),
    )


def _go_on(
    ledger: Ledger, game: str, header: RecordHeader, lines: list[RecordLine], path: Path
) -> Game:
    """Go on with *game* from where it stands."""
    opened = Game(ledger, game)
    world, secret = opened.world, ledger.secret(game)
    entries = reversed(opened.history.entries())
    last = next(entry.body for entry in entries if isinstance(entry.body, e.Input))
    calendar = Calendar(last.received_at, last.period, header.days)
    if header.start:
        calendar = Calendar(_day(header.start), lines[0].period if lines else 0, header.days)
    if calendar.begins(world.period) < last.received_at:
        raise RecordError(f"{path}: starts before {game}, which has come to {last.received_at:%F}")
    oracle = seeded_oracle(secret) if world.game["dice"] == "seeded" else ask_people
    prefix = f"after-{world.head}-"

    def follow(engine: Engine) -> Iterator[Batch]:
        return _Importer(engine, header, calendar, path, prefix).run(lines)

    commit = Commit(ledger, game, world)
    with commit.together():
        for batch in stream_batches(follow, new_engine(world, oracle, secret), None):
            commit.append(batch)
    return Game(ledger, game)


def read_record(path: Path) -> tuple[RecordHeader, list[RecordLine]]:
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
    has_header = not _is_line(texts[0])
    header = _header(path, texts[0]) if has_header else RecordHeader()
    lines = [
        _line(f"{path.name}:{place}", text)
        for place, text in enumerate(texts, start=1)
        if text.strip() and not (has_header and place == 1)
    ]
    return header, lines


def _is_line(text: str) -> bool:
    """Whether the first line of a record is no header, but one like all the others."""
    try:
        says = json.loads(text)
    except ValueError:
        return False
    return isinstance(says, dict) and bool({"week", "day", *_SAYS} & set(says))


def _header(path: Path, text: str) -> RecordHeader:
    try:
        says = msgspec.json.decode(text, type=dict[str, Any])
        header = msgspec.convert(says, RecordHeader)
    except msgspec.MsgspecError as error:
        raise RecordError(f"{path}:1: not the header of a record: {error}") from None
    beginning = [name for name in _BEGINS_A_GAME if name in says]
    if beginning and not header.rulebook:
        raise RecordError(f"{path}:1: a record with {beginning[0]} begins a game: name a rulebook")
    if header.days < 1:
        raise RecordError(f"{path}:1: a period has a day at least, not {header.days}")
    return header


def _line(place: str, text: str) -> RecordLine:
    try:
        says = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise RecordError(f"{place}: not a line of JSON: {error}") from None
    period = next((says[name] for name in PERIOD_NAMES if name in says), None)
    if type(period) is not int:
        raise RecordError(f'{place}: says no week: add one, as in "week": 1')
    if not set(_SAYS) & set(says):
        raise RecordError(f"{place}: says neither what kind of fact it is, nor rules")
    if not isinstance(kind := says.get("kind", "fact"), str) or not kind:
        raise RecordError(f"{place}: the kind of a fact is a word, not {kind!r}")
    if type(says.get("proposal", 0)) is not int:
        raise RecordError(f"{place}: a proposal has a number, not {says['proposal']!r}")
    if says.get("verdict") not in (None, *VERDICTS) and "proposal" in says:
        raise RecordError(f"{place}: a verdict is accepted or rejected, not {says['verdict']!r}")
    return RecordLine(place, period, says)


def _given(opening: dict[str, Any]) -> dict[str, Any]:
    given = dict(opening)
    players = given.get("players", {})
    if isinstance(players, list):
        given["players"] = {name: {} for name in players}
    return given


def _day(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise RecordError(f"start is a day like 2001-03-05, not {text!r}") from None


class Calendar(msgspec.Struct, frozen=True):
    """When periods begin: *period* at *start*, each of so many *days*."""

    start: datetime
    period: int
    days: int

    def begins(self, period: int) -> datetime:
        """When *period* begins."""
        try:
            return self.start + timedelta(days=self.days * (period - self.period))
        except OverflowError:
            raise RecordError(f"week {period} is too far away") from None


class _Importer:
    """Turns the lines of a record into inputs, one after the other."""

    def __init__(
        self, engine: Engine, header: RecordHeader, calendar: Calendar, path: Path, prefix: str = ""
    ) -> None:
        self.engine = engine
        self.world: World = engine.world
        self.header = header
        self.calendar = calendar
        self.path = path
        self.prefix = prefix

    def run(self, lines: list[RecordLine]) -> Iterator[Batch]:
        """All that follows from *lines*."""
        for line in lines:
            yield from self._reach(line)
            try:
                for event in self._inputs(line):
                    yield from self._take(event)
            except NomoledgerError as error:
                raise RecordError(f"{line.place}: {error}") from None
        if lines and not self.header.open:
            yield from self._close()

    def _reach(self, line: RecordLine) -> Iterator[Batch]:
        if line.period < self.world.period:
            raise RecordError(
                f"{line.place}: week {line.period} after week {self.world.period} began"
            )
        if line.period > self.world.period + _GAP_MAX:
            raise RecordError(
                f"{line.place}: week {line.period} is more than {_GAP_MAX} weeks after"
                f" week {self.world.period}"
            )
        while self.world.period < line.period:
            yield from self._close()

    def _take(self, event: e.Input) -> Iterator[Batch]:
        """What follows from *event*; what is no fact must not be refused."""
        for batch in self.engine.take(event):
            refusal = next((each for each in batch if isinstance(each, e.AttemptRefused)), None)
            if refusal is not None and not isinstance(event, e.FactRecorded):
                reasons = (f"{reason.text} ({reason.rule})" for reason in refusal.reasons)
                raise RecordError("; ".join(reasons))
            yield batch

    def _close(self) -> Iterator[Batch]:
        """End the period; what still waits, the record passes over."""
        period = self.world.period
        yield from self._end(f"w{period}-ends")
        yield from self.engine.take(e.CloseAsked(**self._common(f"w{period}-close")))
        for count in range(_WAITING_MAX):
            if self.world.period > period:
                return
            yield from self._end(f"w{period}-ends-{count}")
        raise RecordError(f"week {period} cannot be closed: {self.world.waiting}")

    def _end(self, called: str) -> Iterator[Batch]:
        ends = e.FactRecorded(**self._common(called), kind=PERIOD_ENDS)
        yield from self.engine.take(ends)

    def _common(self, called: str) -> dict[str, Any]:
        period = self.world.period
        return {
            "id": self.prefix + called,
            "period": period,
            "received_at": self.calendar.begins(period),
            "recorded_at": self.world.game["recorded_at"],
        }

    def _inputs(self, line: RecordLine) -> Iterator[e.Input]:
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
        """A proposal that the record has, with its verdict; with none (null) it stays open."""
        number = says["proposal"]
        if number in self.world.proposals:
            raise RecordError(f"proposal {number} has been made already")
        yield e.ProposalMade(
            **common,
            by=str(says.get("by", "admin")),
            number=number,
            text=str(says.get("text", "")),
            changes=self._changes(says.get("rules", [])),
        )
        verdict = says.get("verdict", "accepted")
        judged = common | {"id": f"{common['id']}-verdict"}
        if verdict is not None:
            yield e.ProposalJudged(**judged, proposal=number, verdict=verdict)

    def _changes(self, rules: Any) -> tuple[Change, ...]:
        if not isinstance(rules, str):
            return read_changes(rules)
        file = self.path.parent / rules
        try:
            brought = parse(file.read_text(encoding="utf-8"), file.name)
        except OSError as error:
            raise RecordError(f"the rules {rules}: {error.strerror or error}") from None
        return tuple(map(self._change, brought.rules))

    def _change(self, rule: Rule) -> Change:
        """*rule* comes into force, or what stands under its number now reads so."""
        old = self.world.rule(rule.number)
        if old is None:
            return Enact(rule)
        told = ("declares", "commodities", "facts")
        new = {name: value for name in told if (value := getattr(rule, name)) != getattr(old, name)}
        return Amend(rule.number, rule.title, rule.prose, rule.code, rule.parameters, **new)
