"""A game of `mail` from first to last by the commands: play, explain, predict, verify, export."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from nomoledger.cli import program

#: A season of `mail` takes long to play.
pytestmark = pytest.mark.slow

SET_UP = """
- set: {square: 17, owner: Government, name: Mill}
- set: {square: 12, owner: Bob, name: Forge, color: Red}
- set: {player: Ann, square: 5}
- set: {pseudoplayer: elephant, square: 30}
- post: {Ann: 4000, mint: -4000}
"""


class Desk:
    """The commands of the admin, on one ledger."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = str(folder / "game.db")

    def run(self, command: str, *arguments: str, code: int = 0) -> str:
        """Run *command* on the ledger; return what it prints."""
        result = CliRunner().invoke(program, [command, self.ledger, *arguments])
        assert result.exit_code == code, result.output
        return result.output

    def log(self, *options: str) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = json.loads(self.run("log", "--json", *options))["events"]
        return events

    def number(self, *words: str, options: tuple[str, ...] = ("--admin",)) -> int:
        """Return the number of the first event that is told with *words*."""
        told = (event for event in self.log(*options) if all(w in event["told"] for w in words))
        return int(next(told)["number"])


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Two weeks: a bid and other requests, a standing order, a proposal, and an answer."""
    desk = Desk(tmp_path_factory.mktemp("mail"))
    at = ("--at", "2026-01-05T12:00")
    desk.run("init", "--rulebook", "mail", "--dice", "entered", *at)
    for name, team in (("Ann", "North"), ("Bob", "South"), ("Cid", "East")):
        assert "for the team" in desk.run("join", name, f"email={name}@example.org", *at)
        assert f"on the {team} Team" in desk.run("roll", team, *at)
    changes = desk.folder / "set-up.yaml"
    changes.write_text(SET_UP)
    desk.run("ruling", "how it stands", "--changes", str(changes), *at)
    at = ("--at", "2026-01-11T23:00")
    desk.run("close", *at)
    entered(desk, ["2", "Red", "Red", "Red"], at)
    at = ("--at", "2026-01-12T10:00")
    said = desk.run("submit", "Ann", "bid", "lot=3", "amount=95", *at)
    assert "lot 3 (Mill): the highest bid is now $95" in said
    desk.run("submit", "Bob", "rename_square", "square=12", "name=Smithy", *at)
    desk.run("submit", "Bob", "buy_shares", "number=20", *at)
    desk.run("submit", "Ann", "buy_shares", "number=400", *at)
    desk.run("order", "Ann", "--when", "slot() == 6", "--do", "take_taxi to=20", *at)
    desk.run("propose", "Cid", "Nothing new", *at)
    desk.run("judge", "1", "accepted", *at)
    return desk


def entered(desk: Desk, draws: list[str], at: tuple[str, ...]) -> None:
    for draw in draws:
        desk.run("roll", *draw.split(), *at)


@pytest.fixture(scope="module")
def closed(desk: Desk) -> Desk:
    at = ("--at", "2026-01-18T23:00")
    said = desk.run("close", *at)
    assert "square 12 is now called “Smithy”" in said
    entered(desk, ["Government", "5 1"], at)
    assert "Buy square 18 for $180?" in desk.run("status")
    assert "Cid now owns square 18" in desk.run("answer", "yes", "--by", "Cid", *at)
    entered(desk, ["3", "Red", "Red", "Red"], at)
    assert "period 3" in desk.run("status")
    return desk


def test_what_is_sent_waits_for_the_update_but_a_bid_counts_at_once(closed: Desk) -> None:
    bid = closed.number("the highest bid is now $95", options=())
    renamed = closed.number("is now called “Smithy”", options=())
    asked = closed.number("Bob asks to rename square", options=())
    closes = [e["number"] for e in closed.log() if e["told"] == "the admin closes the period"]
    assert bid < asked < closes[1] < renamed


def test_a_standing_order_waits_for_its_step(closed: Desk) -> None:
    ride = closed.number("Ann moves from", "to 20", options=())
    elephant = closed.number("elephant moves from", "29 to", options=())
    wheel = [e["number"] for e in closed.log() if e["told"] == "rolled by hand: Red"]
    assert elephant < ride < wheel[3]


def test_a_rent_is_explained_by_its_rules(closed: Desk) -> None:
    number = closed.number("rent for Forge")
    lines = closed.run("explain", f"#{number}").splitlines()
    assert lines[0].endswith("Ann -12 $, Bob +12 $ (rent for Forge)  [IV.2@1]")
    text = "\n".join(lines)
    for step in ("arrive", "pay_rent", "market_value", "amount_due", "owe"):
        assert step in text, step
    for rule in ("VIII.5@1", "V.4@1", "V.1@1"):
        assert f"[{rule}]" in text, rule
    assert "more like it" in text  # Looking at the colours of the whole board is one line.
    assert len(lines) < 120


def test_a_dividend_is_explained_by_whoever_caused_it(closed: Desk) -> None:
    number = closed.number("Bob +20 $ (a dividend)")
    assert not [e for e in closed.log() if "Ann +400 $ (a dividend)" in e["told"]]
    text = closed.run("explain", f"#{number}")
    assert "carry out (Ann, buy_shares" in text
    for step in ("collect(4000)", "pay_dividend"):
        assert step in text, step
    assert "[XXIII.4@1]" in text


def test_what_did_not_happen_is_explained(closed: Desk) -> None:
    assert "tax_square" in closed.run("why-not", "tax_square", "12", "--period", "2")


def test_other_dice_and_fewer_bids_can_be_tried(closed: Desk) -> None:
    dice = closed.number("rolled by hand: 5, 1")
    said = closed.run("what-if", "--replace", f"{dice}=6,2")
    assert "played again: rolled by hand: 6, 2" in said
    bid = closed.number("Ann asks to bid")
    assert "Ann asks to bid: lot 3" in closed.run("what-if", "--without", str(bid))


def test_every_week_is_replayed_exactly(closed: Desk) -> None:
    for period in ("1", "2"):
        assert "nothing differs" in closed.run("replay", "--period", period)


def test_a_bid_is_sealed_and_can_be_opened(closed: Desk) -> None:
    public = closed.log()
    assert not [e for e in public if "asks to bid" in e["told"]]
    assert [e for e in public if "highest bid is now $95" in e["told"]]
    number = closed.number("Ann asks to bid")
    opening = closed.folder / "opening.json"
    closed.run("open", str(number), "-o", str(opening))
    disclosed = json.loads(opening.read_text())
    assert disclosed["event"]["arguments"] == {"lot": "3", "amount": 95}
    exported = closed.folder / "public.jsonl"
    closed.run("export", str(exported), "--public")
    assert "asks to bid" not in exported.read_text()
    assert '"amount":95' not in exported.read_text().replace(" ", "")
    result = CliRunner().invoke(program, ["open", "--check", str(opening), str(exported)])
    assert result.exit_code == 0, result.output


def test_a_closed_week_is_sealed_and_verified(closed: Desk) -> None:
    seal = closed.folder / "week-2.seal"
    closed.run("seal", "--period", "2", "-o", str(seal))
    assert "periods as sealed" in closed.run("verify", "--seal", str(seal))


@pytest.mark.parametrize("form", ["beancount", "hledger", "csv"])
def test_payments_are_exported_to_other_programs(closed: Desk, form: str) -> None:
    file = closed.folder / f"game.{form}"
    closed.run("export", str(file), "--format", form)
    text = file.read_text()
    assert "Government" in text
    assert "rent for Forge" in text


def test_a_dispute_is_opened_and_closed(closed: Desk) -> None:
    number = closed.number("rent for Forge")
    at = ("--at", "2026-01-19T09:00")
    said = CliRunner().invoke(
        program,
        ["dispute", "open", closed.ledger, "Ann", "too high", "--event", str(number), *at],
    )
    assert said.exit_code == 0, said.output
    assert "disputed" in closed.run("standings", "--period", "1")


def test_the_open_week_can_be_tried_and_its_last_request_taken_back(closed: Desk) -> None:
    at = ("--at", "2026-01-19T10:00")
    closed.run("submit", "Bob", "register", *at)
    said = closed.run("provisional")
    assert "provisional: as if period 3 were closed now" in said
    assert "nothing to take back" in closed.run("undo", *at, code=2)


def test_messages_say_what_is_wrong(closed: Desk) -> None:
    at = ("--at", "2026-01-19T11:00")
    said = closed.run("submit", "Ann", "fly", *at, code=2)
    assert "nobody can 'fly'" in said
    said = closed.run("submit", "Ann", "name_square", "square=99", "name=X", *at, code=2)
    assert "there is no square '99'" in said
    said = closed.run("submit", "Bob", "bid", "lot=99", "amount=5", *at, code=2)
    assert "there is no lot '99'" in said
