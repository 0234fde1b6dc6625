"""Texts that people make so that showing them takes hours: they are shown soon."""

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from nomoledger.intake.bounded_diff import diff_lines
from nomoledger.ledger.stores.location import safe_message
from nomoledger.views.site import text

LONG = 100_000
#: Far above what these take, and far below what they took.
SECONDS = 8.0


def soon(show: Callable[[], Any]) -> Any:
    start = time.process_time()
    result = show()
    assert time.process_time() - start < SECONDS
    return result


@pytest.mark.parametrize("part", ["9", "a.", "a@", "@", "a@b.", "_a_"])
def test_looking_for_addresses_takes_time_that_grows_with_the_text(part: str) -> None:
    assert soon(lambda: text.harmless(part * (LONG // len(part))))


def test_all_addresses_are_withheld() -> None:
    written = "Ann <ann@example.org>, b.b+c@x.y.org-d@e.org, @f.org g@h i@@j.org"
    shown = "Ann <[address withheld]>, [address withheld][address withheld], @f.org g@h i@@j.org"
    assert text.harmless(written) == shown


@pytest.mark.parametrize("part", ["[", "[a](", "![", "*_", "_a_", "|", "a**b", "`a"])
def test_long_texts_are_not_read_as_markdown(part: str) -> None:
    shown = soon(lambda: text.prose(part * (LONG // len(part))))
    assert shown.startswith("<pre>")


def test_long_texts_are_escaped() -> None:
    assert text.prose("<b>" * 5_000) == "<pre>" + "&lt;b&gt;" * 5_000 + "</pre>\n"


def test_texts_that_repeat_themselves_are_compared_as_wholes() -> None:
    old, new = "a b " * 16_000, "b a " * 16_000
    pieces = soon(lambda: text.differences(old, new))
    assert [(piece.text, piece.mark) for piece in pieces] == [(old, "del"), (new, "ins")]


def test_lines_that_repeat_themselves_are_compared_as_wholes() -> None:
    chance = random.Random(1)
    old, new = ([str(chance.randrange(200)) for _ in range(50_000)] for _ in range(2))
    lines = soon(lambda: diff_lines(old, new, "old", "new"))
    assert lines[:3] == ("--- old", "+++ new", "@@ -1,50000 +1,50000 @@")
    assert len(lines) == 100_003
    assert diff_lines(old, old) == ()


def test_long_words_in_messages_are_shown_soon() -> None:
    word = "x" * LONG
    assert soon(lambda: safe_message(f"there is no square {word!r}", [word])).endswith("x'")
    assert safe_message(f"{word}://ann:secret@db/games").endswith("://***")
