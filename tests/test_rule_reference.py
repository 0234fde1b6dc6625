"""docs/rule-language.md describes every verb and hook of the language, and no other.

Run this file as a program to write the generated sections of the page again.
"""

import re
from pathlib import Path

from nomoledger.events.levels import NEWEST
from nomoledger.language.code import KINDS
from nomoledger.language.host_verbs import HOST_VERBS
from nomoledger.language.prelude import PRELUDE_VERBS, prelude_of
from nomoledger.language.reference import write_reference
from nomoledger.language.reserved import BUILTINS

PAGE = Path(__file__).parents[1] / "docs" / "rule-language.md"
LINES_MAX = 170
#: The comments around the generated sections.
START = "run `python tests/test_rule_reference.py`. -->\n\n"
END = "\n<!-- End of the generated sections. -->\n"


def page() -> str:
    return PAGE.read_text("utf-8")


def page_with_new_sections() -> str:
    before, rest = page().split(START)
    _, after = rest.split(END)
    return f"{before}{START}{write_reference()}{END}{after}"


def test_the_page_stays_short() -> None:
    assert len(page().splitlines()) <= LINES_MAX


def test_the_generated_sections_are_up_to_date() -> None:
    assert page() == page_with_new_sections()


def test_every_verb_is_in_one_row() -> None:
    cells = re.findall(r"^\| (`.*?`) \| ", write_reference(), re.MULTILINE)
    rows = [name for cell in cells for name in re.findall(r"`([a-z_]+)\(", cell)]
    assert sorted(rows) == sorted([*HOST_VERBS, *PRELUDE_VERBS])


def test_every_description_is_sentences() -> None:
    for name, verb in (HOST_VERBS | PRELUDE_VERBS).items():
        assert re.fullmatch(r"[A-Z][^|\n]*\.", verb.description), name
        assert "`host`" not in verb.description, name


def test_the_prelude_defines_the_verbs_that_it_should() -> None:
    defined = set(re.findall(r"^def ([a-z]\w*)\(", prelude_of(NEWEST), re.MULTILINE))
    wrapped = {verb.name for verb in HOST_VERBS.values() if verb.is_wrapped}
    assert defined == {*PRELUDE_VERBS, *wrapped}
    assert not defined & BUILTINS


def test_only_verbs_that_change_the_game_can_be_hooked() -> None:
    assert {verb.purpose for verb in HOST_VERBS.values() if verb.is_hookable} == {"change"}


def test_the_table_of_hooks_has_every_kind_and_no_other() -> None:
    table = page().split("## Hooks")[1].split("\n\n")[1]
    names = re.findall(r"`([a-z]+)_[a-z_]+\(", " ".join(re.findall(r"^\|[^|]*\|", table, re.M)))
    assert set(names) == set(KINDS)


if __name__ == "__main__":
    PAGE.write_text(page_with_new_sections(), "utf-8")
