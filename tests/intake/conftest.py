"""A small game under rules that have an account and an action with a text."""

from pathlib import Path

import pytest

from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import parse

RULES = """\
### 1 Players

People join. A player says what the player likes, and gives what the player has.

```yaml
declares: {player: {name: Text, said: Text}}
commodities: {$: {places: 0}}
accounts: [bank]
parameters: {start: 10}
```
```python
def define_join(name: Text):
    player = create("player", {"name": name}, name = name)
    pay("mint", player, start, "a start")

def action_say(player: Player, text: Text):
    set(player, "said", text)

def action_hand_over(player: Player, to: Player, amount: Number):
    pay(player, to, amount, "a gift")
```
"""


@pytest.fixture
def game(tmp_path: Path) -> Game:
    ledger = Ledger.open(tmp_path / "game.db", create=True)
    return open_game(ledger, "desk", parse(RULES, "desk.md"))
