"""Commands that let others check a game: seal, open; and verify, of a ledger or a public export."""

import re
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_at
from nomoledger.cli.output import json, line
from nomoledger.cli.progress import counting, progress, records_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    from nomoledger.ledger.ledger import Ledger
    from nomoledger.ledger.verification import Verdict
    from nomoledger.proof.disclosure import Disclosure
    from nomoledger.proof.public_check import PublicVerdict
    from nomoledger.proof.seal import Seal
    from nomoledger.proof.signing import Signer

FAILED = 1
key = click.option(
    "--key", "key_file", metavar="FILE", type=click.Path(dir_okay=False),
    help="Sign with the Ed25519 key in FILE (default: the game's own).",
)  # fmt: skip
output = click.option(
    "-o", "--output", default="-", metavar="FILE", type=click.Path(allow_dash=True),
    help="Write it into FILE (default: standard output).",
)  # fmt: skip


def signer(key_file: str | None) -> "Signer | None":
    """Who signs with the key in *key_file*; None for the game itself."""
    if key_file is None:
        return None
    from nomoledger.proof.signing import signer_in

    return signer_in(key_file)


@click.command()
@options.ledger
@click.option("--period", type=int, metavar="N", help="The period (default: the last closed).")
@key
@output
@options.game
def seal(
    ledger: str, period: int | None, key_file: str | None, output: str, game: str | None
) -> None:
    """Write the signed seal of a closed period, to be published.

    It is one line of JSON, and tells nothing that is secret. Publish it where you cannot change it
    any more: verify --seal holds a ledger against it.

    Example: nomoledger seal game.db --period 1 -o week-1.seal
    """
    from nomoledger.ledger.as_of import only_game
    from nomoledger.proof.signing import own_signer

    by = signer(key_file)
    with open_ledger_at(ledger) as opened:
        name = game or only_game(opened)
        found = _seal_of(opened, name, period)
        _write(output, found.signed(by or own_signer(opened.secret(name))).encoded())


def _seal_of(ledger: "Ledger", game: str, period: int | None) -> "Seal":
    from nomoledger.errors import UnknownError
    from nomoledger.proof.seal_keeper import SealKeeper, kept_seals

    with progress("sealing"):
        SealKeeper(ledger, game).keep_up()
        seals = {each.period: each for each in kept_seals(ledger, game)}
        if period is not None and period not in seals:
            seals = {each.period: each for each in SealKeeper(ledger, game, anew=True).keep_up()}
    wanted = max(seals, default=None) if period is None else period
    if wanted not in seals:
        what = "no period" if wanted is None else f"period {wanted} is not"
        raise UnknownError(f"{game}: {what} closed yet: there is nothing to seal")
    return seals[wanted]


@click.command("open")
@options.ledger
@click.argument("event")
@click.option("--envelope", metavar="PLAYER", help="Out of whose envelope (or that of: admin).")
@click.option("--check", is_flag=True, help="Check an OPENING against a SEAL or public export.")
@output
@options.game
@options.as_json
def open_(
    ledger: str,
    event: str,
    envelope: str | None,
    check: bool,
    output: str,
    game: str | None,
    as_json: bool,
) -> int:
    """Reveal a sealed EVENT, with the proof that it was recorded.

    What is written shows this one event and nothing else that is sealed. Its number is that in
    log --admin. With --check, give the opening and the seal of its period (or a public export).

    Example: nomoledger open game.db 57 -o opening.json
    """
    if check:
        return _check(ledger, event, as_json)
    from nomoledger.ledger.as_of import only_game
    from nomoledger.proof.disclosure import disclose_event

    if not re.fullmatch("[0-9]{1,18}", event):
        raise click.UsageError(f"{event!r} is no number of an event; log --admin has them")
    with open_ledger_at(ledger) as opened, progress("opening"):
        found = disclose_event(opened, game or only_game(opened), int(event), envelope)
    _write(output, found.encoded())
    return 0


def _check(opening_file: str, seal_file: str, as_json: bool) -> int:
    from nomoledger.proof.disclosure import find_refutation, read_disclosure
    from nomoledger.proof.public_check import check_export
    from nomoledger.proof.public_export import is_public_export

    opening = read_disclosure(opening_file)
    if is_public_export(seal_file):
        checked = check_export(seal_file)
        if not checked.ok:
            return _said_open(opening, checked.detail, as_json)
    found = seals_in(seal_file, opening.period)
    why = find_refutation(opening, found) if found else f"{seal_file} has no seal of its period"
    return _said_open(opening, why, as_json)


def _said_open(opening: "Disclosure", why: str | None, as_json: bool) -> int:
    if as_json:
        json({"ok": why is None, "detail": why, "event": opening.event})
        return 0 if why is None else FAILED
    if why is not None:
        line(f"not borne out: {why}")
        return FAILED
    line(f"sealed in period {opening.period}, in the envelope of {opening.reader}:")
    line(bytes(opening.event).decode())
    return 0


def seals_in(file: str, period: int) -> "Seal | None":
    """The seal of *period* in *file*: a seal, or a public export."""
    from nomoledger.proof.seal import decode_seal

    with open(file, "rb") as source:
        for number, each in enumerate(source, 1):
            if number == 1 or each.startswith(b'{"nomoledger":"seal/1"'):
                if each.startswith(b'{"nomoledger":"public/1"'):
                    continue
                found = decode_seal(each, f"{file}:{number}")
                if found.period == period:
                    return found
    return None


def _write(output: str, data: bytes) -> None:
    from nomoledger.cli.atomic_file import atomic_file

    with atomic_file(output) as target:
        target.write(data + b"\n")


# --- export and verify, as `nomoledger.cli.ledgers` offers them ----------------------------------


def exported(
    ledger: "Ledger", target: "BinaryIO", game: str | None, key_file: str | None
) -> dict[str, str]:
    """Write the public export of a game, and say which, with its public head."""
    from nomoledger.ledger.as_of import only_game
    from nomoledger.proof.public_export import export_public

    by, name = signer(key_file), game or only_game(ledger)
    with progress("exporting", records_in(ledger, [name])) as advance:
        head = export_public(counting(ledger, advance), name, target, by)
    return {"game": name, "head": head}


def is_public(file: "Path") -> bool:
    """Whether *file* is a public export."""
    from nomoledger.proof.public_export import is_public_export

    return is_public_export(file)


def published(files: "Sequence[str]") -> "list[Seal]":
    """The seals in *files*, one in each, in the order of their periods."""
    from pathlib import Path

    from nomoledger.proof.seal import decode_seal

    found = [decode_seal(Path(file).read_bytes(), file) for file in files]
    if len({each.game for each in found}) > 1 or len({x.period for x in found}) < len(found):
        raise click.UsageError("give seals of one game, each of another period")
    return sorted(found, key=lambda each: each.period)


def verify_export(file: str, seals: "Sequence[Seal]", as_json: bool) -> int:
    """Check a public export, and say what was found."""
    from nomoledger.proof.public_check import check_export

    with progress("checking"):
        found = check_export(file, seals)
    if as_json:
        json(found)
    else:
        line(_told(found))
    return 0 if found.ok else FAILED


def _told(found: "PublicVerdict") -> str:
    if not found.ok:
        return str(found.detail)
    counts = f"{found.events} public events are as chained, public head {found.head}"
    return f"{found.game}: {counts}; periods as sealed: {found.seals}; signed by {found.key}"


def verify_ledger(
    ledger: "Ledger", games: "Sequence[str]", head: str | None, seals: "Sequence[Seal]", plain: bool
) -> "list[tuple[Verdict, int | None]]":
    """What verifying *games* finds, with the number of seals; *plain*: the chain alone."""
    from nomoledger.ledger.chain import Head
    from nomoledger.ledger.snapshots import SnapshotCheck
    from nomoledger.proof.content_audit import ContentAudit

    expected = None if head is None else Head.parse(head)
    found: list[tuple[Verdict, int | None]] = []
    with progress("verifying", records_in(ledger, list(games))) as advance:
        counted = counting(ledger, advance)
        for game in games:
            if plain or ledger.store.secret(game) is None:
                found.append((counted.verify(game, expected), None))
                continue
            audit = ContentAudit(
                game,
                ledger.secret(game),
                stored=ledger.store.seals(game),
                published=seals,
                snapshots=SnapshotCheck(ledger, game),
            )
            verdict = counted.verify(game, expected, audit)
            found.append((verdict, audit.sealed_count))
    return found
