"""Sends one mail as a server that is killed before it notes that: `killed_postman.py LEDGER PORT`.

It is killed with SIGKILL, after the mail server at PORT has taken the mail.
"""

import os
import signal
import sys

from nomoledger.mail.mail import KIND, MailSettings
from nomoledger.mail.smtp_account import SmtpAccount
from nomoledger.web.game_host import GameHost

if __name__ == "__main__":
    place, port = sys.argv[1:]
    account = SmtpAccount(f"smtp://localhost:{port}")
    url = "https://games.example.org"
    host = GameHost(place, mail=MailSettings(account, "games@example.org", url), public_url=url)
    host.news_round()
    assert host.mail is not None
    (letter,) = host.outbox.take(KIND, 1)
    host.mail.deliver(letter)
    os.kill(os.getpid(), signal.SIGKILL)
