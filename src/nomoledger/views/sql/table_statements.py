"""The SQL statements that create a table and write its changes, for both kinds of database."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from eventsourcing.persistence import Tracking

from nomoledger.views.sql.folding import RowChanges, TableState
from nomoledger.views.sql.table import GAME, KNOWN, PERIOD, UNTIL, Facts, Listing, SqlTable

Values = Sequence[Any]


class Dialect(NamedTuple):
    """How a database writes SQL.

    Attributes:
        types: The database's name of each column type.
        mark: The placeholder of a value.
        schema: The prefix of table names.
        options: What follows the list of columns in `CREATE TABLE`.
        read: By column type, the expression that reads a column so that its value can be compared
            with a written one. A type without an expression is read as it is.
        written: By column type, the function that converts values for the database. A type
            without a function needs no conversion.
    """

    types: dict[str, str]
    mark: str
    schema: str
    options: str
    read: dict[str, str]
    written: dict[str, Callable[[Values], Values]]


class TableTransaction(Protocol):
    """A transaction that writes tables. Values must already be converted for the database."""

    dialect: Dialect

    def run(self, statement: str, values: Values) -> None:
        """Execute *statement*."""

    def rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        """Execute *statement* and return its rows."""

    def remove(self, statement: str, keys: Sequence[Values]) -> None:
        """Execute *statement* once for each of *keys*."""

    def add(self, table: type[SqlTable], rows: Sequence[Values]) -> None:
        """Insert *rows*, which the table must not hold yet."""

    def track(self, tracking: Tracking) -> None:
        """Insert a tracking record.

        Raises:
            IntegrityError: The record, or a later one of the same name, exists.
        """


def create(table: type[SqlTable], dialect: Dialect) -> str:
    """Return the statement that creates *table*."""
    columns = [
        f'"{column.name}" {dialect.types[column.type]}' + (" NOT NULL" if column == GAME else "")
        for column in table.columns()
    ]
    return (
        f"CREATE TABLE {_name(table, dialect)}"
        f" ({', '.join(columns)}, PRIMARY KEY ({_quoted_list(table.primary())})){dialect.options}"
    )


def drop(table: type[SqlTable], dialect: Dialect) -> str:
    """Return the statement that drops *table* if it exists."""
    return f"DROP TABLE IF EXISTS {_name(table, dialect)}"


def write(
    transaction: TableTransaction, table: type[SqlTable], game: str, changes: RowChanges
) -> None:
    """Write the *changes* of *table*."""
    if changes.rows:
        _write_facts(transaction, table, game, changes)
    for state in changes.readings:
        _write_state(transaction, table, game, state)


def _write_facts(
    transaction: TableTransaction, table: type[SqlTable], game: str, changes: RowChanges
) -> None:
    rows = _converted(transaction, table, (game,), changes.rows)
    if not (issubclass(table, Facts) and table.grows):
        places = [i for i, column in enumerate(table.columns()) if column.name in table.primary()]
        last = {tuple(row[i] for i in places): row for row in rows}
        names = [table.columns()[i].name for i in places]
        transaction.remove(f"DELETE {_from_where(transaction, table, names)}", list(last))
        rows = list(last.values())
    transaction.add(table, rows)


def _write_state(
    transaction: TableTransaction, table: type[SqlTable], game: str, state: TableState
) -> None:
    """End the rows that no longer hold, insert the new ones, and leave all others alone."""
    times = (state.known,) if issubclass(table, Listing) else (state.period, state.known)
    rows = _converted(transaction, table, (game, *times, None), state.rows)
    new = {row[len(table.added) :]: row for row in rows}
    scope, end_row, current = _restore(transaction, table, game, state)
    for own in current:
        if own not in new:
            transaction.run(end_row, (state.known, *scope, *_key(table, own)))
    transaction.add(table, [row for own, row in new.items() if own not in current])


def _restore(
    transaction: TableTransaction, table: type[SqlTable], game: str, state: TableState
) -> tuple[Values, str, set[tuple[Any, ...]]]:
    """Undo what was written for *state.known*, so that the state can be written again.

    Returns the values that select this state's rows, the statement that ends one row, and the
    rows that were current when *state.known* began.
    """
    columns = [GAME.name] if issubclass(table, Listing) else [GAME.name, PERIOD.name]
    scope = (game,) if issubclass(table, Listing) else (game, state.period)
    mark, name = transaction.dialect.mark, _name(table, transaction.dialect)
    begun = _from_where(transaction, table, [*columns, KNOWN.name])
    transaction.run(f"DELETE {begun}", (*scope, state.known))
    update = f'UPDATE {name} SET "{UNTIL.name}" = '
    ended = _matching(transaction, [*columns, UNTIL.name])
    transaction.run(f"{update}NULL WHERE {ended}", (*scope, state.known))
    selected = ", ".join(
        transaction.dialect.read.get(column.type, '"{}"').format(column.name)
        for column in table.own
    )
    is_current = f'{_matching(transaction, columns)} AND "{UNTIL.name}" IS NULL'
    rows = transaction.rows(f"SELECT {selected} FROM {name} WHERE {is_current}", scope)
    end_row = f"{update}{mark} WHERE {is_current} AND {_matching(transaction, table.key)}"
    return scope, end_row, set(rows)


def _converted(
    transaction: TableTransaction, table: type[SqlTable], added: Values, rows: Sequence[Values]
) -> list[tuple[Any, ...]]:
    """Return *rows* converted for the database, each preceded by the values *added*."""
    converters = transaction.dialect.written
    columns = [len(rows) * (value,) for value in added]
    own = zip(table.own, zip(*rows, strict=True), strict=False)
    columns += (tuple(converters.get(column.type, tuple)(values)) for column, values in own)
    return list(zip(*columns, strict=True)) if rows else []


def _key(table: type[SqlTable], own: tuple[Any, ...]) -> list[Any]:
    values = dict(zip((column.name for column in table.own), own, strict=True))
    return [values[name] for name in table.key]


def _from_where(transaction: TableTransaction, table: type[SqlTable], names: Sequence[str]) -> str:
    return f"FROM {_name(table, transaction.dialect)} WHERE {_matching(transaction, names)}"


def _matching(transaction: TableTransaction, names: Sequence[str]) -> str:
    return " AND ".join(f'"{name}" = {transaction.dialect.mark}' for name in names)


def _name(table: type[SqlTable], dialect: Dialect) -> str:
    return f'{dialect.schema}"{table.name}"'


def _quoted_list(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
