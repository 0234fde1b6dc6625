"""Import of a hand-kept record: a header, then one fact per line, as JSON.

    {"game": "my-season", "rulebook": "NAME_OR_FILE", "parameters": {}, "period": 1,
     "opening": {"players": {"Ann": {"square": 3}}}, "start": "2001-03-05"}
    {"week": 1, "rules": "week-1.md", "text": "how week 1 was played", "basis": "inferred"}
    {"week": 1, "kind": "roll", "player": "Ann", "dice": [2, 4]}
    {"week": 1, "kind": "land", "player": "Ann", "square": 9}
    {"week": 1, "proposal": 7, "by": "Ann", "text": "rent", "rules": "7.md", "verdict": "accepted"}

The rules in force define what each kind of fact means (`facts` in their data). A `rules` line
enacts or amends rules by a ruling, from a Markdown file beside the record or as changes in the line
itself. A new week closes the week before. A record without a header, or whose header names no
rulebook, continues an existing game. The record is imported completely or not at all.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.batches import decode_batch, encode_batch
from nomoledger.engine.oracles import oracle_of
from nomoledger.errors import RecordError, UsageError
from nomoledger.game.commit import Commit
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.record_importer import Calendar, RecordImporter
from nomoledger.game.record_lines import PERIOD_NAMES, VERDICTS, RecordHeader, RecordLine
from nomoledger.game.record_opening import split_opening, take_unplaced
from nomoledger.game.start import open_game
from nomoledger.game.writer import check_not_far_ahead
from nomoledger.intake.beside import beside
from nomoledger.intake.bounds import FILE, admitted
from nomoledger.intake.unreadable import why_unreadable
from nomoledger.ledger.as_of import only_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import Rulebook, load, shipped
from nomoledger.sandbox.sandbox import stream_from_sandbox

FIRST_DAY = "2000-01-03"
#: One of these fields is in every line.
_SUBJECTS = ("kind", "rules", "proposal")
#: Fields of a header that only a new game can have.
_NEW_GAME_FIELDS = ("rulebook", "parameters", "opening", "period")


def is_record(path: str | Path) -> bool:
    """Return whether the file at *path* begins like a hand-kept record."""
    try:
        with open(path, encoding="utf-8") as file:
            header = json.loads(file.readline())
    except (OSError, RecursionError, ValueError):
        return False
    return isinstance(header, dict) and "nomoledger" not in header


def import_record(
    ledger: Ledger, path: str | Path, game: str | None = None, *, until: int | None = None
) -> Game:
    """Import the record at *path* into *ledger*, as a new game or as the continuation of one.

    The game is called *game*, or as the record says. Periods after *until* are left out.

    Raises:
        RecordError: the record cannot be read; the message names file and line. Nothing is stored.
        RulebookError, UnknownError, UsageError: its rulebook, opening or game is wrong.
    """
    path = Path(path)
    header, lines = read_record(path)
    lines = [line for line in lines if until is None or line.period <= until]
    if not header.rulebook:
        if not ledger.games():
            raise RecordError(f"{path}:1: names no rulebook, and there is no game to continue")
        name = game or header.game or only_game(ledger)
        return continue_recorded_game(ledger, name, header, lines, path)
    rulebook = header.rulebook
    if rulebook not in shipped():
        file = beside(path, rulebook, f"{path}:1: the rulebook")
        rulebook = str(file) if file.exists() else rulebook
    name = game or header.game or "game"
    return begin_recorded_game(ledger, name, load(rulebook), header, lines, path)


def begin_recorded_game(
    ledger: Ledger,
    game: str,
    book: Rulebook,
    header: RecordHeader,
    lines: Sequence[RecordLine],
    path: Path,
) -> Game:
    """Open *game* under the rules of *book*, and play the *lines* of the record at *path*.

    Raises:
        RecordError: a line cannot be played; the message names file and line. Nothing is stored.
        RulebookError, UnknownError, UsageError: the opening or the name of the game is wrong.
    """
    calendar = Calendar(_day(header.start or FIRST_DAY), header.period, header.days)
    latest = max((line.period for line in lines), default=header.period)
    check_not_far_ahead(calendar.begins(latest), datetime.now(UTC), f"{path}:1: the last period")
    given, late = split_opening(header.opening, book.rules, f"{path}:1", lines)
    unplaced = take_unplaced(given, late, is_new=header.period == 1)
    header = msgspec.structs.replace(header, opening=late)
    return open_game(
        ledger,
        game,
        book,
        settings=header.parameters,
        given=given,
        dice_from="entered",
        period=header.period,
        at=calendar.begins(header.period),
        then=partial(
            _import_lines, header, calendar, _texts(path, lines), "", list(lines), unplaced, None
        ),
    )


def continue_recorded_game(
    ledger: Ledger, game: str, header: RecordHeader, lines: Sequence[RecordLine], path: Path
) -> Game:
    """Append the *lines* of the record at *path* to *game*, from its current state on.

    Raises:
        RecordError: a line cannot be played; the message names file and line. Nothing is stored.
    """
    existing = Game(ledger, game)
    world, secret = existing.world, ledger.secret(game)
    entries = reversed(existing.history.entries())
    last = next(entry.body for entry in entries if isinstance(entry.body, e.Input))
    since = last.received_at
    if any(line.is_timed for line in lines):
        since = since.replace(hour=0, minute=0, second=0)
    calendar = Calendar(since, last.period, header.days)
    if header.start:
        calendar = Calendar(_day(header.start), lines[0].period if lines else 0, header.days)
    if calendar.begins(world.period) < since:
        raise RecordError(f"{path}: starts before {last.received_at:%F}, the last day of {game}")
    commit = Commit(ledger, game, world)
    prefix, texts, since = f"after-{world.head}-", _texts(path, lines), last.received_at
    importing = partial(_import_lines, header, calendar, texts, prefix, list(lines), (), since)
    with commit.together():
        engine = new_engine(world, oracle_of(world, secret), secret)
        for piece in stream_from_sandbox(_continue, importing, engine):
            commit.append(decode_batch(piece))
    return Game(ledger, game)


def _continue(importing: Callable[[Engine], Iterator[Batch]], engine: Engine) -> Iterator[bytes]:
    return map(encode_batch, importing(engine))


def _import_lines(
    header: RecordHeader,
    calendar: Calendar,
    texts: dict[str, str],
    prefix: str,
    lines: list[RecordLine],
    unplaced: Sequence[str],
    since: datetime | None,
    engine: Engine,
) -> Iterator[Batch]:
    """Play *lines* on *engine*, in the sandbox; none before the time *since*.

    Nobody knows where *unplaced* players stand.
    """
    importer = RecordImporter(engine, header, calendar, texts, prefix, unplaced)
    importer.now = since or importer.now
    return importer.run(lines)


def _texts(path: Path, lines: Iterable[RecordLine]) -> dict[str, str]:
    """Return the texts of the files of rules that *lines* of the record at *path* name."""
    texts = {}
    for line in lines:
        name = line.fields.get("rules")
        if isinstance(name, str) and name not in texts:
            try:
                texts[name] = beside(path, name, line.place).read_text(encoding="utf-8")
            except (OSError, ValueError) as error:  # no text in UTF-8, or no name of a file
                why = getattr(error, "strerror", None) or error
                raise RecordError(f"{line.place}: the rules {name}: {why}") from None
    return texts


def read_record(path: Path) -> tuple[RecordHeader, list[RecordLine]]:
    """Return the header and the lines of the record at *path*.

    Raises:
        RecordError: a line is not JSON, or names no period; the message names file and line.
    """
    try:
        texts = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path} cannot be read: {why_unreadable(error)}") from None
    if texts == [""]:
        raise RecordError(f"{path}: is empty; a record begins with a header line")
    has_header = not _is_line(texts[0])
    header = _read_header(path, texts[0]) if has_header else RecordHeader()
    lines = [
        _read_line(f"{path.name}:{place}", text)
        for place, text in enumerate(texts, start=1)
        if text.strip() and not (has_header and place == 1)
    ]
    return header, lines


def _is_line(text: str) -> bool:
    """Return whether the first line of a record is not a header, but a line like all others."""
    try:
        fields = json.loads(text)
    except (RecursionError, ValueError):
        return False
    return isinstance(fields, dict) and bool({"week", "day", *_SUBJECTS} & set(fields))


def _read_header(path: Path, text: str) -> RecordHeader:
    try:
        fields = msgspec.json.decode(text, type=dict[str, Any])
        header = msgspec.convert(admitted(fields, "the header", FILE), RecordHeader)
    except (msgspec.MsgspecError, RecursionError, UsageError) as error:
        raise RecordError(f"{path}:1: not the header of a record: {error}") from None
    used = [name for name in _NEW_GAME_FIELDS if name in fields]
    if used and not header.rulebook:
        raise RecordError(f"{path}:1: a record with {used[0]} begins a game: name a rulebook")
    if header.days < 1:
        raise RecordError(f"{path}:1: a period has at least one day, not {header.days}")
    return header


def _read_line(place: str, text: str) -> RecordLine:
    try:
        fields = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise RecordError(f"{place}: not a line of JSON: {error}") from None
    try:
        fields = admitted(fields, place, FILE)
    except UsageError as error:
        raise RecordError(str(error)) from None
    period = next((fields[name] for name in PERIOD_NAMES if name in fields), None)
    if type(period) is not int:
        raise RecordError(f'{place}: the line has no week: add one, as in "week": 1')
    if not set(_SUBJECTS) & set(fields):
        raise RecordError(f"{place}: the line needs a kind, rules or a proposal")
    if not isinstance(kind := fields.get("kind", "fact"), str) or not kind:
        raise RecordError(f"{place}: the kind of a fact is a word, not {kind!r}")
    if type(fields.get("proposal", 0)) is not int:
        raise RecordError(f"{place}: a proposal has a number, not {fields['proposal']!r}")
    if fields.get("verdict") not in (None, *VERDICTS) and "proposal" in fields:
        raise RecordError(f"{place}: a verdict is accepted or rejected, not {fields['verdict']!r}")
    return RecordLine(place, period, fields)


def _day(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise RecordError(f"start is a day like 2001-03-05, not {text!r}") from None
