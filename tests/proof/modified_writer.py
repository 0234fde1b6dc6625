"""A writer that publishes what it likes: a public export of any events, without any check."""

from pathlib import Path
from typing import Any

import msgspec
from rulings.game import SECRET

from nomoledger import events as e
from nomoledger.proof.public_export import ExportEnd, ExportHeader, PublicEvent
from nomoledger.proof.sealer import Sealer
from nomoledger.proof.signing import game_signer


def publish(bodies: list[e.Event], file: Path) -> Path:
    """Write the public export of *bodies* without any check, as a modified writer would."""
    sealer, signer = Sealer("g", SECRET), game_signer(SECRET)
    lines: list[Any] = [ExportHeader("g", signer.public)]
    for number, body in enumerate(bodies):
        for line in sealer.take(number, body):
            lines.append(PublicEvent(line.number, line.hash.hex(), msgspec.Raw(line.event)))
        if isinstance(body, e.PeriodClosed):
            lines.append(sealer.seal(bytes(32)).signed(signer))
    lines.append(ExportEnd(str(sealer.chain)))
    encode = msgspec.json.Encoder(order="deterministic").encode
    file.write_bytes(b"".join(encode(line) + b"\n" for line in lines))
    return file
