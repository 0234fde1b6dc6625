"""The published site: its pages, and what they show."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import unquote

import html5lib
import pytest
from click.testing import CliRunner

from nomoledger.cli import program
from nomoledger.errors import UnknownError
from nomoledger.game.game import Game
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.loading import load, parse
from nomoledger.views.site import publish
from nomoledger.views.site.folder import MARKER

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
SCRIPT = "<script>alert(1)</script>"
HTML = "{http://www.w3.org/1999/xhtml}"
SETS = ("", "period-1/", "period-2/", "period-3/")
MENU = (
    "index",
    "standings",
    "board",
    "players",
    "accounts",
    "proposals",
    "rules",
    "rulings",
    "log",
)
NASTY = (
    f"{SCRIPT} <img src=x onerror=alert(2)> [a](javascript:alert(3)) [b](other.html)"
    " ![c](http://example.org/c.png) write to ann@example.org # {{ x }}"
)
TAX = {
    "number": "X.1",
    "title": SCRIPT,
    "prose": NASTY,
    "parameters": {"tax": 5},
    "code": "def after_turn(player):\n    pay(player, 'admin', tax, '<b>tax</b>')\n",
}


def played(ledger: Ledger) -> Game:
    """Two closed periods and an open one, with rules enacted, amended, renumbered and repealed."""
    rulebook = load("mail-opening")
    settings = {"squares": 9}
    game = open_game(
        ledger, "g", rulebook, settings=settings, dice_from="entered", at=NOON, secret=b"s" * 32
    )
    for name in ("Ann", SCRIPT):
        game.join(name, {"email": f"{len(name)}@example.org"}, at=NOON, id=f"join{len(name)}")
    propose(game, "Ann", "twenty", {"amend": "V.1", "parameters": {"dollars_per_number": 20}})
    game.submit("Ann", "buy", {"square": 8}, at=NOON, id="buy")
    game.submit("Ann", "name_square", {"square": 8, "name": SCRIPT}, at=NOON, id="name")
    with mock.patch("nomoledger.game.game.check_ruling_words"):  # earlier versions did not check
        game.rule("A *clear* case", cites=("V.1", "#17", "nowhere@two"), at=NOON, id="ruling")
    game.close(at=NOON, id="close1")
    propose(game, SCRIPT, NASTY, {"enact": TAX}, {"renumber": "VIII.4", "to": "VIII.9"})
    game.rule("red", changes=read_changes({"set": {"square": 9, "color": "red"}}), id="r2", at=NOON)
    game.close(at=NOON, id="close2")
    propose(game, "Ann", "no more tax", {"repeal": "X.1"})
    propose(game, "Ann", "and not this", verdict="rejected")
    game.propose(SCRIPT, NASTY, (), at=NOON, id="last")
    return game


def propose(
    game: Game, by: str, text: str, *changes: dict[str, Any], verdict: str = "accepted"
) -> None:
    """Make a proposal, judge it, and enter the dice of the turn that it earns."""
    number = len(game.world.proposals) + 1
    game.propose(by, text, read_changes(list(changes)), at=NOON, id=f"p{number}")
    game.judge(number, verdict, at=NOON, id=f"j{number}")
    game.enter_dice([3, 4], at=NOON, id=f"d{number}")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with Ledger.open(tmp_path_factory.mktemp("ledger") / "g.db", create=True) as opened:
        played(opened)
        yield opened


@pytest.fixture(scope="module")
def site(ledger: Ledger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published") / "site"
    publish(ledger, "g", folder)
    return folder


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "fresh.db", create=True) as opened:
        yield opened


def contents(folder: Path) -> dict[str, str]:
    files = (each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): each.read_text("utf-8") for each in sorted(files)}


def tree(text: str) -> Any:
    """Return the page as a tree. Invalid HTML raises an error."""
    return html5lib.HTMLParser(strict=True).parse(text)


def elements(page: Any) -> Iterator[Any]:
    return (each for each in page.iter() if isinstance(each.tag, str))


def text_of(page: Any) -> str:
    return " ".join("".join(page.itertext()).split())


def by_id(page: Any, anchor: str) -> Any:
    return next(each for each in elements(page) if each.get("id") == anchor)


def by_class(page: Any, name: str) -> Any:
    return next(each for each in elements(page) if each.get("class") == name)


def links_of(page: Any) -> dict[str, str]:
    """Return the text and the target of each link of *page*."""
    return {text_of(each): each.get("href") for each in page.iter(f"{HTML}a")}


def check_site(folder: Path) -> None:
    """Check that every page is valid HTML that loads nothing, and that every link has a target."""
    pages = {path: text for path, text in contents(folder).items() if path.endswith(".html")}
    trees = {path: tree(text) for path, text in pages.items()}
    anchors = {}
    for path, page in trees.items():
        ids = [each.get("id") for each in elements(page) if each.get("id")]
        assert len(ids) == len(set(ids)), path
        anchors[path] = set(ids)
        check_page(path, page)
    for path, page in trees.items():
        for each in elements(page):
            check_link(folder, path, each.get("href"), anchors)


def check_page(path: str, page: Any) -> None:
    names = [each.tag.removeprefix(HTML) for each in elements(page)]
    if path.endswith("search.html"):  # Its two scripts are files of the site: see test_site_feeds.
        names = [name for name in names if name != "script"]
    assert names.count("h1") == names.count("main") == names.count("title") == 1, path
    assert not {"script", "img", "iframe", "object", "form"} & set(names), path
    assert page.get("lang") == "en"
    for each in elements(page):
        bad = [key for key in each.attrib if key.startswith("on") or key == "src"]
        assert not bad or each.tag == f"{HTML}script", path
        assert "url(" not in each.get("style", ""), path


def check_link(folder: Path, path: str, href: str | None, anchors: dict[str, set[str]]) -> None:
    if href is None or href == "http://example.org/c.png":
        return
    assert ":" not in href, (path, href)
    target, _, anchor = unquote(href).partition("#")
    file = (folder / path).parent / target if target else folder / path
    found = str(file.resolve().relative_to(folder.resolve()))
    assert file.is_file(), (path, href)
    assert not anchor or anchor in anchors[found], (path, href)


# --- content ------------------------------------------------------------------------------------


def test_every_period_and_the_present_have_a_set_of_pages(site: Path) -> None:
    paths = set(contents(site))
    assert paths >= {f"{folder}{name}.html" for folder in SETS for name in MENU}
    assert paths >= {f"{folder}players/ann.html" for folder in SETS}
    assert paths >= {f"{folder}why.html" for folder in SETS[1:]}
    assert paths >= {"rules/x-1.html", "style.css", MARKER}


@pytest.mark.slow
def test_every_page_is_valid_and_every_link_has_a_target(site: Path) -> None:
    check_site(site)


def test_the_pages_of_a_period_show_the_state_at_its_close(site: Path) -> None:
    pages = contents(site)
    assert "As it stood at the close of period 1" in pages["period-1/index.html"]
    assert "Period 3, which is still open" in pages["period-3/index.html"]
    assert ">X.1" not in pages["period-1/rules.html"]
    assert "rules/x-1.html#v1" in pages["period-2/rules.html"]
    assert "No longer in force" in pages["rules.html"]
    assert "Proposal 2" not in pages["period-1/proposals.html"]


def test_the_front_page_shows_open_matters_and_the_latest_events(site: Path) -> None:
    front = text_of(tree(contents(site)["index.html"]))
    assert "Period 3 is open. 2 players, 27 rules" in front
    assert "The game proposal 5 is undecided" in front
    assert "What happened last" in front
    assert f"{SCRIPT} makes proposal 5" in front


def test_the_front_page_tells_the_last_period_in_sentences(site: Path) -> None:
    page = tree(contents(site)["index.html"])
    front = " ".join(" ".join(page.itertext()).split())
    told = front[front.index("What happened in period 2") :]
    assert "Period 2 closed on 5 January 2026, 12:00 UTC." in told
    assert "Players saw proposal 2 accepted." in told
    assert "Rules that changed: VIII.9 and X.1 ." in told
    assert "The admin made ruling 2 ." in told
    links = links_of(page)
    assert links["X.1"] == "rules/x-1.html"
    assert links["ruling 2"] == "rulings/2.html"


@pytest.mark.slow
def test_the_front_page_says_what_players_may_do_and_how_to_submit(
    ledger: Ledger, site: Path, tmp_path: Path
) -> None:
    front = text_of(tree(contents(site)["index.html"]))
    assert "What every player may try, with values to choose" in front
    assert "name square (square: a square, name: a text)" in front
    assert "Period 3 closes when the admin closes it." in front
    assert "nomoledger submit LEDGER PLAYER ACTION" in front
    publish(ledger, "g", tmp_path / "site", how_to_submit="Write to <game@example.org>\x07")
    check_site(tmp_path / "site")
    front = text_of(tree(contents(tmp_path / "site")["index.html"]))
    assert "Write to <game@example.org>\\x07" in front
    assert "nomoledger submit" not in front


def test_the_front_page_names_deadlines_of_players(fresh: Ledger, tmp_path: Path) -> None:
    rules = """### I.1 Options
Words.
```yaml
declares:
  player: {name: Text key}
  option: {player: Player}
```
```python
def define_join(name: Text) -> Player:
    return create("player", {"name": name}, name)

def action_wish(player: Player):
    schedule("lapse", create("option", {"player": player}), due = now() + 86400)

def define_lapse(option: Option):
    destroy(option)
```
"""
    game = open_game(fresh, "bare", parse(rules, "bare.md"), at=NOON)
    for name in ("Ann", "Bob"):
        game.join(name, at=NOON)
    game.submit("Bob", "wish", at=NOON)
    publish(fresh, "bare", tmp_path / "site")
    check_site(tmp_path / "site")
    terms = list(tree(contents(tmp_path / "site")["index.html"]).iter(f"{HTML}dt"))
    assert [text_of(term) for term in terms] == ["Bob"]
    front = text_of(tree(contents(tmp_path / "site")["index.html"]))
    assert "lapse, due 6 January 2026, 12:00 UTC" in front


def test_the_board_is_laid_out_as_the_rules_define(site: Path) -> None:
    page = tree(contents(site)["board.html"])
    board = next(t for t in page.iter(f"{HTML}table") if t.get("class") == "board")
    called = [
        [text_of(cell.find(f"{HTML}div")) for cell in row.iter(f"{HTML}td")]
        for row in board.iter(f"{HTML}tr")
    ]
    assert called == [["7", "8", "9"], ["6", "5", "4"], ["1", "2", "3"]]
    cells = [text_of(cell) for cell in board.iter(f"{HTML}td")]
    assert cells[1].startswith(f"8 {SCRIPT} owner Ann")
    assert cells[2] == "9 red price 180"


def test_the_board_shows_prices_and_last_moves(site: Path) -> None:
    page = tree(contents(site)["board.html"])
    assert text_of(by_id(page, "square-9")) == "9red180"
    moves = by_class(page, "moves")
    assert text_of(moves).startswith("Ann from 6 to 4, over 7, 8, 9, 1, 2, 3, in period 3 #")
    assert f"{SCRIPT} from 1 to 8, over 2, 3, 4, 5, 6, 7, in period 2 #" in text_of(moves)
    assert sum("why.html#e" in href for href in links_of(moves).values()) == 2


def test_the_board_steps_through_the_periods(site: Path) -> None:
    pages = contents(site)
    steps = by_class(tree(pages["board.html"]), "steps")
    assert list(links_of(steps).values()) == ["period-1/board.html", "period-2/board.html"]
    then = links_of(tree(pages["period-2/board.html"]))
    assert then["← period 1"] == "../period-1/board.html"
    assert then["period 3 →"] == "../period-3/board.html"
    assert then["now"] == "../board.html"


def test_a_game_whose_rules_fail_to_price_squares_has_a_board(
    fresh: Ledger, tmp_path: Path
) -> None:
    rules = """### I.1 Squares
Words.
```yaml
declares:
  square: {number: Number key}
```
```python
def on_enact():
    create("square", {"number": 1})

def value_square_price(square: Square):
    return 1 // 0
```
"""
    open_game(fresh, "bare", parse(rules, "bare.md"), at=NOON)
    publish(fresh, "bare", tmp_path / "site")
    check_site(tmp_path / "site")
    assert "price" not in text_of(tree(contents(tmp_path / "site")["board.html"]))


def test_every_amount_links_to_its_statement(site: Path) -> None:
    pages = contents(site)
    links = links_of(tree(pages["period-1/standings.html"]))
    target, _, anchor = links["840"].removeprefix("../").partition("#")
    statement = by_id(tree(pages[target]), anchor)
    assert "to admin: square by VIII.3@1 because of" in text_of(statement)
    assert text_of(statement).endswith("In all840")
    then = links_of(statement)["-160"].removeprefix("../")
    page, _, event = then.partition("#")
    assert page == "period-1/why.html"
    assert "Ann -160 $" in text_of(by_id(tree(pages[page]), event))
    now = links_of(tree(pages["standings.html"]))
    assert now["840"].startswith("period-3/accounts.html#")


def test_the_log_names_causes_and_rules(site: Path) -> None:
    pages = contents(site)
    line = next(
        each
        for each in tree(pages["period-2/log.html"]).iter(f"{HTML}li")
        if "-5 $" in text_of(each)
    )
    links = links_of(line)
    assert links["X.1@1"] == "../rules/x-1.html#v1"
    assert any(text != text_of(line) and "log.html#e" in href for text, href in links.items())


def test_a_rule_page_shows_history_differences_and_rulings(site: Path) -> None:
    page = tree(contents(site)["rules/v-1.html"])
    text = text_of(page)
    assert "version 1: enacted in period 1 by rulebook" in text
    assert "version 2: amended in period 1 by proposal 1 by Ann" in text
    assert "Ruling 1: A *clear* case" in text
    second = by_id(page, "v2")
    assert [each.text for each in second.iter(f"{HTML}del")] == ["10"]


def test_a_rule_keeps_its_page_when_it_is_renumbered_or_repealed(site: Path) -> None:
    pages = contents(site)
    renumbered = text_of(tree(pages["rules/viii-4.html"]))
    assert "renumbered from VIII.4 to VIII.9 in period 2 by proposal 2" in renumbered
    assert "This rule is no longer in force." in text_of(tree(pages["rules/x-1.html"]))


def test_rulings_link_to_their_citations(site: Path) -> None:
    page = tree(contents(site)["rulings.html"])
    links = links_of(by_id(page, "r1"))
    assert links["V.1"] == "rules/v-1.html"
    assert links["#17"] == "period-1/log.html#e17"
    assert "nowhere@two" not in links
    assert "color of square 9 becomes red" in text_of(by_id(page, "r2"))


def test_proposals_show_their_changes_and_verdicts(site: Path) -> None:
    page = tree(contents(site)["proposals.html"])
    assert "accepted" in text_of(by_id(page, "p1"))
    assert "amend rule V.1: dollars_per_number becomes 20" in text_of(by_id(page, "p1"))
    assert "rejected" in text_of(by_id(page, "p4"))
    assert "undecided" in text_of(by_id(page, "p5"))


def test_a_player_has_a_page_with_events(site: Path) -> None:
    text = text_of(tree(contents(site)["period-1/players/ann.html"]))
    assert "Rank 2 of 2." in text
    assert "Ann asks to buy: square 8" in text
    assert "squares owned 8" in text


def test_the_charts_are_drawn_without_a_script(site: Path) -> None:
    page = contents(site)["standings.html"]
    assert page.count("<polyline") == 4
    assert "Ann, period 2: 840" in page


@pytest.mark.slow
@pytest.mark.parametrize("rulebook", ["mail-opening", "weekly-vote-opening"])
def test_a_game_without_players(fresh: Ledger, tmp_path: Path, rulebook: str) -> None:
    open_game(fresh, "empty", load(rulebook), at=NOON)
    publish(fresh, "empty", tmp_path / "site")
    check_site(tmp_path / "site")
    assert "Nobody plays yet." in contents(tmp_path / "site")["standings.html"]


def test_a_game_without_money_and_squares(fresh: Ledger, tmp_path: Path) -> None:
    rules = "### I.1 Players\nWords.\n```yaml\ndeclares:\n  player: {name: Text key}\n```\n"
    rules += '```python\ndef define_join(name: Text):\n    create("player", {"name": name})\n```\n'
    game = open_game(fresh, "bare", parse(rules, "bare.md"), at=NOON)
    game.join("Ann", at=NOON)
    publish(fresh, "bare", tmp_path / "site")
    check_site(tmp_path / "site")
    assert "There are no squares." in contents(tmp_path / "site")["board.html"]


@pytest.mark.slow
def test_a_real_season_can_be_published(fresh: Ledger, tmp_path: Path) -> None:
    game = import_record(fresh, find("weekly-vote-season"))
    publish(fresh, game.name, tmp_path / "site")
    check_site(tmp_path / "site")


# --- what is left out ---------------------------------------------------------------------------


def test_text_by_players_stays_text(site: Path) -> None:
    for path, page in contents(site).items():
        assert "<script" not in page.replace('<script src="search', ""), path
        assert "<img" not in page, path
        assert "<b>" not in page, path
        assert 'href="javascript' not in page, path
    assert "&lt;script&gt;" in contents(site)["board.html"]


def test_addresses_are_withheld(site: Path) -> None:
    for path, page in contents(site).items():
        assert "@example" not in page, path
    assert "email [address withheld]" in text_of(tree(contents(site)["players/ann.html"]))


# --- replacement --------------------------------------------------------------------------------


@pytest.mark.slow
def test_publishing_twice_gives_the_same_bytes(ledger: Ledger, site: Path, tmp_path: Path) -> None:
    before = contents(site)
    publish(ledger, "g", tmp_path / "site")
    assert contents(tmp_path / "site") == before
    publish(ledger, "g", tmp_path / "site")
    assert contents(tmp_path / "site") == before
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_the_page_about_the_site_names_every_page_and_has_its_picture() -> None:
    docs = Path(__file__).parents[1] / "docs"
    text = (docs / "site.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)\.html`", text, re.MULTILINE) == list(MENU)
    assert (docs / "site.png").read_bytes().startswith(b"\x89PNG")


# --- the command --------------------------------------------------------------------------------


def test_the_command_reports_the_number_of_pages(ledger: Ledger, tmp_path: Path) -> None:
    location = ledger.store.location
    result = CliRunner().invoke(program, ["publish", location, str(tmp_path / "site")])
    assert result.exit_code == 0
    assert f"g is published in {tmp_path}/site: " in result.output
    again = ["publish", location, str(tmp_path / "site"), "--game", "g", "--json"]
    assert '"pages":' in CliRunner().invoke(program, again).output


def test_the_command_leaves_other_folders_alone(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = CliRunner().invoke(program, ["publish", ledger.store.location, str(tmp_path)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "holds something else" in result.stderr


def test_an_unknown_game(ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(UnknownError):
        publish(ledger, "nope", tmp_path / "site")
    assert not (tmp_path / "site").exists()
