"""The command run: keeps a live game's time by the wall."""

from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.output import json, line, warn

if TYPE_CHECKING:
    from nomoledger.game.realtime import Happening, Wall
    from nomoledger.game.timekeeper import FiredTimer

#: What clock to go by; None is that of this computer.
WALL: "Wall | None" = None
#: What goes wrong is told apart from what happens.
WARNINGS = ("stuck", "away", "back", "clock")


@click.command("run")
@options.ledger
@options.game
@click.option("--once", is_flag=True, help="Catch up with the clock, and stop.")
@options.as_json
def run(ledger: str, game: str | None, once: bool, as_json: bool) -> None:
    """Keep a live game's clock: what is due falls due, in time.

    It goes on until the game is over, or until Ctrl-C.

    Example: nomoledger run game.db --once
    """
    from nomoledger.game.realtime import Watch

    count = 0
    try:
        for each in Watch(ledger, game, WALL).keep(once=once):
            _tell(each, as_json)
            count += 1
    except KeyboardInterrupt:
        return
    if once and not count and not as_json:
        line("nothing is due")


def _tell(happening: "Happening", as_json: bool) -> None:
    from nomoledger.game.realtime import ClockNotice

    if isinstance(happening, ClockNotice):
        if happening.kind in WARNINGS:
            warn(happening.text)
        if as_json:
            json(happening)
        elif happening.kind not in WARNINGS:
            line(happening.text)
    elif as_json:
        _print_json(happening)
    else:
        about = f" ({happening.about})" if happening.about else ""
        rule = f" [{happening.rule}]" if happening.rule else ""
        told = f": {happening.told}" if happening.told else ""
        line(f"{happening.at:%Y-%m-%d %H:%M:%S}  {happening.what}{about}{rule}{told}")


def _print_json(fired: "FiredTimer") -> None:
    import msgspec

    from nomoledger.events.codec import encode_json

    told = msgspec.structs.asdict(fired)
    told["events"] = [msgspec.Raw(encode_json(event)) for event in fired.events]
    json({"kind": "fired"} | told)
