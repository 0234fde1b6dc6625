"""Calls a webhook as a server that is killed before it notes that: `killed_caller.py LEDGER FILE`.

FILE has the certificate of the receiver. The server is killed with SIGKILL, after the receiver has
answered.
"""

import os
import signal
import sys
from pathlib import Path
from unittest.mock import patch

from webhook_receiver import sender_to

from nomoledger.people.webhook_round import KIND
from nomoledger.web.game_host import GameHost


def die(*_: object) -> None:
    """End this process as if the power failed."""
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    place, file = sys.argv[1:]
    host = GameHost(place, webhook_sender=sender_to(Path(file)))
    (letter,) = host.outbox.take(KIND, 1)
    with patch.object(host.webhooks, "note_answer", die):
        host.webhook_round.deliver(letter)
