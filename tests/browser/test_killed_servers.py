"""A server is killed while a form is on its way: nothing is lost, and nothing is done twice."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from browser.conftest import EnterServed, Serve
from browser.played_mail import GAME, goes_to, presses, sees
from browser.served_ledger import ServedLedger, nomoledger
from nomoledger.events.inputs import DisputeOpened
from nomoledger.ledger.ledger import Ledger

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BUTTON = "Open the dispute"
TOLD = "You sent this before, and it counts once."


@pytest.fixture
def server(tmp_path: Path, serve: Serve) -> ServedLedger:
    ledger = tmp_path / "game.db"
    nomoledger("init", ledger, "--rulebook", "mail-opening")
    nomoledger("join", ledger, "Ann", "email=ann@example.org")
    return serve(ledger, "--no-clock")


def writes(ann: Page, server: ServedLedger, text: str) -> None:
    """Fill in the form of a dispute: the rules allow the same dispute as often as Ann likes."""
    goes_to(ann, server, "disputes")
    ann.get_by_label("What is wrong, and why").fill(text)


def goes_back_and_sends(ann: Page) -> None:
    """Go back from the page that the browser shows, and send the form again as it is."""
    ann.go_back()
    presses(ann, BUTTON)
    expect(ann.get_by_role("heading", level=1, name="Done")).to_be_visible()


def disputes(server: ServedLedger) -> list[str]:
    """Return the claims of the disputes that are recorded."""
    with Ledger.open(server.location) as ledger:
        bodies = [entry.body for entry in ledger.read(GAME)]
    return [body.text for body in bodies if isinstance(body, DisputeOpened)]


def test_a_form_is_sent_again_after_the_server_was_killed(
    server: ServedLedger, person: EnterServed
) -> None:
    ann = person(server, "Ann")
    the_server_is_killed_before_it_reads_the_form(ann, server)
    the_server_is_killed_before_its_answer_arrives(ann, server)
    the_server_is_killed_at_any_moment(ann, server)
    ann.go_back()
    ann.get_by_label("What is wrong, and why").fill("Another one.")
    presses(ann, BUTTON)
    sees(ann, "Another one.")
    expect(ann.get_by_text(TOLD)).to_have_count(0)
    server.stop()
    claims = ["Unread.", "Unanswered.", "Reloaded.", *(f"Killed {n}." for n in range(4))]
    assert disputes(server) == [*claims, "Another one."]
    assert "(exact)" in nomoledger("replay", server.location)
    assert "records are as written" in nomoledger("verify", server.location)


def the_server_is_killed_before_it_reads_the_form(ann: Page, server: ServedLedger) -> None:
    """The form is not lost: Ann goes back, and sends it."""
    writes(ann, server, "Unread.")
    server.freeze()
    ann.get_by_role("button", name=BUTTON).click(no_wait_after=True)
    time.sleep(0.5)  # The form waits in the socket of a server that does nothing.
    server.kill()
    server.start()
    goes_back_and_sends(ann)
    expect(ann.get_by_text(TOLD)).to_have_count(0)


def the_server_is_killed_before_its_answer_arrives(ann: Page, server: ServedLedger) -> None:
    """What was recorded is not done twice, whether Ann goes back or loads the page again."""

    def lose_the_answer(route: Route) -> None:
        assert route.fetch(max_redirects=0).status == 303
        server.kill()
        route.abort("connectionreset")

    for text in ("Unanswered.", "Reloaded."):
        writes(ann, server, text)
        ann.route("**/disputes/open", lose_the_answer)
        ann.get_by_role("button", name=BUTTON).click(no_wait_after=True)
        expect(ann.get_by_text("ERR_CONNECTION_RESET")).to_be_visible()
        ann.unroute("**/disputes/open")
        server.start()
        if text == "Reloaded.":
            ann.reload()
        else:
            goes_back_and_sends(ann)
            sees(ann, TOLD)
        sees(ann, f"Ann disputes period 1: {text}")


def the_server_is_killed_at_any_moment(ann: Page, server: ServedLedger) -> None:
    """Whatever the server had done, going back and sending the form ends well."""
    for number in range(4):
        writes(ann, server, f"Killed {number}.")
        ann.get_by_role("button", name=BUTTON).click(no_wait_after=True)
        time.sleep(0.04 * number)
        server.kill()
        server.start()
        goes_back_and_sends(ann)
