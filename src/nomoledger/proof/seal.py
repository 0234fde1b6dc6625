"""A seal: what a closed period came to, in one small signed record to be published."""

import re
from hashlib import sha256
from typing import Any

import msgspec

from nomoledger.errors import RecordError
from nomoledger.proof.signing import Signer, is_signed

TAG = b"nomoledger-seal/1"
#: What the first seal of a game has for the one before.
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
    """What *period* of *game* came to. All hashes are hexadecimal digits.

    Attributes:
        fold: the version of how events become state, which digests of the state depend on.
        head: hash of the whole chain up to the close.
        public: last number and hash of the public chain, `41:ab12…`.
        state: digest of the state that public events alone make.
        whole: digest of the whole state, salted.
        rollup: digest of what was added to the roll-up in the period, salted.
        envelopes: the sealed envelope of each reader: every player there was, and the admin.
        previous: digest of the seal before.
        key, signature: who signed it, and the signature of all the rest.
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
        """What follows from the ledger: all but the signature and whose it is."""
        fields = msgspec.to_builtins(self)
        return {name: each for name, each in fields.items() if name not in ("key", "signature")}

    @property
    def digest(self) -> str:
        """The hash that the next seal has for `previous`; the same whoever signed."""
        return sha256(TAG + _encode(self.content)).hexdigest()

    @property
    def is_signed(self) -> bool:
        """Whether the signature is that of the key, on what stands here."""
        return is_signed(_signed(self), self.signature, self.key)

    def signed(self, signer: Signer) -> "Seal":
        """The same seal, signed by *signer*."""
        unsigned = msgspec.structs.replace(self, key=signer.public, signature="")
        return msgspec.structs.replace(unsigned, signature=signer.sign(_signed(unsigned)))

    def encoded(self) -> bytes:
        """The seal as one line of JSON, always the same."""
        return _encode(self)

    def differs(self, other: "Seal") -> str | None:
        """The first thing in which *other* says otherwise, in words; None where it says the same.

        States folded in another version are not compared.
        """
        mine, theirs = self.content, other.content
        skipped = ("fold", "state", "whole") if self.fold != other.fold else ()
        if self.fold != other.fold:  # previous seals were folded otherwise, too
            skipped = (*skipped, "previous")
        for name, words in _WORDS.items():
            if name not in skipped and mine[name] != theirs[name]:
                return words
        return None


#: In words, those first that tell most of where a difference comes from.
_WORDS = {
    "game": "it is of another game",
    "period": "it is of another period",
    "public": "the public events up to its close are others",
    "state": "the public state at its close is another",
    "head": "the events up to its close are others",
    "whole": "the state at its close is another",
    "rollup": "what was paid in it is other",
    "envelopes": "what is sealed in its envelopes is other",
    "previous": "an earlier period is not what was sealed",
    "fold": "its states were folded by another version",
}


def _signed(seal: Seal) -> bytes:
    return TAG + _encode(msgspec.to_builtins(seal) | {"signature": ""})


def decode_seal(data: bytes, where: str) -> Seal:
    """The seal written as *data*.

    Raises:
        RecordError: it is none, cut off, or its signature does not fit; it begins with *where*.
    """
    try:
        found = msgspec.json.decode(data, type=Seal)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RecordError(f"{where}: not a seal: {error}") from None
    if not re.fullmatch("-?[0-9]{1,18}:[0-9a-f]{64}", found.public):
        raise RecordError(f"{where}: not a seal: {found.public!r:.80} is no public head")
    if not found.is_signed:
        raise RecordError(f"{where}: the signature does not fit the seal: it was altered")
    return found
