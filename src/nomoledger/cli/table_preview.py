"""What the import understood of a table of facts, in words."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nomoledger.game.record_lines import RecordLine
    from nomoledger.game.table_import import TableImport, UnexplainedRow

#: How many facts, and how many rows that no rule explains, are printed.
_FIRST = 5
_LISTED_MAX = 10


def understood_lines(importing: "TableImport") -> Iterator[str]:
    """Yield what was understood of the table: rules, players, weeks, columns and facts."""
    table = importing.table
    yield f"game: {importing.game}, under {importing.rulebook}"
    yield f"players: {_listed(table.players)}"
    yield f"weeks: {_listed(_weeks(table.lines))}"
    known = [column for column in table.columns if column.is_known]
    yield "columns: " + _listed([f"{column.heading} is {_meaning(column)}" for column in known])
    yield from unknown_columns(importing)
    counts = _counts(table.lines)
    yield "facts: " + _listed([f"{count} {kind}" for kind, count in counts.items()])
    for line in table.lines[:_FIRST]:
        yield f"  {_in_words(line)}"
    if len(table.lines) > _FIRST:
        yield f"  and {len(table.lines) - _FIRST} more"


def unknown_columns(importing: "TableImport") -> Iterator[str]:
    """Yield a line for each column that neither tables nor the rules know."""
    from nomoledger.intake.nearest import nearest

    known = ["week", "kind", "player", "dice", "square", "from", "amount", "payee", "reason"]
    for column in importing.table.columns:
        if not column.is_known:
            close = nearest(column.field, known)
            hint = f" (did you mean {close}?)" if close is not None else ""
            yield f"unknown column {column.heading}{hint}: stored as {column.field}, not compared"


def unexplained_lines(rows: "Sequence[UnexplainedRow]") -> list[str]:
    """Return a line for each of the first *rows* that no rule explains."""
    lines = [f"{row.place}: {row.kind} is unexplained: {row.why}" for row in rows[:_LISTED_MAX]]
    if len(rows) > _LISTED_MAX:
        lines.append(f"{len(rows) - _LISTED_MAX} more facts are unexplained")
    return lines


def understood_as_json(
    importing: "TableImport", unexplained: "Sequence[UnexplainedRow]"
) -> dict[str, Any]:
    """Return what was understood of the table as a value for JSON."""
    table = importing.table
    return {
        "game": importing.game,
        "rulebook": importing.rulebook,
        "players": table.players,
        "weeks": _weeks(table.lines),
        "columns": table.columns,
        "facts": _counts(table.lines),
        "first": [_in_words(line) for line in table.lines[:_FIRST]],
        "unexplained": unexplained,
    }


def _weeks(lines: "Sequence[RecordLine]") -> list[int]:
    return sorted({line.period for line in lines})


def _counts(lines: "Sequence[RecordLine]") -> dict[str, int]:
    """Return how many lines there are of each kind."""
    return dict(Counter(str(line.fields.get("kind", "rules")) for line in lines))


def _meaning(column: Any) -> str:
    return f"{column.field} of {column.kind}" if column.kind else column.field


def _in_words(line: "RecordLine") -> str:
    """Return the line as words: where it stands, its week and kind, and its fields."""
    fields = {name: value for name, value in line.fields.items() if name not in ("week", "kind")}
    player = fields.pop("player", None)
    kind = str(line.fields.get("kind", "rules"))
    who = kind if player is None else f"{player}: {kind}"
    said = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in fields.items()]
    return f"{line.place}: week {line.period}, {', '.join([who, *said])}"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return " and ".join(map(str, value))
    return str(value)


def _listed(items: "Sequence[Any]") -> str:
    return ", ".join(map(str, items)) or "none"
