"""The invariants of every game (design, section 14), checked while games are played at random."""

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import holds
from game_machine import GameMachine, number, open_table
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from postgres_server import PostgresServer
from table import BOOK, NOON, Table
from tiers import examples

from nomoledger import events as e
from nomoledger.engine.oracles import ReplayOracle, recorded_draws
from nomoledger.events.rules import Rule
from nomoledger.game.engines import new_engine
from nomoledger.game.exchange import copy_ledger, export_ledger, import_ledger
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import Rulebook
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


def run_machine(
    machine: Callable[[], RuleBasedStateMachine], few: int, many: int, steps: int = 14
) -> None:
    """Play *few* games of at most *steps* moves by default, and *many* in a slow run."""
    run_state_machine_as_test(
        cast(type[RuleBasedStateMachine], machine),
        settings=settings(examples(few, many), stateful_step_count=steps),
    )


def export_of(ledger: Ledger) -> bytes:
    """Return the export of *ledger*."""
    file = io.BytesIO()
    export_ledger(ledger, file)
    return file.getvalue()


# --- after every move: the books, the state, the causes, the record -------------------------------


class CheckedGame(GameMachine):
    """A game whose new events are checked after every move.

    Attributes:
        checked: the events that have been checked. folded: the state after the last of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.checked: list[e.Event] = []
        self.folded = World()

    @invariant()
    def recorded_events_stay_and_every_commodity_sums_to_zero(self) -> None:
        """No event that was checked has changed; the books balance after every new event."""
        events = self.events
        assert events[: len(self.checked)] == self.checked
        for event in events[len(self.checked) :]:
            apply(self.folded, event)
            for commodity in self.folded.commodities():
                accounts = self.folded.balances.values()
                assert sum(account.get(commodity, 0) for account in accounts) == 0
        self.checked = events

    @invariant()
    def the_state_is_the_fold_of_the_events(self) -> None:
        """Folded event by event, at once, or kept by the game: the state is the same."""
        digest = self.game.world.digest()
        assert digest == self.folded.digest() == world_of(self.game.ledger, "game").digest()

    @invariant()
    def consequences_name_rules_in_force_and_a_cause(self) -> None:
        """Every consequence names rules that are in force, and leads back to an input."""
        holds.check_causes(self.events, opening=1 + len(BOOK.rules))

    @rule(cut=st.integers(0, 999))
    def fold_the_rest_and_roll_back(self, cut: int) -> None:
        """A state of the past becomes the present by the events since, and can be taken back."""
        place = cut % self.game.world.head
        world = world_of(self.game.ledger, "game", place)
        digest, mark = world.digest(), world.mark()
        for entry in self.game.ledger.read("game", after=place):
            apply(world, entry.body)
        assert world.digest() == self.game.world.digest()
        world.rollback(mark)
        assert (world.digest(), world.head) == (digest, place)


def test_books_state_causes_and_record_are_sound_after_every_move() -> None:
    run_machine(CheckedGame, few=2, many=30, steps=18)


# --- replay ---------------------------------------------------------------------------------------

ELSEWHERE = """
import io, sys
from nomoledger.game.exchange import export_ledger, import_ledger
from nomoledger.ledger.ledger import Ledger
from nomoledger.game.replay import replay
with Ledger.open(sys.argv[1], create=True) as ledger:
    import_ledger(ledger, sys.stdin.buffer)
    for period in range(1, int(sys.argv[2]) + 1):
        report = replay(ledger, "game", period)
        print(report.exact, report.digest, file=sys.stderr)
    export_ledger(ledger, sys.stdout.buffer)
"""


def export_elsewhere(export: bytes, periods: int) -> tuple[bytes, list[str]]:
    """Return the export that another process makes of *export*, and a line for each period.

    The process has another hash seed. It replays each of the *periods*.
    """
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", ELSEWHERE, f"{folder}/copy.db", str(periods)],
            input=export,
            capture_output=True,
            env=os.environ | {"PYTHONHASHSEED": "4711"},
            check=False,
        )
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 0, lines
    return done.stdout, lines


class ReplayedGame(GameMachine):
    """A game that is replayed between its moves."""

    moves_min = 4

    @precondition(lambda self: self.table.moves > self.moves_min + 4)
    @rule()
    def replay_every_period(self) -> None:
        """Each period replays exactly, in this process and in another with another hash seed."""
        periods = self.game.world.period
        reports = [replay(self.game.ledger, "game", period) for period in range(1, periods + 1)]
        assert [report.divergences for report in reports] == [()] * periods
        assert reports[-1].digest == self.game.world.digest()
        export = export_of(self.game.ledger)
        lines = [f"{report.exact} {report.digest}" for report in reports]
        assert export_elsewhere(export, periods) == (export, lines)

    @precondition(lambda self: self.table.moves > self.moves_min)
    @rule(cut=st.integers(0, 999))
    def replay_a_beginning(self, cut: int) -> None:
        """The game up to any transaction replays exactly, and is resumed as it went on."""
        events = self.events
        ends = holds.transactions(events)
        last = ends[cut % len(ends)]
        with (
            tempfile.TemporaryDirectory() as folder,
            Ledger.open(f"{folder}/beginning.db", create=True) as ledger,
        ):
            ledger.add_game("game", self.game.ledger.secret("game"))
            ledger.append("game", events[: last + 1], expected=-1)
            assert replay(ledger, "game").divergences == ()
            check_resumes(Game(ledger), events[last + 1 :])

    @precondition(lambda self: self.table.moves > self.moves_min)
    @rule()
    def run_every_input_twice(self) -> None:
        """Every input gives the same consequences twice, and rolled back leaves nothing."""
        secret = self.game.ledger.secret("game")
        draws, world = recorded_draws(self.game.ledger.read("game")), World()
        for event in self.events:
            if isinstance(event, e.Input) and not isinstance(event, e.GameOpened):
                digest, mark = world.digest(), world.mark()
                batches = list(new_engine(world, ReplayOracle(draws), secret).process(event))
                world.rollback(mark)
                assert world.digest() == digest
                mark = world.mark()
                assert (
                    list(new_engine(world, ReplayOracle(draws), secret).process(event)) == batches
                )
                world.rollback(mark)
            apply(world, event)

    @rule()
    def record_more_and_verify(self) -> None:
        """What was recorded stays as it was when somebody joins later, and verifies."""
        head, events = self.game.ledger.head("game"), self.events
        self.table.at = max(self.table.at, NOON + timedelta(days=400))
        self.game.join("Zoe", {"email": "zoe@example.org"}, at=self.table.at)
        assert self.events[: len(events)] == events
        assert self.game.ledger.verify("game", head).ok


def check_resumes(game: Game, later: list[e.Event]) -> None:
    """Check that an interrupted *game* does what the uninterrupted one did: the *later* events."""
    inputs = [i for i, event in enumerate(later) if isinstance(event, e.Input)]
    expected = later[: inputs[0]] if inputs else later
    is_urgent = bool(inputs) and getattr(later[inputs[0]], "urgent", False)
    done = list(game.resume().events)
    assert done[: len(expected)] == expected
    assert is_urgent or len(done) == len(expected)


def test_every_game_and_every_beginning_of_it_is_replayed_exactly() -> None:
    run_machine(ReplayedGame, few=2, many=25)


class PostgresGame(GameMachine):
    """A game that is copied to PostgreSQL between its moves."""

    def __init__(self, server: PostgresServer) -> None:
        super().__init__()
        self.server = server

    @precondition(lambda self: self.table.moves > 6)
    @rule(cut=st.integers(0, 999))
    def replay_on_postgresql(self, cut: int) -> None:
        """The game and a beginning of it replay on PostgreSQL as on SQLite, to the byte."""
        events, export = self.events, export_of(self.game.ledger)
        with Ledger.open(self.server.empty_database(), create=True) as ledger:
            import_ledger(ledger, io.BytesIO(export))
            assert export_of(ledger) == export
            assert replay(ledger, "game") == replay(self.game.ledger, "game")
        ends = holds.transactions(events)
        last = ends[cut % len(ends)]
        with (
            tempfile.TemporaryDirectory() as folder,
            Ledger.open(self.server.empty_database(), create=True) as beginning,
        ):
            beginning.add_game("game", self.game.ledger.secret("game"))
            beginning.append("game", events[: last + 1], expected=-1)
            assert replay(beginning, "game").divergences == ()
            with Ledger.open(f"{folder}/copy.db", create=True) as copy:
                assert copy_ledger(beginning, copy) == {"game": copy.head("game")}
            check_resumes(Game(beginning), events[last + 1 :])


def test_replay_is_the_same_on_postgresql(postgres_server: PostgresServer) -> None:
    run_machine(lambda: PostgresGame(postgres_server), few=1, many=8)


# --- draws ----------------------------------------------------------------------------------------

EXTRA = Rule(
    number="A.1",
    title="Extra",
    prose="An extra die at every landing and before every turn.",
    code="def after_land(player, square):\n    roll(1, 20, 'extra')\n"
    "def before_turn(player):\n    roll(3, 6, 'extra')\n",
)


def draws_of(game: Game) -> dict[str, tuple[Any, ...]]:
    """Return the values of every draw by its address."""
    events = [entry.body for entry in game.ledger.read("game")]
    draws = (event for event in events if isinstance(event, e.DrawRecorded))
    return {draw.address: draw.values for draw in draws}


class TwoGames(RuleBasedStateMachine):
    """The same moves in two games, one of which has a rule that draws more."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        book = Rulebook(BOOK.name, (EXTRA, *BOOK.rules))
        self.plain = open_table(Path(self._folder.name))
        self.extra = open_table(Path(self._folder.name), "extra.db", book)

    @rule(move=st.sampled_from(("join", "propose", "judge", "close", "wait")), first=number,
          second=number)  # fmt: skip
    def play(self, move: str, first: int, second: int) -> None:
        """The same move is made in both."""
        for table in (self.plain, self.extra):
            table.play(move, first, second)

    @rule(first=number, second=number)
    def enact(self, first: int, second: int) -> None:
        """A proposal is made and accepted in both, which gives its player a turn."""
        self.play("propose", first, second)
        self.play("judge", 0, 0)

    @invariant()
    def another_draw_changes_no_draw(self) -> None:
        """Each draw of the one is in the other, with the same values."""
        draws, more = draws_of(self.plain.desk), draws_of(self.extra.desk)
        assert {address: more.get(address) for address in draws} == draws

    def teardown(self) -> None:
        """Close both ledgers, and remove them."""
        for table in (self.plain, self.extra):
            table.desk.ledger.close()
        self._folder.cleanup()


def test_another_draw_changes_no_draw() -> None:
    run_machine(TwoGames, few=1, many=15)


# --- a game without random moves ------------------------------------------------------------------


@contextmanager
def opened_table() -> Iterator[Table]:
    """A table after the first turn."""
    with tempfile.TemporaryDirectory() as folder:
        table = open_table(Path(folder))
        with table.desk.ledger:
            yield table


def test_the_first_turn_has_a_draw_that_could_change() -> None:
    with opened_table() as table:
        assert len(draws_of(table.desk)) == 1


def test_a_repeated_request_and_an_import_change_no_byte() -> None:
    with opened_table() as table, tempfile.TemporaryDirectory() as folder:
        export = export_of(table.desk.ledger)
        table.desk.join("Bob", {"email": "1@example.org"}, id="move-2")
        assert export_of(table.desk.ledger) == export
        with Ledger.open(f"{folder}/copy.db", create=True) as copy:
            import_ledger(copy, io.BytesIO(export))
            assert export_of(copy) == export
