"""Arguments and options that several commands share, and how what is typed becomes a value."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])


class Time(click.ParamType[datetime]):
    """A moment: `2026-01-31T12:00:00`, in UTC where no zone is given."""

    name = "time"

    def convert(self, value: Any, param: Any, ctx: Any) -> datetime:
        """The moment written as *value*."""
        if isinstance(value, datetime):
            return value
        try:
            time = datetime.fromisoformat(value)
            return (time.replace(tzinfo=UTC) if time.tzinfo is None else time).astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is no time; write it as 2026-01-31T12:00:00", param, ctx)


class Pair(click.ParamType[tuple[str, str]]):
    """`KEY=VALUE`, as a tuple."""

    name = "key=value"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        """The two parts of *value*."""
        if isinstance(value, tuple):
            return value[0], value[1]
        key, separator, rest = value.partition("=")
        if not separator or not key.strip():
            self.fail(f"{value!r} is not of the form KEY=VALUE", param, ctx)
        return key.strip(), rest


ledger = click.argument("ledger")
game = click.option("--game", metavar="NAME", help="Which game, where the ledger has several.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
period = click.option(
    "--period", type=int, metavar="N", help="As it stood at the close of period N."
)
pairs = click.argument("pairs", metavar="[KEY=VALUE]...", nargs=-1, type=Pair())


def request(function: Function) -> Function:
    """The options of every command that records an input."""
    for option in (
        as_json,
        game,
        click.option("--id", "id", metavar="ID", help="Names this request: harmless to repeat."),
        click.option("--at", type=Time(), metavar="TIME", help="When it was received (UTC)."),
    ):
        function = option(function)
    return function


def scalar(text: str) -> Any:
    """What *text* says in YAML: a number, yes or no, a list; text where it is nothing of these.

    >>> scalar("20"), scalar("[2, 3]"), scalar("12.50"), scalar("a: [")
    (20, [2, 3], '12.50', 'a: [')
    """
    import yaml

    from nomoledger.rules.rulebook import load_yaml

    try:
        value = load_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return text
    return value if isinstance(value, bool | int | list | dict) else text


def typed(text: str, type_: str) -> Any:
    """*text* as a parameter of that *type_* takes it; the rules resolve what is left as text.

    >>> typed("7", "Text"), typed("7", "Number"), typed("no", "Flag"), typed("no", "Player")
    ('7', 7, False, 'no')
    """
    if type_ in ("Number", "Money"):
        return int(text) if text.strip().lstrip("-").isdecimal() else text
    return scalar(text) if type_ in ("", "Flag", "List") else text
