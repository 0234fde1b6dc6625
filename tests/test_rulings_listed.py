"""The list of rulings, and rulings under the rules that they interpret."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.loading import parse
from nomoledger.views.site import publish
from nomoledger_projections.rules_in_force import rules
from nomoledger_projections.rulings import RulingRow, rulings

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)

BETS = """
### I.1 Players
Words.
```yaml
declares: {player: {name: Text key}}
commodities: {gold: {places: 0}}
accounts: [bank]
```
```python
def define_join(name: Text):
    create("player", {"name": name}, name)
```
### II.1 Bets
A fair price is paid.
```yaml
secret: [whisper]
```
```python
def action_bet(player: Player):
    pay("bank", player, ruling("what is fair?", [1, 2]), "bet")
def action_whisper(player: Player):
    pay("bank", player, ruling("how low?", [1, 2]), "whisper")
```
"""


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    """A game in which Ann asks what is fair."""
    with Ledger.open(tmp_path / "g.db", create=True) as ledger:
        game = open_game(ledger, "g", parse(BETS, "bets.md"), at=NOON)
        game.join("Ann", at=NOON)
        game.join("Bob", at=NOON)
        game.submit("Ann", "bet", at=NOON, id="bet")
        yield game


def all_of(game: Game, rule: str | None = None, reader: str | None = None) -> list[RulingRow]:
    view = LedgerView(game.ledger, "g", None, reader)
    return list(rulings(view, rule=rule).rulings)


def under(game: Game, number: str) -> tuple[str, ...]:
    """Return the rulings under the rule with this number."""
    found = rules(LedgerView(game.ledger, "g")).rules
    return next(each.rulings for each in found if each.number == number)


def test_a_ruling_is_listed_with_all_its_fields(game: Game) -> None:
    game.rule("two is", value=2, cites=("I.1@1", "#3"), scope="precedent", at=NOON)
    (found,) = all_of(game)
    assert (found.number, found.kind, found.by, found.scope) == (1, "answer", "admin", "precedent")
    assert (found.question, found.value, found.state) == ("what is fair?", "2", "in force")
    assert (found.cites, found.rules) == (("I.1@1", "#3"), ("II.1", "I.1"))
    assert (found.period, found.effective, found.received_at) == (1, 1, NOON)
    body = next(x.body for x in game.ledger.read("g") if x.number == found.event)
    assert body.recorded_at == found.recorded_at


def test_a_ruling_is_listed_under_the_rules_it_interprets(game: Game) -> None:
    game.rule("two is", value=2, cites=("I.1",), at=NOON)
    assert under(game, "II.1") == ("ruling 1 (answer): what is fair? 2. two is",)
    assert under(game, "I.1") == under(game, "II.1")
    (text,) = [str(x) for x in rules(LedgerView(game.ledger, "g")).rules if x.number == "II.1"]
    assert text.endswith("A fair price is paid.\n\nruling 1 (answer): what is fair? 2. two is\n")


def test_an_overruled_ruling_is_marked(game: Game, tmp_path: Path) -> None:
    game.rule("two is", value=2, at=NOON)
    game.rule_on("uphold", "let it be open", overrules=(1,), at=NOON)
    assert [each.state_text for each in all_of(game)] == ["overruled by ruling 2", "in force"]
    assert under(game, "II.1") == ("ruling 1 is overruled by ruling 2",)
    publish(game.ledger, "g", tmp_path / "site")
    page = (tmp_path / "site" / "rules" / "ii-1.html").read_text("utf-8")
    assert 'overruled by <a href="../rulings.html#r2">ruling 2</a>' in page


def test_a_precedent_lapses_with_the_version_of_its_rule(game: Game) -> None:
    game.rule("two is", value=2, scope="precedent", at=NOON)
    change = {"amend": "II.1", "prose": "Any price is paid."}
    game.rule("words", changes=read_changes(change), at=NOON)
    assert [each.state for each in all_of(game)] == ["lapsed", "in force"]
    assert under(game, "II.1") == ("ruling 1 is lapsed",)


def test_a_ruling_for_a_period_lapses_with_the_period(game: Game) -> None:
    game.rule("two is", value=2, scope="period", at=NOON)
    assert all_of(game)[0].state == "in force"
    game.close(at=NOON)
    assert all_of(game)[0].state == "lapsed"


def test_a_ruling_follows_its_rule_to_another_number(game: Game) -> None:
    game.rule("two is", value=2, at=NOON)
    game.rule("order", changes=read_changes({"renumber": "II.1", "to": "III.7"}), at=NOON)
    assert all_of(game)[0].rules == ("III.7",)
    assert [each.number for each in all_of(game, "III.7")] == [1]
    assert [each.number for each in all_of(game, "II.1")] == [1]
    assert under(game, "III.7")[0].startswith("ruling 1 (answer)")


def test_the_list_can_be_limited_to_a_rule(game: Game) -> None:
    game.rule("two is", value=2, at=NOON)
    game.rule("players", cites=("I.1",), at=NOON)
    assert [each.number for each in all_of(game, "II.1")] == [1]
    assert [each.number for each in all_of(game, "I.1")] == [2]
    with pytest.raises(UnknownError, match=r"there is no rule 'IX\.9'"):
        all_of(game, "IX.9")


def test_a_retroactive_ruling_says_from_when(game: Game) -> None:
    game.rule("two is", value=2, at=NOON)
    number = next(x.number for x in game.ledger.read("g") if isinstance(x.body, e.RulingMade))
    game.close(at=NOON)
    edits = (e.Replaced(number, 1),)
    game.rule_on("replace", "one is", edits=edits, cites=("II.1",), at=NOON)
    found = all_of(game)[1]
    assert (found.period, found.effective, found.about, found.settle) == (2, 1, (number,), "all")
    assert str(found) == f"ruling 2 (replace #{number}): one is"


def test_a_secret_ruling_is_not_listed(game: Game) -> None:
    game.rule("two is", value=2, at=NOON)
    game.submit("Bob", "whisper", at=NOON)
    game.rule("low", value=1, at=NOON)
    assert [len(all_of(game, reader=each)) for each in (None, "Ann", "Bob", "admin")] == [
        1,
        1,
        2,
        2,
    ]


def test_a_game_without_rulings_says_so(game: Game) -> None:
    assert list(rulings(LedgerView(game.ledger, "g")).show()) == ["nothing has been ruled"]
