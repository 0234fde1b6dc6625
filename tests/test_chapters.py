"""A rulebook in a folder of chapters, read in the order of their names."""

from pathlib import Path

import pytest

from nomoledger.errors import RulebookError, UnknownError
from nomoledger.rulebook.cases import cases_beside, load_cases, run_case
from nomoledger.rulebook.loading import load, parse, shipped

CASE = "case: it\nrulebook: ../../tall\nthen: {values: [{value: two, is: 2}]}\n"


def rule(number: str, code: str = "") -> str:
    return f"### {number} Title\n\nWords.\n\n```python\n{code or 'def define_it(): pass'}\n```\n"


@pytest.fixture
def tall(tmp_path: Path) -> Path:
    folder = tmp_path / "tall"
    folder.mkdir()
    (folder / "00-front.md").write_text("---\nrulebook: tall\napi: 0\n---\n# Tall\n\nWords.\n")
    (folder / "10-late.md").write_text("# Late\n\n" + rule("X.1", "def value_two(): return two_()"))
    (folder / "02-early.md").write_text(rule("II.1", "def value_two_(): return 2") + rule("II.2"))
    (folder / "notes.txt").write_text("### I.1 No chapter\n")
    cases = tmp_path / "cases" / "tall"
    cases.mkdir(parents=True)
    (cases / "it.yaml").write_text(CASE)
    return folder


def test_chapters_form_one_rulebook(tall: Path) -> None:
    book = load(str(tall))
    assert (book.name, book.file) == ("tall", "tall")
    assert [each.number for each in book.rules] == ["II.1", "II.2", "X.1"]
    assert [each.file for each in book.rules][::2] == ["tall/02-early.md", "tall/10-late.md"]
    assert book.rules[2].line == 8


def test_the_cases_beside_chapters_are_found(tall: Path) -> None:
    (case,) = cases_beside(str(tall))
    assert run_case(case).ok
    assert run_case(load_cases(tall.parent / "cases")[0], rulebook=load(str(tall))).ok


def test_a_rulebook_of_chapters_loads_from_its_own_folder(
    tall: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tall)
    assert load(".").file == "tall"


@pytest.mark.parametrize(
    ("chapter", "words"),
    [
        (rule("X.1"), "tall/20-more.md:1: there are two rules X.1"),
        ("Words.\n\n### What\n", "tall/20-more.md:3: not a number and a title: 'What'"),
        ("---\nrulebook: other\n---\n", "tall/20-more.md:1: front matter stands in the first"),
    ],
)
def test_errors_name_file_and_line(tall: Path, chapter: str, words: str) -> None:
    (tall / "20-more.md").write_text(chapter)
    with pytest.raises(RulebookError, match=words):
        load(str(tall))


@pytest.mark.parametrize("api", ["1", "-1", "true", "zero", "[0]"])
def test_an_unknown_api_is_refused_with_one_line(api: str) -> None:
    text = f"---\nrulebook: book\napi: {api}\n---\n{rule('X.1')}"
    with pytest.raises(RulebookError, match=r"^book\.md:3: unknown api .* knows api 0$"):
        parse(text, "book.md")


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownError, match="that folder has no chapters"):
        load(str(tmp_path))


def test_chapters_without_rules_are_refused(tmp_path: Path) -> None:
    (tmp_path / "front.md").write_text("# Only words\n")
    with pytest.raises(RulebookError, match="no rules in it"):
        load(str(tmp_path))


def test_a_shipped_rulebook_consists_of_chapters() -> None:
    assert "weekly-vote" in shipped()
    assert "cases" not in shipped()
    assert load("weekly-vote").name == "weekly-vote"
    assert cases_beside("weekly-vote")
