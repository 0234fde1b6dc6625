"""docs/handover.md: its commands are run as three people, each in a folder of their own."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import COMMAND, FENCE, _fits, _run
from postgres_server import PostgresServer

PAGE = Path(__file__).parents[1] / "docs" / "handover.md"
#: Who acts from here on; a file that passes; commands with what they print.
PART = re.compile(
    rf"^\*\*(?P<sender>\w+)\*\* sends `(?P<sent>\S+)` to \*\*(?P<reader>\w+)\*\*"
    rf"|\*\*(?P<again>\w+)\*\* sends `(?P<more>\S+)` to \*\*(?P<other>\w+)\*\*"
    rf"|^\*\*(?P<who>\w+)\*\* |{FENCE.pattern}",
    re.DOTALL | re.MULTILINE,
)


def parts(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the parts of the page: what it is, and its words."""
    for part in PART.finditer(text):
        if part["body"]:
            yield "commands", (part["body"],)
        elif part["who"]:
            yield "acts", (part["who"],)
        else:
            yield (
                "sends",
                (
                    part["sender"] or part["again"],
                    part["sent"] or part["more"],
                    part["reader"] or part["other"],
                ),
            )


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_three_people_do_what_the_page_says(
    store: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledgers: dict[str, str] = {}
    folders = {name: tmp_path / name for name in ("Ann", "Bob", "Cleo")}
    for name, folder in folders.items():
        folder.mkdir()
        if store == "postgres":
            server: PostgresServer = request.getfixturevalue("postgres_server")
            ledgers[name] = server.new_database()
    monkeypatch.setenv("COLUMNS", "1000")
    who, commands = "", 0
    for kind, words in parts(PAGE.read_text("utf-8")):
        if kind == "acts":
            (who,) = words
            monkeypatch.chdir(folders[who])
        elif kind == "sends":
            sender, file, reader = words
            shutil.copy(folders[sender] / file, folders[reader] / file)
        else:
            for command in COMMAND.finditer(words[0]):
                typed = command["words"]
                if who in ledgers:
                    typed = re.sub(r"\bgame\.db\b", ledgers[who], typed)
                output = _run(typed, monkeypatch)
                if who in ledgers:
                    for spelt in (f"'{ledgers[who]}'", ledgers[who]):
                        output = output.replace(spelt, "game.db")
                assert _fits(command["output"].rstrip("\n"), output.rstrip("\n")), (
                    f"{who}$ {typed}\n{output}"
                )
                commands += 1
    assert commands > 15
    assert not (folders["Ann"] / "bob.key").exists()
    assert not list(folders["Cleo"].glob("game*"))
