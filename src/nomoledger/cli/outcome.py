"""Sending a request to a game, and printing its outcome."""

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli.arguments import command_line
from nomoledger.cli.context import open_game_at
from nomoledger.cli.dry_runs import print_dry_run
from nomoledger.cli.output import one_line, print_aside, print_blocks, print_json, print_line
from nomoledger.cli.parsing import parse_typed
from nomoledger.cli.remedies import remedy_lines
from nomoledger.errors import UsageError
from nomoledger.game.command_lines import game_if_ambiguous

if TYPE_CHECKING:
    from nomoledger import events as e
    from nomoledger.game.game import Game
    from nomoledger.game.writer import Outcome
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.prose.teller import Teller
    from nomoledger.state.world import World

Request = Callable[["Game", dict[str, Any]], "Outcome"]
REFUSED = 1


def run_request(
    request: Request,
    *,
    location: str,
    game_name: str | None,
    at: datetime | None,
    id: str | None,
    as_json: bool,
    dry_run: bool,
    yes: bool,
) -> int:
    """Open the game, send *request* to it, print the outcome, and return the exit code.

    For a *dry_run*, the game is a scratch copy.
    """
    with open_game_at(location, game_name, dry_run=dry_run) as game:
        return send_request(game, request, at=at, id=id, as_json=as_json, yes=yes)


def confirm_time(game: "Game", event: "e.Input") -> None:
    """Ask whether *event* is to be received at its time, if that may be a slip.

    A dry run says what would be asked. Nothing is asked twice.

    Raises:
        UsageError: there is no terminal to ask on.
        Abort: the user does not want it.
    """
    from nomoledger.game.time_jump import time_jump

    jump = time_jump(game, event)
    if jump is None:
        return
    game.before_recording = None
    if game.throwaway is not None:
        print_aside(f"the real run asks first, unless --yes: this moves the game {jump}")
    elif is_terminal():
        click.confirm(one_line(f"This moves the game {jump}. Go on?"), abort=True, err=True)
    else:
        raise UsageError(
            f"{game.name}: this would move the game {jump}: give another time with --at, or --yes"
        )


def is_terminal() -> bool:
    """Return whether there is somebody to ask."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def send_request(
    game: "Game",
    request: Request,
    *,
    at: datetime | None,
    id: str | None,
    as_json: bool,
    yes: bool,
    more: Mapping[str, Any] = MappingProxyType({}),
    print_more: Callable[[], None] = lambda: None,
) -> int:
    """Send *request* to *game*, print the outcome, and return the exit code.

    A time that may be a slip is confirmed first, unless *yes*. *more* is added to the outcome in
    JSON, and *print_more* prints the same for people. In a dry run, the printed head is that of the
    ledger.
    """
    from nomoledger.prose.teller import Teller

    game.before_recording = None if yes else partial(confirm_time, game)
    teller = Teller(game.world)
    teller.keep_all()
    question, head = game.world.waiting, game.ledger.head(game.name)
    open_period = game.world.period
    outcome = request(game, {"at": at, "id": id})
    is_dry, is_thrown = game.throwaway is not None, _is_thrown(game, outcome, open_period)
    if as_json:
        notes = {"dry_run": True, "throwaway": is_thrown} if is_dry else {}
        head = head if is_dry else game.ledger.head(game.name)
        _print_as_json(game, outcome, str(head), {**more, **notes})
    else:
        print_outcome(game, outcome, teller)
        print_more()
        if is_dry:
            print_dry_run(is_thrown)
    return REFUSED if _is_refused(outcome, question) else 0


def _is_thrown(game: "Game", outcome: "Outcome", open_period: int) -> bool:
    """Return whether the dry run of *game* drew from its throwaway seed."""
    from nomoledger.engine.dice import SEEDED
    from nomoledger.events import DrawRecorded

    if game.throwaway is None or game.world.game["dice"] not in SEEDED:
        return False
    draws = (event for event in outcome.events if isinstance(event, DrawRecorded))
    return any(draw.effective is None or draw.effective >= open_period for draw in draws)


def _print_as_json(game: "Game", outcome: "Outcome", head: str, more: Mapping[str, Any]) -> None:
    import msgspec

    from nomoledger.events.codec import encode_json

    bodies = [msgspec.Raw(encode_json(event)) for event in outcome.events]
    waiting = game.world.waiting
    print_json(
        {
            "game": game.name,
            "head": head,
            "refused": [_refusal_line(refusal) for refusal in outcome.refusals],
            "waiting": None if waiting is None else waiting.text,
            "events": bodies,
            **more,
        }
    )


def _is_refused(outcome: "Outcome", asked: "e.QuestionRaised | None") -> bool:
    """Return whether the request itself was refused, not only something that followed from it."""
    if not outcome.events:
        return False
    question = getattr(outcome.events[0], "question", None)
    attempt = question.rpartition("|")[0] if question else getattr(outcome.events[0], "id", None)
    return any(refusal.attempt == attempt for refusal in outcome.refusals)


# --- printing -----------------------------------------------------------------------------------


def print_outcome(game: "Game", outcome: "Outcome", teller: "Teller") -> None:
    """Print the request, its consequences, and the question that is open afterwards."""
    from nomoledger.events import AttemptRefused, Input
    from nomoledger.prose.descriptions import BOOKKEEPING

    teller.world = game.world
    teller.rewind(outcome.events)
    for event in outcome.events:
        if isinstance(event, AttemptRefused):
            print_line(teller.without_identifiers(_refusal_line(event)))
            print_blocks(remedy_lines(game.ledger, game.name, game.world, event))
        elif not isinstance(event, BOOKKEEPING) and teller.mentions(event):
            indent = "" if isinstance(event, Input) else "  "
            print_line(indent + teller.tell(event))
            print_blocks(remedy_lines(game.ledger, game.name, game.world, event))
    if game.world.waiting is not None:
        print_blocks(question_lines(game.world, game.ledger))


def _refusal_line(refusal: "e.AttemptRefused") -> str:
    reasons = (f"{reason.text} ({reason.rule.partition('@')[0]})" for reason in refusal.reasons)
    return f"refused: {'; '.join(reasons)}"


def question_lines(world: "World", ledger: "Ledger") -> list[str]:
    """Return the open question as a line, and a line with the command that answers it."""
    from nomoledger.game.open_things import open_question
    from nomoledger.prose.names import Names

    location, name = ledger.store.location, game_if_ambiguous(ledger, world.game["game"])
    asked, question = open_question(world), world.waiting
    if asked is None or question is None:
        return []
    choice = f" (one of: {', '.join(asked.options)})" if asked.options else ""
    command = command_line(asked.answer.verb, location, asked.answer.words, name)
    explained = f" ({asked.explained})" if asked.explained else ""
    lines = [
        f"waiting for {asked.to}: {asked.text}{choice}",
        f"  {asked.answer.action}: {command}{explained}",
    ]
    if question.default is not None:
        default = Names(world).label(question.default)
        command = command_line("answer", location, "--default", name)
        lines.append(f"  or let the default stand, {default}: {command}")
    return lines


# --- typed words and the rules -------------------------------------------------------------------


def typed_arguments(
    game: "Game", operation: str, pairs: tuple[tuple[str, str], ...]
) -> dict[str, Any]:
    """Return the arguments of *operation* in *pairs*, parsed by the types of its parameters."""
    from nomoledger.engine.request_checks import parameter_types

    types = game.engine.ask(parameter_types, operation, kind=dict[str, str])
    return {key: parse_typed(text, types.get(key, "")) for key, text in pairs}
