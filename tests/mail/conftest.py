"""A served game of mail-opening with Ann and Bob, and a real mail server that takes its mails."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from mail_server import MailServer
from web.opened_game import open_mail_game

from nomoledger.mail.mail import MailSettings
from nomoledger.mail.smtp_account import SmtpAccount
from nomoledger.web.game_host import GameHost

ADDRESSES = {"Ann": "ann@example.org", "Bob": "bob@example.org", "admin": "admin@example.org"}


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    server = MailServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def settings(mail_server: MailServer) -> MailSettings:
    account = SmtpAccount(f"smtp://localhost:{mail_server.port}")
    return MailSettings(account, "games@example.org", "https://games.example.org")


@pytest.fixture
def host(tmp_path: Path, settings: MailSettings) -> Iterator[GameHost]:
    path = str(tmp_path / "mail.db")
    open_mail_game(path)
    served = GameHost(path, mail=settings, public_url=settings.public_url)
    yield served
    served.close()
