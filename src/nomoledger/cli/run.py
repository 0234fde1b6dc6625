"""The command run: the clock of a live game."""

from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.dry_runs import print_dry_run
from nomoledger.cli.output import print_json, print_line, warn

if TYPE_CHECKING:
    from nomoledger.game.realtime import Happening, SystemClock
    from nomoledger.game.timekeeper import FiredTimer

#: The wall clock to use; None is the clock of this computer.
WALL: "SystemClock | None" = None
#: Notices that are warnings, printed on standard error.
WARNINGS = ("stuck", "away", "back", "clock")


@click.command("run")
@options.ledger
@options.game
@click.option("--once", is_flag=True, help="Fire the timers that are due now, and stop.")
@options.dry_run
@options.as_json
def run(location: str, game_name: str | None, once: bool, dry_run: bool, as_json: bool) -> None:
    """Keep a live game's clock: fire each timer when it is due.

    After downtime, run catches up on missed timers; no timer fires twice. It runs until the game is
    over, or until Ctrl-C. With --dry-run, it shows the timers that are due now, and stops; their
    dice come from a throwaway seed.

    Example: nomoledger run game.db --once
    """
    from nomoledger.game.realtime import LiveClock

    clock, count = LiveClock(location, game_name, WALL), 0
    try:
        for happening in clock.try_once() if dry_run else clock.keep(once=once):
            _print_happening(happening, as_json)
            count += 1
    except KeyboardInterrupt:
        return
    if (once or dry_run) and not count and not as_json:
        print_line("nothing is due")
    if dry_run and not as_json:
        print_dry_run()


def _print_happening(happening: "Happening", as_json: bool) -> None:
    from nomoledger.game.realtime import ClockNotice

    if isinstance(happening, ClockNotice):
        if happening.kind in WARNINGS:
            warn(happening.text)
        if as_json:
            print_json(happening)
        elif happening.kind not in WARNINGS:
            print_line(happening.text)
    elif as_json:
        _print_timer_as_json(happening)
    else:
        about = f" ({happening.about})" if happening.about else ""
        rule = f" [{happening.rule}]" if happening.rule else ""
        result = f": {happening.told}" if happening.told else ""
        print_line(f"{happening.at:%Y-%m-%d %H:%M:%S}  {happening.what}{about}{rule}{result}")


def _print_timer_as_json(fired: "FiredTimer") -> None:
    import msgspec

    from nomoledger.events.codec import encode_json

    fields = msgspec.structs.asdict(fired)
    fields["events"] = [msgspec.Raw(encode_json(event)) for event in fired.events]
    print_json({"kind": "fired"} | fields)
