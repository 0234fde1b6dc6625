"""A site that is published again: what nothing has changed is kept, and the site is as if new."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.errors import NomoledgerError
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.loading import load
from nomoledger.views.site import manifest, pages, publish, render_site
from nomoledger.views.site.manifest import MANIFEST

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
PLAYERS = ("Ann", "Bob", "Cy")
PAGE_RULE = {
    "number": "X.9",
    "title": "A page",
    "prose": "There is a page about squares.",
    "pages": {"Squares": {"tables": {"All": {"kind": "square", "columns": {"owner": "owner"}}}}},
}
FINE = "def after_turn(player):\n    pay(player, 'admin', 1, 'fine')\n"


def opened(ledger: Ledger) -> Game:
    rulebook = load("mail-opening")
    game = open_game(ledger, "g", rulebook, settings={"squares": 9}, at=NOON, secret=b"s" * 32)
    for name in PLAYERS:
        game.join(name, {"email": f"{name}@example.org"}, at=NOON, id=f"join {name}")
    return game


def now(game: Game) -> datetime:
    return datetime.fromtimestamp(game.world.game["now"], UTC)


# --- what a week may bring: each takes the game and a source of luck --------------------------


def buy(game: Game, luck: Random) -> None:
    game.submit(luck.choice(PLAYERS), "buy", {"square": luck.randint(1, 9)}, at=now(game))


def propose(game: Game, luck: Random) -> None:
    number = len(game.world.proposals) + 1
    dollars = luck.randint(5, 30)
    changes = read_changes([{"amend": "V.1", "parameters": {"dollars_per_number": dollars}}])
    game.propose(luck.choice(PLAYERS), f"price {dollars}", changes, at=now(game))
    if luck.random() < 0.7:
        game.judge(number, luck.choice(("accepted", "rejected")), at=now(game))


def rule_page(game: Game, luck: Random) -> None:
    """Enact or repeal a rule with a page of its own: menus change."""
    there = any(rule.number == "X.9" for rule in game.world.rules)
    change = {"repeal": "X.9"} if there else {"enact": PAGE_RULE}
    game.rule("pages", changes=read_changes(change), at=now(game))


def code(game: Game, luck: Random) -> None:
    there = any(rule.number == "X.8" for rule in game.world.rules)
    rule = {"number": "X.8", "title": "Fines", "prose": "A fine.", "code": FINE}
    change = {"repeal": "X.8"} if there else {"enact": rule}
    game.rule("fines", changes=read_changes(change), at=now(game))


def dispute(game: Game, luck: Random) -> None:
    game.dispute(
        luck.choice(PLAYERS), "not so", period=luck.randint(1, game.world.period), at=now(game)
    )


def settle_dispute(game: Game, luck: Random) -> None:
    open_disputes = [
        number for number, each in game.world.disputes.items() if not each.get("ruling")
    ]
    if open_disputes:
        game.rule("so be it", closes=luck.choice(open_disputes), at=now(game))


def late_ruling(game: Game, luck: Random) -> None:
    """Leave an earlier request out, so that closed periods are corrected."""
    requests = [
        entry.number for entry in game.ledger.read("g")
        if isinstance(entry.body, e.SubmissionReceived) and entry.body.period < game.world.period
    ]  # fmt: skip
    if requests:
        game.rule_on(
            "reject", "it was not so", about=luck.choice(requests), settle="all", at=now(game)
        )


def finality(game: Game, luck: Random) -> None:
    game.set_finality(luck.choice((3, 8, 20)), at=now(game))


ACTS: tuple[Callable[[Game, Random], None], ...] = (
    buy, buy, buy, propose, propose, rule_page, code, dispute, settle_dispute, late_ruling,
    finality,
)  # fmt: skip


def week(game: Game, luck: Random) -> None:
    """Play some acts; those that make no sense just now are left out."""
    for act in luck.choices(ACTS, k=5):
        with suppress(NomoledgerError):
            act(game, luck)


def contents(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def assert_as_if_new(ledger: Ledger, folder: Path, fresh: Path) -> None:
    publish(ledger, "g", fresh)
    again, new = contents(folder), contents(fresh)
    assert again.keys() == new.keys()
    assert [path for path in new if again[path] != new[path]] == []


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "g.db", create=True) as opened_ledger:
        yield opened_ledger


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_a_site_that_grew_is_the_same_as_a_new_one(
    seed: int, ledger: Ledger, tmp_path: Path
) -> None:
    luck, game = Random(seed), opened(ledger)
    kept = 0
    for number in range(6):
        week(game, luck)
        if luck.random() < 0.7:
            published = publish(ledger, "g", tmp_path / "site")
            kept += published.pages - published.made
        game.close(at=now(game) + timedelta(days=7))
        if luck.random() < 0.3:
            week(game, luck)
        if luck.random() < 0.7:
            published = publish(ledger, "g", tmp_path / "site")
            kept += published.pages - published.made
            assert_as_if_new(ledger, tmp_path / "site", tmp_path / f"new{number}")
    publish(ledger, "g", tmp_path / "site")
    assert_as_if_new(ledger, tmp_path / "site", tmp_path / "last")
    assert kept > 0


def quiet_weeks(ledger: Ledger, count: int) -> Game:
    game = opened(ledger)
    for _ in range(count):
        buy(game, Random(1))
        game.close(at=now(game) + timedelta(days=7))
    return game


@pytest.mark.slow
def test_pages_of_closed_periods_are_not_written_again(ledger: Ledger, tmp_path: Path) -> None:
    game = quiet_weeks(ledger, 2)
    publish(ledger, "g", tmp_path / "site")
    before = (tmp_path / "site" / "period-1" / "log.html").stat()
    game.close(at=now(game) + timedelta(days=7))
    published = publish(ledger, "g", tmp_path / "site")
    after = (tmp_path / "site" / "period-1" / "log.html").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert 0 < published.made < published.pages


def test_nothing_of_kept_periods_is_rendered(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet_weeks(ledger, 3)
    publish(ledger, "g", tmp_path / "site")
    rendered: list[str] = []
    real = pages._Pages.render

    def counting(own: pages._Pages, template: str, path: str, **values: Any) -> str:
        rendered.append(path)
        return real(own, template, path, **values)

    monkeypatch.setattr(pages._Pages, "render", counting)
    publish(ledger, "g", tmp_path / "site")
    folders = {path.split("/")[0] for path in rendered if path.startswith("period-")}
    assert folders == {"period-4"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "harm", ["changed", "removed", "a link", "another manifest", "no manifest"]
)
def test_pages_that_somebody_changed_are_made_again(
    harm: str, ledger: Ledger, tmp_path: Path
) -> None:
    quiet_weeks(ledger, 2)
    site = tmp_path / "site"
    publish(ledger, "g", site)
    page = site / "period-1" / "board.html"
    text = page.read_bytes()
    if harm == "changed":
        page.write_bytes(text.replace(b"Board", b"Bored"))
    elif harm == "removed":
        page.unlink()
    elif harm == "a link":
        (tmp_path / "elsewhere.html").write_bytes(text)
        page.unlink()
        page.symlink_to(tmp_path / "elsewhere.html")
    elif harm == "another manifest":
        (site / MANIFEST).write_text("[]")
    else:
        (site / MANIFEST).unlink()
    publish(ledger, "g", site)
    assert not page.is_symlink()
    assert page.read_bytes() == text
    assert_as_if_new(ledger, site, tmp_path / "new")


@pytest.mark.slow
def test_a_manifest_cannot_name_files_elsewhere(ledger: Ledger, tmp_path: Path) -> None:
    quiet_weeks(ledger, 1)
    site = tmp_path / "site"
    publish(ledger, "g", site)
    (tmp_path / "secret.txt").write_text("secret")
    made = json.loads((site / MANIFEST).read_text())
    made["periods"]["1"]["pages"]["period-1/../../secret.txt"] = manifest.digest_of(b"secret")
    (site / MANIFEST).write_text(json.dumps(made))
    publish(ledger, "g", site)
    assert_as_if_new(ledger, site, tmp_path / "new")


@pytest.mark.slow
def test_another_version_makes_all_pages_again(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet_weeks(ledger, 2)
    publish(ledger, "g", tmp_path / "site")
    monkeypatch.setattr(manifest, "code_digest", lambda: "another")
    published = publish(ledger, "g", tmp_path / "site")
    assert published.made == published.pages


@pytest.mark.slow
def test_pages_are_copied_where_there_are_no_links(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet_weeks(ledger, 2)
    publish(ledger, "g", tmp_path / "site")

    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    published = publish(ledger, "g", tmp_path / "site")
    assert published.made < published.pages
    assert_as_if_new(ledger, tmp_path / "site", tmp_path / "new")


@pytest.mark.slow
def test_all_pages_can_be_had_without_a_folder(ledger: Ledger, tmp_path: Path) -> None:
    quiet_weeks(ledger, 1)
    publish(ledger, "g", tmp_path / "site")
    rendered = {path: text.encode() for path, text in render_site(ledger, "g").items()}
    written = contents(tmp_path / "site")
    assert rendered == {path: written[path] for path in rendered}
    assert written.keys() - rendered.keys() == {MANIFEST, ".nomoledger-site"}
