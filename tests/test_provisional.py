"""How things would stand if the period were closed now: shown, never recorded."""

from pathlib import Path

import pytest

from nomoledger import Ledger, load_rulebook, open_game
from nomoledger.game.game import Game
from nomoledger.game.provisional_state import provisional
from nomoledger.rulebook.loading import parse

ASKING = """### 1 Everything
```yaml
declares: {player: {name: Text key, mark: Text}}
commodities: {"$": {places: 0}}
```
```python
def define_join(name: Text):
    create("player", {"name": name}, name)
    mint(name, 100)

def action_wonder(player: Player):
    set(player, "mark", ask(player, "Well?", ["yes", "no"], "no"))

def action_insist(player: Player):
    set(player, "mark", ask(player, "Well?", ["yes", "no"]))

def define_close_period():
    for player in all("player"):
        pay(player, "mint", 1 if get(player, "mark") == "no" else 10)
```
"""


def desk_of(path: Path) -> Game:
    desk = open_game(Ledger.open(path, create=True), "g", parse(ASKING, "asking.md"))
    for name in ("Ann", "Bob"):
        desk.join(name)
    return desk


@pytest.mark.parametrize(
    ("action", "dealt", "mark", "money"),
    [("wonder", "default", "no", 99), ("insist", "skipped", None, 90)],
)
def test_a_provisional_reading_answers_open_questions_by_default(
    tmp_path: Path, action: str, dealt: str, mark: str | None, money: int
) -> None:
    desk = desk_of(tmp_path / "g.db")
    desk.submit("Ann", action)
    before = desk.ledger.head("g")
    found = provisional(desk.ledger, "g", "state")
    assert [(each.text, each.dealt) for each in found.asked] == [("Well?", dealt)]
    ann = found.model["players"]["Ann"]
    assert (ann["mark"], ann["money"]) == (mark, money)
    assert found.model["players"]["Bob"]["money"] == 90
    assert desk.ledger.head("g") == before


def test_a_provisional_reading_does_not_reveal_dice(tmp_path: Path) -> None:
    desk = open_game(
        Ledger.open(tmp_path / "g.db", create=True), "g", load_rulebook("mail-opening")
    )
    desk.join("Ann", {"email": "ann@example.org"})
    desk.propose("Ann", "Nothing", ())
    shown = {str(provisional(desk.ledger, "g", "board").model) for _ in range(3)}
    assert len(shown) == 1  # nothing is due, so nothing is rolled
