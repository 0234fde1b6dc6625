"""The statements that keep a table, the same for both kinds of database but for their dialect."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from nomoledger.views.sql.folding import RowChanges, TableState
from nomoledger.views.sql.table import GAME, KNOWN, PERIOD, UNTIL, Facts, Listing, SqlTable

Values = Sequence[Any]


class Dialect(NamedTuple):
    """How a database writes SQL.

    Attributes:
        types: what it calls our types of columns. mark: what stands for a value.
        schema: what stands before the name of a table. options: what stands behind its columns.
        read: how a column of a type is read so that it can be compared with what was written.
        written: what makes the values of a column of a type ones that the database takes; as for
            read, a type that is not there needs nothing.
    """

    types: dict[str, str]
    mark: str
    schema: str
    options: str
    read: dict[str, str]
    written: dict[str, Callable[[Values], Values]]


class Writing(Protocol):
    """A transaction in which tables are written; values are as the database takes them."""

    dialect: Dialect

    def run(self, statement: str, values: Values) -> None:
        """Carry out *statement*."""

    def rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        """The rows that *statement* gives."""

    def remove(self, statement: str, keys: Sequence[Values]) -> None:
        """Carry out *statement* for each of the *keys*."""

    def add(self, table: type[SqlTable], rows: Sequence[Values]) -> None:
        """Add *rows*, none of which is there."""


def create(table: type[SqlTable], dialect: Dialect) -> str:
    """The statement that makes *table*."""
    columns = [
        f'"{each.name}" {dialect.types[each.type]}' + (" NOT NULL" if each == GAME else "")
        for each in table.columns()
    ]
    return (
        f"CREATE TABLE {_name(table, dialect)}"
        f" ({', '.join(columns)}, PRIMARY KEY ({_listed(table.primary())})){dialect.options}"
    )


def drop(table: type[SqlTable], dialect: Dialect) -> str:
    """The statement that removes *table*, if it is there."""
    return f"DROP TABLE IF EXISTS {_name(table, dialect)}"


def write(writing: Writing, table: type[SqlTable], game: str, changes: RowChanges) -> None:
    """Write what has changed in *table*."""
    if changes.rows:
        _write_facts(writing, table, game, changes)
    for standing in changes.readings:
        _write_standing(writing, table, game, standing)


def _write_facts(writing: Writing, table: type[SqlTable], game: str, changes: RowChanges) -> None:
    rows = _written(writing, table, (game,), changes.rows)
    if not (issubclass(table, Facts) and table.grows):
        places = [i for i, each in enumerate(table.columns()) if each.name in table.primary()]
        last = {tuple(row[i] for i in places): row for row in rows}
        names = [table.columns()[i].name for i in places]
        writing.remove(f"DELETE {_where(writing, table, names)}", list(last))
        rows = list(last.values())
    writing.add(table, rows)


def _write_standing(writing: Writing, table: type[SqlTable], game: str, now: TableState) -> None:
    """Rows that stand no longer end; those that are new begin; all others stay as they are."""
    times = (now.known,) if issubclass(table, Listing) else (now.period, now.known)
    rows = _written(writing, table, (game, *times, None), now.rows)
    wanted = {row[len(table.added) :]: row for row in rows}
    begun, ended, standing = _restored(writing, table, game, now)
    for own in standing:
        if own not in wanted:
            writing.run(ended, (now.known, *begun, *_key(table, own)))
    writing.add(table, [row for own, row in wanted.items() if own not in standing])


def _restored(
    writing: Writing, table: type[SqlTable], game: str, now: TableState
) -> tuple[Values, str, set[tuple[Any, ...]]]:
    """Bring *table* to how it stood when *now.known* began, and say what stood then.

    With it come the values of what tells this reading's rows, and the statement that ends one.
    """
    scope = [GAME.name] if issubclass(table, Listing) else [GAME.name, PERIOD.name]
    values = (game,) if issubclass(table, Listing) else (game, now.period)
    mark, name = writing.dialect.mark, _name(table, writing.dialect)
    writing.run(f"DELETE {_where(writing, table, [*scope, KNOWN.name])}", (*values, now.known))
    reading = f'UPDATE {name} SET "{UNTIL.name}" = '
    until = _matching(writing, [*scope, UNTIL.name])
    writing.run(f"{reading}NULL WHERE {until}", (*values, now.known))
    columns = ", ".join(
        writing.dialect.read.get(each.type, '"{}"').format(each.name) for each in table.own
    )
    standing = f'{_matching(writing, scope)} AND "{UNTIL.name}" IS NULL'
    found = writing.rows(f"SELECT {columns} FROM {name} WHERE {standing}", values)
    ended = f"{reading}{mark} WHERE {standing} AND {_matching(writing, table.key)}"
    return values, ended, set(found)


def _written(
    writing: Writing, table: type[SqlTable], added: Values, rows: Sequence[Values]
) -> list[tuple[Any, ...]]:
    """*rows* as the database takes them, with the same values *added* before each."""
    written = writing.dialect.written
    columns = [len(rows) * (value,) for value in added]
    own = zip(table.own, zip(*rows, strict=True), strict=False)
    columns += (tuple(written.get(each.type, tuple)(values)) for each, values in own)
    return list(zip(*columns, strict=True)) if rows else []


def _key(table: type[SqlTable], own: tuple[Any, ...]) -> list[Any]:
    values = dict(zip((each.name for each in table.own), own, strict=True))
    return [values[name] for name in table.key]


def _where(writing: Writing, table: type[SqlTable], names: Sequence[str]) -> str:
    return f"FROM {_name(table, writing.dialect)} WHERE {_matching(writing, names)}"


def _matching(writing: Writing, names: Sequence[str]) -> str:
    return " AND ".join(f'"{name}" = {writing.dialect.mark}' for name in names)


def _name(table: type[SqlTable], dialect: Dialect) -> str:
    return f'{dialect.schema}"{table.name}"'


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
