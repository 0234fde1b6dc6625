"""docs/tables.md: its queries return what it shows, and it describes every column."""

import importlib.util
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from nomoledger.game.exchange import copy_ledger
from nomoledger.ledger.ledger import Ledger
from nomoledger.views.sql.databases import open_views
from nomoledger.views.sql.sql_views import create_tables
from nomoledger.views.sql.sync import sync_tables
from nomoledger.views.sql.table import Readings, SqlTable, find_tables
from tables.table_tools import synchronise

PAGE = Path(__file__).parents[2] / "docs" / "tables.md"
MARK = "<!-- written by tests/tables/test_tables_page.py -->\n"
QUERY = re.compile(r"^```sql\n(?P<query>.*?)^```\n\n```text\n(?P<rows>.*?)^```$", re.DOTALL | re.M)


@pytest.fixture
def season(play_page: Callable[[Path], list[str]], tmp_path: Path) -> Path:
    """The ledger of the page, with the tables that its commands make."""
    console = re.findall(r"^```console\n.*?^```$", PAGE.read_text("utf-8"), re.DOTALL | re.M)
    (tmp_path / "page.md").write_text("\n\n".join(console), "utf-8")
    assert play_page(tmp_path / "page.md")
    return tmp_path / "season.db"


def format_result(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    lines = [names, *([_cell(x) for x in row] for row in rows)]
    return "".join(f"{' | '.join(line)}\n" for line in lines)


def _cell(value: Any) -> str:
    return "null" if value is None else str(value)


@pytest.mark.slow
def test_every_query_gives_what_the_page_shows(season: Path, postgres_url: str) -> None:
    queries = list(QUERY.finditer(PAGE.read_text("utf-8")))
    assert len(queries) == PAGE.read_text("utf-8").count("```sql") > 7
    with closing(sqlite3.connect(season.with_name("season.views.db"))) as file:
        for query in queries:
            result = file.execute(query["query"])
            names = [column[0] for column in result.description]
            assert format_result(names, result.fetchall()) == query["rows"], query[0]
    with Ledger.open(season) as ledger, Ledger.open(postgres_url, create=True) as copied:
        copy_ledger(ledger, copied, ledger.games())
        synchronise(copied, postgres_url)
    with psycopg.connect(postgres_url, options="-c search_path=nomoledger_views") as server:
        for query in queries:
            rows = server.execute(query["query"].replace("%", "%%").encode(), ()).fetchall()
            names = query["rows"].partition("\n")[0].split(" | ")
            assert format_result(names, rows).replace('"', "") == query["rows"].replace('"', "")


def described(table: type[SqlTable]) -> str:
    """Return the page's description of *table*."""
    rows = "".join(
        f"| {_name(table, x.name)} | {x.type} | {x.meaning} |\n" for x in table.columns()
    )
    times = " at one time" if issubclass(table, Readings) else ""
    head = f"### {table.name}\n\n{table.about.removesuffix('.')}{times}.\n\n"
    return f"{head}| column | type | meaning |\n|---|---|---|\n{rows}\n"


def _name(table: type[SqlTable], name: str) -> str:
    return f"**`{name}`**" if name in table.primary() else f"`{name}`"


def test_every_column_is_described() -> None:
    text = "".join(map(described, find_tables()))
    before, mark, after = PAGE.read_text("utf-8").partition(MARK)
    now = after[: after.index("## A table of your own")]
    if os.environ.get("WRITE_PAGES"):
        rest = after[after.index("## A table of your own") :]
        PAGE.write_text(f"{before}{mark}\n{text}{rest}", "utf-8")
    else:
        assert now.strip() == text.strip()


@pytest.mark.slow
def test_the_example_of_a_custom_table_works(season: Path, tmp_path: Path) -> None:
    example = re.search(
        r"^```python stops.py\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.M
    )
    assert example is not None
    (tmp_path / "stops.py").write_text(example[1], "utf-8")
    spec = importlib.util.spec_from_file_location("stops", tmp_path / "stops.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with Ledger.open(season) as ledger, closing(open_views(tmp_path / "own.db", False)) as views:
        create_tables(views, [module.Stops])
        list(sync_tables(ledger, views, [module.Stops], ledger.games(), lambda count: None))
    with closing(sqlite3.connect(tmp_path / "own.db")) as file:
        assert file.execute("SELECT count(*) > 9, max(piece) FROM stops").fetchone() == (
            1,
            "Woll",
        )


def fences() -> Iterator[str]:
    yield from re.findall(r"^```(\w+)", PAGE.read_text("utf-8"), re.M)


def test_every_kind_of_example_is_tested() -> None:
    assert set(fences()) == {"console", "sql", "text", "python"}
