"""A hand-kept record of a game of `mail`: a right week, and weeks with one mistake each."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiers import sample

from nomoledger.errors import RecordError
from nomoledger.events import FactRecorded
from nomoledger.game.game import Game
from nomoledger.game.records import import_record
from nomoledger.game.replay import Report, replay
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

#: A season of `mail` takes long to play.
pytestmark = pytest.mark.slow

WEEK = 12
HEADER: dict[str, Any] = {
    "rulebook": "mail",
    "game": "fragment",
    "period": WEEK,
    "opening": {
        "players": {
            "Ann": {"square": 5, "money": 900, "team": "North"},
            "Bob": {"square": 24, "money": 700, "team": "South"},
            "Cid": {"square": 38, "money": 400, "team": "East", "sick": True},
            "Dan": {"square": 22, "money": 60, "team": "West"},
        },
        "squares": {
            "12": {"owner": "Bob", "name": "Watermill", "color": "Red"},
            "16": {"owner": "Ann", "name": "Sixteen", "color": "Maroon"},
            "31": {"owner": "Ann", "name": "Attic", "color": "Yellow"},
            "33": {"owner": "the Corporation", "color": "Blue"},
        },
        "accounts": {"The Corporation": 500},
    },
}
#: Ann rolls a 7 and a double, Cid is Sick and rolls one die, and three kinds of payments are due.
FACTS: tuple[dict[str, Any], ...] = (
    {"kind": "pay", "player": "Ann", "payee": "the Government", "amount": 8, "reason": "tax on 16"},
    {"kind": "roll", "player": "Ann", "dice": [3, 4]},
    {"kind": "land", "player": "Ann", "square": 19, "from_square": 5},
    {"kind": "buy", "player": "Ann", "square": 19, "amount": 209},
    {"kind": "roll", "player": "Bob", "dice": [3, 4]},
    {"kind": "land", "player": "Bob", "square": 38},
    {"kind": "roll", "player": "Cid", "dice": [4]},
    {"kind": "land", "player": "Cid", "square": "#2"},
    {"kind": "roll", "player": "Ann", "dice": [6, 6]},
    {"kind": "land", "player": "Ann", "square": 31},
    {"kind": "roll", "player": "Ann", "dice": [1, 4]},
    {"kind": "land", "player": "Ann", "square": 36},
    {"kind": "roll", "player": "Cid", "dice": [5]},
    {"kind": "land", "player": "Cid", "square": 7},
    {"kind": "roll", "player": "Cid", "dice": [5]},
    {"kind": "land", "player": "Cid", "square": 12},
    {"kind": "rent", "player": "Cid", "payee": "Bob", "square": 12, "amount": 12},
    {"kind": "pay", "player": "Bob", "payee": "The Corporation", "amount": 2},
    {"kind": "roll", "player": "Dan", "dice": [1, 2]},
    {"kind": "land", "player": "Dan", "square": 25},
    {"kind": "pay", "player": "Dan", "payee": "Government", "amount": 10, "reason": "a park"},
    {"kind": "pay", "player": "Bob", "payee": "Cid", "amount": 25, "reason": "thanks"},
    {"kind": "ruling", "text": "Dan's proposal came too late for this week."},
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def played(ledger: Ledger, folder: Path, facts: list[dict[str, Any]]) -> Game:
    lines = [HEADER, *({"week": WEEK} | fact for fact in facts)]
    path = folder / "record.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return import_record(ledger, path)


def audit(ledger: Ledger, folder: Path, facts: list[dict[str, Any]]) -> Report:
    return replay(ledger, played(ledger, folder, facts).name, WEEK)


def found(report: Report) -> list[tuple[str, str, Any, Any]]:
    return [(d.subject, d.what, d.recorded, d.by_rules) for d in report.divergences]


def with_change(kind: str, player: str, old: Any, **new: Any) -> list[dict[str, Any]]:
    """Return the facts, with *new* in the fact of *kind* that says *old* of *player*."""
    facts = [dict(fact) for fact in FACTS]
    fact = facts[place_of(kind, player, old)]
    fact.update(new)
    return facts


def without(kind: str, player: str, old: Any) -> list[dict[str, Any]]:
    """Return the facts without the one of *kind* that says *old* of *player*."""
    gone = place_of(kind, player, old)
    return [fact for place, fact in enumerate(FACTS) if place != gone]


def place_of(kind: str, player: str, old: Any) -> int:
    places = [
        place
        for place, fact in enumerate(FACTS)
        if (fact["kind"], fact.get("player")) == (kind, player) and old in fact.values()
    ]
    assert len(places) == 1, (kind, player, old)
    return places[0]


def test_a_right_week_raises_no_alarm(ledger: Ledger, tmp_path: Path) -> None:
    report = audit(ledger, tmp_path, list(FACTS))
    assert (report.mode, found(report), report.unexplained) == ("audit", [], ())
    facts = [fact for fact in FACTS if fact["kind"] not in ("roll", "ruling")]
    assert report.compared == len(facts) + 1  # What is bought is compared with the price, and paid.


def test_money_follows_from_the_record(ledger: Ledger, tmp_path: Path) -> None:
    world = played(ledger, tmp_path, list(FACTS)).world
    money = {name: world.balance(name, "$") for name in ("Ann", "Bob", "Cid", "Dan")}
    assert money["Ann"] == 900 - 8 + 100 - 209
    assert money["Bob"] == 700 + 100 + 12 - 2 - 25
    assert money["Cid"] == 400 + 400 - 12 + 25
    assert money["Dan"] == 60 - 10
    assert world.balance("Corporation", "$") == 500 + 2
    owners = [world.get(str(world.find("square", number)), "owner") for number in (19, 33)]
    assert owners == ["Ann", "Corporation"]


def test_a_record_without_payments_is_not_asked_for_them(ledger: Ledger, tmp_path: Path) -> None:
    facts = [fact for fact in FACTS if fact["kind"] in ("roll", "land", "buy")]
    assert found(audit(ledger, tmp_path, facts)) == []


@pytest.mark.slow
def test_names_of_organizations_are_found_as_people_write_them(
    ledger: Ledger, tmp_path: Path
) -> None:
    facts = with_change("pay", "Dan", 10, payee="THE GOVERNMENT")
    assert found(audit(ledger, tmp_path, facts)) == []


@pytest.mark.slow
def test_two_payments_can_be_recorded_as_one(ledger: Ledger, tmp_path: Path) -> None:
    facts = [
        fact for fact in FACTS if (fact["kind"], fact.get("amount")) not in (("pay", 8), ("buy", 0))
    ]
    facts.append({"kind": "pay", "player": "Ann", "payee": "Government", "amount": 8 + 209})
    assert found(audit(ledger, tmp_path, facts)) == []


MISTAKES: dict[str, tuple[list[dict[str, Any]], tuple[str, str, Any, Any]]] = {
    "a wrong square": (with_change("land", "Bob", 38, square=37), ("Bob", "square", 37, 38)),
    "a wrong rent": (with_change("rent", "Cid", 12, amount=21), ("Cid", "rent", 21, 12)),
    "a wrong tax": (with_change("pay", "Ann", 8, amount=16), ("Ann", "pay", 16, 8)),
    "a forgotten tax": (
        without("pay", "Ann", 8),
        ("Ann", "payment to Government (property tax for square 16)", None, 8),
    ),
    "a forgotten fine": (
        without("pay", "Dan", 10),
        ("Dan", "payment to Government (a National Park)", None, 10),
    ),
    "a forgotten fifth of the rent": (
        without("pay", "Bob", 2),
        ("Bob", "payment to Corporation (a fifth of the rent)", None, 2),
    ),
    "a forgotten rent": (
        without("rent", "Cid", 12),
        ("Cid", "payment to Bob (rent for Watermill)", None, 12),
    ),
    "a wrong price": (with_change("buy", "Ann", 19, amount=190), ("Ann", "buy", 190, 209)),
    "a square that somebody owns": (
        [*FACTS, {"kind": "buy", "player": "Cid", "square": 12}],
        ("Cid", "buy_square", "done", "refused: this square has an owner"),
    ),
    "a payment without a reason in the rules": (
        [*FACTS, {"kind": "pay", "player": "Dan", "payee": "Government", "amount": 40}],
        ("Dan", "pay", 40, 0),
    ),
}


@pytest.mark.parametrize("mistake", sample(MISTAKES, 3))
def test_the_audit_names_the_one_mistake(ledger: Ledger, tmp_path: Path, mistake: str) -> None:
    facts, finding = MISTAKES[mistake]
    assert found(audit(ledger, tmp_path, facts)) == [finding]


def test_a_forgotten_turn_after_doubles_is_named(ledger: Ledger, tmp_path: Path) -> None:
    gone = (place_of("roll", "Ann", [1, 4]), place_of("land", "Ann", 36))
    facts = [fact for place, fact in enumerate(FACTS) if place not in gone]
    [(subject, what, recorded, _)] = found(audit(ledger, tmp_path, facts))
    assert (subject, what, recorded) == ("Ann", "turn", None)


def test_play_goes_on_in_the_next_week(ledger: Ledger, tmp_path: Path) -> None:
    later = {"week": WEEK + 1, "kind": "pay", "player": "Ann", "payee": "Government", "amount": 8}
    game = played(ledger, tmp_path, [*FACTS, later])
    report = replay(ledger, game.name, WEEK + 1)
    # Ann owns a White square now, and a new fine is due.
    expected = ("Ann", "payment to fines for White squares (White square 19)", None, 50)
    assert found(report) == [expected]
    facts = [entry.body for entry in game.history.entries() if isinstance(entry.body, FactRecorded)]
    assert [fact.kind for fact in facts].count("period-begins") == 2


def test_a_record_amends_a_rule_that_says_what_the_site_shows(
    ledger: Ledger, tmp_path: Path
) -> None:
    rule = next(rule for rule in load("mail").rules if rule.number == "VIII.2")
    assert rule.shown
    words = "### VIII.2 Owners\n\nSomebody may own a square.\n\n"
    data = f"```yaml\ndeclares: {json.dumps(rule.declares)}\n```\n"
    words += f"{data}\n```python\n{rule.code}\n```\n"
    (tmp_path / "owners.md").write_text(words)
    line = {"week": WEEK, "rules": "owners.md"}
    path = tmp_path / "record.jsonl"
    path.write_text(f"{json.dumps(HEADER)}\n{json.dumps(line)}\n")
    amended = import_record(ledger, path).world.rule("VIII.2")
    assert amended is not None
    assert (amended.prose, amended.shown) == ("Somebody may own a square.", rule.shown)


def test_a_record_may_end_with_the_game_but_not_go_on(ledger: Ledger, tmp_path: Path) -> None:
    lines = [HEADER, *({"week": week, "kind": "ruling", "text": "Noted."} for week in (WEEK, 13))]
    path = tmp_path / "record.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines[:2]))
    assert import_record(ledger, path).world.game["ended"] == "Ann has won"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with (
        Ledger.open(tmp_path / "other.db", create=True) as other,
        pytest.raises(RecordError, match=r"record.jsonl:3: by the rules the game ended in week 12"),
    ):
        import_record(other, path)
