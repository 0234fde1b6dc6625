"""A hand-kept record that ends a turn elsewhere than the rules: nothing of the wrong end stays."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_omissions import WEEK, audit, land, omitted, option, rent, roll, written

from nomoledger import events as e
from nomoledger.game.counterfactual import WhatIfChanges, what_if
from nomoledger.game.game import Game
from nomoledger.game.records import import_record
from nomoledger.game.replay import Report, replay
from nomoledger.ledger.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def found(report: Report) -> list[tuple[str, str, Any, Any]]:
    return [(d.subject, d.what, d.recorded, d.by_rules) for d in report.divergences]


def test_the_rent_of_the_recorded_square_is_paid_and_no_other(
    ledger: Ledger, tmp_path: Path
) -> None:
    report = audit(ledger, tmp_path, roll("Ann", 1, 2), land("Ann", 5), rent("Ann", 5, 15, "Cy"))
    assert found(report) == [("Ann", "square", 5, 4)]
    assert (report.divergences[0].follows, omitted(report)) == ((), [])
    world = Game(ledger, "r").world
    assert [world.balance(name, "$") for name in ("Ann", "Bob", "Cy")] == [9985, 10000, 10015]


def test_only_the_recorded_square_is_offered(ledger: Ledger, tmp_path: Path) -> None:
    report = audit(
        ledger,
        tmp_path,
        *(roll("Ann", 5, 6), land("Ann", 13), option("Ann", 13)),
        *(roll("Bob", 1, 3), land("Bob", 12), option("Bob", 12)),
        {"kind": "buy", "player": "Bob", "square": 12, "queue": ["Bob"]},
    )
    assert found(report) == [("Ann", "square", 13, 12)]
    assert report.divergences[0].follows == ()


def test_an_end_that_nothing_depends_on_is_corrected_where_it_stands(
    ledger: Ledger, tmp_path: Path
) -> None:
    audit(ledger, tmp_path, roll("Ann", 3, 3), land("Ann", 6))
    facts = [x.body for x in ledger.read("r") if isinstance(x.body, e.FactRecorded)]
    assert [fact.ahead for fact in facts] == [None] * len(facts)


def test_a_missed_answer_is_one_difference(ledger: Ledger, tmp_path: Path) -> None:
    report = audit(
        ledger,
        tmp_path,
        *(roll("Bob", 1, 1), land("Bob", 10)),
        *(roll("Bob", 1, 2), land("Bob", 13), option("Bob", 13)),
    )
    assert [(d.subject, d.what, d.recorded) for d in report.divergences] == [
        ("Bob", "take_donut", None)
    ]
    assert report.divergences[0].follows == ()


def test_a_payment_without_a_cause_comes_from_the_player_that_the_fact_names(
    ledger: Ledger, tmp_path: Path
) -> None:
    facts = [roll("Ann", 1, 5), land("Ann", 7), rent("Ann", 7, 21, "Cy")]
    assert found(audit(ledger, tmp_path, *facts)) == [("Cy", "rent", 21, 0)]
    world = Game(ledger, "r").world
    assert [world.balance(name, "$") for name in ("Ann", "Cy")] == [9979, 10021]
    posted = [x.body for x in ledger.read("r") if isinstance(x.body, e.Posted)]
    assert posted[-1].why == "rent on 7, as recorded"


def test_a_payment_from_nobody_known_stands_in_an_account_apart(
    ledger: Ledger, tmp_path: Path
) -> None:
    fact = {"kind": "rent", "square": 7, "amount": 21, "payee": "Cy"}
    audit(ledger, tmp_path, roll("Ann", 1, 5), land("Ann", 7), fact)
    world = Game(ledger, "r").world
    assert (world.balance("unattributed", "$"), world.balance("Cy", "$")) == (-21, 10021)


def test_a_value_in_a_list_is_compared(ledger: Ledger, tmp_path: Path) -> None:
    facts: dict[str, Any] = {"asks": "luck", "given": ["player"], "value": "detail.1"}
    rule = {
        "number": "L.1",
        "title": "Luck",
        "prose": "Luck is worth 500.",
        "facts": {"luck": facts},
    }
    rule["code"] = "def value_luck(player: Player):\n    return 500\n"
    told = {"kind": "luck", "player": "Ann", "detail": ["Ann", 700]}
    report = audit(ledger, tmp_path, {"rules": [{"enact": rule}]}, told)
    assert found(report) == [("Ann", "luck", 700, 500)]


def test_a_ruling_on_the_landing_moves_the_rent_with_it(ledger: Ledger, tmp_path: Path) -> None:
    facts = [roll("Ann", 1, 2), land("Ann", 5), rent("Ann", 5, 15, "Cy")]
    game = import_record(ledger, written(tmp_path, *facts))
    [place] = [
        x.number
        for x in ledger.read("r")
        if isinstance(x.body, e.FactRecorded) and x.body.kind == "land"
    ]
    changes = WhatIfChanges(edits=(e.Replaced(place, {"square": 4}),))
    result = what_if(ledger, game.name, changes)
    assert ("Bob", "$", 10000, 10012) in [
        (x.subject, x.what, x.recorded, x.rerun) for x in result.otherwise
    ]


@pytest.mark.parametrize(
    ("facts", "explanation"),
    [
        ([roll("Ann", 1, 5), land("Ann", 7), rent("Ann", 7, 21, "Cy")], "Cy owned 7"),
        ([roll("Ann", 2, 5), land("Ann", 9)], "the dice were 3 and 5"),
        ([roll("Ann", 1, 2), land("Ann", 15)], "Ann had been on 12"),
        ([roll("Ann", 1, 2), land("Ann", 4), rent("Ann", 4, 13, "Bob")], None),
    ],
)
def test_a_difference_says_what_single_fact_would_explain_it(
    ledger: Ledger, tmp_path: Path, facts: list[dict[str, Any]], explanation: str | None
) -> None:
    report = audit(ledger, tmp_path, *facts)
    assert [d.explained_if for d in report.divergences] == [explanation]


def test_a_replay_finds_the_same_events(ledger: Ledger, tmp_path: Path) -> None:
    facts = [roll("Ann", 1, 2), land("Ann", 5), rent("Ann", 5, 15, "Cy")]
    game = import_record(ledger, written(tmp_path, *facts))
    whole, cut = (replay(ledger, game.name, WEEK, from_start=flag) for flag in (True, False))
    assert whole == cut
    assert all(found.line is not None for found in whole.divergences)
