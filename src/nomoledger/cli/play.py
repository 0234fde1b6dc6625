"""Commands that record an input: what players ask for, what dice fell, what the admin rules."""

from datetime import datetime
from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.changing import amendments, changes_in
from nomoledger.cli.opened import desk_at
from nomoledger.cli.telling import option_called, ask_desk, typed_for

Asked = Any


@click.command()
@options.ledger
@click.argument("name")
@options.pairs
@options.request
def join(name: str, pairs: tuple[tuple[str, str], ...], **asked: Asked) -> int:
    """Ask to join the game as NAME, with what the rules want to know besides.

    Example: nomoledger join game.db Ann email=ann@example.org
    """
    return ask_desk(
        lambda desk, when: desk.join(name, typed_for(desk, "join", pairs), **when), **asked
    )


@click.command()
@options.ledger
@click.argument("player")
@options.request
def leave(player: str, **asked: Asked) -> int:
    """Ask to leave the game.

    Example: nomoledger leave game.db Ann
    """
    return ask_desk(lambda desk, when: desk.leave(player, **when), **asked)


@click.command()
@options.ledger
@click.argument("player")
@click.argument("action")
@options.pairs
@options.request
def submit(
    player: str, action: str, pairs: tuple[tuple[str, str], ...], **asked: Asked
) -> int:
    """Ask for an action on behalf of PLAYER (or "admin"), with its arguments by name.

    Example: nomoledger submit game.db Ann buy square=9
    """
    return ask_desk(
        lambda desk, when: desk.submit(player, action, typed_for(desk, action, pairs), **when),
        **asked,
    )


@click.command()
@options.ledger
@click.argument("player")
@click.argument("text")
@click.option("--changes", metavar="FILE", help="The changes it comes down to, in YAML.")
@click.option(
    "--amend",
    multiple=True,
    type=options.Pair(),
    metavar="RULE.PARAMETER=VALUE",
    help="Another value for a rule's parameter.",
)
@options.request
def propose(
    player: str,
    text: str,
    changes: str | None,
    amend: tuple[tuple[str, str], ...],
    **asked: Asked,
) -> int:
    """Propose TEXT on behalf of PLAYER, with the changes to the rules it comes down to.

    Example: nomoledger propose game.db Ann "Options last ten days" --amend VIII.3.days_open=10
    """
    wanted = (*changes_in(changes), *amendments(amend))
    return ask_desk(lambda desk, when: desk.propose(player, text, wanted, **when), **asked)


@click.command()
@options.ledger
@click.argument("player")
@click.argument("proposal", type=int)
@click.argument("choice")
@options.request
def vote(player: str, proposal: int, choice: str, **asked: Asked) -> int:
    """Cast PLAYER's vote on the proposal of that number.

    Example: nomoledger vote game.db Ann 3 yes
    """
    return ask_desk(lambda desk, when: desk.vote(player, proposal, choice, **when), **asked)


@click.command()
@options.ledger
@click.argument("proposal", type=int)
@click.argument(
    "verdict", type=click.Choice(["accepted", "rejected", "accept", "reject"]), metavar="VERDICT"
)
@options.request
def judge(proposal: int, verdict: str, **asked: Asked) -> int:
    """Judge the proposal of that number: VERDICT is accepted or rejected.

    Example: nomoledger judge game.db 1 accepted
    """
    full = {"accept": "accepted", "reject": "rejected"}.get(verdict, verdict)
    return ask_desk(lambda desk, when: desk.judge(proposal, full, **when), **asked)


@click.command()
@options.ledger
@click.argument("values", nargs=-1, required=True)
@options.request
def roll(values: tuple[str, ...], **asked: Asked) -> int:
    """Enter real dice (or another draw made by hand) for the question that waits for them.

    Example: nomoledger roll game.db 3 4
    """
    return ask_desk(
        lambda desk, when: desk.enter_dice([option_called(desk, v) for v in values], **when), **asked
    )


@click.command()
@options.ledger
@click.argument("value")
@click.option("--by", default="admin", metavar="PLAYER", help="Who answers (default: admin).")
@options.request
def answer(value: str, by: str, **asked: Asked) -> int:
    """Answer the question that a player is asked.

    Example: nomoledger answer game.db yes --by Ann
    """
    return ask_desk(
        lambda desk, when: desk.answer(option_called(desk, value), by, **when), **asked
    )


@click.command()
@options.ledger
@click.argument("text")
@click.option("--value", help="The answer to the question that waits for a ruling.")
@click.option("--changes", metavar="FILE", help="What is put right from now on, in YAML.")
@click.option("--cite", multiple=True, metavar="RULE_OR_EVENT", help="What it cites: VI.1, #17.")
@click.option("--inferred", is_flag=True, help="Known only from how the game was played.")
@options.request
def ruling(
    text: str,
    value: str | None,
    changes: str | None,
    cite: tuple[str, ...],
    inferred: bool,
    **asked: Asked,
) -> int:
    """Rule: answer the question that waits for a ruling, or put something right.

    Example: nomoledger ruling game.db "He pays what he has" --value "nothing moves" --cite IV.2
    """
    if value is not None and changes is not None:
        raise click.UsageError("--value answers a question and --changes puts right: give one")
    wanted = changes_in(changes)
    basis = "inferred" if inferred else "ruling"
    return ask_desk(
        lambda desk, when: desk.rule(
            text,
            value=None if value is None else option_called(desk, value),
            changes=wanted,
            cites=cite,
            basis=basis,
            **when,
        ),
        **asked,
    )


@click.command()
@options.ledger
@options.request
def close(**asked: Asked) -> int:
    """Carry out what the period still holds, and close it.

    Example: nomoledger close game.db
    """
    return ask_desk(lambda desk, when: desk.close(**when), **asked)


@click.command()
@options.ledger
@click.option("--to", type=options.Time(), required=True, metavar="TIME", help="The time it is.")
@options.request
def advance(to: datetime, at: datetime | None, **asked: Asked) -> int:
    """Let time come as far as TIME: what is due by then falls due.

    Example: nomoledger advance game.db --to 2026-02-01T12:00:00
    """
    if at is not None:
        raise click.UsageError("advance takes its time from --to, not from --at")
    return ask_desk(lambda desk, when: desk.advance(**when), at=to, **asked)
