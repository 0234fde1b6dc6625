"""What people are told by mail: what waits, what happened; never what is done, never a secret."""

import time
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from mail_server import MailServer
from web.browsers import Browser

from nomoledger.game.game import Game
from nomoledger.mail.mail import KIND
from nomoledger.people.postman import Postman
from nomoledger.people.sign_in import Session
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost

HOUR, DAY = 3600, 86_400


class Post:
    """The news of a served game, by a clock that a test sets."""

    def __init__(self, host: GameHost, server: MailServer) -> None:
        self.host, self.server = host, server
        self.now = time.time()
        assert host.mail is not None
        self.round = host.news_round(lambda: self.now)
        self.postman = Postman(host.outbox, KIND, host.mail.deliver)
        for reader in ("Ann", "Bob", "admin"):
            host.sign_in.invite("mail", reader, f"{reader.lower()}@example.org")

    def later(self, seconds: float = 60) -> list[tuple[str, str, str]]:
        """Look for news after *seconds*, and return to whom mails go, their subjects and texts."""
        self.now += seconds
        self.round.look()
        return self.send()

    def send(self) -> list[tuple[str, str, str]]:
        self.postman.go_round()
        mails, self.server.mails = self.server.mails, []
        return sorted(
            (str(m["To"].addresses[0].addr_spec), m["Subject"], m.get_content()) for m in mails
        )

    def ask(self, reader: str, request: Callable[..., object], *words: object, id: str) -> None:
        session = Session("0" * 64, "mail", reader)
        self.host.request(session, "asks", request, *words, id=id)  # type: ignore[arg-type]


def wait_for_another_second() -> None:
    """Wait until times, which are whole seconds, differ from those of now."""
    second = int(time.time())
    while int(time.time()) == second:
        time.sleep(0.02)


@pytest.fixture
def post(host: GameHost, mail_server: MailServer) -> Post:
    made = Post(host, mail_server)
    made.ask("Bob", Game.propose, "Bob", "An old thing", id="old")
    assert made.later() == [], "what happened before the first look is told to nobody"
    return made


def test_a_proposal_waits_for_the_admin_who_is_told_once(post: Post) -> None:
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    found = post.later()
    assert [x for x in found if x[0] == "ann@example.org"] == [], "she did it herself"
    (subject, text) = next(x[1:] for x in found if x[0] == "admin@example.org")
    assert "proposal 2" in subject
    assert "https://games.example.org/games/mail/admin" in text
    assert post.later(HOUR) == []


def test_the_author_is_told_of_the_verdict(post: Post) -> None:
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    post.later()
    post.ask("admin", Game.judge, 2, "rejected", id="v")
    found = [x for x in post.later(HOUR) if x[0] == "ann@example.org"]
    assert len(found) == 1
    assert "Your proposal 2 is decided" in found[0][2]
    assert "https://games.example.org/games/mail/proposals/2" in found[0][2]


def test_what_is_done_before_the_mail_is_sent_is_not_told(post: Post) -> None:
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    post.now += 60
    post.round.look()
    post.ask("admin", Game.judge, 2, "rejected", id="v")
    assert [x for x in post.send() if x[0] == "admin@example.org"] == []


def test_a_mail_that_was_sent_and_not_noted_is_sent_again_with_the_same_id(
    post: Post, mail_server: MailServer
) -> None:
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    post.now += 60
    post.round.look()
    assert post.host.mail is not None
    for letter in post.host.outbox.take(KIND):
        post.host.mail.deliver(letter)
        post.host.outbox.put_back(letter)  # as if the server were killed before it noted that
    first = sorted(mail["Message-ID"] for mail in mail_server.mails)
    mail_server.mails.clear()
    post.postman.go_round()
    assert sorted(mail["Message-ID"] for mail in mail_server.mails) == first != []


def test_an_offer_is_told_and_its_deadline_is_remembered(post: Post) -> None:
    post.host.mail_choices.choose("mail", "Ann", "at once", 6, [HOUR])
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    post.later()
    wait_for_another_second()  # What begins in the second of her own deed, she has seen.
    post.ask("admin", Game.judge, 2, "accepted", id="v")
    (told,) = [x for x in post.later(60) if x[0] == "ann@example.org"]
    assert "Until " in told[2]
    news = post.round._news("mail", "Ann", -1, ())
    (until,) = [each.until for each in news.open if each.until is not None]
    post.later(until - 2 * HOUR - post.now)
    (reminder,) = [x for x in post.later(HOUR + 1) if x[0] == "ann@example.org"]
    assert "Soon over" in reminder[1]
    assert [x for x in post.later(60) if x[0] == "ann@example.org"] == []


def test_the_mail_of_the_day_is_one_mail_however_long_the_server_was_away(post: Post) -> None:
    post.host.mail_choices.choose("mail", "admin", "daily", 6, [])
    for number in range(3):
        post.ask("Ann", Game.propose, "Ann", f"Thing {number}", id=f"p{number}")
    found = [x for x in post.later(3 * DAY) if x[0] == "admin@example.org"]
    assert len(found) == 1
    assert "proposal 4" in found[0][2], "by the rules, it replaces the others of Ann"
    assert "proposal 1" in found[0][2], "it still waits"
    post.ask("Ann", Game.propose, "Ann", "Later", id="later")
    assert [x for x in post.later(60) if x[0] == "admin@example.org"] == []


def test_a_game_that_rests_sends_no_mail(post: Post) -> None:
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    assert post.later(400 * DAY) == []


def test_two_servers_write_each_mail_once(post: Post) -> None:
    other = post.host.news_round(lambda: post.now)
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    post.now += 60
    other.look()
    post.round.look()
    assert len([x for x in post.send() if x[0] == "admin@example.org"]) == 1


def test_a_program_stops_the_mails_without_signing_in(post: Post, host: GameHost) -> None:
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    text = next(x[2] for x in post.later() if x[0] == "admin@example.org")
    address = "/mail/stop/" + text.partition("/mail/stop/")[2].split()[0]
    browser = Browser(make_app(host), "https://games.example.org")
    assert "Send no more mails" in browser.open(address)
    assert host.mail_choices.of("mail", "admin").pace == "at once", "a look stops nothing"
    answer = browser.client.post(address, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code in (200, 201)
    assert host.mail_choices.of("mail", "admin").pace == "never"
    assert browser.client.post("/mail/stop/nothing", data={}).status_code == 404
    post.ask("Ann", Game.propose, "Ann", "More", id="q")
    assert [x for x in post.later() if x[0] == "admin@example.org"] == []


def test_readers_choose_on_their_page_what_they_are_told(host: GameHost) -> None:
    ann = Browser(make_app(host), "https://games.example.org")
    ann.sign_in(host, "mail", "Ann")
    assert "Mail" in ann.open("/games/mail/play")
    ann.open("/games/mail/mail")
    fields = {"pace": "daily", "hour": "18", "reminder": ["3600"]}
    content = urlencode(fields, doseq=True)
    form = {"content-type": "application/x-www-form-urlencoded"}
    ann.client.post("/games/mail/mail", content=content, headers=form)
    choice = host.mail_choices.of("mail", "Ann")
    assert (choice.pace, choice.hour, choice.reminders) == ("daily", 18, (3600,))
