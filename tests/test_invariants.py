"""What holds for every game (design, section 14), tried on games played at random."""

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import holds
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from postgres_server import PostgresServer
from table import BOOK, NOON, START, WEIGHTED, Moves, Table

from nomoledger import events as e
from nomoledger.engine.oracles import recorded_draws, replay_oracle
from nomoledger.events.rules import Rule
from nomoledger.game.engines import new_engine
from nomoledger.game.exchange import copy_ledger, export_ledger, import_ledger
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import Rulebook
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

some_moves = st.lists(
    st.tuples(st.sampled_from(WEIGHTED), st.integers(0, 99), st.integers(0, 99)),
    min_size=4,
    max_size=16,
)


def tried(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    phases = (Phase.explicit, Phase.reuse, Phase.generate)  # shrinking a game takes minutes
    return settings(
        max_examples=examples, deadline=None, suppress_health_check=checks, phases=phases
    )


@contextmanager
def played(moves: Moves, book: Rulebook = BOOK) -> Iterator[Game]:
    """A game in which *moves* have been made, in a ledger of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(Path(folder) / "game.db", create=True) as ledger,
    ):
        table = Table(open_game(ledger, "game", book, at=NOON, secret=b"s" * 32))
        table.desk.clock = lambda: table.at
        for move in [*START, *moves]:
            table.play(*move)
        yield table.desk


def bodies(desk: Game) -> list[e.Event]:
    return holds.bodies(desk.ledger, desk.name)


def exported(ledger: Ledger) -> bytes:
    file = io.BytesIO()
    export_ledger(ledger, file)
    return file.getvalue()


# --- 1: replay ----------------------------------------------------------------------------------

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


def elsewhere(export: bytes, periods: int) -> tuple[bytes, list[str]]:
    """What another process with another hash seed makes of *export*: its own, and its reports."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", ELSEWHERE, f"{folder}/copy.db", str(periods)],
            input=export,
            capture_output=True,
            env=os.environ | {"PYTHONHASHSEED": "4711"},
            check=False,
        )
    told = done.stderr.decode().splitlines()
    assert done.returncode == 0, told
    return done.stdout, told


@tried(10)
@given(some_moves)
def test_replay_is_exact_here_and_elsewhere(moves: Moves) -> None:
    with played(moves) as desk:
        periods = desk.world.period
        reports = [replay(desk.ledger, "game", period) for period in range(1, periods + 1)]
        assert [report.divergences for report in reports] == [()] * periods
        export = exported(desk.ledger)
        told = [f"{report.exact} {report.digest}" for report in reports]
        assert elsewhere(export, periods) == (export, told)
        assert reports[-1].digest == desk.world.digest()


@tried(15)
@given(some_moves, st.integers(0, 999))
def test_replay_of_any_beginning_is_exact(moves: Moves, cut: int) -> None:
    with played(moves) as desk, tempfile.TemporaryDirectory() as folder:
        ends = holds.transactions(bodies(desk))
        last = ends[cut % len(ends)]
        with Ledger.open(f"{folder}/prefix.db", create=True) as prefix:
            prefix.add_game("game", desk.ledger.secret("game"))
            prefix.append("game", bodies(desk)[: last + 1], expected=-1)
            assert replay(prefix, "game").divergences == ()
            check_goes_on(Game(prefix), bodies(desk)[last + 1 :])


@tried(4)
@given(some_moves, st.integers(0, 999))
def test_replay_is_the_same_on_postgresql(
    postgres_server: PostgresServer, moves: Moves, cut: int
) -> None:
    with played(moves) as desk, tempfile.TemporaryDirectory() as folder:
        export, ends = exported(desk.ledger), holds.transactions(bodies(desk))
        with Ledger.open(postgres_server.empty_database(), create=True) as ledger:
            import_ledger(ledger, io.BytesIO(export))
            assert exported(ledger) == export
            assert replay(ledger, "game") == replay(desk.ledger, "game")
        last = ends[cut % len(ends)]
        with Ledger.open(postgres_server.empty_database(), create=True) as prefix:
            prefix.add_game("game", desk.ledger.secret("game"))
            prefix.append("game", bodies(desk)[: last + 1], expected=-1)
            assert replay(prefix, "game").divergences == ()
            with Ledger.open(f"{folder}/copy.db", create=True) as copy:
                assert copy_ledger(prefix, copy) == {"game": copy.head("game")}
            check_goes_on(Game(prefix), bodies(desk)[last + 1 :])


def check_goes_on(desk: Game, rest: list[e.Event]) -> None:
    """What an interrupted game does next is what an uninterrupted one did."""
    inputs = [i for i, body in enumerate(rest) if isinstance(body, e.Input)]
    expected = rest[: inputs[0]] if inputs else rest
    urgent = bool(inputs) and getattr(rest[inputs[0]], "urgent", False)
    done = list(desk.resume().events)
    assert done[: len(expected)] == expected
    assert urgent or len(done) == len(expected)


# --- 2 and 4: the books, and the state as a fold --------------------------------------------------


@tried(15)
@given(some_moves)
def test_every_commodity_sums_to_zero_after_every_event(moves: Moves) -> None:
    with played(moves) as desk:
        holds.check_books(bodies(desk))


@tried(15)
@given(some_moves, st.integers(0, 999))
def test_the_state_is_a_fold(moves: Moves, cut: int) -> None:
    with played(moves) as desk:
        place = cut % desk.world.head
        world = world_of(desk.ledger, "game", place)
        before, mark = world.digest(), world.mark()
        for entry in desk.ledger.read("game", after=place):
            apply(world, entry.body)
        assert world.digest() == desk.world.digest() == world_of(desk.ledger, "game").digest()
        world.rollback(mark)
        assert (world.digest(), world.head) == (before, place)


# --- 5: where consequences come from --------------------------------------------------------------


@tried(15)
@given(some_moves)
def test_consequences_name_rules_in_force_and_a_cause(moves: Moves) -> None:
    with played(moves) as desk:
        holds.check_causes(bodies(desk), opening=1 + len(BOOK.rules))


# --- 7: the same again ----------------------------------------------------------------------------


@tried(10)
@given(some_moves)
def test_running_twice_gives_the_same(moves: Moves) -> None:
    with played(moves) as desk:
        found, secret = bodies(desk), desk.ledger.secret("game")
        tape, world = recorded_draws(desk.ledger.read("game")), World()
        for body in found:
            if isinstance(body, e.Input) and not isinstance(body, e.GameOpened):
                before, mark = world.digest(), world.mark()
                first = list(new_engine(world, replay_oracle(tape), secret).take(body))
                world.rollback(mark)
                assert world.digest() == before
                mark = world.mark()
                assert list(new_engine(world, replay_oracle(tape), secret).take(body)) == first
                world.rollback(mark)
            apply(world, body)


EXTRA = Rule(
    number="A.1",
    title="Extra",
    prose="An extra die at every landing and before every turn.",
    code="def after_land(player, square):\n    roll(1, 20, 'extra')\n"
    "def before_turn(player):\n    roll(3, 6, 'extra')\n",
)


def test_there_are_draws_to_change() -> None:
    with played([]) as desk:
        assert len(list(drawn(desk))) == 1


@tried(10)
@given(some_moves)
def test_another_draw_changes_no_draw(moves: Moves) -> None:
    fair = [move for move in moves if move[0] in ("join", "propose", "judge", "close", "wait")]
    more = Rulebook(BOOK.name, (EXTRA, *BOOK.rules))
    with played(fair) as plain, played(fair, more) as extra:
        draws = dict(drawn(plain))
        others = dict(drawn(extra))
        assert {address: others.get(address) for address in draws} == draws


def drawn(desk: Game) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for body in bodies(desk):
        if isinstance(body, e.DrawRecorded):
            yield body.address, body.values


# --- 3: nothing is changed ------------------------------------------------------------------------


@tried(8)
@given(some_moves)
def test_what_is_recorded_stays(moves: Moves) -> None:
    with played(moves) as desk:
        head, before = desk.ledger.head("game"), bodies(desk)
        desk.join("Zoe", {"email": "zoe@example.org"}, at=NOON + timedelta(days=400))
        assert bodies(desk)[: len(before)] == before
        assert desk.ledger.verify("game", head).ok


def test_a_retry_is_harmless() -> None:
    with played([]) as desk, tempfile.TemporaryDirectory() as folder:
        before = exported(desk.ledger)
        desk.join("Bob", {}, id="move-2")
        assert exported(desk.ledger) == before
        with Ledger.open(f"{folder}/copy.db", create=True) as copy:
            import_ledger(copy, io.BytesIO(before))
            assert exported(copy) == before
