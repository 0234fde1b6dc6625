"""The page of a player under each shipped rulebook comes soon, comes whole, and is small."""

from pathlib import Path
from time import monotonic, sleep

import pytest

from nomoledger.game.simulation import Plan, simulate
from nomoledger.ledger.ledger import Ledger
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.browsers import Browser

BYTES_MAX = 100_000
#: How long a page may take, in seconds, on a machine that is busy with other tests.
SECONDS_MAX = 5.0
RULEBOOKS = ("mail-opening", "weekly-vote-opening", "weekly-vote", "origon", "nomopoly-iii", "mail")


@pytest.mark.slow
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_the_page_of_a_player_comes_soon_and_is_small(tmp_path: Path, rulebook: str) -> None:
    path = str(tmp_path / "game.db")
    with Ledger.open(path, create=True) as ledger:
        simulate(ledger, rulebook, Plan(players=4, periods=2, requests=6, seed=1), game="game")
    host = GameHost(path)
    try:
        ann = Browser(make_app(host))
        ann.sign_in(host, "game", "Ann")  # The first page waits for the processes to start.
        began = monotonic()
        ann.open("/games/game/play")
        assert monotonic() - began < SECONDS_MAX
        for _ in range(120):
            if 'class="later"' not in ann.text:
                break
            sleep(0.5)
            ann.open("/games/game/play")
        assert ann.status == 200
        assert 'class="later"' not in ann.text
        assert "The rules could not be asked" not in ann.text
        assert len(ann.text.encode()) < BYTES_MAX
    finally:
        host.close()
