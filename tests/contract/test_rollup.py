"""The roll-up on every store: exact, in the transaction of the postings, and checked."""

import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import psycopg
import pytest
from rulings.game import RuledGame
from rulings.players import Move, Player
from rulings.rules import RULES
from tiers import sample

from contract.databases import on_databases
from nomoledger import events as e
from nomoledger.errors import ConflictError
from nomoledger.game.exchange import copy_ledger, export_ledger, import_ledger
from nomoledger.game.rebuild import rebuild
from nomoledger.game.simulation import Plan, simulate
from nomoledger.ledger.as_of import as_known
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup_queries import posted_balances, posted_balances_by_period
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.ledger.stores.store import Store

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PLAY = ("go", "go", "buy", "steal", "plot", "propose", "answer", "answer", "answer", "leave")
RULE = ("ruling", "ruling", "overlooked", "overrule")


@pytest.fixture
def ledger(connect: Callable[[], Store]) -> Iterator[Ledger]:
    with Ledger(connect()) as opened:
        opened.add_game("chess", b"secret of 16 bytes")
        yield opened


def paid(amount: int, period: int = 1, effective: int | None = None, to: str = "Ann") -> e.Posted:
    postings = (e.Posting("bank", "$", -amount), e.Posting(to, "$", amount))
    return e.Posted(
        period=period, received_at=NOON, recorded_at=NOON, postings=postings, effective=effective
    )


def append(ledger: Ledger, *events: e.Event) -> None:
    ledger.append("chess", events, expected=ledger.head("chess").number)


def tamper(ledger: Ledger, location: str, statement: str) -> None:
    """Run *statement* on the tables, bypassing the store."""
    if is_postgres(location):
        with psycopg.connect(location, autocommit=True) as there:
            there.execute("SET search_path = nomoledger")
            there.execute(statement.encode())
        return
    with closing(sqlite3.connect(location)) as connection:
        connection.execute(statement)
        connection.commit()


# --- contents ------------------------------------------------------------------------------------


def test_balances_of_any_period_as_known_in_any_other(ledger: Ledger) -> None:
    append(ledger, paid(10, 1), paid(5, 1))
    append(ledger, paid(1, 2), paid(7, 3, effective=1), paid(-2, 4, effective=2))
    readings = {
        (period, known): posted_balances(ledger, "chess", period, known).get("Ann", {}).get("$", 0)
        for period, known in [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (2, 4), (1, None), (4, None)]
    }
    assert readings == {
        (1, 1): 15, (1, 2): 15, (1, 3): 22, (2, 2): 16, (2, 3): 23, (2, 4): 21,
        (1, None): 22, (4, None): 21,
    }  # fmt: skip
    assert [(at, dict(each["Ann"])) for at, each in posted_balances_by_period(ledger, "chess")] == [
        (1, {"$": 22}),
        (2, {"$": 21}),
    ]
    banks = [each["bank"]["$"] for _, each in posted_balances_by_period(ledger, "chess", known=2)]
    assert banks == [-15, -16]


def test_amounts_stay_exact_beyond_64_bits(ledger: Ledger) -> None:
    most = 2**64 - 1
    for _ in range(3):
        append(ledger, *(2 * [paid(2**62)]))
    append(ledger, paid(2**62 + 1))
    assert posted_balances(ledger, "chess") == {
        "bank": {"$": -(7 * 2**62 + 1)},
        "Ann": {"$": 7 * 2**62 + 1},
    }
    lone = e.Posting("Bob", "$", most), e.Posting("Cid", "$", -(2**63))
    append(
        ledger,
        *(3 * [paid(1)]),
        e.Posted(period=1, received_at=NOON, recorded_at=NOON, postings=lone),
    )
    append(ledger, e.Posted(period=1, received_at=NOON, recorded_at=NOON, postings=lone))
    assert posted_balances(ledger, "chess")["Bob"] == {"$": 2 * most}
    append(ledger, paid(-(2**62)), paid(-(2**62)), paid(-(2**62)))
    append(ledger, paid(-(2**62)), paid(-(2**62)), paid(-(2**62)), paid(-(2**62)))
    assert posted_balances(ledger, "chess")["Ann"] == {"$": 4}
    assert ledger.verify("chess").ok


@pytest.mark.parametrize("name", ["a\0b", "a\\0b", "\\", "Éva 'x'", "", "\\\\0\0"])
def test_account_names_may_have_any_characters(ledger: Ledger, name: str) -> None:
    append(ledger, paid(3, to=name), *(30 * [paid(1, to=name)]))
    assert posted_balances(ledger, "chess")[name] == {"$": 33}
    assert ledger.verify("chess").ok


def test_games_have_separate_cells(ledger: Ledger) -> None:
    ledger.add_game("go")
    ledger.append("go", [paid(2)], expected=-1)
    append(ledger, paid(9))
    assert posted_balances(ledger, "go")["Ann"] == {"$": 2}


def test_cells_and_postings_are_stored_in_one_transaction(ledger: Ledger) -> None:
    append(ledger, paid(1))
    with pytest.raises(ConflictError):
        ledger.append("chess", [paid(5)], expected=-1)

    def fail() -> None:
        with ledger.transaction() as transaction:
            transaction.append("chess", [paid(5)], expected=0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert posted_balances(ledger, "chess")["Ann"] == {"$": 1}


def test_a_copy_has_the_same_cells(ledger: Ledger, tmp_path: Path) -> None:
    append(ledger, paid(10), paid(3, 4, effective=2))
    with Ledger.open(tmp_path / "copy.db", create=True) as copy:
        copy_ledger(ledger, copy)
        assert posted_balances(copy, "chess", 2) == posted_balances(ledger, "chess", 2)
        assert copy.verify("chess").ok


def test_an_import_has_the_same_cells(tmp_path: Path) -> None:
    file = BytesIO()
    with (
        Ledger.open(tmp_path / "game.db", create=True) as ledger,
        Ledger.open(tmp_path / "import.db", create=True) as back,
    ):
        game = simulate(ledger, "mail-opening", Plan(players=2, periods=2, requests=2)).game
        export_ledger(ledger, file)
        file.seek(0)
        import_ledger(back, file)
        assert posted_balances(back, game)
        for period in (1, 2, None):
            assert posted_balances(back, game, period) == posted_balances(ledger, game, period)


# --- verification --------------------------------------------------------------------------------

ANN = "account = 'Ann' AND effective = 1"
TAMPERINGS = {
    f"UPDATE rollup SET units = units + 5 WHERE {ANN}": "says '?15'?, but the postings come to 10",
    "UPDATE rollup SET units = units + 5": "says '?15'?, but the postings come to 10",
    f"DELETE FROM rollup WHERE {ANN}": "says nothing, but the postings come to 10",
    "DELETE FROM rollup": "period 1 as of period 1, it says nothing, but",
    f"UPDATE rollup SET account = 'Bob' WHERE {ANN}": "'Bob', .* but nothing was posted there",
    f"UPDATE rollup SET recorded = 7 WHERE {ANN}": "period 1 as of period 7, .* nothing was posted",
    f"UPDATE rollup SET units = 10.5 WHERE {ANN}": "says '?10.5'?, but the postings come to 10",
}


@on_databases
@pytest.mark.parametrize("statement", TAMPERINGS)
def test_verification_finds_an_altered_cell_and_rebuild_restores_it(
    ledger: Ledger, location: str, statement: str
) -> None:
    append(ledger, paid(10), paid(3, 2), paid(4, 3, effective=2))
    before = posted_balances(ledger, "chess")
    tamper(ledger, location, statement)
    verdict = ledger.verify("chess")
    assert (verdict.ok, verdict.number, verdict.problem) == (False, None, "roll-up")
    assert verdict.detail is not None
    assert re.search(TAMPERINGS[statement], verdict.detail), verdict.detail
    assert verdict.detail.endswith("run nomoledger rebuild")
    assert rebuild(ledger, "chess").cells == 6
    assert ledger.verify("chess").ok
    assert posted_balances(ledger, "chess") == before


def test_verification_finds_a_posting_missing_from_the_roll_up(ledger: Ledger) -> None:
    append(ledger, paid(10))
    with ledger.store.writing() as writer:
        writer.replace_rollup("chess", {})
    assert ledger.verify("chess").problem == "roll-up"


# --- random games with rulings -------------------------------------------------------------------


def ruled_game(seed: int) -> RuledGame:
    """Play some periods of a small game, with retroactive rulings and play after them."""
    chance = random.Random(seed)

    def moves(names: tuple[str, ...], count: int) -> list[Move]:
        return [
            (chance.choice(names), chance.randrange(999), chance.randrange(999))
            for _ in range(count)
        ]

    game = RuledGame(RULES, chance.choice(["seeded", "entered"]))
    player = Player(game)
    player.play([("join", 0, 0), ("join", 1, 0), ("join", 2, 0), ("go", 0, 0)])
    for _ in range(4):
        player.play([*moves(PLAY, 8), ("close", 0, 0), *(3 * [("answer", 0, 0)]), *moves(RULE, 1)])
    return game


def held(balances: dict[str, dict[str, int]]) -> dict[tuple[str, str], int]:
    return {
        (account, commodity): units
        for account, table in balances.items()
        for commodity, units in table.items()
        if units
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(6), 2))
def test_the_roll_up_agrees_with_the_reducer_for_every_pair_of_periods(
    connect: Callable[[], Store], seed: int
) -> None:
    game, chance = ruled_game(seed), random.Random(seed)
    bodies, at = [entry.body for entry in game.entries], 0
    with Ledger(connect()) as ledger:
        ledger.add_game("g", b"s" * 32)
        while at < len(bodies):
            size = chance.choice([1, 5, 60])
            ledger.append("g", bodies[at : at + size], expected=at - 1)
            at += size
        assert ledger.verify("g").ok
        closed = sorted(game.world.past)
        assert any(game.world.past[each].get("ruled") for each in closed) or seed not in (1, 2)
        for known in (*closed, None):
            for period in (each for each in closed if known is None or each <= known):
                world = as_known(ledger, "g", period, known).known
                assert held(posted_balances(ledger, "g", period, known)) == held(world.balances)
