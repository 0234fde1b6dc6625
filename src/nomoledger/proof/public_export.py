"""The public export: what everybody may see of a game, and its seals, for anybody to check.

JSON lines: a header; every public event with its number and the hash of the public chain up to it;
after each close its seal; and at last where the chain ends. It follows from the ledger alone, and
comes out the same each time.
"""

from pathlib import Path
from typing import BinaryIO

import msgspec

from nomoledger.errors import CorruptError
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.content_audit import ContentAudit
from nomoledger.proof.sealer import PublicLine
from nomoledger.proof.signing import Signer, own_signer


class ExportHeader(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="nomoledger", tag="public/1"
):
    """The first line: which *game*, and the *key* its seals are signed with."""

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
    """Whether *file* begins as a public export does."""
    with open(file, "rb") as source:
        return source.read(len(MARK)) == MARK


def export_public(ledger: Ledger, game: str, file: BinaryIO, signer: Signer | None = None) -> str:
    """Write the public export of *game* into *file*, and return its public head.

    Its seals are signed by *signer*, or else with the game's own key.

    Raises:
        CorruptError: the game does not verify; what was written until then is of no use.
    """
    secret = ledger.secret(game)
    by = signer or own_signer(secret)

    def write(struct: msgspec.Struct) -> None:
        file.write(_encode(struct) + b"\n")

    def tell(line: PublicLine) -> None:
        write(PublicEvent(line.number, line.hash.hex(), msgspec.Raw(line.event)))

    audit = ContentAudit(game, secret, told=tell, sealed=lambda seal: write(seal.signed(by)))
    write(ExportHeader(game, by.public))
    verdict = ledger.verify(game, audit=audit)
    if not verdict.ok:
        raise CorruptError(f"game {game!r} cannot be exported: {verdict.detail}")
    head = str(audit.sealer.chain)
    write(ExportEnd(head))
    return head
