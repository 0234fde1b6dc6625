"""What the state keeps for the addresses of draws, from level 3 on.

The address of a draw is a place and an ordinal, `PLACE#0`; `nomoledger.language.draw_address` says
what a place is made of. The table `World.dice` holds:

- `numbers`: the number of each player who joined in public, in the order of joining, from 1;
- `new`: players who have joined in the attempt under way, and have no number yet;
- `used`: per place, the next ordinal of the open period;
- `open`: the same for the draws of each attempt that is not done, by the cause of the attempt.

An attempt uses its draws when it is done. The draws of an attempt that is refused or withdrawn are
not used: the next draw at the same place gets the same ordinal, and so the same dice.
"""

from typing import Any

from nomoledger import events as e
from nomoledger.state.world import Table, World

_ORDINAL_DIGITS_MAX = 9


def is_of_ruling(event: e.DrawRecorded) -> bool:
    """Return whether the draw was made to settle a ruling that reaches back."""
    return bool(event.rules) and event.rules[0].startswith("ruling:")


def split_address(address: str) -> tuple[str, int | None]:
    """Return the place and the ordinal of an *address*; None if it has no ordinal.

    >>> split_address("3/player 1/go()/move#2"), split_address("go#x")
    (('3/player 1/go()/move', 2), ('go', None))
    """
    place, _, ordinal = address.rpartition("#")
    is_number = ordinal.isascii() and ordinal.isdecimal() and len(ordinal) <= _ORDINAL_DIGITS_MAX
    return place, int(ordinal) if is_number and str(int(ordinal)) == ordinal else None


def next_ordinal(world: World, place: str, cause: int | None) -> int:
    """Return the ordinal of the next draw at *place*, in an attempt with this *cause*."""
    used = world.dice.get("used", {}).get(place, 0)
    return int(max(used, world.dice.get("open", {}).get(_key(cause), {}).get(place, 0)))


def player_number(world: World, player: Any) -> int | None:
    """Return the number of *player* in the order of joining; None if there is none."""
    number = world.dice.get("numbers", {}).get(player) if isinstance(player, str) else None
    return None if number is None else int(number)


def note_draw(world: World, event: e.DrawRecorded) -> None:
    """Note that an attempt made a draw in the open period."""
    place, ordinal = split_address(event.address)
    if world.draws_by_request or not event.asked or event.effective is not None or ordinal is None:
        return
    _note(world, world.inner(world.inner(world.dice, "open"), _key(event.cause)), place, ordinal)


def use_draws(world: World, cause: int | None) -> None:
    """Use the draws of the attempt with this *cause*, which is done; number the new players."""
    opened = world.dice.get("open", {}).get(_key(cause))
    if opened:
        used = world.inner(world.dice, "used")
        for place, following in opened.items():
            _note(world, used, place, following - 1)
        return_draws(world, cause)
    if world.dice.get("new"):
        numbers = world.inner(world.dice, "numbers")
        for player in world.dice["new"]:
            if player not in numbers:
                world.put(numbers, player, len(numbers) + 1)
        world.drop(world.dice, "new")


def return_draws(world: World, cause: int | None) -> None:
    """Return the draws of the attempt with this *cause*, which is over without effect."""
    opened = world.dice.get("open")
    if opened:
        world.drop(opened, _key(cause))
        if not opened:
            world.drop(world.dice, "open")


def note_created(world: World, event: e.EntityCreated) -> None:
    """Note a player who joined in public, and who gets a number when the attempt is done."""
    if event.kind == "player" and event.audience is None and not world.draws_by_request:
        world.put(world.dice, "new", (*world.dice.get("new", ()), event.entity))


def end_period_draws(world: World) -> None:
    """Forget the draws of the period that closes: the next has other addresses."""
    for name in ("used", "open"):
        world.drop(world.dice, name)


def _note(world: World, table: Table, place: str, ordinal: int) -> None:
    world.put(table, place, max(table.get(place, 0), ordinal + 1))


def _key(cause: int | None) -> int:
    return -1 if cause is None else cause
