"""The command void: the admin rules that something that is open has no effect."""

from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.outcome import run_request

#: How many digits the number of a dispute can have.
DIGITS_MAX = 18
KINDS = ("order", "timer", "question", "request", "proposal", "dispute")


@click.command()
@options.ledger
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.argument("text")
@click.option(
    "--cite",
    multiple=True,
    metavar="RULE_OR_EVENT",
    help="Cite a rule (VI.1) or an event (#17); may be repeated.",
)
@options.request
def void(kind: str, name: str, text: str, cite: tuple[str, ...], **request: Any) -> int:
    """Rule that something open is void: it ends, and TEXT says why.

    KIND is order, timer, question, request (one that is still waiting), proposal or dispute. NAME
    is the id or the number that status --admin shows. No rule code runs, so this works even where
    rules fail. Reject a request that was carried out with ruling --reject EVENT.

    Example: nomoledger void game.db order 4f1c09 "It can never be carried out"
    """
    if kind == "dispute":
        if not (name.isascii() and name.isdecimal()) or len(name) > DIGITS_MAX:
            raise click.UsageError(f"{name!r:.60} is no number of a dispute")
        number = int(name)
        return run_request(
            lambda game, when: game.void(text, dispute=number, cites=cite, **when), **request
        )
    return run_request(
        lambda game, when: game.void(text, (f"{kind} {name}",), cites=cite, **when), **request
    )
