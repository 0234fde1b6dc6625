"""Handlers that wait for keepers and databases run in threads, so that others are served meanwhile.

Litestar has `sync_to_thread` for this, but wraps a handler twice that is registered twice (2.25):
one that is behind a middleware of its own, or that two applications use.
"""

from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from anyio import to_thread

P = ParamSpec("P")
T = TypeVar("T")


def in_thread(handler: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return *handler* as a coroutine that runs it in a thread."""

    @wraps(handler)
    async def run(*arguments: P.args, **fields: P.kwargs) -> T:
        return await to_thread.run_sync(partial(handler, *arguments, **fields))

    return run
