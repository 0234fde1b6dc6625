"""Ledgers of earlier versions still verify, export the same bytes and replay the same."""

import json
import lzma
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from postgres_server import PostgresServer

from nomoledger.cli import program

from .record import answers

HERE = Path(__file__).parent
#: Fields that a replay has since 0.7.0.
LATER_FIELDS = {
    *("line", "who", "where", "explained_if", "omitted", "repeated", "has_record"),
    *("unknown", "belongs_after"),
}
LEDGERS = sorted(path.relative_to(HERE).with_suffix("") for path in HERE.glob("level-*/*.xz"))


def run(*words: str) -> str:
    result = CliRunner().invoke(program, words)
    assert result.exit_code in (0, 1), result.output
    return result.stdout


@pytest.fixture
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The golden ledger of that name, as a file or in a database of its own."""
    golden: Path = HERE / request.param
    content = lzma.decompress(golden.with_name(f"{golden.name}.xz").read_bytes())
    if golden.suffix == ".sqlite":
        file = tmp_path / "golden.db"
        file.write_bytes(content)
        return str(file)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    url = server.new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(content)
    return url


#: The ledgers of the default run: secrets, disputes, audits and two seasons.
FAST = {
    *(f"level-0/{name}.sqlite" for name in ("disputed", "mail-opening", "origon", "plots")),
    *(f"level-0/{name}.sqlite" for name in ("origon-week1", "weekly-vote-season")),
    *("level-0/plots.postgres", "level-1/plots.sqlite", "level-2/mail-opening.sqlite"),
}


def parameters() -> list[Any]:
    return [
        pytest.param(path, path, id=str(path), marks=() if str(path) in FAST else pytest.mark.slow)
        for path in LEDGERS
    ]


@pytest.mark.parametrize(("ledger", "golden"), parameters(), indirect=["ledger"])
def test_a_golden_ledger_answers_as_when_it_was_recorded(ledger: str, golden: Path) -> None:
    expected: dict[str, Any] = json.loads((HERE / f"{golden}.json").read_text("utf-8"))
    del expected["recorded by"]
    assert as_then(answers(ledger, run), expected) == expected


def as_then(now: Any, then: Any) -> Any:
    """What an answer says *now*, without the fields that later versions added to a replay."""
    if isinstance(now, dict) and isinstance(then, dict):
        added = LATER_FIELDS - {*then}
        return {name: as_then(x, then.get(name)) for name, x in now.items() if name not in added}
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [as_then(*pair) for pair in zip(now, then, strict=True)]
    return now
