"""A hand-kept record of a game of `origon`, two days of four players."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli.commands import data, ok
from played_records import PlayedRecord

from nomoledger.game import recorded_games as replays
from nomoledger.game.game import Game

GUIDE = "real estate guide"
GIFT = [["Ann", "Cid", "$", 5]]
#: On the first day Ann's proposal is accepted: three dice, of which the highest pair counts.
FIRST_DAY: tuple[dict[str, Any], ...] = (
    {"proposal": 1, "by": "Ann", "text": "A fair", "verdict": "accepted"},
    {"proposal": 2, "by": "Bob", "text": "A moat", "verdict": "rejected"},
    {"kind": "buy", "player": "Cid", "square": 8, "amount": 8, "name": "Eight"},
    {"kind": "buy", "player": "Dee", "square": 10, "amount": 10},
    {"kind": "verdicts"},
    {"kind": "roll", "player": "Ann", "dice": [2, 4, 4]},
    {"kind": "payday", "player": "Ann", "square": 4, "amount": 4},
    {"kind": "payday", "player": "Ann", "square": 8, "amount": 8},
    {"kind": "land", "player": "Ann", "square": 11},
    {"kind": "roll", "player": "Ann", "dice": [1, 2]},
    {"kind": "land", "player": "Ann", "square": 14},
    {"kind": "roll", "player": "Bob", "dice": [3]},
    {"kind": "land", "player": "Bob", "square": 2},
    {"kind": "upgrade", "player": "Cid", "square": 8, "upgrade": "drain", "amount": 3},
    {"kind": "upgrade", "player": "Cid", "square": 8, "upgrade": "warp gate", "price": 3},
    {"kind": "upgrade", "player": "Dee", "square": 10, "upgrade": "warp gate", "price": 2},
    {"kind": "upgrade", "player": "Dee", "square": 10, "upgrade": "savings and loan"},
    {"kind": "deposit", "player": "Dee", "item": "$", "number": 5},
    {"kind": "withdraw", "player": "Dee", "item": "$", "number": 2},
    {"kind": "found-faith", "player": "Bob", "name": "Bobism", "god": "Ann"},
    {"kind": "join-faith", "player": "Cid", "name": "Bobism"},
    {"kind": "fine", "player": "Cid", "amount": 100},
    {"kind": "has", "player": "Dee", "item": GUIDE, "number": 4},
    {"kind": "proposal-result", "text": "one accepted, one rejected"},
)
#: Cid was made to pay more than he had, and gets alms. Dice that are all alike give Bob a bonus.
SECOND_DAY: tuple[dict[str, Any], ...] = (
    {"proposal": 3, "by": "Cid", "text": "A well", "verdict": "rejected"},
    {"proposal": 4, "by": "Bob", "text": "A mill", "verdict": "accepted"},
    {"kind": "buy", "player": "Ann", "square": 14, "amount": 14, "name": "Far"},
    {"kind": "verdicts"},
    {"kind": "alms", "player": "Cid", "amount": 2},
    {"kind": "roll", "player": "Cid", "dice": [5]},
    {"kind": "land", "player": "Cid", "square": 3},
    {"kind": "roll", "player": "Bob", "dice": [2, 2, 2]},
    {"kind": "bonus", "player": "Bob", "amount": 6},
    {"kind": "payday", "player": "Bob", "square": 4, "amount": 4},
    {"kind": "land", "player": "Bob", "square": 6},
    {"kind": "roll", "player": "Bob", "dice": [1, 1]},
    {"kind": "payday", "player": "Bob", "square": 8, "amount": 8},
    {"kind": "land", "player": "Bob", "square": 8},
    {"kind": "drains", "player": "Bob", "square": 8, "payee": "Cid", "amount": 1},
    {"kind": "roll", "player": "Bob", "dice": [2, 3]},
    {"kind": "land", "player": "Bob", "square": 13},
    {"kind": "sell", "player": "Ann", "square": 14, "amount": 13},
    {"kind": "fine", "player": "Bob", "amount": 3},
    {"kind": "annex", "player": "Dee"},
    {"kind": "board-growth", "board_size": 15},
    {"kind": "gate-price", "player": "Cid", "square": 8, "price": 4},
    {"kind": "warp", "player": "Dee", "square": 8},
    {"kind": "land", "player": "Dee", "square": 8},
    {"kind": "drains", "player": "Dee", "square": 8, "payee": "Cid", "amount": 1},
    {"kind": "sentence", "player": "Ann", "days": 1, "reason": "a loophole"},
    {"kind": "land", "player": "Ann", "square": "Tyrethali's Inferno"},
    {"kind": "bail", "player": "Ann"},
    {"kind": "land", "player": "Ann", "square": 14},
    {"kind": "trade", "player": "Ann", "items": GIFT},
    {"kind": "trade", "player": "Cid", "items": GIFT},
    {"kind": "leave-faith", "player": "Cid"},
    {"kind": "heaven", "player": "Bob"},
    {"kind": "land", "player": "Bob", "square": "Heaven"},
    {"kind": "has", "player": "Cid", "item": "$", "number": 13},
    {"kind": "ruling", "text": "Names are kept as they came."},
)
LINES = (*({"day": 1} | line for line in FIRST_DAY), *({"day": 2} | line for line in SECOND_DAY))
RECORD = PlayedRecord(
    header={
        "rulebook": "origon",
        "game": "fragment",
        "days": 1,
        "opening": {
            "players": {
                "Ann": {"square": 3, "money": 40, "items": {GUIDE: 2}},
                "Bob": {"square": 5, "money": 30},
                "Cid": {"square": 8, "money": 30, "items": {GUIDE: 1}},
                "Dee": {"square": 10, "money": 40, "items": {GUIDE: 5}},
            },
        },
    },
    lines=LINES,
    rules={},
    altered={
        "buy": {"of": {"player": "Dee"}, "amount": 11},
        "verdicts": {"kind": "verdict"},
        "roll": {"of": {"player": "Ann", "dice": [1, 2]}, "dice": [1, 2, 5]},
        "payday": {"of": {"player": "Bob", "square": 8}, "amount": 9},
        "land": {"of": {"player": "Bob", "square": 13}, "square": 12},
        "upgrade": {"of": {"upgrade": "drain"}, "amount": 2},
        "deposit": {"number": 500},
        "withdraw": {"number": 6},
        "found-faith": {"name": "Bob"},
        "join-faith": {"name": "Annism"},
        "fine": {"player": "Zoe"},
        "has": {"number": 14},
        "alms": {"amount": 3},
        "bonus": {"amount": 5},
        "drains": {"amount": 2},
        "sell": {"amount": 12},
        "annex": {"player": "Ann"},
        "board-growth": {"board_size": 16},
        "gate-price": {"player": "Bob"},
        "warp": {"square": 7},
        "sentence": {"days": 4},
        "bail": {"player": "Bob"},
        "trade": {"player": "Bob"},
        "leave-faith": {"player": "Ann"},
        "heaven": {"player": "Dee"},
    },
    money={"Ann": 26, "Bob": 29, "Cid": 13, "Dee": 16},
)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The record, imported; nothing may be recorded in it."""
    return RECORD.imported(tmp_path_factory.mktemp("record"))


def test_the_record_replays_exactly(game: Game) -> None:
    RECORD.check_replay(game)
    assert game.world.label(game.world.get("Bob", "square")) == "Heaven"
    assert [game.world.balance(p, GUIDE) for p in RECORD.money] == [1, 1, 0, 1]


def test_the_record_has_facts_of_every_kind() -> None:
    RECORD.check_kinds("excerpt-ends", "period-begins")  # a note, and what the import adds


def test_altered_facts_of_all_kinds_are_reported_at_their_lines(tmp_path: Path) -> None:
    RECORD.check_altered(tmp_path, *RECORD.altered)


@pytest.mark.slow
@pytest.mark.parametrize("kind", RECORD.altered)
def test_an_altered_fact_is_reported_at_its_line(tmp_path: Path, kind: str) -> None:
    RECORD.check_altered(tmp_path, kind)


def test_the_record_as_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RECORD.check_table()


def test_the_real_week_as_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    header, *lines = map(json.loads, replays.find("origon-week1").read_text("utf-8").splitlines())
    shutil.copytree(replays.folder() / "origon-week1", "origon-week1")
    for line in lines:
        line.pop("note", None)  # a table has one column of words
    real = PlayedRecord(header, lines, {}, {}, {})
    real.write_table("week.csv")
    ok("import", "g.db", "week.csv")
    report = data("replay", "g.db", "--period", "1")
    assert (report["exact"], report["compared"], report["omitted"]) == (True, 7, [])
