"""Terminals get no control characters from what people wrote, and spreadsheets get no formulas.

The names are written directly into a ledger, past all checks of requests.
"""

import ast
import csv
import io
import json
import re
from pathlib import Path

import pytest

import nomoledger.cli
from cli.commands import ok, run
from nomoledger.events.codec import decode, decode_json, encode, tag_of
from nomoledger.ledger.ledger import Ledger

#: A name with an escape sequence, a C1 control, bidi marks, zero-width and invisible characters.
NAME = "=cmd|'/C x'!A1\x1b]0;x\x07\x9b31m\u202eevil\u2066\u200b\ufeff\U000e0041\r\x08"
CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0041]"
)
COMMANDS = (
    "status", "standings", "standings --all", "board", "balances", "state", "history", "log",
    "log --admin", "rulings", "rules of", "rules log", "replay", "verify", "provisional standings",
    "explain Bob money", "proposal show 1",
    "proposals", "players", "player Bob", "dispute list", "dispute show 1", "dispute open Zoe x",
    "submit Zoe buy square=1", "leave Bob", "vote Bob 1 yes", "what-if --rules-of 1",
    "why-not land Bob", "bisect money(Zoe)>1", "close",
)  # fmt: skip


@pytest.fixture
def hostile(game: str) -> str:
    """The game with Ann and Bob, in which Ann is called NAME, and texts and reasons hold it."""
    ok("propose", game, "Ann", "PROPOSED", "--at", "2026-01-05T12:00:00")
    ok("dispute", "open", game, "Ann", "DISPUTED", "--period", "1", "--at", "2026-01-05T12:00:00")
    escaped = json.dumps(NAME)[1:-1].encode()
    with Ledger.open(game) as ledger, Ledger.open("hostile.db", create=True) as other:
        (name,) = ledger.games()
        records = []
        for _, topic, state in ledger.store.rows(name, -1, ledger.head(name).number):
            line = json.dumps(_json(topic, state)).encode()
            for word in (b"PROPOSED", b"DISPUTED", b"starting money"):
                line = line.replace(word, word + b" " + escaped)
            event = decode_json(line.replace(b'"Ann"', b'"' + escaped + b'"'))
            records.append((tag_of(event), encode(event)))
        with other.transaction() as transaction:
            transaction.add_game(name)
            transaction.append_encoded(name, records, expected=-1)
    return "hostile.db"


def _json(topic: str, state: bytes) -> object:
    import msgspec

    return json.loads(msgspec.json.encode(decode(topic, state)))


@pytest.mark.parametrize("words", COMMANDS)
def test_no_command_prints_a_control_character(hostile: str, words: str) -> None:
    name, *rest = words.split()
    first = [rest.pop(0)] if name in ("rules", "proposal", "dispute") else []
    arguments = [NAME if word == "Zoe" else word for word in rest]
    arguments = [word.replace("Zoe", NAME) for word in arguments]
    result = run(name, *first, hostile, *arguments)
    assert result.exit_code in (0, 1, 2)
    assert not CONTROL.search(result.output), CONTROL.findall(result.output)


@pytest.mark.parametrize("words", ["state", "log --admin", "standings", "balances"])
def test_json_escapes_control_characters_and_keeps_the_values(hostile: str, words: str) -> None:
    name, *rest = words.split()
    text = ok(name, hostile, *rest, "--json")
    assert not CONTROL.search(text)
    assert json.dumps(NAME)[1:-1] in json.dumps(json.loads(text))


def test_an_error_prints_no_control_character(hostile: str) -> None:
    result = run("explain", hostile, "Nobody\x1b[31m\u202e", "money")
    assert result.exit_code == 2
    assert not CONTROL.search(result.stderr)


@pytest.mark.parametrize("words", ["standings --csv", "balances --csv", "export"])
def test_a_cell_of_csv_is_no_formula_and_numbers_stay_numbers(hostile: str, words: str) -> None:
    name, *rest = words.split()
    arguments = ["-", "--format", "csv"] if name == "export" else rest
    text = ok(name, hostile, *arguments)
    assert not CONTROL.search(text)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert any(cell.startswith("'=cmd") for cell in cells)
    for cell in cells:
        number = re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", cell)
        assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert {"-1000", "-2000"} & {*cells} or name == "standings"


def test_everything_is_printed_in_few_places() -> None:
    allowed = {"output.py", "group.py", "completion.py", "rule_history.py", "projections.py"}
    for path in Path(nomoledger.cli.__file__).parent.glob("*.py"):
        if path.name in allowed:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                assert name not in ("echo", "secho", "print", "prompt_for"), (
                    f"{path}: {node.lineno}"
                )
