"""A sandbox for questions, each of which brings all that its answer depends on.

Such a sandbox is kept for what it has linked, which takes longer than most answers. Any process may
answer the next question, so a process that fails or lacks a module is replaced.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from nomoledger.errors import RuleFault
from nomoledger.sandbox.sandbox import Sandbox, _Process

Value = TypeVar("Value")


class QuestionSandbox(Sandbox):
    """A sandbox whose calls need nothing of earlier calls.

    It has the modules that all calls so far refer to.
    """

    def _process_for(self, modules: set[str]) -> _Process:
        """Return the process for a call; another one if it lacks some of the *modules*."""
        if not modules <= self._modules:
            self.close()
            self._modules |= modules
        return super()._process_for(modules)

    def call(self, function: Callable[..., Value], *arguments: Any, kind: Any) -> Value:
        """Return what `Sandbox.call` returns.

        A failure counts only if a fresh process fails, too: earlier calls may have used up memory.

        Raises:
            RuleFault, NomoledgerError: as `Sandbox.stream`.
        """
        was_warm = self.is_warm
        try:
            return super().call(function, *arguments, kind=kind)
        except RuleFault:
            if not was_warm:
                raise
            return super().call(function, *arguments, kind=kind)
