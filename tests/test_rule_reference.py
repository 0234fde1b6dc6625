"""docs/rule-language.md names every word that rule code may use, and no other."""

import re
from pathlib import Path

from nomoledger.language.code import KINDS
from nomoledger.language.lexicon import HOOKABLE, PLAIN
from nomoledger.language.linker import PRELUDE_WORDS

PAGE = (Path(__file__).parents[1] / "docs" / "rule-language.md").read_text("utf-8")
LINES_MAX = 120
WORDS = {*HOOKABLE, *PLAIN, *PRELUDE_WORDS}

#: In the first column of a table: `pay(payer, …)`, several to a row.
CALL = re.compile(r"`([a-z_]+)\(")


def first_column(heading: str) -> list[str]:
    """The first cell of each row of the table whose header starts with *heading*."""
    tables = re.findall(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert tables, heading
    rows = "".join(tables).splitlines()
    return [re.split(r"(?<!\\)\|", row)[1].strip() for row in rows]


def named(text: str) -> set[str]:
    return set(CALL.findall(text))


def test_the_page_stays_short() -> None:
    assert len(PAGE.splitlines()) <= LINES_MAX


def test_every_word_is_on_the_page() -> None:
    assert sorted(WORDS - set(re.findall(r"`([a-z_]+)[(`]", PAGE))) == []


def test_every_word_of_the_lexicon_is_in_a_table_of_words() -> None:
    in_tables = named(" ".join(first_column("word")))
    assert sorted({*PLAIN, *HOOKABLE} - {"act"} - in_tables) == []
    assert named(PAGE) >= {"act"}


def test_no_word_in_a_table_is_unknown_to_the_code() -> None:
    cells = first_column("word")
    assert [cell for cell in cells if not named(cell)] == []
    assert sorted(named(" ".join(cells)) - WORDS) == []


def test_the_table_of_hooks_has_every_kind_and_no_other() -> None:
    names = named(" ".join(first_column("name")))
    assert {name.split("_")[0] for name in names} == set(KINDS)


def test_the_steps_of_a_value_are_those_of_the_prelude() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| `adjust_"))
    steps = named(row) - {"adjust_rent"}
    assert steps == set(PRELUDE_WORDS) - {"may", "would"}
