"""How code in a sandbox reports which rule acts, and asks its parent process."""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import msgspec

from nomoledger.errors import RuleFault, UsageError
from nomoledger.sandbox.protocol import encode_error

#: The first byte of the one piece of a call: its value, or why the request makes no sense.
VALUE, REFUSED = b"=", b"!"


def _ignore_rule(rule: str) -> None:
    """Do nothing: outside a sandbox, nobody asks which rule ran last."""


def _go_on() -> None:
    """Do nothing: outside a sandbox, there are no limits of time."""


def _nobody_to_ask(question: bytes) -> NoReturn:
    raise AssertionError("only a sandbox has a parent to ask")


#: Called with the number of each rule that starts to act: if the sandbox dies, the parent reads
#: which rule was the last.
notice: Callable[[str], None] = _ignore_rule
#: Called with the step of play that begins, for the same purpose.
notice_step: Callable[[str], None] = _ignore_rule
#: Called after each attempt: the limits of time begin anew, as after each piece of a result.
#: So what was played in many attempts, each within the limits, can also be computed again.
go_on: Callable[[], None] = _go_on
#: Returns the answer of the parent to a question in the middle of a call.
ask: Callable[[bytes], bytes] = _nobody_to_ask
#: Whether this process is a sandbox.
is_sandbox = False


def yield_result(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[bytes]:
    """Yield one piece: the result of *function*, which changes nothing.

    Where the request makes no sense, the piece is that error: nothing is wrong with the sandbox.

    Raises:
        RuleFault: the result cannot be sent.
    """
    try:
        result = function(*arguments)
    except UsageError as error:
        yield REFUSED + encode_error(error)
        return
    try:
        yield VALUE + msgspec.msgpack.encode(result)
    except (TypeError, OverflowError) as error:
        raise RuleFault(f"the rules made something that cannot be sent: {error}") from None
