"""nomopoly-iii where its cases cannot reach: what is seen by whom."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

START = datetime(2002, 3, 1, 10, tzinfo=UTC)


def test_a_vote_and_a_spell_book_leave_no_public_trace(tmp_path: Path) -> None:
    players: dict[str, Any] = {"players": {"Ann": {}, "Bob": {}}}
    with Ledger.open(tmp_path / "game.db", create=True) as ledger:
        desk = open_game(ledger, "g", load("nomopoly-iii"), given=players, at=START)
        desk.propose("Ann", "Nothing.", (), at=START)
        before = ledger.head("g").number
        desk.vote("Ann", 1, "yes", at=START + timedelta(hours=1))
        desk.submit("Bob", "add_spell", {"spell": "Teleport"}, at=START + timedelta(hours=2))
        desk.submit("Ann", "sign_in", {}, at=START + timedelta(hours=3))
        entries = [entry for entry in ledger.read("g") if entry.number > before]
    public = " ".join(str(entry.body) for entry in entries if entry.body.audience is None)
    whole = " ".join(str(entry.body) for entry in entries)
    for secret in ("'yes'", "Teleport", "add_spell", "VoteCast"):
        assert secret in whole
        assert secret not in public
    assert "vote(" not in public
    assert "sign_in" in public
