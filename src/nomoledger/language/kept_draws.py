"""The draws of what is undone: they stay, so that whoever plays it again gets the same dice."""

from nomoledger import events as e
from nomoledger.language.host import Host
from nomoledger.state.reducer import apply


def undo_but_draws(host: Host, mark: tuple[int, int], count: int) -> None:
    """Undo what the attempt of *host* did since *mark*, when it had *count* events; keep its draws.

    What is undone may fail because of what fell, so a replay needs to know.
    """
    draws = [event for event in host.staged[count:] if isinstance(event, e.DrawRecorded)]
    host.world.rollback(mark)
    del host.staged[count:]
    for draw in draws:
        apply(host.world, draw)
        host.staged.append(draw)
