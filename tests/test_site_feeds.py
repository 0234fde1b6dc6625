"""The feed, the calendar and the search index of a site: valid, escaped, with ids that stay."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import icalendar
import pytest
from test_site import contents, played, tree
from test_site_corrections import corrected

from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load, parse
from nomoledger.views.site import publish

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
WEEK = timedelta(days=7)
ATOM = "{http://www.w3.org/2005/Atom}"
NASTY = 'a, b; c\\d\n<script>"&\x07ann@example.org ' + "é" * 90
#: A rule that lets players set alarms, whose names are long and strange.
ALARMS = """### I.1 Alarms
Words.
```yaml
declares:
  player: {name: Text key}
  alarm: {name: Text key}
```
```python
def define_join(name: Text) -> Player:
    return create("player", {"name": name}, name)

def action_set_alarm(player: Player, name: Text, days: Number):
    schedule("ring", create("alarm", {"name": name}, name), due = now() + days * 86400)

def define_ring(alarm: Alarm):
    pass
```
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "g.db", create=True) as opened:
        yield opened


def published(ledger: Ledger, folder: Path, game: str = "g") -> dict[str, str]:
    publish(ledger, game, folder)
    return contents(folder)


def entries_of(feed: str) -> list[Any]:
    return ElementTree.fromstring(feed.encode()).findall(f"{ATOM}entry")


def ids_in(site: dict[str, str]) -> set[str | None]:
    return {each.findtext(f"{ATOM}id") for each in entries_of(site["feed.xml"])}


# --- the feed -----------------------------------------------------------------------------------


def test_the_feed_has_periods_rulings_disputes_and_proposals(
    ledger: Ledger, tmp_path: Path
) -> None:
    corrected(ledger)
    site = published(ledger, tmp_path / "site")
    found = {each.findtext(f"{ATOM}title"): each for each in entries_of(site["feed.xml"])}
    assert set(found) == {
        "Period 1 is closed", "Period 2 is closed", "Ruling 1", "Dispute 1 of #20 by Bob",
    } | {title for title in found if title and title.startswith("Dispute 1 of #")}  # fmt: skip
    assert found["Ruling 1"].findtext(f"{ATOM}summary") == "it <b>never</b> happened"
    assert found["Ruling 1"].findtext(f"{ATOM}updated") == "2026-01-19T12:00:00Z"
    assert (
        found["Period 1 is closed"].findtext(f"{ATOM}summary") == "1. Bob (1000 $), 2. Ann (940 $)"
    )


@pytest.mark.slow
def test_a_feed_has_what_the_standard_demands(ledger: Ledger, tmp_path: Path) -> None:
    played(ledger)
    site = published(ledger, tmp_path / "site")
    feed = ElementTree.fromstring(site["feed.xml"].encode())
    for each in (feed, *feed.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(each.findall(f"{ATOM}{name}")) == 1
        assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", each.findtext(f"{ATOM}id") or "")
        datetime.fromisoformat(each.findtext(f"{ATOM}updated") or "")
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "nomoledger"
    ids = [each.findtext(f"{ATOM}id") for each in feed.iter() if each.find(f"{ATOM}id") is not None]
    assert len(ids) == len(set(ids)) > 7
    for link in feed.iter(f"{ATOM}link"):
        path, _, anchor = link.attrib["href"].partition("#")
        assert path in site
        assert not anchor or f'id="{anchor}"' in site[path]
    assert "@example" not in site["feed.xml"]


@pytest.mark.slow
def test_ids_stay_when_the_game_goes_on_and_differ_between_games(
    ledger: Ledger, tmp_path: Path
) -> None:
    game = played(ledger)
    before = ids_in(published(ledger, tmp_path / "a"))
    game.close(at=NOON + timedelta(days=30))
    after = ids_in(published(ledger, tmp_path / "b"))
    assert before < after
    with Ledger.open(tmp_path / "other.db", create=True) as other:
        open_game(other, "g", load("mail-opening"), at=NOON, secret=b"t" * 32).close(at=NOON)
        others = ids_in(published(other, tmp_path / "c"))
    assert others
    assert not after & others


# --- the calendar -------------------------------------------------------------------------------


def alarmed(ledger: Ledger) -> Game:
    game = open_game(ledger, "g", parse(ALARMS, "alarms.md"), at=NOON, secret=b"s" * 32)
    game.join("Ann", at=NOON, id="join")
    for name in ("tea; coffee, or \\ both " + "é" * 45, "<b>2</b>"):
        game.submit(
            "Ann", "set_alarm", {"name": name, "days": 3}, at=NOON, id=f"alarm {name[0] != 't'}"
        )
    return game


def calendar_in(site: Path) -> Any:
    return icalendar.Calendar.from_ical((site / "deadlines.ics").read_bytes())


def test_the_calendar_has_deadlines_and_closes(ledger: Ledger, tmp_path: Path) -> None:
    alarmed(ledger).close(at=NOON + timedelta(days=1), id="close")
    text = published(ledger, tmp_path / "site")["deadlines.ics"]
    events = calendar_in(tmp_path / "site").walk("VEVENT")
    found = {str(each["SUMMARY"]): each.decoded("DTSTART") for each in events}
    assert found == {
        "Period 1 closes": NOON + timedelta(days=1),
        "Period 2 is open": NOON + timedelta(days=1),
        "alarm tea; coffee, or \\ both " + "é" * 45 + ": ring": NOON + timedelta(days=3),
        "alarm <b>2</b>: ring": NOON + timedelta(days=3),
    }
    assert len({str(each["UID"]) for each in events}) == len(events)
    assert all(each.decoded("DTSTAMP") == NOON + timedelta(days=1) for each in events)
    assert text.startswith("BEGIN:VCALENDAR")


def test_lines_of_the_calendar_are_short_and_end_as_the_standard_says(
    ledger: Ledger, tmp_path: Path
) -> None:
    alarmed(ledger)
    publish(ledger, "g", tmp_path / "site")
    lines = (tmp_path / "site" / "deadlines.ics").read_bytes().split(b"\r\n")
    assert lines.pop() == b""
    assert all(len(line) <= 75 and b"\n" not in line for line in lines)
    assert any(line.startswith(b" ") for line in lines)


def test_a_game_without_deadlines_has_a_valid_calendar(ledger: Ledger, tmp_path: Path) -> None:
    open_game(ledger, "g", load("mail-opening"), at=NOON)
    publish(ledger, "g", tmp_path / "site")
    events = calendar_in(tmp_path / "site").walk("VEVENT")
    assert [str(each["SUMMARY"]) for each in events] == ["Period 1 is open"]


# --- search -------------------------------------------------------------------------------------


def index_of(site: dict[str, str]) -> list[str]:
    text = site["search-index.js"]
    assert text.startswith("const searchIndex = [")
    words: list[str] = json.loads(text.removeprefix("const searchIndex = ").rstrip().rstrip(";"))
    return words


@pytest.mark.slow
def test_the_index_has_the_words_of_each_item_of_the_list(ledger: Ledger, tmp_path: Path) -> None:
    played(ledger)
    site = published(ledger, tmp_path / "site")
    page = tree(site["search.html"])
    items = [each for each in page.iter("{http://www.w3.org/1999/xhtml}li") if len(each) == 2]
    words = index_of(site)
    assert len(items) == len(words) > 30
    for item, found in zip(items, words, strict=True):
        title = " ".join("".join(item.itertext()).split())
        assert found.startswith(title.lower())
    assert any("and not this" in found and "proposal 4" in found for found in words)


def test_a_ruling_is_found_by_the_players_whose_figures_it_changed(
    ledger: Ledger, tmp_path: Path
) -> None:
    corrected(ledger)
    words = index_of(published(ledger, tmp_path / "site"))
    (ruling,) = [found for found in words if found.startswith("ruling ")]
    assert "ann" in ruling.split()


def test_a_log_is_found_by_its_words_also_when_its_pages_are_kept(
    ledger: Ledger, tmp_path: Path
) -> None:
    game = corrected(ledger)
    first = published(ledger, tmp_path / "site")
    game.submit("Bob", "buy", {"square": 7}, at=NOON + 2 * WEEK)
    second = published(ledger, tmp_path / "site")
    for site, wanted in ((first, "8"), (second, "7")):
        logs = [found.split() for found in index_of(site) if found.startswith("log ")]
        assert [words[:5] for words in logs] == [["log", "log", "of", "period", n] for n in "123"]
        assert "ann" in logs[0]
        assert "8" in logs[0]
        assert "bob" in logs[1]
        assert wanted in logs[0] + logs[2]
        assert "done" not in logs[0]  # bookkeeping


@pytest.mark.slow
def test_the_index_cannot_become_markup_or_code(ledger: Ledger, tmp_path: Path) -> None:
    played(ledger)
    text = published(ledger, tmp_path / "site")["search-index.js"]
    assert not set("<>&\u2028\u2029\x07") & set(text)
    assert "@example" not in text
    assert any(
        "<script>alert(1)</script>" in found for found in index_of({"search-index.js": text})
    )


def test_only_the_search_page_has_scripts_and_none_is_in_the_page(
    ledger: Ledger, tmp_path: Path
) -> None:
    corrected(ledger)
    site = published(ledger, tmp_path / "site")
    for path, text in site.items():
        if path.endswith(".html"):
            scripts = re.findall(r"<script.*?</script>", text, re.DOTALL)
            wanted = [
                f'<script src="{name}" defer></script>' for name in ("search-index.js", "search.js")
            ]
            assert scripts == (wanted if path == "search.html" else []), path


@pytest.mark.slow
def test_without_a_script_the_search_page_lists_everything(ledger: Ledger, tmp_path: Path) -> None:
    played(ledger)
    page = published(ledger, tmp_path / "site")["search.html"]
    assert '<p class="search" hidden>' in page
    for path in ("players/ann.html", "rules/x-1.html", "rulings/1.html", "period-2/log.html"):
        assert f'href="{path}"' in page
