"""A day of nomopoly-iii in real time: turns, spells, sealed votes, pauses; only through pages."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.conftest import PHONE, EnterServed, Serve
from browser.published_log import open_log_with
from browser.served_ledger import ServedLedger, nomoledger

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GAME = "nomopoly-iii"
#: After this many hours without a turn, a turn is taken for a player (rule VII.3).
OVERDUE = timedelta(hours=120)
#: How long after the start of the test the turn of Cleo is overdue.
HEAD_START = timedelta(seconds=25)


@pytest.fixture
def server(tmp_path: Path, serve: Serve) -> ServedLedger:
    """Serves a game in which Cleo has taken no turn for nearly five days."""
    began = f"{datetime.now(UTC) + HEAD_START - OVERDUE:%Y-%m-%dT%H:%M:%S}"
    ledger = tmp_path / "game.db"
    nomoledger("init", ledger, "--rulebook", GAME, "--dice", "entered", "--at", began)
    nomoledger("join", ledger, "Cleo", "email=cleo@example.org", "--at", began)
    return serve(ledger)


def test_three_players_and_the_admin_play_a_day_in_real_time(
    server: ServedLedger, person: EnterServed
) -> None:
    admin, cleo = person(server, "admin"), person(server, "Cleo", viewport=PHONE)
    a_timer_fires_while_cleo_looks_on(server, admin, cleo)
    for name in ("Ann", "Bob"):
        bring_in(server, admin, name)
    ann, bob = person(server, "Ann"), person(server, "Bob", viewport=PHONE)
    ann_takes_a_turn_and_waits_for_the_next(server, admin, ann)
    ann_casts_a_spell_in_secret(server, admin, ann, bob)
    a_pause_stops_everything_but_votes(server, admin, ann, bob)
    votes_are_sealed_until_they_end(server, admin, [ann, bob, cleo])
    what_was_played_is_exact_and_sound(server)


def a_timer_fires_while_cleo_looks_on(server: ServedLedger, admin: Page, cleo: Page) -> None:
    """The server fires the timer when it is due; nobody touches the page of Cleo."""
    expect(main(cleo)).to_contain_text("Play waits for the admin")
    enter_dice(server, admin, 1, 2)
    expect(main(cleo)).to_contain_text("Cleo -100 $, admin +100 $ (no turn taken)")
    expect(main(cleo)).to_contain_text("You are on square 4")


def ann_takes_a_turn_and_waits_for_the_next(server: ServedLedger, admin: Page, ann: Page) -> None:
    ann.get_by_role("button", name="Take turn").click()
    expect(main(ann)).to_contain_text("These were thrown away: the real ones will fall otherwise.")
    do_it(ann)
    enter_dice(server, admin, 2, 2)
    ann.get_by_role("link", name="Go on").click()
    expect(main(ann)).to_contain_text("You are on square 5")
    expect(refused(ann, "Take turn")).to_contain_text(
        "the last turn was less than 72 hours ago by VII.1"
    )


def ann_casts_a_spell_in_secret(server: ServedLedger, admin: Page, ann: Page, bob: Page) -> None:
    ann.get_by_role("button", name="spell Teleport").click()
    do_it(ann)
    ann.get_by_role("link", name="Go on").click()
    ann.get_by_text("Other actions").click()
    ann.get_by_role("link", name="Cast", exact=True).click()
    ann.get_by_label("spell").select_option("Teleport")
    ann.get_by_role("button", name="See what it would do").click()
    expect(main(ann)).to_contain_text("say how much X is: at least 1 (rule XVIII.6)")
    ann.go_back()
    ann.get_by_label("number").fill("2")
    ann.get_by_role("button", name="See what it would do").click()
    expect(main(ann)).to_contain_text("You: -50 $")
    for address in ("play", "past", "site/period-1/log.html", "site/index.html"):
        bob.goto(f"{server.address}/games/{GAME}/{address}")
        expect(main(bob)).not_to_contain_text("Ann asks to add spell")
        expect(main(bob)).not_to_contain_text("holds Teleport")
    do_it(ann)
    enter_dice(server, admin, 5)
    ann.get_by_role("link", name="Go on").click()
    expect(main(ann)).to_contain_text("You are on square 7")
    own = "What only you and the admin know"
    expect(ann.get_by_role("heading", name=own)).to_be_visible()
    expect(bob.get_by_role("heading", name=own)).not_to_be_visible()


def a_pause_stops_everything_but_votes(
    server: ServedLedger, admin: Page, ann: Page, bob: Page
) -> None:
    open_desk(server, bob)
    bob.get_by_role("link", name="Write a proposal").click()
    bob.get_by_label("In words").fill("Ann is a goose")
    bob.get_by_role("button", name="Propose it").click()
    expect(main(bob)).to_contain_text("proposal 1 is a rule proposal")
    act_as_admin(server, admin, "Pause", why="the site is down")
    open_desk(server, bob)
    expect(bob.get_by_role("note")).to_contain_text("The game is paused.")
    expect(bob.get_by_role("button", name="Take turn")).not_to_be_visible()
    expect(refused(bob, "Take turn")).to_contain_text("the game is paused")
    vote(server, ann, "Yes")
    let_time_pass(server, admin, datetime.now(UTC) + timedelta(hours=10))
    act_as_admin(server, admin, "Unpause")
    open_desk(server, bob)
    expect(bob.get_by_role("button", name="Take turn")).to_be_visible()


def votes_are_sealed_until_they_end(server: ServedLedger, admin: Page, players: list[Page]) -> None:
    ann, bob, cleo = players
    open_desk(server, ann)
    expect(main(ann)).to_contain_text("You voted yes.")
    for other in (bob, cleo):
        for address in ("play", "proposals/1", "proposals", "past", "site/period-1/log.html"):
            other.goto(f"{server.address}/games/{GAME}/{address}")
            text = main(other).inner_text()
            assert not re.search(r"Ann votes|Ann: yes|1 yes|You voted", text), address
    vote(server, bob, "Yes")
    vote(server, cleo, "No")
    let_time_pass(server, admin, datetime.now(UTC) + timedelta(hours=140))
    enter_dice(server, admin, 1, 1)  # The turns of all three were overdue, in the order of days.
    enter_dice(server, admin, 1, 1)
    enter_dice(server, admin, 1, 1)
    for player in players:
        open_log_with(server, GAME, player, "proposal 1 has 2 votes for it")
        expect(main(player)).to_contain_text("proposal 1 is Pending")
        expect(main(player)).not_to_contain_text("votes yes")
    act_as_admin(server, admin, "Implement")
    open_log_with(server, GAME, ann, "proposal 1 is Dead")


def what_was_played_is_exact_and_sound(server: ServedLedger) -> None:
    server.stop()
    assert "(exact)" in nomoledger("replay", server.location)
    assert "records are as written" in nomoledger("verify", server.location)


# --- what people do with pages


def main(page: Page) -> Locator:
    return page.get_by_role("main")


def open_desk(server: ServedLedger, player: Page) -> None:
    """Open the page of *player*, with all its parts."""
    player.goto(f"{server.address}/games/{GAME}/play")
    expect(player.get_by_text("The rules are being asked")).to_have_count(0)


def refused(player: Page, title: str) -> Locator:
    """Return the line that says why the action *title* is refused now."""
    player.get_by_text("What the rules refuse now").click()
    return player.get_by_role("listitem").filter(has=player.get_by_role("link", name=title))


def do_it(player: Page) -> None:
    player.get_by_role("button", name="Do it").click()
    expect(player.get_by_role("heading", name="Done")).to_be_visible()


def vote(server: ServedLedger, player: Page, choice: str) -> None:
    open_desk(server, player)
    player.get_by_role("button", name=choice, exact=True).click()
    expect(player.get_by_role("heading", name="Done")).to_be_visible()


def bring_in(server: ServedLedger, admin: Page, name: str) -> None:
    admin.goto(f"{server.address}/games/{GAME}/admin/people")
    admin.get_by_label("Name", exact=True).fill(name)
    admin.get_by_label("E-mail address (if the rules ask for it)").fill(f"{name}@example.org")
    admin.get_by_role("button", name="Join").click()
    expect(admin.get_by_role("heading", name=f"{name} has joined")).to_be_visible()


def enter_dice(server: ServedLedger, admin: Page, *values: int) -> None:
    """Enter *values* as soon as play waits for them."""
    admin.goto(f"{server.address}/games/{GAME}/admin")
    for place, value in enumerate(values, 1):
        admin.get_by_label(f"Die {place} of").fill(str(value))
    admin.get_by_role("button", name="Enter the dice").click()


def act_as_admin(server: ServedLedger, admin: Page, action: str, why: str = "") -> None:
    admin.goto(f"{server.address}/games/{GAME}/admin")
    card = admin.get_by_role("group").filter(has_text=re.compile(rf"^\s*{action}\b"))
    card.locator("summary").click()
    if why:
        card.get_by_label("why").fill(why)
    card.get_by_role("button").click()
    expect(admin.get_by_role("heading", name="What waits")).to_be_visible()


def let_time_pass(server: ServedLedger, admin: Page, until: datetime) -> None:
    admin.goto(f"{server.address}/games/{GAME}/admin")
    admin.get_by_role("link", name="Let time pass").click()
    admin.get_by_label("Until when").fill(f"{until:%Y-%m-%dT%H:%M:%S}")
    admin.get_by_role("button", name="See what falls due").click()
    admin.get_by_role("button", name="Let time pass until").click()
    expect(admin.get_by_role("heading", name="What waits")).to_be_visible()
