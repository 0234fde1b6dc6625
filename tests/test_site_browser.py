"""The published site in a real browser: its content, and its width on a phone."""

import html
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from test_site_corrections import corrected

from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.loading import load
from nomoledger.views.site import publish

pytestmark = pytest.mark.browser

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
LONG = ("Somebodywithaveryverylongnamethatneverends" * 2)[:60]
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

#: Loads every page in a frame as wide as a phone, and says how wide each comes out.
PROBE = """<!DOCTYPE html><title>probe</title><body>FRAMES<pre></pre><script>
const hiddenWidth = region => region ? region.scrollWidth - region.clientWidth : 0;
// The words of names on a board that do not stand on one line.
const brokenWords = page => [...page.querySelectorAll(".board bdi, .stacked a")].flatMap(name => {
  const text = name.firstChild, found = [];
  for (const word of (text ? text.data : "").matchAll(/\\S+/g)) {
    const range = page.createRange();
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    if (word[0].length < 25 && range.getClientRects().length > 1) found.push(word[0]);
  }
  return found;
});
onload = () => {
  const found = [...document.querySelectorAll("iframe")].map(frame => ({
    path: frame.getAttribute("src"),
    width: frame.contentDocument.documentElement.scrollWidth,
    title: frame.contentDocument.title,
    map: hiddenWidth(frame.contentDocument.querySelector(".map")),
    broken: brokenWords(frame.contentDocument),
    size: parseFloat(frame.contentWindow.getComputedStyle(frame.contentDocument.body).fontSize),
  }));
  document.querySelector("pre").textContent = JSON.stringify(found);
};
</script>"""


#: Loads pages in a frame, one after the other, and says what axe finds wrong on each.
AXE = """<!DOCTYPE html><title>axe</title><meta name="color-scheme" content="SCHEME">
<body><iframe width="WIDTH" height="900"></iframe><pre></pre><script>
const found = {}, frame = document.querySelector("iframe");
const loaded = (element, url) => new Promise(done => { element.onload = done; element.src = url; });
const check = async page => {
  await loaded(frame, page);
  const inside = frame.contentDocument, script = inside.createElement("script");
  const ready = loaded(script, "/axe.min.js");
  inside.head.append(script);
  await ready;
  const rules = await frame.contentWindow.axe.run(inside);
  found[page] = {
    dark: frame.contentWindow.matchMedia("(prefers-color-scheme: dark)").matches,
    passes: rules.passes.length,
    violations: rules.violations.map(each => [each.id, ...each.nodes.map(node => node.html)]),
  };
};
onload = async () => {
  for (const page of PAGES) await check(page);
  document.querySelector("pre").textContent = JSON.stringify(found);
};
</script>"""
#: A page of each kind, of two sites.
KINDS = (
    *(
        f"/site/{name}.html"
        for name in (
            "index", "standings", "board", "players", "players/ann", "accounts", "proposals",
            "rules", "rules/v-1", "rulings", "log", "search",
        )
    ),
    *(
        f"/corrected/{name}.html"
        for name in (
            "index", "players/ann", "rulings/1", "disputes/1", "pages/office", "period-1/standings",
            "period-1/board", "period-1/players/ann", "period-1/accounts", "period-1/log",
            "period-1/why",
        )
    ),
)  # fmt: skip


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without logging."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a name, code and words that are too long for a phone."""
    folder = tmp_path_factory.mktemp("browser")
    with Ledger.open(folder / "g.db", create=True) as ledger:
        settings = {"squares": 40}
        game = open_game(ledger, "Mail", load("mail-opening"), settings=settings, at=NOON)
        for name in ("Ann", "Bob", "Anne-Marie von und zu Hohenstein", LONG):
            game.join(name, {"email": f"{name}@x.org"}, at=NOON)
        change = {"set": {"square": 4, "color": "red"}}
        game.propose(LONG, LONG * 3, read_changes(change), at=NOON)
        game.judge(1, "accepted", at=NOON)
        game.rule(LONG * 3, cites=("V.1",), at=NOON)
        game.close(at=NOON)
        publish(ledger, "Mail", folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address at which the folder of the site is served."""
    handler = partial(Quiet, directory=str(site.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def browse(profile: Path, *words: str) -> str:
    """Return the output of a new browser process."""
    browser = shutil.which("chromium")
    assert browser is not None, "there is no chromium: apt-get install chromium"
    command = [browser, *FLAGS, f"--user-data-dir={profile}", *words]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True, text=True)
    return done.stdout


def test_a_browser_shows_the_pages(site: Path, tmp_path: Path) -> None:
    dom = browse(tmp_path, "--dump-dom", (site / "index.html").as_uri())
    assert "<title>Overview · Mail</title>" in dom
    assert "Who may do what, and until when" in dom
    assert "<h2>Standings</h2>" in dom


def probe(site: Path, address: str, profile: Path, width: int) -> list[dict[str, Any]]:
    """Return what a browser finds on every page in a frame of that *width*."""
    pages = sorted(str(each.relative_to(site.parent)) for each in site.rglob("*.html"))
    frames = (f'<iframe src="{page}" width="{width}" height="640"></iframe>' for page in pages)
    (site.parent / "probe.html").write_text(PROBE.replace("FRAMES", "".join(frames)))
    dom = browse(profile, "--dump-dom", f"{address}/probe.html")
    match = re.search(r"<pre>(.*?)</pre>", dom, re.DOTALL)
    assert match is not None
    found: list[dict[str, Any]] = json.loads(match[1].replace("&lt;", "<").replace("&amp;", "&"))
    assert [each["path"] for each in found] == pages
    return found


def test_no_page_is_wider_than_a_phone(site: Path, address: str, tmp_path: Path) -> None:
    found = probe(site, address, tmp_path, 360)
    assert {each["path"]: each["width"] for each in found if each["width"] > 360} == {}
    assert all(each["title"].endswith("· Mail") and each["size"] >= 16 for each in found)


@pytest.mark.parametrize("width", [390, 1280])
def test_boards_fit_and_break_no_names(
    width: int, site: Path, address: str, tmp_path: Path
) -> None:
    boards = [each for each in probe(site, address, tmp_path, width) if "board" in each["path"]]
    assert boards
    if width == 390:  # Whoever reads on a phone sees all rows and columns at once.
        assert {each["path"]: each["map"] for each in boards if each["map"] > 0} == {}
    assert {each["path"]: each["broken"] for each in boards if each["broken"]} == {}


@pytest.fixture(scope="module")
def corrected_site(site: Path) -> Path:
    """A site with a ruling that reached back, a dispute and a page that rules declare."""
    with Ledger.open(site.parent / "corrected.db", create=True) as ledger:
        corrected(ledger)
        publish(ledger, "g", site.parent / "corrected")
    axe = distribution("axe-core-python").locate_file("axe_core_python/axe.min.js")
    shutil.copy(str(axe), site.parent / "axe.min.js")
    return site.parent / "corrected"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_every_kind_of_page_accessible(
    scheme: str, width: int, site: Path, corrected_site: Path, address: str, tmp_path: Path
) -> None:
    text = AXE.replace("SCHEME", scheme).replace("WIDTH", str(width))
    (site.parent / "axe.html").write_text(text.replace("PAGES", json.dumps(KINDS)))
    dom = browse(tmp_path, "--virtual-time-budget=600000", "--dump-dom", f"{address}/axe.html")
    match = re.search(r"<pre>(.*?)</pre>", dom, re.DOTALL)
    assert match is not None
    found = json.loads(html.unescape(match[1]))
    assert tuple(found) == KINDS
    assert [(p, *v) for p, each in found.items() for v in each["violations"]] == []
    assert all(each["passes"] > 10 for each in found.values())
    assert {each["dark"] for each in found.values()} == {scheme == "dark"}


def test_search_finds_words_without_a_server(site: Path, tmp_path: Path) -> None:
    asked = (site / "search.html").as_uri() + "?q=anne-marie"
    dom = browse(tmp_path, "--dump-dom", asked)
    shown = re.findall(r"<li><span class=\"kind\">(\w+)</span> <a [^>]*>([^<]*)</a>", dom)
    name = "Anne-Marie von und zu Hohenstein"
    assert shown == [("player", name), ("log", "Log of period 1")]
    assert "2 of " in dom
    assert '<p class="search">' in dom  # It is hidden without JavaScript.


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1280, 900)])
def test_a_picture_can_be_taken(site: Path, tmp_path: Path, width: int, height: int) -> None:
    picture = tmp_path / "shot.png"
    words = (f"--screenshot={picture}", f"--window-size={width},{height}")
    browse(tmp_path / "profile", *words, (site / "board.html").as_uri())
    head = picture.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    assert (int.from_bytes(head[16:20]), int.from_bytes(head[20:24])) == (width, height)
