"""Changes to the rules, as they are given on the command line."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nomoledger.cli.options import scalar

if TYPE_CHECKING:
    from nomoledger.events.rules import Amend, Change


def changes_in(file: str | None) -> tuple["Change", ...]:
    """The changes that the YAML *file* lists.

    Raises:
        UsageError: it cannot be read. RulebookError: it is not well formed.
    """
    if file is None:
        return ()
    import yaml

    from nomoledger.errors import RulebookError
    from nomoledger.rulebook.changes import read_changes
    from nomoledger.rulebook.loading import load_yaml

    try:
        data = load_yaml(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file} cannot be read: {error}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise RulebookError(f"{file}: not YAML: {error}") from None
    try:
        return read_changes(data)
    except RulebookError as error:
        raise RulebookError(f"{file}: {error}") from None


def amendments(given: tuple[tuple[str, str], ...]) -> list["Amend"]:
    """`VIII.3.days_open=10` as an amendment of that rule's parameter."""
    if not given:
        return []
    from nomoledger.events.rules import Amend

    found = []
    for key, text in given:
        number, separator, name = key.rpartition(".")
        if not separator:
            raise click.UsageError(f"{key!r} names no rule's parameter: write VIII.3.days_open=10")
        found.append(Amend(number=number, parameters={name: scalar(text)}))
    return found
