"""A small game for the tests of forecasts, in which players toss dice."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

RULEBOOK = Path(__file__).parent / "tosses.md"
START = datetime(2026, 1, 5, tzinfo=UTC)


def played(location: Path, *players: str, act: str = "toss", secret: bytes = b"1" * 32) -> Ledger:
    """Return a ledger in which *players* have each tossed once, in a period that is closed.

    With another *act* than a toss, only the first of them has acted.
    """
    ledger = Ledger.open(str(location), create=True)
    game = open_game(ledger, "tosses", load(str(RULEBOOK)), at=START, secret=secret)
    for name in players:
        game.join(name, at=START)
    for hours, name in enumerate(players if act == "toss" else players[:1], 1):
        game.submit(name, act, {}, at=START + timedelta(hours=hours))
    game.close(at=START + timedelta(days=7))
    return ledger
