"""Mails go through real mail servers: plain on this computer, else encrypted and signed in."""

from pathlib import Path

import pytest
from mail_server import PASSWORD, MailServer, certificate

from nomoledger.errors import UsageError
from nomoledger.mail.smtp_account import SmtpAccount
from nomoledger.people.postman import DeliveryError, UndeliverableError

MAIL = b"From: games@example.org\r\nTo: ann@example.org\r\nSubject: Hello\r\n\r\nText\r\n"
WAY = ("games@example.org", "ann@example.org")


def test_a_mail_server_on_this_computer_needs_no_encryption(mail_server: MailServer) -> None:
    SmtpAccount(f"smtp://localhost:{mail_server.port}").send(MAIL, *WAY)
    assert [mail["Subject"] for mail in mail_server.mails] == ["Hello"]
    assert not mail_server.was_encrypted


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")  # STARTTLS, it means
@pytest.mark.parametrize("is_smtps", [False, True], ids=["starttls", "smtps"])
def test_signing_in_is_encrypted_and_the_certificate_is_checked(
    is_smtps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, context = certificate(tmp_path)
    server = MailServer(context, is_smtps)
    server.start()
    scheme = "smtps" if is_smtps else "smtp"
    address = f"{scheme}://games@localhost:{server.port}?tls=yes"
    account = SmtpAccount(address, PASSWORD)
    try:
        with pytest.raises(DeliveryError, match="certificate verify failed"):
            account.send(MAIL, *WAY)
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        account.send(MAIL, *WAY)
        assert (len(server.mails), server.logins, server.was_encrypted) == (1, ["games"], True)
        with pytest.raises(DeliveryError, match="refuses us: 535") as refused:
            SmtpAccount(address, "another pass word").send(MAIL, *WAY)
        assert "another pass word" not in str(refused.value)
    finally:
        server.stop()


def test_a_server_that_offers_no_encryption_gets_no_mail(mail_server: MailServer) -> None:
    account = SmtpAccount(f"smtp://localhost:{mail_server.port}?tls=yes")
    with pytest.raises(DeliveryError, match="STARTTLS"):
        account.send(MAIL, *WAY)
    assert mail_server.mails == []


def test_what_is_refused_for_good_is_told_from_what_can_be_tried_again(
    mail_server: MailServer,
) -> None:
    account = SmtpAccount(f"smtp://localhost:{mail_server.port}")
    mail_server.answers["ann@example.org"] = ["550 no such user", "451 try later"]
    with pytest.raises(UndeliverableError, match="550 no such user"):
        account.send(MAIL, *WAY)
    with pytest.raises(DeliveryError, match="451 try later"):
        account.send(MAIL, *WAY)
    account.send(MAIL, *WAY)


def test_a_server_that_is_away_can_be_tried_again() -> None:
    with pytest.raises(DeliveryError, match=r"the mail server at localhost:1 failed"):
        SmtpAccount("smtp://localhost:1").send(MAIL, *WAY)


def test_the_password_is_shown_nowhere() -> None:
    account = SmtpAccount("smtps://ann%40example.org:s3cret%2Fword@mail.example.org")
    assert repr(account) == "SmtpAccount(mail.example.org:465)"


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.org",
        "http://user:s3cret@mail.example.org",
        "smtp://user:s3cret@mail.example.org:port",
        "smtp://user:s3cret@",
        "smtps://user:s3cret@mail.example.org/folder",
        "smtps://user:s3cret@mail.example.org?starttls=never",
        "smtps://user@mail.example.org",
        "smtp://[::1",
    ],
)
def test_a_wrong_address_is_refused_in_one_line_without_its_password(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        SmtpAccount(url)
    assert "s3cret" not in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "HOST" in str(refused.value)
