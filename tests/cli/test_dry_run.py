"""Dry runs of commands: the same words as the real run, and nothing recorded."""

import json
import shlex
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli.commands import NOON, ok, run
from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.state.player_seeds import commitment_to

NOTE = "a dry run: nothing is recorded\n"
THROWN = "its dice come from a throwaway seed: the real ones will fall otherwise\n"
SEED = "a seed that only Ann knows"
DAY = "--at 2026-01-06T12:00:00"

#: Requests to the game of Ann and Bob with real dice, one after the other.
REQUESTS = f"""
join LEDGER Cleo email=cleo@x.org
propose LEDGER Ann "Options last ten days" --amend VIII.3.days_open=10
vote LEDGER Bob 1 yes
judge LEDGER 1 accepted
undo LEDGER
submit LEDGER Bob buy square=8
undo LEDGER
submit LEDGER Bob buy square=8
roll LEDGER 3 4
submit LEDGER Bob buy square=8
submit LEDGER Ann buy square=8
order LEDGER Bob --when "money(Bob) > 5000" --do "buy square=4" --id riches
void LEDGER order riches "Never"
order LEDGER Bob --when "money(Bob) > 5000" --do "buy square=4" --id more
order LEDGER Bob --cancel more
ruling LEDGER "Ann gets less" --changes less.yaml
ruling LEDGER "It was a 2 and a 4" --replace ROLL=2,4 --settle all --yes
dispute open LEDGER Bob "This cannot be right" --period 1
dispute argue LEDGER 1 Ann "It can"
dispute close LEDGER 1 "It stands"
finality LEDGER --after 7
leave LEDGER Cleo
close LEDGER {DAY}
advance LEDGER --to 2026-01-07T12:00:00
"""


def lines() -> list[str]:
    return [line for line in REQUESTS.splitlines() if line]


@pytest.fixture
def prepared(game: str) -> str:
    Path("less.yaml").write_text("- {amend: VIII.3, parameters: {days_open: 9}}")
    return game


def words_of(line: str, ledger: str) -> list[str]:
    if "ROLL" in line:
        with Ledger.open(ledger) as opened:
            rolls = [
                x.number
                for x in opened.read(opened.games()[0])
                if isinstance(x.body, e.DrawEntered)
            ]
        line = line.replace("ROLL", str(rolls[-1]))
    words = shlex.split(line.replace("LEDGER", ledger))
    return words if "--at" in words or "--to" in words else [*words, "--at", NOON]


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


@pytest.mark.slow
def test_a_dry_run_says_what_the_request_then_does_and_records_nothing(prepared: str) -> None:
    """The whole game, each request first as a dry run."""
    for line in lines():
        words = words_of(line, prepared)
        before = content(Path())
        dry = run(*words, "--dry-run")
        assert content(Path()) == before, line
        real = run(*words)
        assert real.exit_code == dry.exit_code, (line, dry.output, real.output)
        note = "" if real.exit_code == 2 else NOTE  # an error is the same line
        assert (dry.stdout, dry.stderr) == (real.stdout + note, real.stderr), line


def test_a_dry_run_in_json_says_so_and_shows_the_head_of_the_ledger(game: str) -> None:
    words = ("propose", game, "Ann", "Nothing", "--at", NOON, "--id", "one", "--json")
    dry = json.loads(ok(*words, "--dry-run"))
    with Ledger.open(game) as ledger:
        assert dry["head"] == str(ledger.head("mail-opening"))
    real = json.loads(ok(*words))
    assert dry.pop("dry_run") is True
    assert dry.pop("throwaway") is False
    assert dry.pop("head") != real.pop("head")
    for events in (dry["events"], real["events"]):
        for event in events:
            del event["recorded_at"]
    assert dry == real


def test_a_request_that_makes_no_sense_is_as_wrong_in_a_dry_run(game: str) -> None:
    words = ("submit", game, "Ann", "fly", "--at", NOON)
    assert run(*words, "--dry-run").stderr == run(*words).stderr
    assert run(*words, "--dry-run").exit_code == 2


@pytest.fixture
def seeded(tmp_path: Path) -> str:
    """A game with seeded dice, in which a proposal is to be judged, which rolls."""
    file = str(tmp_path / "s.db")
    with Ledger.open(file, create=True) as ledger:
        game = open_game(
            ledger,
            "g",
            load("mail-opening"),
            given={"players": {"Ann": {}, "Bob": {}}},
            secret=b"s" * 32,
            at=datetime(2026, 1, 5, 12, tzinfo=UTC),
        )
        game.propose("Ann", "nothing", (), at=datetime(2026, 1, 5, 12, tzinfo=UTC))
    return file


def test_dice_of_a_dry_run_come_from_a_seed_that_is_thrown_away(seeded: str) -> None:
    words = ("judge", seeded, "1", "rejected", "--at", NOON)
    before = content(Path(seeded).parent)
    tries = [ok(*words, "--dry-run") for _ in range(5)]
    assert content(Path(seeded).parent) == before
    real = ok(*words)
    for dry in tries:
        assert dry.endswith(THROWN + NOTE)
        assert dry.splitlines()[0] == real.splitlines()[0] == "proposal 1 is rejected"
    rolled = {next(line for line in dry.splitlines() if "moves" in line) for dry in tries}
    assert len(rolled) > 1


def test_a_dry_run_of_a_close_reveals_no_seed(seeded: str) -> None:
    ok("judge", seeded, "1", "rejected", "--at", NOON)
    words = ("close", seeded, "--at", NOON, "--json")
    dry = json.loads(ok(*words, "--dry-run"))["events"][-1]
    real = json.loads(ok(*words))["events"][-1]
    assert real.keys() == dry.keys() >= {"seed", "commitment", "digest"}
    assert dry["seed"] != real["seed"]
    assert dry["commitment"] != real["commitment"]
    assert dry["digest"] != ""


def test_seeds_of_players_are_committed_and_revealed_in_a_dry_run(tmp_path: Path) -> None:
    file = str(tmp_path / "p.db")
    ok("init", file, "--rulebook", "mail-opening", "--dice", "players", "--at", NOON)
    ok("join", file, "Ann", "email=ann@x.org", "--at", NOON)
    for line in (
        f"dice commit LEDGER Ann {commitment_to(SEED)} --period 3",
        "close LEDGER",
        f"dice reveal LEDGER Ann '{SEED}' --period 3",
    ):
        words = words_of(line, file)
        dry = ok(*words, "--dry-run")
        assert dry == ok(*words) + NOTE


def test_a_game_in_the_library_has_a_dry_run(seeded: str) -> None:
    noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    with Ledger.open(shutil.copy(seeded, f"{seeded}.copy")) as ledger:
        game = Game(ledger)
        head = ledger.head("g")
        with game.dry_run() as scratch:
            scratch.judge(1, "rejected", at=noon)
            scratch.close(at=noon)
            assert scratch.world.period == 2
            assert scratch.ledger.verify("g").ok
        assert ledger.head("g") == head
        assert game.world.period == 1
        game.judge(1, "rejected", at=noon)
