"""A sandbox that is prepared once, and then called for one item after the other."""

from collections.abc import Callable
from typing import Any

from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import Sandbox

Prepare = Callable[..., Callable[..., Any]]


class PreparedSandbox:
    """Calls a function that the sandbox makes from arguments too large to send each time."""

    def __init__(
        self, prepare: Prepare, arguments: tuple[Any, ...], limits: Limits | None = None
    ) -> None:
        """Call what `prepare(*arguments)` returns; *prepare* is at the top level of a module."""
        self._preparation = prepare, arguments
        self._sandbox = Sandbox(limits)

    def call(self, *item: Any, kind: Any) -> Any:
        """Return what the function returns for *item*, of type *kind*; see `Sandbox.call`.

        Where an earlier call ended the sandbox, the next one is prepared anew.

        Raises:
            RuleFault, NomoledgerError: as `Sandbox.stream`.
        """
        preparation = None if self._sandbox.is_warm else self._preparation
        return self._sandbox.call(_call, preparation, item, kind=kind)


class _Prepared:
    """What this process, which is a sandbox, was prepared for."""

    function: Callable[..., Any]


def _call(preparation: tuple[Prepare, tuple[Any, ...]] | None, item: tuple[Any, ...]) -> Any:
    if preparation is not None:
        prepare, arguments = preparation
        _Prepared.function = staticmethod(prepare(*arguments))
    return _Prepared.function(*item)
