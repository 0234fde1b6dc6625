"""The front page of the site: what is open for whom, and what each player may do."""

from datetime import UTC, datetime, timedelta

from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.rulebook.loading import parse
from nomoledger.views.site.figures import PlayerLink
from nomoledger.views.site.open_on_page import OpenOnPage, open_on_page

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
#: Ann is offered square 1 for a day; nobody else may buy it. Squares 2 and 3 have owners.
RULES = """### I.1 Offers
Words.
```yaml
declares:
  player: {name: Text key}
  square: {number: Number key, owner: Player}
  offer: {player: Player, square: Square}
```
```python
def define_join(name: Text) -> Player:
    player = create("player", {"name": name}, name)
    if name == "Ann":
        square = create("square", {"number": 1})
        offer = create("offer", {"player": player, "square": square})
        schedule("lapse", offer, due=now() + 3600)
    else:
        create("square", {"number": 2 if name == "Bob" else 3, "owner": player})
    return player

def define_lapse(offer):
    destroy(offer)

def action_buy(player: Player, square: Square):
    offers = [x for x in all("offer") if get(x, "player") == player]
    if not offers:
        refuse("nothing is offered")
    if get(offers[0], "square") != square:
        refuse("another square is offered")
    set(square, "owner", player)
    destroy(offers[0])

def action_sell(player: Player, square: Square):
    if get(square, "owner") != player:
        refuse("it is not yours")
    set(square, "owner", None)

def action_wave(player: Player):
    pass

def action_bid(player: Player, amount: Money):
    pass
```
"""


def opened(*names: str) -> Game:
    game = open_game(Ledger(MemoryStore()), "g", parse(RULES, "offers.md"), at=NOON)
    for name in names:
        game.join(name, at=NOON)
    return game


def shown(game: Game, *, is_tried: bool = True) -> OpenOnPage:
    players = game.world.kinds["player"]
    names = [str(game.world.label(player)) for player in players]
    people = {
        player: PlayerLink(name, name.lower(), place, player)
        for place, (player, name) in enumerate(zip(players, names, strict=True))
    }
    return open_on_page(game.world, people, [], is_tried=is_tried)


def test_each_player_sees_what_waits_and_what_else_is_possible() -> None:
    ann, bob, cy = shown(opened("Ann", "Bob", "Cy")).players
    (offer,) = ann.entries
    assert offer.what == "buy: an offer of Ann on square 1"
    assert offer.until == NOON + timedelta(hours=1)
    assert not ann.may  # The offer is all that she may do by herself.
    assert (bob.entries, cy.entries) == ((), ())
    assert [act.what for act in bob.may] == ["sell (square 2)"]
    assert [act.what for act in cy.may] == ["sell (square 3)"]


def test_what_all_may_do_stands_once() -> None:
    found = shown(opened("Ann", "Bob", "Cy"))
    assert [act.what for act in found.every] == ["wave"]
    assert [act.what for act in found.free] == ["bid (amount: a number)"]


def test_of_a_closed_period_only_what_falls_due_is_shown() -> None:
    found = shown(opened("Ann", "Bob"), is_tried=False)
    ((ann,), every, free) = (found.players, found.every, found.free)
    assert [(entry.what, entry.is_due) for entry in ann.entries] == [
        ("an offer of Ann on square 1: lapse", True)
    ]
    assert (ann.may, every, free) == ((), (), ())


def test_a_finished_game_has_nothing_open() -> None:
    game = opened("Ann")
    game.world.put(game.world.game, "ended", "it is over")
    assert not shown(game)
