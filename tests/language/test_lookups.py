"""The verbs alike, highest, count_all and lowest_free."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nomoledger.events.levels import NEWEST
from nomoledger.game.game import Game
from nomoledger.game.read_models import ask_rules
from nomoledger.game.start import open_game
from nomoledger.language.host_verbs import host_verbs_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import parse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULES = """---
rulebook: lookups
---

## 1. Things

### 1.1 Joining

Who asks becomes a player.

```yaml
declares:
  player: {name: Text key}
  house: {number: Number key}
```

```python
def define_join(name: Text) -> Player:
    return create("player", {"name": name}, name)

def action_build(player: Player, number: Number):
    \"\"\"Build a house.\"\"\"
    create("house", {"number": number})

def action_raze(player: Player, house: House):
    \"\"\"Raze a house.\"\"\"
    destroy(house)

def value_called(name: Text) -> List:
    return alike("player", "name", name)

def value_players() -> List:
    return all("player") + all("nothing")

def value_numbers() -> List:
    return [count_all("house"), highest("house", "number"), lowest_free("house", "number")]
```
"""


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    with Ledger.open(tmp_path / "g.db", create=True) as ledger:
        game = open_game(ledger, "g", parse(RULES, "lookups.md"), at=NOON, secret=b"s" * 32)
        for name in ("Ann", "Bob"):
            game.join(name, at=NOON)
        yield game


def numbers(game: Game) -> object:
    found = ask_rules(game.world, "numbers", [()])
    return None if found is None else found[0]


def test_alike_finds_things_whatever_the_letters(game: Game) -> None:
    assert ask_rules(game.world, "called", [("ANN",), ("bob",), ("Cy",)]) == [["Ann"], ["Bob"], []]


def test_without_things_the_first_number_is_free(game: Game) -> None:
    assert numbers(game) == [0, 0, 1]


def test_numbers_follow_what_is_built_and_razed(game: Game) -> None:
    for number in (1, 2, 3, 7):
        game.submit("Ann", "build", {"number": number}, at=NOON)
    assert numbers(game) == [4, 7, 4]
    game.submit("Ann", "raze", {"house": 7}, at=NOON)
    game.submit("Ann", "raze", {"house": 2}, at=NOON)
    assert numbers(game) == [2, 3, 2]


def test_games_of_earlier_levels_do_not_have_them() -> None:
    names = {"alike", "highest", "count_all", "lowest_free"}
    assert names <= set(host_verbs_of(NEWEST))
    assert not names & set(host_verbs_of(2))


def test_all_lists_things_oldest_first_whatever_they_are_called(game: Game) -> None:
    assert ask_rules(game.world, "players", [()]) == [["Ann", "Bob"]]
    game.world.kinds["player"] = ("Ann", "two\nlines", "Bob")
    assert ask_rules(game.world, "players", [()]) == [["Ann", "two\nlines", "Bob"]]
