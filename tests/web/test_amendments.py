"""Amendments: others suggest a version of a proposal, and its author takes it over or not."""

from html import unescape
from urllib.parse import urlsplit

import html5lib

from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.people.sign_in import Session
from nomoledger.web.game_host import GameHost
from web.browsers import Browser, words
from web.conftest import EnterAs

ONE = "/games/mail/proposals/1"
CHANGES = '- {amend: "I.3", parameters: {sides: 7}}'
MARKUP = "<script>alert(1)</script>"


def in_field(browser: Browser, name: str) -> str:
    """Return the text that stands in a text area of the page."""
    tree = html5lib.parse(browser.text, namespaceHTMLElements=False)
    found = (each for each in tree.iter("textarea") if each.get("name") == name)
    return (next(found).text or "").strip()


def write(browser: Browser, do: str, text: str, changes: str = CHANGES, why: str = "") -> str:
    """Write in the editor, and press the button that does something."""
    fields = {"text": text, "changes": changes, "why": why, "parameter": "", "value": "", "do": do}
    return browser.send(fields, to="/proposals/")


def propose(browser: Browser, text: str, changes: str = CHANGES) -> str:
    """Make a proposal with the editor."""
    browser.open("/games/mail/proposals/new")
    return write(browser, "send", text, changes)


def suggest(browser: Browser, text: str, changes: str = CHANGES, why: str = "") -> str:
    """Suggest a version of proposal 1, twice, as by a double click."""
    browser.open(f"{ONE}/suggest")
    page = browser.text
    for _ in range(2):
        browser.text = page
        shown = write(browser, "send", text, changes, why)
    return shown


def test_a_suggestion_is_checked_discussed_and_taken_over(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, bob, admin = enter_as("Ann"), enter_as("Bob"), enter_as("admin")
    propose(ann, "Rents rise.\nA little.")
    assert "Suggest another version" not in ann.open(ONE)
    bob.open(f"{ONE}/suggest")
    assert in_field(bob, "text") == "Rents rise.\nA little."
    assert "sides: 7" in in_field(bob, "changes")
    eight = in_field(bob, "changes").replace("7", "8")
    shown = write(bob, "check", "Rents rise.", eight)
    assert "The changes fit the rules." in shown
    assert "XX.9" in write(bob, "send", "Rents rise.", '- {amend: "XX.9", parameters: {x: 1}}')
    before = host.head("mail")
    suggest(bob, f"Rents rise.\nMuch. {MARKUP}", eight, f"Because {MARKUP}")
    assert host.head("mail") == before  # It is no part of the game.
    ann.open(ONE)
    assert ann.text.count("suggests another version") == 1
    assert MARKUP not in ann.text
    for line in ("-A little.", f"+Much. {MARKUP}", "-    sides: 7", "+    sides: 8"):
        assert line in unescape(ann.text)
    assert "Take it over" not in bob.open(ONE)
    place = next(x for x in ann.text.split('href="') if "/suggestions/" in x).partition('"')[0]
    for browser in (ann, bob, admin):
        assert "differs in these lines" in browser.open(place)
        assert MARKUP not in browser.text
    ann.open(ONE)
    take = next(x for x in ann.text.split('href="') if "suggestion=" in x).partition('"')[0]
    assert "A proposal instead of proposal 1" in ann.open(unescape(take))
    assert in_field(ann, "text") == f"Rents rise.\nMuch. {MARKUP}"
    assert in_field(ann, "changes") == eight
    assert "makes proposal 2: Replaces proposal 1. Rents rise." in write(
        ann, "send", in_field(ann, "text"), eight
    )
    # The rules of this game put the later proposal in the place of the earlier one.
    assert "period 1: replaced. Proposal 2 replaces it." in bob.open(ONE)
    assert "suggests another version" in bob.text  # It stays readable.
    assert "Suggest another version" not in words(bob.text)
    assert "Its author replaces proposal 1 by it." in bob.open("/games/mail/proposals/2")
    assert "proposal 1 is decided" in bob.open(f"{ONE}/suggest")
    assert "suggests a version of proposal 1" in admin.open("/games/mail/admin/deeds")


def test_only_the_author_replaces_and_only_others_suggest(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, bob, visitor = enter_as("Ann"), enter_as("Bob"), enter_as("")
    propose(ann, "Rents rise", "")
    assert "proposal 1 is your own: replace it" in ann.open(f"{ONE}/suggest")
    assert "only its author replaces proposal 1" in bob.open("/games/mail/proposals/new?replaces=1")
    bob.open("/games/mail/proposals/new")
    bob.text = bob.text.replace('name="replaces" value=""', 'name="replaces" value="1"')
    assert "there is no proposal 1 of yours" in write(bob, "send", "Rents fall", "")
    propose(bob, "Replaces proposal 1. Rents fall", "")
    assert "replaces it" not in ann.open(ONE)  # Bob only says so.
    bob.open(f"{ONE}/suggest")
    assert "change something" in write(bob, "send", "Rents rise", "")
    assert "the text is empty" in write(bob, "send", " ", "")
    for address in (f"{ONE}/suggest", f"{ONE}/suggestions/x"):
        visitor.open(address)
        assert visitor.status == 401
    for address in ("/games/mail/proposals/9/suggest", f"{ONE}/suggestions/none"):
        bob.open(address)
        assert bob.status == 404


def ask_the_admin(host: GameHost) -> None:
    """Let the game wait for the admin, by a payment that Ann cannot make."""
    from nomoledger.game.desk.ruling_preview import RulingDraft, make_ruling

    fine = {"do": "fine", "with": {"player": "Ann", "amount": 5000}}
    admin = Session("0" * 64, "mail", "admin")
    host.request(admin, "rules", make_ruling, RulingDraft("A fine", more=(fine,)), id="fine")


def test_a_proposal_that_waits_is_taken_back_or_replaced_in_one_step(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    ask_the_admin(host)
    propose(ann, "Rents rise", "")
    assert "It still waits." in ann.open(ONE)
    assert "It still waits." not in bob.open(ONE)
    ann.open(ONE)
    assert "Done" in ann.send({}, to="/play/undo")
    bob.open(ONE)
    assert bob.status == 404
    propose(ann, "Rents rise", "")
    suggest(bob, "Rents fall", "")
    ann.open("/games/mail/proposals/new?replaces=1")
    form = ann.text
    for _ in range(2):  # A double click.
        ann.text = form
        assert "makes proposal 1: Rents fall" in write(ann, "send", "Rents fall", "")
    made = [x.body for x in host._ledger.read("mail") if isinstance(x.body, e.ProposalMade)]
    assert len(made) == 3
    assert "Written for an earlier version of the proposal." in bob.open(ONE)
    ann.open("/games/mail/proposals/new?replaces=1")
    wrong = '- {amend: "XX.9", parameters: {x: 1}}'
    assert "XX.9" in write(ann, "send", "Rents stay", wrong)
    assert "Rents fall" in bob.open(ONE)  # What does not fit takes nothing back.


def test_the_admin_rules_that_a_proposal_is_void_after_a_preview(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, admin = enter_as("Ann"), enter_as("admin")
    propose(ann, "Rents rise")
    admin.open(ONE)
    assert "Judge it, or rule that it is void" in admin.text
    admin.open("/games/mail/admin/proposals/1")
    before = host.head("mail")
    shown = admin.send({"text": "It was a joke"}, button="Rule that it is void")
    assert "Proposal 1 is void then: even if the rules adopt it, nothing changes." in shown
    assert "proposal 1 'It was a joke'" in shown
    assert "nomoledger void" in shown
    preview = admin.text
    admin.send({}, button="Draft it anew")
    assert "It rules that proposal 1 is void" in words(admin.text)
    assert host.head("mail") == before
    admin.text = preview
    assert "Nothing waits." in admin.send({}, button="Make the ruling")
    assert "period 1: undecided, void." in ann.open(ONE)
    assert "Replace it by another" not in ann.text
    assert "It is void." in admin.open("/games/mail/admin/proposals/1")
    assert "Rule that it is void" not in admin.text
    admin.text = preview
    head = host.head("mail")
    assert "Nothing waits." in admin.send({}, button="Make the ruling")  # The back button.
    assert host.head("mail") == head


def test_the_admin_suggests_for_oneself_or_for_a_player_and_it_is_named(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, admin = enter_as("Ann"), enter_as("admin")
    host.request(Session("0" * 64, "mail", "Ann"), "proposes", Game.propose, "Ann", "Rise", id="p")
    for query, said in (("?as=Bob", "Bob (entered by admin), "), ("", "admin , ")):
        admin.open(f"{ONE}/suggest{query}")
        write(admin, "send", "Fall", "")
        assert f"?{urlsplit(admin.address).query}".removesuffix("?") == query
        assert said in ann.open(ONE)
