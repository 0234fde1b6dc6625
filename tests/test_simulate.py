"""Whole seasons by bots: through the real ledger, the same for a seed, exact when replayed."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger import Ledger
from nomoledger.cli import program
from nomoledger.events import AttemptRefused, Posted, SubmissionReceived
from nomoledger.reducer import apply
from nomoledger.replay import replay
from nomoledger.simulate import Plan, Season, simulate
from nomoledger.world import World


def played(path: Path, rulebook: str, plan: Plan) -> tuple[Ledger, Season]:
    ledger = Ledger.open(path, create=True)
    return ledger, simulate(ledger, rulebook, plan)


@pytest.mark.parametrize(
    ("rulebook", "plan"),
    [
        ("mail-opening", Plan(players=5, periods=12, seed=7)),
        ("weekly-vote", Plan(players=4, periods=3, requests=4, seed=3)),
    ],
)
def test_a_season_is_replayed_exactly(tmp_path: Path, rulebook: str, plan: Plan) -> None:
    ledger, season = played(tmp_path / "one.db", rulebook, plan)
    assert season.periods == plan.periods
    assert season.faults == {}
    for period in range(1, plan.periods + 1):
        report = replay(ledger, season.game, period)
        assert report.exact, report.divergences
    assert ledger.verify(season.game).ok


def test_every_commodity_sums_to_zero_all_along(tmp_path: Path) -> None:
    ledger, season = played(tmp_path / "one.db", "weekly-vote", Plan(periods=2, requests=3))
    world = World()
    for entry in ledger.read(season.game):
        apply(world, entry.body)
        if isinstance(entry.body, Posted):
            for commodity in {posting.commodity for posting in entry.body.postings}:
                assert sum(a.get(commodity, 0) for a in world.balances.values()) == 0


def test_the_same_seed_gives_the_same_season_and_another_another(tmp_path: Path) -> None:
    heads = []
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        ledger, season = played(tmp_path / name, "mail-opening", Plan(periods=5, seed=seed))
        heads.append(str(ledger.head(season.game)))
    assert heads[0] == heads[1] != heads[2]


def test_bots_get_something_done(tmp_path: Path) -> None:
    ledger, season = played(tmp_path / "one.db", "mail-opening", Plan(players=5, periods=12))
    bodies = [entry.body for entry in ledger.read(season.game)]
    asked = sum(isinstance(body, SubmissionReceived) for body in bodies)
    refused = sum(isinstance(body, AttemptRefused) for body in bodies)
    assert asked > 10
    assert refused == season.refused < asked / 2
    assert set(season.fired) >= {"VII.1", "VIII.1", "IX.3"}
    assert not set(season.fired) & set(season.silent)


def test_as_a_command(tmp_path: Path) -> None:
    where = str(tmp_path / "sim.db")
    words = ["simulate", where, "--rulebook", "mail-opening", "--periods", "3", "--check"]
    result = CliRunner().invoke(program, words)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("3 periods: ")
    again = CliRunner().invoke(program, words)
    assert (again.exit_code, "simulated" in again.output) == (2, True)
