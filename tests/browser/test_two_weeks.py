"""Three players and an admin play two weeks in separate browsers, only through the pages."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import PHONE, EnterServed, Serve
from browser.played_mail import (
    RENT,
    begun_in,
    brings_in,
    closes,
    enters_dice,
    goes_to,
    judges,
    main_of,
    presses,
    proposes,
    sees,
)
from browser.served_ledger import ServedLedger, nomoledger

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_two_weeks_are_played_in_browsers_and_replay_exactly(
    tmp_path: Path, serve: Serve, person: EnterServed
) -> None:
    ledger = begun_in(tmp_path)
    server = serve(ledger)
    admin = person(server, "admin")
    for name in ("Ann", "Bob", "Cleo"):
        brings_in(admin, name)
    ann, cleo = (person(server, name, viewport=PHONE) for name in ("Ann", "Cleo"))
    bob = person(server, "Bob")
    rent_is_proposed_checked_discussed_and_accepted(server, admin, ann, bob)
    squares_are_bought_by_hand_and_by_a_standing_order(server, admin, ann, bob)
    a_dispute_is_ruled_on_after_a_preview(server, admin, bob, cleo)
    closes(admin, server, 1)
    rent_is_paid_when_the_owner_is_asked(server, admin, ann, bob)
    the_admin_acts_for_a_player_who_is_away(server, admin, ann, cleo)
    what_is_tried_in_a_shared_copy_is_asked_for_in_the_game(server, ann, bob)
    a_name_of_last_week_is_corrected_on_the_page_of_its_event(server, admin, ann)
    closes(admin, server, 2)
    sees(bob, "Period 3")
    server.stop()
    assert "(exact)" in (replayed := nomoledger("replay", ledger))
    assert "nothing differs" in replayed
    assert "records are as written" in nomoledger("verify", ledger)


def rent_is_proposed_checked_discussed_and_accepted(
    server: ServedLedger, admin: Page, ann: Page, bob: Page
) -> None:
    """Ann's proposal is checked while she writes it, and Bob reads it as soon as it is made."""
    goes_to(bob, server, "play")
    ann.get_by_role("link", name="Write a proposal").click()
    ann.get_by_label("In words").fill("Squares earn *rent*, and cost twice as much.")
    ann.get_by_label("Changes of the rules").fill("- {amend: V.99}")
    sees(ann, "It cannot be proposed like this", "amend V.99")
    ann.get_by_label("Changes of the rules").fill(RENT)
    sees(ann, "The changes fit the rules.", "+Whoever lands on the square of another")
    ann.get_by_text("Change a number or a word of a rule").click()
    ann.get_by_label("Rule and parameter").select_option("V.1 dollars_per_number")
    ann.get_by_label("New value").fill("20")
    presses(ann, "Put it into the changes")
    presses(ann, "Check")
    sees(ann, "dollars per number: 10 → 20", "Cases that would fail")
    presses(ann, "Propose it")
    sees(ann, "Ann makes proposal 1")
    bob.get_by_role("link", name="Proposal 1").click()  # His page has followed the game.
    bob.get_by_label("Say something").fill("Five dollars are enough.")
    presses(bob, "Say it")
    goes_to(ann, server, "play")
    sees(ann, "Other actions")
    ann.get_by_role("link", name="Proposal 1").click()
    sees(ann, "Bob, ", "Five dollars are enough.")
    expect(main_of(ann).get_by_role("link", name="Vote")).to_have_count(0)  # The admin judges.
    goes_to(admin, server, "admin")
    admin.get_by_role("link", name="What it would change").click()
    sees(admin, "enact rule X.1 Rent", "dollars_per_number: 10 20")
    presses(admin, "Accept")
    sees(admin, "For you: Two dice of six sides for Ann's turn")


def squares_are_bought_by_hand_and_by_a_standing_order(
    server: ServedLedger, admin: Page, ann: Page, bob: Page
) -> None:
    """Ann buys where she lands; Bob's order buys as soon as he lands."""
    goes_to(ann, server, "play")
    enters_dice(admin, 3, 4, then="The option of Ann on square 8")
    sees(ann, "Buy: the option of Ann on square 8")
    presses(ann, "Buy")
    sees(ann, "Ann now owns square 8", "You: -160 $")
    presses(ann, "Do it")
    sees(ann, "Done", "Ann now owns square 8")
    goes_to(ann, server, "play/act/name_square")
    ann.get_by_label("square", exact=True).select_option("8")
    ann.get_by_label("name", exact=True).fill("Baht")
    presses(ann, "See what it would do")
    presses(ann, "Do it")
    sees(ann, "Done")

    goes_to(bob, server, "play/act/buy")
    bob.get_by_label("square", exact=True).select_option("5")
    bob.get_by_text("Not now, but as soon as something is true").click()
    bob.get_by_label("As soon as this is true").select_option(label="my square is …")
    bob.get_by_label("What … stands for").first.fill("5")
    presses(bob, "Place a standing order")
    sees(bob, "Bob orders: when square(Bob) == 5: buy", "It still waits.")
    goes_to(bob, server, "orders")
    bob.get_by_label("Your answer, when the rules ask you").fill("take the rent")
    bob.get_by_label("As soon as this is true").select_option(label="the period is about to close")
    presses(bob, "Place the order")
    presses(bob, "Take it back")
    sees(bob, "the last request is taken back")
    proposes(bob, server, "Everybody is kind.")
    judges(admin, server, "Accept")
    enters_dice(admin, 1, 3, then="Nothing waits.")
    goes_to(bob, server, "play")
    sees(bob, "Bob now owns square 5", "You have 900 $")
    goes_to(bob, server, "orders")
    sees(bob, "You have none.")


def a_dispute_is_ruled_on_after_a_preview(
    server: ServedLedger, admin: Page, bob: Page, cleo: Page
) -> None:
    """Cleo says that a die was misread; the admin sees what a ruling would do, and makes it."""
    proposes(cleo, server, "Cleo is kinder.")
    judges(admin, server, "Reject")
    enters_dice(admin, 1, 5, then="The option of Cleo on square 7")
    goes_to(cleo, server, "play")
    roll = cleo.get_by_role("listitem").filter(has_text="rolled by hand: 1, 5")
    roll.get_by_role("link", name="dispute").click()
    cleo.get_by_label("What is wrong, and why").fill("The second die showed 4.")
    presses(cleo, "Open the dispute")
    cleo.get_by_role("link", name="Dispute 1").click()
    sees(cleo, "replay of period 1", "nothing differs")
    goes_to(bob, server, "disputes/1")
    bob.get_by_label("Your argument").fill("I saw a 4, too.")
    presses(bob, "Argue")
    goes_to(admin, server, "admin")
    sees(admin, "The second die showed 4.", "I saw a 4, too.")
    admin.get_by_role("link", name="Correct something instead").click()
    admin.get_by_label("What is decided, and why").fill("The dice showed 1 and 4.")
    admin.get_by_label("What becomes of it").select_option("replace")
    admin.get_by_label("What it should have been").fill("1,4")
    presses(admin, "See what it would do")
    sees(admin, "Played again: rolled by hand: 1, 4.", "What is on another square")
    expect(admin.get_by_role("row", name="Cleo square 7 6")).to_be_visible()
    presses(admin, "Make the ruling")
    goes_to(cleo, server, "play")
    sees(cleo, "You are on square 6.", "Buy: the option of Cleo on square 6")
    presses(cleo, "Buy")
    presses(cleo, "Do it")
    sees(cleo, "Cleo now owns square 6")
    goes_to(cleo, server, "disputes/1")
    sees(cleo, "The dispute is closed: ", "The dice showed 1 and 4.")


def rent_is_paid_when_the_owner_is_asked(
    server: ServedLedger, admin: Page, ann: Page, bob: Page
) -> None:
    """In week 2 the accepted rule is in force: Ann is asked, and Bob pays."""
    goes_to(ann, server, "play")
    presses(ann, "I have read this")
    sees(ann, "Since you were here", "Nothing happened to you.")
    proposes(bob, server, "Bob is kinder still.")
    judges(admin, server, "Reject")
    enters_dice(admin, 1, 2, then="For Ann: Does Bob pay rent")
    sees(ann, "Play waits for you", "Does Bob pay rent for 8?")
    presses(ann, "take the rent (the default)")
    sees(ann, "Done", "Bob -25 $, Ann +25 $ (rent)")
    goes_to(ann, server, "play")
    sees(ann, "Since you were here", "Bob -25 $, Ann +25 $ (rent)")


def the_admin_acts_for_a_player_who_is_away(
    server: ServedLedger, admin: Page, ann: Page, cleo: Page
) -> None:
    """Ann lands on Cleo's square; the admin answers for Cleo, who reads of it later."""
    proposes(ann, server, "Ann is kindest.")
    judges(admin, server, "Reject")
    # From 8 to 4, and once more, because the dice show the same.
    enters_dice(admin, 6, 6, then="The option of Ann on square 4")
    enters_dice(admin, 1, 1, then="For Cleo: Does Ann pay rent for 6?")
    admin.get_by_role("link", name="Cleo", exact=True).click()
    sees(admin, "You act for Cleo.")
    presses(admin, "waive it")
    sees(admin, "Done")
    goes_to(admin, server, "admin")
    enters_dice(admin, 1, 2, then="The option of Ann on square 9")
    goes_to(cleo, server, "play")
    sees(cleo, "Entered for you by the admin", "The admin answers a question.")
    goes_to(admin, server, "admin/deeds")
    sees(admin, "the admin for Cleo")


def what_is_tried_in_a_shared_copy_is_asked_for_in_the_game(
    server: ServedLedger, ann: Page, bob: Page
) -> None:
    """Ann opens a copy, Bob plays for her in it, and Ann asks for the same in the game."""
    goes_to(ann, server, "play")
    sees(ann, "Buy: the option of Ann on square 9")
    presses(ann, "Open a copy to try things")
    sees(ann, "This is a copy, not the game.")
    bob.goto(ann.locator(".address").inner_text())
    bob.get_by_role("link", name="Ann", exact=True).first.click()
    bought = bob.locator(".act").filter(has_text="Buy: the option of Ann on square 9")
    bought.get_by_role("button", name="Buy").click()
    sees(bob, "Ann now owns square 9")
    goes_to(bob, server, "play")
    expect(main_of(bob)).not_to_contain_text("square 9")  # Nothing is recorded in the game.
    ann.reload()
    sees(ann, "Ann now owns square 9")
    presses(ann, "Try the steps in the game")
    sees(ann, "What the steps would do in the game", "Ann now owns square 9")
    presses(ann, "Ask for this")
    sees(ann, "What was asked for", "Ann now owns square 9")


def a_name_of_last_week_is_corrected_on_the_page_of_its_event(
    server: ServedLedger, admin: Page, ann: Page
) -> None:
    """The admin finds the event in the list of the week, and says what it should have been."""
    goes_to(admin, server, "past")
    admin.get_by_role("listitem").filter(has_text="Period 1:").get_by_role(
        "link", name="in words"
    ).click()
    wrong = admin.get_by_role("listitem").filter(has_text="Ann asks to name square")
    wrong.get_by_role("link").click()
    sees(admin, "Baht")  # The board as it was then.
    admin.locator(".then").get_by_role("link").first.click()
    admin.get_by_label("What is decided, and why").fill("Ann wrote Bath.")
    admin.get_by_label("What becomes of it").select_option("replace")
    admin.get_by_label("What it should have been").fill("name:Bath")
    presses(admin, "See what the ruling would do")
    expect(admin.get_by_role("row", name="square 8 name Baht Bath")).to_be_visible()
    presses(admin, "Make the ruling")
    goes_to(ann, server, "site/board.html")
    expect(ann.get_by_role("row", name="owner: Ann name: Bath")).to_be_visible()
