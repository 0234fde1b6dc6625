"""No text about a season shows an identifier, seconds since 1970, or the words of a program."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from cli.commands import run

from nomoledger import Ledger
from nomoledger.game.simulation import Plan, simulate
from nomoledger.views.site import publish

COMMANDS = (
    ("log",), ("log", "--admin"), ("history",), ("history", "--admin"), ("status",),
    ("status", "--admin"), ("state",), ("board",), ("standings",), ("balances",), ("rulings",),
    ("provisional", "state"),
)  # fmt: skip
#: An identifier, a time in seconds, and what a program says in place of words.
FORBIDDEN = re.compile(
    r"\b[a-z_]+:[0-9a-f]{10}\b|(?<![\d.])(?:9\d{8}|1\d{9})(?![\d.])|becomes (?:nothing|True|None)"
)
SMALL = ("mail-opening", "origon-opening", "weekly-vote-opening")
LARGE = ("mail", "nomopoly-iii", "origon", "weekly-vote")


def texts(ledger: Path, game: str, site: Path) -> Iterator[tuple[str, str]]:
    """Yield every line that a reader may see, with where it stands."""
    for name, *words in COMMANDS:
        result = run(name, str(ledger), *words)
        assert result.exit_code == 0, result.output
        yield from ((f"{name} {' '.join(words)}", line) for line in result.stdout.splitlines())
    with Ledger.open(ledger) as opened:
        publish(opened, game, site)
    for page in sorted(site.rglob("*.html")):
        if page.parent.name != "rules":  # A page of a rule shows its code.
            yield from ((str(page), line) for line in plain(page.read_text("utf-8")))


def plain(html: str) -> list[str]:
    """Return the text of a page, without tags, code and pictures."""
    html = re.sub(r"<(script|style|svg|pre)\b.*?</\1>", "", html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", html)).splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    "rulebook", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)]
)
def test_every_line_about_a_season_is_for_people(rulebook: str, tmp_path: Path) -> None:
    file = tmp_path / "season.db"
    plan = Plan(players=4, periods=3, requests=10, proposals=1, days=7, seed=2)
    with Ledger.open(file, create=True) as ledger:
        season = simulate(ledger, rulebook, plan)
    lines = list(texts(file, season.game, tmp_path / "site"))
    assert len(lines) > 200
    assert [line for line in lines if FORBIDDEN.search(line[1])] == []


def test_the_pattern_finds_what_it_forbids() -> None:
    for line in ("ticket:b238925f75", "opened 1767621600", "speeding of Ann becomes nothing"):
        assert FORBIDDEN.search(line)
    for line in ("Ann pays 1000000", "2026-01-05 12:00:00", "the vote of Ann on proposal 4"):
        assert not FORBIDDEN.search(line)
