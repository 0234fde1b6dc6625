"""Journals: accounting tools accept them and compute the same balances."""

import csv
import io
import re
import sys
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journal_tools import TOOLS, Held, complaints, held, is_here
from pyarrow import parquet

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.cli.journal_export import FORMATS as OFFERED
from nomoledger.cli.journal_export import OURS
from nomoledger.errors import CorruptError, UnknownError, UsageError
from nomoledger.events.rules import Commodity, Rule
from nomoledger.game.game import Game
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.game.simulation import Plan, simulate
from nomoledger.game.start import open_game
from nomoledger.language.values import from_units
from nomoledger.ledger.as_of import as_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.harmless import spreadsheet_cell
from nomoledger.rulebook.loading import load
from nomoledger.views.journals import FORMATS, export_journal
from nomoledger.views.journals import payment_table as tables
from nomoledger.views.journals.naming import (
    CURRENCY_LENGTH_MAX,
    component,
    currency,
    numbered,
    symbol,
)

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
HERE = [
    pytest.param(each, marks=pytest.mark.skipif(not is_here(each), reason=f"no {each} here"))
    for each in TOOLS
]
NAMES = ("The Founder", "the founder", 'Ørjan “Ö” "q" ; x', "日本", "2nd, [one]: =", "…", "admin ")
GOODS = ("$", "poison donut", "Poison-Donut", "½", "NULL", 'a;"b', "日本", "x", "d'or", "l" * 40)
WHY = 'rent for "square 9"; ä\nand\r\n(more)\t\\n  [2001/01/01] | x:y, z = 5 \0*'


# --- games --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    """Five weeks of a real season, in which a ruling in week 6 corrects a landing of week 3."""
    with Ledger.open(tmp_path_factory.mktemp("season") / "s.db", create=True) as ledger:
        desk = import_record(ledger, find("weekly-vote-season"))
        edits = (e.Replaced(event=496, value={"square": 20}),)
        desk.rule_on("replace", "misread", edits=edits, settle="all")
        yield desk


@pytest.fixture(
    scope="module", params=["mail-opening", pytest.param("weekly-vote", marks=pytest.mark.slow)]
)
def simulated(tmp_path_factory: pytest.TempPathFactory, request: Any) -> Iterator[Ledger]:
    with Ledger.open(tmp_path_factory.mktemp("simulated") / "s.db", create=True) as ledger:
        simulate(ledger, request.param, Plan(periods=4, requests=4, seed=3))
        yield ledger


class Wild:
    """A game written event by event, with the most awkward names."""

    def __init__(self, ledger: Ledger, names: tuple[str, ...], goods: tuple[str, ...]) -> None:
        self.ledger = ledger
        self.period, self.at = 1, NOON
        ledger.add_game("wild")
        places = {name: Commodity(index % 3) for index, name in enumerate(goods)}
        self.add(e.RuleEnacted, rule=Rule(number="I", commodities=places), source="rulebook")
        for index, name in enumerate(names):
            self.add(e.EntityCreated, entity=f"p{index}", kind="player", attributes={"name": name})

    def add(self, event: type[e.Event], /, **fields: Any) -> None:
        times = {"period": self.period, "received_at": self.at, "recorded_at": NOON}
        expected = self.ledger.head("wild").number
        self.ledger.append("wild", [event(**{**times, **fields})], expected=expected)

    def pay(self, payer: str, payee: str, name: str, units: int, **fields: Any) -> None:
        both = e.Posting(payer, name, -units), e.Posting(payee, name, units)
        self.add(e.Posted, **{"postings": both, "why": WHY, "rules": ("I@1", "ruling:4"), **fields})

    def close(self) -> None:
        self.add(e.PeriodClosed, digest="")
        self.period += 1


@pytest.fixture
def wild(tmp_path: Path) -> Iterator[Wild]:
    with Ledger.open(tmp_path / "wild.db", create=True) as ledger:
        yield Wild(ledger, NAMES, GOODS)


def busy(wild: Wild, days: int = 2) -> None:
    """Two periods a day, in which every player gets every commodity, and payments afterwards."""
    for day in range(days):
        wild.at = NOON + timedelta(days=day)
        for _ in range(2):
            for index in range(len(NAMES)):
                for name in GOODS:
                    wild.pay("mint", f"p{index}", name, 7 * index + day + 5)
            wild.close()
        wild.pay("p1", "p2", "$", 3, effective=1)


def written(folder: Path, ledger: Ledger, format: str, is_public: bool = False) -> Path:
    file = folder / f"journal.{format}"
    with open(file, "wb") as target:
        export_journal(ledger, target, ledger.games()[0], format, is_public=is_public)
    return file


def ours(ledger: Ledger, period: int) -> Held:
    """Return all balances at the close of *period*, as published."""
    world = as_of(ledger, ledger.games()[0], period)
    places = {name: each.places for name, each in world.commodities().items()}
    return {
        (str(world.label(account)), name): Decimal(from_units(units, places[name]))
        for account, table in world.balances.items()
        for name, units in table.items()
        if units
    }


# --- accounting tools -----------------------------------------------------------------------------


@pytest.mark.parametrize("tool", HERE)
@pytest.mark.slow_with("hledger", "beancount")
def test_a_real_season_has_our_balances_in_every_period(
    tmp_path: Path, season: Game, tool: str
) -> None:
    file = written(tmp_path, season.ledger, tool)
    assert complaints(tool, file) == ""
    for period in range(1, 7):
        assert held(tool, file, period) == ours(season.ledger, period)


@pytest.mark.parametrize("tool", HERE)
def test_balances_by_date_include_all_payments_until_then(
    tmp_path: Path, season: Game, tool: str
) -> None:
    file = written(tmp_path, season.ledger, tool)
    for period in range(1, 6):
        world = as_of(season.ledger, season.name, period)
        day = datetime.fromtimestamp(world.past[period]["at"], UTC).date() + timedelta(days=1)
        assert held(tool, file, before=day) == ours(season.ledger, period)


@pytest.mark.parametrize("tool", HERE)
def test_a_simulated_season_has_our_balances_in_every_period(
    tmp_path: Path, simulated: Ledger, tool: str
) -> None:
    file = written(tmp_path, simulated, tool)
    assert complaints(tool, file) == ""
    for period in range(1, 5):
        assert held(tool, file, period) == ours(simulated, period)


@pytest.mark.parametrize("tool", HERE)
def test_names_reasons_and_several_closes_on_a_day(tmp_path: Path, wild: Wild, tool: str) -> None:
    busy(wild)
    file = written(tmp_path, wild.ledger, tool)
    assert complaints(tool, file) == ""
    assert held(tool, file, 4) == ours(wild.ledger, 4)


@pytest.mark.parametrize("tool", HERE)
@pytest.mark.parametrize("period", [1, 2, 3, 4])
@pytest.mark.slow_with("2", "3", "4")
def test_a_changed_amount_is_noticed(tmp_path: Path, wild: Wild, tool: str, period: int) -> None:
    """A difference of one smallest unit is enough. Beancount checks the end of each day."""
    busy(wild)
    file = written(tmp_path, wild.ledger, tool)
    text = file.read_text("utf-8")
    start = text.index(f"period: {period}\n")
    end = text.index("\n\n", start)
    assert complaints(tool, file) == ""
    file.write_text(text[:start] + one_more(text[start:end]) + text[end:], "utf-8")
    assert complaints(tool, file) != ""


def one_more(payment: str) -> str:
    """Return the payment with one smallest unit more on both sides."""
    last = re.compile(r"(?<=[-$ .])(\d+)(?=( [A-Z\"].*)?$)")
    lines = payment.splitlines()
    return "\n".join(
        last.sub(lambda m: str(int(m[1]) + 1), each)
        if "Assets:" in each or "Equity:" in each
        else each
        for each in lines
    )


@pytest.mark.parametrize("tool", HERE)
def test_a_game_without_payments(tmp_path: Path, tool: str) -> None:
    with Ledger.open(tmp_path / "g.db", create=True) as ledger:
        ledger.add_game("empty")
        file = written(tmp_path, ledger, tool)
        assert complaints(tool, file) == ""
        assert held(tool, file) == {}


texts = st.text(min_size=1, max_size=30).filter(lambda each: "\0" not in each)


@pytest.mark.slow
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    names=st.lists(texts, min_size=1, max_size=4, unique=True),
    goods=st.lists(texts, min_size=1, max_size=4, unique=True),
    paid=st.lists(st.tuples(*[st.integers(0, 3)] * 3, st.integers(1, 10**15), texts), max_size=8),
)
@pytest.mark.parametrize("tool", HERE)
def test_balances_are_correct_for_any_names(
    tmp_path_factory: pytest.TempPathFactory,
    tool: str,
    names: list[str],
    goods: list[str],
    paid: list[tuple[int, int, int, int, str]],
) -> None:
    folder = tmp_path_factory.mktemp("any")
    with Ledger.open(folder / "g.db", create=True) as ledger:
        wild = Wild(ledger, tuple(names), tuple(goods))
        for payer, payee, good, units, why in paid:
            accounts = (f"p{payer % len(names)}", f"p{payee % len(names)}")
            wild.pay(*accounts, goods[good % len(goods)], units, why=why)
        wild.close()
        file = written(folder, ledger, tool)
        if tool != "beancount":  # whose errors are seen when it is loaded
            assert complaints(tool, file) == ""
        assert sorted(held(tool, file).values()) == sorted(ours(ledger, 1).values())


# --- names ----------------------------------------------------------------------------------------


@given(st.lists(texts, unique=True, max_size=30))
def test_names_are_valid_and_unique(names: list[str]) -> None:
    from beancount.core import account, amount

    seen: dict[str, set[str]] = {"path": set(), "currency": set(), "symbol": set()}
    for name in names:
        seen["path"].add(numbered(f"Equity:{component(name)}", seen["path"]))
        seen["currency"].add(numbered(currency(name), seen["currency"], CURRENCY_LENGTH_MAX))
        seen["symbol"].add(numbered(symbol(name), seen["symbol"]))
    assert [len(each) for each in seen.values()] == [len(names)] * 3
    assert all(account.is_valid(each) for each in seen["path"] if each.isascii())
    legal = amount.CURRENCY_RE
    assert all(re.fullmatch(legal, each) and len(each) <= 24 for each in seen["currency"])
    assert not any(set(each[1:-1]) & set('";\n') for each in seen["symbol"])


def test_a_player_who_left_keeps_the_name_and_a_commodity_its_places(
    tmp_path: Path, wild: Wild
) -> None:
    wild.pay("mint", "p0", "poison donut", 5)
    wild.add(e.AttributeSet, entity="p0", attribute="name", value="Ann")
    wild.add(e.EntityDestroyed, entity="p0")
    wild.add(e.RuleRepealed, number="I", source="ruling")
    wild.pay("p0", "mint", "poison donut", 1)
    rows = read_csv(written(tmp_path, wild.ledger, "csv"))
    assert [(each["account"], each["amount"]) for each in rows] == [
        ("mint", "-0.5"), ("Ann", "0.5"), ("Ann", "-0.1"), ("mint", "0.1"),
    ]  # fmt: skip


def test_days_never_decrease(tmp_path: Path, wild: Wild) -> None:
    wild.pay("mint", "p0", "$", 5)
    wild.at = NOON - timedelta(days=3)
    wild.pay("p0", "mint", "$", 2)
    wild.close()
    text = written(tmp_path, wild.ledger, "beancount").read_text("utf-8")
    assert text.count("2026-01-05 *") == 2
    assert 'received_at: "2026-01-02T12:00:00Z"' in text
    assert "2026-01-06 balance Assets:Player:The-Founder  3 ~ 0 DOLLAR" in text


# --- tables ---------------------------------------------------------------------------------------


def read_csv(file: Path) -> list[dict[str, str]]:
    with open(file, encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_the_tables_have_every_posting_exactly(
    tmp_path: Path, wild: Wild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "GROUP", 64)
    busy(wild)
    rows = read_csv(written(tmp_path, wild.ledger, "csv"))
    file = written(tmp_path, wild.ledger, "parquet")
    assert tuple(rows[0]) == tables.COLUMNS
    assert parquet.ParquetFile(file).num_row_groups == -(-len(rows) // 64)
    found = parquet.read_table(file).to_pylist()
    assert [_as_text(each) for each in found] == [
        {**each, "amount": str(Decimal(each["amount"]).normalize())} for each in rows
    ]
    bodies = [entry.body for entry in wild.ledger.read("wild")]
    assert len(rows) == sum(len(x.postings) for x in bodies if isinstance(x, e.Posted))
    assert {each["why"] for each in rows} == {spreadsheet_cell(WHY)}
    assert {(each["period"], each["effective"]) for each in rows} > {("3", "1"), ("5", "1")}


def _as_text(row: dict[str, Any]) -> dict[str, str]:
    moment = f"{row['received_at']:%Y-%m-%dT%H:%M:%SZ}"
    number = str(row["amount"].normalize())
    cause = "" if row["cause"] is None else str(row["cause"])
    plain = {"received_at": moment, "amount": number, "rules": " ".join(row["rules"])}
    texts = {**row, **plain, "cause": cause}
    return {name: spreadsheet_cell(str(value)) for name, value in texts.items()}


def test_each_commodity_sums_to_zero_in_a_season(tmp_path: Path, season: Game) -> None:
    sums: dict[str, Decimal] = {}
    for each in read_csv(written(tmp_path, season.ledger, "csv")):
        name = each["commodity"]
        sums[name] = sums.get(name, Decimal()) + Decimal(each["amount"])
    assert len(sums) > 3
    assert set(sums.values()) == {Decimal()}


def test_a_correction_has_the_period_that_it_corrects(tmp_path: Path, season: Game) -> None:
    rows = read_csv(written(tmp_path, season.ledger, "csv"))
    settled = [each for each in rows if each["period"] != each["effective"]]
    assert {(each["period"], each["effective"]) for each in settled} >= {("6", "3")}
    assert {each["period"] for each in settled} == {"6"}
    founder = [x for x in rows if x["account"] == "The Founder" and x["commodity"] == "$"]
    known = sum(Decimal(each["amount"]) for each in founder if int(each["effective"]) <= 3)
    then = sum(Decimal(each["amount"]) for each in founder if int(each["period"]) <= 3)
    assert (known, then) == (9850, 9770)


# --- public exports -------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_a_public_export_holds_no_secrets(tmp_path: Path, wild: Wild, format: str) -> None:
    hidden = {"name": "Mallory"}
    wild.add(e.EntityCreated, entity="m", kind="spy", attributes=hidden, audience=())
    wild.pay("mint", "p0", "$", 5, why="open")
    wild.pay("mint", "p0", "$", 7, why="sealed", audience=("p0",))
    wild.pay("mint", "m", "poison donut", 7, why="sealed", audience=())
    wild.pay("mint", "m", "$", 1, why="seen")
    wild.add(e.EntityDestroyed, entity="m")
    wild.close()
    file = written(tmp_path, wild.ledger, format, is_public=True)
    for secret in ("Mallory", "Spy", "sealed", "oison"):
        assert secret.encode() not in file.read_bytes()
    assert b"seen" in file.read_bytes()
    if format in TOOLS and is_here(format):
        assert complaints(format, file) == ""
        assert held(format, file)["The Founder", "$"] == 5


# --- the command ----------------------------------------------------------------------------------


def run(*words: str) -> Result:
    return CliRunner().invoke(program, list(words))


def test_the_command_offers_every_format() -> None:
    assert set(OFFERED) == {OURS, *FORMATS}


@pytest.fixture
def mail(tmp_path: Path) -> str:
    location = str(tmp_path / "g.db")
    with Ledger.open(location, create=True) as ledger:
        desk = open_game(ledger, "mail", load("mail-opening"), at=NOON, secret=b"s" * 32)
        desk.join("Ann", {"email": "ann@example.org"}, at=NOON)
    return location


@pytest.mark.parametrize("format", FORMATS)
def test_the_command_writes_what_the_library_writes(tmp_path: Path, mail: str, format: str) -> None:
    file = tmp_path / "out"
    file.write_text("old")
    done = run("export", mail, str(file), "--format", format, "--force")
    assert done.output.startswith(f"exported mail as {format}: ")
    with Ledger.open(mail) as ledger:
        assert file.read_bytes() == written(tmp_path, ledger, format).read_bytes()
    assert run("export", mail, "-", "--format", format).stdout_bytes == file.read_bytes()
    told = run("export", mail, str(file), "--format", format, "--force", "--json").output
    assert '"payments":' in told


def test_what_the_command_refuses(
    tmp_path: Path, mail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "out")
    assert "--public" in run("export", mail, out, "--format", "csv", "--key", out).stderr
    assert "no game 'go'" in run("export", mail, out, "--format", "csv", "--game", "go").stderr
    assert "is a ledger" in run("export", mail, mail, "--format", "csv").stderr
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = run("export", mail, out, "--format", "parquet")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "pip install 'nomoledger[parquet]'" in done.stderr
    with Ledger.open(mail) as ledger:
        ledger.add_game("second")
    assert "several games" in run("export", mail, out, "--format", "csv").stderr
    assert not Path(out).exists()


def test_what_the_library_refuses(wild: Wild) -> None:
    with pytest.raises(UsageError, match="no format 'xls'"):
        export_journal(wild.ledger, io.BytesIO(), "wild", "xls")
    with pytest.raises(UnknownError):
        export_journal(wild.ledger, io.BytesIO(), "go", "csv")
    with wild.ledger.store.writing() as writer:
        writer.insert("wild", [(99, "posted/1", b"")], [])
    with pytest.raises(CorruptError, match="cannot be exported"):
        export_journal(wild.ledger, io.BytesIO(), "wild", "csv")


# --- memory ---------------------------------------------------------------------------------------


class Nowhere(io.RawIOBase):
    def write(self, data: Any) -> int:
        return len(data)


@pytest.mark.parametrize("format", [each for each in FORMATS if each != "parquet"])
@pytest.mark.slow
def test_memory_does_not_grow_with_the_payments(tmp_path: Path, format: str) -> None:
    peaks = []
    for count in (4_000, 12_000):
        with Ledger.open(tmp_path / f"{count}.db", create=True) as ledger:
            wild = Wild(ledger, NAMES, GOODS)
            both = e.Posting("p0", "$", -1), e.Posting("p1", "$", 1)
            times: dict[str, Any] = {"period": 1, "received_at": NOON, "recorded_at": NOON}
            bodies = [e.Posted(**times, postings=both, why=str(n)) for n in range(count)]
            ledger.append("wild", bodies, expected=ledger.head("wild").number)
            del bodies, wild
            tracemalloc.start()
            export_journal(ledger, Nowhere(), "wild", format)  # type: ignore[arg-type]
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < peaks[0] + 200_000
