"""A served game of mail-opening with Ann and Bob, and a real mail server that takes its mails."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from mail_server import MailServer

import nomoledger
from nomoledger.mail.mail import MailSettings
from nomoledger.mail.smtp_account import SmtpAccount
from nomoledger.web.game_host import GameHost

#: Play begins yesterday, so that requests of now come later.
BEGIN = datetime.now(UTC).replace(microsecond=0) - timedelta(days=1)
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
    with nomoledger.open(path, create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening", at=BEGIN)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": ADDRESSES[name]}, at=BEGIN)
    served = GameHost(path, mail=settings, public_url=settings.public_url)
    yield served
    served.close()
