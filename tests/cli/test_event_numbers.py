"""Every numbering of events that is printed is accepted wherever an event is asked for."""

import json
from pathlib import Path
from typing import Any

import pytest
from proof.pairs import PairedGame, Public, Sealed

from cli.commands import data, ok, wrong

PLAYED = [Public("go", 0, 0), Public("go", 1, 0), Public("go", 0, 0)]
SECRETS = [Sealed(0, 3, "bid", 0), Sealed(1, 3, "bid", 1)]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A game in which secret bids make the public numbers differ from those of the ledger."""
    game = PairedGame(tmp_path_factory.mktemp("pair") / "pair.db")
    with game.ledger:
        game.play(PLAYED, SECRETS)
        game.game.close()
    return str(game.ledger.store.location)


def last_fall(file: str, *reader: str) -> dict[str, Any]:
    """Return the last dice in the log of a reader."""
    lines = data("log", file, *reader)["events"]
    return next(line for line in reversed(lines) if line["told"].startswith("rolled"))


@pytest.mark.parametrize(
    ("reader", "written"), [((), "public:{}"), ((), "public:#{}"), (("--as", "Ann"), "Ann:{}")]
)
def test_a_number_of_a_log_means_the_event_that_the_log_shows(
    file: str, reader: tuple[str, ...], written: str
) -> None:
    recorded, seen = last_fall(file, "--admin"), last_fall(file, *reader)
    assert recorded["told"] == seen["told"]
    assert recorded["number"] != seen["number"]
    name = written.format(seen["number"])
    assert data("explain", file, name)["event"] == recorded["number"]


def test_every_command_that_takes_an_event_takes_a_public_number(file: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes(Path(file).read_bytes())
    number = last_fall(file, "--admin")["number"]
    name, at = f"public:{last_fall(file)['number']}", ("--at", "2026-03-02")
    copied = str(copy)
    dispute = data("dispute", "open", copied, "Ann", "Hm.", "--event", name, *at)
    assert dispute["events"][0]["about"] == number
    cites = ("--cite", name, "--cite", f"#{number}")
    ruled = data("ruling", copied, "It counts.", "--uphold", name, *cites, *at)["events"][0]
    assert (ruled["about"], ruled["cites"]) == (number, [f"#{number}"] * 2)
    for option in ("--reject", "--ratify", "--uphold", "--without"):
        assert f"is about #{number}" in wrong("ruling", copied, "No.", option, name, *at)
    assert f"is about #{number}" in wrong("ruling", copied, "No.", "--replace", f"{name}=1,1", *at)
    taken = ok("what-if", copied, "--take-in", f"{name}=Ann go")
    assert taken == ok("what-if", copied, "--take-in", f"{number}=Ann go")
    closed = data("dispute", "close", copied, "1", "It stays.", "--cite", name, *at)
    assert f"#{number}" in closed["events"][0]["cites"]


def test_a_secret_event_is_opened_by_its_number_in_the_log_of_its_player(
    file: str, tmp_path: Path
) -> None:
    seen = next(x for x in data("log", file, "--as", "Ann")["events"] if "bid" in x["told"])
    kept = [x for x in data("log", file, "--admin")["events"] if x["told"] == seen["told"]]
    ok("open", file, f"Ann:{seen['number']}", "-o", str(tmp_path / "one.json"))
    ok("open", file, str(kept[0]["number"]), "-o", str(tmp_path / "two.json"))
    assert (
        json.loads((tmp_path / "one.json").read_text())["event"]
        == json.loads((tmp_path / "two.json").read_text())["event"]
    )


@pytest.mark.parametrize(("written", "said"), [
    ("public:99999", "there is no event public:99999: the last in the public log is #"),
    ("Ann:99999", "there is no event Ann:99999: the last in the log of Ann is #"),
    ("Zoe:3", "'Zoe' numbers no events: write public:N, line:N or PLAYER:N; playing: Ann, Bob"),
    ("line:3", "there is no event line:3: no record was imported into this game"),
    ("17th", "is not an event: write #17"),
    ("public:", "is not an event: write #17"),
])  # fmt: skip
def test_a_wrong_number_is_a_clear_error(file: str, written: str, said: str) -> None:
    assert said in wrong("explain", file, written)


def test_options_say_which_numberings_there_are(file: str) -> None:
    error = wrong("what-if", file, "--without", "the first")
    assert "write #116 (the ledger's), public:264, Ann:17 (as Ann's log has it) or line:41" in error


def test_a_line_of_a_record_is_the_event_that_it_became(season_file: Path) -> None:
    lines = Path("replays/weekly-vote-season.jsonl").read_text().splitlines()
    place = next(i for i, line in enumerate(lines) if '"kind": "land"' in line)
    player = json.loads(lines[place])["player"]
    explained = data("explain", str(season_file), f"line:{place + 1}")
    assert explained["told"].startswith(f"recorded: land (player {player}")
    assert "that line became no event" in wrong("explain", str(season_file), "line:1")
