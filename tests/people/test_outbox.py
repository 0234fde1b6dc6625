"""The outbox, in a file and in PostgreSQL: each letter is sent once, whatever happens."""

import itertools
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from watch import Watch

from nomoledger.people.database import PeopleDatabase, open_people
from nomoledger.people.outbox import LEASE_SECONDS, MEMORY_SECONDS, PATIENCE_SECONDS, Letter, Outbox
from nomoledger.people.postman import DeliveryError, Postman, UndeliverableError

NOON = 1_800_000_000


@pytest.fixture
def watch() -> Watch:
    return Watch(NOON)


@pytest.fixture
def people(location: str) -> Iterator[PeopleDatabase]:
    database = open_people(location)
    yield database
    database.close()


@pytest.fixture
def outbox(people: PeopleDatabase, watch: Watch) -> Outbox:
    return Outbox(people, watch)


def post(outbox: Outbox, id: str, **fields: float) -> bool:
    content = f"the letter {id}".encode()
    return outbox.post(id, "mail", "g", "ann@example.org", content, about="a test", **fields)


def taken(outbox: Outbox) -> list[str]:
    return [letter.id for letter in outbox.take("mail")]


def test_an_id_is_posted_once_even_after_it_was_sent(outbox: Outbox) -> None:
    assert post(outbox, "a")
    assert not post(outbox, "a")
    (letter,) = outbox.take("mail")
    assert (letter.game, letter.to, letter.content) == ("g", "ann@example.org", b"the letter a")
    outbox.sent(letter)
    assert not post(outbox, "a")
    assert outbox.waiting("g") == outbox.given_up("g") == []


def test_letters_are_taken_by_kind_when_they_are_due(outbox: Outbox, watch: Watch) -> None:
    post(outbox, "later", due=NOON + 60)
    post(outbox, "now")
    outbox.post("call", "webhook", "g", "https://example.org", b"{}")
    assert taken(outbox) == ["now"]
    watch.now += 60
    assert taken(outbox) == ["later"]
    assert [letter.id for letter in outbox.take("webhook")] == ["call"]


def test_what_one_has_taken_nobody_else_gets_until_the_lease_ends(
    outbox: Outbox, watch: Watch
) -> None:
    post(outbox, "a")
    assert taken(outbox) == ["a"]
    assert taken(outbox) == []
    watch.now += LEASE_SECONDS - 1
    assert taken(outbox) == []
    watch.now += 1
    assert taken(outbox) == ["a"]


def test_a_letter_that_is_put_back_is_taken_again(outbox: Outbox) -> None:
    post(outbox, "a")
    outbox.put_back(outbox.take("mail")[0])
    assert taken(outbox) == ["a"]


def test_a_letter_that_failed_is_tried_again_after_ever_longer_pauses(
    outbox: Outbox, watch: Watch
) -> None:
    post(outbox, "a")
    pauses = []
    while watch.now < NOON + PATIENCE_SECONDS:
        (letter,) = outbox.take("mail")
        outbox.failed(letter, "451 try again later")
        (listed,) = outbox.waiting("g")
        assert listed.why == "451 try again later"
        pauses.append(listed.due - int(watch.now))
        assert taken(outbox) == []
        watch.now = listed.due
    assert pauses[:7] == [60, 180, 540, 1620, 4860, 14580, 21600]
    assert taken(outbox) == []
    (given_up,) = outbox.given_up("g")
    assert (given_up.id, given_up.why) == ("a", "451 try again later")


def test_what_is_not_sent_in_time_is_given_up(outbox: Outbox, watch: Watch) -> None:
    post(outbox, "a", until=NOON + 600)
    watch.now += 601
    assert taken(outbox) == []
    assert [letter.why for letter in outbox.given_up("g")] == ["it was not sent in time"]


def test_what_fails_for_good_is_given_up_at_once(outbox: Outbox) -> None:
    post(outbox, "a")
    outbox.failed(outbox.take("mail")[0], "550 no such address", for_good=True)
    assert taken(outbox) == []
    (listed,) = outbox.given_up("g")
    assert (listed.to, listed.about, listed.tries) == ("ann@example.org", "a test", 1)
    assert outbox.given_up("another") == []


def test_who_took_too_long_decides_nothing_but_that_it_was_sent(
    outbox: Outbox, watch: Watch
) -> None:
    post(outbox, "a")
    (slow,) = outbox.take("mail")
    watch.now += LEASE_SECONDS
    (quick,) = outbox.take("mail")
    outbox.failed(slow, "no answer", for_good=True)
    assert outbox.given_up("g") == []
    outbox.sent(slow)
    outbox.failed(quick, "550 twice", for_good=True)
    assert outbox.given_up("g") == outbox.waiting("g") == []


def test_the_content_is_erased_when_a_letter_is_sent_or_given_up(
    people: PeopleDatabase, outbox: Outbox
) -> None:
    post(outbox, "a")
    post(outbox, "b")
    first, second = outbox.take("mail")
    outbox.sent(first)
    outbox.failed(second, "550", for_good=True)
    with people.transaction() as connection:
        rows = connection.execute("SELECT content FROM outbox").fetchall()
    assert [bytes(row[0]) for row in rows] == [b"", b""]


def test_letters_of_long_ago_are_forgotten(outbox: Outbox, watch: Watch) -> None:
    post(outbox, "a")
    outbox.sent(outbox.take("mail")[0])
    watch.now += MEMORY_SECONDS + 1
    outbox.take("mail")
    assert post(outbox, "a")


@pytest.mark.slow
def test_several_servers_never_take_the_same_letter(location: str, people: PeopleDatabase) -> None:
    outbox = Outbox(people)
    for number in range(60):
        post(outbox, str(number))
    words = [sys.executable, str(Path(__file__).parents[1] / "letter_process.py"), location]
    pipe = subprocess.PIPE
    servers = [subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) for _ in range(3)]
    for server in servers:
        assert server.stdout
        assert server.stdout.readline() == "ready\n"
    for server in servers:
        assert server.stdin
        server.stdin.write("go\n")
        server.stdin.flush()
    took = [server.communicate(timeout=60)[0].split() for server in servers]
    assert sorted(map(int, itertools.chain(*took))) == list(range(60))


# --- the postman


def test_the_postman_sends_what_is_due_and_notes_what_became_of_it(
    outbox: Outbox, watch: Watch
) -> None:
    delivered = []

    def deliver(letter: Letter) -> None:
        if letter.id == "gone":
            raise UndeliverableError("550 no such address")
        if letter.id == "busy" and not letter.tries:
            raise DeliveryError("451 busy")
        if letter.id == "broken":
            raise ZeroDivisionError
        delivered.append(letter.id)

    for id in ("a", "broken", "busy", "gone"):
        post(outbox, id)
    postman = Postman(outbox, "mail", deliver, watch)
    assert postman.go_round() == 4
    assert delivered == ["a"]
    assert [(x.id, x.why) for x in outbox.given_up("g")] == [("gone", "550 no such address")]
    assert {x.id: x.why for x in outbox.waiting("g")} == {
        "broken": "it could not be sent: ZeroDivisionError",
        "busy": "451 busy",
    }
    watch.now += 60
    postman.go_round()
    assert delivered == ["a", "busy"]


def test_a_postman_who_is_late_leaves_letters_to_others(outbox: Outbox, watch: Watch) -> None:
    delivered = []

    def deliver(letter: Letter) -> None:
        delivered.append(letter.id)
        watch.now += LEASE_SECONDS

    post(outbox, "a")
    post(outbox, "b")
    postman = Postman(outbox, "mail", deliver, watch)
    assert [postman.go_round(), delivered] == [2, ["a", "b"]]


def test_a_postman_sends_at_once_what_is_posted_in_its_process(people: PeopleDatabase) -> None:
    outbox, arrived = Outbox(people), threading.Event()
    postman = Postman(outbox, "mail", lambda letter: arrived.set())
    postman.start()
    try:
        post(outbox, "a")
        assert arrived.wait(4), "sooner than the next round"
    finally:
        postman.stop()
