"""The state as a reader who is not the admin may see it."""

from collections.abc import Iterator
from typing import Any

from nomoledger.game.read_models import View, events_with_worlds
from nomoledger.proof.addresses import is_stand_in
from nomoledger.state.world import World


class VisibleState:
    """The state of the game in a view, without what its reader may not see.

    It follows from the events that the reader may see. Where a ruling corrected the period later,
    the correction shows only if the reader may see every event: otherwise it may depend on
    something sealed.

    Attributes:
        world: the state. Where a ruling corrected it, e-mail addresses may still be in it: see
            `without_addresses`.
        hidden: what is left out, in words; "" for nothing.
    """

    def __init__(self, view: View) -> None:
        recorded, public = view.reading.published, World()
        for _, world in events_with_worlds(view):
            public = world
        unlike = list(_unlike(recorded, public))
        self._stand_ins = {was: now for was, now in unlike if is_stand_in(now)}
        sealed = sum(not is_stand_in(now) for _, now in unlike)
        is_corrected = view.world is not recorded
        shows_corrections = is_corrected and not sealed and view.sees_all
        self.world = view.world if shows_corrections else public
        counts = ((sealed, "value"), (len(self._stand_ins), "address"))
        parts = [f"{count} {word}{_plural(word, count)}" for count, word in counts if count]
        parts += ["what was corrected later"] if is_corrected and not shows_corrections else []
        self.hidden = " and ".join(parts)

    def without_addresses(self, value: Any) -> Any:
        """Return *value* with a stand-in for every address in it."""
        if isinstance(value, str):
            return self._stand_ins.get(value, value)
        if isinstance(value, dict):
            return {name: self.without_addresses(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.without_addresses(item) for item in value]
        return value


def _unlike(world: World, public: World) -> Iterator[tuple[Any, Any]]:
    """Yield each value of *world* that is not so in the *public* world, with what is there."""
    for entity, attributes in world.attributes.items():
        known = public.attributes.get(entity, {})
        for name, was in attributes.items():
            if was != known.get(name):
                yield was, known.get(name)
    for account, balances in world.balances.items():
        for commodity, units in balances.items():
            if units != public.balance(account, commodity):
                yield units, public.balance(account, commodity)
    if world.waiting is not None and public.waiting is None:
        yield world.waiting.text, None


def _plural(word: str, count: int) -> str:
    return "" if count == 1 else "es" if word.endswith("s") else "s"
