"""Accounts as statements: whatever the game, period and account, the figures add up."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger.cli import program
from nomoledger.errors import UnknownError
from nomoledger.game import recorded_games as replays
from nomoledger.game.explanation.account_statement import (
    SINGLE_MAX,
    AccountStatement,
    explain_account,
)
from nomoledger.game.explanation.recorded_past import RecordedPast
from nomoledger.game.game import Game
from nomoledger.game.records import import_record
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.labels import amount_held
from nomoledger.rulebook.loading import load, parse

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
COPPER = """### I.1 Money
Money has two decimals, and copper has none.
```yaml
declares:
  player: {name: Text key}
commodities: {gold: {places: 2}, copper: {}}
```
```python
def define_join(name: Text):
    player = create("player", {"name": name})
    pay("mint", player, divide(1025, 100), "start")

def action_toss(player: Player, times: Number):
    for i in range(times):
        pay(player, "admin", divide(1, 20), "toss %d" % i)
        give("mint", player, 3, "copper")
```
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def played(ledger: Ledger) -> Game:
    """Two periods of the rulebook mail-opening: a purchase, a correction, a name."""
    settings = {"squares": 9, "dollars_per_number": 7}
    desk = open_game(
        ledger, "g", load("mail-opening"), settings=settings, dice_from="entered", at=NOON
    )
    for name in ("Ann", "Bob"):
        desk.join(name, {"email": f"{name}@x.org"}, at=NOON)
        desk.propose(name, "a turn", (), at=NOON)
        desk.judge(len(desk.world.proposals), "accepted", at=NOON)
        desk.enter_dice([3, 4] if name == "Ann" else [1, 2], at=NOON)
    desk.submit("Ann", "buy", {"square": 8}, at=NOON)
    desk.close(at=NOON)
    desk.close(at=NOON)
    return desk


def tossed(ledger: Ledger) -> Game:
    """One account with more postings than a statement shows singly, in two commodities."""
    desk = open_game(ledger, "g", parse(COPPER, "copper.md"), at=NOON)
    desk.join("Ann", at=NOON)
    desk.submit("Ann", "toss", {"times": 60}, at=NOON)
    desk.close(at=NOON)
    desk.submit("Ann", "toss", {"times": 2}, at=NOON)
    return desk


def season(ledger: Ledger) -> Game:
    return import_record(ledger, replays.find("weekly-vote-season"))


def check(past: RecordedPast, found: AccountStatement, thing: str, commodity: str) -> None:
    """What is told adds up, row by row, to what there is."""
    assert found.balance == amount_held(past.world, thing, commodity)
    balance = 0
    for row in found.rows:
        balance = balance + row.amount  # type: ignore[assignment]
        assert row.balance == balance
    assert balance == found.balance
    assert [row.period for row in found.rows] == sorted(row.period for row in found.rows)
    postings = [body for body in past.bodies if thing in str(getattr(body, "postings", ()))]
    assert sum(row.count for row in found.rows) <= len(postings)


@pytest.mark.slow
@pytest.mark.parametrize("make", [played, tossed, season])
@pytest.mark.slow_with("season", "tossed")
def test_every_statement_adds_up_to_its_balance(ledger: Ledger, make: object) -> None:
    desk: Game = make(ledger)  # type: ignore[operator]
    for period in range(1, desk.world.period + 1):
        past = RecordedPast(ledger, desk.name, period)
        for thing in past.world.balances:
            for commodity in past.world.commodities():
                called = str(past.world.label(thing))
                found = explain_account(past, called, commodity)
                check(past, found, thing, commodity)
    whole = explain_account(past, "admin", commodity, whole=True)
    assert all(row.event is not None for row in whole.rows)
    check(past, whole, "admin", commodity)


def test_a_posting_names_what_it_was_for_and_what_led_to_it(ledger: Ledger) -> None:
    played(ledger)
    found = explain_account(RecordedPast(ledger, "g"), "Ann", "$")
    bought = found.rows[-1]
    assert (bought.amount, bought.balance, bought.others) == (-56, 944, ("admin",))
    assert (bought.why, bought.rules) == ("square", ("VIII.3@1",))
    assert bought.because_told == "Ann asks to buy: square 8"
    assert found.why is not None
    assert found.why.event == bought.event
    assert found.why.trail[-1].strip() == "Ann -56 $, admin +56 $ (square)  <- this"


def test_distant_postings_are_summarised(ledger: Ledger) -> None:
    tossed(ledger)
    past = RecordedPast(ledger, "g")
    now = explain_account(past, "Ann", "gold")
    assert [(row.period, row.count) for row in now.rows] == [(1, 61), (2, 1), (2, 1)]
    then = explain_account(RecordedPast(ledger, "g", 1), "Ann", "gold")
    assert [row.count for row in then.rows] == [61 - SINGLE_MAX] + [1] * SINGLE_MAX
    first = explain_account(past, "Ann", "gold", whole=True).rows[0].event
    early = explain_account(past, "Ann", "gold", event=first)
    assert [row.count for row in early.rows] == [1] * SINGLE_MAX + [61 - SINGLE_MAX, 2]
    assert early.why is not None
    assert early.why.event == first
    with pytest.raises(UnknownError, match="#0 did not change gold of Ann"):
        explain_account(past, "Ann", "gold", event=0)


def test_the_explain_command_prints_a_statement(ledger: Ledger) -> None:
    tossed(ledger)
    where = ledger.store.location
    told = CliRunner().invoke(program, ["explain", where, "Ann", "money"]).output
    assert told.startswith("Ann: 7.15 gold\n")
    assert "61 postings" in told
    assert "some periods are summed: --all or --period N" in told
    everything = CliRunner().invoke(program, ["explain", where, "Ann", "gold", "--all"]).output
    assert everything.count("to admin: toss") == 62
    then = CliRunner().invoke(program, ["explain", where, "Ann", "gold", "--period", "1", "--json"])
    assert '"balance":7.25' in then.output
    assert CliRunner().invoke(program, ["explain", where, "#3", "--all"]).exit_code == 2
    assert CliRunner().invoke(program, ["explain", where, "Ann", "name", "--all"]).exit_code == 2
    nothing = CliRunner().invoke(program, ["explain", where, "mint", "gold", "--event", "9999"])
    assert "#9999 did not change gold of mint" in nothing.output
