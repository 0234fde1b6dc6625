"""A table of facts (CSV), read as the lines of a hand-kept record.

    week,kind,player,dice,square,amount,payee
    0,start,Ann,,3,900,
    1,roll,Ann,2+4,,,
    1,land,Ann,,9,,
    1,rent,Ann,,9,15,Bob

The first line names the columns. A row is a fact of the kind in its column `kind`. In a table
without such a column, each cell in a column such as `dice`, `landed on` or `rent` is a fact. A row
of the kind `start` describes the state before the first fact, and one of the kind `proposal` is a
proposal with its verdict.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from nomoledger.engine.written_names import bare
from nomoledger.errors import NomoledgerError, RecordError, UsageError
from nomoledger.events.rules import FactMapping, Rule
from nomoledger.game.csv_cells import read_cell
from nomoledger.game.record_lines import AT, VERDICTS, RecordHeader, RecordLine
from nomoledger.game.table_columns import TableColumn, kind_called, normal_word, read_columns
from nomoledger.intake.beside import beside
from nomoledger.intake.bounds import FILE, admitted
from nomoledger.intake.nearest import nearest
from nomoledger.intake.unreadable import why_unreadable
from nomoledger.rulebook.loading import parse

#: The kinds of rows that are no facts.
START, RULES, PROPOSAL = "start", "rules", "proposal"
_START_WORDS = ("start", "starts", "opening", "begin", "begins", "beginning")
_PROPOSAL_WORDS = (PROPOSAL, "proposals", "proposes")
_SEPARATORS = ",;\t"
#: One of these is in each line that is about what somebody did.
_ACTED = ("kind", PROPOSAL)
#: What a cell says if it only marks that a fact happened, or that none did.
_MARKS, _NONE = ("x", "yes", "✓"), ("-", "–", "no", "none")
#: How many characters of a time name its day.
_DAY = 10


class RecordTable(msgspec.Struct, frozen=True):
    """What was understood of a table.

    Attributes:
        columns: the columns with a heading.
        players: the players by name.
        header: the header of the record that the table is.
        lines: the lines of that record.
        problems: what is wrong, one line of text for each bad row, with file and line.
    """

    columns: tuple[TableColumn, ...] = ()
    players: tuple[str, ...] = ()
    header: RecordHeader = RecordHeader()
    lines: tuple[RecordLine, ...] = ()
    problems: tuple[str, ...] = ()


def read_table(
    path: str | Path, rules: Sequence[Rule], players: Sequence[str] | None = None
) -> RecordTable:
    """Return what the table at *path* says, under *rules*.

    *players* are those of the game that the table continues; None if the table begins a game.
    Then its players are those with a row `start`, or all whom the column of players names.

    Raises:
        RecordError: the file cannot be read, or its first line does not name the columns.
    """
    path = Path(path)
    rows, separator = _rows(path)
    if not rows:
        raise RecordError(f"{path.name}: is empty; the first line of a table names its columns")
    return _Reader(path, rules, players, has_decimal_comma=separator == ";").read(rows)


def _rows(path: Path) -> tuple[list[tuple[int, list[str]]], str]:
    """Return the rows that are not empty, each with its line number; and what separates cells."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise RecordError(f"{path}: it is no text in UTF-8: save it as CSV UTF-8") from None
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {why_unreadable(error)}") from None
    head = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(_SEPARATORS, key=head.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
    rows, first = [], 1
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((first, cells))
            first = reader.line_num + 1
    except csv.Error as error:
        raise RecordError(f"{path.name}:{first}: not a row of a table: {error}") from None
    return rows, separator


class _Reader:
    """Reads one table."""

    def __init__(
        self,
        path: Path,
        rules: Sequence[Rule],
        players: Sequence[str] | None,
        *,
        has_decimal_comma: bool,
    ) -> None:
        self._path = path
        self._has_decimal_comma = has_decimal_comma
        self._is_new = players is None
        self._players = {bare(name): name for name in players or ()}
        self._accounts: dict[str, str] = {}
        self._mappings: dict[str, FactMapping] = {}
        self._attributes: set[str] = set()
        self._opening: dict[str, dict[str, Any]] = {
            group: {} for group in ("players", "squares", "accounts")
        }
        self._know(rules)
        self._firm = dict(self._mappings)  # later rules may read other fields
        self._problems = dict[int, str]()
        self._days = RecordHeader().days

    def _know(self, rules: Iterable[Rule]) -> None:
        for rule in rules:
            self._accounts |= {bare(account): account for account in rule.accounts}
            for group in ("player", "square"):
                self._attributes |= rule.declares.get(group, {}).keys()
            for kind, mapping in rule.facts.items():
                self._mappings.setdefault(kind, mapping)

    def read(self, rows: list[tuple[int, list[str]]]) -> RecordTable:
        """Return what the rows say; the first one names the columns."""
        (first, headings), *rows = rows
        self._know_files(headings, rows)
        used = {name for mapping in self._mappings.values() for name in _fields_of(mapping)}
        kinds = {kind: _cell_of(mapping) for kind, mapping in self._mappings.items()}
        try:
            columns = read_columns(headings, used, kinds, self._attributes)
        except RecordError as error:
            raise RecordError(f"{self._path.name}:{first}: {error}") from None
        if any(normal_word(heading) == "day" for heading in headings):
            self._days = 1
        lines: list[RecordLine] = []
        for number, cells in rows:
            place = f"{self._path.name}:{number}"
            try:
                lines += [
                    RecordLine(place if not count else f"{place}-{count + 1}", week, fields)
                    for count, (week, fields) in enumerate(self._row(columns, cells, place))
                ]
            except (RecordError, UsageError) as error:
                self._problems[number] = str(error).removeprefix(f"{place}: ")
        self._check(lines)
        if not lines and not self._problems:
            self._problems[first] = "no fact follows: add a row for each"
        return RecordTable(
            columns=tuple(column for column in columns if column is not None),
            players=tuple(self._players.values()),
            header=self._header(lines),
            lines=tuple(lines),
            problems=tuple(
                f"{self._path.name}:{number}: {what}"
                for number, what in sorted(self._problems.items())
            ),
        )

    def _header(self, lines: list[RecordLine]) -> RecordHeader:
        if not self._is_new:
            return RecordHeader(days=self._days)
        players = {name: self._opening["players"].get(name, {}) for name in self._players.values()}
        opening = self._opening | {"players": players}
        first = lines[0].fields[AT] if lines and lines[0].is_timed else ""
        return RecordHeader(
            opening=opening,
            period=lines[0].period if lines else 1,
            start=first[:_DAY] if "-" in first else "",
            days=self._days,
        )

    def _know_files(self, headings: list[str], rows: list[tuple[int, list[str]]]) -> None:
        """Know the facts and accounts of the files of rules that cells name."""
        place = next((at for at, name in enumerate(headings) if name.casefold() == RULES), None)
        names = {cells[place] for _, cells in rows if place is not None and place < len(cells)}
        for name in sorted(names - {""}):
            try:
                text = beside(self._path, name, self._path.name).read_text(encoding="utf-8")
                self._know(parse(text, Path(name).name).rules)
            except (NomoledgerError, OSError, ValueError):
                continue  # the import says what is wrong with the file

    # --- rows

    def _row(
        self, columns: list[TableColumn | None], cells: list[str], place: str
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the facts of a row, each with its week; remember what the game begins with."""
        if any(cells[len(columns) :]):
            raise RecordError(
                f"the row has {len(cells)} cells, the header {len(columns)}: quote cells that"
                " contain the separator"
            )
        shared, facts = self._cells(columns, cells)
        week = shared.pop("week", None)
        admitted(shared, place, FILE)
        written = str(shared.pop("kind", ""))
        kind = kind_called(written, self._mappings) if written else ""
        if kind in _START_WORDS and kind not in self._mappings:
            self._start(shared)
            return
        if week is None:
            raise RecordError("the row has no week: write its number")
        if kind == RULES or (RULES in shared and not written):
            if RULES not in shared:
                raise RecordError("the row names no file of rules: write it in a column rules")
            yield week, {"week": week} | shared
            return
        if kind in _PROPOSAL_WORDS and kind not in self._mappings:
            yield week, {"week": week} | _proposal(shared)
            return
        if written:
            facts = {kind: {}}
        if not facts:
            raise RecordError("the row does not say what happened: fill in its kind")
        square = facts.get("land", {}).get("square")
        for name, own in facts.items():
            fields = {"week": week, "kind": name} | shared
            if square is not None and name != "roll":
                fields.setdefault("square", square)
            yield week, fields | own

    def _cells(
        self, columns: list[TableColumn | None], cells: list[str]
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Return the fields for all facts of a row, and those of each kind with its own cell."""
        shared: dict[str, Any] = {}
        facts: dict[str, dict[str, Any]] = {}
        for column, text in zip(columns, cells, strict=False):
            if column is None or not text or (column.kind and text.casefold() in _NONE):
                continue
            target = facts.setdefault(column.kind, {}) if column.kind else shared
            if column.kind and text.casefold() in _MARKS:
                continue
            value = read_cell(column.field, text, has_decimal_comma=self._has_decimal_comma)
            if column.field == "dice" and "dice" in target:
                target["dice"] = target["dice"] + value
            else:
                target[column.field] = value
        return shared, facts

    def _start(self, fields: dict[str, Any]) -> None:
        """Remember a row that describes a player or a square before the first fact."""
        if not self._is_new:
            raise RecordError("the game has begun: state what is so by a row with rules")
        if "amount" in fields:
            fields["money"] = fields.pop("amount")
        player = fields.pop("player", None)
        square = fields.pop("square", None) if player is None else None
        if player is None and square is None:
            raise RecordError("the row describes nothing: name its player or its square")
        group, name = ("players", player) if player is not None else ("squares", str(square))
        if player is not None and bare(player) in self._accounts:
            group, name = "accounts", self._accounts[bare(player)]
        if name in self._opening[group]:
            raise RecordError(f"{name} stands in an earlier row of the kind start: keep one")
        self._opening[group][name] = fields

    # --- checks across rows

    def _check(self, lines: list[RecordLine]) -> None:
        """Note what is wrong with *lines*; write all names in them as the game has them."""
        if self._is_new:
            listed = self._opening["players"] or dict.fromkeys(
                line.fields["player"] for line in lines if "player" in line.fields
            )
            for name in listed:
                if bare(name) not in self._accounts:
                    self._players.setdefault(bare(name), name)
        week = 0
        for line in lines:
            number = int(line.place.rpartition(":")[2].partition("-")[0])
            for what in self._wrong(line, week):
                self._problems.setdefault(number, what)
            week = max(week, line.period)

    def _wrong(self, line: RecordLine, week: int) -> Iterator[str]:
        """Yield what is wrong with a line after *week*; write its names as the game has them."""
        if line.period < 1:
            yield f"there is no week {line.period}: the first is 1"
        if line.period < week:
            yield f"week {line.period} after week {week}: sort the rows by week"
        fields = line.fields
        try:
            line.time(datetime.now(UTC))
        except RecordError as error:
            yield str(error)
        known = self._accounts | self._players
        for field in ("player", "payee", "by") if not fields.keys().isdisjoint(_ACTED) else ():
            name = fields.get(field)
            if name is None or (field, name) == ("by", "admin"):
                continue
            if bare(name) in known:
                fields[field] = known[bare(name)]
            else:
                yield self._no_such("player" if field == "by" else field, name)
        for field in _needed(self._firm.get(fields.get("kind", ""))):
            if field not in fields:
                yield f"a {fields['kind']} needs {field}: fill in its cell"

    def _no_such(self, field: str, name: str) -> str:
        """Return that nobody is called *name*, and who is."""
        known = self._accounts | self._players
        close = nearest(bare(name), known)
        hint = f" (did you mean {known[close]}?)" if close is not None else ""
        players = ", ".join(self._players.values()) or "none"
        return f"there is no {field} {name!r:.60}{hint}: the players are {players}"


def _proposal(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the line of a record that a row with a proposal is.

    Raises:
        RecordError: the row has no number, or a verdict that is none.
    """
    number = fields.pop(PROPOSAL, None)
    if type(number) is not int:
        raise RecordError("the row has no number: write it in a column proposal")
    verdict = fields.pop("verdict", None)
    if verdict not in (None, *VERDICTS):
        raise RecordError(f"a verdict is {' or '.join(VERDICTS)}, not {verdict!r:.60}")
    return fields | {PROPOSAL: number, "by": fields.pop("player", "admin"), "verdict": verdict}


def _fields_of(mapping: FactMapping) -> set[str]:
    """Return the fields that facts of a kind are read for."""
    names = (mapping.subject, mapping.payer, mapping.value, mapping.dice, *mapping.given)
    return {name.partition(".")[0] for name in names if name is not None}


def _cell_of(mapping: FactMapping) -> str:
    """Return the field that a cell in a column of this kind states."""
    return mapping.dice or mapping.value or "text"


def _needed(mapping: FactMapping | None) -> list[str]:
    """Return the fields without which a fact of this kind says nothing.

    A fact with several fields may do without those behind the second, and without dice.
    """
    if mapping is None:
        return []
    names = [name for name in mapping.given[:2] if name in ("player", "square")]
    if mapping.payer is not None:
        names = [str(mapping.value)]
        if mapping.subject in ("player", "payee"):
            names.insert(0, mapping.subject)
    elif mapping.attribute is not None or mapping.paid is not None:
        names += [str(mapping.subject), str(mapping.value)]
    dice = mapping.dice if len(mapping.given) < 2 else None
    return list(dict.fromkeys([*names, *filter(None, [dice])]))
