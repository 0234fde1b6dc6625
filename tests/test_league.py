"""A league: its games, what waits in each, their health, and the audit of all of them."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result
from parallel.dask_cluster import running_cluster

from nomoledger import League
from nomoledger.cli import program
from nomoledger.errors import UsageError
from nomoledger.game.game import Game
from nomoledger.game.keepers import Keepers
from nomoledger.game.league import LeagueGame
from nomoledger.game.programs import CLOCK, program_name
from nomoledger.game.start import open_game
from nomoledger.game.waiting import WaitingFact
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.parallel import open_pool
from nomoledger.rulebook.loading import load, parse

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
LATER = datetime(2026, 1, 7, 12, tzinfo=UTC)
BOOK = """---
rulebook: asking
---

### I.1 Players

Anybody may join.

```yaml
secret: [plant]
declares: {player: {name: Text key}, bomb: {owner: Player}}
```

```python
def define_join(name: Text):
    create("player", {"name": name}, name)
```

### I.2 Questions

A player may ask the admin, rest for a day, or plant a bomb in secret.

```python
def action_wonder(player: Player):
    ask("admin", "Does that count?", ["yes", "no"])

def action_rest(player: Player):
    schedule("wake", player, due=now() + 86400)

def action_plant(player: Player):
    create("bomb", {"owner": player})

def define_wake(player: Player):
    set(player, "name", get(player, "name"))
```
"""


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(program, words)
    assert result.exit_code == code, result.output
    return result


def made(ledger: Ledger, *names: str) -> list[Game]:
    """Open games that ask, with a player each."""
    games = []
    for name in names:
        game = open_game(ledger, name, parse(BOOK, "asking.md"), at=NOON)
        game.join("Ann", at=NOON)
        games.append(game)
    return games


def found(*locations: str, reader: str | None = None) -> dict[str | None, LeagueGame]:
    return {game.game: game for game in League(*locations).games(reader=reader, now=LATER)}


def test_each_game_says_what_waits_for_whom_and_since_when(location: str) -> None:
    with Ledger.open(location, create=True) as ledger:
        idle, asks, rests = made(ledger, "idle", "asks", "rests")
        asks.submit("Ann", "wonder", at=NOON)
        rests.submit("Ann", "rest", at=NOON)
        proposes = open_game(ledger, "proposes", load("mail-opening"), at=NOON)
        proposes.join("Bob", {"email": "bob@example.org"}, at=NOON)
        proposes.propose("Bob", "Nothing", at=NOON)
        disputed = proposes.dispute("admin", "Why?", period=1, at=LATER)
        assert disputed.events
        heads = {game: ledger.head(game) for game in ledger.games()}
        sizes = ledger.store.sizes()
    games = found(location)
    assert list(games) == ["asks", "idle", "proposes", "rests"]
    assert games["idle"].waits == ()
    assert games["asks"].waits == (WaitingFact("Does that count?", ("admin",), NOON),)
    day = datetime(2026, 1, 6, 12, tzinfo=UTC)
    assert games["rests"].waits == (WaitingFact("due: Ann: wake", ("clock",), day),)
    assert games["rests"].next_timer == day
    assert games["proposes"].waits == (
        WaitingFact("proposal 1 is undecided", (), NOON),
        WaitingFact("dispute 1 is open", ("admin",), LATER),
    )
    for name, game in games.items():
        assert name is not None
        assert (game.period, game.events) == (1, heads[name].number + 1)
        assert (game.bytes, game.error, game.audit) == (sizes[name], None, None)
    assert games["idle"].now == NOON
    idle.engine.close()


def test_a_broken_game_hides_no_other_and_is_a_line(tmp_path: Path) -> None:
    file = str(tmp_path / "games.db")
    with Ledger.open(file, create=True) as ledger:
        made(ledger, "broken", "sound", "unlisted")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "UPDATE stored_events SET state=x'00' WHERE originator_id='broken'"
            " AND originator_version=3"
        )
        connection.execute("DELETE FROM games WHERE game='unlisted'")
    (tmp_path / "other.db").write_bytes(b"SQLite format 3\0" + 4000 * b"x")
    (tmp_path / "notes.txt").write_text("no ledger")
    games = found(str(tmp_path))
    assert {name: game.error is None for name, game in games.items()} == {
        "broken": False, "sound": True, "unlisted": False,
    }  # fmt: skip
    assert run("league", "list", file, code=1).output
    shown = run("league", "list", file, str(tmp_path / "other.db"), "none.db", code=2).output
    for part in ("broken: game 'broken', #3: ", "sound  ", "/other.db is ", "no ledger at none.db"):
        assert part in shown, part
    assert "unlisted: there are records of this game, but it is not listed" in shown
    listed = json.loads(run("league", "list", file, "none.db", "--json", code=2).output)["games"]
    assert [game["game"] for game in listed] == ["broken", "sound", "unlisted", None]


def test_a_damaged_database_hides_no_other_game(postgres_url: str) -> None:
    with Ledger.open(postgres_url, create=True) as ledger:
        made(ledger, "broken", "sound")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            "UPDATE nomoledger.stored_events SET state='\\x00' WHERE originator_id='broken'"
        )
    games = found(postgres_url, "postgresql://localhost:1/none")
    assert games["sound"].error is None
    assert "game 'broken', #0" in str(games["broken"].error)
    assert "cannot reach" in str(games[None].error)


def test_a_folder_stands_for_its_ledgers(tmp_path: Path) -> None:
    for name in ("b.db", "a.db"):
        with Ledger.open(tmp_path / name, create=True) as ledger:
            made(ledger, name)
    run("project", str(tmp_path / "a.db"))
    assert len(list(tmp_path.glob("*.db"))) == 3
    assert League(tmp_path).locations == [str(tmp_path / "a.db"), str(tmp_path / "b.db")]
    assert list(found(str(tmp_path), str(tmp_path / "a.db"))) == ["a.db", "b.db"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="there is no ledger in the folder"):
        League(tmp_path / "empty")


def test_moved_games_and_copies_are_named(tmp_path: Path) -> None:
    old, new, copy = (str(tmp_path / name) for name in ("a.db", "b.db", "c.db"))
    with Ledger.open(old, create=True) as ledger:
        made(ledger, "chess", "go")
    run("copy", old, copy, "--game", "chess")
    League().move("chess", old, new)
    shown = run("league", "list", old, new, copy).output
    assert f"  chess: moved to {new}\n" in shown
    assert shown.count("the same game is open in") == 2
    places = [(game.ledger, game.place, game.also_in) for game in League(old, new, copy).games()]
    assert places == [(old, None, ()), (old, new, ()), (new, None, (copy,)), (copy, None, (new,))]


def test_what_is_secret_is_shown_to_the_admin_only(tmp_path: Path) -> None:
    file = str(tmp_path / "games.db")
    with Ledger.open(file, create=True) as ledger:
        (game,) = made(ledger, "chess")
        game.submit("Ann", "plant", at=NOON)
        game.dispute("Ann", "it was two bombs", about=game.world.head, at=NOON)
    assert found(file)["chess"].waits == ()
    assert len(found(file, reader="admin")["chess"].waits) == 1
    assert "dispute 1" not in run("league", "list", file).output
    assert "dispute 1" in " ".join(run("league", "list", file, "--admin").output.split())


def test_keepers_and_clocks_are_seen_in_postgres(postgres_url: str) -> None:
    with Ledger.open(postgres_url, create=True) as ledger:
        made(ledger, "chess", "go")
    with Keepers(postgres_url) as keepers:
        keepers.request("chess", Game.join, "Bob", at=NOON)
        with Ledger.open(postgres_url, program=program_name(CLOCK, "chess")) as clock:
            clock.games()
            games = found(postgres_url)
            assert (games["chess"].kept_by, games["go"].kept_by) == (("keeper", "clock"), ())
            assert "kept" in run("league", "list", postgres_url).output
    assert found(postgres_url)["chess"].kept_by == ()


def test_files_do_not_tell_who_keeps_a_game(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a.db", create=True) as ledger:
        made(ledger, "chess")
        assert found(str(tmp_path / "a.db"))["chess"].kept_by is None


def test_an_audit_is_a_line_a_game_and_is_kept(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(location, create=True) as ledger:
        chess, go = made(ledger, "chess", "go")
        chess.close(at=NOON)
        head = ledger.head("chess").number
    words = ("league", "audit", location, "--workers", "1")
    tried = run(*words, "--dry-run").output
    assert found(location)["chess"].audit is None
    done = run(*words).output
    assert tried == done + "a dry run: nothing is recorded\n"
    first, second = done.splitlines()
    assert first.startswith(f"{location}, chess: {head + 1} events, 2 periods, ")
    assert first.endswith(" compared, sound")
    assert ", go: " in second
    audit = found(location)["chess"].audit
    assert audit is not None
    assert (audit.number, audit.is_sound) == (head, True)
    assert run("verify", location).exit_code == 0
    tamper(location)
    bad = run(*words, code=1).output
    assert "go: " in bad
    assert "not as written: " in bad
    games = found(location)
    audits = [games[name].audit for name in ("chess", "go")]
    assert [audit is not None and audit.is_sound for audit in audits] == [True, False]
    assert json.loads(run(*words, "--json", code=1).output)["sound"] is False
    chess.engine.close()
    go.engine.close()


def tamper(location: str) -> None:
    """Change the last record of the game go."""
    text = "UPDATE {}stored_events SET topic='posted/1' WHERE originator_id='go'" + (
        " AND originator_version=(SELECT max(number) FROM {}chain WHERE game='go')"
    )
    if is_postgres(location):
        with psycopg.connect(location, autocommit=True) as server:
            server.execute(text.format("nomoledger.", "nomoledger.").encode())
    else:
        with closing(sqlite3.connect(location)) as file, file:
            file.execute(text.format("", ""))


def test_an_audit_names_what_cannot_be_read_and_goes_on(tmp_path: Path) -> None:
    good = str(tmp_path / "good.db")
    with Ledger.open(good, create=True) as ledger:
        made(ledger, "chess")
    shown = run("league", "audit", "none.db", good, "--workers", "1", code=2).output
    assert "nomoledger: no ledger at none.db" in shown
    assert ", chess: " in shown


def test_who_may_only_read_may_read_the_tables_that_come_later(
    postgres_url: str, tmp_path: Path
) -> None:
    """A role with rights on all tables at first has them on those of moves and audits, too."""
    with Ledger.open(postgres_url, create=True) as ledger:
        made(ledger, "chess", "go")
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("DROP ROLE IF EXISTS reader")
        server.execute("CREATE ROLE reader LOGIN")
        server.execute("GRANT USAGE ON SCHEMA nomoledger TO reader")
        server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA nomoledger TO reader")
    as_reader = postgres_url.replace("postgres@", "reader@")
    words = ("league", "audit", as_reader, "--workers", "1")
    assert run(*words).output.count("; the result is not kept: you may not do this") == 2
    run("league", "audit", postgres_url, "--workers", "1")
    League().move("go", postgres_url, tmp_path / "new.db")
    games = found(as_reader)
    assert games["chess"].audit is not None
    assert games["go"].place is not None
    assert "are as written" in run("verify", as_reader).output
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("DROP OWNED BY reader; DROP ROLE reader")


@pytest.mark.slow
def test_an_audit_on_several_processes_is_the_same(
    tmp_path: Path, copy_of: Callable[[Callable[[Ledger], object]], Path]
) -> None:
    file = str(copy_of(lambda ledger: made(ledger, "chess", "go")))
    results = []
    for workers in (1, 2):
        with open_pool(workers) as pool:
            results.append(sorted(str(game) for game in League(file).audit(pool, dry_run=True)))
    assert results[0] == results[1]


@pytest.mark.slow
def test_an_audit_on_a_cluster_is_the_same(
    tmp_path: Path, copy_of: Callable[[Callable[[Ledger], object]], Path]
) -> None:
    file = str(copy_of(lambda ledger: made(ledger, "chess", "go")))
    here = run("league", "audit", file, "--workers", "1", "--dry-run").output
    with running_cluster(tmp_path, 2) as cluster:
        words = ("league", "audit", file, "--scheduler", cluster.address, "--dry-run")
        assert run(*words).output == here
