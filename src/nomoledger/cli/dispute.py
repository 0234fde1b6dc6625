"""The commands dispute and finality: disputes, and the standings that nobody may dispute."""

from pathlib import Path
from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.outcome import run_request
from nomoledger.cli.parsing import parse_event
from nomoledger.cli.progress import progress
from nomoledger.cli.projections import reader, reader_of, reading, show_projection
from nomoledger.cli.ruling import (
    check_options_used,
    cited_by,
    decide,
    edits_past,
    ruling_options,
    verdict_on_event,
)

number = click.argument("number", type=int)


@click.group()
def dispute() -> None:
    """Open, argue, close and show disputes of what is recorded.

    While a dispute is open, the standings of the disputed period and of all later periods are
    marked as disputed.

    Example: nomoledger dispute open game.db Ann "The die was a 4" --event 116
    """


@dispute.command("open")
@options.ledger
@click.argument("by", metavar="PLAYER")
@click.argument("text")
@click.option("--period", type=int, metavar="N", help="Dispute all of period N.")
@click.option(
    "--event",
    "about",
    type=parse_event,
    metavar="EVENT",
    help="Dispute EVENT and its consequences.",
)
@options.request
def open_(by: str, text: str, period: int | None, about: str | None, **request: Any) -> int:
    """Dispute a period or an event, on behalf of PLAYER or admin.

    A replay of the period is attached to the dispute.

    Example: nomoledger dispute open game.db Ann "The die was a 4" --event 116
    """
    with progress("replaying"):
        return run_request(
            lambda game, when: game.dispute(
                by,
                text,
                period=period,
                about=None if about is None else game.event_number(about),
                **when,
            ),
            **request,
        )


@dispute.command()
@options.ledger
@number
@click.argument("by", metavar="PLAYER")
@click.argument("text")
@click.option(
    "--what-if",
    "file",
    metavar="FILE",
    help="Attach the what-if whose changes were saved with --save.",
)
@options.request
def argue(number: int, by: str, text: str, file: str | None, **request: Any) -> int:
    """Add an argument to an open dispute, for PLAYER or admin.

    The results in FILE are not read. The what-if is computed again with the changes in FILE, from
    the events that everybody who may see the dispute may see, and its result is attached.

    Example: nomoledger dispute argue game.db 1 Bob "See what follows" --what-if 4.json
    """
    from nomoledger.game.computed_evidence import read_what_if

    saved = None if file is None else Path(file).read_bytes()
    with progress("replaying"):
        return run_request(
            lambda game, when: game.argue(
                number, by, text, None if saved is None else read_what_if(saved, game.name), **when
            ),
            **request,
        )


@dispute.command()
@options.ledger
@number
@click.argument("text")
@ruling_options
@options.request
def close(number: int, text: str, **values: Any) -> int:
    """Close a dispute with a ruling.

    The options are those of ruling. Without a correction, the disputed record stands.

    Example: nomoledger dispute close game.db 1 "It was a 4" --replace 116=3,4
    """
    decisions = (
        values["value"],
        values["changes"],
        values["repeal"],
        values["repeal_of"],
        verdict_on_event(values),
        edits_past(values),
    )
    if any(decision not in (None, {}, (), False) for decision in decisions):
        return decide(text, {**values, "closes": number})
    check_options_used(values, is_change=False)
    request = {key: values[key] for key in options.REQUEST}
    fields = {"scope": values["scope"]}
    fields["basis"] = "inferred" if values["inferred"] else "ruling"
    return run_request(
        lambda game, when: game.close_dispute(
            number, text, cites=cited_by(game, values["cite"]), **fields, **when
        ),
        **request,
    )


@dispute.command("list")
@reading
@reader
def list_(admin: bool, player: str | None, **view: Any) -> None:
    """List the disputes, open and closed.

    Example: nomoledger dispute list game.db
    """
    show_projection("disputes", is_numbered=True, reader=reader_of(admin, player), **view)


@dispute.command()
@reading
@number
@reader
def show(number: int, admin: bool, player: str | None, **view: Any) -> None:
    """Show a dispute with its arguments.

    Example: nomoledger dispute show game.db 1
    """
    show_projection(
        "disputes", is_numbered=True, reader=reader_of(admin, player), number=number, **view
    )


@click.command()
@options.ledger
@click.option(
    "--after",
    "days",
    type=int,
    required=True,
    metavar="DAYS",
    help="Make standings final after DAYS days without a dispute.",
)
@options.request
def finality(days: int, **request: Any) -> int:
    """Set after how many days standings become final.

    The days count from the close of the period, or of the last dispute about it, whichever is
    later. Only the admin may dispute final standings.

    Example: nomoledger finality game.db --after 14
    """
    return run_request(lambda game, when: game.set_finality(days, **when), **request)
