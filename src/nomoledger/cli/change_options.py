"""Changes to the rules, as given on the command line."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nomoledger.cli.parsing import parse_scalar

if TYPE_CHECKING:
    from nomoledger.events.rules import Amend, Change, Repeal


def read_changes_file(file: str | None, *, with_code: bool = True) -> tuple["Change", ...]:
    """Return the changes listed in the YAML *file*; none if *file* is None.

    Without *with_code*, the code in the changes is not read: the game checks it.

    Raises:
        UsageError: *file* cannot be read.
        RulebookError: *file* is malformed.
    """
    if file is None:
        return ()
    from nomoledger.intake.unreadable import why_unreadable
    from nomoledger.rulebook.changes import parse_changes

    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file} cannot be read: {why_unreadable(error)}") from None
    return parse_changes(text, file, with_code=with_code)


def repeals(numbers: tuple[str, ...]) -> list["Repeal"]:
    """Return the repeals of the rules *numbers*."""
    if not numbers:
        return []
    from nomoledger.events.rules import Repeal

    return [Repeal(number) for number in numbers]


def amendments(pairs: tuple[tuple[str, str], ...]) -> list["Amend"]:
    """Return the amendments of rule parameters in *pairs*, such as `VIII.3.days_open=10`."""
    if not pairs:
        return []
    from nomoledger.events.rules import Amend

    changes = []
    for key, text in pairs:
        number, separator, name = key.rpartition(".")
        if not separator:
            raise click.UsageError(f"{key!r} names no rule's parameter: write VIII.3.days_open=10")
        changes.append(Amend(number=number, parameters={name: parse_scalar(text)}))
    return changes
