"""The game that tests serve: mail-opening with Ann and Bob, whose dice fall the same each time."""

from datetime import UTC, datetime, timedelta

import nomoledger

#: Play begins yesterday, so that requests of now come later.
BEGIN = datetime.now(UTC).replace(microsecond=0) - timedelta(days=1)
#: What the dice follow from: the first throw of Ann is no double, and leads to a free square.
SECRET = b"s" * 32


def open_mail_game(path: str) -> None:
    """Make a ledger at *path* with the game `mail`, in which Ann and Bob have joined."""
    with nomoledger.open(path, create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening", at=BEGIN, secret=SECRET)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": f"{name.lower()}@example.org"}, at=BEGIN)
