"""A game of fines, and changes proposed in it."""

from datetime import UTC, datetime
from typing import Any

from click.testing import CliRunner, Result

from nomoledger.cli import program
from nomoledger.events.rules import Change
from nomoledger.game.game import Game
from nomoledger.game.proposal_check import ProposalCheck
from nomoledger.rulebook.changes import read_changes

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
BOOK = """---
rulebook: fines
api: 0
---
### I.1 Players

Ann, Bob and Cal play.

```yaml
declares: {player: {name: Text key}}
commodities: {"$": {places: 0}}
```
```python
def on_enact():
    for name in ["Ann", "Bob", "Cal"]:
        create("player", {"name": name}, name)
        mint(name, 100)
```

### I.2 Fines

A fine is ten dollars, and never more than 1,000 dollars.

```yaml
parameters: {amount: {value: 10, unit: dollars}, most: 1000, word: fine, weekdays: [Mon, Tue]}
```
```python
def value_fine() -> Number:
    return min(amount, most)

def define_pay_fine(player: Player):
    pay(player, "mint", fine(), word)
```

### I.3 Being late

Who is late pays a fine.

```python
def action_be_late(player: Player):
    pay_fine(player)
```

### II.1 Proposals

The admin decides on proposals. Votes are secret.

```yaml
declares: {proposal: {number: Number key, state: Text}}
secret: [vote]
```
```python
def define_propose(player: Player, proposal: Number):
    create("proposal", {"number": proposal, "state": "open"})

def define_vote(player: Player, proposal: Proposal, choice: Text):
    if choice == "maybe":
        refuse("say yes or no")

def define_judge(proposal: Proposal, verdict: Text):
    set(proposal, "state", verdict)
    if verdict == "accepted":
        adopt(get(proposal, "number"))
```
"""
CASES = """
rulebook: fines
cases:
- case: Ann is late
  cites: [I.3]
  steps: [{by: Ann, do: be_late}]
  then: {players: {Ann: {money: 90}}}
- case: Bob is late, and this case is wrong
  cites: [I.3]
  steps: [{by: Bob, do: be_late}]
  then: {players: {Bob: {money: 1}}}
- case: nobody is late
  then: {players: {Ann: {money: 100}}}
"""


def changes(*data: Any) -> tuple[Change, ...]:
    return read_changes(list(data))


def amend(number: str, **fields: Any) -> dict[str, Any]:
    return {"amend": number, **fields}


def enact(number: str, code: str, **fields: Any) -> dict[str, Any]:
    return {"enact": {"number": number, "title": "New", "prose": "New.", "code": code, **fields}}


def check(game: Game, *data: Any) -> ProposalCheck:
    return game.check_proposal(changes(*data))


def command(*words: str) -> Result:
    return CliRunner().invoke(program, list(words))
