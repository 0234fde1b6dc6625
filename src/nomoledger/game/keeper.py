"""A keeper: a process with one thread that owns a game while it is busy.

It holds one connection, the current state, and a warm sandbox, and carries out one request after
the other. This module is what runs in that process; see `nomoledger.game.keepers` for the rest.
"""

import os
import socket
from contextlib import suppress

import msgspec

from nomoledger.engine.batches import encode_batch
from nomoledger.errors import RuleFault, UsageError
from nomoledger.game.game import Game
from nomoledger.game.programs import KEEPER, program_name
from nomoledger.game.writer import Outcome
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox import fork_server
from nomoledger.sandbox.channel import Channel
from nomoledger.sandbox.fork_server import ForkServer
from nomoledger.sandbox.protocol import DONE, ERROR, encode_error, load_call


def run(channel: int, server: int) -> None:
    """Carry out the requests that come through the socket *channel*, until it is closed.

    The keeper forks its sandboxes through the socket *server*. This is a target of the fork
    server, which must not learn the address of the ledger: that comes with the first request.
    """
    fork_server.use(ForkServer(socket.socket(fileno=server)))
    with suppress(EOFError, OSError):
        serve(Channel(socket.socket(fileno=channel)))


def serve(channel: Channel) -> None:
    """Open a game as the first message says, and carry out the requests that follow."""
    _, opening = channel.receive()
    folder, environment, location, name = msgspec.msgpack.decode(
        opening, type=tuple[str, dict[str, str], str, str]
    )
    os.environ.clear()
    os.environ.update(environment)
    game: Game | None = None
    while True:
        _, body = channel.receive()
        try:
            if game is None:
                os.chdir(folder)
                game = _open(location, name)
            game.history = History(game.ledger, name)  # What was read is not kept in memory.
            request, (arguments, fields) = load_call(body)
            answer = DONE, _encoded(request(game, *arguments, **fields))
        except (UsageError, RuleFault) as error:
            answer = ERROR, encode_error(error)
        except Exception as error:
            answer = ERROR, encode_error(error)
            if game is not None:  # It might not be sound any more.
                game.ledger.close()
            game = None
        channel.send(*answer)


def _open(location: str, name: str) -> Game:
    ledger = Ledger.open(location, program=program_name(KEEPER, name))
    try:
        return Game(ledger, name)
    except BaseException:
        ledger.close()
        raise


def _encoded(result: object) -> bytes:
    """Encode the outcome of a request, or the struct that a reading returns."""
    if isinstance(result, Outcome):
        return encode_batch(list(result.events))
    return msgspec.msgpack.encode(result)
