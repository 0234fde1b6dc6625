"""Stored and published seals: what each reveals when somebody tampers with the ledger."""

import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from nomoledger.cli import program
from nomoledger.errors import StoreError
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup import units_of
from nomoledger.proof.content_audit import ContentAudit
from nomoledger.proof.seal import NO_SEAL, Seal, decode_seal
from nomoledger.proof.seal_observer import SealObserver
from nomoledger.proof.sealer import FOLD, PublicChain
from nomoledger.proof.signing import game_signer

from .plots import (
    NOON,
    PLAIN,
    SECRET,
    make,
    numbers,
    open_plots,
    played,
    recompute_chain,
    rewritten,
)


def run(*args: object) -> Result:
    return CliRunner().invoke(program, [*map(str, args)])


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("plots") / "game.db")


@pytest.fixture
def game(original: Path, tmp_path: Path) -> Path:
    """A ledger with three closed periods and secret events in two of them."""
    file = tmp_path / "game.db"
    with sqlite3.connect(original) as db, sqlite3.connect(file) as copy:
        db.backup(copy)
    copy.close()
    return file


@pytest.fixture
def seals(game: Path, tmp_path: Path) -> list[str]:
    """Files with the published seals of the game."""
    files = [str(tmp_path / f"{period}.seal") for period in (1, 2, 3)]
    for period, file in enumerate(files, 1):
        assert run("seal", game, "--period", period, "-o", file).exit_code == 0
    return files


def stored(file: Path) -> list[Seal]:
    with Ledger.open(file) as ledger:
        return [decode_seal(seal, "stored") for _, _, seal in ledger.store.seals("plots")]


def resealed(file: Path) -> None:
    """Replace the seals, as a forger of the ledger would."""
    with sqlite3.connect(file) as db:
        db.execute("DELETE FROM seals")
    db.close()
    rolled_up_anew(file)
    with Ledger.open(file) as ledger:
        SealObserver(ledger, "plots").keep_up()


def rolled_up_anew(file: Path) -> None:
    with Ledger.open(file) as ledger:
        units = units_of(entry.body for entry in ledger.read("plots"))
        with ledger.store.writing() as writer:
            writer.replace_rollup("plots", units)


def verified(file: Path, *args: object) -> str:
    """Return the exit code of verify and its output."""
    done = run("verify", file, *args)
    return f"{done.exit_code} {done.output}"


# --- stored seals ---------------------------------------------------------------------------------


def test_every_close_is_sealed_and_each_seal_follows_the_one_before(game: Path) -> None:
    found = stored(game)
    assert [each.period for each in found] == [1, 2, 3]
    assert [each.previous for each in found] == [NO_SEAL, found[0].digest, found[1].digest]
    assert all(each.is_signed and each.key == game_signer(SECRET).public for each in found)
    assert all(sorted(each.envelopes) == ["Ann", "Bob", "admin"] for each in found)
    assert verified(game).startswith("0 plots: ")
    assert "periods as sealed: 3" in verified(game)


def test_seals_follow_from_the_ledger_alone(game: Path, tmp_path: Path) -> None:
    before = stored(game)
    exported, copy = tmp_path / "all.jsonl", tmp_path / "copy.db"
    run("export", game, exported)
    run("import", copy, exported)
    with Ledger.open(copy) as ledger:
        SealObserver(ledger, "plots").keep_up()
    assert stored(copy) == before


def test_a_missed_seal_is_added_at_the_next_close(game: Path) -> None:
    before = stored(game)
    with sqlite3.connect(game) as db:
        db.execute("DELETE FROM seals WHERE period > 1")
    with Ledger.open(game) as ledger:
        Game(ledger, clock=lambda: NOON.replace(month=4)).close(id="late")
    assert stored(game)[:3] == before
    assert len(stored(game)) == 4


def test_a_resumed_sealer_makes_the_same_seals_as_a_new_one(
    location: str, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On both databases, without reading again what was read for the previous seal."""
    with Ledger.open(location, create=True) as ledger:
        make(open_plots(ledger), PLAIN, anew=True)
        kept = [decode_seal(seal, "stored") for _, _, seal in ledger.store.seals("plots")]
        assert kept == stored(game)
        assert ledger.verify("plots", audit=ContentAudit("plots", SECRET)).ok
        read: list[int] = []
        whole = Ledger.read

        def noted(self: Ledger, game: str, after: int = -1, upto: int | None = None):  # type: ignore[no-untyped-def]
            read.append(after)
            return whole(self, game, after, upto)

        monkeypatch.setattr(Ledger, "read", noted)
        SealObserver(ledger, "plots").keep_up()
        assert read == [ledger.store.seals("plots")[-1][1]]


# --- published seals ------------------------------------------------------------------------------


def test_a_seal_reveals_only_hashes(game: Path, seals: list[str]) -> None:
    text = Path(seals[0]).read_text()
    assert "poison" not in text
    assert "trap" not in text
    assert len({len(Path(each).read_bytes()) for each in seals}) == 1
    assert verified(game, *_given(seals)).startswith("0 ")


def _given(seals: list[str]) -> list[str]:
    return [word for file in seals for word in ("--seal", file)]


def test_the_content_of_a_seal_does_not_depend_on_the_key(game: Path, tmp_path: Path) -> None:
    key, seal = tmp_path / "key", tmp_path / "own.seal"
    if shutil.which("ssh-keygen") is None:
        pytest.skip("there is no ssh-keygen here")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    assert run("seal", game, "--key", key, "-o", seal).exit_code == 0
    found = decode_seal(seal.read_bytes(), "own")
    assert found.content == stored(game)[-1].content
    assert found.key != stored(game)[-1].key
    assert verified(game, "--seal", seal).startswith("0 ")


def test_invalid_keys_and_seals_are_refused_with_one_line(game: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("hello\n")
    assert "not an Ed25519 private key" in run("seal", game, "--key", other).stderr
    assert "not a seal" in run("verify", game, "--seal", other).stderr
    assert "is not closed yet" in run("seal", game, "--period", 9).stderr
    other.write_bytes(stored(game)[0].encoded()[:-20])
    assert "not a seal" in run("verify", game, "--seal", other).stderr


@pytest.mark.parametrize("field", [*Seal.__struct_fields__])
def test_no_field_of_a_seal_can_be_changed(game: Path, tmp_path: Path, field: str) -> None:
    fields = msgspec.to_builtins(stored(game)[1])
    was = fields[field]
    fields[field] = was + 1 if isinstance(was, int) else _other(was)
    file = tmp_path / "altered.seal"
    file.write_bytes(msgspec.json.encode(fields))
    assert "signature does not fit" in run("verify", game, "--seal", file).stderr


def _other(value: object) -> object:
    if isinstance(value, dict):
        return {**value, "Ann": "0" * 64}
    return str(value)[:-1] + ("0" if str(value)[-1] != "0" else "1")


# --- tampering ------------------------------------------------------------------------------------


def alter(game: Path) -> None:
    """Pay Bob instead of Ann for going, and make everything else fit."""
    number = next(n for n in numbers(game, secret=False) if _says(game, n, b"\xa3why\xa3pay"))
    rewritten(game, number, b"\xa3Ann\xa1$", b"\xa3Bob\xa1$")
    rolled_up_anew(game)


def _says(game: Path, number: int, text: bytes) -> bool:
    with sqlite3.connect(game) as db:
        query = "SELECT state FROM stored_events WHERE originator_version=?"
        return text in db.execute(query, (number,)).fetchone()[0]


def test_a_rewritten_chain_does_not_fit_the_states_at_the_closes(game: Path) -> None:
    alter(game)
    assert run("verify", game, "--chain-only").exit_code == 0
    assert "(state): the state at its close does not follow" in verified(game)


def rewrite_states(game: Path) -> None:
    """Replace the state digest of every close by that of the events before it."""
    from nomoledger import events as e
    from nomoledger.events.codec import encode
    from nomoledger.state.reducer import apply
    from nomoledger.state.world import World

    with Ledger.open(game) as ledger:
        entries = list(ledger.read("plots"))
    world = World()
    with sqlite3.connect(game) as db:
        for entry in entries:
            if isinstance(entry.body, e.PeriodClosed):
                told = msgspec.structs.replace(entry.body, digest=world.digest())
                query = "UPDATE stored_events SET state=? WHERE originator_version=?"
                db.execute(query, (encode(told), entry.number))
            apply(world, entry.body)
        recompute_chain(db)
    db.close()


def test_rewritten_states_do_not_fit_the_stored_seals(game: Path) -> None:
    alter(game)
    rewrite_states(game)
    assert "(seal): the seal of period 1: the public events" in verified(game)


def test_only_a_published_seal_reveals_a_ledger_rewritten_as_a_whole(
    game: Path, seals: list[str]
) -> None:
    alter(game)
    rewrite_states(game)
    resealed(game)
    assert verified(game).startswith("0 ")
    for given, first in ((seals, 1), (seals[1:], 2), (seals[2:], 3)):
        assert f"(published): period {first} is not what was published" in verified(
            game, *_given(given)
        )


def alter_secret(game: Path) -> None:
    """Change the text of Bob's secret act."""
    number = next(n for n in numbers(game, secret=True) if _says(game, n, b"secret fund"))
    rewritten(game, number, b"secret fund", b"secret gold")


def test_a_published_seal_reveals_a_rewritten_secret(game: Path, seals: list[str]) -> None:
    alter_secret(game)
    rewrite_states(game)
    resealed(game)
    assert verified(game).startswith("0 ")
    assert "(published): period 1 is not what was published" in verified(game, "--seal", seals[0])


def cut_off(game: Path, after: str) -> None:
    with sqlite3.connect(game) as db:
        (last,) = db.execute(
            "SELECT max(originator_version) FROM stored_events WHERE topic=?"
            f" AND originator_version < ({after})",
            ("period-closed/1",),
        ).fetchone()
        db.execute("DELETE FROM stored_events WHERE originator_version>?", (last,))
        db.execute("DELETE FROM chain WHERE number>?", (last,))
    db.close()


def test_seals_reveal_a_cut_off_end(game: Path, seals: list[str]) -> None:
    cut_off(game, "SELECT max(originator_version) FROM stored_events")
    with sqlite3.connect(game) as db:
        assert "(cut off): period 3 is sealed (stored)" in verified(game)
        db.execute("DELETE FROM seals WHERE period=3")
    db.close()
    resealed(game)
    assert verified(game).startswith("0 ")
    assert "(cut off): period 3 is sealed (published)" in verified(game, *_given(seals))


def tampered_seal(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def tamper(game: Path) -> None:
        with sqlite3.connect(game) as db:
            (seal,) = db.execute("SELECT seal FROM seals WHERE period=2").fetchone()
            db.execute("UPDATE seals SET seal=? WHERE period=2", (change(seal),))
        db.close()

    return tamper


def signed_anew(seal: bytes) -> bytes:
    changed = msgspec.structs.replace(decode_seal(seal, ""), state="0" * 64)
    return changed.signed(game_signer(SECRET)).encoded()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda seal: seal[:-9], "not a seal"),
        (lambda seal: b"", "not a seal"),
        (lambda seal: seal.replace(b'"period":2', b'"period":3'), "signature does not fit"),
        (signed_anew, "the public state at its close differs"),
    ],
)
def test_a_stored_seal_cannot_be_changed(
    game: Path, change: Callable[[bytes], bytes], said: str
) -> None:
    tampered_seal(change)(game)
    assert "(seal): the seal of period 2: " in verified(game)
    assert said in verified(game)


def test_verification_reads_each_event_once(game: Path) -> None:
    """The audit checks each event once, in the same pass."""
    with Ledger.open(game) as ledger:
        taken: list[int] = []

        class Told(ContentAudit):
            def check(self, number, body, reached):  # type: ignore[no-untyped-def]
                taken.append(number)
                return super().check(number, body, reached)

        verdict = ledger.verify("plots", audit=Told("plots", SECRET))
    assert verdict.ok
    assert taken == list(range(verdict.records))


# --- the version of the reducer -------------------------------------------------------------------


#: A little of everything, as it stands in a public export.
RECORDED = """\
{"event":"game-opened/1",COMMON,"id":"o","game":"g","rulebook":"r"}
{"event":"attempt-done/1",COMMON,"cause":0,"attempt":"o"}
{"event":"submission-received/1",COMMON,"id":"s","by":"Ann","action":"go"}
{"event":"entity-created/1",COMMON,"cause":2,"rules":["1@1"],"entity":"Ann","kind":"player"}
{"event":"attribute-set/1",COMMON,"cause":2,"entity":"Ann","attribute":"a","value":[1,"b"],"until":"use"}
{"event":"moved/1",COMMON,"cause":2,"piece":"Ann","mode":"place","left":null,"to":"square:1"}
{"event":"posted/1",COMMON,"cause":2,"postings":[["mint","$",-5],["Ann","$",5]],"why":"start"}
{"event":"scheduled/1",COMMON,"cause":2,"attempt":"s>later","operation":"later","due":1790000000}
{"event":"attempt-done/1",COMMON,"cause":2,"attempt":"s"}
{"event":"period-closed/1",COMMON,"cause":2,"digest":""}""".replace(
    "COMMON",
    '"period":1,"received_at":"2026-03-01T12:00:00Z","recorded_at":"2026-03-01T12:00:00Z"',
)
FOLDED = ("1", "8b88a38d2f778632", "94f1133d3af11675")


def test_state_digests_in_seals_have_not_changed() -> None:
    """If this fails, state digests have changed: raise FOLD, so that old seals stay valid."""
    chain = PublicChain("g")
    for event in RECORDED.split("\n"):
        chain.take(event.encode())
    assert (FOLD, chain.world.digest()[:16], chain.hash.hex()[:16]) == FOLDED


def test_a_failing_seal_does_not_undo_the_close_and_is_added_at_the_next(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise StoreError("the disk is full")

    other = tmp_path / "other.db"
    with monkeypatch.context() as patch:
        patch.setattr(SealObserver, "_store", fails)
        played(other, PLAIN)
    assert stored(other) == []
    assert verified(other).startswith("0 ")
    for file in (game, other):
        with Ledger.open(file) as ledger:
            Game(ledger, clock=lambda: NOON.replace(month=4)).close(id="late")
    assert len(stored(other)) == 4
    assert stored(other) == stored(game)
