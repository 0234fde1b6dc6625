"""A game whose time is kept by the wall: nothing falls due late, twice, or by another clock."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from postgres_server import PostgresServer

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.cli import run as command
from nomoledger.errors import LostError, UnknownError
from nomoledger.events.rules import Repeal
from nomoledger.game.game import Game
from nomoledger.game.realtime import (
    PATIENCE_SECONDS,
    ClockNotice,
    Happening,
    LiveClock,
    SystemClock,
)
from nomoledger.game.start import open_game
from nomoledger.game.timekeeper import FiredTimer
from nomoledger.ledger.ledger import Head, Ledger
from nomoledger.rulebook.loading import parse
from nomoledger.state.disputes import standing_mark

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOMOLEDGER = [sys.executable, "-c", "from nomoledger.cli import main; main()"]

#: A jug fills up by a drop every so many seconds, as long as it is not full; and can be tilted.
DRIPS = """---
rulebook: drips
api: 0
---
# Drips

### 1 Drops

```yaml
parameters: {pause: 60, full: 1000}
commodities: {drop: {}}
accounts: [jug]
```

```python
def on_enact():
    schedule("drip", due = now() + pause)

def define_drip():
    mint("jug", 1, "a drop", "drop")
    if balance("jug", "drop") >= full:
        end_game("the jug is full")
    else:
        schedule("drip", due = now() + pause)

def action_tilt(admin, in_seconds: Number):
    schedule("spill", due = now() + in_seconds)

def define_spill():
    burn("jug", balance("jug", "drop"), "spilt", "drop")

def action_throw(admin):
    schedule("fall", due = now() + 1)

def define_fall():
    mint("jug", roll(1, 6, "drops")[0], "a splash", "drop")

def action_knock(admin):
    schedule("crack", due = now() + 1)
```

### 2 Cracks

```python
def define_crack():
    pay("nobody", "jug", 1, "a crack", "drop")
```
"""


class FakeWall(SystemClock):
    """A clock that goes on only while one sleeps; *meanwhile* is called in every sleep."""

    def __init__(self, now: datetime, until: datetime) -> None:
        self.time = now
        self.until = until
        self.meanwhile: Callable[[], None] = lambda: None

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        if self.time >= self.until:
            raise KeyboardInterrupt
        self.time += timedelta(seconds=max(seconds, 0.001))
        self.meanwhile()


def opened(location: str, seconds: int = 60, at: datetime = NOON, full: int = 1000) -> None:
    """A game of drips, a drop every so many *seconds*, in which dice are entered."""
    settings = {"pause": seconds, "full": full}
    with Ledger.open(location, create=True) as ledger:
        book = parse(DRIPS, "drips.md")
        open_game(
            ledger, "drips", book, settings=settings, at=at, recorded_at=at, dice_from="entered"
        )


@pytest.fixture
def file(tmp_path: Path) -> str:
    location = str(tmp_path / "game.db")
    opened(location)
    return location


def after(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def kept(watch: LiveClock) -> Iterator[Happening]:
    """What happens until the wall has had enough."""
    try:
        yield from watch.keep()
    except KeyboardInterrupt:
        return


def times(happenings: list[Happening]) -> list[tuple[str, float]]:
    """What fell due, and how many minutes after noon."""
    return [
        (x.what, (x.at - NOON) / timedelta(minutes=1))
        for x in happenings
        if isinstance(x, FiredTimer)
    ]


def notices(happenings: list[Happening]) -> list[str]:
    return [each.kind for each in happenings if isinstance(each, ClockNotice)]


def drops(location: str) -> int:
    with Ledger.open(location) as ledger:
        return Game(ledger).world.balance("jug", "drop")


def take_away(file: str) -> None:
    if os.path.exists(file):
        os.rename(file, file + ".away")


def desk_does(location: str, at: datetime, do: Callable[[Game], object]) -> None:
    with Ledger.open(location) as ledger:
        do(Game(ledger, clock=lambda: at))


# --- in time -------------------------------------------------------------------------------------


def test_missed_timers_fire_in_order_at_their_own_times(location: str) -> None:
    opened(location)
    caught_up = list(LiveClock(location, wall=FakeWall(after(3.5), after(9))).keep(once=True))
    assert times(caught_up) == [("drip", 1), ("drip", 2), ("drip", 3)]
    assert list(LiveClock(location, wall=FakeWall(after(3.9), after(9))).keep(once=True)) == []
    with Ledger.open(location) as ledger:
        inputs = [x.body for x in ledger.read("drips") if isinstance(x.body, e.ClockAdvanced)]
    assert [each.received_at for each in inputs] == [after(1), after(2), after(3)]
    assert {each.recorded_at for each in inputs} == {after(3.5)}


def test_the_keeper_sleeps_until_the_next_timer(file: str) -> None:
    wall = FakeWall(after(0.995), after(3.2))
    woken = []
    for each in kept(LiveClock(file, wall=wall)):
        assert isinstance(each, FiredTimer)
        woken.append((wall.now() - each.at).total_seconds())
    assert len(woken) == 3
    assert all(0 <= late < 0.1 for late in woken)


def test_an_earlier_timer_of_another_process_is_noticed(file: str) -> None:
    wall = FakeWall(after(0), after(2.1))

    def tilt() -> None:
        if wall.time > after(1.5):
            wall.meanwhile = lambda: None
            desk_does(file, wall.time, lambda desk: desk.submit("admin", "tilt", {"in_seconds": 3}))

    wall.meanwhile = tilt
    happened = list(kept(LiveClock(file, wall=wall)))
    names = [name for name, _ in times(happened)]
    assert names == ["drip", "spill", "drip"]
    assert drops(file) == 1


def test_the_keeper_stops_when_the_game_ends(tmp_path: Path) -> None:
    location = str(tmp_path / "game.db")
    opened(location, full=3)
    happened = list(LiveClock(location, wall=FakeWall(NOON, after(30))).keep())
    assert len(times(happened)) == 3
    assert happened[-1] == ClockNotice("over", "the game is over: the jug is full")


def test_standings_become_final_on_time(tmp_path: Path) -> None:
    location = str(tmp_path / "game.db")
    opened(location, seconds=1_000_000)
    desk_does(location, NOON, lambda desk: (desk.set_finality(1), desk.close()))
    wall = FakeWall(after(24 * 60 - 1), after(24 * 60 + 0.5))
    assert times(list(kept(LiveClock(location, wall=wall)))) == [("final", 24 * 60)]
    with Ledger.open(location) as ledger:
        assert standing_mark(Game(ledger).world, 1).final


# --- never twice ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.slow_with("postgres")
def test_two_keepers_fire_each_timer_once(location: str) -> None:
    opened(location)
    walls = [FakeWall(after(0), after(12)) for _ in range(2)]
    both = [kept(LiveClock(location, wall=wall)) for wall in walls]
    seen: list[Happening] = []
    while both:
        for each in list(both):
            found = next(each, None)
            if found is None:
                both.remove(each)
            else:
                seen.append(found)
    assert sorted(times(seen)) == [("drip", minute) for minute in range(1, 13)]
    assert drops(location) == 12


@pytest.mark.slow
def test_concurrent_and_killed_keepers_fire_each_timer_once(tmp_path: Path) -> None:
    location = str(tmp_path / "game.db")
    opened(
        location, at=datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=20, seconds=30)
    )
    words = [*NOMOLEDGER, "run", location, "--once", "--json"]
    for number in range(3):
        with subprocess.Popen(words, stdout=subprocess.PIPE) as victim:
            assert victim.stdout is not None
            for _ in range(number + 2):
                victim.stdout.readline()
            victim.kill()
    pair = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in "ab"]
    outputs = [each.communicate(timeout=60) for each in pair]
    assert [(each.returncode, err) for each, (_, err) in zip(pair, outputs, strict=True)] == [
        (0, b""),
        (0, b""),
    ]
    with Ledger.open(location) as ledger:
        fired = Counter(
            x.body.attempt for x in ledger.read("drips") if isinstance(x.body, e.TimerFired)
        )
        assert ledger.verify("drips").ok
    assert set(fired.values()) == {1}
    assert len(fired) == drops(location) == 20


# --- what holds play up --------------------------------------------------------------------------


def test_a_question_is_reported_once_and_play_goes_on_after_its_answer(file: str) -> None:
    desk_does(file, after(0.5), lambda desk: desk.submit("admin", "throw", {}))
    wall = FakeWall(after(0.5), after(3.5))

    def answer() -> None:
        if wall.time > after(2.5):
            wall.meanwhile = lambda: None
            desk_does(file, wall.time, lambda desk: desk.enter_dice([4]))

    wall.meanwhile = answer
    happened = list(kept(LiveClock(file, wall=wall)))
    assert notices(happened) == ["waiting"]
    assert happened[1] == ClockNotice(
        "waiting", "waiting for admin: one die of six sides for the drops"
    )
    assert times(happened) == [("fall", pytest.approx(0.5 + 1 / 60)), ("drip", 3)]
    assert drops(file) == 4 + 3  # the drops of minutes 1 and 2 fell as the dice were entered


def test_a_rule_that_fails_holds_up_no_timer(file: str) -> None:
    desk_does(file, after(0.5), lambda desk: desk.submit("admin", "knock", {}))
    wall = FakeWall(after(0.9), after(3.5))

    def mend() -> None:
        if wall.time > after(2.5):
            wall.meanwhile = lambda: None
            desk_does(file, wall.time, lambda d: d.rule("No crack.", changes=(Repeal("2"),)))

    wall.meanwhile = mend
    happened = list(kept(LiveClock(file, wall=wall)))
    assert notices(happened) == []
    assert any("2@1" in str(one) for one in happened)
    assert drops(file) == 3
    desk_does(file, after(3.5), lambda desk: desk.submit("admin", "tilt", {"in_seconds": 1}))


def test_catching_up_once_goes_past_a_rule_that_fails(file: str) -> None:
    desk_does(file, after(0.5), lambda desk: desk.submit("admin", "knock", {}))
    happened = list(LiveClock(file, wall=FakeWall(after(2), after(9))).keep(once=True))
    assert any("the code of this rule failed" in str(one) for one in happened)
    assert drops(file) == 2


# --- clocks that are set -------------------------------------------------------------------------


@pytest.mark.slow
def test_a_clock_that_goes_back_fires_no_timer_again(file: str) -> None:
    wall = FakeWall(after(1.9), after(3.1))

    def set_back() -> None:
        if wall.time > after(2.1):
            wall.meanwhile = lambda: None
            wall.time = after(-60)
            wall.until = after(3.1)

    wall.meanwhile = set_back
    happened = list(kept(LiveClock(file, wall=wall)))
    assert times(happened) == [("drip", 1), ("drip", 2), ("drip", 3)]
    assert notices(happened) == ["clock"]
    assert "back by 37" in str(happened)


def test_a_clock_that_jumps_ahead_fires_the_missed_timers(file: str) -> None:
    wall = FakeWall(after(0.5), after(10.5))

    def jump() -> None:
        wall.meanwhile = lambda: None
        wall.time = after(5.5)

    wall.meanwhile = jump
    happened = list(kept(LiveClock(file, wall=wall)))
    assert times(happened) == [("drip", minute) for minute in range(1, 11)]
    assert notices(happened) == ["clock"]


# --- a database that is away ---------------------------------------------------------------------


def test_the_keeper_waits_for_a_file_that_comes_back(file: str) -> None:
    wall = FakeWall(after(0.9), after(3.5))
    steps = iter([lambda: os.rename(file, file + ".away")])
    back = after(1.2)

    def meanwhile() -> None:
        step = next(steps, None)
        if step is not None:
            step()
        elif wall.time > back and not os.path.exists(file):
            os.rename(file + ".away", file)

    wall.meanwhile = meanwhile
    happened = list(kept(LiveClock(file, wall=wall)))
    assert notices(happened) == ["away", "back"]
    assert times(happened) == [("drip", 1), ("drip", 2), ("drip", 3)]


def test_the_keeper_gives_up_on_a_file_that_stays_away(file: str) -> None:
    wall = FakeWall(after(0.9), after(30))
    wall.meanwhile = partial(take_away, file)
    with pytest.raises(UnknownError, match="no ledger at"):
        list(LiveClock(file, wall=wall).keep())
    assert wall.time < after(1 + 2 * sum(PATIENCE_SECONDS) / 60)


@pytest.mark.slow
def test_the_keeper_waits_for_a_server_that_comes_back(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    opened(postgres_url)
    wall = FakeWall(after(0.9), after(3.5))
    steps = iter([postgres_server.stop, lambda: None, postgres_server.start])
    wall.meanwhile = lambda: next(steps, lambda: None)()
    happened = list(kept(LiveClock(postgres_url, wall=wall)))
    assert notices(happened) == ["away", "back"]
    assert times(happened) == [("drip", 1), ("drip", 2), ("drip", 3)]


def test_a_lost_answer_fires_no_timer_twice(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    append = Ledger.append
    lost: list[Head] = []

    def append_and_lose(self: Ledger, *given: object, **named: object) -> Head:
        head = append(self, *given, **named)  # type: ignore[arg-type]
        if not lost:
            lost.append(head)
            raise LostError("the connection broke")
        return head

    monkeypatch.setattr(Ledger, "append", append_and_lose)
    happened = list(kept(LiveClock(file, wall=FakeWall(after(1.1), after(2.5)))))
    assert notices(happened) == ["away", "back"]
    assert drops(file) == 2


# --- the command ---------------------------------------------------------------------------------


def run(*words: str, wall: SystemClock, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    monkeypatch.setattr(command, "WALL", wall)
    result = CliRunner().invoke(program, ["run", *words])
    return result.exit_code, result.stdout, result.stderr


def test_the_run_command_prints_a_line_per_event(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = run(file, "--once", wall=FakeWall(after(2), after(9)), monkeypatch=monkeypatch)
    assert told == (
        0,
        "2026-03-01 12:01:00  drip [1@1]: mint -1 drop, jug +1 drop (a drop)\n"
        "2026-03-01 12:02:00  drip [1@1]: mint -1 drop, jug +1 drop (a drop)\n",
        "",
    )
    told = run(file, "--once", wall=FakeWall(after(2), after(9)), monkeypatch=monkeypatch)
    assert told == (0, "nothing is due\n", "")


def test_the_run_command_prints_json_lines(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    desk_does(file, after(0.5), lambda desk: desk.submit("admin", "throw", {}))
    words = (file, "--once", "--json")
    code, out, err = run(*words, wall=FakeWall(after(2), after(9)), monkeypatch=monkeypatch)
    found = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert [each["kind"] for each in found] == ["fired", "waiting"]
    assert found[0]["what"] == "fall"
    assert [event["event"] for event in found[0]["events"]] == [
        "timer-fired/1",
        "question-raised/1",
    ]


def test_an_interrupt_ends_the_run_command(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = run(file, wall=FakeWall(NOON, after(1.5)), monkeypatch=monkeypatch)
    assert (code, err, out.count("\n")) == (0, "", 1)


def test_a_database_that_stays_away_is_one_line_of_error(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall = FakeWall(NOON, after(30))
    wall.meanwhile = partial(take_away, file)
    code, out, err = run(file, wall=wall, monkeypatch=monkeypatch)
    assert (code, out) == (2, "")
    away, gone = err.splitlines()
    assert "was moved or replaced; trying for 120 seconds" in away
    assert "no ledger at" in gone
    assert run(file, wall=wall, monkeypatch=monkeypatch)[2].count("\n") == 1


@pytest.mark.slow
def test_the_run_command_fires_timers_by_the_real_clock(tmp_path: Path) -> None:
    location = str(tmp_path / "game.db")
    begin = datetime.now(UTC).replace(microsecond=0)
    opened(location, seconds=1, at=begin)
    words = [*NOMOLEDGER, "run", location, "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        for second in range(1, 4):
            found = json.loads(process.stdout.readline())
            due = datetime.fromisoformat(found["at"])
            assert due == begin + timedelta(seconds=second)
            assert datetime.now(UTC) >= due
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert drops(location) >= 3
