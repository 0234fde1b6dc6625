"""The published site of a game of `mail`: a board that changes its shape, and declared pages."""

import html
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from test_site import check_site

from nomoledger.cli import program
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.checker.rulebook_check import find_faults
from nomoledger.rulebook.loading import load, parse
from nomoledger.views.site import publish

#: A season of `mail` takes long to play.
pytestmark = pytest.mark.slow

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
FORTY = """
 37  38  39  40
 36  35  34  33  32  31
 25  26  27  28  29  30
 24  23  22  21  20  19
 13  14  15  16  17  18
 12  11  10   9   8   7
  1   2   3   4   5   6
"""
FORTY_NINE = """
 43  44  45  46  47  48  49
 42  41  40  39  38  37  36
 29  30  31  32  33  34  35
 28  27  26  25  24  23  22
 15  16  17  18  19  20  21
 14  13  12  11  10   9   8
  1   2   3   4   5   6   7
"""
THIRTY_NINE = FORTY.replace("  40", "")


class Table:
    """A game of `mail` in which the admin has things happen."""

    def __init__(self, ledger: Ledger) -> None:
        self.game: Game = open_game(
            ledger, "g", load("mail"), dice_from="seeded", at=START, secret=b"s" * 32
        )
        self.steps = 0

    def next(self) -> dict[str, Any]:
        self.steps += 1
        return {"at": START + timedelta(hours=self.steps), "id": f"step{self.steps}"}

    def rule(self, *changes: dict[str, Any]) -> None:
        self.game.rule("so it is", changes=read_changes(list(changes)), **self.next())

    def close(self) -> None:
        self.game.close(**self.next())
        while (question := self.game.world.waiting) is not None:
            value = question.options[0] if question.default is None else question.default
            self.game.answer(value, **self.next())


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with Ledger.open(tmp_path_factory.mktemp("ledger") / "g.db", create=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def site(ledger: Ledger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = Table(ledger)
    for name in ("Ann", "Bob", "Cid"):
        table.game.join(name, {"email": f"{name}@example.org"}, **table.next())
    table.rule(
        {"set": {"square": 17, "owner": "Government", "name": "Mill"}},
        {"set": {"pseudoplayer": "elephant", "square": 34}},
        {"set": {"square": 33, "tree": True}},
        {"set": {"square": 9, "theme": "Candy", "owner": "Bob"}},
    )
    table.close()
    table.game.submit("Ann", "bid", {"lot": lot_of(table.game), "amount": 123}, **table.next())
    table.rule(*[{"do": "fish_square"}] * 9)
    table.close()
    table.rule(*[{"do": "destroy_square", "with": {"square": n}} for n in range(49, 38, -1)])
    folder = tmp_path_factory.mktemp("published") / "site"
    publish(ledger, "g", folder)
    return folder


def lot_of(game: Game) -> int:
    world = game.world
    lots = world.kinds["lot"]
    return int(next(world.label(lot) for lot in lots if world.get(lot, "auction") == "property"))


def grid(page: str) -> list[list[int]]:
    """Return the numbers of the squares on a page of the board, row by row."""
    table = page[page.index('class="board"') : page.index("Square by square")]
    rows = [re.findall(r'class="called"><a [^>]*>(\d+)<', row) for row in table.split("</tr>")]
    return [[int(number) for number in row] for row in rows if row]


def picture(text: str) -> list[list[int]]:
    return [[int(number) for number in line.split()] for line in text.strip().splitlines()]


def read(site: Path, name: str) -> str:
    return html.unescape((site / name).read_text("utf-8"))


def rows(site: Path, page: str, table: str) -> list[list[str]]:
    """Return the cells of the *table* on the declared *page*."""
    text = read(site, page)
    after = text[text.index(f"<h2><bdi>{table}</bdi></h2>") :]
    section = after[: after.index("</section>")]
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in section.split("</tr>")]
    return [[re.sub(r"<[^>]+>", "", cell).strip() for cell in row] for row in found if row][1:]


def path_of(site: Path, title: str, folder: str = "") -> str:
    """Return the path of the page *title*, as the menu says."""
    found = re.search(rf'href="([^"]*)"[^>]*>{title}<', read(site, f"{folder}index.html"))
    assert found is not None, title
    return found[1].removeprefix("../")


def test_every_page_is_valid_and_every_link_has_a_target(site: Path) -> None:
    check_site(site)


def test_the_board_of_each_period_has_its_own_shape(site: Path) -> None:
    assert grid(read(site, "period-1/board.html")) == picture(FORTY)
    assert grid(read(site, "period-2/board.html")) == picture(FORTY_NINE)
    assert grid(read(site, "board.html")) == picture(THIRTY_NINE)


def test_a_short_last_row_leaves_its_places_empty(site: Path) -> None:
    first_row = read(site, "period-1/board.html").split('class="board"')[1].split("</tr>")[0]
    assert first_row.count('class="gap"') == 2


def test_the_board_shows_who_owns_squares_by_the_rules_and_where_pieces_are(
    ledger: Ledger, site: Path
) -> None:
    cells = read(site, "period-1/board.html").split('class="called"')
    by_number = {re.findall(r">(\d+)<", cell)[0]: cell for cell in cells[1:]}
    assert "owner Government" in re.sub(r"<[^>]+>|\s+", " ", by_number["30"]).replace("  ", " ")
    standing = [number for number, cell in by_number.items() if ">elephant<" in cell]
    assert len(standing) == 1
    assert all(">White<" in cell for number, cell in by_number.items() if number == "4")


def test_the_government_has_a_page_with_its_money_squares_and_auction(site: Path) -> None:
    page = path_of(site, "The Government", "period-1/")
    assert [row[0] for row in rows(site, page, "Squares")] == [
        "10",
        "17",
        "20",
        "25",
        "30",
        "35",
        "40",
    ]
    [lot] = rows(site, page, "Auction")
    assert lot[1:] == ["17", "Going Once", ""]


def test_a_bid_is_public_and_its_bidder_is_not(ledger: Ledger, site: Path) -> None:
    [lot] = rows(site, path_of(site, "The Government", "period-2/"), "Auction")
    assert lot[1:] == ["17", "Going Twice", "123"]
    # What Ann sent is an event, and none of the pages has it.
    pages = [each.read_text("utf-8") for each in site.rglob("*.html")]
    assert not [page for page in pages if "asks to bid" in page or "a bid of" in page]
    lines = [line for page in pages for line in page.splitlines() if "123" in line]
    assert lines
    assert not [line for line in lines if "Ann" in line]


def test_there_are_pages_for_the_corporation_the_wetha_jobs_stores_and_products(
    site: Path,
) -> None:
    corporation = path_of(site, "The Corporation")
    assert re.search(r"<dt>A share costs</dt>\s*<dd>\s*10\s*</dd>", read(site, corporation))
    for_sale = rows(site, corporation, "Experimental Technologies")
    assert ["Warp Bubble", "500", "Corporation"] in for_sale
    wetha = path_of(site, "The WETHA")
    assert [row[0] for row in rows(site, wetha, "Lodges")] == ["28"]
    assert [row[0] for row in rows(site, wetha, "Trees")] == ["33"]
    jobs = rows(site, path_of(site, "Jobs"), "Jobs")
    assert [row[:2] for row in jobs] == [
        ["Head GIPPer", "Government"],
        ["Taxi Driver", "Government"],
    ]
    assert rows(site, path_of(site, "Stores"), "Stores") == [["9", "", "Candy", "Bob"]]
    products = rows(site, path_of(site, "Products"), "Products")
    assert [row[1:3] for row in products if row[0] == "Fancy Ketchup"] == [["Candy", "60"]]


@pytest.mark.slow
def test_the_same_game_gives_the_same_site(ledger: Ledger, site: Path, tmp_path: Path) -> None:
    publish(ledger, "g", tmp_path / "again")
    for page in site.rglob("*.html"):
        again = tmp_path / "again" / page.relative_to(site)
        assert again.read_bytes() == page.read_bytes()


@pytest.mark.slow
def test_a_simulated_season_is_published_with_a_board_for_each_week(tmp_path: Path) -> None:
    season = str(tmp_path / "season.db")
    options = ("--rulebook", "mail", "--players", "5", "--periods", "4", "--seed", "5")
    played = CliRunner().invoke(program, ["simulate", season, *options])
    assert played.exit_code == 0, played.output
    with Ledger.open(season) as ledger:
        publish(ledger, "simulated", tmp_path / "site")
    check_site(tmp_path / "site")
    for period in range(1, 5):
        shape = grid(read(tmp_path / "site", f"period-{period}/board.html"))
        width = math.isqrt(sum(map(len, shape)))
        assert [len(row) for row in shape[1:]] == [width] * (len(shape) - 1)
        assert 0 < len(shape[0]) <= width
        assert sorted(n for row in shape for n in row) == list(range(1, sum(map(len, shape)) + 1))
    text = "".join(page.read_text("utf-8") for page in (tmp_path / "site").rglob("*.html"))
    assert "asks to bid" not in text


# --- pages of other rulebooks ---------------------------------------------------------------------

POND = """---
rulebook: pond
api: 0
---
### 1 Frogs

Frogs sit in a pond. A frog may croak.

```yaml
declares:
  player: {name: Text key, loud: Flag}
commodities: {fly: {}}
pages:
  Frogs:
    values: {Loud ones: loud_ones}
    tables:
      Loud: {kind: player, where: {loud: true}, columns: {Flies: fly, Fat: is_fat}}
      Hungry: {kind: player, where: {fly: 2}, columns: {Flies: fly}}
shown: {player.loud: is_loud}
```

```python
def define_join(name: Text):
    mint(create("player", {"name": name}, name), 3, "a start", "fly")

def action_croak(player: Player):
    \"\"\"The frog croaks.\"\"\"
    set(player, "loud", True)

def action_eat(player: Player):
    \"\"\"The frog eats a fly.\"\"\"
    burn(player, 1, "eaten", "fly")

def value_loud_ones() -> Number:
    return len(where("player", loud = True))

def value_is_loud(player: Player) -> Flag:
    return get(player, "loud") == True

def value_is_fat(player: Player) -> Flag:
    return balance(player, "fly") > 2
```
"""


def test_any_rulebook_can_declare_pages(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "pond.db", create=True) as ledger:
        game = open_game(ledger, "pond", parse(POND, "pond.md"), at=START)
        for name in ("Ann", "Bob"):
            game.join(name, {}, at=START, id=name)
        game.submit("Bob", "croak", {}, at=START, id="croak")
        game.rule("silence", changes=read_changes([{"repeal": "1"}]), at=START, id="r")
        publish(ledger, "pond", tmp_path / "site")
        assert "Frogs" not in read(tmp_path / "site", "index.html").split("</nav>")[0]
    with Ledger.open(tmp_path / "frogs.db", create=True) as ledger:
        game = open_game(ledger, "pond", parse(POND, "pond.md"), at=START)
        for name in ("Ann", "Bob"):
            game.join(name, {}, at=START, id=name)
        game.submit("Bob", "croak", {}, at=START, id="croak")
        game.submit("Ann", "eat", {}, at=START, id="eat")
        publish(ledger, "pond", tmp_path / "frogs")
    assert rows(tmp_path / "frogs", "pages/frogs.html", "Loud") == [["Bob", "3", "yes"]]
    assert rows(tmp_path / "frogs", "pages/frogs.html", "Hungry") == [["Ann", "2"]]
    assert re.search(
        r"<dt>Loud ones</dt>\s*<dd>\s*1\s*<", read(tmp_path / "frogs", "pages/frogs.html")
    )


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("Fat: is_fat", "Fat: is_fad", "there is no attribute, commodity or value 'is_fad'"),
        ("kind: player, where", "kind: plaier, where", "no rule declares the kind 'plaier'"),
        ("where: {loud", "where: {lout", "there is no attribute, commodity or value 'lout'"),
        ("ones: loud_ones", "ones: is_fat", "the value is_fat cannot be asked with no thing"),
        ("player.loud: is", "player.lout: is", "no rule declares the attribute 'lout' of player"),
    ],
)
def test_rules_check_finds_mistakes_in_pages(right: str, wrong: str, said: str) -> None:
    assert right in POND
    texts = find_faults(parse(POND.replace(right, wrong), "pond.md"))
    assert [text for text in texts if said in text], texts
