"""What if: copies of a served game, in which people try things."""

import time
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_bytes

import pytest

import nomoledger
from nomoledger.errors import UnknownError
from nomoledger.game.desk.copied_game import (
    CopyState,
    ask_in_copy,
    copy_game,
    copy_state,
    propose_in_copy,
)
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger
from nomoledger.people.copies import COPY_SECONDS, OWN_MAX
from nomoledger.web import played_copies
from nomoledger.web.game_host import GameHost
from web.conftest import EnterAs, let_ann_move


def test_a_copy_is_played_on_by_others_and_its_line_is_asked_for_in_the_game(
    enter_as: EnterAs, host: GameHost
) -> None:
    let_ann_move(host)
    ann, bob, visitor = enter_as("Ann"), enter_as("Bob"), enter_as("")
    before = host.head("mail")
    ann.open("/games/mail/past")
    shown = ann.send({}, button="Open a copy")
    assert "This is a copy, not the game." in shown
    assert "throwaway seed" in shown
    address = ann.address.removeprefix("http://games.test")
    assert "sign in first" in visitor.open(address)
    assert "opened by Ann" in bob.open("/games/mail/past")
    assert address in bob.text
    bob.open(f"{address}?as=Ann")
    _, fields = bob.form("/copies/")
    while fields.get("action") != "buy":
        bob.text = bob.text.replace("<form", "<gone", 1)
        _, fields = bob.form("/copies/")
    shown = bob.send({}, to="/copies/")
    assert "Ann asks to buy" in shown
    assert "What has another owner" in shown
    assert host.head("mail") == before
    ann.open(address)
    shown = ann.send({}, button="Try the steps in the game")
    assert "What the steps would do in the game" in shown
    assert "You: -" in shown
    form = ann.text
    shown = ann.send({}, button="Ask for this")
    assert "Ann asks to buy" in shown
    assert host.head("mail") > before
    after = host.head("mail")
    ann.text = form
    assert "Ann asks to buy" in ann.send({}, button="Ask for this")
    assert host.head("mail") == after


def test_the_dice_of_a_copy_tell_nothing_of_those_of_the_game(tmp_path: Path) -> None:
    at = datetime(2026, 1, 5, tzinfo=UTC)
    with nomoledger.open(str(tmp_path / "g.db"), create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening", at=at)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": f"{name.lower()}@example.org"}, at=at)
        game.propose("Ann", "Something", at=at)
        moved = set()
        for number in range(4):
            copy = str(tmp_path / f"copy-{number}.db")
            copy_game(game, copy, None, token_bytes(32))
            with Ledger.open(copy) as other:
                assert other.secret("mail") != ledger.secret("mail")
                copied = Game(other, "mail")
                outcome = ask_in_copy(copied, "judge", 1, "accepted", id="verdict")
                moved.add(next(e.values for e in outcome.events if hasattr(e, "values")))
                assert copied.close(at=at).events
        assert len(moved) > 1
        assert "example.org" not in repr(list(Ledger.open(copy).read("mail")))


def test_nothing_sealed_is_in_a_copy(tmp_path: Path) -> None:
    at = datetime(2026, 1, 5, tzinfo=UTC)
    with nomoledger.open(str(tmp_path / "g.db"), create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening", at=at)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": f"{name.lower()}@example.org"}, at=at)
        acts = (nomoledger.events.Act("buy", {"square": 4}),)
        game.order("Bob", "money(Bob) > 5000", acts, at=at)
        game.propose("Ann", "Something", at=at)
        secret = token_bytes(32)
        head = copy_game(game, str(tmp_path / "copy.db"), None, secret)
        with Ledger.open(str(tmp_path / "copy.db")) as other:
            assert not Game(other, "mail").world.orders
            assert "5000" not in repr([e for e in other.read("mail") if e.number > 40])
            outcome = ask_in_copy(Game(other, "mail"), "judge", 1, "accepted", id="v")
            assert outcome.events
        for number in list(game.world.orders):
            game.cancel_order("Bob", number, at=at)
        game.judge(1, "accepted", at=at)
        game.close(at=at)
        assert copy_game(game, str(tmp_path / "again.db"), head.number, secret) == head


def test_the_oldest_copy_of_a_person_makes_room_for_a_new_one(host: GameHost) -> None:
    others = host.copies.make("mail", "Bob")
    own = [host.copies.make("mail", "Ann") for _ in range(OWN_MAX + 1)]
    with pytest.raises(UnknownError):
        host.copies.find("mail", own[0].id)
    for copy in (others, *own[1:]):
        assert host.copies.find("mail", copy.id) == copy


def test_copies_that_nobody_looks_at_have_no_process_and_are_as_they_were(
    host: GameHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played_copies, "AWAKE_MAX", 1)
    first, second = (host.copies.make("mail", name) for name in ("Ann", "Bob"))
    for number, copy in enumerate((first, second, first, second)):
        host.copies.request(copy, propose_in_copy, "Ann", f"Tea {number}", "", id=f"t{number}")
        assert [each.is_awake for each in host.copies._open.values()].count(True) == 1
    for copy, texts in ((first, ["Tea 0", "Tea 2"]), (second, ["Tea 1", "Tea 3"])):
        told = repr(host.copies.read(copy, copy_state, copy.since, kind=CopyState).line)
        assert [text for text in ("Tea 0", "Tea 1", "Tea 2", "Tea 3") if text in told] == texts


def test_a_copy_is_gone_after_a_day(host: GameHost) -> None:
    now = time.time()
    host.copies._stored._clock = lambda: now
    copy = host.copies.make("mail", "Ann")
    assert host.copies.find("mail", copy.id) == copy
    now += COPY_SECONDS + 1
    with pytest.raises(UnknownError, match="kept for a day"):
        host.copies.find("mail", copy.id)
    other = host.copies.make("mail", "Ann")
    assert [each.name for each in host.copies._folder.iterdir()] == [other.id]
