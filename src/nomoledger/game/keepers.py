"""Keepers: one process for each busy game, so that programs with threads can serve many games.

A program with threads must neither fork nor share a connection or a game between its threads. It
hands requests to keepers instead (`nomoledger.game.keeper`), which are forked by the fork server.
"""

import os
import pickle
import secrets as random
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, Self, TypeVar

import msgspec

from nomoledger.engine.batches import decode_batch
from nomoledger.errors import LostError, UsageError
from nomoledger.game.game import Game
from nomoledger.game.writer import Outcome
from nomoledger.intake.bounds import admitted
from nomoledger.sandbox import fork_server
from nomoledger.sandbox.channel import Channel
from nomoledger.sandbox.fork_server import DeadForkServerError, ForkServer
from nomoledger.sandbox.protocol import CALL, ERROR, decode_error, dump_call

T = TypeVar("T")

#: What the fork server runs.
_TARGET = "nomoledger.game.keeper:run"
#: How often a request is made whose keeper dies before it answers.
TRIES_MAX = 3
#: How many keepers there are at most, unless the caller says otherwise.
KEEPERS_MAX = 32


class Keepers:
    """The keepers of the games in the ledger at *location*. Several threads may use them.

    A keeper starts with the first request for its game. A keeper that dies is replaced, and the
    request under way is made again under the same id: it is carried out once.
    """

    def __init__(self, location: str | PathLike[str], *, most: int = KEEPERS_MAX) -> None:
        """Keep at most *most* games at a time; the one that was idle longest makes room.

        Raises:
            UsageError: *most* is not positive.
        """
        if most < 1:
            raise UsageError(f"at least one game must be kept, not {most}")
        self._location = str(location)
        self._folder, self._environment = os.getcwd(), dict(os.environ)
        self._is_closed = False
        self._most = most
        self._keepers: OrderedDict[str, _Keeper] = OrderedDict()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Begin a block that ends the keepers at its end."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the keepers."""
        self.close()

    def request(
        self, game: str, request: Callable[..., Outcome], *arguments: Any, **fields: Any
    ) -> Outcome:
        """Make *request*, a method of `Game`, of *game*, and return its outcome.

        Requests of one game are carried out in the order in which they come. *fields* may hold the
        `id` of the request, as in `Game`; otherwise it gets one.

        Raises:
            UsageError: *request* is no method of `Game`, what it brings is too large or no plain
                value, or the keepers are closed.
            LostError: keepers die of this request; whether it is recorded, its id can tell.
            NomoledgerError: an error that *request* raised.
        """
        arguments, fields = admitted(arguments, "the request"), admitted(fields, "the request")
        fields.setdefault("id", random.token_hex(6))
        try:
            call, _ = dump_call(request, (arguments, fields))
        except (AttributeError, TypeError, pickle.PicklingError) as error:
            raise UsageError(f"a request is a method of Game, with plain values: {error}") from None
        with self._keeper(game) as keeper:
            return keeper.request(call)

    def read(self, game: str, reading: Callable[..., Any], *arguments: Any, kind: type[T]) -> T:
        """Return what *reading* makes of *game* and *arguments*: a struct of *kind*.

        *reading* is a function at the top level of a module, and changes nothing. It takes its turn
        after the requests that came before, so it knows them.

        Raises:
            UsageError: the keepers are closed.
            LostError: keepers die of this reading.
            NomoledgerError: an error that *reading* raised.
        """
        call, _ = dump_call(_read_now, ((reading, *arguments), {}))
        with self._keeper(game) as keeper:
            return msgspec.msgpack.decode(keeper.carry_out(call), type=kind)

    @contextmanager
    def _keeper(self, game: str) -> Iterator["_Keeper"]:
        """Yield the keeper of *game*, when all that came before it is carried out."""
        with self._lock:
            if self._is_closed:
                raise UsageError("these keepers are closed: make others")
            keeper = self._keepers.pop(game, None) or self._new_keeper(game)
            self._keepers[game] = keeper
            turn = keeper.queue.take_turn()
            self._make_room()
        with keeper.queue.turn(turn):
            yield keeper

    def _new_keeper(self, game: str) -> "_Keeper":
        # The fork server has another folder, perhaps, and few variables of the environment.
        opening = self._folder, self._environment, self._location, game
        return _Keeper(msgspec.msgpack.encode(opening), game)

    def _make_room(self) -> None:
        """End the keepers that were idle longest, as far as there are too many."""
        idle = (name for name, keeper in list(self._keepers.items()) if keeper.queue.is_empty)
        while len(self._keepers) > self._most and (name := next(idle, None)) is not None:
            self._keepers.pop(name).close()

    def close(self) -> None:
        """End all keepers, each when it has carried out the requests that wait for it."""
        with self._lock:
            keepers, self._keepers, self._is_closed = self._keepers, OrderedDict(), True
        for keeper in keepers.values():
            with keeper.queue.turn(keeper.queue.take_turn()):
                keeper.close()


class _Queue:
    """A lock whose turns come in the order in which they were taken."""

    def __init__(self) -> None:
        self._taken = self._served = 0
        self._changed = threading.Condition()

    @property
    def is_empty(self) -> bool:
        """Whether nobody has a turn or waits for one."""
        return self._taken == self._served

    def take_turn(self) -> int:
        """Return the number of a turn, which comes after all that were taken before."""
        with self._changed:
            self._taken += 1
            return self._taken - 1

    @contextmanager
    def turn(self, number: int) -> Iterator[None]:
        """Wait for the turn *number*, and end it with the block."""
        with self._changed:
            self._changed.wait_for(lambda: self._served == number)
        try:
            yield
        finally:
            with self._changed:
                self._served += 1
                self._changed.notify_all()


class _Keeper:
    """The keeper of one game, seen from the program."""

    def __init__(self, opening: bytes, game: str) -> None:
        self.queue = _Queue()
        self._opening = opening
        self._game = game
        self._process: tuple[ForkServer, int, Channel] | None = None

    def request(self, call: bytes) -> Outcome:
        return Outcome(tuple(decode_batch(self.carry_out(call))))

    def carry_out(self, call: bytes) -> bytes:
        for _ in range(TRIES_MAX):
            try:
                _, _, channel = self._process = self._process or self._start()
                channel.send(CALL, call)
                kind, body = channel.receive()
            except (EOFError, OSError, DeadForkServerError):
                self.close()  # It died: another one is asked under the same id.
                continue
            except BaseException:
                self.close()  # The answer might be taken for that of the next request.
                raise
            if kind == ERROR:
                raise decode_error(body)
            return body
        raise LostError(
            f"{self._game}: the process of the game died {TRIES_MAX} times; whether the request is"
            " recorded, repeating it under the same id tells"
        )

    def _start(self) -> tuple[ForkServer, int, Channel]:
        own, other = socket.socketpair()
        own_server, its_server = socket.socketpair()
        channel = Channel(own)
        try:
            with other, own_server, its_server:
                server, pid = fork_server.fork(_TARGET, [other.fileno(), its_server.fileno()])
                server.connect(own_server)
            channel.send(CALL, self._opening)
        except BaseException:
            channel.close()
            raise
        return server, pid, channel

    def close(self) -> None:
        """End the process, which has nothing to do."""
        if self._process is not None:
            server, pid, channel = self._process
            channel.close()
            server.drop(pid)
            self._process = None


def _read_now(game: Game, reading: Callable[..., Any], *arguments: Any) -> Any:
    """Return what *reading* makes of *game* as it is now. This runs in a keeper."""
    game.catch_up()
    return reading(game, *arguments)
