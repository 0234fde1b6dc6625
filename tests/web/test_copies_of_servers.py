"""A copy to try things in is the same at every server of a ledger, and outlives each of them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import pytest
from postgres_server import PostgresServer

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.game.desk.copied_game import (
    CopyState,
    ask_in_copy,
    copy_state,
    propose_in_copy,
)
from nomoledger.people import copies
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from nomoledger.web.played_copies import CopyInfo
from web.browsers import Browser
from web.conftest import let_ann_move
from web.opened_game import open_mail_game

pytestmark = pytest.mark.slow
#: How many proposals are made at once.
AT_ONCE = 12


@pytest.fixture
def hosts(postgres_server: PostgresServer) -> Iterator[list[GameHost]]:
    """Two servers of one ledger."""
    url = postgres_server.new_database()
    open_mail_game(url)
    both = [GameHost(url), GameHost(url)]
    yield both
    for host in both:
        host.close()


def state(host: GameHost, copy: CopyInfo) -> CopyState:
    return host.copies.read(copy, copy_state, copy.since, kind=CopyState)


def propose(host: GameHost, copy: CopyInfo, text: str, id: str = "") -> None:
    host.copies.request(copy, propose_in_copy, "Ann", text, "", id=id or text)


def proposed(host: GameHost, copy: CopyInfo) -> list[str]:
    """Return the texts that were proposed in *copy*, as *host* shows it, in their order."""
    told = [line.told for line in state(host, copy).line if "makes proposal" in line.told]
    return [text.partition(": ")[2] for text in told]


def test_what_is_played_and_taken_back_at_one_server_is_so_at_the_other(
    hosts: list[GameHost],
) -> None:
    first, second = hosts
    copy = first.copies.make("mail", "Ann")
    assert second.copies.find("mail", copy.id) == copy
    assert second.copies.of("mail") == [copy]
    propose(first, copy, "Tea")
    propose(second, copy, "Milk")
    propose(first, copy, "Tea")  # The same form once more.
    propose(second, copy, "Tea")
    assert proposed(first, copy) == ["Tea", "Milk"]
    assert state(second, copy) == state(first, copy)
    outcome = second.copies.request(copy, ask_in_copy, "judge", 2, "accepted", id="verdict")
    again = first.copies.request(copy, ask_in_copy, "judge", 2, "accepted", id="verdict")
    assert any(isinstance(event, e.DrawRecorded) for event in outcome.events)
    assert again == outcome
    played = state(first, copy)
    verdict = next(each.event for each in played.line if "accepted" in each.told)
    second.copies.go_back(copy, verdict, played.last)
    with pytest.raises(UsageError, match="somebody has gone on"):
        first.copies.go_back(copy, verdict, played.last)
    assert proposed(first, copy) == ["Tea", "Milk"]
    thrown = first.copies.request(copy, ask_in_copy, "judge", 2, "accepted", id="again")
    assert [x for x in thrown.events if isinstance(x, e.DrawRecorded)]
    assert state(second, copy) == state(first, copy)


def test_what_several_play_at_once_at_two_servers_is_all_recorded_once(
    hosts: list[GameHost],
) -> None:
    copy = hosts[0].copies.make("mail", "Ann")
    texts = [f"Proposal {number}" for number in range(AT_ONCE)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(propose, cycle(hosts), [copy] * AT_ONCE, texts))
    assert proposed(hosts[0], copy) == proposed(hosts[1], copy)
    assert sorted(proposed(hosts[0], copy)) == sorted(texts)


def test_a_copy_outlives_its_server_and_does_not_follow_the_game(
    hosts: list[GameHost], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = hosts
    ann = Browser(make_app(first))
    ann.sign_in(first, "mail", "Ann")
    ann.open("/games/mail/past")
    ann.send({}, button="Open a copy")
    address = ann.address.removeprefix("http://games.test")
    copy = first.copies.of("mail")[0]
    propose(first, copy, "Tea for all")
    before = state(first, copy)
    let_ann_move(first)
    first.close()
    third = GameHost(second.location)
    try:
        assert state(third, copy) == before
        bob = Browser(make_app(third))
        bob.sign_in(third, "mail", "Bob")
        assert "Tea for all" in bob.open(address)
        assert bob.status == 200
        monkeypatch.setattr(copies, "PLAYED_BYTES_MAX", 2000)
        with pytest.raises(UsageError, match="this copy is full"):
            propose(third, copy, "x" * 2000, "long")
        assert state(third, copy) == before
    finally:
        third.close()
