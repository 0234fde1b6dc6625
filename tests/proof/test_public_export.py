"""The public export: it can be checked on its own, and every change to it is found."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from nomoledger.cli import program
from nomoledger.events.levels import NEWEST
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_check import check_export
from nomoledger.proof.public_export import export_public
from nomoledger.proof.seal import Seal, decode_seal
from nomoledger.proof.sealer import PublicChain
from nomoledger.proof.signing import Signer, game_signer

from .plots import SECRET, played

Lines = list[bytes]


def run(*args: object) -> Result:
    return CliRunner().invoke(program, [*map(str, args)])


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("plots") / "game.db")


@pytest.fixture(scope="module")
def lines(game: Path) -> Lines:
    file = io.BytesIO()
    with Ledger.open(game) as ledger:
        export_public(ledger, "plots", file)
    return file.getvalue().splitlines(keepends=True)


def checked(tmp_path: Path, lines: Lines, *seals: Seal) -> str:
    """Return the finding of a check of *lines*; empty if they are sound."""
    file = tmp_path / "public.jsonl"
    file.write_bytes(b"".join(lines))
    found = check_export(file, seals)
    assert found.ok == (found.detail is None)
    return (found.detail or "").removeprefix(f"{file}:")


def events_in(lines: Lines) -> list[int]:
    return [place for place, line in enumerate(lines) if b'"event":{' in line]


def seals_in(lines: Lines) -> list[int]:
    return [place for place, line in enumerate(lines) if b'"seal/1"' in line]


def test_it_has_the_public_events_and_is_checked_on_its_own(
    lines: Lines, game: Path, tmp_path: Path
) -> None:
    assert checked(tmp_path, lines) == ""
    text = b"".join(lines)
    assert b"poison" not in text
    assert b"a trap on 4" not in text
    assert SECRET.hex().encode() not in text
    numbers = [json.loads(lines[place])["number"] for place in events_in(lines)]
    assert numbers == list(range(len(numbers)))
    file = tmp_path / "cli.jsonl"
    assert run("export", game, file, "--public").exit_code == 0
    assert file.read_bytes() == text
    done = run("verify", file)
    assert done.exit_code == 0
    assert f"plots (level {NEWEST}): {len(numbers)} public events are as chained" in done.output
    assert "periods as sealed: 3" in done.output
    assert json.loads(run("verify", file, "--json").output)["ok"]


def test_every_export_has_the_same_bytes_also_from_a_copy(
    lines: Lines, game: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    assert run("copy", game, copy).exit_code == 0
    for file in (game, copy):
        assert run("export", file, "-", "--public").stdout_bytes == b"".join(lines)


def test_the_documented_format_is_recomputed_by_hand(lines: Lines) -> None:
    """Follow docs/ledger-file.md with nothing but hashlib."""
    import hashlib

    def framed(part: bytes) -> bytes:
        return len(part).to_bytes(8, "big") + part

    tag = b"nomoledger-public/1"
    last = hashlib.sha256(tag + framed(b"plots")).digest()
    for place in events_in(lines):
        line = lines[place]
        number, event = json.loads(line)["number"], line.split(b'"event":', 1)[1][:-2]
        last = hashlib.sha256(tag + last + number.to_bytes(8, "big") + framed(event)).digest()
        assert json.loads(line)["hash"] == last.hex()


# --- tampering ------------------------------------------------------------------------------------


def test_no_line_can_be_removed_repeated_or_moved(lines: Lines, tmp_path: Path) -> None:
    for place in range(len(lines)):
        without = lines[:place] + lines[place + 1 :]
        assert checked(tmp_path, without).startswith(f"{place + 1}: "), place
        twice = lines[: place + 1] + lines[place:]
        assert checked(tmp_path, twice).startswith(f"{place + 2}: "), place
        if place:
            moved = [*lines[: place - 1], lines[place], lines[place - 1], *lines[place + 1 :]]
            assert checked(tmp_path, moved).startswith(f"{place}: "), place


@pytest.mark.slow
def test_no_byte_can_be_changed(lines: Lines, tmp_path: Path) -> None:
    for place, line in enumerate(lines):
        for at in range(2, len(line) - 1, 23):
            changed = line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]
            found = checked(tmp_path, [*lines[:place], changed, *lines[place + 1 :]])
            if place == 0 and changed.count(b'"game":"plots"'):  # the key: known by its seals
                assert found, (place, at)
            else:
                assert found.startswith(f"{place + 1}: ") or place == 0, (place, at, found)
                assert found, (place, at)


def test_it_cannot_be_cut_off_anywhere(lines: Lines, tmp_path: Path) -> None:
    text = b"".join(lines)
    for end in [*range(0, len(text), 997), len(text) - 1]:
        assert checked(tmp_path, [text[:end]])
    assert "there is more after the last line" in checked(tmp_path, [*lines, b"\n"])


def rechained(lines: Lines, change: Callable[[int, bytes], bytes]) -> Lines:
    """Return *lines* with changed events and a recomputed public chain, but the old seals."""
    chain, made = PublicChain("plots"), []
    for line in lines:
        if b'"event":{' in line:
            number, event = json.loads(line)["number"], line.split(b'"event":', 1)[1][:-2]
            told = chain.take(change(number, event))
            head = f'{{"number":{told.number},"hash":"{told.hash.hex()}","event":'
            line = head.encode() + told.event + b"}\n"
        made.append(line)
    return made


def richer(number: int, event: bytes) -> bytes:
    return event.replace(b'["Ann","$",100]', b'["Ann","$",900]')


def test_a_recomputed_chain_does_not_fit_the_seal(lines: Lines, tmp_path: Path) -> None:
    forged = rechained(lines, richer)
    assert forged != lines
    place = seals_in(lines)[0]
    assert checked(tmp_path, forged) == (
        f"{place + 1}: the seal of period 1 does not fit the public events"
    )


def resealed(lines: Lines, signer: Signer, **fields: Any) -> Lines:
    """Return *lines* with new seals, computed from the lines except for *fields*."""
    chain, made, previous = PublicChain("plots"), [], "0" * 64
    for line in lines:
        if b'"event":{' in line:
            chain.take(line.split(b'"event":', 1)[1][:-2])
        elif b'"seal/1"' in line:
            seal = msgspec.json.decode(line, type=Seal)
            told = {"public": str(chain), "state": chain.world.digest(), "previous": previous}
            seal = msgspec.structs.replace(seal, **(told | fields)).signed(signer)
            previous, line = seal.digest, seal.encoded() + b"\n"
        elif b'"end/1"' in line:
            line = f'{{"nomoledger":"end/1","head":"{chain}"}}\n'.encode()
        made.append(line)
    return made


def test_a_complete_forgery_is_found_by_its_key_or_a_published_seal(
    lines: Lines, tmp_path: Path
) -> None:
    mine = game_signer(b"mine")
    forged = resealed(rechained(lines, richer), mine)
    assert "signed with another key" in checked(tmp_path, forged)
    forged[0] = lines[0].replace(game_signer(SECRET).public.encode(), mine.public.encode())
    assert checked(tmp_path, forged) == ""
    published = decode_seal(lines[seals_in(lines)[1]], "")
    assert "period 2 is not what was published" in checked(tmp_path, forged, published)
    assert checked(tmp_path, lines, published) == ""


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"state": "0" * 64}, "does not fit the public state"),
        ({"previous": "1" * 64}, "does not follow the seal before"),
        ({"game": "other"}, "of another game"),
        ({"period": 7}, "does not belong here"),
    ],
)
def test_a_seal_must_fit_the_events(
    lines: Lines, tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    forged = resealed(lines, game_signer(SECRET), **fields)
    assert said in checked(tmp_path, forged)


def test_an_export_that_ends_before_a_published_seal_is_cut_off(
    lines: Lines, tmp_path: Path
) -> None:
    place = seals_in(lines)[1]
    end = json.loads(lines[seals_in(lines)[0] + 0])["public"]
    short = [
        *lines[: seals_in(lines)[0] + 1],
        f'{{"nomoledger":"end/1","head":"{end}"}}\n'.encode(),
    ]
    assert checked(tmp_path, short) == ""
    assert "the file ends before period 2" in checked(
        tmp_path, short, decode_seal(lines[place], "")
    )


# --- dice -----------------------------------------------------------------------------------------


def test_every_public_die_follows_from_the_revealed_seed(lines: Lines, tmp_path: Path) -> None:
    def loaded(number: int, event: bytes) -> bytes:
        body = json.loads(event)
        if body["event"] == "draw-recorded/1" and "sides" in body:
            body["values"] = [6, 6]
        return json.dumps(body, separators=(",", ":")).encode()

    forged = resealed(rechained(lines, loaded), game_signer(SECRET))
    assert "the draw 6, 6 at" in checked(tmp_path, forged)
    assert "is not what the seed of its period gives" in checked(tmp_path, forged)


def test_the_revealed_seed_must_fit_its_commitment(lines: Lines, tmp_path: Path) -> None:
    def other(number: int, event: bytes) -> bytes:
        body = json.loads(event)
        if body["event"] == "period-closed/1":
            body["seed"] = "00" * 32
        return json.dumps(body, separators=(",", ":")).encode()

    forged = resealed(rechained(lines, other), game_signer(SECRET))
    assert "does not fit the commitment" in checked(tmp_path, forged)


def test_malformed_input_is_refused_with_one_line(game: Path, tmp_path: Path) -> None:
    file = tmp_path / "public.jsonl"
    run("export", game, file, "--public")
    assert "only --seal applies" in run("verify", file, "--head", "3:" + 32 * "ab").stderr
    file.write_bytes(b'{"nomoledger":"public/1","game":7}\n')
    assert "not a line of a public export" in run("verify", file).output
    assert run("verify", file).exit_code == 1
