"""Mails tell no secret of others, and are written once by several servers and after a crash."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mail_server import MailServer
from web.opened_game import BEGIN
from web.test_sealed_pages import WHISPERS

import nomoledger
from mail.conftest import ADDRESSES
from mail.test_news_mails import Post
from nomoledger.game.desk.player_requests import submit_values
from nomoledger.game.game import Game
from nomoledger.mail.mail import KIND, MailSettings
from nomoledger.mail.news_round import NewsRound
from nomoledger.people.database import open_people
from nomoledger.people.outbox import LEASE_SECONDS, Outbox
from nomoledger.people.postman import Postman
from nomoledger.rulebook.changes import parse_changes
from nomoledger.web.game_host import GameHost

NOMOPOLY = pytest.mark.parametrize("rulebook", ["nomopoly-iii"])


@pytest.fixture
def rulebook() -> str:
    return "mail-opening"


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "several.db")


@pytest.fixture
def post(
    place: str, rulebook: str, settings: MailSettings, mail_server: MailServer
) -> Iterator[Post]:
    """The news of a game in which players whisper, if its rules do not come from elsewhere."""
    with nomoledger.open(place, create=True) as ledger:
        game = ledger.create_game("mail", rulebook, at=BEGIN)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": ADDRESSES[name]}, at=BEGIN)
        if rulebook == "mail-opening":
            game.rule("whispers", changes=parse_changes(WHISPERS, "whispers"), at=BEGIN)
    host = GameHost(place, mail=settings, public_url=settings.public_url)
    made = Post(host, mail_server)
    assert made.later() == []
    yield made
    host.close()


def to(post: list[tuple[str, str, str]], reader: str) -> list[str]:
    """Return the subjects and texts of the mails to *reader*."""
    return [f"{subject}\n{text}" for address, subject, text in post if address == ADDRESSES[reader]]


def test_a_secret_of_bob_is_in_no_mail_to_others(post: Post) -> None:
    before = post.round._news("mail", "Ann", -1, ())
    post.ask("Bob", submit_values, "Bob", "whisper", {"text": "Marmalade"}, id="secret")
    assert post.round._news("mail", "Ann", -1, ()) == before
    own = post.round._news("mail", "Bob", -1, ())
    assert "Marmalade" in str(own), "only Bob is told"
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    post.ask("admin", Game.judge, 1, "rejected", id="v")
    mails = post.later(3600)
    assert len(to(mails, "Ann")) == 1
    assert "Marmalade" not in str(to(mails, "Ann"))
    assert "whisper" not in str(to(mails, "Ann")).lower()


@pytest.mark.slow
@NOMOPOLY
def test_a_vote_waits_for_a_player_until_the_player_votes(post: Post, rulebook: str) -> None:
    post.ask("Ann", Game.propose, "Ann", "All squares are free", id="p")
    (told,) = to(post.later(), "Bob")
    assert "a vote on proposal 1 by Ann" in told
    assert "/games/mail/proposals/1" in told
    post.host.mail_choices.choose("mail", "Bob", "daily", 6, [])
    post.ask("Bob", Game.vote, "Bob", 1, "no", id="b")
    assert not any("vote on proposal 1" in x for x in to(post.later(2 * 86_400), "Bob"))
    assert "Bob" not in str(to(post.later(3600), "Ann")), "votes are sealed"


def test_the_ruling_on_a_dispute_is_told_to_who_opened_it(post: Post, place: str) -> None:
    with nomoledger.open(place) as ledger:
        ledger.game("mail").dispute("Ann", "That is wrong", period=1)
    assert "decided" not in str(to(post.later(), "Ann"))
    with nomoledger.open(place) as ledger:
        ledger.game("mail").rule("It stands as it is", closes=1)
    (told,) = to(post.later(3600), "Ann")
    assert "Your dispute 1 is decided: It stands as it is" in " ".join(told.split())
    assert "/games/mail/disputes/1" in told
    assert to(post.later(3600), "Ann") == []


class TestOnPostgres:
    """Two servers with one database in PostgreSQL."""

    @pytest.fixture
    def place(self, postgres_url: str) -> str:
        return postgres_url

    @pytest.mark.slow
    def test_two_servers_at_the_same_time_write_and_send_each_mail_once(
        self, post: Post, place: str, mail_server: MailServer
    ) -> None:
        mail, count = post.host.mail, 5
        assert mail is not None
        databases = [open_people(place) for _ in range(2)]
        rounds = [NewsRound(post.host, each, mail, lambda: post.now) for each in databases]
        men = [Postman(Outbox(each), KIND, mail.deliver) for each in databases]
        for number in range(count):
            post.ask("Ann", Game.propose, "Ann", f"Thing {number}", id=f"p{number}")
            post.now += 3600
            at_once([each.look for each in rounds])
            at_once([each.go_round for each in men])
        for each in databases:
            each.close()
        sent = [str(x["Subject"]) for x in mail_server.mails if "admin@" in str(x["To"])]
        assert len(sent) == len(set(sent)) == count, sent
        ids = [x["Message-ID"] for x in mail_server.mails]
        assert len(ids) == len(set(ids))


def at_once(calls: list[Callable[[], object]]) -> None:
    """Run *calls*, each in a thread, from the same moment on."""
    start, failed = threading.Barrier(len(calls)), list[BaseException]()

    def run(call: Callable[[], object]) -> None:
        start.wait(10)
        try:
            call()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed, failed


@pytest.mark.slow
def test_a_server_killed_between_sending_and_noting_sends_the_same_message_id_again(
    post: Post, place: str, mail_server: MailServer
) -> None:
    post.ask("Ann", Game.propose, "Ann", "Something", id="p")
    post.now += 60
    post.round.look()
    script = Path(__file__).parents[1] / "killed_postman.py"
    words = [sys.executable, str(script), place, str(mail_server.port)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    (first,) = mail_server.mails
    waiting = post.host.outbox.waiting("mail")
    assert [each.to for each in waiting] == [first["To"].addresses[0].addr_spec]
    late = Outbox(post.host._database, lambda: time.time() + LEASE_SECONDS + 1)
    assert post.host.mail is not None
    Postman(late, KIND, post.host.mail.deliver, lambda: time.time() + LEASE_SECONDS + 1).go_round()
    assert first["Message-ID"] in [mail["Message-ID"] for mail in mail_server.mails]
    assert post.host.outbox.waiting("mail") == []
