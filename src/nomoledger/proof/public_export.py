"""The public export: the public events of a game and its seals, for anybody to check.

The file consists of JSON lines: a header; every public event with its number and the hash of the
public chain up to it; a seal after each close; the public head at the end. The same ledger always
gives the same bytes.
"""

from pathlib import Path
from typing import BinaryIO

import msgspec

from nomoledger.errors import CorruptError
from nomoledger.events import Entry
from nomoledger.events.codec import decode_json
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.content_audit import ContentAudit
from nomoledger.proof.key_chain import current_signer
from nomoledger.proof.seal import Seal
from nomoledger.proof.sealer import PublicLine
from nomoledger.proof.signing import Signer


class ExportHeader(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="nomoledger", tag="public/1"
):
    """The first line: the *game*, and the public *key* of its seals."""

    game: str
    key: str


class PublicEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of an export: a public *event*, and the *hash* of the public chain up to it."""

    number: int
    hash: str
    event: msgspec.Raw


class ExportEnd(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="nomoledger", tag="end/1"
):
    """The last line: the *head* of the public chain, `41:ab12…`."""

    head: str


MARK = b'{"nomoledger":"public/1"'
_encode = msgspec.json.Encoder(order="deterministic").encode


def is_public_export(file: str | Path) -> bool:
    """Return whether *file* begins like a public export."""
    with open(file, "rb") as source:
        return source.read(len(MARK)) == MARK


def read_public_export(file: str | Path) -> list[Entry]:
    """Return the events of the public export in *file*, which `check_export` has found sound."""
    with open(file, "rb") as source:
        game = msgspec.json.decode(next(source), type=ExportHeader).game
        lines = (line for line in source if not line.startswith(b'{"nomoledger":'))
        events = [msgspec.json.decode(line, type=PublicEvent) for line in lines]
    return [Entry(game, each.number, decode_json(bytes(each.event))) for each in events]


def export_public(ledger: Ledger, game: str, file: BinaryIO, signer: Signer | None = None) -> str:
    """Write the public export of *game* to *file* and return the public head.

    *signer* signs the seals; if None, the game's own key does.

    Raises:
        UsageError: the game was handed over, and the signer has another key.
        CorruptError: the game does not verify; discard what was written.
    """
    secret = ledger.secret(game)
    signer = current_signer(ledger, game, signer)

    def write(struct: msgspec.Struct) -> None:
        file.write(_encode(struct) + b"\n")

    def write_event(line: PublicLine) -> None:
        write(PublicEvent(line.number, line.hash.hex(), msgspec.Raw(line.event)))

    def write_seal(seal: Seal) -> None:
        write(seal.signed(signer))

    audit = ContentAudit(game, secret, on_line=write_event, on_seal=write_seal)
    write(ExportHeader(game, signer.public))
    verdict = ledger.verify(game, audit=audit)
    if not verdict.ok:
        raise CorruptError(f"game {game!r} cannot be exported: {verdict.detail}")
    head = str(audit.sealer.chain)
    write(ExportEnd(head))
    return head
