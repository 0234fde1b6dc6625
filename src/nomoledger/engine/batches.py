"""Batches of events as bytes, as one process sends them to another."""

import msgspec

from nomoledger.engine.agenda import Batch
from nomoledger.errors import CorruptError, RuleFault
from nomoledger.events.codec import decode, encoded

#: The errors of values that no event can have.
_UNFIT = (CorruptError, ValueError, TypeError, OverflowError)


def encode_batch(batch: Batch) -> bytes:
    """Encode *batch* as bytes, once it is known that they can be decoded.

    So a fault is found where it happens, in the step of play that is under way.

    Raises:
        RuleFault: a rule made a value that cannot be stored; names the rule.
    """
    try:
        piece = msgspec.msgpack.encode(encoded(batch))
        _decode(piece)
        return piece
    except _UNFIT as error:
        rule = _rule_at_fault(batch)
        who = f"rule {rule}" if rule else "the rules"
        text = f"{who}: made something that cannot be recorded: {error}"
        raise RuleFault(text, rule=rule) from None


def decode_batch(piece: bytes) -> Batch:
    """Decode a batch from *piece*.

    Raises:
        RuleFault: the rules produced an event that cannot be read.
    """
    try:
        return _decode(piece)
    except _UNFIT as error:
        raise RuleFault(f"the rules made something that cannot be read: {error}") from None


def _decode(piece: bytes) -> Batch:
    return [decode(tag, state) for tag, state in msgspec.msgpack.decode(piece)]


def _rule_at_fault(batch: Batch) -> str | None:
    """Return the number of the rule that made the first event of *batch* that no ledger can hold.

    None if no rule did.
    """
    for event in batch:
        try:
            _decode(msgspec.msgpack.encode(encoded([event])))
        except _UNFIT:
            return event.rules[0].partition("@")[0] if event.rules else None
    return None
