"""Commands that record an input: requests of players, real dice, acts of the admin."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.arguments import command_line
from nomoledger.cli.change_options import amendments, read_changes_file
from nomoledger.cli.context import open_game_at
from nomoledger.cli.outcome import run_request, send_request, typed_arguments
from nomoledger.cli.parsing import parse_pair, parse_scalar, parse_time
from nomoledger.cli.proposal import (
    CASES_SHOWN,
    WORDS_ONLY,
    print_check,
    print_misfit,
    try_proposal,
    trying,
)
from nomoledger.errors import CarriedOutError, MisfitError, UsageError
from nomoledger.game.command_lines import game_if_ambiguous

if TYPE_CHECKING:
    from nomoledger.game.game import Game
    from nomoledger.game.writer import Outcome


@click.command()
@options.ledger
@click.argument("name")
@options.pairs
@options.request
def join(name: str, pairs: tuple[tuple[str, str], ...], **request: Any) -> int:
    """Ask to join the game as NAME.

    Whatever else the rules ask of a new player is given as KEY=VALUE.

    Example: nomoledger join game.db Ann email=ann@example.org
    """
    return run_request(
        lambda game, when: game.join(name, typed_arguments(game, "join", pairs), **when), **request
    )


@click.command()
@options.ledger
@click.argument("player")
@options.request
def leave(player: str, **request: Any) -> int:
    """Ask to leave the game.

    Example: nomoledger leave game.db Ann
    """
    return run_request(lambda game, when: game.leave(player, **when), **request)


@click.command()
@options.ledger
@click.argument("player")
@click.argument("action")
@options.pairs
@options.request
def submit(player: str, action: str, pairs: tuple[tuple[str, str], ...], **request: Any) -> int:
    """Submit an action on behalf of PLAYER (or admin).

    The arguments of ACTION are given as KEY=VALUE. status lists the actions.

    Example: nomoledger submit game.db Ann buy square=9
    """
    return run_request(
        lambda game, when: game.submit(
            player, action, typed_arguments(game, action, pairs), **when
        ),
        **request,
    )


@click.command()
@options.ledger
@click.argument("player")
@click.argument("text")
@click.option("--changes", metavar="FILE", help="Propose the changes listed in FILE (YAML).")
@click.option(
    "--amend",
    multiple=True,
    type=parse_pair,
    metavar="RULE.PARAMETER=VALUE",
    help="Propose another value for a parameter of a rule; may be repeated.",
)
@click.option(
    "--words-only", is_flag=True, help="Record the text alone, where the changes do not fit."
)
@trying
@options.request
def propose(
    player: str,
    text: str,
    changes: str | None,
    amend: tuple[tuple[str, str], ...],
    words_only: bool,
    with_what_if: bool,
    seconds: float,
    location: str,
    game_name: str | None,
    dry_run: bool,
    **request: Any,
) -> int:
    """Propose TEXT, and changes to the rules, on behalf of PLAYER.

    Changes that do not fit the rules are refused, and nothing is recorded. The others are tried, as
    with proposal check, and what that finds is printed, too.

    Example: nomoledger propose game.db Ann "Options last ten days" --amend VIII.3.days_open=10
    """
    listed = read_changes_file(None if words_only else changes, with_code=False)
    proposed = (*listed, *amendments(() if words_only else amend))
    if with_what_if and not proposed:
        why = "--words-only leaves them out" if words_only else "give --changes or --amend"
        raise click.UsageError(f"--what-if tries the changes of the proposal: {why}")
    with open_game_at(location, game_name, dry_run=dry_run) as game:
        is_new = bool(proposed) and game.again(request["id"]) is None
        checked = try_proposal(game, proposed, with_what_if, seconds) if is_new else None

        def print_checked() -> None:
            if checked is not None:
                print_check(game, checked, CASES_SHOWN, is_short=True)

        try:
            return send_request(
                game,
                lambda game, when: game.propose(
                    player, text, proposed, words_only=words_only, **when
                ),
                more={} if checked is None else {"check": checked},
                print_more=print_checked,
                **request,
            )
        except MisfitError as error:
            return print_misfit(error, request["as_json"], WORDS_ONLY)


@click.command()
@options.ledger
@click.argument("player")
@click.argument("proposal", type=int)
@click.argument("choice")
@options.request
def vote(player: str, proposal: int, choice: str, **request: Any) -> int:
    """Cast PLAYER's vote on a proposal.

    Example: nomoledger vote game.db Ann 3 yes
    """
    return run_request(lambda game, when: game.vote(player, proposal, choice, **when), **request)


@click.command()
@options.ledger
@click.argument("proposal", type=int)
@click.argument(
    "verdict", type=click.Choice(["accepted", "rejected", "accept", "reject"]), metavar="VERDICT"
)
@options.request
def judge(proposal: int, verdict: str, **request: Any) -> int:
    """Judge a proposal: VERDICT is accepted or rejected.

    Example: nomoledger judge game.db 1 accepted
    """
    judgement = {"accept": "accepted", "reject": "rejected"}.get(verdict, verdict)
    return run_request(lambda game, when: game.judge(proposal, judgement, **when), **request)


@click.command()
@options.ledger
@click.argument("values", nargs=-1, required=True)
@options.request
def roll(values: tuple[str, ...], **request: Any) -> int:
    """Enter real dice, or another draw made by hand.

    Example: nomoledger roll game.db 3 4
    """
    return run_request(
        lambda game, when: game.enter_dice(
            [game.option_called(value, parse_scalar) for value in values], **when
        ),
        **request,
    )


@click.command()
@options.ledger
@click.argument("value", required=False)
@click.option(
    "--by", default="admin", metavar="PLAYER", help="Answer on behalf of PLAYER (default: admin)."
)
@click.option(
    "--default", "is_default", is_flag=True, help="Give the default answer that the rules state."
)
@options.request
def answer(value: str | None, by: str, is_default: bool, **request: Any) -> int:
    """Answer the open question.

    status shows the question, and who is asked. For a player who is away, --default gives the
    answer that the rules state as the default.

    Example: nomoledger answer game.db yes --by Ann
    """
    if (value is None) != is_default:
        raise click.UsageError("give the VALUE that answers the question, or --default")

    def send(game: "Game", when: dict[str, Any]) -> "Outcome":
        if value is None:
            return game.answer_by_default(**when)
        return game.answer(game.option_called(value, parse_scalar), by, **when)

    return run_request(send, **request)


@click.command()
@options.ledger
@options.request
def undo(**request: Any) -> int:
    """Take back the last request, if it still waits.

    The request then counts as never made, and the clock goes back to the request before it. A
    request that did more than ask a question is not taken back; the message names the command that
    corrects what it did.

    Example: nomoledger undo game.db
    """

    def send(game: "Game", when: dict[str, Any]) -> "Outcome":
        try:
            return game.undo(**when)
        except CarriedOutError as error:
            if not error.verb:
                raise
            name = game_if_ambiguous(game.ledger, game.name)
            command = command_line(error.verb, game.ledger.store.location, error.words, name)
            raise UsageError(f"{error.why}: to correct what it did: {command}") from None

    return run_request(send, **request)


@click.command()
@options.ledger
@options.request
def close(**request: Any) -> int:
    """Carry out what is pending in the open period, and close it.

    Example: nomoledger close game.db
    """
    return run_request(lambda game, when: game.close(**when), **request)


@click.command()
@options.ledger
@click.option(
    "--to",
    type=parse_time,
    required=True,
    metavar="TIME",
    help="Advance the clock to TIME, in UTC.",
)
@options.request
def advance(to: datetime, at: datetime | None, **request: Any) -> int:
    """Advance the game's clock, and fire the timers that are due.

    Example: nomoledger advance game.db --to 2026-02-01T12:00:00
    """
    if at is not None:
        raise click.UsageError("advance takes its time from --to, not from --at")
    return run_request(lambda game, when: game.advance(**when), at=to, **request)
