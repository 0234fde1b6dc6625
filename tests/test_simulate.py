"""Whole seasons by bots: through the real ledger, the same for a seed, exact when replayed."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from tiers import sample_rows

from nomoledger import Ledger
from nomoledger.cli import program
from nomoledger.events import AttemptRefused, Posted, SubmissionReceived, VoteCast
from nomoledger.game.replay import Report, replay
from nomoledger.game.simulation import Plan, Season, simulate
from nomoledger.game.simulation.samples import numbers_with_code
from nomoledger.language.program import Program
from nomoledger.rulebook.cases.case_run import result_of
from nomoledger.rulebook.cases.format import cases_beside
from nomoledger.rulebook.loading import load
from nomoledger.sandbox import inside
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


def played(path: Path, rulebook: str, plan: Plan) -> tuple[Ledger, Season]:
    ledger = Ledger.open(path, create=True)
    return ledger, simulate(ledger, rulebook, plan)


@pytest.fixture(scope="module")
def weekly(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ledger, Season]:
    plan = Plan(players=4, periods=3, requests=5, seed=3)
    return played(tmp_path_factory.mktemp("weekly") / "one.db", "weekly-vote", plan)


@pytest.mark.slow
def test_a_season_is_replayed_exactly(weekly: tuple[Ledger, Season], tmp_path: Path) -> None:
    plan = Plan(players=5, periods=12, seed=7)
    for ledger, season in (weekly, played(tmp_path / "one.db", "mail-opening", plan)):
        assert season.faults == {}
        for period in range(1, season.periods + 1):
            report = replay(ledger, season.game, period)
            assert report.exact, report.divergences
        assert ledger.verify(season.game).ok


@pytest.mark.slow
def test_every_commodity_sums_to_zero_after_every_posting(weekly: tuple[Ledger, Season]) -> None:
    ledger, season = weekly
    world = World()
    for entry in ledger.read(season.game):
        apply(world, entry.body)
        if isinstance(entry.body, Posted):
            for commodity in {posting.commodity for posting in entry.body.postings}:
                assert sum(a.get(commodity, 0) for a in world.balances.values()) == 0


@pytest.mark.slow
def test_only_the_voter_sees_a_vote_of_weekly_vote(weekly: tuple[Ledger, Season]) -> None:
    ledger, season = weekly
    votes = [x.body for x in ledger.read(season.game) if isinstance(x.body, VoteCast)]
    assert votes
    assert all(vote.audience == (vote.by,) for vote in votes)


@pytest.mark.slow
def test_a_seed_determines_the_season(tmp_path: Path) -> None:
    heads = []
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        ledger, season = played(tmp_path / name, "mail-opening", Plan(periods=5, seed=seed))
        heads.append(str(ledger.head(season.game)))
    assert heads[0] == heads[1] != heads[2]


@pytest.mark.slow
def test_bots_fire_many_rules_and_most_of_their_requests_succeed(tmp_path: Path) -> None:
    ledger, season = played(tmp_path / "one.db", "mail-opening", Plan(players=5, periods=12))
    bodies = [entry.body for entry in ledger.read(season.game)]
    asked = sum(isinstance(body, SubmissionReceived) for body in bodies)
    refused = sum(isinstance(body, AttemptRefused) for body in bodies)
    assert asked > 10
    assert refused == season.refused < asked / 2
    assert set(season.fired) >= {"VII.1", "VIII.1", "IX.3"}
    assert not set(season.fired) & set(season.silent)


@pytest.mark.slow
def test_a_season_may_end_by_a_rule_that_ends_the_game(tmp_path: Path) -> None:
    plan = Plan(players=4, periods=1, requests=2, ends=True)
    _, season = played(tmp_path / "one.db", "weekly-vote", plan)
    assert season.periods == 1
    assert season.ended is not None
    assert {"III.1", "III.5"} & set(season.fired)


# --- the seasons of docs/simulated.md, as recorded ----------------------------------------------

#: How many seasons of a rulebook were played: one for each seed from 1 on.
SEASONS = {"weekly-vote": 100, "mail": 20}


def recorded(rulebook: str) -> list[dict[str, Any]]:
    """What came of each season, by the command in docs/simulated.md: one line for each seed."""
    path = Path(__file__).parent / "campaigns" / f"{rulebook}-seasons.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def silent_rules(rulebook: str) -> dict[str, str]:
    """{number of a rule: the case that fires it}, from the table of docs/simulated.md."""
    text = (Path(__file__).parents[1] / "docs" / "simulated.md").read_text("utf-8")
    section = text.partition(f"\n## {rulebook}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([IVX]+(?:\.\d+)+) \| [^|]+ \| ([^|]+) \|$", section, re.MULTILINE)
    return dict(rows)


@pytest.mark.parametrize("rulebook", SEASONS)
def test_every_rule_fires_in_some_season_or_is_listed_as_silent(rulebook: str) -> None:
    rules = tuple(rule for rule in load(rulebook).rules if not rule.common)
    seasons = recorded(rulebook)
    assert sorted(season["seed"] for season in seasons) == list(range(1, SEASONS[rulebook] + 1))
    always_silent = set.intersection(*(set(season["silent"]) for season in seasons))
    assert always_silent & numbers_with_code(rules) == set(silent_rules(rulebook))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rulebook", "number", "name"),
    sample_rows([(book, *row) for book in SEASONS for row in silent_rules(book).items()], 2),
)
def test_a_listed_silent_rule_is_fired_by_its_case(
    monkeypatch: pytest.MonkeyPatch, rulebook: str, number: str, name: str
) -> None:
    (case,) = (case for case in cases_beside(rulebook) if case.name == name)
    fired: list[str] = []
    monkeypatch.setattr(inside, "notice", fired.append)
    link = Program._compile

    def without_notice(program: Program) -> Any:
        """Being linked is not acting."""
        before, compiled = len(fired), link(program)
        del fired[before:]
        return compiled

    monkeypatch.setattr(Program, "_compile", without_notice)
    assert result_of(case, load(rulebook)).difference is None
    assert number in fired


@pytest.mark.slow
def test_simulate_command_plays_checks_and_refuses_a_second_game(tmp_path: Path) -> None:
    where = str(tmp_path / "sim.db")
    words = ["simulate", where, "--rulebook", "mail-opening", "--periods", "3", "--check"]
    result = CliRunner().invoke(program, words)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("3 periods: ")
    again = CliRunner().invoke(program, words)
    assert (again.exit_code, "simulated" in again.output) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--workers", "2"], ["--dry-run"]])
def test_simulate_checks_every_period_wherever_it_replays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    where = str(tmp_path / "sim.db")
    replayed: list[int] = []

    def replay_wrongly(ledger: Ledger, game: str, period: int) -> Report:
        replayed.append(period)
        report = replay(ledger, game, period)
        if period != 2:
            return report
        return msgspec.structs.replace(report, exact=False, divergences=("a die",))

    if options != ["--workers", "2"]:  # where the replays run in this process
        monkeypatch.setattr("nomoledger.game.ledger_audit.replay", replay_wrongly)
        monkeypatch.setattr("nomoledger.game.replay.replay", replay_wrongly)
        options = [*options, "--workers", "1"]
    words = ["simulate", where, "--rulebook", "mail-opening", "--periods", "3", "--check"]
    result = CliRunner().invoke(program, [*words, *options])
    assert "period 2 differs: a die" in result.output or not replayed
    assert replayed in ([1, 2, 3], [])
    assert result.exit_code == bool(replayed), result.output
