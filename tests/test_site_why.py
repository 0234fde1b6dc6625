"""The explanations on the published site: every figure has one, and none reveals a secret."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import html5lib
import pytest

from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.labels import amount_held
from nomoledger.rulebook.loading import load, parse
from nomoledger.sandbox.limits import Limits
from nomoledger.views.site import publish
from nomoledger.views.site.explanations import SECRET, UNTOLD
from nomoledger.views.site.public_run import trace_public_run
from nomoledger.views.site.public_view import public_entries

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
HTML = "{http://www.w3.org/1999/xhtml}"
#: Luck is tried in secret, and adds to what is then paid in public.
LUCKY = """### I.1 Luck
Words.
```yaml
declares:
  player: {name: Text key, luck: Number}
commodities: {gold: {}}
secret: [try_luck]
```
```python
def define_join(name: Text):
    create("player", {"name": name})

def value_strength(player: Player):
    return 5 + (get(player, "luck") or 0)

def action_try_luck(player: Player, luck: Number):
    set(player, "luck", luck)

def action_pay_up(player: Player):
    pay("mint", player, strength(player), "strength")

def action_brag(player: Player):
    pay("mint", player, 1, "bragging")
```
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def lucky(ledger: Ledger) -> Game:
    game = open_game(ledger, "g", parse(LUCKY, "lucky.md"), at=NOON)
    for name in ("Ann", "Bob"):
        game.join(name, at=NOON)
    return game


def pages(ledger: Ledger, game: str, folder: Path) -> dict[str, Any]:
    publish(ledger, game, folder / "site")
    parser = html5lib.HTMLParser(strict=True)
    files = (folder / "site").rglob("*.html")
    return {
        str(each.relative_to(folder / "site")): parser.parse(each.read_text()) for each in files
    }


def text(page: Any) -> str:
    return " ".join(" ".join(page.itertext()).split())


def item(page: Any, words: str) -> Any:
    """Return the innermost list item that contains *words*."""
    return [each for each in page.iter(f"{HTML}li") if words in text(each)][-1]


def test_a_payment_is_explained_step_by_step(ledger: Ledger, tmp_path: Path) -> None:
    lucky(ledger).submit("Ann", "pay_up", at=NOON)
    page = pages(ledger, "g", tmp_path)["period-1/why.html"]
    assert "pay_up(Ann) [ I.1@1 ] strength(Ann) [ I.1@1 ]: 5" in text(page)
    came = item(page, "mint -5 gold")
    assert came.get("class") == "came"
    assert came.get("id").startswith("e")
    assert SECRET not in text(page)
    assert UNTOLD not in text(page)


def test_an_event_with_a_secret_cause_has_no_steps(ledger: Ledger, tmp_path: Path) -> None:
    game = lucky(ledger)
    game.submit("Ann", "try_luck", {"luck": 7}, at=NOON)
    game.submit("Ann", "pay_up", at=NOON)
    game.submit("Bob", "pay_up", at=NOON)
    game.submit("Ann", "brag", at=NOON)
    found = pages(ledger, "g", tmp_path)
    why = text(found["period-1/why.html"])
    assert "mint -12 gold, Ann +12 gold" in why
    assert why.count(SECRET) == 1
    assert "strength(Ann)" not in why
    assert "strength(Bob) [ I.1@1 ]: 5" in why
    assert "brag(Ann) [ I.1@1 ]" in why
    for path, page in found.items():
        words = text(page)
        assert "try_luck" not in words or path.startswith("rules"), path
        assert "luck of Ann" not in words, path


def test_a_consequence_of_a_secret_has_no_head_and_no_steps(ledger: Ledger, tmp_path: Path) -> None:
    rules = LUCKY.replace('    set(player, "luck", luck)', "    reveal()\n    give_away(player)")
    rules = rules.replace(
        "def action_brag",
        'def define_give_away(player):\n    pay("mint", player, 3, "luck")\n\ndef action_brag',
    )
    game = open_game(ledger, "g", parse(rules, "lucky.md"), at=NOON)
    game.join("Ann", at=NOON)
    game.submit("Ann", "try_luck", {"luck": 7}, at=NOON)
    why = text(pages(ledger, "g", tmp_path)["period-1/why.html"])
    assert f"{SECRET} # " in re.sub(r"#\d+", "#", why)
    assert "give_away(" not in why


def test_a_failing_rule_does_not_prevent_publication(ledger: Ledger) -> None:
    lucky(ledger).submit("Ann", "pay_up", at=NOON)
    public = list(public_entries(ledger, "g"))
    assert trace_public_run(public, Limits(wall_seconds=0.0)) == {}


def season(ledger: Ledger) -> str:
    return import_record(ledger, find("weekly-vote-season")).name


def mail(ledger: Ledger) -> str:
    game = open_game(ledger, "g", load("mail-opening"), dice_from="entered", at=NOON)
    game.join("Ann", {"email": "ann@example.org"}, at=NOON)
    game.propose("Ann", "a turn", (), at=NOON)
    game.judge(1, "accepted", at=NOON)
    game.enter_dice([3, 4], at=NOON)
    game.submit("Ann", "buy", {"square": 8}, at=NOON)
    game.close(at=NOON)
    return "g"


@pytest.mark.parametrize("make", [season, mail])
@pytest.mark.slow_with("season")
def test_every_event_that_matters_has_its_explanation(
    ledger: Ledger, tmp_path: Path, make: Any
) -> None:
    game = make(ledger)
    found = pages(ledger, game, tmp_path)
    for path, log in found.items():
        if not re.fullmatch(r"period-\d+/log.html", path):
            continue
        why = found[path.replace("log", "why")]
        anchors = {each.get("id") for each in why.iter() if isinstance(each.tag, str)}
        told = [e.get("id") for e in log.iter() if e.get("id") and e.get("class") != "quiet"]
        assert set(told) - {"main"} <= anchors
        assert SECRET not in text(why)
        assert UNTOLD not in text(why)


@pytest.mark.parametrize("make", [season, mail])
@pytest.mark.slow_with("season")
def test_every_statement_sums_to_its_balances(ledger: Ledger, tmp_path: Path, make: Any) -> None:
    game, seen = make(ledger), set()
    found = pages(ledger, game, tmp_path)
    for path, page in found.items():
        if not re.fullmatch(r"period-\d+/accounts.html", path):
            continue
        world = LedgerView(ledger, game, int(path.split("/")[0][7:])).world
        for section in (each for each in page.iter(f"{HTML}section") if each.get("id")):
            title = section.find(f"{HTML}h2")
            account, commodity = text(title[0]), (title[0].tail or "").removeprefix(": ") or "$"
            thing = next(each for each in world.balances if world.label(each) == account)
            assert adds_up(section) == amount_held(world, thing, commodity), (path, account)
            seen.add((path, account))
    assert len(seen) >= len(world.balances)


def adds_up(section: Any) -> Decimal:
    """Return the closing balance of a statement, after checking every balance in it."""
    rows = [[text(cell) for cell in row] for row in section.iter(f"{HTML}tr")][1:]
    if not rows:
        return Decimal(re.findall(r": (-?[\d.]+) as before", text(section))[0])
    balance = Decimal(rows[0][-1])
    for *_, amount, shown in rows[1:-1]:
        balance += Decimal(amount)
        assert balance == Decimal(shown)
    assert balance == Decimal(rows[-1][-1])
    return balance


def test_figures_lead_to_explanations_and_not_to_the_log(ledger: Ledger, tmp_path: Path) -> None:
    found = pages(ledger, mail(ledger), tmp_path)
    for path in ("standings", "board", "players", "accounts", "players/ann", "index"):
        for link in found[f"period-1/{path}.html"].iter(f"{HTML}a"):
            if re.fullmatch(r"-?[\d.]+", text(link)) and "log.html" in link.get("href"):
                raise AssertionError((path, text(link), link.get("href")))


@pytest.mark.slow
def test_many_similar_steps_are_collapsed(ledger: Ledger, tmp_path: Path) -> None:
    page = pages(ledger, season(ledger), tmp_path)["period-2/why.html"]
    folded = [text(each) for each in page.iter(f"{HTML}summary")]
    assert folded
    assert all(re.fullmatch(r"\d+ more like it", each) for each in folded)
