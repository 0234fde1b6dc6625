"""What follows from a game's secret: salts and keys, always the same, each for one use."""

import hmac


def derive(secret: bytes, use: str, *parts: int | str) -> bytes:
    """32 bytes for one *use*, and for what *parts* say; nobody without *secret* can tell them
    from random ones, or those of one use from those of another."""
    framed = b"".join(map(framed_part, ("proof", use, *parts)))
    return hmac.digest(secret, framed, "sha256")


def framed_part(part: int | str | bytes) -> bytes:
    """*part* with its length before it, so that joined parts can be told apart."""
    if isinstance(part, int):
        return part.to_bytes(8, "big")
    data = part.encode() if isinstance(part, str) else part
    return len(data).to_bytes(8, "big") + data
