"""The seal of a closed period: a small signed record of its results, to be published."""

import re
from hashlib import sha256
from typing import Any

import msgspec

from nomoledger.errors import RecordError
from nomoledger.proof.signing import Signer, is_signed

TAG = b"nomoledger-seal/1"
#: The value of `previous` in the first seal of a game.
NO_SEAL = 64 * "0"
_encode = msgspec.json.Encoder(order="deterministic").encode


class Seal(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="nomoledger",
    tag="seal/1",
):
    """The seal of *period* of *game*. All hashes are hexadecimal digits.

    Attributes:
        fold: the version of the reducer, which digests of the state depend on.
        head: hash of the whole chain up to the close.
        public: last number and hash of the public chain, `41:ab12…`.
        state: digest of the state made by the public events only.
        whole: digest of the whole state, salted.
        rollup: digest of the units added to the roll-up in the period, salted.
        envelopes: the envelope of each reader: every player so far, and the admin.
        previous: digest of the previous seal.
        key: public key of the signer.
        signature: signature of all other fields.
    """

    game: str
    period: int
    fold: str
    head: str
    public: str
    state: str
    whole: str
    rollup: str
    envelopes: dict[str, str]
    previous: str
    key: str = ""
    signature: str = ""

    @property
    def content(self) -> dict[str, Any]:
        """The fields that follow from the ledger: all but the key and the signature."""
        fields = msgspec.to_builtins(self)
        return {name: value for name, value in fields.items() if name not in ("key", "signature")}

    @property
    def digest(self) -> str:
        """The hash that the next seal has as `previous`; it does not depend on the signer."""
        return sha256(TAG + _encode(self.content)).hexdigest()

    @property
    def is_signed(self) -> bool:
        """Whether the signature fits the key and the other fields."""
        return is_signed(_signed(self), self.signature, self.key)

    def signed(self, signer: Signer) -> "Seal":
        """Return the same seal, signed by *signer*."""
        unsigned = msgspec.structs.replace(self, key=signer.public, signature="")
        return msgspec.structs.replace(unsigned, signature=signer.sign(_signed(unsigned)))

    def encoded(self) -> bytes:
        """Return the seal as one line of JSON, always with the same bytes."""
        return _encode(self)

    def differs(self, other: "Seal") -> str | None:
        """Describe the first difference from *other*; None if there is none.

        States are not compared if their `fold` differs.
        """
        mine, theirs = self.content, other.content
        skipped = ("fold", "state", "whole") if self.fold != other.fold else ()
        if self.fold != other.fold:  # the previous seals have the old version, too
            skipped = (*skipped, "previous")
        for name, words in _WORDS.items():
            if name not in skipped and mine[name] != theirs[name]:
                return words
        return None


#: Descriptions of differences; those that say most about the cause come first.
_WORDS = {
    "game": "it is of another game",
    "period": "it is of another period",
    "public": "the public events up to its close differ",
    "state": "the public state at its close differs",
    "head": "the events up to its close differ",
    "whole": "the state at its close differs",
    "rollup": "its payments differ",
    "envelopes": "the contents of its envelopes differ",
    "previous": "an earlier period is not what was sealed",
    "fold": "its states are of another version",
}


def _signed(seal: Seal) -> bytes:
    return TAG + _encode(msgspec.to_builtins(seal) | {"signature": ""})


def decode_seal(data: bytes, where: str) -> Seal:
    """Return the seal written as *data*.

    Raises:
        RecordError: *data* is not a seal, is cut off, or does not fit its signature. The message
            begins with *where*.
    """
    try:
        seal = msgspec.json.decode(data, type=Seal)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"{where}: not a seal: {error}") from None
    if not re.fullmatch("-?[0-9]{1,18}:[0-9a-f]{64}", seal.public):
        raise RecordError(f"{where}: not a seal: {seal.public!r:.80} is not a public head")
    if not seal.is_signed:
        raise RecordError(f"{where}: the signature does not fit the seal: it was altered")
    return seal
