"""Rulings say something, and cite what exists; what is wrong is turned down, unrecorded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from cli.commands import data, ok, wrong
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger


@pytest.mark.parametrize("text", ["", "   ", "\t\n", "\u00a0"])
def test_a_ruling_without_words_is_turned_down(landed: str, text: str) -> None:
    assert "the text of the ruling is empty" in wrong("ruling", landed, text)
    assert "the text of the ruling is empty" in wrong("ruling", landed, text, "--uphold", "#20")
    assert data("rulings", landed)["rulings"] == []


def test_closing_a_dispute_without_words_is_turned_down(landed: str) -> None:
    ok("dispute", "open", landed, "Ann", "Hm.", "--period", "1")
    assert "the text of the ruling is empty" in wrong("dispute", "close", landed, "1", " ")


def test_voiding_without_words_is_turned_down(landed: str) -> None:
    ok(
        "order",
        landed,
        "Ann",
        "--when",
        "square(Ann) == 9",
        "--do",
        "buy square=9",
        "--id",
        "later",
    )
    assert "the text of the ruling is empty" in wrong("void", landed, "order", "later", "")


def test_a_file_without_changes_is_turned_down(landed: str) -> None:
    Path("none.yaml").write_text("[]\n")
    assert "there is no change in it" in wrong("ruling", landed, "So.", "--changes", "none.yaml")


@pytest.mark.parametrize(
    ("cited", "said"),
    [
        ("V.111", "there is no rule 'V.111' to cite, nor was there one; did you mean 'V.1'?"),
        ("the weather", "there is no rule 'the weather' to cite"),
        ("V.1@7", "rule V.1 has no version '7' to cite; it has: 1"),
        ("V.1@", "rule V.1 has no version '' to cite"),
        ("#100000", "there is no event #100000 to cite: the last is #"),
        ("#" + "9" * 30, "there is no event #9999"),
        ("  ", "a citation is empty"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--uphold", "#20")])
def test_what_a_ruling_cites_must_exist(
    landed: str, options: tuple[str, ...], cited: str, said: str
) -> None:
    assert said in wrong("ruling", landed, "So.", *options, "--cite", cited)
    assert data("rulings", landed)["rulings"] == []


def test_a_citation_is_checked_before_a_correction_is_previewed(landed: str) -> None:
    dice = next(x["number"] for x in data("log", landed)["events"] if "3, 4" in x["told"])
    words = ("ruling", landed, "So.", "--replace", f"{dice}=1,1", "--cite", "VI.99")
    assert "there is no rule 'VI.99' to cite" in wrong(*words)


@pytest.mark.slow
def test_rules_and_versions_that_once_existed_can_be_cited(landed: str) -> None:
    changes = [
        "- {amend: V.1, prose: Dear squares.}",
        "- {renumber: V.1, to: V.7}",
        "- {repeal: VI.4}",
    ]
    for number, change in enumerate(changes):
        Path("change.yaml").write_text(change)
        ok("ruling", landed, f"Change {number}.", "--changes", "change.yaml")
    cites = ("V.1", "V.1@1", "V.1@2", "V.7", "V.7@2", "VI.4", "#0")
    words = [word for cited in cites for word in ("--cite", cited)]
    made = data("ruling", landed, "See those.", *words)["events"][0]
    assert tuple(made["cites"]) == cites
    assert "rule V.7 has no version '1'" in wrong("ruling", landed, "So.", "--cite", "V.7@1")


def test_recorded_rulings_that_cite_what_does_not_exist_are_replayed(landed: str) -> None:
    ruled: Callable[..., Any] = mock.Mock()  # earlier versions did not check
    with (
        Ledger.open(landed) as ledger,
        mock.patch("nomoledger.game.game.check_ruling_words", ruled),
    ):
        Game(ledger).rule("", cites=("nowhere@two", "#123456"))
    assert "nothing differs" in ok("replay", landed)
    assert "records are as written" in ok("verify", landed)
