"""Webhooks are told what their owners may see: each event once, in order, whatever happens."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from watch import Watch
from webhook_receiver import Receiver, running_receiver, sender_to

from nomoledger.errors import UsageError
from nomoledger.game.move import move_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.people.outbox import LEASE_SECONDS
from nomoledger.people.webhooks import WEBHOOKS_MAX
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.api.programs import Program, token_of
from web.called_webhooks import CalledWebhooks, numbers, open_whispering_game

HOUR, DAY = 3600, 86_400


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    with running_receiver(tmp_path_factory.mktemp("receiver")) as server:
        yield server


@pytest.fixture(scope="module")
def whispering(tmp_path_factory: pytest.TempPathFactory, receiver: Receiver) -> Iterator[GameHost]:
    """Serves one game to the tests, which leave no webhook behind."""
    place = str(tmp_path_factory.mktemp("webhooks") / "mail.db")
    open_whispering_game(place)
    host = GameHost(place, webhook_sender=sender_to(receiver.file))
    yield host
    host.close()


@pytest.fixture
def called(whispering: GameHost, receiver: Receiver) -> Iterator[CalledWebhooks]:
    made = CalledWebhooks(whispering, receiver)
    yield made
    for webhook in made.webhooks.all_on():
        made.webhooks.remove(webhook)
    receiver.statuses.clear()
    receiver.calls.clear()


def test_each_event_is_told_once_and_as_the_api_shows_it(called: CalledWebhooks) -> None:
    webhook = called.add("Ann")
    assert called.later() == [], "it is told of what happens from now on"
    called.propose()
    told = called.later()
    assert called.later(DAY) == []
    (body,) = told
    assert body["type"] == "game.events"
    assert (body["data"]["game"], body["data"]["reader"]) == ("mail", "Ann")
    token = token_of(called.host, "mail", "Ann")
    program = Program(make_app(called.host), "mail", token)
    shown = program.get(f"/events?after={webhook.told}&limit=1000").json()
    assert body["data"]["events"] == shown["events"]
    assert called.now(webhook).told == shown["last"]


def test_only_the_kinds_are_told_that_were_chosen(called: CalledWebhooks) -> None:
    called.add("Ann", "request")
    called.propose()
    (body,) = called.later()
    assert [event["is_request"] for event in body["data"]["events"]] == [True]
    with pytest.raises(UsageError, match="choose what is sent"):
        called.add("Ann", "all")


def test_a_webhook_never_holds_a_secret_of_another(called: CalledWebhooks) -> None:
    for reader in ("Ann", "Bob", "admin"):
        called.add(reader)
    called.whisper("Marmalade")
    bodies = called.later()
    assert sorted(body["data"]["reader"] for body in bodies) == ["Bob", "admin"]
    assert all("Marmalade" in str(body) for body in bodies)
    called.whisper("Gooseberry")
    called.propose()
    by_reader = {body["data"]["reader"]: body for body in called.later()}
    assert "Gooseberry" not in str(by_reader["Ann"])
    assert "whisper" not in str(by_reader["Ann"]).lower()
    assert "Gooseberry" in str(by_reader["Bob"])
    with called.host._database.transaction() as connection:
        kept = connection.execute("SELECT * FROM outbox").fetchall()
        kept += connection.execute("SELECT * FROM webhook_calls").fetchall()
    assert "Gooseberry" not in str(kept), "nothing that waits to be sent holds a secret"


def test_one_call_is_under_way_at_a_time_and_is_repeated_with_its_id(
    called: CalledWebhooks,
) -> None:
    called.add("Ann")
    called.receiver.statuses = [500, 503]
    called.propose()
    (first,) = called.later()
    called.propose()
    assert called.later() == [], "the next call waits for the first"
    (second,) = called.later(60)
    assert second == first
    third, following = called.later(180)
    assert third == first
    assert following["id"] != first["id"]
    both = numbers([third, following])
    assert both == list(range(both[0], both[-1] + 1))


def test_after_a_410_a_webhook_is_off_until_its_owner_switches_it_on(
    called: CalledWebhooks,
) -> None:
    webhook = called.add("Ann")
    called.receiver.statuses = [410]
    called.propose()
    (refused,) = called.later()
    its = called.now(webhook)
    assert (its.is_on, its.why) == (False, "the answer was 410: no more calls are wanted")
    called.propose()
    assert called.later(5 * DAY) == []
    called.webhooks.switch(its, True)
    (missed,) = called.later()
    assert numbers([missed])[: len(numbers([refused]))] == numbers([refused])
    assert missed["id"] != refused["id"]
    called.webhooks.remove(called.now(webhook))


def test_after_four_days_of_failure_a_webhook_is_off(called: CalledWebhooks) -> None:
    webhook = called.add("Ann")
    called.receiver.statuses = [500] * 99
    called.propose()
    times = []
    while called.now(webhook).is_on:
        assert len(called.later()) == 1
        times.append(called.watch.now)
        called.watch.now = max([each.due for each in called.outbox.waiting("mail")], default=0)
    waits = [later - earlier for earlier, later in pairwise(times)]
    assert waits[:7] == [60, 180, 540, 1620, 4860, 14580, 21600]
    assert 4 * DAY <= times[-1] - times[0] < 4.5 * DAY
    why = "no call has arrived for four days; the last time, the answer was 500, not 2xx"
    assert called.now(webhook).why == why
    assert called.outbox.waiting("mail") == []
    called.webhooks.remove(webhook)


@pytest.mark.parametrize("seconds", [400 * DAY, -400 * DAY])
def test_when_the_clock_of_the_server_is_changed_nothing_is_told_again(
    called: CalledWebhooks, seconds: int
) -> None:
    webhook = called.add("Ann")
    called.propose()
    known = numbers(called.later())
    assert called.later(seconds) == []
    called.propose()
    new = numbers(called.later())
    assert new[0] == known[-1] + 1
    assert called.now(webhook).is_on


def test_a_call_that_a_changed_clock_made_too_old_is_posted_anew(called: CalledWebhooks) -> None:
    webhook = called.add("Ann")
    called.receiver.statuses = [500]
    called.propose()
    (failed,) = called.later()
    (again,) = called.later(400 * DAY) + called.later()
    assert numbers([again]) == numbers([failed])
    assert called.now(webhook).is_on


def test_after_an_older_copy_of_the_ledger_is_put_in_place_news_are_told(
    called: CalledWebhooks,
) -> None:
    webhook = called.add("Ann")
    called.propose()
    last = numbers(called.later())[-1]
    its = called.now(webhook)
    called.webhooks.go_on(its, last + 500)  # as if so many events had been told
    assert called.later() == []
    called.propose()
    assert numbers(called.later())[0] == last + 1


def test_a_game_that_has_moved_is_told_of_no_more_and_of_nothing_twice(
    tmp_path: Path, receiver: Receiver
) -> None:
    places = [str(tmp_path / "here.db"), str(tmp_path / "there.db")]
    open_whispering_game(places[0])
    host = GameHost(places[0])
    called = CalledWebhooks(host, receiver)
    webhook = called.add("Ann")
    called.propose()
    before = numbers(called.later())
    for here, there in (places, places[::-1]):
        with Ledger.open(here) as source, Ledger.open(there, create=True) as target:
            move_game(source, target, "mail", here, there)
        assert called.later() == []
    assert called.now(webhook).is_on
    called.propose()
    assert numbers(called.later())[0] == before[-1] + 1
    host.close()


def test_a_test_is_tried_once_and_switches_nothing_off(called: CalledWebhooks) -> None:
    webhook = called.add("Ann")
    called.receiver.statuses = [500]
    assert called.round.post_test(webhook)
    assert not called.round.post_test(webhook), "one in a minute"
    assert [body["type"] for body in called.later()] == ["test"]
    called.watch.now += 60
    assert called.round.post_test(webhook)
    called.watch.now += 600
    assert called.later() == [], "nobody waits for it any more"
    late, failed = called.webhooks.calls_of(webhook)
    assert (late.answer, failed.answer) == (
        "it was not sent in time",
        "the answer was 500, not 2xx",
    )
    assert called.now(webhook) == webhook


def test_the_webhook_of_somebody_who_plays_no_more_is_off(called: CalledWebhooks) -> None:
    given = ("mail", "Nobody", "form", called.receiver.address, ["request"], -1)
    webhook, _ = called.webhooks.add(*given)
    assert called.later() == []
    assert called.now(webhook).why == "mail: there is no player 'Nobody'"
    called.webhooks.remove(webhook)


def test_nobody_has_too_many_and_the_same_form_adds_one(called: CalledWebhooks) -> None:
    given = ("mail", "Bob", "form", called.receiver.address, ["request"], 1)
    first, secret = called.webhooks.add(*given)
    assert called.webhooks.add(*given) == (first, secret)
    for _ in range(WEBHOOKS_MAX - 1):
        called.add("Bob")
    with pytest.raises(UsageError, match="remove one"):
        called.add("Bob")
    called.add("Ann")


def test_a_webhook_that_is_added_again_after_its_removal_is_called(called: CalledWebhooks) -> None:
    ids = []
    for _ in range(2):
        last = called.add("Ann").told
        given = ("mail", "Ann", "form", called.receiver.address, ["request"], last)
        webhook, _ = called.webhooks.add(*given)
        called.propose()
        ids += [body["id"] for body in called.later() if webhook.id in body["id"]]
        for each in called.webhooks.all_on():
            called.webhooks.remove(each)
        called.watch.now += 1
    assert len(set(ids)) == 2


@pytest.mark.slow
def test_a_server_killed_between_calling_and_noting_calls_again_with_the_same_id(
    tmp_path: Path, receiver: Receiver
) -> None:
    place = str(tmp_path / "mail.db")
    open_whispering_game(place)
    host = GameHost(place)
    called = CalledWebhooks(host, receiver)
    called.add("Ann")
    called.propose()
    called.round.look()
    script = Path(__file__).parents[1] / "killed_caller.py"
    words = [sys.executable, str(script), place, str(receiver.file)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    (first,) = called.received()
    assert called.later() == [], "the call may still be under way"
    called.watch.now = int(time.time())
    (again,) = called.later(LEASE_SECONDS + 1)
    assert again == first
    assert called.later(DAY) == []
    host.close()


@pytest.mark.slow
def test_several_servers_with_one_postgresql_make_each_call_once(
    postgres_url: str, receiver: Receiver
) -> None:
    open_whispering_game(postgres_url)
    hosts = [GameHost(postgres_url) for _ in range(2)]
    watch = Watch(int(time.time()))
    servers = [CalledWebhooks(host, receiver, watch) for host in hosts]
    for reader in ("Ann", "Bob", "admin"):
        servers[0].add(reader)
    count = 5
    for _ in range(count):
        servers[0].propose()
        for at_work in ("look", "call"):
            run_at_once([
                each.round.look if at_work == "look" else each.postman.go_round
                for each in servers
            ])  # fmt: skip
    bodies = servers[0].later()
    seen = [(body["data"]["reader"], number) for body in bodies for number in numbers([body])]
    assert len(seen) == len(set(seen)), "no event is told twice"
    assert len({body["id"] for body in bodies}) == len(bodies) >= 3
    for webhook in servers[0].webhooks.all_on():
        told = [number for reader, number in seen if reader == webhook.reader]
        assert told == list(range(told[0], webhook.told + 1)), "none is left out"
    for host in hosts:
        host.close()


def run_at_once(calls: list[Callable[[], object]]) -> None:
    """Run *calls*, each in a thread, from the same moment on."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> None:
        start.wait(10)
        call()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
