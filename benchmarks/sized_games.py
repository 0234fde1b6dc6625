"""Games of a size: many players, squares, proposals or events, made by real requests."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import Rulebook, load, parse

GAME = "sized"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32
#: How many requests a period of the game with many events has.
REQUESTS = 300
PLAYERS = tuple(f"P{number}" for number in range(12))
#: A game of payments, in which a request makes three events.
PAYING = """---
rulebook: paying
---

## 1. Paying

### 1.1 Joining

Who asks becomes a player, and has 1000 dollars.

```yaml
declares:
  player: {name: Text key}
commodities: {"$": {}}
```

```python
def define_join(name: Text) -> Player:
    player = create("player", {"name": name}, name)
    mint(player, 1000, "to begin with")
    return player
```

### 1.2 Paying

A player may give money to another.

```python
def action_hand(player: Player, other: Player, amount: Number):
    \"\"\"Give money to another player.\"\"\"
    pay(player, other, amount, "gift")

def forbid_hand(player, other, amount):
    if amount <= 0 or balance(player) < amount:
        return "one can give no more than one has"
```
"""


def crowd(ledger: Ledger, players: int) -> Game:
    """Open a game of mail-opening with so many *players*, and close its first period."""
    given = {f"P{n}": {"email": f"p{n}@example.org", "square": 1} for n in range(players)}
    rulebook = load("mail-opening")
    game = open_game(ledger, GAME, rulebook, at=NOON, given={"players": given}, secret=SECRET)
    return _ended(game)


def board(ledger: Ledger, squares: int) -> Game:
    """Open a game of mail-opening with so many *squares*, and close its first period."""
    settings = {"squares": squares}
    rulebook = load("mail-opening")
    game = open_game(ledger, GAME, rulebook, at=NOON, settings=settings, secret=SECRET)
    _join(game)
    return _ended(game)


def talk(ledger: Ledger, proposals: int) -> Game:
    """Open a game of mail-opening with so many *proposals*, and close its first period."""
    game = open_game(ledger, GAME, load("mail-opening"), at=NOON, secret=SECRET)
    _join(game)
    for number in range(proposals):
        game.propose(PLAYERS[number % len(PLAYERS)], f"Idea {number}.", words_only=True, at=NOON)
    return _ended(game)


def long(ledger: Ledger, events: int) -> Game:
    """Open a game of payments with about so many *events* in weekly periods."""
    return open_game(
        ledger, GAME, paying(), at=NOON, secret=SECRET, then=partial(_payments, events=events)
    )


def paying() -> Rulebook:
    """Return the rulebook of the game of payments."""
    return parse(PAYING, "paying.md")


def one_more_period(game: Game) -> None:
    """Play one more period of a game of payments, and close it."""
    at = datetime.fromtimestamp(game.world.game["now"], UTC)
    for number in range(REQUESTS):
        arguments = {"other": PLAYERS[(number + 1) % len(PLAYERS)], "amount": 1}
        game.submit(PLAYERS[number % len(PLAYERS)], "hand", arguments, at=at)
    game.close(at=at + timedelta(days=7))


#: What makes a game of each kind, and what its size counts.
KINDS: dict[str, tuple[Callable[[Ledger, int], Game], str]] = {
    "crowd": (crowd, "players"),
    "board": (board, "squares"),
    "talk": (talk, "proposals"),
    "long": (long, "events"),
}


def _join(game: Game) -> None:
    for name in PLAYERS:
        game.join(name, {"email": f"{name}@example.org"}, at=NOON)


def _ended(game: Game) -> Game:
    game.close(at=NOON + timedelta(days=7))
    return game


def _payments(engine: Engine, events: int) -> Iterator[Batch]:
    """Yield the batches of a game of payments. This runs in a sandbox."""
    at, count, number = NOON, 0, 0

    def fields() -> dict[str, object]:
        common = {"received_at": at, "recorded_at": at, "period": engine.world.period}
        return common | {"id": f"request {number}"}

    for name in PLAYERS:
        number += 1
        yield from engine.process(e.JoinRequested(name=name, details={}, **fields()))
    while count < events:
        for _ in range(REQUESTS):
            number += 1
            arguments = {"other": PLAYERS[(number + 1) % len(PLAYERS)], "amount": 1}
            request = e.SubmissionReceived(
                by=PLAYERS[number % len(PLAYERS)], action="hand", arguments=arguments, **fields()
            )
            for batch in engine.process(request):
                count += len(batch)
                yield batch
        number, at = number + 1, at + timedelta(days=7)
        for batch in engine.process(e.CloseAsked(**fields())):
            count += len(batch)
            yield batch


def main(file: str, kind: str = "", size: str = "0") -> None:
    """Make a game, or play on."""
    with Ledger.open(file, create=bool(kind)) as ledger:
        if kind:
            KINDS[kind][0](ledger, int(size))
        else:
            one_more_period(Game(ledger))
