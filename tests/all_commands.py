"""Every command that the program has."""

from collections.abc import Iterator

import click

from nomoledger.cli.group import CommandGroup


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield the commands of *group* by name; those of a group in it as `rules show`."""
    found = group.every_command() if isinstance(group, CommandGroup) else group.commands
    for name, command in found.items():
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield " ".join((*path, name)), command
