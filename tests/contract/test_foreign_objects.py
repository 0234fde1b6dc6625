"""Foreign triggers are refused when a ledger is opened; verify names other foreign objects."""

import sqlite3
from contextlib import closing

import psycopg
import pytest
from click.testing import CliRunner
from table import NOON

from contract.databases import on_databases
from nomoledger.cli import program
from nomoledger.errors import StoreError
from nomoledger.events import ClockAdvanced
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.rulebook.loading import load

pytestmark = on_databases  # memory has no tables

#: For each kind of database, statements that make it drop or change what is recorded.
REFUSED = {
    "sqlite": [
        "CREATE TRIGGER t BEFORE INSERT ON stored_events BEGIN SELECT raise(IGNORE); END",
        "CREATE TRIGGER t AFTER INSERT ON chain BEGIN DELETE FROM chain; END",
        "CREATE TABLE cakes (x); CREATE TRIGGER t AFTER INSERT ON cakes BEGIN SELECT 1; END",
        "ALTER TABLE seals RENAME TO s; CREATE VIEW seals AS SELECT * FROM s",
        "DROP TABLE snapshots",
        "ALTER TABLE games RENAME TO g; CREATE TABLE games (game TEXT PRIMARY KEY ON CONFLICT"
        " REPLACE, secret BLOB NOT NULL, created TEXT); INSERT INTO games SELECT * FROM g",
    ],
    "postgres": [
        "CREATE FUNCTION nomoledger.f() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN RETURN NULL; END'; CREATE TRIGGER t BEFORE INSERT ON nomoledger.stored_events"
        " FOR EACH ROW EXECUTE FUNCTION nomoledger.f()",
        "CREATE RULE r AS ON INSERT TO nomoledger.seals DO INSTEAD NOTHING",
        "ALTER TABLE nomoledger.stored_events ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY p ON nomoledger.chain USING (false)",
        "CREATE TABLE public.heirs () INHERITS (nomoledger.stored_events)",
        "ALTER TABLE nomoledger.seals RENAME TO s;"
        " CREATE VIEW nomoledger.seals AS SELECT * FROM nomoledger.s",
        "ALTER TABLE nomoledger.stored_events SET UNLOGGED",
    ],
}
#: Statements with what verify says of them.
NAMED = {
    "sqlite": {
        "CREATE TABLE cakes (price INTEGER)": "the table 'cakes'",
        "CREATE VIEW sums AS SELECT sum(units) FROM rollup": "the view 'sums'",
        "CREATE INDEX i ON stored_events (lower(topic))": "the index 'i' on 'stored_events'",
        "ALTER TABLE games ADD COLUMN note TEXT": "the column 'note' of the table 'games'",
    },
    "postgres": {
        "CREATE TABLE nomoledger.cakes (price integer)": "the table 'cakes'",
        "CREATE VIEW nomoledger.sums AS SELECT 1": "the view 'sums'",
        "CREATE INDEX i ON nomoledger.stored_events (lower(topic))": "the index 'i'",
        "ALTER TABLE nomoledger.games ADD COLUMN note text": "the column 'note'",
        "ALTER TABLE nomoledger.games ALTER COLUMN created TYPE text": "the column 'created'",
        "ALTER TABLE nomoledger.games ALTER COLUMN secret SET DEFAULT 'x'": "the column 'secret'",
        "ALTER TABLE nomoledger.games ADD CONSTRAINT c CHECK (game <> 'x')": "the constraint 'c'",
        "CREATE FUNCTION nomoledger.f() RETURNS int LANGUAGE sql AS 'SELECT 1'": "the function 'f'",
    },
}


def change(location: str, statements: str) -> None:
    if is_postgres(location):
        with psycopg.connect(location, autocommit=True) as connection:
            connection.execute(statements.encode())
    else:
        with closing(sqlite3.connect(location)) as connection:
            connection.executescript(statements)


@pytest.fixture
def place(location: str) -> str:
    with Ledger.open(location, create=True) as ledger:
        open_game(ledger, "g", load("mail-opening"), at=NOON, secret=b"s" * 32)
    return location


def kind_of(location: str) -> str:
    return "postgres" if is_postgres(location) else "sqlite"


@pytest.mark.parametrize("index", range(7))
def test_what_could_drop_a_request_is_refused(location: str, index: int) -> None:
    statements = REFUSED[kind_of(location)]
    if index >= len(statements):
        pytest.skip("no such statement")
    Ledger.open(location, create=True).close()
    change(location, statements[index])
    for create in (False, True):
        with pytest.raises(StoreError) as refused:
            Ledger.open(location, create=create)
        assert "\n" not in str(refused.value)


def test_a_trigger_that_is_added_later_stops_the_next_request(place: str) -> None:
    if is_postgres(place):
        pytest.skip("PostgreSQL is asked when a ledger is opened only")
    with Ledger.open(place) as ledger:
        (name,) = ledger.games()
        head = ledger.head(name)
        change(place, REFUSED["sqlite"][0])
        event = ClockAdvanced(id="x", period=1, received_at=NOON, recorded_at=NOON)
        for _ in range(2):
            with pytest.raises(StoreError, match="trigger 't' on 'stored_events'"):
                ledger.append(name, [event], expected=head.number)
        change(place, "DROP TRIGGER t")
        ledger.append(name, [event], expected=head.number)


@pytest.mark.parametrize("index", range(8))
def test_verify_names_foreign_objects(place: str, index: int) -> None:
    named = NAMED[kind_of(place)]
    if index >= len(named):
        pytest.skip("no such statement")
    statement, phrase = list(named.items())[index]
    assert CliRunner().invoke(program, ["verify", place]).exit_code == 0
    change(place, statement)
    result = CliRunner().invoke(program, ["verify", place])
    assert result.exit_code == 1, result.output
    assert phrase in result.output
    assert "remove it" in result.output


def test_an_upgraded_ledger_holds_nothing_foreign(location: str) -> None:
    from pathlib import Path

    for version in (1, 2):
        text = Path(__file__).with_name(f"version-{version}-{kind_of(location)}.sql")
        change(location, text.read_text("utf-8"))
    assert CliRunner().invoke(program, ["upgrade", location]).exit_code == 0
    with Ledger.open(location) as ledger:
        assert ledger.foreign_objects() == []
