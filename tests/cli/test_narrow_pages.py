"""Every command at 80 columns: no line is longer, and no word is broken."""

import shlex
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from test_every_command import TABLES
from tiers import sample

from cli.commands import NOON, ok, run
from cli.test_terminal import in_terminal
from nomoledger.cli import output, program
from nomoledger.cli.line_wrap import cell_width, wrap_text
from nomoledger.cli.table_layout import lay_out
from nomoledger.game.read_models import Table

WIDTH = 80
LONG = "Bartholomew Featherstonehaugh-Cholmondeley the Younger"
LONGER = "Wilhelmina Throgmorton-Smythe of Nether Wallop and Upper"
#: Commands that print the same each time.
VIEWS = (
    "balances", "board", "dispute list", "history", "log", "rules blame", "rules log", "rules of",
    "rulings", "standings", "state", "status",
)  # fmt: skip


def too_long(text: str) -> list[str]:
    """Return the lines of *text* that are too long, unless a hash or address is on them."""
    return [
        line
        for line in text.splitlines()
        if cell_width(line) > WIDTH and max(map(cell_width, line.split())) < WIDTH - 30
    ]


def words(text: str) -> set[str]:
    return set(text.split()) - {"\\"}


@pytest.fixture(scope="module")
def crowded_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A game of players with long names, with a dispute, rulings and proposals of many words."""
    file = str(tmp_path_factory.mktemp("crowded") / "g.db")
    ok("init", file, "--rulebook", "mail-opening", "--set", "squares=9", "--at", NOON)
    for name in (LONG, LONGER):
        ok("join", file, name, f"email={name.split()[0]}@example.org", "--at", NOON)
    text = f"{LONG} pays twice as much as {LONGER}, whatever anybody else may say about it"
    ok("propose", file, LONG, text, "--amend", "VIII.3.days_open=10", "--at", NOON)
    ok("judge", file, "1", "accepted", "--at", NOON)
    ok("ruling", file, f"So be it: {text}", "--cite", "VII.1", "--at", NOON)
    ok("dispute", "open", file, LONGER, f"It is not so that {text}", "--event", "60", "--at", NOON)
    return file


@pytest.mark.parametrize("name", sample(VIEWS, 6))
def test_views_break_no_word_at_80_columns(
    name: str, crowded_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [*name.split(), crowded_file, *(["IV.1"] if name == "rules blame" else [])]
    wide = run(*command).stdout
    monkeypatch.setattr(output, "page_width", lambda stream: WIDTH)
    narrow = run(*command).stdout
    assert narrow
    assert too_long(narrow) == []
    assert words(narrow) <= words(wide)


@pytest.mark.parametrize("name", sample(TABLES, 13))
@pytest.mark.slow_with("simulate", "publish")
def test_no_line_of_any_command_is_longer_than_80_columns(
    name: str, season_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "page_width", lambda stream: WIDTH)
    file = shutil.copy(season_file, tmp_path / "season.db")
    more = shlex.split(TABLES[name].replace("OUT", str(tmp_path)))
    result = CliRunner().invoke(program, [*name.split(), str(file), *more])
    assert too_long(result.output) == []


def test_a_terminal_shows_what_the_page_holds(crowded_file: str) -> None:
    for columns in (80, 120):
        code, shown = in_terminal(["rulings", crowded_file], columns=columns)
        assert code == 0
        lines = click.unstyle(shown).splitlines()
        assert max(map(len, lines)) <= columns


def test_a_wide_terminal_is_used(crowded_file: str) -> None:
    _, narrow = in_terminal(["rulings", crowded_file], columns=80)
    _, wide = in_terminal(["rulings", crowded_file], columns=400)
    assert len(wide.splitlines()) == 2
    assert len(narrow.splitlines()) > 2


@pytest.mark.slow
def test_failures_are_red_unless_nobody_wants_colours(crowded_file: str) -> None:
    deal = [f"buyer={LONG}", f"seller={LONGER}", "square=2", "price=1"]
    refused = ["submit", crowded_file, LONG, "deal", *deal, "--at", NOON]
    _, shown = in_terminal(["explain", crowded_file, "Nobody", "money"])
    assert "\x1b[31mnomoledger: " in shown
    _, shown = in_terminal(refused)
    assert "\x1b[31mrefused: " in shown
    _, shown = in_terminal(refused, no_color="1")
    assert "\x1b" not in shown
    assert "refused: " in shown


TEXT = st.text("ab é字\n", max_size=40)


@given(TEXT, st.integers(5, 60))
def test_wrapped_text_keeps_every_word(text: str, width: int) -> None:
    wrapped = wrap_text(text, width)
    assert wrapped.split() == text.split()
    for line in wrapped.splitlines():
        assert cell_width(line) <= width or len(line.split()) == 1


@given(st.lists(st.tuples(TEXT, TEXT, st.integers(0, 10**9).map(str)), min_size=1, max_size=4))
def test_tables_keep_every_word(rows: list[tuple[str, str, str]]) -> None:
    columns = ("one", "a heading", "figure")
    for width in (20, 40, 200):
        lines = [line for line, _ in lay_out(Table(columns, tuple(rows)), width)]
        kept = {word for line in lines for word in line.split()}
        assert {word for row in rows for cell in row for word in cell.split()} <= kept
        given_words = {word for cell in (*columns, *sum(rows, ())) for word in cell.split()}
        assert kept <= given_words


def test_figures_are_aligned_to_the_right() -> None:
    table = Table(("player", "$"), (("Ann", "5"), ("Bob", "-1200")))
    assert [line for line, _ in lay_out(table, WIDTH)] == [
        "player      $",
        "Ann         5",
        "Bob     -1200",
    ]


def test_figures_that_do_not_fit_stand_in_bands() -> None:
    columns = ("player", *(f"week{number}" for number in range(1, 13)))
    table = Table(columns, (("Ann", *("1000" for _ in range(12))),))
    lines = [line for line, _ in lay_out(table, 40)]
    assert lines[0] == "player  week1  week2  week3  week4"
    assert lines[3] == "player  week5  week6  week7  week8"
    assert "" in lines


def test_a_command_that_is_wrapped_can_still_be_pasted() -> None:
    line = "to mend it: nomoledger ruling g.db 'Rule X is repealed' --repeal X --urgent"
    assert wrap_text(line, 40).splitlines() == [
        "to mend it:",
        "  nomoledger ruling g.db \\",
        "    'Rule X is repealed' --repeal X \\",
        "    --urgent",
    ]


def test_a_pipe_is_the_same_whatever_the_terminal(
    crowded_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = run("rulings", crowded_file).stdout
    monkeypatch.setenv("COLUMNS", "200")
    assert run("rulings", crowded_file).stdout == before
