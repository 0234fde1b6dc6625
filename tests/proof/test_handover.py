"""A game is handed over: which key may sign, and what is found if another one does."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import UsageError
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.key_chain import KeyRequest, request_key, statement
from nomoledger.proof.seal import decode_seal
from nomoledger.proof.signing import Signer, game_signer, new_key, read_signer

from .plots import NOON, PLAIN, SECRET, make, open_plots, played, recompute_chain

LATER = NOON + timedelta(days=1)


def run(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(program, [*map(str, words)])
    assert result.exit_code == code, result.output
    if code == 2:
        assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.output


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, Path]:
    """Private keys of Ann, Bob and Eve, in files."""
    files = {name: tmp_path / f"{name}.key" for name in ("ann", "bob", "eve")}
    for file in files.values():
        file.write_bytes(new_key()[0])
    return files


def asked(keys: dict[str, Path], name: str = "bob") -> KeyRequest:
    return request_key("plots", read_signer(keys[name]))


def public_of(keys: dict[str, Path], name: str) -> str:
    return read_signer(keys[name]).public


@pytest.fixture
def handed_over(tmp_path: Path, keys: dict[str, Path]) -> Path:
    """A game with secrets: four periods, of which Bob's key signs the last."""
    file = played(tmp_path / "game.db")
    with Ledger.open(file) as ledger:
        game = Game(ledger, clock=lambda: LATER)
        game.hand_over(asked(keys), text="So long", at=LATER)
        game.submit("Bob", "plot", {"plan": "x"}, at=LATER)
        game.close(at=LATER)
    return file


def seal(file: Path, period: int, signer: Signer, target: Path) -> Path:
    """Write a seal of the right content, signed by whoever wants to."""
    with Ledger.open(file) as ledger:
        content = {number: data for number, _, data in ledger.store.seals("plots")}[period]
    target.write_bytes(decode_seal(content, "stored").signed(signer).encoded())
    return target


def export(file: Path, key: Path, target: Path) -> Path:
    run("export", file, target, "--public", "--key", key)
    return target


def resigned(public: Path, signer: Signer) -> Path:
    """Sign all seals of a public export with another key, as whoever made it could."""
    header, *lines = public.read_bytes().splitlines()
    old = json.loads(header)["key"].encode()
    lines = [
        decode_seal(line, "seal").signed(signer).encoded()
        if line.startswith(b'{"nomoledger":"seal/1"')
        else line
        for line in lines
    ]
    lines = [header.replace(old, signer.public.encode()), *lines]
    public.write_bytes(b"".join(line + b"\n" for line in lines))
    return public


def test_seals_go_on_with_the_new_key_and_a_third_person_checks_them(
    handed_over: Path, keys: dict[str, Path], tmp_path: Path
) -> None:
    before = seal(handed_over, 3, game_signer(SECRET), tmp_path / "3.seal")
    after = tmp_path / "4.seal"
    run("seal", handed_over, "--period", 4, "--key", keys["bob"], "-o", after)
    public = export(handed_over, keys["bob"], tmp_path / "public.jsonl")
    for checked in (public, handed_over):
        printed = run("verify", checked, "--seal", before, "--seal", after)
        assert "handed over in period 4, confirmed by the old key" in printed
        assert f"old key: {game_signer(SECRET).public}" in printed
        assert f"new key: {public_of(keys, 'bob')}" in printed
    (passed,) = json.loads(run("verify", public, "--json"))["keys"]
    assert passed["key"] == public_of(keys, "bob")


def test_a_later_admin_may_sign_what_was_sealed_before(
    handed_over: Path, keys: dict[str, Path], tmp_path: Path
) -> None:
    again = seal(handed_over, 1, read_signer(keys["bob"]), tmp_path / "1.seal")
    run("verify", handed_over, "--seal", again)


@pytest.mark.parametrize(
    ("period", "signer", "problem"),
    [
        (4, "old", "but since period 4 the key of the game is"),
        (4, "eve", "which is no key of the game"),
        (1, "eve", "which is no key of the game"),
    ],
)
def test_a_seal_of_a_foreign_key_is_found(
    handed_over: Path, keys: dict[str, Path], tmp_path: Path, period: int, signer: str, problem: str
) -> None:
    by = game_signer(SECRET) if signer == "old" else read_signer(keys[signer])
    forged = seal(handed_over, period, by, tmp_path / "forged.seal")
    public = export(handed_over, keys["bob"], tmp_path / "public.jsonl")
    for checked in (public, handed_over):
        assert problem in run("verify", checked, "--seal", forged, code=1)


@pytest.mark.parametrize("signer", ["old", "eve"])
def test_an_export_that_another_key_signs_is_found(
    handed_over: Path, keys: dict[str, Path], tmp_path: Path, signer: str
) -> None:
    public = export(handed_over, keys["bob"], tmp_path / "public.jsonl")
    by = game_signer(SECRET) if signer == "old" else read_signer(keys[signer])
    printed = run("verify", resigned(public, by), code=1)
    assert "since the game was handed over" in printed


def test_only_the_new_key_signs_after_the_handover(
    handed_over: Path, keys: dict[str, Path], tmp_path: Path
) -> None:
    for more in ([], ["--key", keys["eve"]]):
        assert "the game was handed over" in run("seal", handed_over, *more, code=2)
        run("export", handed_over, tmp_path / "x.jsonl", "--public", *more, code=2)
        request = tmp_path / "eve.request"
        request.write_bytes(asked(keys, "eve").encoded())
        printed = run("handover", "give", handed_over, request, *more, code=2)
        assert "the game was handed over" in printed
    assert not (tmp_path / "x.jsonl").exists()


def test_the_old_key_can_be_one_in_a_file(keys: dict[str, Path], tmp_path: Path) -> None:
    file = played(tmp_path / "game.db")
    request = tmp_path / "bob.request"
    run("handover", "request", "plots", "--key", keys["bob"], "-o", request)
    run("handover", "give", file, request, "--key", keys["ann"], "--at", LATER.isoformat()[:19])
    seals = [seal(file, 2, read_signer(keys[name]), tmp_path / name) for name in ("ann", "eve")]
    run("verify", file, "--seal", seals[0])
    assert "no key of the game" in run("verify", file, "--seal", seals[1], code=1)


def test_a_game_passes_on_more_than_once(
    handed_over: Path, keys: dict[str, Path], tmp_path: Path
) -> None:
    with Ledger.open(handed_over) as ledger:
        game = Game(ledger, clock=lambda: LATER)
        game.hand_over(asked(keys, "eve"), str(keys["bob"]), at=LATER)
        game.close(at=LATER)
    public = export(handed_over, keys["eve"], tmp_path / "public.jsonl")
    fours = [seal(handed_over, 4, read_signer(keys[name]), tmp_path / name) for name in keys]
    assert "no key of the game" in run("verify", public, "--seal", fours[0], code=1)
    run("verify", public, "--seal", fours[1])
    five = seal(handed_over, 5, read_signer(keys["bob"]), tmp_path / "5")
    assert "since period 5" in run("verify", public, "--seal", five, code=1)


def test_no_undo_and_no_ruling_takes_a_handover_back(
    handed_over: Path, keys: dict[str, Path], tmp_path: Path
) -> None:
    file, at = played(tmp_path / "other.db"), LATER.isoformat()[:19]
    request = tmp_path / "bob.request"
    request.write_bytes(asked(keys).encoded())
    run("handover", "give", file, request, "--at", at)
    assert "nomoledger handover give" in run("undo", file, code=2)
    with Ledger.open(file) as ledger:
        number = ledger.head("plots").number
    printed = run("ruling", file, "No", "--reject", number, "--yes", code=2)
    assert f"#{number} passed the key of the game on" in printed


# --- without the old key ----------------------------------------------------------------------


def test_taking_over_without_the_old_key_is_said_everywhere(
    keys: dict[str, Path], tmp_path: Path
) -> None:
    file = played(tmp_path / "game.db")
    early = seal(file, 2, game_signer(SECRET), tmp_path / "2.seal")
    at = LATER.isoformat()[:19]
    printed = run("handover", "take", file, "--key", keys["bob"], "--text", "Gone", "--at", at)
    assert "not confirmed by the old key: Gone" in printed
    run("close", file, "--at", at)
    public = export(file, keys["bob"], tmp_path / "public.jsonl")
    for checked in (file, public):
        printed = run("verify", checked, "--seal", early)
        assert "NOT confirmed by the old key\n  old key: not on record" in printed
    for words in (["history", file], ["log", file], ["handover", "show", file]):
        assert "not confirmed by the old key" in run(*words).lower()


def test_the_key_of_the_game_cannot_take_it_over_again(
    handed_over: Path, keys: dict[str, Path]
) -> None:
    with Ledger.open(handed_over) as ledger:
        game = Game(ledger, clock=lambda: LATER)
        head = ledger.head("plots")
        with pytest.raises(UsageError, match="is the key of the game already"):
            game.take_over(str(keys["bob"]), at=LATER)
        assert ledger.head("plots") == head


# --- lies in the record -----------------------------------------------------------------------


def lies(keys: dict[str, Path]) -> dict[str, dict[str, Any]]:
    eve = asked(keys, "eve")
    return {
        "another text": {"text": "So what"},
        "another new key": {"key": eve.key, "consent": eve.signature},
        "no consent": {"consent": 128 * "0"},
        "not confirmed": {"is_confirmed": False},
        "another old key": {"previous": public_of(keys, "ann")},
        "another seal": {"sealed": 64 * "a"},
    }


@pytest.mark.parametrize(
    "lie",
    ["another text", "another new key", "no consent", "not confirmed", "another old key",
     "another seal"],
)  # fmt: skip
def test_a_statement_that_was_altered_is_found(
    handed_over: Path, keys: dict[str, Path], tmp_path: Path, lie: str
) -> None:
    change(handed_over, lies(keys)[lie])
    printed = run("verify", handed_over, code=1)
    assert "is wrong (key): the game does not pass to the key" in printed


def test_a_statement_about_another_seal_is_found_though_its_signature_fits(
    handed_over: Path, keys: dict[str, Path], tmp_path: Path
) -> None:
    change(handed_over, {"sealed": 64 * "a"}, signer=game_signer(SECRET))
    assert "does not follow the last seal before it" in run("verify", handed_over, code=1)


def change(file: Path, fields: dict[str, Any], signer: Signer | None = None) -> None:
    """Change the event by which the game passes on, and compute the chain anew."""
    with Ledger.open(file) as ledger:
        entries: Sequence[e.Entry] = list(ledger.read("plots"))
        entry = next(entry for entry in entries if isinstance(entry.body, e.KeyPassed))
    body: Any = msgspec.structs.replace(entry.body, **fields)
    if signer is not None:
        signature = signer.sign(statement("plots", body))
        body = msgspec.structs.replace(body, signature=signature)
    with sqlite3.connect(file) as db:
        db.execute(
            "UPDATE stored_events SET state=? WHERE originator_version=?",
            (msgspec.msgpack.encode(body), entry.number),
        )
        recompute_chain(db)
    db.close()


# --- requests ---------------------------------------------------------------------------------


def test_requests_that_do_not_fit_are_refused_and_nothing_is_recorded(
    keys: dict[str, Path], tmp_path: Path
) -> None:
    file, request = played(tmp_path / "game.db"), tmp_path / "bob.request"
    with Ledger.open(file) as ledger:
        head = ledger.head("plots")
    good = asked(keys).encoded()
    other = request_key("chess", read_signer(keys["bob"])).encoded()
    for data, problem in (
        (other, "the request is to take chess over, not plots"),
        (good.replace(b"plots", b"plotz"), "it was altered"),
        (good[:50], "not a request to take a game over"),
        (b"", "not a request to take a game over"),
        (b"\xff" * 20_000, "not a request to take a game over"),
    ):
        request.write_bytes(data)
        assert problem in run("handover", "give", file, request, code=2)
    assert "not an Ed25519 private key" in run("handover", "take", file, "--key", request, code=2)
    with Ledger.open(file) as ledger:
        assert ledger.head("plots") == head


def test_a_handover_that_is_asked_for_twice_under_one_id_happens_once(
    keys: dict[str, Path], tmp_path: Path
) -> None:
    with Ledger.open(played(tmp_path / "game.db")) as ledger:
        game = Game(ledger, clock=lambda: LATER)
        first = game.hand_over(asked(keys), at=LATER, id="one")
        assert game.hand_over(asked(keys), at=LATER, id="one").events == first.events
        with pytest.raises(UsageError, match="is that of another request"):
            game.hand_over(asked(keys, "eve"), at=LATER, id="one")
        with pytest.raises(UsageError, match="is that of another request"):
            game.take_over(str(keys["eve"]), at=LATER, id="one")


def test_a_key_is_for_its_owner_only_and_no_key_is_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "bob.key"
    public = run("handover", "key", file).split()[-1]
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_signer(file).public == public
    run("handover", "key", file, code=2)
    assert read_signer(file).public == public


def test_the_statement_follows_what_is_due_in_public_too(
    keys: dict[str, Path], tmp_path: Path
) -> None:
    """A secret request moves the clock; what was due then is published before the statement."""
    file = tmp_path / "game.db"
    with Ledger.open(file, create=True) as ledger:
        game = open_plots(ledger)
        make(game, [*PLAIN[:6], ("submit", ["Ann", "go"], 1)])
        at = NOON + timedelta(hours=20)
        game.clock = lambda: at
        game.submit("Bob", "plot", {"plan": "late"}, at=at)
        game.hand_over(asked(keys), at=at)
        game.close(at=at)
    run("verify", export(file, keys["bob"], tmp_path / "public.jsonl"))
    run("verify", file)


def test_what_is_published_of_a_handover_depends_on_nothing_sealed(
    keys: dict[str, Path], tmp_path: Path
) -> None:
    """Two ledgers with the same public events; only one has sealed ones besides."""
    published = []
    for with_secrets in (True, False):
        file = played(tmp_path / f"{with_secrets}.db", with_secrets=with_secrets)
        with Ledger.open(file) as ledger:
            game = Game(ledger, clock=lambda: LATER)
            game.hand_over(asked(keys), text="So long", at=LATER, id="handover")
        public = export(file, keys["bob"], tmp_path / f"{with_secrets}.jsonl")
        lines = [json.loads(line) for line in public.read_bytes().splitlines()]
        events = [line["event"] for line in lines if "event" in line]
        advanced, passed = events[-2:]
        assert (advanced["event"], passed["event"]) == ("clock-advanced/1", "key-passed/1")
        del advanced["id"]  # a random one
        covered = passed.pop("sealed"), passed.pop("signature")
        published.append((run("history", file), run("log", file), events, covered))
    (*one, one_covers), (*other, other_covers) = published
    assert one == other
    assert one_covers != other_covers  # so the docs say that these two fields depend on them


# --- the secret -------------------------------------------------------------------------------


def test_a_ledger_with_a_wrong_secret_says_what_cannot_be_done(tmp_path: Path) -> None:
    file = played(tmp_path / "game.db")
    with sqlite3.connect(file) as db:
        db.execute("UPDATE games SET secret=?", (b"x" * 32,))
    db.close()
    printed = run("verify", file, code=1)
    assert "the game's secret or its chain was changed" in printed
    assert "no sealed event can be opened" in printed
    printed = run("submit", file, "Ann", "go", "--at", LATER.isoformat()[:19], code=2)
    assert "the secret in this ledger is not that of the game" in printed
    assert "no die of period 4 can be drawn" in printed


def lose_secret(location: str) -> None:
    """Put a wrong secret into a ledger."""
    with Ledger.open(location) as ledger, ledger.transaction() as transaction:
        transaction.replace_secret("plots", b"x" * 32)


def test_a_secret_comes_back_from_a_file_or_an_old_export(location: str, tmp_path: Path) -> None:
    old = tmp_path / "old.jsonl"
    with Ledger.open(location, create=True) as ledger:
        game = open_plots(ledger)
        make(game, PLAIN[:6])
        run("export", location, old)
        game.submit("Ann", "go", at=LATER)
    kept = tmp_path / "plots.secret"
    run("handover", "secret", location, "-o", kept)
    assert kept.stat().st_mode & 0o777 == 0o600
    for file in (kept, old):
        lose_secret(location)
        run("verify", location, code=1)
        assert "fits every record" in run("handover", "restore", location, file)
        run("verify", location)


def test_a_secret_that_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    location, file = str(played(tmp_path / "game.db")), tmp_path / "plots.secret"
    wrong = f'{{"nomoledger":"secret/1","game":"plots","secret":"{"ab" * 32}"}}'
    for text, problem in (
        (wrong, "with that in the file, #0 would be wrong (altered)"),
        (wrong.replace("plots", "chess"), "no game 'chess'"),
        (wrong.replace("ab", "xy"), "holds no secret of a game"),
        ("", "holds no secret of a game"),
        ('{"game":"plots"}', "holds no secret of a game"),
    ):
        file.write_text(text)
        assert problem in run("handover", "restore", location, file, code=2)
    run("verify", location)


@pytest.mark.parametrize("secret", [b"x" * 32, b"x" * 5, None])
def test_an_export_with_a_wrong_secret_or_none_is_refused(
    tmp_path: Path, secret: bytes | None
) -> None:
    file = tmp_path / "export.jsonl"
    run("export", played(tmp_path / "game.db"), file)
    first, *others = file.read_bytes().splitlines(keepends=True)
    header = json.loads(first)
    header = {name: value for name, value in header.items() if name != "secret"} | (
        {} if secret is None else {"secret": secret.hex()}
    )
    file.write_bytes(b"".join([json.dumps(header).encode() + b"\n", *others]))
    printed = run("import", tmp_path / "other.db", file, code=2)
    assert "secret" in printed
    assert not (tmp_path / "other.db").exists()
