"""A hand-kept record of a game of `nomopoly-iii`, six days of five players, with times."""

from pathlib import Path
from typing import Any

import pytest
from played_records import PlayedRecord

from nomoledger.game.game import Game

MONSTER = "Summon Dark Cookie Monster"
#: Ann and Bob pass the last square: each gets a salary, and the board grows.
FIRST_DAY: tuple[dict[str, Any], ...] = (
    {"at": "08:00", "kind": "roll", "player": "Ann", "dice": [3, 2]},
    {"kind": "salary", "player": "Ann", "amount": 100},
    {"kind": "board-growth", "board_size": 21},
    {"kind": "land", "player": "Ann", "square": 3},
    {"kind": "buy", "player": "Ann", "square": 3, "name": "Tri", "amount": 150},
    {"kind": "trade-mitts", "player": "Ann"},
    {"kind": "has", "player": "Ann", "item": "oven mitt", "number": 2},
    {"at": "08:30", "kind": "add-spell", "player": "Ann", "spell": MONSTER},
    {"kind": "cast", "player": "Ann", "spell": MONSTER, "number": 1, "square": 13},
    {"at": "08:40", "kind": "add-spell", "player": "Dee", "spell": MONSTER},
    {"kind": "cast", "player": "Dee", "spell": MONSTER, "number": 1, "square": 13},
    {"at": "08:50", "proposal": 1, "by": "Ann", "text": "Peace", "verdict": None},
    {"kind": "vote", "player": "Ann", "number": 1, "choice": "yes"},
    {"kind": "vote", "player": "Bob", "number": 1, "choice": "yes"},
    {"kind": "vote", "player": "Cid", "number": 1, "choice": "no"},
    {"proposal": 2, "by": "Bob", "text": "War", "verdict": None},
    {"kind": "retract", "player": "Bob", "number": 2},
    {"proposal": 3, "by": "Cid", "text": "A paradox", "verdict": None},
    {"kind": "vote", "player": "Cid", "number": 3, "choice": "yes"},
    {"at": "10:00", "kind": "roll", "player": "Bob", "dice": [1, 3]},
    {"kind": "salary", "player": "Bob", "amount": 100},
    {"kind": "board-growth", "board_size": 22},
    {"kind": "land", "player": "Bob", "square": 2},
    {"at": "10:30", "kind": "add-spell", "player": "Bob", "spell": "Ignite"},
    {"kind": "cast", "player": "Bob", "spell": "Ignite", "item": "oven mitt"},
    {"at": "11:00", "kind": "throw-fireball", "player": "Bob", "direction": "forwards"},
    {"kind": "has", "player": "Ann", "item": "hit points", "number": 35},
    {"at": "12:00", "kind": "roll", "player": "Cid", "dice": [1, 4]},
    {"kind": "land", "player": "Cid", "square": 10},
    {"kind": "bake-dark-cookie", "player": "Cid"},
    {"kind": "throw", "player": "Cid", "item": "dark cookie", "target": "Dee"},
    {"kind": "buy-item", "player": "Dee", "item": "healing salve"},
    {"kind": "use-item", "player": "Dee", "item": "healing salve"},
    {"kind": "has", "player": "Dee", "item": "hit points", "number": 50},
    {"kind": "add-spell", "player": "Cid", "spell": "Teleport"},
    {"kind": "cast", "player": "Cid", "spell": "Teleport", "number": 3, "dice": [5]},
    {"kind": "land", "player": "Cid", "square": 13},
    {"at": "13:00", "kind": "bake-light-cookie", "player": "Eve"},
    {"kind": "summon-tenshi", "player": "Eve"},
    {"kind": "buy-light-cookie", "player": "Eve"},
    {"kind": "rename", "player": "Ann", "square": 3, "name": "Trio"},
    {"kind": "sign-in", "player": "Dee"},
)
LATER: tuple[dict[str, Any], ...] = (
    {"day": 2, "at": "09:00", "kind": "pause", "reason": "the server is slow"},
    {"day": 2, "kind": "suggest", "player": "Ann", "text": "Another server"},
    {"day": 2, "kind": "unpause"},
    {"day": 2, "at": "11:00", "kind": "add-spell", "player": "Bob", "spell": "Summon Cookie"},
    {"day": 2, "kind": "cast", "player": "Bob", "spell": "Summon Cookie"},
    {"day": 2, "kind": "choose-cookie", "player": "Bob", "cookie": "light cookie"},
    {"day": 2, "kind": "delete-spell", "player": "Bob", "spell": "Ignite"},
    {"day": 2, "kind": "order-spells", "player": "Bob", "spells": ["Summon Cookie"]},
    {"day": 3, "at": "2001-03-07T15:30", "kind": "roll", "player": "Eve", "dice": [4, 1]},
    {"day": 3, "kind": "salary", "player": "Eve", "amount": 100},
    {"day": 3, "kind": "board-growth", "board_size": 23},
    {"day": 3, "kind": "land", "player": "Eve", "square": 3},
    {"day": 3, "kind": "rent", "player": "Eve", "square": 3, "payee": "Ann", "amount": 30},
    {"day": 4, "at": "09:00", "kind": "move-monster", "player": "Ann", "monster": 1, "steps": 2},
    {"day": 4, "kind": "feed", "player": "Cid", "monster": 2, "cookie": "dark cookie"},
    {"day": 4, "kind": "breathe", "player": "Dee", "monster": 2, "target": "Cid"},
    {"day": 4, "kind": "has", "player": "Cid", "item": "hit points", "number": 40},
    {"day": 6, "at": "10:00", "kind": "overdue-turn", "player": "Bob", "dice": [1, 1]},
    {"day": 6, "kind": "land", "player": "Bob", "square": 4},
    {"day": 6, "kind": "fine", "player": "Bob", "amount": 100},
    {"day": 6, "kind": "level", "player": "Bob", "level": 1},
    {"day": 6, "kind": "has", "player": "Bob", "item": "light cookie", "number": 1},
    {"day": 6, "kind": "result", "number": 1, "status": "Pending"},
    {"day": 6, "kind": "implement", "number": 1},
    {"day": 6, "kind": "result", "number": 1, "status": "Dead"},
    {"day": 6, "kind": "refuse-proposal", "number": 3, "reason": "a paradox"},
    {"day": 6, "kind": "result", "number": 3, "status": "Dead"},
    {"day": 6, "at": "12:00", "kind": "overdue-turn", "player": "Cid", "dice": [2, 2]},
    {"day": 6, "kind": "land", "player": "Cid", "square": 17},
    {"day": 6, "kind": "fine", "player": "Cid", "amount": 100},
    {"day": 6, "at": "13:30", "kind": "summon-akuma", "player": "Eve"},
    {"day": 6, "kind": "buy-dark-cookie", "player": "Eve"},
    {"day": 6, "kind": "expel", "player": "Dee", "reason": "rude again and again"},
    {"day": 6, "kind": "proposal-result", "text": "one of two is carried out"},
    {"day": 6, "kind": "ruling", "text": "A salary is paid once a week."},
)
LINES = (*({"day": 1} | line for line in FIRST_DAY), *LATER)
RECORD = PlayedRecord(
    header={
        "rulebook": "nomopoly-iii",
        "game": "fragment",
        "start": "2001-03-05",
        "days": 1,
        "opening": {
            "players": {
                "Ann": {"square": 18, "items": {"oven mitt": 8, "dark cookie": 1}},
                "Bob": {"square": 19, "items": {"oven mitt": 4}},
                "Cid": {"square": 5, "items": {"oven mitt": 1, "dark cookie": 1}},
                "Dee": {"square": 16, "items": {"dark cookie": 1}},
                "Eve": {
                    "square": 20,
                    "items": {"oven mitt": 1, "light cookie": 9, "dark cookie": 10},
                },
            },
        },
    },
    lines=LINES,
    rules={},
    altered={
        "roll": {"of": {"player": "Bob"}, "dice": [1, 3, 3]},
        "salary": {"of": {"player": "Ann"}, "amount": 200},
        "board-growth": {"of": {"board_size": 22}, "board_size": 23},
        "land": {"of": {"player": "Bob", "square": 4}, "square": 5},
        "buy": {"amount": 160},
        "trade-mitts": {"player": "Cid"},
        "has": {"of": {"player": "Dee"}, "number": 49},
        "add-spell": {"of": {"player": "Cid"}, "spell": "Telepathy"},
        "cast": {"of": {"player": "Dee"}, "number": 2},
        "vote": {"of": {"number": 3}, "choice": "perhaps"},
        "retract": {"player": "Ann"},
        "throw-fireball": {"direction": "upwards"},
        "bake-dark-cookie": {"player": "Bob"},
        "throw": {"target": "Ann"},
        "buy-item": {"item": "ankh"},
        "use-item": {"item": "paper"},
        "bake-light-cookie": {"player": "Ann"},
        "summon-tenshi": {"player": "Bob"},
        "buy-light-cookie": {"player": "Bob"},
        "rename": {"player": "Bob"},
        "sign-in": {"player": "Zoe"},
        "pause": {"admin": "Ann"},
        "suggest": {"player": "Zoe"},
        "unpause": {"admin": "Ann"},
        "choose-cookie": {"cookie": "brown cookie"},
        "delete-spell": {"spell": "Teleport"},
        "order-spells": {"spells": ["Ignite"]},
        "rent": {"amount": 40},
        "move-monster": {"steps": 7},
        "feed": {"player": "Bob"},
        "breathe": {"target": "Ann"},
        "overdue-turn": {"of": {"player": "Bob"}, "dice": [1, 1, 1]},
        "fine": {"of": {"player": "Bob"}, "amount": 50},
        "level": {"level": 2},
        "result": {"of": {"status": "Pending"}, "status": "Dead"},
        "implement": {"number": 2},
        "refuse-proposal": {"number": 2},
        "summon-akuma": {"player": "Bob"},
        "buy-dark-cookie": {"player": "Ann"},
        "expel": {"admin": "Ann"},
    },
    money={"Ann": 9980, "Bob": 10000, "Cid": 9825, "Dee": 9900, "Eve": 9170},
)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The record, imported; nothing may be recorded in it."""
    return RECORD.imported(tmp_path_factory.mktemp("record"))


def test_the_record_replays_exactly(game: Game) -> None:
    RECORD.check_replay(game)


def test_the_record_has_facts_of_every_kind() -> None:
    RECORD.check_kinds("excerpt-ends")


def test_altered_facts_of_all_kinds_are_reported_at_their_lines(tmp_path: Path) -> None:
    RECORD.check_altered(tmp_path, *RECORD.altered)


@pytest.mark.slow
@pytest.mark.parametrize("kind", RECORD.altered)
def test_an_altered_fact_is_reported_at_its_line(tmp_path: Path, kind: str) -> None:
    RECORD.check_altered(tmp_path, kind)


def test_the_record_as_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RECORD.check_table()
