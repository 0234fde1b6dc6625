"""A player who gets another name is still one player: one row, and one log."""

from datetime import UTC, datetime

import pytest

from nomoledger.game.event_filter import EventChoice, EventFilter, NamesOfEvents
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView, Table, projection
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.rulebook.loading import parse

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
RULES = """### I.1 Names
Words.
```yaml
declares:
  player: {name: Text key}
commodities: {"$": {places: 0}}
```
```python
def define_join(name: Text) -> Player:
    return create("player", {"name": name}, name)

def action_take_name(player: Player, name: Text):
    set(player, "name", name)

def action_earn(player: Player):
    pay("admin", player, 5, "work")
```
"""


@pytest.fixture
def game() -> Game:
    """Ann earns in week 1, and is called Zoe from week 2 on; Bob only watches."""
    game = open_game(Ledger(MemoryStore()), "g", parse(RULES, "names.md"), at=NOON)
    for name in ("Ann", "Bob"):
        game.join(name, at=NOON)
    game.submit("Ann", "earn", {}, at=NOON)
    game.close(at=NOON)
    game.submit("Ann", "take_name", {"name": "Zoe"}, at=NOON)
    game.submit("Zoe", "earn", {}, at=NOON)
    game.close(at=NOON)
    return game


@pytest.mark.parametrize("name", ["standings_by_period", "standings_history"])
def test_a_renamed_player_has_one_row_in_all_periods(game: Game, name: str) -> None:
    (table,) = projection(name)(LedgerView(game.ledger, "g")).show()
    assert isinstance(table, Table)
    assert [(row[0], row[1], row[2]) for row in table.rows] == [
        ("Zoe (before: Ann)", "5 (1)", "10 (1)"),
        ("Bob", "0 (2)", "0 (2)"),
    ]


@pytest.mark.parametrize("name", ["Ann", "Zoe"])
def test_the_log_of_a_renamed_player_is_found_by_every_name(game: Game, name: str) -> None:
    view = LedgerView(game.ledger, "g")
    known = NamesOfEvents("g", view.world, view.entries())
    wanted = EventFilter(EventChoice(players=(name,)), known)
    asked = [
        getattr(entry.body, "action", "")
        for entry in view.entries()
        if wanted.wants(entry.body, view.world)
    ]
    assert [action for action in asked if action] == ["earn", "take_name", "earn"]
