"""A week of weekly-vote in a real browser: proposals, a discussion, sealed votes, and the close."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Response, expect

from browser.conftest import PHONE, EnterServed, Serve
from browser.published_log import open_log_with
from browser.served_ledger import ServedLedger, nomoledger

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GAME = "weekly-vote"
#: What the rule VI.3 says if the proposal of Ann passes.
NEW_WORDS = "Whoever jumps, jumps over nothing at all."
#: Pages on which a vote would show, if it showed.
PAGES = ("play", "proposals", "proposals/1", "past", "site/index.html", "site/period-1/log.html")


@pytest.fixture
def server(tmp_path: Path, serve: Serve) -> ServedLedger:
    """Serves a game with three players."""
    ledger = tmp_path / "game.db"
    nomoledger("init", ledger, "--rulebook", GAME)
    for name in ("Ann", "Bob", "Cleo"):
        nomoledger("join", ledger, name, f"email={name.lower()}@example.org")
    return serve(ledger)


def test_three_players_and_the_admin_play_a_week_with_sealed_votes(
    server: ServedLedger, person: EnterServed, tmp_path: Path
) -> None:
    admin = person(server, "admin")
    ann, bob = person(server, "Ann"), person(server, "Bob", viewport=PHONE)
    cleo = person(server, "Cleo")
    now = datetime.now(UTC)
    monday = (now + timedelta(days=7 - now.weekday())).replace(hour=9, minute=0, second=0)
    let_time_pass(server, admin, monday)
    start_the_week(server, admin)
    propose(server, ann, "Jumping in other words", f'- {{amend: "VI.3", prose: "{NEW_WORDS}"}}')
    bob_replaces_his_proposal(server, bob)
    ann_answers_what_bob_says(server, ann, bob)
    let_time_pass(server, admin, monday + timedelta(days=4))
    votes_are_seen_by_nobody_else(server, ann, [bob])
    vote(server, bob, 1, "Yes")
    vote(server, cleo, 1, "No")
    let_time_pass(server, admin, monday + timedelta(days=6))
    close_after_a_preview(server, admin)
    for player in (ann, bob, cleo):
        the_outcome_is_in_force(server, player)
    what_was_played_is_exact_and_sound(server, tmp_path)


def start_the_week(server: ServedLedger, admin: Page) -> None:
    admin.get_by_text("Start week").first.click()
    admin.get_by_role("button", name="Start week").click()
    expect(main(admin)).to_contain_text("close choices")


def bob_replaces_his_proposal(server: ServedLedger, bob: Page) -> None:
    propose(server, bob, "Everybody gets a rose")
    bob.get_by_role("link", name="Proposal 2").click()
    bob.get_by_role("link", name="Replace it by another").click()
    expect(bob.get_by_label("In words")).to_have_value("Everybody gets a rose")
    bob.get_by_label("In words").fill("Everybody gets two roses")
    bob.get_by_role("button", name="Propose it").click()
    expect(main(bob)).to_contain_text("Everybody gets two roses")


def ann_answers_what_bob_says(server: ServedLedger, ann: Page, bob: Page) -> None:
    for player, said in ((bob, "Is this any different?"), (ann, "No, only shorter")):
        player.goto(f"{server.address}/games/{GAME}/proposals/1")
        player.get_by_label("Say something").fill(said)
        player.get_by_role("button", name="Say it").click()
        expect(main(player)).to_contain_text(said)
    expect(main(ann)).to_contain_text("Is this any different?")


def votes_are_seen_by_nobody_else(server: ServedLedger, ann: Page, others: list[Page]) -> None:
    """No page, stream or header that the others get says anything that it did not say before."""
    before = [bytes_of_pages(server, other) for other in others]
    vote(server, ann, 1, "Yes")
    open_desk(server, ann)
    expect(main(ann)).to_contain_text("You voted yes.")
    for other, known in zip(others, before, strict=True):
        assert bytes_of_pages(server, other) == known


def bytes_of_pages(server: ServedLedger, player: Page) -> dict[str, list[str]]:
    """Return the words of the pages of PAGES, and the last event that the stream of news tells."""
    found = {}
    for page in PAGES:
        if page == "play":
            open_desk(server, player)
        else:
            answer = player.goto(f"{server.address}/games/{GAME}/{page}")
            assert isinstance(answer, Response)
            assert "vote" not in repr(answer.headers)
        found[page] = main(player).inner_text().splitlines()
    head = """game => new Promise(done => {
        const news = new EventSource(`/games/${game}/news`);
        news.addEventListener("head", event => { news.close(); done(event.data); });
    })"""
    return found | {"news": [str(player.evaluate(head, GAME))]}


def close_after_a_preview(server: ServedLedger, admin: Page) -> None:
    admin.get_by_role("link", name="Close", exact=True).click()
    expect(main(admin)).to_contain_text("proposal 1 has 2 votes for it")
    expect(main(admin)).to_contain_text("This was a trial. Nothing is recorded.")
    admin.get_by_role("button", name="Close period 1").click()
    expect(main(admin)).to_contain_text("weekly-vote, period 2")


def the_outcome_is_in_force(server: ServedLedger, player: Page) -> None:
    open_log_with(server, GAME, player, "proposal 1 has 2 votes for it")
    expect(main(player)).to_contain_text("proposal 1 has 1 votes against it")
    expect(main(player)).not_to_contain_text("votes yes on proposal 1")
    player.goto(f"{server.address}/games/{GAME}/site/rules.html")
    expect(main(player)).to_contain_text(NEW_WORDS)


def what_was_played_is_exact_and_sound(server: ServedLedger, folder: Path) -> None:
    """The whole export has the votes, which the public export leaves out; both are sound."""
    server.stop()
    assert "(exact)" in (replayed := nomoledger("replay", server.location, "--period", "1"))
    assert "nothing differs" in replayed
    assert "records are as written" in nomoledger("verify", server.location)
    whole, public = folder / "whole.jsonl", folder / "public.jsonl"
    nomoledger("export", server.location, whole)
    nomoledger("export", server.location, public, "--public")
    assert votes_in(whole) == {"Ann": "yes", "Bob": "yes", "Cleo": "no"}
    assert votes_in(public) == {}
    assert not re.search(r'"choice":"(yes|no)"', public.read_text())
    assert "public events are as chained" in nomoledger("verify", public)


def votes_in(export: Path) -> dict[str, str]:
    """Return the choices, by voter, of the events of votes that the file *export* has in clear."""
    voted = r'"event":"vote-cast/1".*"by":"(\w+)".*"choice":"(\w+)"'
    return dict(re.findall(voted, export.read_text()))


# --- what people do with pages


def main(page: Page) -> Locator:
    return page.get_by_role("main")


def open_desk(server: ServedLedger, player: Page) -> None:
    """Open the page of *player*, with all its parts."""
    player.goto(f"{server.address}/games/{GAME}/play")
    expect(player.get_by_text("The rules are being asked")).to_have_count(0)


def propose(server: ServedLedger, player: Page, text: str, changes: str = "") -> None:
    player.goto(f"{server.address}/games/{GAME}/proposals/new")
    player.get_by_label("In words").fill(text)
    player.get_by_label("Changes of the rules").fill(changes)
    player.get_by_role("button", name="Propose it").click()
    expect(player.get_by_role("heading", name="Done")).to_be_visible()


def vote(server: ServedLedger, player: Page, proposal: int, choice: str) -> None:
    open_desk(server, player)
    card = player.get_by_role("region", name=f"Vote on proposal {proposal}")
    card.get_by_role("button", name=choice, exact=True).click()
    expect(player.get_by_role("heading", name="Done")).to_be_visible()


def let_time_pass(server: ServedLedger, admin: Page, until: datetime) -> None:
    admin.goto(f"{server.address}/games/{GAME}/admin/clock?to={until:%Y-%m-%dT%H:%M:%S}")
    admin.get_by_role("button", name="Let time pass until").click()
    expect(main(admin)).to_contain_text(
        f"weekly-vote, period 1, {until:%b} {until.day}, {until.year}"
    )
