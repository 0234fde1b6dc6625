"""The commands dispute and finality: what is disputed, and what nobody may dispute any more."""

from pathlib import Path
from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.edit_options import event
from nomoledger.cli.outcome import run_request
from nomoledger.cli.progress import progress
from nomoledger.cli.projections import reader, reading, show_projection, who
from nomoledger.cli.ruling import about_past, decide, deciding, edits_past

number = click.argument("number", type=int)


@click.group()
def dispute() -> None:
    """Dispute what is recorded; argue it, and settle it by a ruling.

    While a dispute is open, the standings of the period that it is about are marked disputed, and
    those of every later one.

    Example: nomoledger dispute open game.db Ann "The die was a 4" --event 116
    """


@dispute.command("open")
@options.ledger
@click.argument("by", metavar="PLAYER")
@click.argument("text")
@click.option("--period", type=int, metavar="N", help="All of period N is disputed.")
@click.option("--event", "about", type=event, metavar="EVENT", help="What came of it is disputed.")
@options.request
def open_(by: str, text: str, period: int | None, about: int | None, **asked: Any) -> int:
    """Dispute a period or an event, on behalf of PLAYER or admin.

    A replay of the period is attached: what the rules make of it today.

    Example: nomoledger dispute open game.db Ann "The die was a 4" --event 116
    """
    with progress("replaying"):
        return run_request(
            lambda desk, when: desk.dispute(by, text, period=period, about=about, **when), **asked
        )


@dispute.command()
@options.ledger
@number
@click.argument("by", metavar="PLAYER")
@click.argument("text")
@click.option("--what-if", "file", metavar="FILE", help="A what-if that was saved with --save.")
@options.request
def argue(number: int, by: str, text: str, file: str | None, **asked: Any) -> int:
    """Say something on an open dispute, for PLAYER or admin.

    Whoever may see the dispute sees all of the what-if that is attached.

    Example: nomoledger dispute argue game.db 1 Bob "See what follows" --what-if 4.json
    """
    from nomoledger.game.evidence import what_if_in

    saved = None if file is None else Path(file).read_bytes()
    return run_request(
        lambda desk, when: desk.argue(
            number, by, text, None if saved is None else what_if_in(saved, desk.name), **when
        ),
        **asked,
    )


@dispute.command()
@options.ledger
@number
@click.argument("text")
@deciding
@options.request
def close(number: int, text: str, **given: Any) -> int:
    """Close a dispute by a ruling.

    Without anything that says otherwise, what is disputed stands. The options are those of
    ruling.

    Example: nomoledger dispute close game.db 1 "It was a 4" --replace 116=3,4
    """
    says = given["value"], given["changes"], about_past(given), edits_past(given)
    if any(each not in (None, {}, False) for each in says):
        return decide(text, {**given, "closes": number})
    request = {key: given[key] for key in ("ledger", "game", "at", "id", "as_json")}
    fields = {"cites": given["cite"], "scope": given["scope"]}
    fields["basis"] = "inferred" if given["inferred"] else "ruling"
    return run_request(
        lambda desk, when: desk.close_dispute(number, text, **fields, **when), **request
    )


@dispute.command("list")
@reading
@reader
def list_(admin: bool, player: str | None, **asked: Any) -> None:
    """List the disputes, open and closed.

    Example: nomoledger dispute list game.db
    """
    show_projection("disputes", is_numbered=True, reader=who(admin, player), **asked)


@dispute.command()
@reading
@number
@reader
def show(number: int, admin: bool, player: str | None, **asked: Any) -> None:
    """Show a dispute with all that was said on it.

    Example: nomoledger dispute show game.db 1
    """
    show_projection("disputes", is_numbered=True, reader=who(admin, player), number=number, **asked)


@click.command()
@options.ledger
@click.option("--after", "days", type=int, required=True, metavar="DAYS", help="How many days.")
@options.request
def finality(days: int, **asked: Any) -> int:
    """Say after how many days without a dispute standings are final.

    They count from the close of the period, and from the close of the last dispute that touched
    it. What is final only the admin may dispute.

    Example: nomoledger finality game.db --after 14
    """
    return run_request(lambda desk, when: desk.set_finality(days, **when), **asked)
