"""Ed25519 signatures, with a key derived from the game's secret or one from the admin's file."""

from pathlib import Path

from cryptography.exceptions import InternalError, InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    load_ssh_private_key,
)

from nomoledger.errors import UsageError
from nomoledger.proof.key_derivation import derive

SSH = b"-----BEGIN OPENSSH"


class Signer:
    """Signs with one private key; the same message always gets the same signature."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        """Sign with *key*."""
        self._key = key
        #: The public key, 64 hexadecimal digits.
        self.public = key.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> str:
        """Return the signature of *message*, 128 hexadecimal digits."""
        return self._key.sign(message).hex()


def game_signer(secret: bytes) -> Signer:
    """Return the game's own signer, whose key is derived from the game's *secret*."""
    return Signer(Ed25519PrivateKey.from_private_bytes(derive(secret, "signing key")))


def new_key() -> tuple[bytes, Signer]:
    """Return a new private key, as the text of a file for `read_signer`, and its signer."""
    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), Signer(key)


def read_signer(file: str | Path) -> Signer:
    """Return the signer with the key in *file*, written by ssh-keygen or openssl, no password.

    Raises:
        UsageError: the file is not such a key.
        OSError: the file cannot be read.
    """
    data = Path(file).read_bytes()
    try:
        load = load_ssh_private_key if data.lstrip().startswith(SSH) else load_pem_private_key
        key = load(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm, InternalError):  # OpenSSL has many
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(
            f"{file}: not an Ed25519 private key without a password: make one with"
            " ssh-keygen -t ed25519 -N '' -f FILE"
        )
    return Signer(key)


def is_signed(message: bytes, signature: str, key: str) -> bool:
    """Return whether *signature* fits *message* and the public *key*."""
    try:
        public = Ed25519PublicKey.from_public_bytes(_bytes(key))
        public.verify(_bytes(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _bytes(digits: str) -> bytes:
    """Return the bytes that *digits* write, which can be written in one way only."""
    data = bytes.fromhex(digits)
    if data.hex() != digits:
        raise ValueError("not lower-case hexadecimal digits without spaces")
    return data
