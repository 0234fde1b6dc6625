"""A hand-kept record of a game of `mail-opening`, two weeks of three players."""

from pathlib import Path
from typing import Any

import pytest
from played_records import PlayedRecord

from nomoledger.game.game import Game

RENT = """
### X.1 Rent

Who lands on a square of another player pays as many dollars as its number.

```yaml
facts:
  rent: {subject: payee, paid: "rent for {square}", value: amount}
```

```python
def after_land(player, square):
    if get(square, "owner") not in (None, player):
        number = get(square, "number")
        hand_over(player, get(square, "owner"), number, "rent for %s" % number)
```
"""
#: Bob rolls a double and rolls again, within the extra turn.
LINES: tuple[dict[str, Any], ...] = (
    {"week": 1, "rules": "rent.md"},
    {"week": 1, "proposal": 1, "by": "Ann", "text": "A tax", "verdict": "rejected"},
    {"week": 1, "kind": "proposal-result", "text": "no to proposal 1"},
    {"week": 1, "kind": "roll", "player": "Ann", "dice": [2, 4]},
    {"week": 1, "kind": "land", "player": "Ann", "square": 9},
    {"week": 1, "kind": "option", "player": "Ann", "square": 9},
    {"week": 1, "kind": "buy", "player": "Ann", "square": 9, "amount": 90},
    {"week": 1, "kind": "name", "player": "Ann", "square": 9, "name": "Inn"},
    {"week": 1, "proposal": 2, "by": "Bob", "text": "Be kind", "verdict": "accepted"},
    {"week": 1, "kind": "roll", "player": "Bob", "dice": [4, 4]},
    {"week": 1, "kind": "land", "player": "Bob", "square": 9},
    {"week": 1, "kind": "rent", "player": "Bob", "square": 9, "amount": 9, "payee": "Ann"},
    {"week": 1, "kind": "roll", "player": "Bob", "dice": [1, 2]},
    {"week": 1, "kind": "land", "player": "Bob", "square": 12},
    {"week": 1, "kind": "option", "player": "Bob", "square": 12},
    {"week": 1, "kind": "decline", "player": "Bob", "square": 12},
    {"week": 1, "kind": "fine", "player": "Cid", "amount": 10, "reason": "late"},
    {"week": 1, "kind": "award", "player": "Cid", "amount": 25, "reason": "a poem"},
    {"week": 1, "kind": "pay", "player": "Bob", "payee": "Cid", "amount": 5, "reason": "thanks"},
    {"week": 1, "kind": "ruling", "text": "Cid's proposal came too late."},
    {"week": 2, "proposal": 3, "by": "Cid", "text": "A zoo", "verdict": "rejected"},
    {"week": 2, "kind": "roll", "player": "Cid", "dice": [3, 6]},
    {"week": 2, "kind": "land", "player": "Cid", "square": 10},
    {"week": 2, "kind": "rent", "player": "Cid", "square": 10, "amount": 10, "payee": "Bob"},
    {"week": 2, "kind": "deal", "buyer": "Cid", "seller": "Bob", "square": 10, "amount": 40},
    {"week": 2, "proposal": 4, "by": "Ann", "text": "A farm", "verdict": "rejected"},
    {"week": 2, "kind": "roll", "player": "Ann", "dice": [1, 1]},
    {"week": 2, "kind": "land", "player": "Ann", "square": 11},
    {"week": 2, "kind": "option", "player": "Ann", "square": 11},
    {"week": 2, "kind": "roll", "player": "Ann", "dice": [5, 4]},
    {"week": 2, "kind": "land", "player": "Ann", "square": 8},
    {"week": 2, "kind": "option", "player": "Ann", "square": 8},
)
RECORD = PlayedRecord(
    header={
        "rulebook": "mail-opening",
        "game": "fragment",
        "parameters": {"squares": 12},
        "opening": {
            "players": {
                "Ann": {"square": 3, "money": 500},
                "Bob": {"square": 1, "money": 300},
                "Cid": {"square": 1, "money": 60},
            },
            "squares": {"10": {"owner": "Bob", "name": "Barn"}},
        },
    },
    lines=LINES,
    rules={"rent.md": RENT},
    altered={
        "roll": {"dice": [5, 4, 3]},
        "land": {"of": {"player": "Bob", "square": 12}, "square": 11},
        "option": {"of": {"player": "Ann", "square": 8}, "square": 7},
        "buy": {"amount": 80},
        "name": {"player": "Bob"},
        "rent": {"amount": 12},
        "decline": {"square": 5},
        "fine": {"player": "Zoe"},
        "award": {"amount": -3},
        "pay": {"payee": "Zoe"},
        "deal": {"square": 9},
    },
    money={"Ann": 419, "Bob": 336, "Cid": 30},
)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The record, imported; nothing may be recorded in it."""
    return RECORD.imported(tmp_path_factory.mktemp("record"))


def test_the_record_replays_exactly(game: Game) -> None:
    RECORD.check_replay(game)
    assert game.world.label(game.world.get("Ann", "square")) == 8


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
