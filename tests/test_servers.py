"""A primary and a synchronous standby: fail-over under load, and a standby that is missing."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from postgres_pair import PostgresPair
from test_keepers import BOOK

from nomoledger.cli import program
from nomoledger.errors import LostError, StoreError, UnconfirmedError
from nomoledger.events import ClockAdvanced, Event, Input, JoinRequested
from nomoledger.game.exchange import copy_ledger
from nomoledger.game.game import Game
from nomoledger.game.keepers import Keepers
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Head, Ledger
from nomoledger.ledger.stores import postgres_standby
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.ledger.stores.postgres_link import address_of
from nomoledger.people.database import open_people
from nomoledger.people.shared_counts import SharedCounts
from nomoledger.people.sign_in import Session, SignIn, hash_of
from nomoledger.people.visit import Visit
from nomoledger.rulebook.loading import parse
from nomoledger.views.sql.databases import open_views

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
GAMES = ("a", "b", "c")
#: For so long a player repeats a request that fails.
SECONDS = 20


@pytest.fixture(scope="module")
def pair() -> Iterator[PostgresPair]:
    pair = PostgresPair()
    yield pair
    pair.remove()


@pytest.fixture
def ledger(pair: PostgresPair, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """A ledger with the empty game chess; whoever waits for the standby gives up soon."""
    monkeypatch.setattr(postgres_standby, "STANDBY_SECONDS", 0.3)
    pair.primary.empty_database()
    with Ledger.open(pair.url("tests"), create=True) as ledger:
        ledger.add_game("chess")
        yield ledger


def clock(name: object) -> Event:
    return ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id=str(name))


def test_several_hosts_mean_the_one_that_can_be_written_to() -> None:
    address = address_of("postgresql://ann@one:5432,two:5433/games")
    assert address["target_session_attrs"] == "read-write"
    assert address["connect_timeout"] == 2
    given = address_of("postgresql://one,two/games?target_session_attrs=any&connect_timeout=9")
    assert (given["target_session_attrs"], given["connect_timeout"]) == ("any", "9")
    assert "target_session_attrs" not in address_of("postgresql://one/games")


# --- fail-over ----------------------------------------------------------------------------------


class Players:
    """Threads that make requests of several games, and repeat each until it is acknowledged."""

    def __init__(self, keepers: Keepers) -> None:
        self.acknowledged: list[tuple[str, str]] = []
        self.errors: set[str] = set()
        self._keepers = keepers
        self._is_over = threading.Event()

    def play(self, player: int) -> None:
        number = 0
        while not self._is_over.is_set():
            game, id = GAMES[number % len(GAMES)], f"r{player}-{number}"
            self._request(game, id)
            self.acknowledged.append((game, id))
            number += 1

    def _request(self, game: str, id: str) -> None:
        give_up = time.monotonic() + SECONDS
        while True:
            try:
                self._keepers.request(game, Game.submit, "Ann", "count_on", id=id, at=NOON)
                return
            except StoreError as error:
                if time.monotonic() > give_up:
                    raise
                self.errors.add(str(error))
                time.sleep(0.1)

    def wait_for_more(self, count: int) -> None:
        wanted, give_up = len(self.acknowledged) + count, time.monotonic() + SECONDS
        while len(self.acknowledged) < wanted:
            assert time.monotonic() < give_up, "play does not go on"
            time.sleep(0.01)

    def end(self) -> None:
        self._is_over.set()


def test_a_primary_lost_under_load_loses_no_acknowledged_request(pair: PostgresPair) -> None:
    pair.primary.empty_database()
    location = pair.url("tests")
    people = open_people(location)
    sign_in, counts = SignIn(people), SharedCounts(people)
    session = sign_in.enter(sign_in.invite("a", "Ann"), Visit(), lambda _: None)
    with Ledger.open(location, create=True) as ledger:
        for name in GAMES:
            open_game(ledger, name, parse(BOOK, "counting.md"), at=NOON).engine.close()
        with Keepers(location) as keepers, ThreadPoolExecutor(4) as threads:
            for name in GAMES:
                keepers.request(name, Game.join, "Ann", at=NOON)
            players = Players(keepers)
            playing = [threads.submit(players.play, player) for player in range(4)]
            players.wait_for_more(50)
            heads = {name: ledger.head(name) for name in GAMES}
            pair.primary.lose()
            time.sleep(0.5)
            pair.standby.promote()
            players.wait_for_more(50)
            players.end()
            for each in playing:
                each.result()
        check_games(ledger, players, heads)
    assert sign_in.session(session) == Session(hash_of(session), "a", "Ann")
    sign_in.note_seen(Session(hash_of(session), "a", "Ann"), 1)
    assert [counts.take("Ann", 1, 600) for _ in range(2)] == [0, 600]
    people.close()
    pair.replace_lost()
    assert all("\n" not in error for error in players.errors)


def check_games(ledger: Ledger, players: Players, heads: dict[str, Head]) -> None:
    """Check that all that was acknowledged is recorded once, and that *heads* are still those."""
    for name in GAMES:
        assert ledger.head_at(name, heads[name].number) == heads[name]
        assert ledger.verify(name, heads[name]).ok
        inputs = (entry.body for entry in ledger.read(name))
        ids = Counter(body.id for body in inputs if isinstance(body, Input))
        assert set(ids.values()) == {1}
        assert not [id for game, id in players.acknowledged if game == name and id not in ids]
        counted = sum(id.startswith("r") for id in ids)
        assert Game(ledger, name).world.get("Ann", "count") == counted


def test_without_a_primary_one_line_says_which_servers_were_tried(
    ledger: Ledger, pair: PostgresPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nomoledger.ledger.stores.postgres_link.PATIENCE_SECONDS", 0.3)
    message = rf"no primary server .*:{pair.primary.port} \(Connection refused\), "
    message += rf".*:{pair.standby.port} \(only a standby\); .*promote the standby"
    with pytest.raises(StoreError, match="there is no database"):
        Ledger.open(pair.url("none"))
    with pytest.raises(StoreError, match="does not let you in: check user"):
        Ledger.open(pair.url("tests").replace("postgres@", "stranger@"))
    pair.primary.lose()
    try:
        with pytest.raises(StoreError, match=message):
            ledger.append("chess", [clock(0)], expected=-1)
        with pytest.raises(StoreError, match=message):
            Ledger.open(pair.url("tests"))
        result = CliRunner().invoke(program, ["log", pair.url("tests")])
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        with Ledger.open(pair.standby.url("tests")) as reading:
            assert reading.verify("chess").ok
            with pytest.raises(StoreError, match="the server only allows reading"):
                reading.append("chess", [clock(0)], expected=-1)
        pair.standby.lose()
        refused = rf"cannot reach a server .*:{pair.standby.port} \(Connection refused\); check"
        with pytest.raises(StoreError, match=refused):
            Ledger.open(pair.url("tests"))
    finally:
        pair.primary.start()
        pair.standby.start()
        pair.wait_for_standby()


@pytest.mark.slow
def test_a_former_primary_that_comes_back_records_nothing(
    ledger: Ledger, pair: PostgresPair
) -> None:
    pair.fail_over()
    with Ledger.open(pair.url("tests")) as promoted:
        promoted.append("chess", [clock(0)], expected=-1)
    pair.primary.start()
    with Ledger.open(pair.url("tests")) as former:
        assert former.head("chess").number == -1
        with pytest.raises(StoreError, match="has no synchronous standby now"):
            former.append("chess", [clock(1)], expected=-1)
    pair.replace_lost()


# --- a standby that is missing ------------------------------------------------------------------


def test_with_no_standby_connected_nothing_is_recorded(ledger: Ledger, pair: PostgresPair) -> None:
    empty = pair.primary.new_database()
    people = open_people(pair.url("tests"))
    pair.standby.lose()
    begin = time.monotonic()
    try:
        missing = pytest.raises(StoreError, match="nothing more is recorded")
        with missing, people.transaction() as connection:
            connection.execute("DELETE FROM sessions")
        assert SharedCounts(people).take("Ann", 1, 600) == 0
        with pytest.raises(StoreError, match=r"nothing more is recorded: .* start the standby"):
            ledger.append("chess", [clock(0)], expected=-1)
        with pytest.raises(StoreError, match="has no synchronous standby now"):
            Ledger.open(empty, create=True)
    finally:
        pair.standby.start()
        pair.wait_for_standby()
    assert time.monotonic() - begin < 15
    assert ledger.head("chess").number == -1
    ledger.append("chess", [clock(0)], expected=-1)
    assert ledger.head("chess").number == 0
    people.close()


def test_what_the_standby_does_not_confirm_is_recorded_but_not_acknowledged(
    ledger: Ledger, pair: PostgresPair
) -> None:
    pair.standby.freeze()
    try:
        for _ in range(2):  # the second time, it is there already
            with pytest.raises(UnconfirmedError, match=r"recorded on .* not yet on the standby"):
                ledger.append("chess", [clock(0)], expected=-1)
            assert ledger.head("chess").number == 0
        with pytest.raises(UnconfirmedError):
            ledger.confirm()
    finally:
        pair.standby.freeze(thaw=True)
    assert ledger.append("chess", [clock(0)], expected=-1) == ledger.head("chess")
    assert ledger.head("chess").number == 0


def test_a_request_that_was_not_confirmed_is_repeated_under_the_id_in_the_message(
    ledger: Ledger, pair: PostgresPair
) -> None:
    game = open_game(ledger, "go", parse(BOOK, "counting.md"), at=NOON)
    pair.standby.freeze()
    try:
        with pytest.raises(UnconfirmedError, match="under the id") as failed:
            game.join("Ann", at=NOON)
        id = str(failed.value).rpartition("under the id ")[2].partition(",")[0]
        with pytest.raises(UnconfirmedError):
            game.join("Ann", at=NOON, id=id)
    finally:
        pair.standby.freeze(thaw=True)
    assert not game.join("Ann", at=NOON, id=id).refusals
    joined = [entry for entry in ledger.read("go") if isinstance(entry.body, JoinRequested)]
    assert len(joined) == 1
    game.engine.close()


def test_a_user_who_may_not_see_which_standbys_are_synchronous_plays_and_is_told(
    ledger: Ledger, pair: PostgresPair
) -> None:
    for statement in (
        "DROP ROLE IF EXISTS ann",
        "CREATE ROLE ann LOGIN",
        "GRANT USAGE ON SCHEMA nomoledger TO ann",
        "GRANT ALL ON ALL TABLES IN SCHEMA nomoledger TO ann",
        "GRANT ALL ON ALL SEQUENCES IN SCHEMA nomoledger TO ann",
    ):
        pair.primary.execute(statement, pair.primary.url("tests"))
    with Ledger.open(pair.url("tests").replace("postgres@", "ann@")) as hers:
        hers.append("chess", [clock(0)], expected=-1)
        pair.standby.freeze()
        try:
            with pytest.raises(UnconfirmedError):
                hers.append("chess", [clock(1)], expected=0)
        finally:
            pair.standby.freeze(thaw=True)
        assert hers.append("chess", [clock(1)], expected=0).number == 1
    pair.primary.execute("DROP OWNED BY ann", pair.primary.url("tests"))


def test_reading_and_existing_tables_need_no_standby(ledger: Ledger, pair: PostgresPair) -> None:
    location = pair.url("tests")
    open_views(location, is_public=True).close()
    pair.standby.lose()
    try:
        with Ledger.open(location) as reading:
            assert reading.verify("chess").ok
        open_views(location, is_public=True).close()
    finally:
        pair.standby.start()
        pair.wait_for_standby()


def test_a_copy_is_done_when_the_standby_has_it(ledger: Ledger, pair: PostgresPair) -> None:
    source = Ledger(MemoryStore())
    source.add_game("go")
    source.append("go", [clock(0)], expected=-1)
    pair.standby.freeze()
    try:
        for _ in range(2):
            with pytest.raises(UnconfirmedError):
                copy_ledger(source, ledger, ["go"])
    finally:
        pair.standby.freeze(thaw=True)
    assert copy_ledger(source, ledger, ["go"]) == {"go": source.head("go")}


def test_no_seal_is_written_whose_period_the_standby_may_lack(
    ledger: Ledger, pair: PostgresPair, tmp_path: Path
) -> None:
    game = open_game(ledger, "go", parse(BOOK, "counting.md"), at=NOON)
    game.close(at=NOON)
    game.engine.close()
    file = tmp_path / "period-1.seal"
    words = ["seal", pair.url("tests"), "--game", "go", "-o", str(file)]
    pair.standby.freeze()
    try:
        result = CliRunner().invoke(program, words)
    finally:
        pair.standby.freeze(thaw=True)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "not yet on the standby" in result.stderr
    assert not file.exists()
    assert CliRunner().invoke(program, words).exit_code == 0
    assert file.exists()


def test_a_frozen_primary_holds_nobody_up_for_ever(
    ledger: Ledger, pair: PostgresPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_standby, "CANCEL_SECONDS", 0.3)
    begin = time.monotonic()

    def write() -> None:
        with ledger.transaction() as transaction:
            transaction.append("chess", [clock(0)], expected=-1)
            threading.Timer(0.2, pair.primary.freeze).start()
            pair.standby.freeze()

    with pytest.raises(LostError, match="broke"):
        write()
    pair.primary.freeze(thaw=True)
    pair.standby.freeze(thaw=True)
    assert time.monotonic() - begin < 5


def test_a_primary_without_a_standby_is_warned_of(
    pair: PostgresPair, caplog: pytest.LogCaptureFixture
) -> None:
    pair.primary.empty_database()
    setting = "ALTER SYSTEM {} synchronous_standby_names"
    pair.primary.execute(setting.format("RESET"))
    pair.primary.execute("SELECT pg_reload_conf()")
    time.sleep(0.2)
    try:
        with Ledger.open(pair.url("tests"), create=True) as ledger:
            ledger.add_game("chess")
        assert "has no synchronous standby" in caplog.text
        caplog.clear()
        Ledger.open(pair.primary.url("tests")).close()
        assert not caplog.text
    finally:
        pair.primary.execute(f"{setting.format('SET')} = '*'")
        pair.primary.execute("SELECT pg_reload_conf()")
        pair.wait_for_standby()
