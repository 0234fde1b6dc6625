"""How things would stand if the period were closed now: shown, never recorded."""

from pathlib import Path

import pytest
from cli.commands import ok

from nomoledger import Ledger, open_game
from nomoledger import events as e
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


ROLLING = """### 1 Everything
```yaml
declares: {player: {name: Text key, bid: Number, luck: Number}}
commodities: {"$": {places: 0}}
secret: [bid]
```
```python
def define_join(name: Text):
    create("player", {"name": name}, name)
    mint(name, 100)

def action_bid(player: Player, amount: Number):
    set(player, "bid", amount)

def define_close_period():
    for player in all("player"):
        set(player, "luck", roll(1, 1000, "luck " + get(player, "name"))[0])
        if get(player, "bid") != None:
            pay(player, "mint", get(player, "bid"))
```
"""


@pytest.fixture
def rolling(tmp_path: Path) -> Game:
    desk = open_game(Ledger.open(tmp_path / "g.db", create=True), "g", parse(ROLLING, "rolling.md"))
    for name in ("Ann", "Bob"):
        desk.join(name)
    return desk


def test_a_provisional_reading_is_the_same_each_time_and_says_which_dice_it_assumed(
    rolling: Game,
) -> None:
    first, second = (provisional(rolling.ledger, "g", "state") for _ in range(2))
    assert first == second
    assert [each.dealt for each in first.asked] == ["rolled", "rolled"]
    luck = [first.model["players"][name]["luck"] for name in ("Ann", "Bob")]
    assert [each.value for each in first.asked] == [[value] for value in luck]
    rolling.close()
    real = [rolling.world.get(name, "luck") for name in ("Ann", "Bob")]
    assert luck != real


def test_a_provisional_reading_leaves_out_what_is_sealed(rolling: Game) -> None:
    before = provisional(rolling.ledger, "g", "state")
    rolling.submit("Ann", "bid", {"amount": 60})
    rolling.order("Bob", "closing()", (e.Act("bid", {"amount": 70}),))
    assert provisional(rolling.ledger, "g", "state") == before
    rolling.close()
    assert rolling.world.balance("Ann", "$") == 40


def test_the_command_marks_what_it_assumed(rolling: Game) -> None:
    output = ok("provisional", rolling.ledger.store.location, "balances")
    assert output.splitlines()[1] == "  assumed: nothing that is sealed happens"
    assert "  assumed: roll 1d1000 (luck Ann) gives " in output
    assert ok("provisional", rolling.ledger.store.location, "balances") == output
