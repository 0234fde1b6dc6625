"""Steps that take too much time are dropped, by an input that replays and what-ifs follow."""

import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from poisons import LOOP, poison, rule, ruled

from nomoledger import events as e
from nomoledger.errors import RuleFault
from nomoledger.events.edits import LeftOut
from nomoledger.events.rules import Enact, Repeal
from nomoledger.game.counterfactual import WhatIfChanges, what_if
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.game.timekeeper import Timekeeper
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.sandbox.limits import Limits
from nomoledger.state.clock import to_seconds

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LIMITS = Limits(memory_bytes=256 << 20, cpu_seconds=0.25, wall_seconds=8.0)
SPINS = f"def define_spin():\n{LOOP}"
FOLLOWS = f"def after_propose(proposal):\n    schedule('spin')\n    schedule('pay_ann')\n{SPINS}"
PAYS = "def define_pay_ann():\n    award('Ann', 5)\n"
RINGS = f"def after_propose(proposal):\n    schedule('spin', due = now() + minutes(1))\n{SPINS}"


@pytest.fixture(scope="module")
def clean_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("clean") / "g.db"
    with Ledger.open(file, create=True) as ledger:
        game = open_game(ledger, "g", load("mail-opening"), at=NOON, secret=b"s" * 32)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": f"{name}@example.org"}, at=NOON)
    return file


def poisoned(clean_file: Path, tmp_path: Path, code: str) -> Path:
    file = Path(shutil.copy(clean_file, tmp_path / "g.db"))
    poison(file, ruled(Enact(rule(code))))
    return file


@pytest.fixture
def follows(clean_file: Path, tmp_path: Path) -> Iterator[Game]:
    """A game in which an attempt that never ends follows from each proposal, before a payment."""
    with Ledger.open(poisoned(clean_file, tmp_path, FOLLOWS + PAYS)) as ledger:
        yield Game(ledger, limits=LIMITS)


@pytest.fixture
def rings(clean_file: Path, tmp_path: Path) -> Iterator[Game]:
    """A game in which each proposal sets a timer that never ends."""
    with Ledger.open(poisoned(clean_file, tmp_path, RINGS)) as ledger:
        yield Game(ledger, limits=LIMITS)


def failed(game: Game) -> list[e.StepFailed]:
    bodies = (entry.body for entry in game.ledger.read(game.name))
    return [body for body in bodies if isinstance(body, e.StepFailed)]


@pytest.mark.slow
def test_a_failed_attempt_is_dropped_and_what_comes_after_it_goes_on(follows: Game) -> None:
    before = follows.world.balance("Ann", "$")
    outcome = follows.propose("Bob", "nothing", (), at=NOON)
    (step,) = failed(follows)
    assert (step.kind, step.rule) == ("attempt", "X.1")
    (refusal,) = outcome.refusals
    assert refusal.attempt == step.step
    assert follows.world.balance("Ann", "$") == before + 5
    assert follows.world.agenda == ()


@pytest.mark.slow
def test_a_replay_drops_the_same_step_without_trying_it(follows: Game) -> None:
    follows.propose("Bob", "nothing", (), at=NOON)
    follows.close(at=NOON)
    patient = Limits(cpu_seconds=60.0, wall_seconds=60.0)
    began = time.monotonic()
    assert replay(follows.ledger, "g", 1, limits=patient).exact
    assert time.monotonic() - began < 10
    assert follows.ledger.verify("g").ok


@pytest.mark.slow
def test_a_what_if_drops_the_same_step_without_trying_it(follows: Game) -> None:
    outcome = follows.propose("Bob", "nothing", (), at=NOON)
    follows.propose("Ann", "more", (), at=NOON)
    number = next(
        entry.number for entry in follows.ledger.read("g") if entry.body == outcome.events[0]
    )
    report = what_if(follows.ledger, "g", WhatIfChanges(edits=(LeftOut(number),)), limits=LIMITS)
    assert report.stopped is None


@pytest.mark.slow
def test_a_ruling_that_reaches_back_follows_failed_steps(follows: Game) -> None:
    outcome = follows.propose("Bob", "nothing", (), at=NOON)
    number = next(
        entry.number for entry in follows.ledger.read("g") if entry.body == outcome.events[0]
    )
    before = follows.world.balance("Ann", "$")
    follows.rule_on("reject", "A mistake", about=number, settle="all", at=NOON)
    assert follows.world.balance("Ann", "$") == before - 5
    assert replay(follows.ledger, "g", 1, limits=LIMITS).exact


@pytest.mark.slow
def test_a_failed_timer_does_not_block_the_request_after_it(rings: Game) -> None:
    rings.propose("Bob", "nothing", (), at=NOON)
    outcome = rings.propose("Ann", "in time", (), at=NOON + timedelta(minutes=2), id="late")
    (step,) = failed(rings)
    assert (step.kind, step.received_at) == ("timer", NOON + timedelta(minutes=2))
    assert isinstance(outcome.events[0], e.ProposalMade)
    assert 2 in rings.world.proposals
    assert replay(rings.ledger, "g", 1, limits=LIMITS).exact


def test_a_request_that_fails_itself_is_not_recorded(clean_file: Path, tmp_path: Path) -> None:
    file = poisoned(clean_file, tmp_path, f"def before_propose(proposal):\n{LOOP}")
    with Ledger.open(file) as ledger:
        game = Game(ledger, limits=LIMITS)
        head = game.world.head
        with pytest.raises(RuleFault, match="nothing was recorded"):
            game.propose("Bob", "nothing", (), at=NOON)
        assert (game.world.head, failed(game)) == (head, [])


@pytest.mark.slow
def test_a_request_repeated_under_its_id_has_the_whole_outcome(follows: Game) -> None:
    outcome = follows.propose("Bob", "nothing", (), at=NOON, id="once")
    again = follows.propose("Bob", "nothing", (), at=NOON, id="once")
    assert again.events == outcome.events


def test_a_check_that_failed_runs_again_once_its_rule_is_amended(
    clean_file: Path, tmp_path: Path
) -> None:
    file = poisoned(clean_file, tmp_path, "def check_it():\n    fail('no')\n")
    with Ledger.open(file) as ledger:
        game = Game(ledger, limits=LIMITS)
        first = game.propose("Bob", "nothing", (), at=NOON)
        second = game.propose("Ann", "nothing", (), at=NOON)
        (suspended,) = [x for x in first.events if isinstance(x, e.CheckSuspended)]
        assert (suspended.check, suspended.rules) == ("X.1@1 check_it", ("X.1@1",))
        assert not [x for x in second.events if isinstance(x, e.CheckSuspended)]
        assert replay(ledger, "g", 1, limits=LIMITS).exact


def test_a_ruling_repeals_a_rule_whose_own_code_fails(clean_file: Path, tmp_path: Path) -> None:
    code = "def on_repeal():\n    award('Ann', 5)\n    fail('never')\n"
    with Ledger.open(poisoned(clean_file, tmp_path, code)) as ledger:
        game = Game(ledger, limits=LIMITS)
        before = game.world.balance("Ann", "$")
        outcome = game.rule("It goes.", changes=(Repeal("X.1"),), at=NOON)
        (repealed,) = [x for x in outcome.events if isinstance(x, e.RuleRepealed)]
        assert "never" in repealed.skipped
        assert game.world.rule("X.1") is None
        assert game.world.balance("Ann", "$") == before
        assert replay(ledger, "g", 1, limits=LIMITS).exact


@pytest.mark.slow
def test_many_attempts_that_never_end_are_dropped_together(
    clean_file: Path, tmp_path: Path
) -> None:
    many = "def after_propose(proposal):\n    for i in range(30):\n        schedule('spin')\n"
    with Ledger.open(poisoned(clean_file, tmp_path, many + SPINS)) as ledger:
        game = Game(ledger, limits=LIMITS)
        outcome = game.propose("Bob", "nothing", (), at=NOON)
        assert [step.alike for step in failed(game)] == [False, False, True]
        assert len(outcome.refusals) == 30
        assert game.world.agenda == ()
        assert replay(ledger, "g", 1, limits=LIMITS).exact


def test_the_timekeeper_drops_a_timer_that_never_ends_and_goes_on(rings: Game) -> None:
    rings.propose("Bob", "nothing", (), at=NOON)
    keeper = Timekeeper(rings.ledger, "g", limits=LIMITS, clock=lambda: NOON)
    fired = list(keeper.fall_due(NOON + timedelta(hours=1)))
    (step,) = failed(rings)
    assert (step.kind, step.rule) == ("timer", "X.1")
    assert "spin" in [timer.what for timer in fired]
    assert keeper.due() != to_seconds(NOON + timedelta(minutes=1))
    assert list(keeper.fall_due(NOON + timedelta(hours=1))) == []
