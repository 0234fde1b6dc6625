"""Rulings as they are listed, and printed under the rules that they interpret."""

from collections.abc import Callable, Iterator
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


def record_bet(ledger: Ledger) -> None:
    """A game in which Ann asks what is fair."""
    desk = open_game(ledger, "g", parse(BETS, "bets.md"), at=NOON)
    desk.join("Ann", at=NOON)
    desk.join("Bob", at=NOON)
    desk.submit("Ann", "bet", at=NOON, id="bet")


@pytest.fixture
def desk(copy_of: Callable[[Callable[[Ledger], object]], Path]) -> Iterator[Game]:
    with Ledger.open(copy_of(record_bet)) as ledger:
        yield Game(ledger, "g")


def all_of(desk: Game, rule: str | None = None, reader: str | None = None) -> list[RulingRow]:
    view = LedgerView(desk.ledger, "g", None, reader)
    return list(rulings(view, rule=rule).rulings)


def under(desk: Game, number: str) -> tuple[str, ...]:
    """What stands under the rule of that number."""
    found = rules(LedgerView(desk.ledger, "g")).rules
    return next(each.rulings for each in found if each.number == number)


def test_a_ruling_is_listed_with_all_that_belongs_to_it(desk: Game) -> None:
    desk.rule("two is", value=2, cites=("I.1@1", "#3"), scope="precedent", at=NOON)
    (found,) = all_of(desk)
    assert (found.number, found.kind, found.by, found.scope) == (1, "answer", "admin", "precedent")
    assert (found.question, found.value, found.state) == ("what is fair?", "2", "in force")
    assert (found.cites, found.rules) == (("I.1@1", "#3"), ("II.1", "I.1"))
    assert (found.period, found.effective, found.received_at) == (1, 1, NOON)
    body = next(x.body for x in desk.ledger.read("g") if x.number == found.event)
    assert body.recorded_at == found.recorded_at


def test_a_ruling_is_listed_under_the_rules_it_interprets(desk: Game) -> None:
    desk.rule("two is", value=2, cites=("I.1",), at=NOON)
    assert under(desk, "II.1") == ("ruling 1 (answer): what is fair? 2. two is",)
    assert under(desk, "I.1") == under(desk, "II.1")
    (text,) = [str(x) for x in rules(LedgerView(desk.ledger, "g")).rules if x.number == "II.1"]
    assert text.endswith("A fair price is paid.\n\nruling 1 (answer): what is fair? 2. two is\n")


def test_an_overruled_ruling_is_marked(desk: Game, tmp_path: Path) -> None:
    desk.rule("two is", value=2, at=NOON)
    desk.rule_on("uphold", "let it be open", overrules=(1,), at=NOON)
    assert [each.stands for each in all_of(desk)] == ["overruled by ruling 2", "in force"]
    assert under(desk, "II.1") == ("ruling 1 is overruled by ruling 2",)
    publish(desk.ledger, "g", tmp_path / "site")
    page = (tmp_path / "site" / "rules" / "ii-1.html").read_text("utf-8")
    assert 'overruled by <a href="../rulings.html#r2">ruling 2</a>' in page


def test_a_precedent_lapses_with_the_version_of_its_rule(desk: Game) -> None:
    desk.rule("two is", value=2, scope="precedent", at=NOON)
    change = {"amend": "II.1", "prose": "Any price is paid."}
    desk.rule("words", changes=read_changes(change), at=NOON)
    assert [each.state for each in all_of(desk)] == ["lapsed", "in force"]
    assert under(desk, "II.1") == ("ruling 1 is lapsed",)


def test_a_ruling_for_one_period_lapses_at_its_close(desk: Game) -> None:
    desk.rule("two is", value=2, scope="period", at=NOON)
    assert all_of(desk)[0].state == "in force"
    desk.close(at=NOON)
    assert all_of(desk)[0].state == "lapsed"


def test_a_ruling_follows_its_renumbered_rule(desk: Game) -> None:
    desk.rule("two is", value=2, at=NOON)
    desk.rule("order", changes=read_changes({"renumber": "II.1", "to": "III.7"}), at=NOON)
    assert all_of(desk)[0].rules == ("III.7",)
    assert [each.number for each in all_of(desk, "III.7")] == [1]
    assert [each.number for each in all_of(desk, "II.1")] == [1]
    assert under(desk, "III.7")[0].startswith("ruling 1 (answer)")


def test_rulings_can_be_filtered_by_rule(desk: Game) -> None:
    desk.rule("two is", value=2, at=NOON)
    desk.rule("players", cites=("I.1",), at=NOON)
    assert [each.number for each in all_of(desk, "II.1")] == [1]
    assert [each.number for each in all_of(desk, "I.1")] == [2]
    with pytest.raises(UnknownError, match=r"there is no rule 'IX\.9'"):
        all_of(desk, "IX.9")


def test_a_retroactive_ruling_names_the_time_it_applies_from(desk: Game) -> None:
    desk.rule("two is", value=2, at=NOON)
    number = next(x.number for x in desk.ledger.read("g") if isinstance(x.body, e.RulingMade))
    desk.close(at=NOON)
    edits = (e.Replaced(number, 1),)
    desk.rule_on("replace", "one is", edits=edits, cites=("II.1",), at=NOON)
    found = all_of(desk)[1]
    assert (found.period, found.effective, found.about, found.settle) == (2, 1, (number,), "all")
    assert str(found) == f"ruling 2 (replace #{number}): one is"


def test_a_secret_ruling_is_not_listed(desk: Game) -> None:
    desk.rule("two is", value=2, at=NOON)
    desk.submit("Bob", "whisper", at=NOON)
    desk.rule("low", value=1, at=NOON)
    assert [len(all_of(desk, reader=each)) for each in (None, "Ann", "Bob", "admin")] == [
        1,
        1,
        2,
        2,
    ]


def test_an_empty_list_of_rulings_says_so(desk: Game) -> None:
    assert list(rulings(LedgerView(desk.ledger, "g")).show()) == ["nothing has been ruled"]
