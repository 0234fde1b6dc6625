"""Commands that let others check a game: seal, open, and what export and verify need for them."""

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_of_game
from nomoledger.cli.dry_runs import print_unwritten
from nomoledger.cli.output import print_blocks, print_json, print_line
from nomoledger.cli.progress import count_records, counting, progress

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    from nomoledger import events as e
    from nomoledger.game.export_replay import ExportReplay
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.ledger.verification import Verdict
    from nomoledger.proof.disclosure import Disclosure
    from nomoledger.proof.public_check import PublicVerdict
    from nomoledger.proof.seal import Seal
    from nomoledger.proof.signing import Signer

FAILED = 1
key = click.option(
    "--key", "key_file", metavar="FILE", type=click.Path(dir_okay=False),
    help="Sign with the Ed25519 key in FILE (default: the game's own key).",
)  # fmt: skip
output = click.option(
    "-o", "--output", default="-", metavar="FILE",
    type=options.OutputFile(allow_dash=True),
    help="Write to FILE (default: standard output).",
)  # fmt: skip


def read_signer(key_file: str | None) -> "Signer | None":
    """Return the signer whose key is in *key_file*; None to sign with the game's own key."""
    if key_file is None:
        return None
    from nomoledger.proof.signing import read_signer

    return read_signer(key_file)


@click.command()
@options.ledger
@click.option(
    "--period", type=int, metavar="N", help="Seal period N (default: the last closed period)."
)
@key
@output
@options.force
@options.dry_run
@options.game
def seal(
    location: str,
    period: int | None,
    key_file: str | None,
    output: str,
    force: bool,
    dry_run: bool,
    game_name: str | None,
) -> None:
    """Write the signed seal of a closed period, for publication.

    The seal is one line of JSON and reveals no secret. Publish it in a place that you cannot change
    later. verify --seal compares a ledger with it.

    Example: nomoledger seal game.db --period 1 -o week-1.seal
    """
    from nomoledger.cli.atomic_file import atomic_file
    from nomoledger.proof.key_chain import current_signer

    given = read_signer(key_file)
    with (
        open_ledger_of_game(location, game_name, dry_run=dry_run) as (ledger, name),
        atomic_file(output, force=force, dry_run=dry_run) as target,
    ):
        signer = current_signer(ledger, name, given)
        signed = _seal_of(ledger, name, period).signed(signer)
        ledger.confirm()  # What is published must not be lost with a server.
        target.write(signed.encoded() + b"\n")
    if dry_run:
        print_unwritten(output)


def _seal_of(ledger: "Ledger", name: str, period: int | None) -> "Seal":
    from nomoledger.errors import UnknownError
    from nomoledger.proof.seal_observer import SealObserver, kept_seals

    with progress("sealing"):
        SealObserver(ledger, name).keep_up()
        seals = {seal.period: seal for seal in kept_seals(ledger, name)}
        if period is not None and period not in seals:
            seals = {seal.period: seal for seal in SealObserver(ledger, name, anew=True).keep_up()}
    number = max(seals, default=None) if period is None else period
    if number not in seals:
        subject = "no period is" if number is None else f"period {number} is not"
        raise UnknownError(f"{name}: {subject} closed yet: there is nothing to seal")
    return seals[number]


@click.command("open")
@options.ledger
@click.argument("event")
@click.option(
    "--envelope",
    metavar="PLAYER",
    help="Disclose the event from the envelope of PLAYER (or admin).",
)
@click.option(
    "--check",
    is_flag=True,
    help="Check a disclosure: give its file for LEDGER, and a seal or public export for EVENT.",
)
@output
@options.force
@options.dry_run
@options.game
@options.as_json
def open_(
    location: str,
    event: str,
    envelope: str | None,
    check: bool,
    output: str,
    force: bool,
    dry_run: bool,
    game_name: str | None,
    as_json: bool,
) -> int:
    """Disclose one sealed event, with a proof that it was recorded.

    The disclosure reveals this event and no other sealed one. EVENT is the number of the event in
    log --admin, or Ann:17 for number 17 in log --as Ann.

    Example: nomoledger open game.db 57 -o opening.json
    """
    if check:
        return _check(location, event, as_json)
    from nomoledger.cli.atomic_file import atomic_file
    from nomoledger.game.event_numbers import find_event
    from nomoledger.proof.disclosure import disclose_event

    with (
        open_ledger_of_game(location, game_name) as (ledger, name),
        atomic_file(output, force=force, dry_run=dry_run) as target,
        progress("opening"),
    ):
        number = find_event(list(ledger.read(name)), event)
        target.write(disclose_event(ledger, name, number, envelope).encoded() + b"\n")
    if dry_run:
        print_unwritten(output)
    return 0


def _check(disclosure_file: str, seal_file: str, as_json: bool) -> int:
    from nomoledger.proof.disclosure import find_refutation, read_disclosure
    from nomoledger.proof.public_check import check_export
    from nomoledger.proof.public_export import is_public_export

    disclosure = read_disclosure(disclosure_file)
    if is_public_export(seal_file):
        verdict = check_export(seal_file)
        if not verdict.ok:
            return _print_check(disclosure, verdict.detail, as_json)
    seal = seal_in(seal_file, disclosure.period)
    why = find_refutation(disclosure, seal) if seal else f"{seal_file} has no seal of its period"
    return _print_check(disclosure, why, as_json)


def _print_check(disclosure: "Disclosure", why: str | None, as_json: bool) -> int:
    if as_json:
        print_json({"ok": why is None, "detail": why, "event": disclosure.event})
        return 0 if why is None else FAILED
    if why is not None:
        print_line(f"not proved: {why}")
        return FAILED
    print_line(f"sealed in period {disclosure.period}, in the envelope of {disclosure.reader}:")
    print_line(bytes(disclosure.event).decode())
    return 0


def seal_in(file: str, period: int) -> "Seal | None":
    """Return the seal of *period* in *file*, which is a seal or a public export."""
    from nomoledger.proof.seal import decode_seal

    with open(file, "rb") as source:
        for number, line in enumerate(source, 1):
            if number == 1 or line.startswith(b'{"nomoledger":"seal/1"'):
                if line.startswith(b'{"nomoledger":"public/1"'):
                    continue
                seal = decode_seal(line, f"{file}:{number}")
                if seal.period == period:
                    return seal
    return None


# --- public exports and verification, for `nomoledger.cli.ledgers` -------------------------------


def export_public_game(
    ledger: "Ledger", target: "BinaryIO", game_name: str | None, key_file: str | None
) -> dict[str, str]:
    """Write the public export of a game; return the game and its public head."""
    from nomoledger.ledger.as_of import only_game
    from nomoledger.proof.public_export import export_public

    signer, name = read_signer(key_file), game_name or only_game(ledger)
    with progress("exporting", count_records(ledger, [name])) as advance:
        head = export_public(counting(ledger, advance), name, target, signer)
    return {"game": name, "head": head}


def is_public(file: "Path") -> bool:
    """Return whether *file* is a public export."""
    from nomoledger.proof.public_export import is_public_export

    return is_public_export(file)


def read_seals(files: "Sequence[str]") -> "list[Seal]":
    """Return the seals in *files*, one in each file, ordered by period."""
    from pathlib import Path

    from nomoledger.proof.seal import decode_seal

    seals = [decode_seal(Path(file).read_bytes(), file) for file in files]
    games, periods = {seal.game for seal in seals}, {seal.period for seal in seals}
    if len(games) > 1 or len(periods) < len(seals):
        raise click.UsageError("give seals of one game, each of another period")
    return sorted(seals, key=lambda seal: seal.period)


def verify_export(file: str, seals: "Sequence[Seal]", as_json: bool) -> int:
    """Check and replay a public export, print the verdict, and return the exit code."""
    from nomoledger.proof.public_check import check_export

    with progress("checking"):
        verdict = check_export(file, seals)
    replayed = None
    if verdict.ok:
        from nomoledger.game.export_replay import replay_export

        with progress("replaying", verdict.events) as advance:
            replayed = replay_export(file, done=advance)
    is_ok = verdict.ok and (replayed is None or replayed.ok)
    keys = _keys_passed(verdict.passed)
    if as_json:
        from msgspec import to_builtins

        found = {name: value for name, value in to_builtins(verdict).items() if name != "passed"}
        print_json(found | {"ok": is_ok, "replay": replayed} | ({"keys": keys} if keys else {}))
        return 0 if is_ok else FAILED
    print_line(_public_verdict_line(verdict))
    print_blocks(key_lines(verdict.game, keys))
    if replayed is not None:
        print_line(_replay_line(replayed))
    return 0 if is_ok else FAILED


def _keys_passed(passed: "Sequence[e.KeyPassed]") -> list[dict[str, Any]]:
    names = ("period", "key", "previous", "is_confirmed")
    return [{name: getattr(each, name) for name in names} for each in passed]


def key_lines(game: str, keys: "Sequence[dict[str, Any]]") -> list[str]:
    """Return lines for each of *keys*, which the *game* passed to in that order."""
    return [
        line
        for passed in keys
        for line in (
            f"{game}: handed over in period {passed['period']},"
            f" {'' if passed['is_confirmed'] else 'NOT '}confirmed by the old key",
            f"  old key: {passed['previous'] or 'not on record'}",
            f"  new key: {passed['key']}",
        )
    ]


def _replay_line(replayed: "ExportReplay") -> str:
    followed = f"{replayed.followed} events follow from the rules"
    if replayed.apart:
        followed += f"; {replayed.apart} have causes that are not public"
    if replayed.beyond is None:
        return followed
    first, events = replayed.beyond.first, replayed.beyond.events
    others = f" and {events - 1} more" if events > 1 else ""
    if replayed.has_secrets:
        return f"{followed}; #{first}{others} may follow from events that are not public"
    return f"wrong: #{first}{others} do not follow from the rules and the events before; {followed}"


def _public_verdict_line(verdict: "PublicVerdict") -> str:
    if not verdict.ok:
        return str(verdict.detail)
    counts = f"{verdict.events} public events are as chained, public head {verdict.head}"
    sealed = f"periods as sealed: {verdict.seals}; signed by {verdict.key}"
    return f"{verdict.game} (level {verdict.level}): {counts}; {sealed}"


class VerifiedGame(NamedTuple):
    """The *verdict* on a game, how many *seals* were compared, and the *keys* it passed to."""

    verdict: "Verdict"
    seals: int | None = None
    keys: "Sequence[dict[str, Any]]" = ()


def verify_ledger(
    ledger: "Ledger",
    games: "Sequence[str]",
    head: str | None,
    seals: "Sequence[Seal]",
    chain_only: bool,
) -> list[VerifiedGame]:
    """Return the verdict on each of *games*."""
    from nomoledger.ledger.chain import Head
    from nomoledger.ledger.snapshots import SnapshotCheck
    from nomoledger.proof.content_audit import ContentAudit

    expected = None if head is None else Head.parse(head)
    results: list[VerifiedGame] = []
    with progress("verifying", count_records(ledger, list(games))) as advance:
        counted = counting(ledger, advance)
        for name in games:
            if chain_only or ledger.store.secret(name) is None:
                results.append(VerifiedGame(counted.verify(name, expected)))
                continue
            audit = ContentAudit(
                name,
                ledger.secret(name),
                stored=ledger.store.seals(name),
                published=seals,
                snapshots=SnapshotCheck(ledger, name),
            )
            verdict = counted.verify(name, expected, audit)
            keys = _keys_passed(audit.keys.passed)
            results.append(VerifiedGame(verdict, audit.sealed_count, keys))
    return results
