"""Whatever somebody tells an operation, it does its work or says no: no rule fails on it."""

import hashlib
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tiers import sample

from nomoledger import Ledger
from nomoledger.game.game import Game
from nomoledger.game.simulation import Plan
from nomoledger.game.simulation.bots import Bots
from nomoledger.game.simulation.samples import examples_of
from nomoledger.game.simulation.season import FIRST_DAY, SeasonRun
from nomoledger.game.start import open_game
from nomoledger.rulebook.loading import load

RULEBOOKS = (
    "mail-opening", "origon-opening", "origon", "nomopoly-iii", "weekly-vote-opening",
    "weekly-vote", "mail",
)  # fmt: skip
WRONG: tuple[Any, ...] = (
    None, "", "nothing", "red", "5", "%s", "x" * 300, -1, 0, 1, 10**14, 2.5, True, [], [[]], [None],
    [1, [2]], {"a": 1}, {}, "Ann", ["Ann"], [["Ann", "Bob", 1]], [["Ann", "Bob", [1]]],
    [["Ann", "Bob", "red", {}]], [["Ann", "Bob", "$", 1]], [["Ann", "Bob", None]],
)  # fmt: skip
TRIES = 12


@pytest.fixture(scope="module", params=sample(RULEBOOKS, 1))
def bots(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bots:
    """Players in the midst of a game, who have got hold of something to give and to ask for."""
    rulebook: str = request.param
    path: Path = tmp_path_factory.mktemp("games") / "one.db"
    ledger, secret = Ledger.open(path, create=True), hashlib.sha256(b"wrong").digest()
    open_game(ledger, "game", load(rulebook), at=FIRST_DAY, recorded_at=FIRST_DAY, secret=secret)
    plan = Plan(players=3, periods=2, requests=6, proposals=1, seed=5)
    course = SeasonRun(Game(ledger, "game").world, secret, plan, examples_of(rulebook))
    for _ in course.play():
        pass
    assert course.bots.faults == {}
    return course.bots


def test_no_action_fails_on_wrong_arguments(bots: Bots) -> None:
    operations = bots.engine.link(bots.world.ruleset).links.operations
    chance = Random(1)
    for name in sorted(name for name, each in operations.items() if each.is_action):
        operation = operations[name]
        for _ in range(TRIES):
            by = chance.choice([*bots.world.kinds["player"], "admin"])
            right = bots.samples.arguments(operation, by) or {}
            names = [each.name for each in operation.definitions[0][1].parameters[1:]]
            told = {each: chance.choice((right.get(each), chance.choice(WRONG))) for each in names}
            assert bots.tried(name, by, (by,), told) is not None, bots.faults


def test_no_builtin_action_fails_on_wrong_arguments(bots: Bots) -> None:
    known = bots.engine.link(bots.world.ruleset).links.operations
    by = bots.world.kinds["player"][0]
    for wrong in WRONG:
        if isinstance(wrong, str):
            bots.tried("vote", by, (by, 1, wrong), {})
            bots.tried("join", "admin", (wrong,), {})
        if "join" in known and known["join"].definitions:
            names = [each.name for each in known["join"].definitions[0][1].parameters]
            bots.tried("join", "admin", ("Zoe",), dict.fromkeys(names[1:], wrong))
        if isinstance(wrong, int):
            bots.tried("vote", by, (by, wrong, "yes"), {})
            bots.tried("propose", by, (by, wrong), {})
            bots.tried("judge", "admin", (wrong, "accepted"), {})
    assert bots.faults == {}
