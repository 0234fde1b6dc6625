"""Disclosures: show one sealed event and prove that its envelope contained it all along."""

from pathlib import Path

import msgspec

from nomoledger import events as e
from nomoledger.errors import RecordError, StoreError, UnknownError, UsageError
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
    """One event from the envelope of *reader* in *period* of *game*.

    *salt* and *event* give the commitment, *slot* is its place in the tree, and *path* leads from
    there to the root. All hashes are hexadecimal digits.
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
        """The disclosed event."""
        return decode_json(bytes(self.event))

    def encoded(self) -> bytes:
        """Return the disclosure as one line of JSON, always with the same bytes."""
        return msgspec.json.encode(self, order="deterministic")


def disclose_event(ledger: Ledger, game: str, number: int, reader: str | None = None) -> Disclosure:
    """Disclose event *number* (its number in the ledger) of *game* from the envelope of *reader*.

    If *reader* is None, the envelope is that of one of the players who saw it, or of the admin.

    Raises:
        UnknownError: there is no such event.
        UsageError: the event is public, its period is not closed yet, or that envelope does not
            contain the event.
    """
    secret = ledger.secret(game)
    sealer, sealed = Sealer(game, secret), None
    for entry in ledger.read(game):
        sealer.take(entry.number, entry.body)
        if entry.number == number:
            sealed = entry.body
            if not sealer.stream.sealed:
                raise UsageError(f"{game}: event #{number} is public: there is nothing to open")
        if isinstance(entry.body, e.PeriodClosed):
            if sealed is not None:
                return _disclosure(sealer, entry.body.period, number, sealed, reader)
            sealer.seal(b"")
    if sealed is None:
        raise UnknownError(f"{game}: there is no event #{number}; the last is #{sealer.number}")
    raise UsageError(f"{game}: event #{number} is not sealed yet: its period is still open")


def _disclosure(
    sealer: Sealer, period: int, number: int, body: e.Event, reader: str | None
) -> Disclosure:
    envelopes = sealer.envelopes(period)
    readers = [name for name, envelope in envelopes.items() if number in envelope.slots]
    if reader is None:
        reader = next((name for name in body.audience or () if name in readers), ADMIN)
    if reader not in readers:
        raise UsageError(
            f"{sealer.game}: event #{number} is not in the envelope of {reader!r}, but in"
            f" {', '.join(readers)}"
        )
    return Disclosure(
        game=sealer.game,
        period=period,
        reader=reader,
        event=msgspec.Raw(sealer.disclosed_line(body)),
        salt=salt_of(sealer.secret, number).hex(),
        slot=envelopes[reader].slots[number],
        path=tuple(envelopes[reader].path(number)),
    )


def read_disclosure(file: str | Path) -> Disclosure:
    """Return the disclosure in *file*.

    Raises:
        RecordError: the file is not a disclosure.
        OSError: the file cannot be read.
    """
    try:
        disclosure = msgspec.json.decode(Path(file).read_bytes(), type=Disclosure)
        event = encode_json(disclosure.body)  # its canonical bytes, however the file writes it
        hashes = (disclosure.salt, *disclosure.path)
        fits = len(disclosure.path) == DEPTH and 0 <= disclosure.slot < 1 << DEPTH
        if not fits or any(len(bytes.fromhex(text)) != 32 for text in hashes):
            raise ValueError("invalid salt, slot or path")
    except (msgspec.MsgspecError, StoreError, RecursionError, TypeError, ValueError) as error:
        raise RecordError(f"{file}: not a disclosure: {error}") from None
    return msgspec.structs.replace(disclosure, event=msgspec.Raw(event))


def find_refutation(disclosure: Disclosure, seal: Seal) -> str | None:
    """Return why *seal* refutes *disclosure*; None if *seal* confirms the disclosure."""
    if (disclosure.game, disclosure.period) != (seal.game, seal.period):
        return f"the seal is of period {seal.period} of {seal.game}"
    if disclosure.reader not in seal.envelopes:
        return f"the seal has no envelope of {disclosure.reader!r}"
    leaf = commitment(bytes.fromhex(disclosure.salt), bytes(disclosure.event))
    root = climb(leaf, disclosure.slot, [bytes.fromhex(node) for node in disclosure.path])
    envelope = seal_envelope(disclosure.game, disclosure.period, disclosure.reader, root)
    if envelope != seal.envelopes[disclosure.reader]:
        return f"that event is not in the envelope of {disclosure.reader!r}"
    return None
