"""Edits of the tape, as they are given on the command line."""

import shlex
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli.options import pair, scalar

if TYPE_CHECKING:
    from nomoledger.events import Edit, Entry


def event(text: str) -> int:
    """The number of an event: 116, or #116 as it is printed."""
    number = text.strip().removeprefix("#")
    if not number.isdecimal() or not number.isascii():
        raise click.BadParameter(f"{text!r} is no event: write its number, as #116")
    return int(number)


def replacement(text: str) -> tuple[int, Any]:
    """`116=3,4` (dice), `116=yes` (a choice), `116=square:20` (fields by name)."""
    number, separator, value = text.partition("=")
    if not separator:
        raise click.BadParameter(f"{text!r} is not EVENT=VALUE, as in 116=3,4 or 116=square:20")
    return event(number), _value(value)


def _value(text: str) -> Any:
    parts = text.split(",")
    named = [part.partition(":") for part in parts]
    if all(separator and name.strip().isidentifier() for name, separator, _ in named):
        return {name.strip(): scalar(value.strip()) for name, _, value in named}
    if len(parts) > 1 and not text.startswith("["):
        return [scalar(part.strip()) for part in parts]
    return scalar(text)


def answer(text: str) -> tuple[str, Any]:
    """`QUESTION=VALUE`, where the question is the address that a what-if prints."""
    question, separator, value = text.rpartition("=")
    if not separator:
        raise click.BadParameter(f"{text!r} is not QUESTION=VALUE")
    return question, scalar(value)


def overlooked(text: str) -> tuple[int, str, str, dict[str, Any]]:
    """`116=Jamie buy square=18`: after event 116, Jamie asked to buy square 18."""
    number, _, request = text.partition("=")
    try:
        by, action, *pairs = shlex.split(request)
    except ValueError:
        message = f"{text!r} is not EVENT=PLAYER ACTION KEY=VALUE..."
        raise click.BadParameter(message) from None
    given = {key: scalar(value) for key, value in map(pair, pairs)}
    return event(number), by, action, given


def edits(function: Any) -> Any:
    """The options that edit the tape."""
    for option in (
        click.option(
            "--answer",
            "answers",
            multiple=True,
            type=answer,
            metavar="QUESTION=VALUE",
            help="The answer to a question that nobody was asked.",
        ),
        click.option(
            "--take-in",
            "taken_in",
            multiple=True,
            type=overlooked,
            metavar="EVENT='PLAYER ACTION ...'",
            help="What was asked for after an event, and overlooked.",
        ),
        click.option(
            "--without",
            multiple=True,
            type=event,
            metavar="EVENT",
            help="What should not have been there.",
        ),
        click.option(
            "--replace",
            "replaced",
            multiple=True,
            type=replacement,
            metavar="EVENT=VALUE",
            help="What it should have been: 116=3,4 or 116=square:20.",
        ),
    ):
        function = option(function)
    return function


def edits_given(
    replaced: tuple[tuple[int, Any], ...],
    without: tuple[int, ...],
    taken_in: tuple[tuple[int, str, str, dict[str, Any]], ...],
    answers: tuple[tuple[str, Any], ...],
) -> tuple["Edit", ...]:
    """The edits that those options say."""
    from nomoledger.events import Answered, LeftOut, Replaced, TakenIn

    return (
        *(Replaced(number, value) for number, value in replaced),
        *(LeftOut(number) for number in without),
        *(TakenIn(*each) for each in taken_in),
        *(Answered(question, value) for question, value in answers),
    )


def fitted(entries: list["Entry"], edits: tuple["Edit", ...]) -> tuple["Edit", ...]:
    """*edits*, with a bare value for a fact put where the record has one.

    A fact of a hand-kept record has several fields; a bare value stands for the last of them that
    is named like what the fact is about (`square`, `amount`).
    """
    from nomoledger import events as e

    def fit(edit: Any) -> Any:
        if not isinstance(edit, e.Replaced) or isinstance(edit.value, dict):
            return edit
        body = entries[edit.event].body if edit.event < len(entries) else None
        if not isinstance(body, e.FactRecorded):
            return edit
        known = [name for name in ("square", "amount", "value") if name in body.fields]
        return e.Replaced(edit.event, {known[0]: edit.value}) if len(known) == 1 else edit

    return tuple(map(fit, edits))
