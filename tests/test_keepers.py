"""Keepers: many threads play many games, and what dies is replaced."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from postgres_server import PostgresServer

from nomoledger.errors import LostError, RuleFault, UnknownError, UsageError
from nomoledger.events import Input
from nomoledger.game.game import Game
from nomoledger.game.keepers import Keepers
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import parse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOOK = """---
rulebook: counting
---

### I.1 Players

Anybody may join.

```yaml
declares: {player: {name: Text key, count: Number}}
```

```python
def define_join(name: Text):
    create("player", {"name": name, "count": 0}, name)
```

### I.2 Counting

A player may count.

```python
def action_count_on(player: Player):
    set(player, "count", get(player, "count") + 1)
```

### I.3 Failing

A player may fail.

```python
def action_trip(player: Player):
    set(player, "count", 0)
    fail("over a stone")
```
"""
GAMES = ("a", "b", "c")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "games.db", create=True) as ledger:
        for name in GAMES:
            open_game(ledger, name, parse(BOOK, "counting.md"), at=NOON).engine.close()
        yield ledger


@pytest.fixture
def keepers(ledger: Ledger) -> Iterator[Keepers]:
    with Keepers(ledger.store.location) as keepers:
        for name in GAMES:
            keepers.request(name, Game.join, "Ann")
        yield keepers


def keeper_pid(keepers: Keepers, game: str) -> int:
    process = keepers._keepers[game]._process
    assert process is not None
    return process[1]


def count_of(ledger: Ledger, game: str) -> int:
    count = Game(ledger, game).world.get("Ann", "count")
    assert isinstance(count, int)
    return count


def test_threads_play_many_games_and_every_request_is_carried_out_once(
    ledger: Ledger, keepers: Keepers
) -> None:
    def play(number: int) -> int:
        outcome = keepers.request(
            GAMES[number % 3], Game.submit, "Ann", "count_on", id=f"r{number}"
        )
        return len(outcome.events)

    with ThreadPoolExecutor(6) as threads:
        assert set(threads.map(play, range(60))) == {3}
    for game in GAMES:
        assert count_of(ledger, game) == 20
        assert replay(ledger, game).exact


def test_requests_of_one_game_are_carried_out_in_the_order_in_which_they_come(
    ledger: Ledger, keepers: Keepers
) -> None:
    started = threading.Semaphore(0)

    def play(number: int) -> None:
        started.release()
        keepers.request("a", Game.submit, "Ann", "count_on", id=f"r{number:02}")

    with keepers._keepers["a"].queue.turn(keepers._keepers["a"].queue.take_turn()):
        threads = [threading.Thread(target=play, args=(number,)) for number in range(12)]
        for place, thread in enumerate(threads):
            thread.start()
            while keepers._keepers["a"].queue._taken < place + 3:  # the join, this block, and it
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    ids = [entry.body.id for entry in ledger.read("a") if isinstance(entry.body, Input)]
    assert ids[2:] == [f"r{number:02}" for number in range(12)]


def test_a_request_repeated_under_its_id_is_carried_out_once(
    ledger: Ledger, keepers: Keepers
) -> None:
    first = keepers.request("a", Game.submit, "Ann", "count_on", id="once")
    assert keepers.request("a", Game.submit, "Ann", "count_on", id="once") == first
    assert count_of(ledger, "a") == 1


def test_a_keeper_that_is_killed_is_replaced_and_loses_nothing(
    ledger: Ledger, keepers: Keepers
) -> None:
    for _ in range(3):
        keepers.request("a", Game.submit, "Ann", "count_on")
        os.kill(keeper_pid(keepers, "a"), signal.SIGKILL)
    keepers.request("a", Game.submit, "Ann", "count_on")
    assert count_of(ledger, "a") == 4


@pytest.mark.slow
def test_a_keeper_that_is_killed_in_the_middle_carries_the_request_out_once(
    ledger: Ledger, keepers: Keepers
) -> None:
    stop = threading.Event()

    def kill() -> None:
        chance = Random(1)
        while not stop.wait(0.1):
            process = keepers._keepers[chance.choice(GAMES)]._process
            if process is not None:
                os.kill(process[1], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        for number in range(60):
            fields = {"id": f"r{number}"}
            for _ in range(100):
                try:
                    keepers.request(GAMES[number % 3], Game.submit, "Ann", "count_on", **fields)
                    break
                except (LostError, RuleFault):
                    continue
            else:
                raise AssertionError("the request never got through")
    finally:
        stop.set()
        killer.join()
    for game in GAMES:
        ids = Counter(e.body.id for e in ledger.read(game) if isinstance(e.body, Input))
        assert set(ids.values()) == {1}
        assert count_of(ledger, game) == 20
        assert ledger.verify(game).ok


def test_what_a_request_raises_is_raised_here(keepers: Keepers) -> None:
    with pytest.raises(UnknownError, match="nobody can 'fly'"):
        keepers.request("a", Game.submit, "Ann", "fly")
    with pytest.raises(UnknownError, match="no game 'z'"):
        keepers.request("z", Game.submit, "Ann", "count_on")
    assert keepers.request("a", Game.submit, "Ann", "count_on").events


def test_a_fault_refuses_a_request_and_the_next_one_works(ledger: Ledger, keepers: Keepers) -> None:
    (refusal,) = keepers.request("a", Game.submit, "Ann", "trip").refusals
    assert "the code of this rule failed" in refusal.reasons[0].text
    keepers.request("a", Game.submit, "Ann", "count_on")
    assert count_of(ledger, "a") == 1


def test_the_keeper_that_was_idle_longest_makes_room(ledger: Ledger) -> None:
    with Keepers(ledger.store.location, most=2) as keepers:
        for name in (*GAMES, "a"):
            keepers.request(name, Game.advance)
        assert list(keepers._keepers) == ["c", "a"]
    with pytest.raises(UsageError, match="at least one"):
        Keepers(ledger.store.location, most=0)


def test_others_may_write_to_a_game_that_has_a_keeper(ledger: Ledger, keepers: Keepers) -> None:
    for _ in range(3):
        Game(ledger, "a").submit("Ann", "count_on")
        keepers.request("a", Game.submit, "Ann", "count_on")
    assert count_of(ledger, "a") == 6
    assert replay(ledger, "a").exact


def test_a_relative_path_counts_from_the_folder_of_the_program(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path(ledger.store.location)
    monkeypatch.chdir(file.parent)
    with Keepers(file.name) as keepers:
        assert keepers.request("a", Game.join, "Ann").events


@pytest.mark.slow
def test_keepers_play_games_in_a_database_of_postgresql(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()
    with Ledger.open(url, create=True) as ledger:
        for name in GAMES:
            open_game(ledger, name, parse(BOOK, "counting.md"), at=NOON).engine.close()
        with Keepers(url) as keepers, ThreadPoolExecutor(3) as threads:
            list(threads.map(lambda name: keepers.request(name, Game.join, "Ann"), GAMES))
            os.kill(keeper_pid(keepers, "b"), signal.SIGKILL)
            asked = [(name, Game.submit, "Ann", "count_on") for name in GAMES * 4]
            list(threads.map(lambda each: keepers.request(*each), asked))
        assert [count_of(ledger, name) for name in GAMES] == [4, 4, 4]


def test_what_is_no_request_is_misuse(keepers: Keepers) -> None:
    with pytest.raises(UsageError, match="a request is a method of Game"):
        keepers.request("a", lambda game: game.close())
    keepers.close()
    with pytest.raises(UsageError, match="closed"):
        keepers.request("a", Game.advance)


def test_keepers_end_with_their_program(ledger: Ledger) -> None:
    keepers = Keepers(ledger.store.location)
    keepers.request("a", Game.join, "Ann")
    pid = keeper_pid(keepers, "a")
    keepers.close()
    for _ in range(500):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.01)
    raise AssertionError("the keeper goes on")
