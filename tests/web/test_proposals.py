"""Proposals in the browser: the editor, the check, the forecast, the discussion."""

import pytest

from nomoledger.web.game_host import GameHost
from web.browsers import Browser
from web.conftest import EnterAs
from web.test_play import propose

NEW = "/games/mail/proposals/new"


def press(browser: Browser, what: str, **fields: str) -> str:
    """Press the button of the editor that does *what*."""
    kept = {"text": "Rents rise", "changes": "", "parameter": "", "value": ""}
    return browser.send({**kept, **fields, "do": what}, to="/proposals/draft")


def changes_in(browser: Browser) -> str:
    """Return the text of the changes in the editor."""
    from html import unescape

    start = browser.text.index('name="changes"')
    inner = browser.text[browser.text.index(">", start) + 1 :]
    return unescape(inner[: inner.index("</textarea>")]).strip()


def test_an_amendment_is_put_into_the_changes_checked_and_proposed(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    assert "I.3 sides: 6" in ann.open(NEW)
    press(ann, "amend", parameter="I.3 sides", value="7")
    changes = changes_in(ann)
    assert changes == '- {amend: "I.3", parameters: {"sides": 7}}'
    text = press(ann, "check", changes=changes)
    assert "The changes fit the rules." in text
    assert "<ins>7</ins>" in ann.text
    before = host.head("mail")
    assert "makes proposal 1: Rents rise" in press(ann, "send", changes=changes)
    assert host.head("mail") > before
    assert "Rents rise" in bob.open("/games/mail/proposals/1")
    assert "<ins>7</ins>" in bob.text
    ann.open(f"{NEW}?replaces=1")
    assert changes_in(ann) == "- amend: I.3\n  parameters:\n    sides: 7"


def test_changes_that_do_not_fit_are_shown_and_nothing_is_recorded(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann = enter_as("Ann")
    ann.open(NEW)
    before = host.head("mail")
    wrong = '- {amend: "XX.9", parameters: {x: 1}}'
    assert "It cannot be proposed like this: " in press(ann, "check", changes=wrong)
    assert "XX.9" in press(ann, "send", changes=wrong)
    assert changes_in(ann) == wrong
    assert "not YAML" in press(ann, "check", changes="- {amend: [")
    assert host.head("mail") == before


def test_a_draft_without_words_is_not_sent(enter_as: EnterAs, host: GameHost) -> None:
    ann = enter_as("Ann")
    ann.open(NEW)
    assert "the text is empty" in press(ann, "send", text=" ")


def test_people_discuss_a_proposal_and_its_author_replaces_it(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, bob, admin = enter_as("Ann"), enter_as("Bob"), enter_as("admin")
    propose(host, "Ann")
    bob.open("/games/mail/proposals/1")
    page = bob.text
    for _ in range(2):  # Sent twice is said once.
        bob.text = page
        bob.send({"text": "<b>No</b>"}, to="/comment")
    ann.open("/games/mail/proposals/1")
    assert ann.text.count("&lt;b&gt;No&lt;/b&gt;") == 1
    assert "<b>No</b>" not in ann.text
    assert "Replace it by another" not in bob.text
    bob.open("/games/mail/play/acts")  # By now the server knows what Bob may do.
    bob.open("/games/mail/proposals/1")
    assert ">Vote<" not in bob.text  # The admin judges here: nobody votes.
    assert "A proposal instead of proposal 1" in ann.open(f"{NEW}?replaces=1")
    assert "Replaces proposal 1. Something" in press(ann, "send", text="Something")
    assert "Proposal 2 replaces it." in bob.open("/games/mail/proposals/1")
    admin.open("/games/mail/proposals/1?as=Bob")
    admin.send({"text": "for Bob"}, to="/comment")
    assert "Bob (entered by admin)" in ann.open("/games/mail/proposals/1")
    assert "Proposal 2" in admin.open("/games/mail/proposals")
    admin.open("/games/mail/proposals/1")
    admin.send({"text": "I see"}, to="/comment")
    assert "admin , " in ann.open("/games/mail/proposals/1").partition("I see")[0][-60:]


@pytest.mark.slow
def test_a_proposal_that_is_made_is_checked_and_forecast_on_request(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, bob, admin = enter_as("Ann"), enter_as("Bob"), enter_as("admin")
    propose(host, "Bob")
    admin.open("/games/mail/admin")
    admin.send({}, button="Reject")
    admin.open("/games/mail/admin/close")
    admin.send({}, to="/admin/close")
    ann.open(NEW)
    changes = '- {amend: "I.3", parameters: {sides: 7}}'
    press(ann, "send", changes=changes)
    bob.open("/games/mail/proposals/2")
    assert "Check it, and play the last period again" in bob.text
    checked = later(bob, "/games/mail/proposals/2?study=check")
    assert "The changes fit the rules." in checked
    assert "What would have been different in period 1" in checked
    forecast = later(bob, "/games/mail/proposals/2?study=forecast")
    assert "Period 2, played 100 times without and with the changes" in forecast
    assert "there is no proposal 9" in bob.open("/games/mail/proposals/9?study=check")


def later(browser: Browser, address: str) -> str:
    """Open *address* until all of it is computed."""
    for _ in range(100):
        text = browser.open(address)
        if "This is still being computed" not in text:
            return text
    raise AssertionError(text)


def test_nobody_comments_on_a_proposal_that_there_is_not(enter_as: EnterAs, host: GameHost) -> None:
    ann, visitor = enter_as("Ann"), enter_as("")
    propose(host, "Ann")
    ann.open("/games/mail/proposals/1")
    ann.text = ann.text.replace("/proposals/1/comment", "/proposals/9/comment")
    assert "there is no proposal 9" in ann.send({"text": "Hello"}, to="/comment")
    for address in ("/proposals", "/proposals/1", "/proposals/new", "/disputes", "/orders"):
        visitor.open(f"/games/mail{address}")
        assert visitor.status == 401
