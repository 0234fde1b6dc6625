"""Disclosures: each shows one sealed event and is confirmed by an earlier seal."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from nomoledger.cli import program
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.disclosure import Disclosure, disclose_event, find_refutation
from nomoledger.proof.envelopes import DEPTH, Envelope
from nomoledger.proof.seal import Seal, decode_seal

from .plots import played


def run(*args: object) -> Result:
    return CliRunner().invoke(program, [*map(str, args)])


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("plots") / "game.db")


@pytest.fixture(scope="module")
def seals(game: Path) -> list[Seal]:
    with Ledger.open(game) as ledger:
        return [decode_seal(seal, "") for _, _, seal in ledger.store.seals("plots")]


@pytest.fixture(scope="module")
def openings(game: Path) -> list[Disclosure]:
    """Every possible disclosure: each sealed event from every envelope that contains it."""
    with Ledger.open(game) as ledger:
        entries = [x for x in ledger.read("plots") if x.body.audience is not None]
        return [
            disclose_event(ledger, "plots", entry.number, reader)
            for entry in entries
            for reader in (*(entry.body.audience or ()), "admin")
        ]


def test_every_sealed_event_can_be_disclosed_against_its_seal(
    openings: list[Disclosure], seals: list[Seal]
) -> None:
    assert {each.reader for each in openings} == {"Ann", "Bob", "admin"}
    for each in openings:
        assert find_refutation(each, seals[each.period - 1]) is None
        assert find_refutation(each, seals[each.period % 3]) is not None


def test_a_disclosure_shows_no_other_event(openings: list[Disclosure]) -> None:
    for each in openings:
        assert len(each.path) == DEPTH
        others = [x for x in openings if (x.period, x.reader) == (each.period, each.reader)]
        shown = {*each.path}
        assert not shown & {x.salt for x in others}
        text = bytes(each.event)
        assert b'"cause":-1' in text or b'"cause"' not in text or b"bonus" in text
    for period in (1, 2):
        slots = [x.slot for x in openings if x.period == period and x.reader == "admin"]
        assert slots != sorted(slots)
        assert max(slots) > 2**16


def _plans(opening: Disclosure) -> bool:
    return opening.reader == "Bob" and b"a trap on 4" in bytes(opening.event)


@pytest.mark.parametrize("field", ["game", "period", "reader", "event", "salt", "slot", "path"])
def test_no_part_of_a_disclosure_can_be_changed(
    openings: list[Disclosure], seals: list[Seal], field: str
) -> None:
    one = next(
        each for each in openings if each.reader == "Bob" and b"a trap on 4" in bytes(each.event)
    )
    other = {
        "game": "other",
        "period": 2,
        "reader": "Ann",
        "event": msgspec.Raw(bytes(one.event).replace(b"a trap on 4", b"a trap on 5")),
        "salt": one.salt[:-2] + ("00" if one.salt[-2:] != "00" else "11"),
        "slot": one.slot ^ 1,
        "path": (*one.path[:-1], "00" * 32),
    }
    changed = msgspec.structs.replace(one, **{field: other[field]})
    for seal in seals:
        assert find_refutation(changed, seal) is not None


def test_an_envelope_looks_the_same_empty_or_full() -> None:
    empty = Envelope(b"s" * 32, "g", 1, "Ann", {})
    full = Envelope(b"s" * 32, "g", 1, "Ann", {n: bytes([n]) * 32 for n in range(200)})
    assert len(empty.seal) == len(full.seal) == 64
    assert len({len(full.path(n)) for n in range(200)}) == 1
    beside = {node for n in range(200) for node in full.path(n)[:4]}
    assert len(beside) > 700  # next to every leaf there is nothing, and it shows as something


def test_the_command_open(game: Path, tmp_path: Path) -> None:
    with Ledger.open(game) as ledger:
        sealed = [x.number for x in ledger.read("plots") if x.body.audience == ("Bob",)]
    opening, seal, public = (tmp_path / name for name in ("o.json", "1.seal", "public.jsonl"))
    assert run("open", game, sealed[0], "-o", opening).exit_code == 0
    assert run("seal", game, "--period", 1, "-o", seal).exit_code == 0
    assert run("export", game, public, "--public").exit_code == 0
    for source in (seal, public):
        done = run("open", "--check", opening, source)
        assert done.exit_code == 0
        assert "sealed in period 1, in the envelope of Bob" in done.output
        assert "a trap on 4" in done.output
    laid_out = tmp_path / "pretty.json"
    laid_out.write_text(json.dumps(json.loads(opening.read_text()), indent=4))
    assert run("open", "--check", laid_out, seal).exit_code == 0
    laid_out.write_text(opening.read_text().replace("a trap on 4", "a trap on 5"))
    done = run("open", "--check", laid_out, seal)
    assert done.exit_code == 1
    assert "that event is not in the envelope of 'Bob'" in done.output
    other = tmp_path / "2.seal"
    run("seal", game, "--period", 2, "-o", other)
    assert "has no seal of its period" in run("open", "--check", opening, other).output


def test_events_that_cannot_be_disclosed_are_refused_with_one_line(
    game: Path, tmp_path: Path
) -> None:
    with Ledger.open(game) as ledger:
        sealed = [x.number for x in ledger.read("plots") if x.body.audience == ("Bob",)]
    assert "is public: there is nothing to open" in run("open", game, 0).stderr
    assert "there is no event #9999" in run("open", game, 9999).stderr
    assert "is not an event: write #116" in run("open", game, "first").stderr
    assert (
        "is not in the envelope of 'Ann', but in"
        in run("open", game, sealed[0], "--envelope", "Ann").stderr
    )
    file = tmp_path / "no.json"
    file.write_text("{}")
    assert "not a disclosure" in run("open", "--check", file, file).stderr
    assert "none.json: No such file" in run("open", "--check", tmp_path / "none.json", file).stderr


def test_an_event_of_an_open_period_cannot_be_disclosed(tmp_path: Path) -> None:
    from .plots import PLAIN

    file = played(tmp_path / "open.db", PLAIN[:4])
    with Ledger.open(file) as ledger:
        sealed = [x.number for x in ledger.read("plots") if x.body.audience is not None]
    assert "its period is still open" in run("open", file, sealed[0]).stderr


def test_open_shows_public_numbers_as_such(game: Path, tmp_path: Path) -> None:
    hint = "leave out any sealed events"
    assert (
        f"{hint}; ruling, explain and other commands take them as public:N"
        in run("log", game).stderr
    )
    assert "take them as Ann:N" in run("log", game, "--as", "Ann").stderr
    assert hint not in run("log", game, "--admin").output
    plain = played(tmp_path / "plain.db", with_secrets=False)
    assert hint in run("log", plain).stderr  # the rules have secret actions: the rest is a secret
