"""The read models: found by entry point, and what each says of a small game."""

from collections.abc import Callable, Iterator
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


def record_purchase(ledger: Ledger) -> None:
    """A game in which Ann has bought square 8, and period 1 is closed."""
    rulebook = load("mail-opening")
    desk = open_game(ledger, "g", rulebook, settings={"squares": 9}, dice_from="entered", at=NOON)
    for name in ("Bob", "Ann"):
        desk.join(name, {"email": f"{name}@x.org"}, at=NOON)
    desk.propose("Ann", "nothing", (), at=NOON)
    desk.judge(1, "accepted", at=NOON)
    desk.enter_dice([3, 4], at=NOON)
    desk.submit("Ann", "buy", {"square": 8}, at=NOON)
    desk.close(at=NOON)


@pytest.fixture
def desk(copy_of: Callable[[Callable[[Ledger], object]], Path]) -> Iterator[Game]:
    with Ledger.open(copy_of(record_purchase)) as ledger:
        yield Game(ledger, "g")


def plain(ledger: Ledger, place: str = "") -> Game:
    """A game of rules that say little."""
    desk = open_game(ledger, "plain", parse(PLAIN.replace("PLACE", place), "plain.md"), at=NOON)
    desk.join("Ann", at=NOON)
    return desk


def view(desk: Game, period: int | None = None, reader: str | None = None) -> LedgerView:
    return LedgerView(desk.ledger, desk.game, period, reader)


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


def test_standings_are_ordered_by_money_and_then_by_name(desk: Game) -> None:
    found = standings(view(desk))
    assert [(s.rank, s.player, s.money, s.owned) for s in found.standings] == [
        (1, "Bob", 1000, ()),
        (2, "Ann", 920, (8,)),
    ]
    assert one_table(found).rows[1] == ("2", "Ann", "920", "1", "8")


def test_equal_money_is_equal_rank(ledger: Ledger) -> None:
    desk = plain(ledger)
    for name in ("Cyd", "Bob"):
        desk.join(name, at=NOON)
    found = standings(view(desk)).standings
    assert [(s.rank, s.player) for s in found] == [(1, "Ann"), (1, "Bob"), (1, "Cyd")]


def test_a_period_is_read_as_of_its_close(desk: Game) -> None:
    desk.join("Cyd", {"email": "c@x.org"}, at=NOON)
    assert len(standings(view(desk)).standings) == 3
    assert standings(view(desk)).period == 2
    assert len(standings(view(desk, 1)).standings) == 2
    assert len(list(log(view(desk, 1)).events)) == view(desk, 1).world.head + 1


def test_balances_sum_to_zero(desk: Game) -> None:
    for each in (desk, plain(desk.ledger)):
        found: BalanceSheet = balances(view(each))
        for commodity in found.commodities:
            assert sum(held[commodity] for held in found.accounts.values()) == 0
    assert list(balances(view(desk)).accounts) == ["Bob", "Ann", "admin"]


def test_amounts_are_written_as_people_write_them(ledger: Ledger) -> None:
    found = balances(view(plain(ledger)))
    assert found.commodities == ("gold", "cans")
    assert found.accounts["Ann"] == {"gold": 2, "cans": 3}
    assert one_table(found).rows[0] == ("Ann", "2", "3")


def test_the_board_is_laid_out_by_the_rules(desk: Game) -> None:
    found: BoardModel = board(view(desk))
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
def test_a_board_without_places_is_printed_as_a_list(ledger: Ledger, place: str) -> None:
    desk = plain(ledger, place)
    assert list(board(view(desk)).show()) == ["there are no squares"]
    _add(desk, 1, 2)
    found = board(view(desk))
    assert [each.place for each in found.squares] == [None, None]
    assert one_table(found).rows == (("1", "", "", ""), ("2", "", "", ""))


def test_a_board_whose_places_fail_says_so(ledger: Ledger) -> None:
    desk = plain(ledger, "def value_place(square: Square):\n    return 1 // 0")
    _add(desk, 1)
    found = board(view(desk))
    assert found.note is not None
    assert found.note.startswith("where squares lie cannot be told: rule I.1")


def _add(desk: Game, *numbers: int) -> None:
    from nomoledger.events.rules import Do

    changes = tuple(Do("lay", {"number": number}) for number in numbers)
    desk.rule("squares", changes=changes, at=NOON)


def test_the_state_holds_every_declared_attribute(desk: Game) -> None:
    found = state(view(desk))
    assert found.squares["8"] == {"number": 8, "name": None, "owner": "Ann", "color": None}
    assert found.players["Ann"]["square"] == 8
    assert found.players["Ann"]["speeding"] is None
    assert found.things["proposal"][0]["author"] == "Ann"
    assert found.digest == desk.world.digest()
    other = state(view(plain(desk.ledger)))
    assert other.players["Ann"] == {
        "name": "Ann", "square": None, "hidden": None, "money": 2, "items": {"cans": 3},
    }  # fmt: skip
    assert other.game == {"season": 7}
    assert next(iter(other.show())) == "plain, period 1"


def test_rules_name_their_authority(desk: Game) -> None:
    from nomoledger.events.rules import Amend, Enact, Renumber, Repeal, Rule

    rule = Rule(number="X.1", title="New", prose="Words.", text_only="for a test")
    amend = Amend("IV.1", parameters={"starting_money": 5})
    changes = (Enact(rule), amend, Renumber("X.1", "X.2"), Repeal("V.1"))
    desk.rule("changes", changes=changes, at=NOON + timedelta(days=1))
    found: Rules = rules(view(desk))
    by_number = {each.number: each for each in found.rules}
    assert "V.1" not in by_number
    assert [each.source for each in by_number["IV.1"].history] == ["rulebook", "ruling 1"]
    assert [each.source for each in by_number["X.2"].history] == ["ruling 1", "ruling 1"]
    assert by_number["X.2"].kind == "text only"
    assert "parameters: starting_money = 5" in str(by_number["IV.1"])
    assert "V.1" in {each.number for each in rules(view(desk, 1)).rules}


def test_the_log_lists_every_event_with_its_cause(desk: Game) -> None:
    found: Log = log(view(desk))
    lines = [str(each) for each in found.events]
    assert [each.number for each in found.events] == list(range(desk.world.head + 1))
    assert any(
        "Ann moves from 1 to 8, over 2, 3, 4, 5, 6, 7 (VII.1@1) <- #" in line for line in lines
    )
    assert any("option (player Ann, square 8) is gone (VIII.3@1)" in line for line in lines)


def test_the_log_hides_what_is_not_for_the_reader(ledger: Ledger) -> None:
    secret = (
        "```yaml\nsecret: [plot]\n```\n```python\ndef action_plot(player: Player):\n"
        '    set(player, "hidden", "bomb")\n```\n'
    )
    text = PLAIN.replace("PLACE", "") + "### I.2 Secrets\nWords.\n" + secret
    desk = open_game(ledger, "plain", parse(text, "plain.md"), at=NOON)
    desk.join("Ann", at=NOON)
    desk.join("Bob", at=NOON)
    before = desk.world.head
    desk.submit("Ann", "plot", at=NOON)

    def seen(reader: str | None) -> list[Event]:
        return [each.body for each in view(desk, reader=reader).entries() if each.number > before]

    assert seen(None) == seen("Bob") == []
    assert len(seen("Ann")) == len(seen("admin")) == 3
    with pytest.raises(UnknownError, match="there is no player 'Zoe'"):
        view(desk, reader="Zoe")


def test_values_are_formatted_for_people(desk: Game) -> None:
    assert label_all(desk.world, ["square:8", "Ann", 3]) == [8, "Ann", 3]
    assert [format_cell(each) for each in (None, True, False, [1, "a"], 0)] == [
        "",
        "yes",
        "no",
        "1, a",
        "0",
    ]
