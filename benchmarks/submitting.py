"""What the sandbox costs a request: `python benchmarks/submitting.py [PERIODS] [ROUNDS]`.

The inputs of a simulated season are submitted again, one by one, to a new game on disk: with the
rules in a warm sandbox, and with the rules in the process itself, by turns. Both check each input,
carry it out, append what follows in transactions, and keep the state.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nomoledger import events as e
from nomoledger.engine.oracles import SeededOracle
from nomoledger.errors import UsageError
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.simulation.season import Plan, simulate
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.rulebook.loading import Rulebook, load

RULEBOOKS = ("mail-opening", "weekly-vote")
SECRET = b"s" * 32
AIM = 1.6
WARM_UP = 40


def inputs_of_a_season(rulebook: str, periods: int) -> list[e.Input]:
    """Return the inputs of a simulated season, without the opening."""
    ledger = Ledger(MemoryStore())
    simulate(ledger, rulebook, Plan(periods=periods, seed=3), game="season")
    bodies = (entry.body for entry in ledger.read("season"))
    return [body for body in bodies if isinstance(body, e.Input)][1:]


@contextmanager
def new_game(rulebook: Rulebook, first: e.Input) -> Iterator[Game]:
    """Yield a new game on disk, which opened just before *first* was received."""
    options: dict[str, Any] = {"at": first.received_at, "recorded_at": first.recorded_at}
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(Path(folder) / "game.db", create=True) as ledger,
    ):
        game = open_game(ledger, "game", rulebook, secret=SECRET, **options)
        yield game
        game.engine.close()


def submit(game: Game, event: e.Input) -> None:
    """Submit *event* through the library."""
    at = event.received_at
    match event:
        case e.SubmissionReceived():
            game.submit(event.by, event.action, event.arguments, at=at, id=event.id)
        case e.JoinRequested():
            game.join(event.name, event.details, at=at, id=event.id)
        case e.ProposalMade():
            game.propose(event.by, event.text, event.changes, at=at, id=event.id)
        case e.VoteCast():
            game.vote(event.by, event.proposal, event.choice, at=at, id=event.id)
        case e.ProposalJudged():
            game.judge(event.proposal, event.verdict, at=at, id=event.id)
        case e.CloseAsked():
            game.close(at=at, id=event.id)


class EngineHere:
    """Stands in for the engine in the sandbox: the rules run in this process."""

    def __init__(self, game: Game) -> None:
        self.engine = new_engine(game.world, SeededOracle(SECRET), SECRET)

    def ask(self, question: Any, *arguments: Any, kind: Any) -> Any:
        return question(self.engine.world, *arguments)

    def process(self, event: e.Input, recorded: Any = ()) -> Any:
        return self.engine.process(event)

    def run(self, recorded: Any = ()) -> Any:
        return self.engine.run()

    def follow(self, event: e.Event) -> None: ...

    def close(self) -> None: ...


class CommitHere:
    """Stands in for the write path: the engine has applied the batch to the one state there is."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def append(self, batch: list[e.Event]) -> None:
        before = self.game.world.head - len(batch)
        self.game.ledger.append(self.game.name, batch, expected=before)
        if isinstance(batch[-1], e.PeriodClosed):
            for observer in self.game._commit._observers:
                observer.closed(self.game.world)


def seconds_each(rulebook: Rulebook, inputs: list[e.Input], *, sandboxed: bool) -> list[float]:
    """Return how long each of *inputs* takes on a new game, once it is warm."""
    took = []
    with new_game(rulebook, inputs[0]) as game:
        if not sandboxed:
            game.engine = EngineHere(game)  # type: ignore[assignment]
            game._commit.append = CommitHere(game).append  # type: ignore[method-assign]
        for event in inputs:
            begin = time.perf_counter()
            try:
                submit(game, event)
            except UsageError:
                continue  # A question is open, which the season answered in another way.
            took.append(time.perf_counter() - begin)
    return took[min(WARM_UP, len(took) // 2) :]


def main(periods: int = 12, rounds: int = 3) -> None:
    """Measure and print."""
    for name in RULEBOOKS:
        rulebook, inputs = load(name), inputs_of_a_season(name, periods)
        means: dict[bool, list[float]] = {True: [], False: []}
        worst: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(rounds):
            for sandboxed, found in means.items():
                took = seconds_each(rulebook, inputs, sandboxed=sandboxed)
                found.append(statistics.fmean(took))
                worst[sandboxed].append(sorted(took)[len(took) * 99 // 100])
        print(f"{name}: {len(took)} requests of a simulated season, to disk")
        for sandboxed, what in ((False, "in this process"), (True, "in a warm sandbox")):
            mean, slow = min(means[sandboxed]) * 1e3, min(worst[sandboxed]) * 1e3
            print(f"  {what:<20}{mean:8.2f} ms a request, 99 of 100 within {slow:6.1f} ms")
        print(f"  ratio {min(means[True]) / min(means[False]):.2f} (aim: at most {AIM})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
