"""The postman: a thread that sends what is due in the outbox."""

import logging
import time
from collections.abc import Callable

from nomoledger.errors import NomoledgerError
from nomoledger.parallel.rounds import Rounds
from nomoledger.people.outbox import Letter, Outbox

#: How often the outbox is looked at for what is due, and for letters of other servers, in seconds.
POLL_SECONDS = 5.0
#: How many letters are taken at a time.
LETTERS_AT_A_TIME = 10
#: A letter is left to others if so many seconds, or fewer, are left to send it.
MARGIN_SECONDS = 90
#: For how many seconds the end of the server waits for a letter that is being sent.
STOP_SECONDS = 10.0
_log = logging.getLogger(__name__)


class UndeliverableError(NomoledgerError):
    """A letter that will never arrive, such as one to an address that does not exist."""


class DeliveryError(NomoledgerError):
    """A letter that could not be sent now, and is tried again later."""


class Postman:
    """Takes letters of one *kind* out of *outbox*, and hands each to *deliver*.

    *deliver* sends a letter, in at most `MARGIN_SECONDS`, and returns once the letter has arrived
    or is not needed any more. It raises `UndeliverableError` if there is no sense in another try,
    and `DeliveryError` if there is; the text of the error is shown to the admin, so it must hold
    no password. *clock* is that of the outbox.
    """

    def __init__(
        self,
        outbox: Outbox,
        kind: str,
        deliver: Callable[[Letter], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare to send letters; nothing runs yet."""
        self._outbox = outbox
        self._kind = kind
        self._deliver = deliver
        self._clock = clock
        problem = "the outbox cannot be read"
        self._rounds = Rounds(f"postman-{kind}", self.go_round, POLL_SECONDS, problem)

    def start(self) -> None:
        """Send letters in a thread, until `stop`."""
        self._outbox.on_post.append(self._rounds.wake)
        self._rounds.wake()
        self._rounds.start()

    def stop(self, patience: float = STOP_SECONDS) -> None:
        """End the thread, after the letter that it sends; wait at most *patience* seconds."""
        self._rounds.stop(patience)

    def go_round(self) -> int:
        """Send what is due, and return how many letters were tried."""
        tried = 0
        while not self._rounds.is_over and (
            letters := self._outbox.take(self._kind, LETTERS_AT_A_TIME)
        ):
            for letter in letters:
                if self._rounds.is_over or letter.leased_until - self._clock() < MARGIN_SECONDS:
                    self._outbox.put_back(letter)
                else:
                    self._send(letter)
                    tried += 1
        return tried

    def _send(self, letter: Letter) -> None:
        try:
            self._deliver(letter)
        except UndeliverableError as error:
            self._outbox.failed(letter, str(error), for_good=True)
        except DeliveryError as error:
            self._outbox.failed(letter, str(error))
        except Exception as error:
            # Our mistake. The other letters go on.
            _log.exception("the letter %s cannot be sent", letter.id)
            self._outbox.failed(letter, f"it could not be sent: {type(error).__name__}")
        else:
            self._outbox.sent(letter)
