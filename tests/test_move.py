"""Games that move: nothing is lost, nobody writes at the old place, and a killed move goes on."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import moves
import pytest
from click.testing import CliRunner
from command_kills import Forker
from postgres_pair import PostgresPair
from postgres_server import PostgresServer

from nomoledger.cli import program
from nomoledger.errors import CorruptError, MovedError, StoreError, UnknownError, UsageError
from nomoledger.events import ClockAdvanced
from nomoledger.game.game import Game
from nomoledger.game.keepers import Keepers
from nomoledger.game.move import move_game
from nomoledger.game.realtime import LiveClock, SystemClock
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.snapshots import fold_version
from nomoledger.ledger.stores.location import place_of
from nomoledger.rulebook.loading import load

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
Make = Callable[[str], str]


@pytest.fixture
def make(postgres_server: PostgresServer, tmp_path: Path) -> Make:
    """Makes a new place of a kind: a file, or a database."""
    count = iter(range(99))

    def new_place(kind: str) -> str:
        if kind == "sqlite":
            return str(tmp_path / f"games{next(count)}.db")
        return postgres_server.new_database()

    return new_place


@pytest.fixture
def forker(tmp_path: Path) -> Iterator[Forker]:
    made = Forker(tmp_path)
    yield made
    made.close()


def filled(location: str, events: int = 1500) -> str:
    """A ledger with a game that has some events."""
    with Ledger.open(location, create=True) as ledger:
        ledger.add_game(moves.GAME)
        ledger.append(moves.GAME, [clock(f"first-{n}") for n in range(events)], expected=-1)
    return location


def clock(name: str) -> ClockAdvanced:
    return ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id=name)


def played(location: str) -> str:
    """A ledger with a game in its second period."""
    with Ledger.open(location, create=True) as ledger:
        game = open_game(ledger, "mail", load("mail-opening"), at=NOON)
        game.join("Ann", {"email": "ann@example.org"}, at=NOON)
        game.close(at=NOON)
        game.engine.close()
    return location


def move(old: str, new: str, game: str = "mail", *, create: bool = True) -> bool:
    with Ledger.open(old) as source, Ledger.open(new, create=create) as target:
        return move_game(source, target, game, place_of(old), place_of(new)).was_there


def pairs() -> list[object]:
    slow = pytest.mark.slow
    return [
        ("sqlite", "postgres"),
        pytest.param(("postgres", "postgres"), marks=slow),
        pytest.param(("postgres", "sqlite"), marks=slow),
        pytest.param(("sqlite", "sqlite"), marks=slow),
    ]


@pytest.mark.parametrize("kinds", pairs())
def test_what_others_record_during_a_move_is_at_the_new_place(
    make: Make, forker: Forker, kinds: tuple[str, str]
) -> None:
    result = moves.move(forker, filled(make(kinds[0])), make(kinds[1]))
    assert result.acknowledged > 0


@pytest.mark.parametrize("kinds", pairs())
def test_a_killed_move_goes_on_and_there_are_never_two_places(
    make: Make, forker: Forker, kinds: tuple[str, str]
) -> None:
    result = moves.move(forker, filled(make(kinds[0])), make(kinds[1]), random.Random(str(kinds)))
    assert result.acknowledged > 0


@pytest.mark.parametrize("kinds", [("sqlite", "sqlite"), ("postgres", "postgres")])
def test_a_move_that_ends_after_any_step_can_be_repeated(
    make: Make, kinds: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step in turn is the last one that is carried out."""
    from nomoledger.game.move import _Move

    for step in ("announce", "copy_most", "check", "leave", "arrive"):
        old, new = played(make(kinds[0])), make(kinds[1])
        done = getattr(_Move, step)

        def last(self: _Move, *arguments: object, done: Callable[..., object] = done) -> None:
            done(self, *arguments)
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(_Move, step, last)
            with pytest.raises(KeyboardInterrupt):
                move(old, new)
        with Ledger.open(old) as source, Ledger.open(new) as target:
            here, there = source.games(), target.games()
            assert (here, there) == {"leave": ([], []), "arrive": ([], ["mail"])}.get(
                step, (["mail"], [])
            )
            if here:
                Game(source).advance(at=datetime(2026, 1, 2, tzinfo=UTC), id="meanwhile")
        assert move(old, new) == (step == "arrive")
        with Ledger.open(old) as source, Ledger.open(new) as target:
            assert (source.games(), target.games()) == ([], ["mail"])
            assert target.head("mail") == source.stored_head("mail")
            assert target.verify("mail").ok
            assert (target.find_input("mail", "meanwhile") is not None) == bool(here)
            assert target.store.snapshots("mail", fold_version())
            assert len(target.store.seals("mail")) == 1


def test_a_game_moves_on_and_back(make: Make) -> None:
    """Where it has been before, it goes on from the records that are there."""
    places = [played(make("sqlite")), make("sqlite"), make("sqlite")]
    for number, (old, new) in enumerate(((0, 1), (1, 2), (2, 0), (0, 1)), 1):
        assert not move(places[old], places[new])
        with Ledger.open(places[new]) as ledger:
            Game(ledger).advance(at=datetime(2026, 1, 1 + number, tzinfo=UTC), id=f"day-{number}")
            assert ledger.verify("mail").ok
    for location in (places[0], places[2]):
        with Ledger.open(location) as ledger, pytest.raises(MovedError, match="has moved from"):
            ledger.head("mail")
    with Ledger.open(places[1]) as ledger:
        found = [ledger.find_input("mail", f"day-{number}") for number in range(1, 5)]
        days = [number for number in found if number is not None]
        assert sorted(days) == found


def test_a_game_that_is_elsewhere_is_not_moved(make: Make) -> None:
    old, new, other = played(make("sqlite")), make("sqlite"), make("sqlite")
    with pytest.raises(UsageError, match=r"is in .* already"):
        move(old, old)
    with pytest.raises(UnknownError, match="no game 'go'"):
        move(old, new, "go")
    move(old, new)
    with pytest.raises(MovedError, match=f"has moved from {old} to {new}: give that place"):
        move(old, other)
    assert move(old, new)  # it is there already


def test_a_place_with_another_game_of_that_name_is_refused(make: Make) -> None:
    old, other, third = played(make("sqlite")), played(make("sqlite")), make("sqlite")
    with pytest.raises(UsageError, match="has a game 'mail' already: nothing is moved"):
        move(old, other)
    move(other, third)
    with pytest.raises(UsageError, match="holds other records of a game 'mail'"):
        move(old, other)
    with Ledger.open(old) as ledger:
        assert ledger.games() == ["mail"]


def test_a_damaged_game_stays_where_it_is(make: Make) -> None:
    old, new = filled(make("sqlite"), 30), make("sqlite")
    with closing(sqlite3.connect(old)) as file, file:
        file.execute("UPDATE stored_events SET state=x'00' WHERE originator_version=17")
    with pytest.raises(CorruptError, match="is not what was written, so it is not moved"):
        move(old, new, moves.GAME)
    with Ledger.open(old) as source, Ledger.open(new) as target:
        assert (source.games(), target.games()) == ([moves.GAME], [])


def test_keepers_and_clocks_of_the_old_place_stop(make: Make) -> None:
    old, new = played(make("sqlite")), make("sqlite")
    fields = {"email": "bob@example.org"}
    said = f"has moved from {old} to {new}"
    with Keepers(old) as keepers, Ledger.open(old) as ledger:
        keepers.request("mail", Game.join, "Bob", fields, id="bob", at=NOON)
        reader = Game(ledger)
        move(old, new)
        for _ in range(2):
            with pytest.raises(MovedError, match=said):
                keepers.request("mail", Game.join, "Cid", fields, id="cid", at=NOON)
        with pytest.raises(MovedError, match=said):
            reader.close(at=NOON)
    with pytest.raises(MovedError, match=said):
        list(LiveClock(old, "mail").keep())
    with Keepers(new) as keepers:
        assert keepers.request("mail", Game.join, "Cid", fields, id="cid", at=NOON).events


def test_a_clock_that_runs_during_the_move_ends(make: Make) -> None:
    old, new = played(make("sqlite")), make("sqlite")
    clock = LiveClock(old, "mail", Moving(old, new))
    with pytest.raises(MovedError, match=f"has moved from {old} to {new}"):
        list(clock.keep())


class Moving(SystemClock):
    """A wall clock: while somebody sleeps by it, the game moves."""

    def __init__(self, old: str, new: str) -> None:
        self._places = old, new

    def now(self) -> datetime:
        """The time, which stands still."""
        return NOON

    def sleep(self, seconds: float) -> None:
        """Move the game."""
        move(*self._places)


def test_the_command_moves_and_says_where_the_game_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = played("old.db"), "new.db"
    place = str(tmp_path / "new.db")

    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(program, words)
        assert result.exit_code == code, result.output
        return result.output

    tried = run("league", "move", old, new, "--dry-run")
    assert not Path(new).exists()
    told = run("league", "move", old, new)
    assert tried == told + "a dry run: nothing is recorded\n"
    assert f"mail: has moved to {place}, with " in told
    for words in (
        ("status", old),
        ("join", old, "Bob", "email=bob@example.org"),
        ("verify", old),
        ("audit", old),
        ("export", old, "-"),
        ("copy", old, "third.db"),
        ("rebuild", old),
        ("project", old),
        ("publish", old, "site"),
        ("run", old, "--once"),
        ("init", old, "--rulebook", "mail-opening", "--game", "mail"),
    ):
        refused = run(*words, code=2)
        assert refused.splitlines()[-1].endswith(
            f"game 'mail' has moved from old.db to {place}: give that place"
        ), refused
    assert run("league", "move", old, new).startswith(f"mail: is in {place}, with ")
    assert '"was_there":true' in run("league", "move", old, new, "--json")
    assert "are as written" in run("verify", new)


def test_a_password_is_not_kept_in_a_pointer() -> None:
    address = "postgresql://ann:secret@db:5433/games?sslmode=require&password=secret"
    assert place_of(address) == "postgresql://ann@db:5433/games?sslmode=require"
    assert place_of("postgresql://db/games") == "postgresql://db/games"
    with pytest.raises(UsageError, match="cannot read"):
        place_of("postgresql://ann:se/cret@db/games")


@pytest.fixture
def pair() -> Iterator[PostgresPair]:
    made = PostgresPair()
    yield made
    made.remove()


@pytest.mark.slow
def test_a_move_to_and_from_servers_with_a_standby_survives_a_fail_over(
    pair: PostgresPair, make: Make
) -> None:
    """Without its standby, a server gets no game and gives none away; nothing is lost."""
    old, last = played(make("sqlite")), make("sqlite")
    new = pair.url(pair.primary.execute("SELECT current_database()")[0][0])
    with Ledger.open(old) as source:
        head = source.head("mail")
    Ledger.open(new, create=True).close()
    pair.standby.stop()
    with pytest.raises(StoreError, match="standby"):
        move(old, new)
    with Ledger.open(old) as source:
        assert source.games() == ["mail"]
    pair.standby.start()
    pair.wait_for_standby()
    assert not move(old, new)
    pair.fail_over()
    with Ledger.open(new) as target:
        assert target.head("mail") == head
        assert Game(target).advance(at=datetime(2026, 1, 2, tzinfo=UTC), id="after").events
    pair.replace_lost()
    pair.standby.stop()
    with pytest.raises(StoreError, match="standby"):
        move(new, last)
    pair.standby.start()
    pair.wait_for_standby()
    move(new, last)
    with Ledger.open(new) as source, Ledger.open(last) as target:
        assert target.head("mail") == source.stored_head("mail")
        assert target.find_input("mail", "after") is not None
        assert (source.games(), target.games()) == ([], ["mail"])
