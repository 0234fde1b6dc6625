"""Edits of the input log, as given on the command line."""

import shlex
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli.parsing import parse_event, parse_pair, parse_scalar

if TYPE_CHECKING:
    from nomoledger.events import Edit
    from nomoledger.game.game import Game


def parse_replacement(text: str) -> tuple[str, Any]:
    """Parse `116=3,4` (dice), `116=yes` (a choice) or `116=square:20` (fields by name).

    The value of a field may be a list in brackets: `116=detail:[20,grease]`.
    """
    number, separator, value = text.partition("=")
    if not separator:
        raise click.BadParameter(f"{text!r} is not EVENT=VALUE, as in 116=3,4 or 116=square:20")
    from nomoledger.errors import UsageError
    from nomoledger.game.written_values import written_replacement

    try:
        return parse_event(number), written_replacement(value)
    except UsageError as error:
        raise click.BadParameter(str(error)) from None


def parse_answer(text: str) -> tuple[str, Any]:
    """Parse `QUESTION=VALUE`, in which QUESTION is the address that what-if prints."""
    question, separator, value = text.rpartition("=")
    if not separator:
        raise click.BadParameter(f"{text!r} is not QUESTION=VALUE")
    return question, parse_scalar(value)


def parse_overlooked(text: str) -> tuple[str, str, str, dict[str, Any]]:
    """Parse `116=Jamie buy square=18`: after event 116, Jamie submitted an action."""
    number, _, request = text.partition("=")
    try:
        by, action, *words = shlex.split(request)
    except ValueError:
        message = f"{text!r} is not EVENT=PLAYER ACTION KEY=VALUE..."
        raise click.BadParameter(message) from None
    arguments = {key: parse_scalar(value) for key, value in map(parse_pair, words)}
    return parse_event(number), by, action, arguments


def edits(function: Any) -> Any:
    """Add the options that edit the input log."""
    for option in (
        click.option(
            "--answer",
            "answers",
            multiple=True,
            type=parse_answer,
            metavar="QUESTION=VALUE",
            help="Answer a new question, which the recorded game never asked.",
        ),
        click.option(
            "--take-in",
            "taken_in",
            multiple=True,
            type=parse_overlooked,
            metavar="EVENT='PLAYER ACTION ...'",
            help="Replay as if PLAYER had submitted ACTION after EVENT.",
        ),
        click.option(
            "--without",
            multiple=True,
            type=parse_event,
            metavar="EVENT",
            help="Replay as if EVENT had not happened.",
        ),
        click.option(
            "--replace",
            "replaced",
            multiple=True,
            type=parse_replacement,
            metavar="EVENT=VALUE",
            help="Replay with VALUE for EVENT: 116=3,4 (dice) or 116=square:20 (fields).",
        ),
    ):
        function = option(function)
    return function


def edits_from(
    game: "Game",
    replaced: tuple[tuple[str, Any], ...],
    without: tuple[str, ...],
    taken_in: tuple[tuple[str, str, str, dict[str, Any]], ...],
    answers: tuple[tuple[str, Any], ...],
) -> tuple["Edit", ...]:
    """Return the edits of *game* that the values of these options describe."""
    from nomoledger.events import Answered, LeftOut, Replaced, TakenIn

    number = game.event_number
    return (
        *(Replaced(number(event), value) for event, value in replaced),
        *(LeftOut(number(event)) for event in without),
        *(TakenIn(number(event), by, act, named) for event, by, act, named in taken_in),
        *(Answered(question, value) for question, value in answers),
    )
