"""Seasons by bots: nothing comes from nowhere, and everything is replayed."""

from pathlib import Path

import pytest

from nomoledger import Ledger
from nomoledger.events import Posted, TimerFired
from nomoledger.game.replay import replay
from nomoledger.game.simulation import Plan, Season, simulate
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: A day of origon is a period, and a turn in it comes of a proposal; in nomopoly-iii time goes by.
PLANS = {
    "origon": Plan(players=4, periods=6, days=1, requests=5, proposals=2.5, seed=2),
    "nomopoly-iii": Plan(players=4, periods=3, days=7, requests=10, proposals=1, seed=2),
    "mail": Plan(players=10, periods=3, days=7, requests=6, proposals=1, seed=4),
}
#: What has to have happened, or it was no season: rules that must have acted.
ACTED = {
    "origon": {"2.1", "7.2", "12.3"},
    "nomopoly-iii": {"III.4", "VII.2", "VII.3"},
    "mail": {"VII.1", "VIII.5", "XVII.2", "XXXIII.4"},
}


@pytest.fixture(params=PLANS)
def season(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Ledger, Season, str]:
    ledger = Ledger.open(tmp_path / "season.db", create=True)
    return ledger, simulate(ledger, request.param, PLANS[request.param]), request.param


@pytest.mark.slow
def test_a_short_season_is_sound_and_replays_exactly(season: tuple[Ledger, Season, str]) -> None:
    ledger, played, rulebook = season
    assert played.faults == {}
    assert played.periods == PLANS[rulebook].periods
    assert not ACTED[rulebook] - set(played.fired)
    world, fired = World(), 0
    for entry in ledger.read(played.game):
        apply(world, entry.body)
        fired += isinstance(entry.body, TimerFired)
        if isinstance(entry.body, Posted):
            for commodity in {posting.commodity for posting in entry.body.postings}:
                assert sum(a.get(commodity, 0) for a in world.balances.values()) == 0
    assert bool(fired) == (rulebook == "nomopoly-iii")
    for period in range(1, played.periods + 1):
        report = replay(ledger, played.game, period)
        assert report.exact, report.divergences
    assert ledger.verify(played.game).ok
