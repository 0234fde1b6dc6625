"""What mails look like: threads, headers that names cannot add to, and plain text."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from nomoledger.errors import UsageError
from nomoledger.mail.mail_address import checked_address, is_mail_address
from nomoledger.mail.message import MailLook, make_message, one_line
from nomoledger.mail.public_url import checked_origin

LOOK = MailLook(
    id="notice:1", game="mail", reader="Ann", to="ann@example.org", subject="Play waits for you",
    text="Play waits.\n\nhttps://games.example.org/games/mail/play\n", thread="mail:3",
    stop="https://games.example.org/mail/stop/x",
)  # fmt: skip


def made(**fields: str) -> EmailMessage:
    values = {name: getattr(LOOK, name) for name in LOOK.__struct_fields__} | fields
    mail = message_from_bytes(make_message(MailLook(**values), "g@example.org"), policy=default)
    assert isinstance(mail, EmailMessage)
    return mail


def test_the_same_mail_has_the_same_message_id_and_mails_of_a_thread_refer_to_the_same() -> None:
    first, again, other = made(), made(subject="Anew"), made(id="notice:2")
    assert first["Message-ID"] == again["Message-ID"] != other["Message-ID"]
    assert first["References"] == first["In-Reply-To"] == other["References"]
    assert made(thread="mail:4")["References"] != first["References"]


def test_mail_programs_know_that_a_program_wrote_it_and_how_to_stop_it() -> None:
    mail = made()
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["List-Unsubscribe"] == f"<{LOOK.stop}>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail.get_content_type() == "text/plain"
    assert "List-Unsubscribe" not in made(stop="")


@pytest.mark.parametrize(
    "name",
    [
        "Eve\r\nBcc: all@example.org",
        "Eve\nBcc: all@example.org\n\nA text",
        'Eve" <eve@example.org>, "Bob',
        "Eve\x00\x0b\x0c\x85\u2028Bcc: all@example.org",
        "=?utf-8?q?Eve=0D=0ABcc:_all=40example.org?=",
        "Éve 🎲" * 60,
        "",
    ],
)
def test_no_name_can_add_a_header_or_a_reader(name: str) -> None:
    mail = made(game=name, reader=name, subject=f"{name} waits", id=name, thread=name or "t")
    plain = made()
    assert sorted(mail.keys()) == sorted(plain.keys())
    (to,), (sender,) = mail["To"].addresses, mail["From"].addresses
    assert (to.addr_spec, sender.addr_spec) == ("ann@example.org", "g@example.org")
    assert mail.get_content() == plain.get_content()


def test_a_text_in_any_language_arrives_as_it_is() -> None:
    text = "Ærøskøbing 🎲 waits: " + "très " * 60
    assert made(text=text).get_content().split() == text.split()


def test_lines_are_short_and_links_stay_whole() -> None:
    link = f"https://games.example.org/{'x' * 100}"
    text = made(text=f"{'word ' * 40}\n\n{link}\n\n- {'item ' * 30}").get_content()
    assert link in text.splitlines()
    assert max(len(line) for line in text.splitlines() if "https" not in line) <= 72
    assert "\n  item" in text


def test_signs_that_turn_writing_around_are_left_out() -> None:
    assert one_line("a\u202eb\u2066c\td") == "a b c d"
    assert one_line("x" * 400) == "x" * 299 + "…"


@pytest.mark.parametrize(
    "text",
    ["", "ann", "ann@", "ann@b@c", "ann@example.org,bob@example.org", "Ann <ann@example.org>",
     "ann@example.org\n", "ann\r\n@example.org", "a b@example.org", f"{'a' * 250}@example.org"],
)  # fmt: skip
def test_what_is_no_single_address_is_refused(text: str) -> None:
    assert not is_mail_address(text)


def test_white_space_around_an_address_is_left_out() -> None:
    assert checked_address(" ann@example.org\n") == "ann@example.org"
    with pytest.raises(UsageError, match="is no e-mail address"):
        checked_address("ann")


def test_a_public_address_is_that_of_a_server() -> None:
    assert checked_origin("https://games.example.org/") == "https://games.example.org"
    assert checked_origin("http://[::1]:8000") == "http://[::1]:8000"
    for wrong in ("games.example.org", "https://", "https://a@b", "https://a/b", "http://a:x"):
        with pytest.raises(UsageError, match="is no address of a server"):
            checked_origin(wrong)
