"""Requests that were taken back as a whole, and so count as never made."""

from collections.abc import Iterable, Sequence

from nomoledger import events as e


def undone_inputs(bodies: Iterable[e.Event]) -> frozenset[str]:
    """Return the ids of the inputs in *bodies* that were undone, and of those that undid them.

    An input that was undone has no effect but these: the clock moved until then, a standing order
    was set off, a question was asked. So a rerun leaves out both.
    """
    inputs = {body.id: body for body in bodies if isinstance(body, e.Input)}
    pairs = (
        (id, body.withdrawn)
        for id, body in inputs.items()
        if isinstance(body, e.InputWithdrawn) and body.undoes and body.withdrawn in inputs
    )
    return frozenset(id for pair in pairs for id in pair)


def kept_places(bodies: Sequence[e.Event]) -> list[int]:
    """Return the places of *bodies* without undone inputs, what undid them, and what followed."""
    undone, is_kept, places = undone_inputs(bodies), True, []
    for place, body in enumerate(bodies):
        if isinstance(body, e.Input):
            is_kept = body.id not in undone
        if is_kept:
            places.append(place)
    return places
