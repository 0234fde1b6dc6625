"""Corrections on the site: periods as they are known now, marked, with a page for each ruling."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from test_site import by_id, check_site, contents, elements, links_of, tree

from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load, parse
from nomoledger.views.site import publish

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
WEEK = timedelta(days=7)
HTML = "{http://www.w3.org/1999/xhtml}"
#: Squares can be bought for 20 $ a number.
SHOP = """### I.1 Shop
Words.
```yaml
declares:
  player: {name: Text key}
  square: {number: Number key, owner: Player}
commodities: {"$": {places: 0}}
pages:
  Office: {account: admin, tables: {Squares: {kind: square, columns: {Owner: owner}}}}
```
```python
def on_enact():
    for n in range(1, 10):
        create("square", {"number": n})

def define_join(name: Text) -> Player:
    return create("player", {"name": name}, name)

def after_join(player):
    pay("admin", player, 1000, "start")

def action_buy(player: Player, square: Square):
    pay(player, "admin", 20 * get(square, "number"), "square")
    set(square, "owner", player)
```
"""
NASTY = "it <b>never</b> happened"


def played(ledger: Ledger) -> Game:
    """Ann buys squares 8 and 3; Bob buys square 5 in the second week; all of it is closed."""
    game = open_game(ledger, "g", parse(SHOP, "shop.md"), at=NOON, secret=b"s" * 32)
    for name in ("Ann", "Bob"):
        game.join(name, at=NOON, id=name)
    game.submit("Ann", "buy", {"square": 8}, at=NOON, id="first")
    game.submit("Ann", "buy", {"square": 3}, at=NOON, id="second")
    game.close(at=NOON + WEEK, id="close 1")
    game.submit("Bob", "buy", {"square": 5}, at=NOON + WEEK, id="third")
    game.close(at=NOON + 2 * WEEK, id="close 2")
    return game


def text_of(page: Any) -> str:
    """Return the text of *page*, with a space between any two pieces."""
    return " ".join(" ".join(page.itertext()).split())


def number_of(game: Game, request: str) -> int:
    return next(x.number for x in game.ledger.read("g") if getattr(x.body, "id", "") == request)


def corrected(ledger: Ledger, settle: str = "all") -> Game:
    """In the third week, Ann's first purchase is found not to count."""
    game = played(ledger)
    first = number_of(game, "first")
    game.dispute("Bob", "she could not <i>pay</i>", about=first, at=NOON + 2 * WEEK)
    game.rule_on(
        "reject", NASTY, about=first, settle=settle, closes=1, at=NOON + 2 * WEEK, id="ruling"
    )
    return game


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corrected")
    with Ledger.open(folder / "g.db", create=True) as ledger:
        corrected(ledger)
        publish(ledger, "g", folder / "site")
    return folder / "site"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "g.db", create=True) as opened:
        yield opened


def page(site: Path, path: str) -> Any:
    return tree((site / path).read_text("utf-8"))


def row_of(table: Any, name: str) -> str:
    return next(text for row in table.iter(f"{HTML}tr") if name in (text := text_of(row)))


def main_of(site: Path, path: str) -> str:
    return text_of(by_id(page(site, path), "main"))


def test_every_page_is_valid_and_every_link_has_a_target(site: Path) -> None:
    check_site(site)
    assert "<b>" not in "".join(contents(site).values())


def test_standings_of_a_closed_period_are_as_they_are_known_now(site: Path) -> None:
    for path in ("period-1/index.html", "period-1/standings.html", "period-2/standings.html"):
        row = row_of(page(site, path), "Ann")
        assert "940 was 780, ruling 1" in row.replace("$", ""), path
        assert "1 was 2, ruling 1" in row, path


def test_a_figure_that_did_not_change_has_no_mark(site: Path) -> None:
    row = row_of(page(site, "period-2/standings.html"), "Bob")
    assert "was 1, ruling 1" in row  # his rank
    assert "900" in row
    assert "was 900" not in row


def test_a_mark_is_text_and_leads_to_the_ruling(site: Path) -> None:
    found = page(site, "period-1/standings.html")
    marks = [each for each in elements(found) if each.get("class") == "ruled"]
    assert marks
    for mark in marks:
        assert text_of(mark).startswith("was ")
        assert list(links_of(mark).values()) == ["../rulings/1.html"]


def test_a_period_that_was_corrected_says_so_on_every_page(site: Path) -> None:
    says = "as it is known now: corrected by ruling 1"
    for path, text in contents(site).items():
        if path.startswith(("period-1/", "period-2/")):
            assert says in text_of(tree(text)), path
        elif path.endswith(".html"):
            assert says not in text_of(tree(text)), path


def test_player_pages_and_boards_are_as_they_are_known_now(site: Path) -> None:
    ann = main_of(site, "period-1/players/ann.html")
    assert "squares owned 3" in ann
    assert "$ 940 was 780, ruling 1" in ann
    squares = list(page(site, "period-1/board.html").iter(f"{HTML}tr"))
    assert any("8 nothing was Ann, ruling 1" in text_of(row) for row in squares)


def test_a_statement_is_as_published_and_ends_with_the_correction(site: Path) -> None:
    text = main_of(site, "period-1/accounts.html")
    assert "In all as published 780" in text
    assert "Corrected later by ruling 1 +160 As it is known now 940" in text


def test_the_present_says_what_a_ruling_added(site: Path) -> None:
    assert "940 +160 by ruling 1" in row_of(page(site, "standings.html"), "Ann")
    front = main_of(site, "index.html")
    assert "What rulings changed lately" in front
    assert "corrected what is known of periods 1, 2, and the money of Ann (+160)" in front


def test_charts_show_both_values(site: Path) -> None:
    text = (site / "standings.html").read_text("utf-8")
    assert "Ann, period 1: 940, published as 780" in text
    assert "<rect" in text
    assert "Squares: changed by a ruling" in text


def test_a_ruling_has_a_page_that_tells_it(site: Path) -> None:
    found = page(site, "rulings/1.html")
    text = text_of(by_id(found, "main"))
    assert "The admin ruled on 19 January 2026, 12:00 UTC , in period 3" in text
    assert NASTY in text
    assert "Ann asks to buy: square 8 does not count" in text
    assert "It takes effect from period 1 on" in text
    assert "It closes dispute 1 by Bob : she could not <i>pay</i>" in text
    assert "period 1 780 940 +160 2 2 → 1" in text
    assert "period 2 780 940 +160 2 → 1 2 → 1" in text
    assert "at the ruling 780 940 +160" in text
    assert re.search(r"for period 1: admin 160 \$ → Ann 160 \$", text)
    assert "square 8 owner Ann nothing 1, 2" in text
    assert any(href.startswith("../period-1/log.html#e") for href in links_of(found).values())


def test_a_dispute_has_a_page_that_tells_it(site: Path) -> None:
    text = main_of(site, "disputes/1.html")
    assert "Dispute 1 closed" in text
    assert "In period 3" in text
    assert "Bob disputed" in text
    assert "she could not <i>pay</i>" in text
    assert "Ruling 1 closed it." in text
    assert NASTY in text


@pytest.mark.parametrize("path", ["rulings/1.html", "disputes/1.html"])
def test_each_event_that_a_ruling_changed_says_what_it_would_have_been(
    site: Path, path: str
) -> None:
    found = page(site, path)
    (table,) = (
        each for each in elements(found) if each.get("aria-label", "").endswith("in period 1")
    )
    rows = [text_of(row) for row in table.iter(f"{HTML}tr")]
    assert [row.partition(" ")[2] for row in rows[1:]] == [
        "Ann paid admin $160 (square) Ann would have paid nobody",
        "Ann now owns square 8 nothing",
    ]
    assert all("../period-1/why.html#e" in link for link in links_of(table).values())


def test_a_publish_does_not_compare_a_ruling_again(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corrected(ledger)
    publish(ledger, "g", tmp_path / "site")
    before = contents(tmp_path / "site")
    monkeypatch.delattr("nomoledger.views.site.ruled_play.ruled_events")
    publish(ledger, "g", tmp_path / "site")
    assert contents(tmp_path / "site") == before


def test_the_page_of_a_player_says_what_the_ruling_changed(site: Path) -> None:
    text = main_of(site, "players/ann.html")
    assert "What ruling 1 changed for Ann" in text
    assert text.index("What ruling 1 changed") < text.index("How things stand")
    assert "period 2 780 940 +160" in text


@pytest.mark.slow
@pytest.mark.parametrize("settle", ["money", "none"])
def test_what_is_known_changes_however_much_is_settled(
    settle: str, ledger: Ledger, tmp_path: Path
) -> None:
    corrected(ledger, settle)
    publish(ledger, "g", tmp_path / "site")
    check_site(tmp_path / "site")
    assert "940 was 780, ruling 1" in row_of(
        page(tmp_path / "site", "period-1/standings.html"), "Ann"
    )
    now = row_of(page(tmp_path / "site", "standings.html"), "Ann")
    assert ("+160 by ruling 1" in now) == (settle == "money")


@pytest.mark.slow
def test_an_overruled_correction_is_shown_as_the_last_ruling_left_it(
    ledger: Ledger, tmp_path: Path
) -> None:
    game = corrected(ledger)
    game.rule_on("uphold", "it did", overrules=(1,), settle="all", at=NOON + 2 * WEEK, id="again")
    publish(ledger, "g", tmp_path / "site")
    check_site(tmp_path / "site")
    assert "was" not in row_of(page(tmp_path / "site", "period-1/standings.html"), "Ann")
    assert "overruled by ruling 2" in main_of(tmp_path / "site", "rulings/1.html")
    assert "940 780 -160" in main_of(tmp_path / "site", "rulings/2.html")


def test_a_correction_makes_the_pages_of_earlier_periods_again(
    ledger: Ledger, tmp_path: Path
) -> None:
    game = played(ledger)
    publish(ledger, "g", tmp_path / "site")
    before = contents(tmp_path / "site")
    third = number_of(game, "third")
    game.rule_on("reject", "no", about=third, settle="all", at=NOON + 2 * WEEK, id="ruling")
    publish(ledger, "g", tmp_path / "site")
    after = contents(tmp_path / "site")
    publish(ledger, "g", tmp_path / "new")
    assert after == contents(tmp_path / "new")
    changed = {path for path in before if before[path] != after.get(path)}
    assert "period-2/standings.html" in changed
    assert not {path for path in changed if path.startswith("period-1/")}


@pytest.mark.slow
def test_a_replaced_draw_is_told_with_both_values(ledger: Ledger, tmp_path: Path) -> None:
    game = open_game(
        ledger, "g", load("mail-opening"), settings={"squares": 9}, at=NOON, dice_from="entered",
        secret=b"s" * 32,
    )  # fmt: skip
    game.join("Ann", {"email": "a"}, at=NOON, id="Ann")
    game.propose("Ann", "yes", (), at=NOON, id="p")
    game.judge(1, "accepted", at=NOON, id="j")
    game.enter_dice([3, 4], at=NOON, id="dice")
    edits = (e.Replaced(event=number_of(game, "dice"), value=[3, 5]),)
    game.rule_on("replace", "it was a 5", edits=edits, settle="all", at=NOON, id="ruling")
    publish(ledger, "g", tmp_path / "site")
    text = main_of(tmp_path / "site", "rulings/1.html")
    assert "rolled by hand: 3, 4 is replaced: 3, 4 → 3, 5" in text
