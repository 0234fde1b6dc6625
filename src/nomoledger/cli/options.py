"""Arguments and options that several commands share, and how what is typed becomes a value."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from nomoledger.cli.arguments import VARIABLE, LedgerArgument

Function = TypeVar("Function", bound=Callable[..., Any])


def time(text: str) -> datetime:
    """The moment written as *text*, in UTC where no zone is given.

    >>> str(time("2026-01-31T12:00:00"))
    '2026-01-31 12:00:00+00:00'
    """
    try:
        read = datetime.fromisoformat(text)
        return (read.replace(tzinfo=UTC) if read.tzinfo is None else read).astimezone(UTC)
    except (ValueError, OverflowError):
        message = f"{text!r} is no time; write it as 2026-01-31T12:00:00"
        raise click.BadParameter(message) from None


def pair(text: str) -> tuple[str, str]:
    """The two parts of `KEY=VALUE`."""
    key, separator, value = text.partition("=")
    if not separator or not key.strip():
        raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE")
    return key.strip(), value


ledger = click.argument("ledger", cls=LedgerArgument, envvar=VARIABLE)
game = click.option("--game", metavar="NAME", help="Which game, where the ledger has several.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
period = click.option(
    "--period", type=int, metavar="N", help="As it stood at the close of period N."
)
as_known = click.option(
    "--as-known", type=int, metavar="K", help="As it was known at the close of period K (now)."
)
as_published = click.option(
    "--as-published", is_flag=True, help="As it was known at the close of that period itself."
)
pairs = click.argument("pairs", metavar="[KEY=VALUE]...", nargs=-1, type=pair)


def known_at(period: int | None, as_known: int | None, as_published: bool) -> int | None:
    """The period at whose close *period* is to be known; None for as known now."""
    if as_published and as_known is not None:
        raise click.UsageError("--as-known and --as-published answer the same question: give one")
    if period is None and (as_published or as_known is not None):
        raise click.UsageError(
            "--as-known and --as-published say when a period that is over was known:"
            " say which, with --period"
        )
    return period if as_published else as_known


def request(function: Function) -> Function:
    """The options of every command that records an input."""
    for option in (
        as_json,
        game,
        click.option("--id", "id", metavar="ID", help="Names this request: harmless to repeat."),
        click.option("--at", type=time, metavar="TIME", help="When it was received (UTC)."),
    ):
        function = option(function)
    return function


def scalar(text: str) -> Any:
    """What *text* says in YAML: a number, yes or no, a list; text where it is nothing of these.

    >>> scalar("20"), scalar("[2, 3]"), scalar("12.50"), scalar("a: [")
    (20, [2, 3], '12.50', 'a: [')
    """
    import msgspec
    import yaml

    from nomoledger.rulebook.loading import load_yaml

    try:
        value = load_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return text
    if not isinstance(value, bool | int | list | dict):
        return text
    try:
        msgspec.msgpack.encode(value)
    except (OverflowError, TypeError, ValueError, RecursionError):
        message = f"{text!r} cannot be recorded: too large, or no plain value"
        raise click.BadParameter(message) from None
    return value


def typed(text: str, type_: str) -> Any:
    """*text* as a parameter of that *type_* takes it; the rules resolve what is left as text.

    >>> typed("7", "Text"), typed("7", "Number"), typed("no", "Flag"), typed("no", "Player")
    ('7', 7, False, 'no')
    """
    if type_ in ("Number", "Money"):
        return scalar(text) if text.strip().lstrip("-").isdecimal() else text
    return scalar(text) if type_ in ("", "Flag", "List") else text
