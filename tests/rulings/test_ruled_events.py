"""What a ruling changed, event by event: what was recorded, and what it would have been."""

from datetime import UTC, datetime
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.game.ruled_events import RuledEvent, ruled_events
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.rulebook.loading import parse

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
#: Whoever rolls goes on, pays the owner of the square, or gets the square if nobody owns it.
RACE = """### I.1 Race
Words.
```yaml
declares:
  player: {name: Text key, square: Square, luck: Number}
  square: {number: Number key, owner: Player}
commodities: {"$": {places: 0}}
told:
  player.luck: ""
```
```python
def on_enact():
    for n in range(1, 13):
        create("square", {"number": n})

def define_join(name: Text) -> Player:
    return create("player", {"name": name, "square": find("square", 1)}, name)

def after_join(player):
    pay("admin", player, 100, "start")

def action_go(player: Player):
    set(player, "luck", 7)
    steps = roll(1, 6)[0]
    square = find("square", get(get(player, "square"), "number") + steps)
    set(player, "square", square)
    owner = get(square, "owner")
    if owner == None:
        set(square, "owner", player)
    elif owner != player:
        pay(player, owner, 3 * get(square, "number"), "rent")
```
"""


@pytest.fixture
def game() -> Game:
    """Ann goes to 4, Bob follows and pays her; Cid goes to 2, Ann to 7."""
    ledger = Ledger(MemoryStore())
    game = open_game(ledger, "g", parse(RACE, "race.md"), at=NOON, dice_from="entered")
    for name in ("Ann", "Bob", "Cid"):
        game.join(name, at=NOON, id=name)
    for name, die in (("Ann", 3), ("Bob", 3), ("Cid", 1), ("Ann", 3)):
        game.submit(name, "go", {}, at=NOON)
        game.enter_dice([die], at=NOON, id=f"{name} rolls {game.world.head}")
    return game


def changed_by(game: Game, number: int) -> list[RuledEvent]:
    changed = ruled_events(list(game.ledger.read("g")), number)
    assert changed is not None
    return list(changed)


def rolls_of(game: Game) -> list[int]:
    return [x.number for x in game.ledger.read("g") if isinstance(x.body, e.DrawEntered)]


def replace_roll(game: Game, place: int, die: int, **fields: Any) -> None:
    edits = (e.Replaced(event=rolls_of(game)[place], value=[die]),)
    game.rule_on("replace", "it was another", edits=edits, settle="all", at=NOON, **fields)


def lines(changed: list[RuledEvent]) -> list[str]:
    return [f"{event.recorded} → {event.otherwise}" for event in changed]


def test_a_payment_that_would_not_have_been_says_so_of_the_payer(game: Game) -> None:
    replace_roll(game, 1, 4)
    assert lines(changed_by(game, 1)) == [
        "square of Bob becomes 4 → square of Bob becomes 5",
        "Bob paid Ann $12 (rent) → Bob would have paid nobody",
        "nothing → Bob now owns square 5",
    ]


def test_a_payment_that_would_have_been_is_told_too(game: Game) -> None:
    replace_roll(game, 2, 3)
    assert "Cid paid nobody → Cid would have paid Ann $12 (rent)" in lines(changed_by(game, 1))


def test_a_payment_to_somebody_else_or_of_another_amount_is_one_line(game: Game) -> None:
    replace_roll(game, 0, 1)  # Ann goes to 2, so Bob owns 4, Cid pays Ann on 2, and Ann goes to 5
    told = lines(changed_by(game, 1))
    assert "Bob paid Ann $12 (rent) → Bob would have paid nobody" in told
    assert "Cid paid nobody → Cid would have paid Ann $6 (rent)" in told
    assert not [line for line in told if "luck" in line]  # The rules do not mention it.


def test_each_line_names_its_recorded_event(game: Game) -> None:
    replace_roll(game, 1, 4)
    bodies = {entry.number: entry.body for entry in game.ledger.read("g")}
    moved, paid, owned = changed_by(game, 1)
    assert isinstance(bodies[moved.event or 0], e.AttributeSet)
    assert isinstance(bodies[paid.event or 0], e.Posted)
    assert owned.event == rolls_of(game)[1]  # not recorded: the request that would lead to it


def test_a_later_ruling_is_compared_with_what_the_earlier_ones_left(game: Game) -> None:
    replace_roll(game, 1, 4)
    replace_roll(game, 2, 4)
    assert lines(changed_by(game, 2)) == [
        "square of Cid becomes 2 → square of Cid becomes 5",
        "Cid now owns square 2 → nothing",
        "Cid paid nobody → Cid would have paid Bob $15 (rent)",
    ]


def test_overruling_a_ruling_changes_everything_back(game: Game) -> None:
    replace_roll(game, 1, 4)
    game.rule_on("uphold", "it was right", overrules=(1,), settle="all", at=NOON)
    assert "Bob paid nobody → Bob would have paid Ann $12 (rent)" in lines(changed_by(game, 2))


def test_a_ruling_that_edits_nothing_or_was_refused_changed_nothing(game: Game) -> None:
    game.rule_on("uphold", "it was right", about=rolls_of(game)[0], at=NOON)
    assert changed_by(game, 1) == []


def test_a_request_that_is_taken_in_has_no_number(game: Game) -> None:
    after = max(entry.number for entry in game.ledger.read("g"))
    edit = e.TakenIn(after=after, by="Cid", action="go", arguments={})
    fields: dict[str, Any] = {"edits": (edit,), "questions": "skip", "settle": "all"}
    game.rule_on("replace", "it was overlooked", at=NOON, **fields)
    assert all(event.event is None for event in changed_by(game, 1))


def test_what_cannot_be_played_again_is_not_told(game: Game) -> None:
    replace_roll(game, 1, 4)
    assert ruled_events([_without_answer(x) for x in game.ledger.read("g")], 1) is None


def _without_answer(entry: e.Entry) -> e.Entry:
    """As if nobody had seen a die of the game."""
    body = entry.body
    if not isinstance(body, e.DrawEntered):
        return entry
    times: dict[str, Any] = {"period": body.period, "received_at": body.received_at}
    clock = e.ClockAdvanced(id=body.id, recorded_at=body.recorded_at, **times)
    return e.Entry(entry.game, entry.number, clock)
