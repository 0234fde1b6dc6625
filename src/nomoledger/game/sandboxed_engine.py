"""An engine in a sandbox, which carries out the inputs of one game.

The sandbox keeps its own copy of the state. It has applied the events that it made, and gets the
events of other writers with the next call. Whenever its copy might differ from the ledger, the
sandbox is thrown away.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from nomoledger import events as e
from nomoledger.engine import form_arguments, request_checks, sealed_words
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.batches import decode_batch, encode_batch
from nomoledger.engine.oracles import oracle_of
from nomoledger.engine.steps import LINKING
from nomoledger.errors import RuleFault
from nomoledger.game.engines import new_engine
from nomoledger.sandbox import inside
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import Sandbox
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

Value = TypeVar("Value")
#: The secret of a game, and in a dry run the throwaway one of its open period.
Secrets = tuple[bytes, bytes | None]
#: The modules whose questions are put to a sandbox that is warm.
_ASKED = (request_checks, form_arguments, sealed_words)
#: A ruling that reaches back may run a long game again.
RERUN_LIMITS = Limits(cpu_seconds=900.0, wall_seconds=1_800.0)


class SandboxedEngine:
    """An engine on a copy of *world*, which belongs to the caller.

    The caller applies each batch to *world* before taking the next one.
    """

    def __init__(
        self,
        world: World,
        secret: bytes,
        limits: Limits | None = None,
        throwaway: bytes | None = None,
    ) -> None:
        """Play on a copy of *world*; seeds of the dice derive from *secret*.

        With *throwaway*, the seeds of the open period and of later ones derive from that instead.
        """
        self._world = world
        self._secrets = secret, throwaway
        self._limits = limits
        self._sandbox = Sandbox(limits, [module.__name__ for module in _ASKED])
        self._missed: list[e.Event] = []

    def follow(self, event: e.Event) -> None:
        """Apply *event*, which another writer recorded."""
        if self._sandbox.is_warm:
            self._missed.append(event)

    def process(self, event: e.Input, recorded: Sequence[e.Entry] = ()) -> Iterator[Batch]:
        """Carry out *event*; *recorded* holds all that is recorded, if *event* reaches back.

        Raises:
            RuleFault: rule code failed.
        """
        return self._stream(event, recorded)

    def run(self, recorded: Sequence[e.Entry] = ()) -> Iterator[Batch]:
        """Carry out what is due or on the agenda; see `process`."""
        return self._stream(None, recorded)

    def ask(self, question: Callable[..., Value], *arguments: Any, kind: Any) -> Value:
        """Return what *question* returns for the state and *arguments*; it changes nothing.

        Raises:
            UsageError, UnknownError: the arguments make no sense.
            RuleFault: rule code failed.
        """
        was_warm = self._sandbox.is_warm
        try:
            return self._ask(question, arguments, kind)
        except RuleFault:
            if not was_warm:
                raise
            return self._ask(question, arguments, kind)

    def _ask(self, question: Callable[..., Value], arguments: tuple[Any, ...], kind: Any) -> Value:
        value: Value = self._sandbox.call(_ask, *self._start(), question, arguments, kind=kind)
        return value

    def _stream(self, event: e.Input | None, recorded: Sequence[e.Entry]) -> Iterator[Batch]:
        """Yield the batches; a fault counts only if a fresh sandbox shows it, too."""
        was_warm, has_begun = self._sandbox.is_warm and not recorded, False
        try:
            for batch in self._try(event, recorded):
                has_begun = True
                yield batch
        except RuleFault:
            if has_begun or not was_warm:
                raise
            yield from self._try(event, recorded)

    def _try(self, event: e.Input | None, recorded: Sequence[e.Entry]) -> Iterator[Batch]:
        sandbox = self._sandbox
        if recorded and self._limits is None:
            sandbox = Sandbox(RERUN_LIMITS)
            self.close()
        pieces = sandbox.stream(_play, *self._start(), event, recorded)
        try:
            yield from map(decode_batch, pieces)
        finally:
            pieces.close()
            if sandbox is not self._sandbox:
                sandbox.close()

    def _start(self) -> tuple[World | None, Secrets, list[e.Event]]:
        """Return what the sandbox needs before a call: the state, or what it has missed."""
        missed, self._missed = self._missed, []
        return None if self._sandbox.is_warm else self._world, self._secrets, missed

    def close(self) -> None:
        """End the sandbox; the next call starts another."""
        self._sandbox.close()
        self._missed = []


# --- in the sandbox -------------------------------------------------------------------------------


class _Playing:
    """The engine of this process."""

    engine: Engine


def _engine(world: World | None, secrets: Secrets, missed: Sequence[e.Event]) -> Engine:
    """Return the engine: a new one on *world*, or the last one, once it has applied *missed*."""
    if world is not None:
        secret, throwaway = secrets
        oracle = oracle_of(world, secret, throwaway)
        _Playing.engine = new_engine(world, oracle, throwaway or secret)
    for event in missed:
        apply(_Playing.engine.world, event)
    return _Playing.engine


def _play(
    world: World | None,
    secrets: Secrets,
    missed: Sequence[e.Event],
    event: e.Input | None,
    recorded: Sequence[e.Entry],
) -> Iterator[bytes]:
    engine = _engine(world, secrets, missed)
    engine.recorded = recorded
    yield from map(encode_batch, engine.run() if event is None else engine.process(event))


def _ask(
    world: World | None,
    secrets: Secrets,
    missed: Sequence[e.Event],
    question: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> Any:
    inside.notice_step(LINKING)  # which is what takes time in a question
    return question(_engine(world, secrets, missed).world, *arguments)
