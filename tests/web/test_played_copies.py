"""Playing on in a copy: going back, its past, dice, proposals, and several steps for the game."""

import re

import pytest

from nomoledger.web.game_host import GameHost
from web.browsers import Browser, words
from web.conftest import EnterAs, let_ann_move


@pytest.fixture
def ann(enter_as: EnterAs) -> Browser:
    """Ann, who has opened a copy."""
    ann = enter_as("Ann")
    ann.open("/games/mail/play")
    ann.send({}, button="Open a copy to try things")
    return ann


def propose(browser: Browser, text: str) -> str:
    return browser.send({"text": text}, button="Propose it in the copy")


def place(browser: Browser) -> str:
    return browser.address.removeprefix("http://games.test").partition("?")[0].partition("#")[0]


def test_a_proposal_is_made_voted_on_and_judged_in_a_copy_and_all_is_taken_back(
    ann: Browser, host: GameHost
) -> None:
    before, copy = host.head("mail"), place(ann)
    ann.open(f"{copy}?as=Bob")
    assert "Proposal 1: Tea for all" in propose(ann, "Tea for all")
    shown = ann.send({}, button="As if it were accepted")
    assert "Proposal 1: Tea" not in shown
    assert "has not been judged" not in shown
    taken = ann.send({}, button="Take back the last step")
    assert "Proposal 1: Tea for all" in taken
    taken = ann.send({}, button="Go back to before this")
    assert "Nothing yet." in taken
    assert host.head("mail") == before


def test_two_who_go_back_at_once_take_back_one_step(ann: Browser) -> None:
    ann.open(f"{place(ann)}?as=Bob")
    propose(ann, "Tea")
    old = ann.text
    propose(ann, "Milk")
    ann.text = old
    assert "Somebody has gone on in the copy" in ann.send({}, button="Take back the last step")
    assert ann.status == 409
    assert "Milk" in ann.text


def test_a_copy_has_a_past_and_each_page_says_that_it_is_a_copy(ann: Browser) -> None:
    copy = place(ann)
    ann.open(f"{copy}?as=Bob")
    propose(ann, "Tea for all")
    step = re.search(rf'href="({copy}/past/\d+)">', ann.text)
    assert step is not None
    shown = ann.open(step[1])
    assert "This is a copy, not the game." in shown
    assert "Tea for all" in shown
    assert f'href="{copy}/past/' in ann.text
    event = re.search(rf'href="({copy}/events/\d+)">', ann.text)
    assert event is not None
    shown = ann.open(event[1])
    assert "This is a copy, not the game." in shown
    assert "This was wrong" not in shown
    assert "This is a copy, not the game." in ann.open(f"{copy}/past/periods/1")
    assert "Tea for all" in words(ann.text)


def test_time_passes_in_a_copy_until_a_given_time(ann: Browser) -> None:
    shown = ann.send({"until": "2030-01-31T12:00"}, button="Let time pass")
    assert "2030-01-31 12:00" in shown


def test_several_steps_of_a_copy_are_asked_for_in_their_order(
    enter_as: EnterAs, host: GameHost
) -> None:
    let_ann_move(host)
    ann = enter_as("Ann")
    ann.open("/games/mail/play")
    ann.send({}, button="Open a copy to try things")
    copy = place(ann)
    ann.open(f"{copy}?as=Ann")
    _, fields = ann.form("/play")
    while fields.get("action") != "buy":
        ann.text = ann.text.replace("<form", "<gone", 1)
        _, fields = ann.form("/play")
    square = fields["with-square"]
    assert "Ann asks to buy" in ann.send({}, to="/play")
    naming = {"action": "name_square", "with-square": square, "with-name": "Tea House"}
    ann.text = re.sub(r'name="with-square" value="[^"]*"', "", ann.text)
    shown = ann.send({**naming, "what": "submit"}, to=f"{copy}/play")
    assert "Tea House" in shown
    tried = ann.send({}, button="Try the steps in the game")
    assert "Ann asks to buy" in tried
    assert "Tea House" in tried
    before = host.head("mail")
    done = ann.send({}, button="Ask for these, in this order")
    assert "What was not asked for" not in done
    assert host.head("mail") > before
    assert "Tea House" in ann.open("/games/mail/site/board.html")


def test_steps_of_others_and_steps_that_no_longer_fit_are_not_asked_for(
    enter_as: EnterAs, host: GameHost
) -> None:
    let_ann_move(host)
    ann, bob = enter_as("Ann"), enter_as("Bob")
    ann.open("/games/mail/play")
    ann.send({}, button="Open a copy to try things")
    copy = place(ann)
    ann.open(f"{copy}?as=Ann")
    _, fields = ann.form("/play")
    while fields.get("action") != "buy":
        ann.text = ann.text.replace("<form", "<gone", 1)
        _, fields = ann.form("/play")
    ann.send({}, to="/play")
    assert "Ask for this in the game" not in bob.open(copy)
    action, sent = ann.form("/line")
    bob.text = f'<form action="{action}"></form>'
    assert "your own steps" in bob.send(sent)
    ann.send({}, button="Try the steps in the game")
    form = ann.text
    ann.send({}, button="Ask for this")
    ann.text = re.sub(r'name="id" value="[^"]*"', 'name="id" value="another"', form)
    before = host.head("mail")
    assert "The rules would refuse" in ann.send({}, button="Ask for this")
    assert host.head("mail") == before
