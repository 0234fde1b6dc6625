"""The secret of a game in a file of its own, and how it comes back into a ledger that lost it."""

from pathlib import Path

import msgspec

from nomoledger.errors import CorruptError, RecordError
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.content_audit import ContentAudit

#: How long the first line of a file may be, in bytes.
LINE_MAX = 100_000
_encode = msgspec.json.Encoder(order="deterministic").encode


class SecretFile(msgspec.Struct, frozen=True):
    """The *secret* of *game*, in hexadecimal digits. The header of an export has both, too."""

    game: str
    secret: str

    def encoded(self) -> bytes:
        """Return the file, one line of JSON."""
        return _encode({"nomoledger": "secret/1", "game": self.game, "secret": self.secret})


def read_secret(file: str | Path) -> SecretFile:
    """Return the secret in *file*: a file of its own, or an export.

    Raises:
        RecordError: the file has no secret.
        OSError: the file cannot be read.
    """
    with open(file, "rb") as source:
        line = source.readline(LINE_MAX)
    try:
        found = msgspec.json.decode(line, type=SecretFile)
        bytes.fromhex(found.secret)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise RecordError(f"{file}: holds no secret of a game: {error}") from None
    return found


def restore_secret(ledger: Ledger, file: SecretFile) -> None:
    """Put the secret in *file* into *ledger*, if it is the one with which the game was recorded.

    Every record is checked against the chain, and the dice against their commitments.

    Raises:
        UnknownError: the ledger has no record of that game.
        CorruptError: the secret is that of another game, or the records were altered.
    """
    secret = bytes.fromhex(file.secret)
    verdict = ledger.verify(file.game, audit=ContentAudit(file.game, secret), secret=secret)
    if not verdict.ok:
        where = "a record" if verdict.number is None else f"#{verdict.number}"
        raise CorruptError(
            f"{file.game}: the secret in the file does not fit, and the ledger keeps its own: with"
            f" that in the file, {where} would be wrong ({verdict.problem})"
        )
    with ledger.transaction() as transaction:
        transaction.replace_secret(file.game, secret)
