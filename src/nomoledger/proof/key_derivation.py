"""Salts and keys derived from a game's secret, each for one use."""

import hmac


def derive(secret: bytes, use: str, *parts: int | str) -> bytes:
    """Derive 32 bytes from *secret* for one *use* and its *parts*.

    Without *secret*, nobody can distinguish the bytes from random ones or link two uses.
    """
    framed = b"".join(map(framed_part, ("proof", use, *parts)))
    return hmac.digest(secret, framed, "sha256")


def framed_part(part: int | str | bytes) -> bytes:
    """Return *part* with its length before it, so that joined parts stay distinct."""
    if isinstance(part, int):
        return part.to_bytes(8, "big")
    data = part.encode() if isinstance(part, str) else part
    return len(data).to_bytes(8, "big") + data
