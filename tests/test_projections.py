"""The read models: their entry points, and their content for a small game."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nomoledger.errors import UnknownError
from nomoledger.events import Event
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView, Table, projection, projections
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.labels import format_cell, label_all
from nomoledger.rulebook.loading import load, parse
from nomoledger_projections.balances import BalanceSheet, balances
from nomoledger_projections.board import BoardModel, board
from nomoledger_projections.log import Log, log
from nomoledger_projections.rules_in_force import Rules, rules
from nomoledger_projections.standings import standings
from nomoledger_projections.state import state

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)

PLAIN = """
### I.1 Players and squares
Words.
```yaml
declares:
  player: {name: Text key, square: Square, hidden: Text}
  square: {number: Number key}
  game: {season: Number}
commodities: {gold: {places: 2}, cans: {places: 0}}
accounts: [bank]
```
```python
def define_join(name: Text):
    player = create("player", {"name": name}, name)
    mint("bank", 5)
    pay("bank", player, 2)
    mint(player, 3, commodity = "cans")
    set("game", "season", 7)
def define_lay(number: Number):
    create("square", {"number": number})
PLACE
```
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "g.db", create=True) as opened:
        yield opened


@pytest.fixture
def game(ledger: Ledger) -> Game:
    """A game in which Ann has bought square 8, and period 1 is closed."""
    rulebook = load("mail-opening")
    game = open_game(ledger, "g", rulebook, settings={"squares": 9}, dice_from="entered", at=NOON)
    for name in ("Bob", "Ann"):
        game.join(name, {"email": f"{name}@x.org"}, at=NOON)
    game.propose("Ann", "nothing", (), at=NOON)
    game.judge(1, "accepted", at=NOON)
    game.enter_dice([3, 4], at=NOON)
    game.submit("Ann", "buy", {"square": 8}, at=NOON)
    game.close(at=NOON)
    return game


def plain(ledger: Ledger, place: str = "") -> Game:
    """A game with few rules."""
    game = open_game(ledger, "plain", parse(PLAIN.replace("PLACE", place), "plain.md"), at=NOON)
    game.join("Ann", at=NOON)
    return game


def view(game: Game, period: int | None = None, reader: str | None = None) -> LedgerView:
    return LedgerView(game.ledger, game.name, period, reader)


def one_table(model: Any) -> Table:
    (found,) = model.show()
    assert isinstance(found, Table)
    return found


def test_every_projection_is_found_by_its_entry_point() -> None:
    names = ["balances", "board", "history", "log", "proposals", "rules", "ruleset"]
    names += ["ruleset_blame", "ruleset_diff", "standings", "standings_by_period", "state"]
    assert set(names) <= set(projections())
    assert projection("standings") is standings
    with pytest.raises(UnknownError, match="no projection 'nope'"):
        projection("nope")


def test_standings_go_by_money_and_then_by_name(game: Game) -> None:
    found = standings(view(game))
    assert [(s.rank, s.player, s.money, s.owned) for s in found.standings] == [
        (1, "Bob", 1000, ()),
        (2, "Ann", 920, (8,)),
    ]
    assert one_table(found).rows[1] == ("2", "Ann", "920", "1", "8")


def test_equal_money_is_equal_rank(ledger: Ledger) -> None:
    game = plain(ledger)
    for name in ("Cyd", "Bob"):
        game.join(name, at=NOON)
    found = standings(view(game)).standings
    assert [(s.rank, s.player) for s in found] == [(1, "Ann"), (1, "Bob"), (1, "Cyd")]


def test_a_period_shows_the_state_at_its_close(game: Game) -> None:
    game.join("Cyd", {"email": "c@x.org"}, at=NOON)
    assert len(standings(view(game)).standings) == 3
    assert standings(view(game)).period == 2
    assert len(standings(view(game, 1)).standings) == 2
    assert len(list(log(view(game, 1)).events)) == view(game, 1).world.head + 1


def test_balances_sum_to_zero(game: Game, ledger: Ledger) -> None:
    for each in (game, plain(ledger)):
        found: BalanceSheet = balances(view(each))
        for commodity in found.commodities:
            assert sum(held[commodity] for held in found.accounts.values()) == 0
    assert list(balances(view(game)).accounts) == ["Bob", "Ann", "admin"]


def test_amounts_are_whole_units(ledger: Ledger) -> None:
    found = balances(view(plain(ledger)))
    assert found.commodities == ("gold", "cans")
    assert found.accounts["Ann"] == {"gold": 2, "cans": 3}
    assert one_table(found).rows[0] == ("Ann", "2", "3")


def test_the_board_is_laid_out_as_the_rules_define(game: Game) -> None:
    found: BoardModel = board(view(game))
    assert [each.place for each in found.squares][:4] == [(0, 0), (1, 0), (2, 0), (2, 1)]
    assert one_table(found).rows == (
        ("7", "8\nowner Ann\n> Ann", "9"),
        ("6", "5", "4"),
        ("1\n> Bob", "2", "3"),
    )


@pytest.mark.parametrize(
    "place",
    [
        "",
        "def value_place(square: Square):\n    return None",
        "def value_place(square: Square):\n    return [0, 0]",
        'def value_place(square: Square):\n    return "north"',
        'def define_place(square: Square):\n    return roll(2, 6, "place")',
        'def define_place(square: Square):\n    refuse("nowhere")',
    ],
)
def test_a_board_without_places_is_a_list(ledger: Ledger, place: str) -> None:
    game = plain(ledger, place)
    assert list(board(view(game)).show()) == ["there are no squares"]
    _add(game, 1, 2)
    found = board(view(game))
    assert [each.place for each in found.squares] == [None, None]
    assert one_table(found).rows == (("1", "", "", ""), ("2", "", "", ""))


def test_a_board_with_a_failing_rule_has_a_note(ledger: Ledger) -> None:
    game = plain(ledger, "def value_place(square: Square):\n    return 1 // 0")
    _add(game, 1)
    found = board(view(game))
    assert found.note is not None
    assert found.note.startswith("the positions of squares cannot be computed: rule I.1")


def _add(game: Game, *numbers: int) -> None:
    from nomoledger.events.rules import Do

    changes = tuple(Do("lay", {"number": number}) for number in numbers)
    game.rule("squares", changes=changes, at=NOON)


def test_the_state_holds_every_declared_attribute(game: Game, ledger: Ledger) -> None:
    found = state(view(game, reader="admin"))
    assert found.squares["8"] == {"number": 8, "name": None, "owner": "Ann", "color": None}
    assert found.players["Ann"]["square"] == 8
    assert found.players["Ann"]["speeding"] is None
    assert found.things["proposal"][0]["author"] == "Ann"
    assert found.digest == game.world.digest()
    other = state(view(plain(ledger), reader="admin"))
    assert other.players["Ann"] == {
        "name": "Ann", "square": None, "hidden": None, "money": 2, "items": {"cans": 3},
    }  # fmt: skip
    assert other.game == {"season": 7}
    assert next(iter(other.show())) == "plain, period 1"


def test_each_rule_names_its_authorities(game: Game) -> None:
    from nomoledger.events.rules import Amend, Enact, Renumber, Repeal, Rule

    rule = Rule(number="X.1", title="New", prose="Words.", text_only="for a test")
    amend = Amend("IV.1", parameters={"starting_money": 5})
    changes = (Enact(rule), amend, Renumber("X.1", "X.2"), Repeal("V.1"))
    game.rule("changes", changes=changes, at=NOON + timedelta(days=1))
    found: Rules = rules(view(game))
    by_number = {each.number: each for each in found.rules}
    assert "V.1" not in by_number
    assert [each.source for each in by_number["IV.1"].history] == ["rulebook", "ruling 1"]
    assert [each.source for each in by_number["X.2"].history] == ["ruling 1", "ruling 1"]
    assert by_number["X.2"].kind == "text only"
    assert "parameters: starting_money = 5" in str(by_number["IV.1"])
    assert "V.1" in {each.number for each in rules(view(game, 1)).rules}


def test_the_log_describes_every_event_with_its_cause(game: Game) -> None:
    found: Log = log(view(game))
    lines = [str(each) for each in found.events]
    assert [each.number for each in found.events] == list(range(game.world.head + 1))
    assert any(
        "Ann moves from 1 to 8, over 2, 3, 4, 5, 6, 7 (VII.1@1) <- #" in line for line in lines
    )
    assert any("the option of Ann on square 8 has ended (VIII.3@1)" in line for line in lines)


def test_the_log_hides_secrets_from_other_readers(ledger: Ledger) -> None:
    secret = (
        "```yaml\nsecret: [plot]\n```\n```python\ndef action_plot(player: Player):\n"
        '    set(player, "hidden", "bomb")\n```\n'
    )
    text = PLAIN.replace("PLACE", "") + "### I.2 Secrets\nWords.\n" + secret
    game = open_game(ledger, "plain", parse(text, "plain.md"), at=NOON)
    game.join("Ann", at=NOON)
    game.join("Bob", at=NOON)
    before = game.world.head
    game.submit("Ann", "plot", at=NOON)

    def seen(reader: str | None) -> list[Event]:
        return [each.body for each in view(game, reader=reader).entries() if each.number > before]

    assert seen(None) == seen("Bob") == []
    assert len(seen("Ann")) == len(seen("admin")) == 3
    with pytest.raises(UnknownError, match="there is no player 'Zoe'"):
        view(game, reader="Zoe")


def test_values_are_formatted_for_people(game: Game) -> None:
    assert label_all(game.world, ["square:8", "Ann", 3]) == [8, "Ann", 3]
    assert [format_cell(each) for each in (None, True, False, [1, "a"], 0)] == [
        "",
        "yes",
        "no",
        "1, a",
        "0",
    ]
