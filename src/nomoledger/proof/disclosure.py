"""Opens what was sealed: shows one event, and proves that it was in an envelope all along."""

from pathlib import Path

import msgspec

from nomoledger import events as e
from nomoledger.errors import CorruptError, RecordError, UnknownError, UsageError
from nomoledger.events.codec import decode_json, encode_json
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.envelopes import DEPTH, climb, commitment, salt_of, seal_envelope
from nomoledger.proof.seal import Seal
from nomoledger.proof.sealer import ADMIN, Sealer


class Disclosure(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="nomoledger",
    tag="opening/1",
):
    """One event out of the envelope of *reader* in *period* of *game*.

    *salt* opens its commitment, which stands in *slot*; *path* leads from there to the envelope.
    All hashes are hexadecimal digits.
    """

    game: str
    period: int
    reader: str
    event: msgspec.Raw
    salt: str
    slot: int
    path: tuple[str, ...]

    @property
    def body(self) -> e.Event:
        """The event that is opened."""
        return decode_json(bytes(self.event))

    def encoded(self) -> bytes:
        """The opening as one line of JSON, always the same."""
        return msgspec.json.encode(self, order="deterministic")


def disclose_event(ledger: Ledger, game: str, number: int, reader: str | None = None) -> Disclosure:
    """Open event *number* (as in the ledger) of *game*, out of the envelope of *reader*.

    Where None, it is one of those who saw it, or the admin.

    Raises:
        UnknownError: there is no such event. UsageError: it is public, its period is not closed
            yet, or it is not in that envelope.
    """
    secret = ledger.secret(game)
    sealer, wanted = Sealer(game, secret), None
    for entry in ledger.read(game):
        sealer.take(entry.number, entry.body)
        if entry.number == number:
            wanted = entry.body
            if not sealer.stream.sealed:
                raise UsageError(f"{game}: event #{number} is public: there is nothing to open")
        if isinstance(entry.body, e.PeriodClosed):
            if wanted is not None:
                return _opening(sealer, entry.body.period, number, wanted, reader)
            sealer.seal(b"")
    if wanted is None:
        raise UnknownError(f"{game}: there is no event #{number}; the last is #{sealer.number}")
    raise UsageError(f"{game}: event #{number} is not sealed yet: its period is still open")


def _opening(
    sealer: Sealer, period: int, number: int, body: e.Event, reader: str | None
) -> Disclosure:
    envelopes = sealer.envelopes(period)
    holding = [each for each, made in envelopes.items() if number in made.slots]
    if reader is None:
        reader = next((each for each in body.audience or () if each in holding), ADMIN)
    if reader not in holding:
        raise UsageError(
            f"{sealer.game}: event #{number} is not in the envelope of {reader!r}, but in"
            f" {', '.join(holding)}"
        )
    return Disclosure(
        game=sealer.game,
        period=period,
        reader=reader,
        event=msgspec.Raw(sealer.told(body)),
        salt=salt_of(sealer.secret, number).hex(),
        slot=envelopes[reader].slots[number],
        path=tuple(envelopes[reader].path(number)),
    )


def read_disclosure(file: str | Path) -> Disclosure:
    """The opening in *file*.

    Raises:
        RecordError: there is none. OSError: it cannot be read.
    """
    try:
        found = msgspec.json.decode(Path(file).read_bytes(), type=Disclosure)
        event = encode_json(found.body)  # however somebody has laid it out
        fits = len(found.path) == DEPTH and 0 <= found.slot < 1 << DEPTH
        if not fits or any(len(bytes.fromhex(each)) != 32 for each in (found.salt, *found.path)):
            raise ValueError("its path is not one")
    except (msgspec.MsgspecError, CorruptError, ValueError) as error:
        raise RecordError(f"{file}: not an opening: {error}") from None
    return msgspec.structs.replace(found, event=msgspec.Raw(event))


def find_refutation(opening: Disclosure, seal: Seal) -> str | None:
    """Why *seal* does not bear *opening* out; None where it does."""
    if (opening.game, opening.period) != (seal.game, seal.period):
        return f"the seal is of period {seal.period} of {seal.game}"
    if opening.reader not in seal.envelopes:
        return f"the seal has no envelope of {opening.reader!r}"
    leaf = commitment(bytes.fromhex(opening.salt), bytes(opening.event))
    root = climb(leaf, opening.slot, [bytes.fromhex(each) for each in opening.path])
    made = seal_envelope(opening.game, opening.period, opening.reader, root)
    if made != seal.envelopes[opening.reader]:
        return f"that event is not in the envelope of {opening.reader!r}"
    return None
